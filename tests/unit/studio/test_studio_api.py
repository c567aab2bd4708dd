"""The studio's API: the numbers are the library's, the shapes are the documented ones, and wrong words get one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from diveval import evaluate, parse
from diveval.cli import main
from diveval.errors import DivevalWarning
from diveval.evaluation import load_judgments, rank_all
from diveval.meta import agreement, discriminative, sensitivity, unanimity
from diveval.options import Options
from diveval.stats import compare, interval
from diveval.stopping import stopping_points
from diveval.studio import app as application
from diveval.studio import collection as room
from diveval.studio.session import CHOICES, JOBS, Studio

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "ERR_IA@10", "P@5"]
RBU = "RBU(p=0.99,e=0.05)"


def library(files: dict[str, Any], metrics: list[str], **choices: Any) -> Any:
    """The same scores by the library's front door."""
    return evaluate(files["judgments"], files["runs"], metrics, weights=files["weights"], **choices)


# --- the description --------------------------------------------------------------------------------------------------


def description() -> dict[str, Any]:
    return json.loads(Path(application.__file__).with_name("openapi.json").read_text(encoding="utf-8"))


def check(shape: dict[str, Any], value: Any) -> None:
    """Does a value have a documented shape?"""
    jsonschema.validate(value, {**shape, "components": description()["components"]})


def test_openapi_names_every_address_and_no_other():
    """What the description lists is what the application answers."""
    documented = {
        (method.upper(), path) for path, verbs in description()["paths"].items() for method in verbs
    }
    routes = {(method, path.replace("{id:int}", "{id}")) for method, path, _ in application.ROUTES}
    assert documented == routes | {("POST", "/api/files"), ("GET", "/api/openapi.json")}


def test_openapi_lists_the_kinds_of_jobs_and_options():
    """Words that can be chosen are all documented."""
    described = description()
    body = described["paths"]["/api/jobs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]["kind"]["enum"]) == set(JOBS)
    assert set(described["components"]["schemas"]["Options"]["properties"]) == {*CHOICES, "gmax", "renormalise"}


def test_every_answer_has_its_documented_shape(loaded):
    """Each address answers in the shape the description gives it."""
    run, topic = loaded.studio.collection.runs[0], loaded.studio.collection.topics[0]
    play = {"metrics": METRICS, "rankings": [{"relevance": [[0.5, 0]], "weights": [1, 1]}]}
    asked = {
        ("get", "/api/session"): None, ("get", "/api/metrics"): None, ("get", "/api/files"): None,
        ("get", "/api/presets"): None, ("get", "/api/openapi.json"): None,
        ("post", "/api/metric"): {"text": "α-nDCG@20"},
        ("post", "/api/scores"): {"metrics": METRICS, "per_topic": True},
        ("post", "/api/ranking"): {"run": run, "topic": topic}, ("post", "/api/playground"): play,
        ("post", "/api/jobs"): {"kind": "agreement", "metrics": METRICS},
        ("post", "/api/collection"): {"given": True},
    }  # fmt: skip
    for (method, path), body in asked.items():
        operation = description()["paths"][path][method]
        if body is not None:
            check(operation["requestBody"]["content"]["application/json"]["schema"], body)
        answer = loaded.request(method.upper(), path, body=body)
        assert answer.status_code == 200, answer.text
        check(operation["responses"]["200"]["content"]["application/json"]["schema"], answer.json())


# --- scores -----------------------------------------------------------------------------------------------------------


def test_scores_are_what_the_command_line_prints(loaded, files, capsys):
    """POST /api/scores gives the bytes of `diveval evaluate -q -f json`."""
    words = [str(files["judgments"]), *map(str, files["runs"]), "--weights", str(files["weights"]), "-q", "-f", "json"]
    assert main(["evaluate", *words, *(word for name in METRICS for word in ("-m", name))]) == 0
    answer = loaded.post("/api/scores", {"metrics": METRICS, "per_topic": True})
    assert answer.text == capsys.readouterr().out


@pytest.mark.parametrize(
    "choices", [{"gain": "linear"}, {"gmax": 4}, {"order": "rank"}, {"ties": "docno-asc"}, {"empty_aspects": "keep"},
                {"missing_topics": "skip"}, {"renormalise": False}, {"gain": "binary", "gmax": "per-aspect"}]
)  # fmt: skip
def test_options_mean_what_they_mean_elsewhere(loaded, files, choices):
    """Each option changes the scores as it does in `evaluate`."""
    answer = loaded.post("/api/scores", {"metrics": METRICS, "options": choices}).json()
    assert answer["mean"] == library(files, METRICS, **choices).mean()


def test_only_what_is_new_is_computed(loaded, monkeypatch):
    """A second question for the same columns scores nothing; one new metric scores one column."""
    loaded.post("/api/scores", {"metrics": METRICS})
    asked: list[list[str]] = []
    original = room.score

    def counting(judgments: Any, rankings: Any, metrics: Any, options: Any) -> Any:
        asked.append([metric.name for metric in metrics])
        return original(judgments, rankings, metrics, options)

    monkeypatch.setattr(room, "score", counting)
    loaded.post("/api/scores", {"metrics": METRICS})
    assert asked == []
    loaded.post("/api/scores", {"metrics": [*METRICS, "RBU(p=0.123,e=0.05)@20"]})
    assert asked == [["RBU(p=0.123,e=0.05)@20"]]


def test_columns_forgotten_for_room_are_computed_again(loaded, files, monkeypatch):
    """When the memory for columns is full the answer is still right."""
    monkeypatch.setattr(room.Collection, "_kept", lambda self, metric, options: None)
    assert loaded.post("/api/scores", {"metrics": METRICS}).json()["mean"] == library(files, METRICS).mean()


def test_warnings_of_the_library_come_along(fresh, small_files):
    """What the library warns of reaches the visitor, with the answer."""
    numbers = [fresh.upload(path.name, path.read_bytes()).json()["id"] for path in small_files]
    short = fresh.upload("short.run", b"1 Q0 d1 1 9 r\n").json()["id"]
    body = {"judgments": numbers[0], "runs": [numbers[1], short], "options": {"duplicates": "first"}}
    done = fresh.job("/api/collection", body)
    assert done["state"] == "done"
    assert any(note.startswith("short.run: lacks 1 of 2 judged topics") for note in done["notes"])


# --- walks ------------------------------------------------------------------------------------------------------------


def test_a_walk_ends_where_the_metric_does(loaded, files):
    """Curve, value and stopping rank of the inspector are the library's own."""
    options, metric = Options.of(), parse(RBU)
    judgments = load_judgments(files["judgments"], options, files["weights"])
    rankings = rank_all(judgments, files["runs"], [metric], options, keep_documents=True)
    stops = {(stop.run, stop.topic): stop for stop in stopping_points(judgments, rankings, metric, options)}
    (listed,) = rankings.values()
    for rank in listed:
        for topic in list(judgments.topics)[:2]:
            walk = loaded.post("/api/ranking", {"run": rank.name, "topic": topic, "metric": RBU, "depth": 200}).json()
            stop = stops[rank.name, topic]
            assert walk["stop"]["rank"] == stop.rank
            assert walk["stop"]["utility"] == pytest.approx(stop.utility, abs=1e-12)
            assert walk["stop"]["utility_of_all"] == pytest.approx(stop.utility_of_all, abs=1e-12)
            assert walk["curve"]["utility"][-1] == pytest.approx(stop.utility_of_all, abs=1e-9)
            assert [row["document"] for row in walk["documents"]] == list(rank.topics[topic].documents)


def test_what_is_unsatisfied_falls_with_what_was_seen(loaded):
    """s(i,t) = Π_{j<i} (1 − r(j,t)) for RBU."""
    topic = loaded.studio.collection.topics[0]
    for run in loaded.studio.collection.runs:
        walk = loaded.post("/api/ranking", {"run": run, "topic": topic, "metric": RBU, "depth": 30}).json()
        relevance = np.array([row["relevance"] for row in walk["documents"]])
        wanted = np.vstack([np.ones(relevance.shape[1]), np.cumprod(1 - relevance, axis=0)[:-1]])
        assert np.allclose([row["unsatisfied"] for row in walk["documents"]], wanted, atol=1e-12)


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_leaderboard_has_the_library_s_intervals_and_letters(loaded, files):
    """Mean, interval and letters come from stats, best run first."""
    scores = library(files, [METRICS[0]])
    means = {row.run: row for row in interval(scores, METRICS[0]).rows}
    with pytest.warns(DivevalWarning, match="only 6 topics"):
        letters = {row.run: row.letters for row in compare(scores, METRICS[0], test="tukey", resamples=1000).runs}
    done = loaded.job("/api/jobs", {"kind": "leaderboard", "metric": METRICS[0]})
    rows = done["result"]["rows"]
    assert any("only 6 topics" in note for note in done["notes"])
    assert [row["mean"] for row in rows] == sorted((row.mean for row in means.values()), reverse=True)
    for row in rows:
        assert (row["low"], row["high"], row["letters"]) == (means[row["run"]].low, means[row["run"]].high, letters[row["run"]])


def test_agreement_and_unanimity_are_the_library_s(loaded, files):
    """Both answers have the values and the shape of the results' own dictionaries."""
    scores = library(files, METRICS)
    alike = loaded.job("/api/jobs", {"kind": "agreement", "metrics": METRICS})["result"]
    agreed = loaded.job("/api/jobs", {"kind": "unanimity", "metrics": METRICS})["result"]
    assert alike == json.loads(json.dumps(agreement(scores).as_dict()))
    assert agreed == json.loads(json.dumps(unanimity(scores, bootstrap=1000).as_dict()))


def test_the_grid_of_parameters_is_the_library_s(loaded, files):
    """Each cell's correlation and leader are those of `sensitivity` over the same variants."""
    found = loaded.job("/api/jobs", {"kind": "parameters", "metric": METRICS[0]})["result"]
    names = list(dict.fromkeys([METRICS[0], *(cell["metric"] for cell in found["cells"])]))
    rows = {row.metric: row for row in sensitivity(library(files, names), reference=METRICS[0]).rows}
    assert len(found["cells"]) == len(found["p"]) * len(found["e"])
    for cell in found["cells"]:
        assert (cell["tau"], cell["leader"]) == (rows[cell["metric"]].value, rows[cell["metric"]].leader)


def test_power_is_the_library_s(loaded, files):
    """Pairs told apart, the difference needed and the curve are those of `discriminative`."""
    expected = discriminative(library(files, METRICS), resamples=1000)
    found = loaded.job("/api/jobs", {"kind": "power", "metrics": METRICS})["result"]
    assert {row["metric"]: (row["significant"], row["required"]) for row in found["rows"]} == {
        row.metric: (row.significant, row.required) for row in expected.rows
    }
    assert found["curve"] == expected.curve() and found["alpha"] == expected.alpha


def test_ranks_range_over_the_grid(loaded):
    """Each run's rank under the metric lies within its range over all cells."""
    ranges = loaded.job("/api/jobs", {"kind": "parameters", "metric": "RBU(p=0.9,e=0.05)@20"})["result"]["ranges"]
    assert len(ranges) == len(loaded.studio.collection.runs)
    assert all(row["best"] <= row["rank"] <= row["worst"] for row in ranges)


def test_scores_as_csv_and_latex_are_what_the_command_line_prints(loaded, files, capsys):
    """The text that is copied is that of `-f csv -q` and `-f latex`."""
    words = [str(files["judgments"]), *map(str, files["runs"]), "--weights", str(files["weights"])]
    metrics = [word for name in METRICS for word in ("-m", name)]
    for form, more in (("csv", ["-q"]), ("latex", [])):
        assert main(["evaluate", *words, *metrics, "-f", form, *more]) == 0
        answer = loaded.post("/api/scores", {"metrics": METRICS, "per_topic": True, "format": form})
        assert answer.json()["text"] == capsys.readouterr().out


def test_a_job_that_fails_says_why(loaded):
    """A metric without p and e has no grid, and the job's error says so in one line."""
    failed = loaded.job("/api/jobs", {"kind": "parameters", "metric": "P@5"})
    assert failed["state"] == "failed"
    assert "p and e" in failed["error"] and "\n" not in failed["error"]


# --- files ------------------------------------------------------------------------------------------------------------


def test_uploads_are_read_as_files_are(fresh, files):
    """A collection that was dropped on the page gives the scores it gives on the command line."""
    numbers = {path: fresh.upload(path.name, path.read_bytes()).json()["id"] for path in [files["judgments"], files["weights"], *files["runs"]]}
    body = {"judgments": numbers[files["judgments"]], "weights": numbers[files["weights"]], "runs": [numbers[p] for p in files["runs"]]}
    assert fresh.job("/api/collection", body)["state"] == "done"
    assert fresh.post("/api/scores", {"metrics": METRICS}).json()["mean"] == library(files, METRICS).mean()
    assert fresh.request("DELETE", f"/api/files/{numbers[files['weights']]}").json() == {"removed": numbers[files["weights"]]}
    assert not list(fresh.studio.store.folder.glob("*/weights.txt"))


def test_runs_of_one_name_are_told_apart(fresh, files):
    """Two uploads called alike become two runs."""
    judgments = fresh.upload("qrels.txt", files["judgments"].read_bytes()).json()["id"]
    twice = [fresh.upload("same.run", files["runs"][0].read_bytes()).json()["id"] for _ in range(2)]
    done = fresh.job("/api/collection", {"judgments": judgments, "runs": twice})
    assert done["result"]["runs"] == ["same", "same#2"]


def test_an_error_in_an_upload_names_it_as_its_owner_does(fresh):
    """The line of a bad file is told without the folder where the upload lies."""
    judgments = fresh.upload("qrels.txt", b"1 a d1 one\n").json()["id"]
    run = fresh.upload("a.run", b"1 Q0 d1 1 9 r\n").json()["id"]
    failed = fresh.job("/api/collection", {"judgments": judgments, "runs": [run]})
    assert failed["state"] == "failed" and failed["error"].startswith("qrels.txt:1: ")
    assert str(fresh.studio.store.folder) not in failed["error"]


def test_a_file_that_changed_is_not_read_on(small_files, client_of):
    """Another order is read from the files anew; if they changed, that is said instead of mixing two collections."""
    client = client_of(Studio(small_files))
    assert client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})["state"] == "done"
    small_files[1].write_text("1 Q0 d1 1 9 r\n")
    answer = client.post("/api/scores", {"metrics": ["P@5"], "options": {"order": "rank", "duplicates": "first"}})
    assert answer.status_code == 400 and "changed since the studio started" in answer.json()["error"]


def test_the_built_in_collection_is_there_to_try(fresh):
    """Without any file there are 30 runs and 50 topics to look at."""
    done = fresh.job("/api/collection", {"builtin": True})
    assert (len(done["result"]["runs"]), len(done["result"]["topics"])) == (30, 50)


# --- words that are wrong ---------------------------------------------------------------------------------------------

RANKING = {"relevance": [[0.5]], "weights": [1]}
WRONG = [
    ("/api/scores", {}, "metrics is a list"),
    ("/api/scores", {"metrics": "RBU"}, "metrics is a list"),
    ("/api/scores", {"metrics": []}, "no metric was given"),
    ("/api/scores", {"metrics": [1]}, "list of texts"),
    ("/api/scores", {"metrics": ["XYZ"]}, "no metric is called"),
    ("/api/scores", {"metrics": ["RBU(p=2)"]}, "p must be in"),
    ("/api/scores", {"metrics": ["P@0"]}, "cutoff is a whole number"),
    ("/api/scores", {"metrics": ["P"], "option": {}}, "no field is called 'option'"),
    ("/api/scores", {"metrics": ["P"], "options": []}, "options are an object"),
    ("/api/scores", {"metrics": ["P"], "options": {"gain": "cubic"}}, "gain is one of"),
    ("/api/scores", {"metrics": ["P"], "options": {"gian": "linear"}}, "no field is called 'gian'"),
    ("/api/scores", {"metrics": ["P"], "options": {"gmax": 0}}, "gmax must be above 0"),
    ("/api/scores", {"metrics": ["P"], "options": {"gmax": "many"}}, "gmax is a number"),
    ("/api/scores", {"metrics": ["P"], "per_topic": "yes"}, "true or false"),
    ("/api/metric", {"text": 5}, "text is a text"),
    ("/api/metric", {"text": "x" * 2000}, "at most 1000 characters"),
    ("/api/ranking", {"run": "nobody", "topic": "101"}, "no run is called"),
    ("/api/ranking", {"run": "perfect", "topic": "nothing"}, "no topic is called"),
    ("/api/ranking", {"run": "perfect", "topic": "101", "depth": 0}, "depth is a whole number from 1 to 200"),
    ("/api/ranking", {"run": "perfect", "topic": "101", "depth": True}, "depth is a whole number"),
    ("/api/ranking", {"run": "perfect", "topic": "101", "metric": "AP"}, "such as RBU or EU"),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [[2]], "weights": [1]}]}, "relevance is a number from 0 to 1"),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [[0, 1]], "weights": [1]}]}, "one number for each of the 1 weights"),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [], "weights": [0]}]}, "one of them is above 0"),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [], "weights": [-1]}]}, "a weight is a number"),
    ("/api/playground", {"metrics": ["P"], "rankings": [{"relevance": [[0]] * 61, "weights": [1]}]}, "at most 60"),
    ("/api/playground", {"metrics": ["P"], "rankings": [RANKING] * 3}, "rankings is a list of at most 2"),
    ("/api/playground", {"metrics": ["P"], "rankings": [5]}, "a ranking is an object"),
    ("/api/playground", {"metrics": ["P"], "rankings": [RANKING], "walk": "P"}, "such as RBU or EU"),
    ("/api/jobs", {"kind": "everything"}, "kind is one of"),
    ("/api/jobs", {"kind": "agreement", "metrics": ["P"], "edit": "cut"}, "no field is called 'edit'"),
    ("/api/collection", {"judgments": 999, "runs": [1]}, "no file has the number"),
    ("/api/collection", {"judgments": 1, "runs": []}, "at least one file"),
    ("/api/collection", {"judgments": "../../etc/passwd", "runs": [1]}, "no file has the number"),
    ("/api/collection", {"judgments": 1, "runs": ["/etc/passwd"]}, "no file has the number"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "said"), WRONG, ids=[f"{p[5:]}-{i}" for i, (p, _, _) in enumerate(WRONG)])
def test_wrong_words_get_one_clear_line(loaded, path, body, said):
    """Status 400, one line that says what was expected."""
    answer = loaded.post(path, body)
    assert answer.status_code == 400
    assert said in answer.json()["error"] and "\n" not in answer.json()["error"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b'{"metrics": [NaN]}', b"[" * 100_000, b'"x"'])
def test_what_is_not_a_json_object_is_refused(loaded, content):
    """Broken, foreign or hostile JSON is one clear line."""
    answer = loaded.request("POST", "/api/scores", content=content)
    assert answer.status_code == 400 and "JSON" in answer.json()["error"]


def test_without_a_collection_questions_are_answered_by_a_hint(fresh):
    """Before anything is loaded, the answer says how to load."""
    for path, body in (("/api/scores", {"metrics": ["P"]}), ("/api/jobs", {"kind": "agreement", "metrics": ["P"]})):
        answer = fresh.post(path, body)
        assert answer.status_code == 400 and "no collection is loaded" in answer.json()["error"]


def test_unknown_jobs_pages_and_methods(loaded):
    """404 and 405, in the shape of every error."""
    for method, path, status in (("GET", "/api/jobs/none", 404), ("GET", "/api/nothing", 404), ("GET", "/nothing.js", 404), ("PUT", "/api/scores", 405)):
        answer = loaded.request(method, path)
        assert answer.status_code == status and answer.json()["error"]


def test_metrics_of_the_command_line_are_known_by_name():
    """A person's own metric can be given at the start, and only there."""
    from diveval.metrics import as_metric

    def hits(ranking: Any) -> float:
        return float((ranking.relevance > 0).any(axis=1).sum())

    studio = Studio(metrics=[as_metric(hits)])
    try:
        assert studio.catalogue.find("hits").name == "hits"
        assert "hits" in {entry["name"] for entry in studio.catalogue.shape()}
    finally:
        studio.close()
