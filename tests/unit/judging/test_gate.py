"""`diveval.gate`: outcomes, exit codes, slices, trials, stored baselines and what is written."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import diveval
from diveval.cli import main
from diveval.errors import DivevalError
from diveval.judging.gate_rows import share_of_trials
from diveval.judging.gates import Gate, GateError
from support.judged import codes_of_warnings, make_labels, make_runs, quietly
from support.late import late

special = late("scipy.special")
LABELS = make_labels(40)
RUNS = make_runs(list(LABELS))
METRICS = ["RBU(p=0.9,e=0.01)@5", "ERR_IA@5"]
KEYS = ["metric", "slice", "baseline", "candidate", "difference", "low", "high", "margin", "outcome", "topics_needed"]


def _ideal(best_first: bool) -> dict[str, list[str]]:
    """Every topic's documents from the best to the worst, or the reverse."""
    grades = {t: {d: sum(by[d] for by in aspects.values()) for d in aspects["a"]} for t, aspects in LABELS.items()}
    return {t: sorted(of, key=lambda d: of[d], reverse=best_first) for t, of in grades.items()}


GOOD, BAD = _ideal(True), _ideal(False)


def _gate(baseline: Any, candidate: Any, **more: Any) -> Gate:
    given = {"margin": 0.02, **more}
    return quietly(lambda: diveval.gate(LABELS, {"base": baseline}, {"new": candidate}, METRICS, **given))


@pytest.mark.parametrize("seed", range(30))
def test_rows_and_outcomes_follow_the_definition(seed: int) -> None:
    """Difference, interval and outcome equal the definition in plain Python, with Holm over all rows for fails."""
    rng = np.random.default_rng(seed)
    first, second = (make_runs(list(LABELS), ["x"], seed=int(rng.integers(1000)))["x"] for _ in "ab")
    for topic in list(LABELS)[: int(rng.integers(0, 40))]:
        second[topic] = (GOOD if seed % 2 else BAD)[topic]
    margin = float(rng.choice([0.0, 0.02, 0.1]))
    slices = {topic: str(int(rng.integers(0, 3))) for topic in LABELS}
    result = _gate(first, second, margin=margin, slices=slices)
    scores = diveval.evaluate(LABELS, {"base": first, "new": second}, METRICS)
    ps, plain = [], []
    for row in result.rows:
        topics = [t for t in LABELS if row.slice in ("all", slices[t])]
        d = [scores["new", row.metric, t] - scores["base", row.metric, t] for t in topics]
        n, mean, error = len(d), statistics.fmean(d), statistics.stdev(d) / math.sqrt(len(d))
        half = float(special.stdtrit(n - 1, 0.975)) * error
        assert (row.difference, row.low, row.high) == pytest.approx((mean, mean - half, mean + half), abs=1e-12)
        assert row.candidate == pytest.approx(statistics.fmean(scores["new", row.metric, t] for t in topics))
        ps.append(min(1.0, 2 * float(special.stdtr(n - 1, (mean + margin) / error))))
        plain.append((mean - half >= -margin, mean < -margin))
    adjusted = diveval.stats.holm(ps)
    expected = [
        "pass" if p else "fail" if w and a < 0.05 else "unclear" for (p, w), a in zip(plain, adjusted, strict=True)
    ]
    assert [row.outcome for row in result.rows] == expected
    whole = "fail" if "fail" in expected else "pass" if set(expected) == {"pass"} else "unclear"
    assert result.outcome == whole and result.exit_code == {"pass": 0, "fail": 1, "unclear": 3}[whole]


def test_the_topics_needed_decide_an_unclear_row() -> None:
    """With that many topics of the same mean and variance the interval reaches the margin; with one less it does not."""
    result = _gate(RUNS["A"], RUNS["B"], margin=0.0)
    unclear = [
        row for row in result.rows if row.outcome == "unclear" and row.topics_needed and (row.difference or 0) > 0
    ]
    scores = diveval.evaluate(LABELS, RUNS, METRICS)
    for row in unclear:
        d = scores.values[1, scores.metric_index(row.metric)] - scores.values[0, scores.metric_index(row.metric)]
        assert row.topics_needed is not None
        halves = [
            float(special.stdtrit(n - 1, 0.975)) * d.std(ddof=1) / math.sqrt(n)
            for n in (row.topics_needed, row.topics_needed - 1)
        ]
        assert halves[0] <= abs(d.mean()) < halves[1]
    assert any(row.topics_needed for row in result.rows)


def test_unclear_counts_as_asked() -> None:
    """`unclear` decides the exit code, `passed` and `raise_for_status`; the outcome stays unclear."""
    for counts, code in (("unclear", 3), ("pass", 0), ("fail", 1)):
        result = _gate(RUNS["A"], RUNS["B"], margin=0.0, unclear=counts)
        assert result.outcome == "unclear" and result.exit_code == code and result.passed == (code == 0)
    with pytest.raises(GateError) as caught:
        _gate(RUNS["A"], RUNS["B"], margin=0.0).raise_for_status()
    assert caught.value.code == "gate-unclear"
    with pytest.raises(AssertionError):
        _gate(GOOD, BAD).raise_for_status()
    _gate(BAD, GOOD).raise_for_status()


def test_an_identical_run_passes_every_margin() -> None:
    """No difference at all passes, also with the margin 0."""
    result = _gate(RUNS["A"], RUNS["A"], margin=0.0)
    assert result.outcome == "pass" and all(row.difference == row.low == row.high == 0 for row in result.rows)


def test_a_required_improvement_has_to_be_shown() -> None:
    """A large improvement meets the requirement; no improvement fails it, over all topics only."""
    slices = dict.fromkeys(LABELS, "every")
    assert _gate(BAD, GOOD, require={"ERR_IA@5": 0.01}).outcome == "pass"
    result = _gate(RUNS["A"], RUNS["A"], require={"ERR_IA@5": 0.01}, slices=slices)
    outcomes = {(row.metric, row.slice): row.outcome for row in result.rows}
    assert outcomes.pop(("ERR_IA@5", "all")) == "fail" and set(outcomes.values()) == {"pass"}


def test_a_metric_of_which_lower_is_better_is_negated() -> None:
    """A candidate with a lower value of such a metric is better."""
    from diveval.judging.gate_rows import gate_rows
    from diveval.results.scores import Scores

    tables = [
        Scores.of(np.array([[values]]), runs=["r"], metrics=["cost"], topics=[*"abc"], best=["low"])
        for values in ([0.5, 0.6, 0.7], [0.1, 0.25, 0.3])
    ]
    (row,) = gate_rows("r", tables[0], tables[1], {"cost": 0.0}, {}, {}, 0.95)
    assert (
        row.difference == pytest.approx(0.38333333333)
        and row.outcome == "pass"
        and (row.baseline or 0) > (row.candidate or 0)
    )


@pytest.mark.parametrize(
    ("candidate", "code"),
    [
        ({t: d for t, d in RUNS["B"].items() if t != "t003"}, "missing-topics"),
        ({t: ["x", "y"] for t in LABELS}, "no-judged-document"),
        ({t: ["d1", "d1"] for t in LABELS}, "duplicate-document"),
        ({"other": ["d1"]}, "no-shared-topic"),
    ],
)
def test_a_candidate_that_cannot_be_compared_is_broken(candidate: Any, code: str) -> None:
    """Missing topics, no judged document, duplicates and foreign topics: broken, with the code of the fault."""
    result = _gate(RUNS["A"], candidate)
    assert result.outcome == "broken" and result.exit_code == 2 and code in {fault.code for fault in result.faults}
    assert json.loads(result.to_json())["outcome"] == "broken"
    with pytest.raises(GateError) as caught:
        result.raise_for_status()
    assert caught.value.code == "gate-broken"


def test_trials_are_averaged_and_what_they_share_widens_the_interval() -> None:
    """The candidate is the mean of its trials per topic; a shift of whole trials adds variance, noise by topic does not."""
    runs = make_runs(list(LABELS), ["t1", "t2", "t3"], seed=8)
    result = quietly(lambda: diveval.gate(LABELS, RUNS["A"], runs, METRICS, margin=0.02, trials=True))
    scores = diveval.evaluate(LABELS, runs, METRICS)
    assert len(result.rows) == 2 and len(result.candidates) == 1
    assert result.rows[0].candidate == pytest.approx(float(scores.means[:, 0].mean()))
    assert result.rows[0].trial_noise == pytest.approx(float(scores.means[:, 0].std(ddof=1)))
    rng = np.random.default_rng(0)
    topics = rng.normal(size=200)
    shifted = topics + np.array([[-1.0], [0.0], [1.0]])
    assert share_of_trials(shifted) == pytest.approx(1 / 3)
    assert share_of_trials(topics[None] + rng.normal(size=(3, 200))) < 0.02


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Judgments, runs and slices as files."""
    rows = [f"{t} {a} {d} {g:g}\n" for t, by in LABELS.items() for a, of in by.items() for d, g in of.items()]
    (tmp_path / "q.txt").write_text("".join(rows))
    for name, ranked in {**RUNS, "good": GOOD, "bad": BAD}.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    kinds = [(t, "hard" if i % 2 else "easy") for i, t in enumerate(LABELS)]
    (tmp_path / "kinds.csv").write_text("topic,text,kind\n" + "".join(f"{t},q,{k}\n" for t, k in kinds))
    (tmp_path / "topics.xml").write_text(
        "<topics>" + "".join(f'<topic number="{t}" kind="{k}"><query>q</query></topic>' for t, k in kinds) + "</topics>"
    )
    (tmp_path / "kinds.jsonl").write_text("".join(json.dumps({"topic": t, "kind": k}) + "\n" for t, k in kinds))
    return tmp_path


def _main(files: Path, *words: str) -> int:
    names = [str(files / word) if (files / word.partition(":")[0]).exists() else word for word in words]
    return main(["gate", str(files / "q.txt"), *names, "-m", METRICS[0]])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("bad.run", "good.run", "--margin", "0.02"), 0),
        (("good.run", "bad.run", "--margin", "0.02"), 1),
        (("A.run", "B.run", "--margin", "0"), 3),
        (("A.run", "B.run", "--margin", "0", "--unclear", "pass"), 0),
        (("A.run", "B.run", "--margin", "0", "--unclear", "fail"), 1),
        (("A.run", "missing.run", "--margin", "0"), 2),
        (("A.run", "B.run"), 2),
        (("A.run", "B.run", "--margin", "x"), 2),
        (("A.run", "B.run", "--margin", "-1"), 2),
        (("A.run", "B.run", "--margin", "nDCG@5=0.1"), 2),
        (("A.run", "A.run", "--margin", "0", "--require", "0.1"), 2),
        (("A.run", "A.run", "--margin", "0", "--slices", "kinds.csv:none"), 2),
        (("A.run",), 2),
    ],
)
def test_exit_codes(files: Path, words: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """0 pass, 1 fail, 2 broken or unusable, 3 unclear."""
    assert _main(files, *words) == code
    assert "Traceback" not in capsys.readouterr().err


def test_json_has_the_documented_keys(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-f json` has outcome, rows and setup; each row has the documented keys, from every form of slices."""
    shapes = []
    for source in ("kinds.csv:kind", "topics.xml:kind", "kinds.jsonl"):
        assert _main(files, "bad.run", "good.run", "--margin", "0.02", "--slices", source, "-f", "json") == 0
        shapes.append(json.loads(capsys.readouterr().out))
    assert shapes[0] == shapes[1] == shapes[2]
    assert {"outcome", "rows", "setup"} <= set(shapes[0]) and list(shapes[0]["rows"][0])[:10] == KEYS
    assert [row["slice"] for row in shapes[0]["rows"]] == ["all", "easy", "hard"]


def test_junit_counts_rows(files: Path) -> None:
    """A test case per row, with failures where rows fail and skips where they are unclear."""
    for pair, expected in ((("good.run", "bad.run"), ("1", "0")), (("A.run", "B.run"), ("0", "1"))):
        _main(files, *pair, "--margin", "0", "--junit", str(files / "out.xml"))
        root = ElementTree.parse(files / "out.xml").getroot()
        assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("1", *expected)


def test_a_stored_baseline_gives_the_same_rows(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stored baseline is the run that it was made of; other judgments, metrics or settings are broken."""
    stored = str(files / "base.json")
    assert _main(files, "A.run", "--save-baseline", stored) == 0
    rows = []
    for baseline in ("A.run", stored):
        _main(files, baseline, "B.run", "--margin", "0.02", "-f", "json")
        rows.append(json.loads(capsys.readouterr().out)["rows"])
    assert rows[0] == rows[1]
    assert _main(files, stored, "B.run", "--margin", "0.02", "--gain", "binary") == 2
    assert main(["gate", str(files / "q.txt"), stored, str(files / "B.run"), "-m", "P@5", "--margin", "0.02"]) == 2
    text = (files / "q.txt").read_text()
    (files / "q.txt").write_text(text.replace(" d1 2", " d1 1"))
    capsys.readouterr()
    assert _main(files, stored, "B.run", "--margin", "0.02", "-f", "json") == 2
    shape = json.loads(capsys.readouterr().out)
    assert shape["outcome"] == "broken" and shape["faults"][0]["code"] == "different-baseline"
    (files / "base.json").write_text('{"diveval_baseline": 1, "run": 3}')
    assert _main(files, stored, "B.run", "--margin", "0.02") == 2


def test_slices_that_miss_topics_are_said(files: Path) -> None:
    """Topics without a slice are warned of; slices without any judged topic are an error; one topic has no interval."""
    with codes_of_warnings() as codes:
        result = diveval.gate(LABELS, RUNS["A"], RUNS["B"], METRICS[0], margin=0.02, slices={"t001": "one"})
    assert {"topics-left-out", "too-few-topics"} <= set(codes)
    assert result.rows[1].topics == 1 and result.rows[1].outcome == "unclear" and result.rows[1].low is None
    with pytest.raises(DivevalError) as caught:
        _gate(RUNS["A"], RUNS["B"], slices={"x": "y"})
    assert caught.value.code == "no-shared-topic"
