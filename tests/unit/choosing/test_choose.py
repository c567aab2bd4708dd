"""Choosing metrics: needs and axioms, evidence from runs, pairs that depend on the metric, and RBU's parameters."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.analysis.choice import text
from diveval.analysis.choose import choose
from diveval.analysis.effort import patience, tune_effort
from diveval.analysis.evidence import agreement
from diveval.analysis.needs import NEEDS, TASKS, axioms_of
from diveval.cli import main
from diveval.datasets import make_collection
from diveval.errors import share_text
from diveval.results.scores import Scores
from support.present import present
from support.refusals import has_facts, is_refusal, refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small synthetic collection."""
    folder = make_collection(tmp_path_factory.mktemp("choose") / "web", topics=6, systems=6, depth=30, seed=3)
    return [str(folder / "qrels.txt"), *map(str, sorted((folder / "runs").glob("*.run")))]


def test_words_axioms_and_titles_are_synonyms() -> None:
    """Plain words, short and full names are accepted in any case, also comma-separated; misspellings get a hint."""
    assert axioms_of(["length"]) == axioms_of(["Conf"]) == axioms_of(["confidence"]) == ["Conf"]
    assert axioms_of(["Monotonic redundancy", "pri"]) == ["Pri", "MRed"]
    assert axioms_of(["redundancy,enough"]) == ["Red", "MRed", "Sat"]
    with refuses("invalid-choice"):
        axioms_of(["lenght"])
    assert all(axioms_of(task.needs) for task in TASKS.values())
    assert {axiom for need in NEEDS.values() for axiom in need.axioms} == set(diveval.axioms.AXIOMS)


def test_a_second_recommendation_is_of_another_family() -> None:
    """Candidates of one family give one recommendation; P and AP are different families."""
    assert len(choose(need=["top"], metrics=["RBU@10", "RBU@20"]).recommended) == 1
    names = [item.metric for item in choose(need=["top"], metrics=["AP@10", "P@10"]).recommended]
    assert sorted(names) == ["AP@10", "P@10"]


@pytest.mark.slow
def test_a_choice_uses_axioms_and_runs(files: Any) -> None:
    """The choice has all its parts, and candidates are ordered by the number of axioms they lack."""
    choice = choose(files[0], files[1:], task="rag", metrics=["RBU(p=0.9,e=0.01)@10", "StRecall@10", "P@10"])
    assert list(choice.axioms) == axioms_of([*TASKS["rag"].needs, "grades"])
    assert choice.recommended[0].metric == "RBU(p=0.9,e=0.01)@10"
    lacking = [len(present(c.unsatisfied)) + len(present(c.undecided)) for c in choice.candidates]
    assert lacking == sorted(lacking)
    assert all(c.power is not None and c.mu is not None and c.violated is not None for c in choice.candidates)
    assert "Sakai and Zeng" in choice.against[0]
    assert r"\cite{amigo2018rbu}" in choice.paragraph and "@inproceedings{amigo2018rbu" in choice.bibtex
    assert json.loads(choice.to_json())["recommended"][0]["metric"] == choice.recommended[0].metric
    assert choice.recommended[0].metric in str(choice) and "| metric |" in choice.to_markdown()


def test_without_runs_the_axioms_alone_decide() -> None:
    """Without runs nothing is measured, and `without` removes a need."""
    choice = choose(task="mobile", without=["redundancy"], metrics=["RBU(p=0.8,e=0.01)@10", "P@10"])
    assert choice.agreement is None and choice.candidates[0].power is None
    assert "Red" not in choice.axioms and "Conf" in choice.axioms


def test_conflicting_pairs_match_a_plain_loop() -> None:
    """The conflicts are exactly the pairs of runs that metrics order differently; ties are no conflict."""
    rng = np.random.default_rng(5)
    values = rng.integers(0, 3, size=(6, 3, 4)) / 2
    scores = Scores.of(values, runs=list("abcdef"), metrics=["M1", "M2", "M3"], topics=list("1234"))
    found = agreement(scores, scores.metrics)
    expected = set()
    for a, b in combinations(range(6), 2):
        signs = {np.sign(np.round(values[a, m].mean() - values[b, m].mean(), 9)) for m in range(3)}
        if {1.0, -1.0} <= signs:
            expected.add((scores.runs[a], scores.runs[b]))
    assert {(c.run, c.other) for c in found.conflicts} == expected
    assert found.agreed == found.pairs - len(expected) == 15 - len(expected)
    for conflict in found.conflicts:
        first, second = conflict.first_values, conflict.second_values
        assert conflict.first in conflict.prefers_run and conflict.second in conflict.prefers_other
        pair = [scores.runs.index(r) for r in (conflict.run, conflict.other)]
        one, two = (values[pair, scores.metrics.index(m)] for m in (conflict.first, conflict.second))
        shown = [t for t in range(4) if one[0, t] > one[1, t] and two[0, t] < two[1, t]]
        assert (conflict.topic is None) == (not shown)
        if conflict.topic is not None:
            t = scores.topics.index(conflict.topic)
            assert t in shown and first == tuple(one[:, t]) and second == tuple(two[:, t])


def test_patience_from_documents_read() -> None:
    """p is 1 − 1/documents, and other values raise an error."""
    assert patience(10) == 0.9 and patience(5) == 0.8
    for wrong in (1, 0, -3, "x"):
        with refuses("out-of-range"):
            patience(wrong)  # type: ignore[arg-type]


def test_the_effort_study_matches_plain_scores(files: Any) -> None:
    """The share of positive runs and the best mean equal those of `evaluate`."""
    study = tune_effort(files[0], files[1:], p=[0.9], e=[0.0, 0.2])
    for row in study.rows:
        means = diveval.evaluate(files[0], files[1:], f"RBU(p={row.p},e={row.e:g})@20").means[:, 0]
        assert row.positive == (means > 0).mean() and row.best == means.max()
    assert study.rows[0].positive >= study.rows[1].positive
    assert has_facts(str(study), *(f"{row.positive:.2f}" for row in study.rows))


def test_the_commands(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """`choose` and `choose effort` work in every format; unknown words, too few runs and missing arguments exit with 2."""
    words = ["-m", "RBU(p=0.9,e=0.01)@10", "-m", "P@10", "--need", "length"]
    for form in ("text", "json", "md"):
        assert main(["choose", *files, *words, "-f", form]) == 0
        assert "RBU" in capsys.readouterr().out
    assert main(["choose", *words, "--graded", "no", "--length", "yes"]) == 0
    assert main(["choose", "--need", "lenght"]) == 2
    assert is_refusal(capsys.readouterr().err, "invalid-choice", "lenght", "length")
    assert main(["choose", "--need", "Pri", "--within", "effort=perhaps"]) == 2
    assert is_refusal(capsys.readouterr().err, "invalid-choice", "effort")
    assert main(["choose", *files[:2]]) == 2
    assert is_refusal(capsys.readouterr().err, "too-few-runs")
    assert main(["choose", "effort", "--read", "10", "--worth", "0.05"]) == 0
    assert "RBU(p=0.9,e=0.05)@20" in capsys.readouterr().out
    assert main(["choose", "effort", *files, "--read", "10", "--worth", "0.01", "-f", "csv"]) == 0
    assert capsys.readouterr().out.startswith("p,e,mu,power,positive,best,median\n0.9,0.01,")
    for wrong in (
        ["choose", "effort"],
        ["choose", "effort", "--read", "0.5"],
        ["choose", "effort", files[0]],
        ["choose", "effort", "--worth", "3"],
    ):
        assert main(wrong) == 2


def test_advise_takes_plain_words_and_full_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`length`, `Confidence` and `conf` are passed on as Conf."""
    needs = []

    def advise(need: object, **_: object) -> list[str]:
        needs.append(need)
        return []

    monkeypatch.setattr("diveval.axioms.advise", advise)
    for word in ("length", "Confidence", "conf"):
        main(["axioms", "--need", word, "-f", "json"])
    assert needs == [["Conf"]] * 3
    capsys.readouterr()


def test_needs_are_normalised() -> None:
    """Commas and synonyms are resolved, and the choice names each need once."""
    found = choose(need=["patience,top", "diversity", "redundancy", "Conf"], metrics=["RBU@20", "ERR_IA@20"])
    assert found.needs == ("patience", "top", "redundancy", "Conf")
    assert "patience,top" not in str(found)


def test_percent_signs_stay_with_their_numbers() -> None:
    """No line begins with a percent sign, and only exact values are shown as 0 % or 100 %."""
    shares = [0, 0.0004, 0.0006, 0.5, 0.9996, 1, None]
    assert list(map(share_text, shares)) == ["0 %", "<0.1 %", "0.1 %", "50.0 %", ">99.9 %", "100 %", "–"]
    choice = replace(
        choose(need=["Conf"], metrics=["RBU@20", "ERR_IA@20"]),
        against=(
            "it fails 11.7 % of the situations, 12.8 % of the pairs, 13.9 % of the topics and 14.2 % of the runs",
        ),
    )
    for width in range(20, 60):
        assert not [line for line in text(choice, width).split("\n") if line.lstrip().startswith("%")]
