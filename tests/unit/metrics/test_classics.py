"""Classic and newer measures under our own rules: trec_eval's and cwl_eval's numbers on binary judgments, and by hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.errors import capture_warnings
from diveval.metrics.catalogue import FAMILIES
from diveval.metrics.classics import CLASSIC_FAMILIES, CLASSICS
from diveval.metrics.objects import CLASSICS as OBJECTS
from support.drawn import draw
from support.refusals import refuses
from support.shared import times

TWINS = {
    "R@3": "trec_eval.recall_3",
    "R": "trec_eval.set_recall",
    "Success@2": "trec_eval.success_2",
    "Rprec": "trec_eval.Rprec",
    "Bpref": "trec_eval.bpref",
    "infAP": "trec_eval.infAP",
    "IPrec(recall=0.3)": "trec_eval.iprec_at_recall(recall=0.3)",
    "SetP": "trec_eval.set_P",
    "SetRelP": "trec_eval.set_relative_P",
    "SetF(beta=2)": "trec_eval.set_F(beta=2)",
    "SetAP": "trec_eval.set_map",
    "SDCG@4": "cwl.SDCG@4",
    "BPM(T=2)@5": "cwl.BPM(T=2)@5",
    "NERR8@4": "cwl.NERR8@4",
    "NERR9@4": "cwl.NERR9@4",
    "NERR10(p=0.7)": "cwl.NERR10(p=0.7)",
    "NERR11(T=2)": "cwl.NERR11(T=2)",
    "INSQ(T=2)": "cwl.INSQ(T=2)",
    "INST(T=2)": "cwl.INST(T=2)",
}
RUN = {"run": {"1": ["a", "x", "b", "c"]}}
TWO_ASPECTS = {"1": {"s": {"a": 1, "b": 1}, "t": {"c": 1}}}


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("seed", range(times(3, 50)))
def test_on_binary_judgments_they_are_the_tools_numbers(seed: int) -> None:
    """With one aspect and grades 0 and 1, and the same order, ours and the tool's are the same."""
    data = draw(seed, aspects=1, highest=1, ties=False)
    judgments = diveval.Judgments.from_rows(data.judgments)
    run = diveval.Run.from_rows(data.run)
    scores = diveval.evaluate(
        judgments, run, [*TWINS, *TWINS.values()], missing_topics="zero", order="score", gain="binary"
    )
    for ours, theirs in TWINS.items():
        np.testing.assert_allclose(scores.array(ours), scores.array(theirs), rtol=1e-12, err_msg=ours)


def test_a_grade_too_low_to_count_is_judged_but_not_relevant() -> None:
    """With `rel`, Bpref and infAP take the lower grades as judged not relevant."""
    graded = {"1": {"a": 1, "b": 2, "c": 0}}
    binary = {"1": {"a": 0, "b": 1, "c": 0}}
    for name in ("Bpref", "infAP", "R@3", "Rprec"):
        ours = diveval.evaluate(graded, RUN, name, rel=2).per_topic("run")["1"]
        assert ours == diveval.evaluate(binary, RUN, name).per_topic("run")["1"], name


def test_recall_and_success_by_hand() -> None:
    """Two of three relevant documents are among the first three; by aspect all of s and none of t."""
    scores = diveval.evaluate(TWO_ASPECTS, RUN, ["R@3", "R_IA@3", "Success@1", "Success@3"])
    assert [scores.per_topic("run", name)["1"] for name in scores.metrics] == [2 / 3, 0.5, 1.0, 1.0]
    assert diveval.parse("R@2")([[1.0], [0.0], [1.0]], pool=[[1.0]] * 4) == 0.25


def test_inst_by_aspect_is_the_mean_of_inst() -> None:
    """INST_IA is the weighted mean of INST on each aspect alone."""
    parts = [diveval.evaluate({"1": {a: TWO_ASPECTS["1"][a]}}, RUN, "INST").per_topic("run")["1"] for a in "st"]
    found = diveval.evaluate(TWO_ASPECTS, RUN, "INST_IA", weights={("1", "s"): 0.25, ("1", "t"): 0.75})
    assert found.per_topic("run")["1"] == pytest.approx(0.25 * parts[0] + 0.75 * parts[1])


def _overlap(run: list[str], ideal: list[str], p: float, depth: int) -> float:
    return sum(p ** (i - 1) * len({*run[:i]} & {*ideal[:i]}) / i for i in range(1, depth + 1))


def test_compatibility_for_diversity_by_brute_force() -> None:
    """The ideal of two aspects takes a document of each first, the one that the list has earlier among equals."""
    run, ideal = RUN["run"]["1"], ["a", "c", "b"]
    expected = _overlap(run, ideal, 0.8, 4) / _overlap(ideal, ideal, 0.8, 4)
    found = diveval.evaluate(TWO_ASPECTS, RUN, "dCompat(p=0.8,alpha=0.5)").per_topic("run")["1"]
    assert found == pytest.approx(expected)
    plain = diveval.evaluate(TWO_ASPECTS, {"run": {"1": ["a", "c", "b"]}}, "dCompat").per_topic("run")["1"]
    assert plain == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(times(5, 200)))
def test_source_crowding_by_counting(seed: int) -> None:
    """Each document whose source was seen counts, one without a source never does; a topic without a list has no value."""
    draw = random.Random(seed)
    documents = [f"d{i}" for i in range(12)]
    sources = {name: draw.choice("xyz") for name in documents if draw.random() < 0.8}
    run = draw.sample(documents, draw.randint(1, 12))
    cutoff = draw.randint(1, 12)
    repeated, seen = 0, set()
    for name in run[:cutoff]:
        source = sources.get(name, name)
        repeated += source in seen
        seen.add(source)
    rows = [(name, "site", source, 1) for name, source in sources.items()] or [("other", "site", "x", 1)]
    judged = {"1": {"a": {"d0": 1}}, "2": {"a": {"d1": 1}}}
    with capture_warnings():
        found = diveval.evaluate(judged, {"run": {"1": run}}, f"SourceCrowding@{cutoff}", document_groups=rows)
    assert found.per_topic("run") == {"1": pytest.approx(repeated / len(run[:cutoff]))}
    assert found.mean()["run"] == pytest.approx({found.metrics[0]: repeated / len(run[:cutoff])})


def test_a_source_is_one_group() -> None:
    """A document shared by two groups has no source."""
    rows = [("d", "site", "x", 0.5), ("d", "site", "y", 0.5)]
    judged = {"1": {"a": {"d": 1}}}
    with refuses("several-sources", "d"):
        diveval.evaluate(judged, {"run": {"1": ["d"]}}, "SourceCrowding@3", document_groups=rows)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("seed", range(times(2, 30)))
def test_with_one_aspect_diversity_makes_no_difference(seed: int) -> None:
    """On binary judgments of one aspect dCompat is Compat, and INST_IA is INST."""
    data = draw(seed, aspects=1, highest=1, ties=False)
    judgments, run = diveval.Judgments.from_rows(data.judgments), diveval.Run.from_rows(data.run)
    scores = diveval.evaluate(judgments, run, ["Compat", "dCompat", "INST", "INST_IA"], gain="binary")
    np.testing.assert_allclose(scores.array("Compat"), scores.array("dCompat"), rtol=1e-12)
    np.testing.assert_allclose(scores.array("INST"), scores.array("INST_IA"), rtol=1e-12)


def test_every_classic_is_listed_and_an_object() -> None:
    """The families of the catalogue and the names of objects have each of them once."""
    listed = [entry.name for family in CLASSIC_FAMILIES.values() for entry in family]
    assert sorted(listed) == sorted(entry.name for entry in CLASSICS) == sorted(OBJECTS)
    assert not {*listed} & {entry.name for family in FAMILIES.values() for entry in family}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("recall at 100", "R@100"),
        ("mean reciprocal rank", "RR"),
        ("f1", "SetF(beta=1)"),
        ("group fairness", "ntcireval.GF(divergence=JSD)"),
        ("normalised discounted cumulative gain at 10", "nDCG@10"),
    ],
)
def test_a_description_finds_the_metric(text: str, first: str, capsys: Any) -> None:
    """The metric that a description means comes first, with the cutoff of the text."""
    from diveval.cli import main

    assert main(["metrics", *text.split()]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[0] == first


@pytest.mark.parametrize("seed", range(times(5, 100)))
def test_sdcg_is_a_formula_with_the_numbers_of_cwl_eval(seed: int) -> None:
    """On graded relevance: the same numbers as the tool's rule, as the exact form, and as the sum written out."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(9)]
    grades = {d: float(rng.integers(0, 5)) / 4 for d in documents}
    listed = [str(d) for d in rng.permutation([*documents, "x", "y"])[: int(rng.integers(1, 11))]]
    scores = diveval.evaluate(
        {"1": grades}, {"run": {"1": listed}}, ["SDCG@4", "cwl.SDCG@4", "SDCG@2000"], gain="identity"
    )
    gains = [grades.get(d, 0.0) for d in listed]
    for name, depth in (("SDCG@4", 4), ("SDCG@2000", 1000)):
        full = sum(1 / np.log2(i + 1) for i in range(1, depth + 1))
        expected = sum(g / np.log2(i + 1) for i, g in enumerate(gains[:depth], 1)) / full
        assert scores["run", name] == pytest.approx(expected, rel=1e-12)
        assert diveval.parse(name)([[g] for g in gains]) == pytest.approx(expected, rel=1e-12)
    assert scores["run", "SDCG@4"] == pytest.approx(scores["run", "cwl.SDCG@4"], rel=1e-12)


def test_conclusions_take_sdcg() -> None:
    """Of lists in opposite orders the one with the better documents first surely wins, with or without its exact numbers."""
    judgments = {topic: {"a": 2, "b": 1, "c": 0} for topic in "12"}
    runs = {"good": {topic: ["a", "b", "c"] for topic in "12"}, "bad": {topic: ["c", "b", "a"] for topic in "12"}}
    (found,) = diveval.conclude(judgments, runs, "SDCG@3").records()
    assert (found["better"], found["worse"], found["verdict"]) == ("good", "bad", "certain")
    scores = diveval.evaluate(judgments, runs, "SDCG@3")
    assert found["margin"] == pytest.approx(scores["good", "SDCG@3"] - scores["bad", "SDCG@3"])


def test_the_catalogue_says_which_metrics_have_no_exact_form(capsys: pytest.CaptureFixture[str]) -> None:
    """The explanation of a metric that the axiom engine refuses says so; that of a formula does not."""
    from diveval.cli import main

    for name, has_exact in (("RBU", True), ("SDCG", True), ("INST", False), ("ntcireval.GFR", False)):
        assert main(["metrics", name]) == 0
        assert ("Exact form  none" not in capsys.readouterr().out) == has_exact, name
        if not has_exact:
            assert main(["axioms", f"{name}@20" if "GFR" in name else name, "Pri"]) == 2
            capsys.readouterr()
