"""The effect of the pool, against files of judgments without the documents that only one run or group has."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.cli import main
from support.judged import Labels, codes_of_warnings, quietly
from support.refusals import refuses
from support.shared import times

METRICS = ["RBU(p=0.9,e=0.01)@5", "ERR_IA@5", "nDCG@5", "AP", "alpha_nDCG@5", "StRecall@5"]
Runs = dict[str, dict[str, list[str]]]


def _draw(seed: int) -> tuple[Labels, Runs, dict[str, str]]:
    """Incomplete labels, runs that share some documents, and a group of two runs."""
    rng = np.random.default_rng(seed)
    topics = [f"t{t}" for t in range(int(rng.integers(2, 6)))]
    names = [f"d{d}" for d in range(14)]
    labels = {
        t: {a: {d: float(rng.integers(0, 3)) for d in names if rng.random() < 0.6} | {"top": 2.0} for a in "ab"}
        for t in topics
    }
    runs = {
        run: {t: rng.permutation([*names, f"new{run}"])[: rng.integers(3, 9)].tolist() for t in topics}
        for run in "ABCD"
    }
    return labels, runs, {"A": "g", "B": "g", "C": "h", "D": "i"}


def _thin(labels: Labels, dropped: set[tuple[str, str]]) -> Labels:
    """The labels without some documents; one that nobody has keeps aspects and the highest grade."""
    return {
        t: {a: {d: g for d, g in of.items() if (t, d) not in dropped} for a, of in by.items()}
        for t, by in labels.items()
    }


@pytest.mark.parametrize("seed", range(times(5, 60)))
@pytest.mark.parametrize("depth", [None, 3])
def test_scores_are_those_of_judgments_without_the_documents(seed: int, depth: int | None) -> None:
    """Left out by run and by group, every score is that of `evaluate` with the thinned judgments."""
    labels, runs, groups = _draw(seed)
    audit = quietly(lambda: diveval.audit_pool(labels, runs, METRICS, groups=groups, depth=depth))
    whole = quietly(lambda: diveval.evaluate(labels, runs, METRICS))
    brought = {run: {(t, d) for t, listed in of.items() for d in listed[:depth]} for run, of in runs.items()}
    judged = {(t, d) for t, by in labels.items() for of in by.values() for d in of}
    for row in audit.rows:
        own = [run for run in runs if run == row.run or (row.left_out == "group" and groups[run] == row.group)]
        others = set[tuple[str, str]]().union(*(brought[run] for run in runs if run not in own))
        unique = (set[tuple[str, str]]().union(*(brought[run] for run in own)) - others) & judged
        relevant = {(t, d) for t, d in unique if any(of.get(d, 0) > 0 for of in labels[t].values())}
        assert (row.unique, row.relevant) == (len(unique), len(relevant))
        thinned = _thin(labels, unique)
        again = quietly(lambda: diveval.evaluate(thinned, {row.run: runs[row.run]}, METRICS))
        assert row.score == pytest.approx(whole[row.run, row.metric], abs=1e-12)
        assert row.without == pytest.approx(again[row.run, row.metric], abs=1e-12)
        assert row.effect == pytest.approx((row.without or 0) - (row.score or 0), abs=1e-12)


@pytest.mark.parametrize("seed", range(times(5, 60)))
def test_no_labels_of_unjudged_documents_leave_the_bounds(seed: int) -> None:
    """Random labels of a run's unjudged documents keep its score between the bounds, and both bounds are reached."""
    labels, runs, _ = _draw(seed)
    rows = quietly(lambda: diveval.audit_pool(labels, runs, METRICS)).rows
    bounded = {(row.run, row.metric): row for row in rows if row.low is not None}
    assert {metric for _, metric in bounded} == set(METRICS[:2])
    rng = np.random.default_rng(seed)
    for attempt in range(20):
        grades = [0.0] if attempt == 0 else [2.0] if attempt == 1 else [0.0, 1.0, 2.0]
        for run, lists in runs.items():
            more = {
                t: {a: {**{d: float(rng.choice(grades)) for d in lists[t] if not any(d in o for o in by.values())}, **of}
                    for a, of in by.items()}
                for t, by in labels.items()
            }  # fmt: skip
            scores = quietly(lambda: diveval.evaluate(more, {run: lists}, METRICS[:2]))
            for metric in METRICS[:2]:
                row, value = bounded[run, metric], scores[run, metric]
                assert row.low is not None and row.high is not None
                assert row.low - 1e-12 <= value <= row.high + 1e-12
                if attempt < 2:
                    assert value == pytest.approx((row.low, row.high)[attempt], abs=1e-12)


def test_a_run_that_brought_nothing_of_its_own_keeps_its_score() -> None:
    """Two equal runs have no effect on the pool, unless both belong to one group."""
    labels, runs, _ = _draw(0)
    twins = {"A": runs["A"], "B": runs["A"], "C": runs["C"]}
    rows = quietly(lambda: diveval.audit_pool(labels, twins, METRICS, groups={"A": "g", "B": "g", "C": "h"})).rows
    assert all(row.effect == 0 and row.unique == 0 for row in rows if row.run in "AB" and row.left_out == "run")
    assert any(row.unique for row in rows if row.run in "AB" and row.left_out == "group")


@pytest.mark.parametrize("seed", range(times(4, 40)))
@pytest.mark.parametrize("costs", [None, {"d1": 3.0, "newA": 2.0}])
def test_condensed_lists_lose_the_documents(seed: int, costs: dict[str, float] | None) -> None:
    """With judged_only, a document that is left out is removed from the list too, with its repetitions and its cost."""
    labels, runs, _ = _draw(seed)
    twice = {run: {t: [*listed, *listed[::2], "d1"] for t, listed in of.items()} for run, of in runs.items()}
    settings: Any = {"judged_only": True, "duplicates": "blank", "efforts": costs, "rel": 2}
    rows = quietly(lambda: diveval.audit_pool(labels, twice, METRICS, **settings)).rows
    judged = {(t, d) for t, by in labels.items() for of in by.values() for d in of}
    for row in rows:
        others = {(t, d) for run, of in runs.items() if run != row.run for t, listed in of.items() for d in listed}
        others |= {(t, "d1") for t in labels}
        unique = ({(t, d) for t, listed in runs[row.run].items() for d in listed} - others) & judged
        relevant = {(t, d) for t, d in unique if any(of.get(d, 0) >= 2 for of in labels[t].values())}
        assert (row.unique, row.relevant) == (len(unique), len(relevant))
        again = quietly(lambda: diveval.evaluate(_thin(labels, unique), {"x": twice[row.run]}, METRICS, **settings))
        assert row.without == pytest.approx(again["x", row.metric], abs=1e-12)
        assert row.low is None


@pytest.mark.parametrize("seed", range(times(6, 80)))
def test_scoring_all_groups_at_once_changes_no_bit(seed: int) -> None:
    """A metric of the user's makes every group be scored by itself: the rows of the others stay equal to the last bit,
    with weights that may be zero, repeated documents and runs that lack topics."""
    labels, runs, groups = _draw(seed)
    rng = np.random.default_rng(seed)
    lists = {
        run: {t: [*listed, *listed[::3]] for t, listed in of.items() if rng.random() < 0.8 or t == "t0"}
        for run, of in runs.items()
    }
    weights = {(t, a): float(rng.integers(0 if seed % 2 else 1, 3)) + (a == "b") * 0.5 for t in labels for a in "ab"}
    settings: Any = {"duplicates": "blank", "weights": weights, "missing_topics": ["skip", "worst"][seed % 2]}

    def audit(*more: Any) -> list[Any]:
        metrics = [*METRICS, *more]
        rows = quietly(lambda: diveval.audit_pool(labels, lists, metrics, groups=groups, **settings)).rows
        return [row for row in rows if row.metric != "precise"]

    def precise(ranking: Any) -> float:
        return 0.5

    assert audit() == audit(precise)


def test_a_score_that_is_undefined_without_the_documents_is_none() -> None:
    """Where only aspects of weight 0 keep a relevant document, a run has no score without its own documents."""
    labels = {"t": {"a": {"d": 1.0}, "b": {"e": 1.0}}}
    runs = {"A": {"t": ["d", "e"]}, "B": {"t": ["e"]}}
    weights = {("t", "a"): 1.0, ("t", "b"): 0.0}
    rows = quietly(lambda: diveval.audit_pool(labels, runs, ["RBU@5"], weights=weights)).rows
    assert [(row.score is None, row.without is None, row.effect is None) for row in rows] == [
        (False, True, True),
        (False, False, False),
    ]


def test_faults_are_refused_and_a_missing_group_is_named() -> None:
    """One run, a depth of 0, groups of other runs; a run without a group is one of its own, with a warning."""
    labels, runs, _ = _draw(2)
    with refuses("too-few-runs"):
        diveval.audit_pool(labels, {"A": runs["A"]}, METRICS)
    with refuses("out-of-range", "0"):
        diveval.audit_pool(labels, runs, METRICS, depth=0)
    with refuses("unknown-run", "Z"):
        diveval.audit_pool(labels, runs, METRICS, groups={"Z": "g"})
    with codes_of_warnings() as codes:
        rows = diveval.audit_pool(labels, runs, METRICS, groups={"A": "g", "B": "g"}).rows
    assert "missing-group" in codes
    assert {row.group for row in rows if row.left_out == "group"} == {"g", "C", "D"}


def test_check_prints_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check --pool` has the rows of the function, as CSV, and in JSON beside the files."""
    labels, runs, groups = _draw(3)
    files = [tmp_path / "q.txt", *(tmp_path / f"{run}.run" for run in runs), tmp_path / "groups.csv"]
    rows = [f"{t} {a} {d} {g:g}\n" for t, by in labels.items() for a, of in by.items() for d, g in of.items()]
    files[0].write_text("".join(rows))
    for file, (run, of) in zip(files[1:], runs.items(), strict=False):
        lines = [f"{t} Q0 {d} {i} {99 - i} {run}\n" for t, listed in of.items() for i, d in enumerate(listed, 1)]
        file.write_text("".join(lines))
    files[-1].write_text("run,group\n" + "".join(f"{run},{group}\n" for run, group in groups.items()))
    words: list[str] = [*map(str, files[:-1]), "--pool", "--groups", str(files[-1]), "-m", METRICS[0]]
    assert main(["check", *words, "-f", "csv"]) == 0
    printed: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = quietly(lambda: diveval.audit_pool(labels, runs, METRICS[0], groups=groups)).rows
    assert [(r["run"], r["left_out"], int(r["unique"])) for r in printed] == [
        (r.run, r.left_out, r.unique) for r in expected
    ]
    assert main(["check", *words, "-f", "json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert len(shape["pool"]["rows"]) == len(expected) and len(shape["runs"]) == len(runs)
    assert main(["check", *words]) == 0
    assert capsys.readouterr().out
    assert main(["check", *words[:5], "--groups", str(files[-1])]) == 2


def test_the_sentence_names_the_largest_effect() -> None:
    """Mean and largest effect of every metric are those of the rows."""
    labels, runs, groups = _draw(4)
    audit = quietly(lambda: diveval.audit_pool(labels, runs, METRICS, groups=groups))
    assert len(audit.statements) == 2 * len(METRICS)
    for said in audit.statements:
        own = [r for r in audit.rows if (r.left_out, r.metric) == (said.facts["kind"], said.facts["metric"])]
        sizes = [abs(row.effect or 0.0) for row in own]
        assert said.facts["mean"] == pytest.approx(sum(sizes) / len(sizes))
        assert abs(said.facts["effect"]) == max(sizes)
