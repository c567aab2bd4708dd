"""The studio's API: values are those of the library, answers have the documented shapes, errors are one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval import evaluate, parse
from diveval.analysis.stopping import stopping_points
from diveval.cli import main
from diveval.meta import agreement, discriminative, sensitivity, unanimity
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import Scorer
from diveval.settings import Options
from diveval.stats import compare, interval
from diveval.studio import loaded_collection as studio_collection
from diveval.studio.session import Studio
from support.present import present
from support.refusals import has_facts, warns

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "ERR_IA@10", "P@5"]
RBU = "RBU(p=0.99,e=0.05)"


def library(files: dict[str, Any], metrics: list[str], **choices: Any) -> Any:
    """The same scores from the public API."""
    return evaluate(files["judgments"], files["runs"], metrics, weights=files["weights"], **choices)


# --- scores -----------------------------------------------------------------------------------------------------------


def test_scores_equal_the_output_of_the_command_line(
    loaded: Any, files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """POST /api/scores answers with the bytes of `diveval evaluate -q -f json`."""
    arguments = [
        str(files["judgments"]),
        *map(str, files["runs"]),
        "--weights",
        str(files["weights"]),
        "-q",
        "-f",
        "json",
    ]
    assert main(["evaluate", *arguments, *(argument for name in METRICS for argument in ("-m", name))]) == 0
    answer = loaded.post("/api/scores", {"metrics": METRICS, "per_topic": True})
    assert answer.text == capsys.readouterr().out


@pytest.mark.parametrize(
    "choices",
    [
        {"gain": "linear"},
        {"gmax": 4},
        {"order": "rank"},
        {"ties": "docno-asc"},
        {"empty_aspects": "keep"},
        {"missing_topics": "skip"},
        {"renormalise": False},
        {"gain": "binary", "gmax": "per-aspect"},
        {"rel": 2},
        {"judgment_duplicates": "max"},
    ],
)
def test_options_have_the_effect_they_have_in_evaluate(loaded: Any, files: Any, choices: Any) -> None:
    """Each option changes the scores as it does in `evaluate`."""
    answer = loaded.post("/api/scores", {"metrics": METRICS, "options": choices}).json()
    assert answer["mean"] == library(files, METRICS, **choices).mean()


def test_the_rule_for_documents_judged_twice_may_change(files: Any, client_of: Any, tmp_path: Path) -> None:
    """A collection with contradicting judgments loads under a rule, is scored under others, and is refused under none."""
    topic, aspect, document, _ = files["judgments"].read_text().split("\n")[0].split()
    judged = tmp_path / "twice.txt"
    judged.write_text(files["judgments"].read_text() + f"{topic} {aspect} {document} 7\n")
    own = {**files, "judgments": judged, "weights": None}
    client = client_of(Studio([judged, *files["runs"]]))
    loading = {"given": True, "options": {"judgment_duplicates": "max"}}
    assert client.job("/api/collection", loading)["state"] == "done"
    for rule in ("max", "first", "last"):
        answer = client.post("/api/scores", {"metrics": METRICS, "options": {"judgment_duplicates": rule}}).json()
        assert answer["mean"] == library(own, METRICS, judgment_duplicates=rule).mean(), rule
    assert client.post("/api/scores", {"metrics": METRICS}).status_code == 400


def test_only_new_columns_are_computed(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated request scores nothing; one new metric scores one column."""
    loaded.post("/api/scores", {"metrics": METRICS})
    scored: list[list[str]] = []
    original = Scorer.of

    def counting(self: Any, metrics: Any) -> Any:
        scored.append([metric.name for metric in metrics])
        return original(self, metrics)

    monkeypatch.setattr(Scorer, "of", counting)
    loaded.post("/api/scores", {"metrics": METRICS})
    assert scored == []
    loaded.post("/api/scores", {"metrics": [*METRICS, "RBU(p=0.123,e=0.05)@20"]})
    assert scored == [["RBU(p=0.123,e=0.05)@20"]]


def test_evicted_columns_are_computed_again(loaded: Any, files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the cache of columns is full the answer is still right."""
    monkeypatch.setattr(studio_collection.LoadedCollection, "_recall", lambda self, metric, options: None)
    assert loaded.post("/api/scores", {"metrics": METRICS}).json()["mean"] == library(files, METRICS).mean()


def test_warnings_of_the_library_are_in_the_answer(fresh: Any, small_files: Any) -> None:
    """A warning of the library is a note of the job."""
    ids = [fresh.upload(path.name, path.read_bytes()).json()["id"] for path in small_files]
    short = fresh.upload("short.run", b"1 Q0 d1 1 9 r\n").json()["id"]
    body = {"judgments": ids[0], "runs": [ids[1], short], "options": {"duplicates": "first"}}
    done = fresh.job("/api/collection", body)
    assert done["state"] == "done"
    assert any(note.startswith("short.run: ") and has_facts(note, "1", "2") for note in done["notes"])


# --- walks ------------------------------------------------------------------------------------------------------------


def test_a_walk_agrees_with_the_library(loaded: Any, files: Any) -> None:
    """Curve, value and stopping rank of the inspector are those of the library."""
    options, metric = Options.of(), parse(RBU)
    judgments = load_judgments(files["judgments"], options, files["weights"])
    rankings = rank_all(judgments, files["runs"], [metric], options, keep_documents=True)
    stops = {(stop.run, stop.topic): stop for stop in stopping_points(judgments, rankings, metric, options)}
    (runs,) = rankings.values()
    for run in runs:
        for topic in list(judgments.topics)[:2]:
            walk = loaded.post("/api/ranking", {"run": run.name, "topic": topic, "metric": RBU, "depth": 200}).json()
            stop = stops[run.name, topic]
            assert walk["stop"]["rank"] == stop.rank
            assert walk["stop"]["utility"] == pytest.approx(stop.utility, abs=1e-12)
            assert walk["stop"]["utility_of_all"] == pytest.approx(stop.utility_of_all, abs=1e-12)
            assert walk["curve"]["utility"][-1] == pytest.approx(stop.utility_of_all, abs=1e-9)
            assert [row["document"] for row in walk["documents"]] == list(present(run.topics[topic].documents))


def test_the_unsatisfied_share_of_a_walk(loaded: Any) -> None:
    """For RBU it is s(i,t) = Π_{j<i} (1 − r(j,t))."""
    topic = loaded.studio.open_collection().topics[0]
    for run in loaded.studio.open_collection().runs:
        walk = loaded.post("/api/ranking", {"run": run, "topic": topic, "metric": RBU, "depth": 30}).json()
        relevance = np.array([row["relevance"] for row in walk["documents"]])
        expected = np.vstack([np.ones(relevance.shape[1]), np.cumprod(1 - relevance, axis=0)[:-1]])
        assert np.allclose([row["unsatisfied"] for row in walk["documents"]], expected, atol=1e-12)


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_the_leaderboard_has_the_statistics_of_the_library(loaded: Any, files: Any) -> None:
    """Mean, interval and letters are those of `interval` and `compare`, in the order of the runs."""
    scores = library(files, [METRICS[0]])
    means = {row.run: row for row in interval(scores, METRICS[0]).rows}
    with warns("test-assumption", "6"):
        letters = {row.run: row.letters for row in compare(scores, METRICS[0]).runs}
    done = loaded.job("/api/jobs", {"kind": "leaderboard", "metric": METRICS[0]})
    result = done["result"]
    assert any(has_facts(note, "6") for note in result["notes"])
    assert result["mean"] == [means[run].mean for run in scores.runs]
    assert result["low"] == [means[run].low for run in scores.runs] and result["high"] == [
        means[run].high for run in scores.runs
    ]
    assert result["letters"] == [letters[run] for run in scores.runs]


def test_agreement_unanimity_and_power_are_those_of_the_library(loaded: Any, files: Any) -> None:
    """The values are those of the functions in `diveval.meta`."""
    scores = library(files, METRICS)
    result = loaded.job("/api/jobs", {"kind": "judged", "metrics": METRICS})["result"]
    alike, agreed, power = agreement(scores), unanimity(scores, bootstrap=1000), discriminative(scores, resamples=1000)
    assert result["agreement"]["matrix"] == [list(row) for row in alike.matrix]
    assert result["agreement"]["order"] == list(alike.order)
    assert {row["label"]: (row["mu"], row["low"], row["high"]) for row in result["unanimity"]} == {
        row.metrics[0] if len(row.metrics) == 1 else row.label: (row.mu, row.low, row.high)
        for row in agreed.grouped(best=False)
    }
    shown = {row["metric"]: (row["significant"], row["pairs"], row["required"]) for row in result["power"]["rows"]}
    assert shown == {row.metric: (row.significant, row.pairs, row.required) for row in power.rows}


def test_the_table_of_parameters_is_that_of_sensitivity(loaded: Any, files: Any) -> None:
    """Correlation and leader of each cell are those of `sensitivity`; ranks lie in their range."""
    result = loaded.job("/api/jobs", {"kind": "parameters", "metric": METRICS[0]})["result"]
    names = [f"RBU(p={p:g},e={e:g})@20" for p, e, _, _ in result["cells"]]
    rows = {row.metric: row for row in sensitivity(library(files, names), reference=METRICS[0]).rows}
    assert len(result["cells"]) == len(result["p"]) * len(result["e"])
    for name, (_, _, tau, leader) in zip(names, result["cells"], strict=True):
        assert (tau, leader) == (rows[name].value, rows[name].leader)
    assert len(result["ranges"]) == len(loaded.studio.open_collection().runs)
    assert all(best <= rank <= worst for _, rank, best, worst in result["ranges"])


def test_scores_as_csv_and_latex_equal_the_command_line(
    loaded: Any, files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text is that of `-f csv -q` and `-f latex`."""
    arguments = [str(files["judgments"]), *map(str, files["runs"]), "--weights", str(files["weights"])]
    metrics = [word for name in METRICS for word in ("-m", name)]
    for form, more in (("csv", ["-q"]), ("latex", [])):
        assert main(["evaluate", *arguments, *metrics, "-f", form, *more]) == 0
        answer = loaded.post("/api/scores", {"metrics": METRICS, "per_topic": True, "format": form})
        assert answer.json()["text"] == capsys.readouterr().out


def test_a_failed_job_has_an_error(loaded: Any) -> None:
    """A metric without p and e has no grid, and the one-line error of the job says so."""
    failed = loaded.job("/api/jobs", {"kind": "parameters", "metric": "P@5"})
    assert failed["state"] == "failed"
    assert failed["code"] == "unknown-parameter" and "\n" not in failed["error"]


# --- files ------------------------------------------------------------------------------------------------------------


def test_uploads_are_read_like_files(fresh: Any, files: Any) -> None:
    """An uploaded collection gives the scores of the files; a removed upload is deleted."""
    ids = {
        path: fresh.upload(path.name, path.read_bytes()).json()["id"]
        for path in [files["judgments"], files["weights"], *files["runs"]]
    }
    body = {
        "judgments": ids[files["judgments"]],
        "weights": ids[files["weights"]],
        "runs": [ids[p] for p in files["runs"]],
    }
    assert fresh.job("/api/collection", body)["state"] == "done"
    assert fresh.post("/api/scores", {"metrics": METRICS}).json()["mean"] == library(files, METRICS).mean()
    assert fresh.request("DELETE", f"/api/files/{ids[files['weights']]}").json() == {"removed": ids[files["weights"]]}
    assert not list(fresh.studio.store.folder.glob("*/weights.txt"))


def test_runs_of_one_name_get_different_names(fresh: Any, files: Any) -> None:
    """Two uploads of the same name become two runs."""
    judgments = fresh.upload("qrels.txt", files["judgments"].read_bytes()).json()["id"]
    twice = [fresh.upload("same.run", files["runs"][0].read_bytes()).json()["id"] for _ in range(2)]
    done = fresh.job("/api/collection", {"judgments": judgments, "runs": twice})
    assert done["result"]["runs"] == ["same", "same#2"]


def test_an_error_in_an_upload_gives_its_original_name(fresh: Any) -> None:
    """The error gives name and line, without the folder of the uploads."""
    judgments = fresh.upload("qrels.txt", b"1 a d1 one\n").json()["id"]
    run = fresh.upload("a.run", b"1 Q0 d1 1 9 r\n").json()["id"]
    failed = fresh.job("/api/collection", {"judgments": judgments, "runs": [run]})
    assert failed["state"] == "failed" and failed["error"].startswith("qrels.txt:1: ")
    assert str(fresh.studio.store.folder) not in failed["error"]


def test_a_file_that_changed_is_an_error(small_files: Any, client_of: Any) -> None:
    """Another order is read from the files again; if they have changed, the answer is an error."""
    client = client_of(Studio(small_files))
    assert client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})["state"] == "done"
    small_files[1].write_text("1 Q0 d1 1 9 r\n")
    answer = client.post("/api/scores", {"metrics": ["P@5"], "options": {"order": "rank", "duplicates": "first"}})
    assert answer.status_code == 400 and answer.json()["code"] == "file-changed"


@pytest.mark.slow
def test_the_built_in_collection(fresh: Any) -> None:
    """Without any file there is a collection of 30 runs and 50 topics."""
    done = fresh.job("/api/collection", {"builtin": True})
    assert (len(done["result"]["runs"]), len(done["result"]["topics"])) == (30, 50)


# --- invalid requests -------------------------------------------------------------------------------------------------

RANKING = {"relevance": [[0.5]], "weights": [1]}
WRONG = [
    ("/api/scores", {}, ("wrong-type",)),
    ("/api/scores", {"metrics": "RBU"}, ("wrong-type",)),
    ("/api/scores", {"metrics": []}, ("no-metric",)),
    ("/api/scores", {"metrics": [1]}, ("wrong-type", "metrics[0")),
    ("/api/scores", {"metrics": ["XYZ"]}, ("unknown-metric", "XYZ")),
    ("/api/scores", {"metrics": ["RBU(p=2)"]}, ("out-of-range",)),
    ("/api/scores", {"metrics": ["P@0"]}, ("invalid-cutoff",)),
    ("/api/scores", {"metrics": ["P"], "option": {}}, ("unknown-option", "option")),
    ("/api/scores", {"metrics": ["P"], "options": []}, ("wrong-type",)),
    ("/api/scores", {"metrics": ["P"], "options": {"gain": "cubic"}}, ("invalid-choice",)),
    ("/api/scores", {"metrics": ["P"], "options": {"gian": "linear"}}, ("unknown-option", "gian")),
    ("/api/scores", {"metrics": ["P"], "options": {"gmax": 0}}, ("out-of-range", "0")),
    ("/api/scores", {"metrics": ["P"], "options": {"gmax": "many"}}, ("not-a-number",)),
    ("/api/scores", {"metrics": ["P"], "per_topic": "yes"}, ("wrong-type",)),
    ("/api/metric", {"text": 5}, ("wrong-type",)),
    ("/api/metric", {"text": "x" * 2000}, ("wrong-type", "1000")),
    ("/api/metric", {}, ("missing-argument",)),
    ("/api/metric", {"text": "P", "family": "P"}, ("missing-argument",)),
    ("/api/metric", {"text": "P", "cutoff": 5}, ("conflicting-options",)),
    ("/api/metric", {"family": "Q"}, ("unknown-metric", "Q")),
    ("/api/metric", {"family": "RBU", "values": {"p": 2}}, ("out-of-range",)),
    ("/api/metric", {"family": "RBU", "values": {"q": 2}}, ("unknown-parameter", "q")),
    ("/api/metric", {"family": "RBU", "values": [1]}, ("wrong-type",)),
    ("/api/metric", {"family": "RBU", "values": {"p": [1]}}, ("wrong-type", "p")),
    ("/api/metric", {"family": "AP", "cutoff": 0}, ("out-of-range",)),
    ("/api/metric", {"family": "trec_eval.P"}, ("cutoff-needed",)),
    ("/api/metric", {"family": "trec_eval.P_10", "cutoff": 5}, ("metric-syntax",)),
    ("/api/metric", {"family": "ndeval.NRBP", "cutoff": 5}, ("cutoff-not-taken",)),
    ("/api/ranking", {"run": "nobody", "topic": "101"}, ("unknown-run",)),
    ("/api/ranking", {"run": "perfect", "topic": "nothing"}, ("unknown-topic",)),
    ("/api/ranking", {"run": "perfect", "topic": "101", "depth": 0}, ("out-of-range", "1", "200")),
    ("/api/ranking", {"run": "perfect", "topic": "101", "depth": True}, ("not-a-number",)),
    ("/api/ranking", {"run": "perfect", "topic": "101", "metric": "AP"}, ("metric-needs-effort", "RBU", "EU")),
    (
        "/api/playground",
        {"metrics": ["P"], "rankings": [{"relevance": [[2]], "weights": [1]}]},
        ("out-of-range", "rankings[0].relevance[0][0", "0", "1"),
    ),
    (
        "/api/playground",
        {"metrics": ["P"], "rankings": [{"relevance": [[0, 1]], "weights": [1]}]},
        ("wrong-shape", "1"),
    ),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [], "weights": [0]}]}, ("weights-all-zero", "0")),
    (
        "/api/playground",
        {"metrics": ["P"], "rankings": [{"relevance": [], "weights": [-1]}]},
        ("out-of-range", "weights[0"),
    ),
    (
        "/api/playground",
        {"metrics": ["P"], "rankings": [{"relevance": [[0]] * 61, "weights": [1]}]},
        ("wrong-type", "60"),
    ),
    ("/api/playground", {"metrics": ["P"], "rankings": [RANKING] * 3}, ("wrong-type", "2")),
    ("/api/playground", {"metrics": ["P"], "rankings": [5]}, ("wrong-type", "rankings[0")),
    ("/api/playground", {"metrics": ["P"], "rankings": [RANKING], "walk": "P"}, ("metric-needs-effort", "RBU", "EU")),
    ("/api/jobs", {"kind": "everything"}, ("invalid-choice",)),
    ("/api/jobs", {"kind": "judged", "metrics": ["P"], "edit": "cut"}, ("unknown-option", "edit")),
    ("/api/collection", {"judgments": 999, "runs": [1]}, ("unknown-resource",)),
    ("/api/collection", {"judgments": 1, "runs": []}, ("no-run",)),
    ("/api/collection", {"judgments": "../../etc/passwd", "runs": [1]}, ("wrong-type",)),
    ("/api/collection", {"judgments": 1, "runs": ["/etc/passwd"]}, ("wrong-type", "runs[0")),
]


@pytest.mark.parametrize(("path", "body", "refusal"), WRONG, ids=[f"{p[5:]}-{i}" for i, (p, _, _) in enumerate(WRONG)])
def test_an_invalid_request_is_a_one_line_error(loaded: Any, path: Any, body: Any, refusal: tuple[str, ...]) -> None:
    """Status 400 and one line that says what was expected."""
    answer = loaded.post(path, body)
    assert answer.status_code == 400
    code, *facts = refusal
    assert answer.json()["code"] == code and has_facts(answer.json()["error"], *facts)
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b'{"metrics": [NaN]}', b"[" * 100_000, b'"x"'])
def test_invalid_json_is_refused(loaded: Any, content: Any) -> None:
    """A body that is not a JSON object is an error."""
    answer = loaded.request("POST", "/api/scores", content=content)
    assert answer.status_code == 400 and "JSON" in answer.json()["error"]


def test_without_a_collection_requests_are_errors(fresh: Any) -> None:
    """Before a collection is loaded the error says so."""
    for path, body in (("/api/scores", {"metrics": ["P"]}), ("/api/jobs", {"kind": "judged", "metrics": ["P"]})):
        answer = fresh.post(path, body)
        assert answer.status_code == 400 and answer.json()["code"] == "no-collection"


def test_unknown_jobs_pages_and_methods(loaded: Any) -> None:
    """They are answered with 404 and 405, in the form of every error."""
    for method, path, status in (
        ("GET", "/api/jobs/none", 404),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing.js", 404),
        ("PUT", "/api/scores", 405),
    ):
        answer = loaded.request(method, path)
        assert answer.status_code == status and answer.json()["error"]


def test_metrics_of_the_command_line_can_be_used_by_name() -> None:
    """A user's metric can be given when the studio starts."""
    from diveval.metrics import as_metric

    def hits(ranking: Any) -> float:
        return float((ranking.relevance > 0).any(axis=1).sum())

    studio = Studio(metrics=[as_metric(hits)])
    try:
        assert studio.catalogue.find("hits").name == "hits"
        assert "hits" in {entry["name"] for entry in studio.catalogue.shape()}
    finally:
        studio.close()
