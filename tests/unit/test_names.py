"""From text to metric and back, with suggestions for wrong names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.metrics import MetricText, as_metric, as_metrics, compose, entries, parse
from diveval.metrics.algebra import Aspects, Cascade, Geometric
from diveval.metrics.formulas import Sum
from diveval.metrics.metric import UserFormula
from diveval.views.shared import heading_of
from support.refusals import refuses


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("RBU(p=0.99,e=0.05)@20", "RBU(p=0.99,e=0.05)@20"),
        ("rbu", "RBU(p=0.9,e=0.01)"),
        ("RBU( e=0 )@5", "RBU(p=0.9,e=0)@5"),
        ("α-nDCG@20", "alpha_nDCG(alpha=0.5)@20"),
        ("alpha-nDCG(α=0.25)@10", "alpha_nDCG(alpha=0.25)@10"),
        ("S-Recall@10", "StRecall@10"),
        ("I-rec@10", "StRecall@10"),
        ("S-RR@100%", "SRR(coverage=1)"),
        ("S-RR@75%", "SRR(coverage=0.75)"),
        ("D#-nDCG@10", "Dsharp_nDCG(lam=0.5)@10"),
        ("D#-Measure@5", "Dsharp_nDCG(lam=0.5)@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("MAP", "AP"),
        ("RBP-IA", "RBP_IA(p=0.8)"),
        ("P(cutoff=10)", "P@10"),
        ("CT(limit=2)@10", "CT(alpha=0.5,limit=2)@10"),
        ("RBU(scale=evall)", "RBU(p=0.9,e=0.01,scale=evall)"),
        ("α-nDCG(ideal=exact)@5", "alpha_nDCG(alpha=0.5,ideal=exact)@5"),
        (" nDCG @ 10 ", "nDCG@10"),
        ("errIA@5", "ERR_IA@5"),
        ("alpha n DCG", "alpha_nDCG(alpha=0.5)"),
        ("NDeval.alphaNDCG@5", "ndeval.alpha_nDCG@5"),
        ("RBU()", "RBU(p=0.9,e=0.01)"),
        ("Trec-Eval.ndcgcut_5", "trec_eval.ndcg_cut_5"),
        ("dd.snDCG", "dd.nSDCG"),
        ("ntcireval.D#-Q@3", "ntcireval.Dsharp_Q@3"),
    ],
)
def test_spellings_of_a_metric(text: str, canonical: str) -> None:
    """Aliases, Greek letters, spaces and defaults give one canonical name, which parses to itself."""
    assert parse(text).name == canonical
    assert parse(canonical).name == canonical
    assert parse(text).formula == parse(canonical).formula


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_entry_of_the_catalogue_is_documented(name: Any) -> None:
    """An entry has meaning, formula, reference, and parameters with ranges and meanings; its name parses to itself."""
    entry = entries()[name]
    assert entry.meaning and entry.formula and entry.reference
    assert all(parameter.meaning and parameter.range for parameter in entry.parameters)
    text = entry.metric({}, 10 if entry.cutoffs else None).name
    assert parse(text).name == text


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("RUB@20", ("unknown-metric", "RUB", "RBU")),
        ("Foo_10", ("unknown-metric", "Foo_10")),
        ("trec_eval.Foo_10", ("unknown-metric", "trec_eval.Foo_10")),
        ("nowhere.P", ("unknown-metric", "nowhere.P")),
        ("", ("metric-syntax",)),
        ("RBU(", ("metric-syntax",)),
        ("RBU(q=1)", ("unknown-parameter", "q", "RBU")),
        ("P(p=1)", ("unknown-parameter", "p")),
        ("RBU(p)", ("metric-syntax", "name=value")),
        ("RBU(p=)", ("metric-syntax", "p=", "name=value")),
        ("RBU(=1)", ("unknown-parameter",)),
        ("RBU(,)", ("metric-syntax", "name=value")),
        ("RBU(p=1,p=1)", ("duplicate-parameter",)),
        ("RBU(p=2)", ("out-of-range", "2", "0", "1")),
        ("RBU(p=0)", ("out-of-range", "0", "1")),
        ("RBU(p=nan)", ("out-of-range",)),
        ("RBU(p=x)", ("not-a-number",)),
        ("RBU(e=-1)", ("out-of-range", "0", "∞")),
        ("RBU(e=inf)", ("out-of-range",)),
        ("alpha_nDCG(alpha=1.5)", ("out-of-range", "0", "1")),
        ("P@0", ("invalid-cutoff", "0", "1")),
        ("P@-1", ("invalid-cutoff", "1")),
        ("P@x", ("invalid-cutoff", "1")),
        ("P@1.5", ("invalid-cutoff", "1")),
        ("P@", ("invalid-cutoff", "1")),
        ("P(cutoff=5)@5", ("duplicate-parameter",)),
        ("S-RR@0%", ("invalid-cutoff", "0")),
        ("S-RR@x%", ("invalid-cutoff",)),
        ("RBU(scale=java)", ("invalid-choice",)),
        ("R" * 300, ("metric-syntax", "200")),
    ],
)
def test_a_wrong_name_or_parameter_is_one_clear_line(text: Any, refusal: tuple[str, ...]) -> None:
    """The error is one line that says what is expected."""
    with refuses(*refusal) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@5,10,20", ["nDCG@5", "nDCG@10", "nDCG@20"]),
        ("P@4, RBU(p=0.5,e=0)@20", ["P@4", "RBU(p=0.5,e=0)@20"]),
        ("RBU(p=0.5,e=0)@5,10,AP", ["RBU(p=0.5,e=0)@5", "RBU(p=0.5,e=0)@10", "AP"]),
    ],
)
def test_commas_between_metrics_and_cutoffs(text: str, names: list[str]) -> None:
    """Commas separate metrics and cutoffs, except inside parentheses."""
    assert [metric.name for metric in as_metrics(text)] == [parse(name).name for name in names]


def test_huge_cutoffs_are_accepted() -> None:
    """10^12 is a valid cutoff."""
    assert parse("RBU@1000000000000").cutoff == 10**12


def test_a_composition_of_the_algebra_is_a_metric() -> None:
    """Sum(...) has a name made of its parts and scores like the named metric."""
    mine = as_metric(Sum(Aspects(), Geometric(0.8), Cascade(), 0.05))
    rows: list[list[float]] = [[0.25, 0], [0, 0], [0.5, 0.25]]
    assert mine(rows) == parse("RBU(p=0.8,e=0.05)")(rows)
    assert mine.name == (
        "Sum(cutoff=None,over=Aspects(weighted=True),discount=Geometric(p=0.8,start=1,scaled=False),novelty=Cascade(),effort=0.05)"
    )


def test_repeated_metrics_are_evaluated_once() -> None:
    """Two spellings of one metric give one column; no metric at all is an error."""
    assert [m.name for m in as_metrics(["ERR-IA@20", "P@5", "ERR_IA@20"])] == ["ERR_IA@20", "P@5"]
    with refuses("no-metric"):
        as_metrics([])


def test_a_metric_from_a_file(tmp_path: Path) -> None:
    """`path/to/file.py:name` loads a function or a formula; a wrong name or a broken file is one clear line."""
    path = tmp_path / "mine.py"
    path.write_text("def first(ranking):\n    return float(ranking.relevance[0, 0])\nhelper = 3\n")
    assert as_metric(f"{path}:first")([[0.5]]) == 0.5
    for name in ("second", "helper"):
        with refuses("unknown-metric", name, "first"):
            as_metric(f"{path}:{name}")
    with refuses("cannot-read", "none.py"):
        as_metric(f"{tmp_path}/none.py:x")
    path.write_text(
        "from diveval.metrics.formulas import Sum\nmine = Sum()\ndef other(ranking):\n    return 0\nx = [1]\n"
    )
    assert (as_metric(f"{path}:mine").name, as_metric(f"{path}:mine").formula) == ("mine", Sum())
    other = as_metric(f"{path}:other")
    assert isinstance(other.formula, UserFormula) and (other.name, other.formula.name) == ("other", "other")
    with refuses("unknown-metric", "x"):
        as_metric(f"{path}:x")
    path.write_text("x = 1\n")
    with refuses("unknown-metric", "x"):
        as_metric(f"{path}:x")
    path.write_text("1/0\n")
    with refuses("metric-failed", "ZeroDivisionError"):
        as_metric(f"{path}:x")


def test_a_number_is_not_a_metric() -> None:
    """The error says what a metric may be, and what was given."""
    for ask in (as_metric, as_metrics):
        with refuses("wrong-type"):
            ask(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", list(entries()))
def test_text_and_parts_give_the_same_metric(name: str) -> None:
    """Every metric is the same by its text and by name, values and cutoff, and its text is reproduced."""
    entry = entries()[name]
    for cutoff in (None, 5, 20):
        if (cutoff is None and entry.cutoffs == "needed") or (cutoff is not None and not entry.cutoffs):
            with refuses("cutoff-needed" if cutoff is None else "cutoff-not-taken", name):
                compose(name, {}, cutoff)
            continue
        metric = compose(name, {}, cutoff)
        assert str(MetricText.of(metric.name)) == metric.name
        again = parse(metric.name)
        assert again == metric == compose(name, again.values, cutoff)
        assert (again.values, again.cutoff) == (metric.values, metric.cutoff)


@pytest.mark.parametrize(
    ("text", "name", "settings", "cutoff"),
    [
        ("RBU(p=0.99,e=0.05)@20", "RBU", ("p=0.99", "e=0.05"), "20"),
        ("P@k", "P", (), "k"),
        ("S-RR@75%", "S-RR", (), "75%"),
        ("mine", "mine", (), None),
        ("Sum(over=Aspects(),e=1)", "Sum(over=Aspects(),e=1)", (), None),
        ("a@b@c", "a@b@c", (), None),
        ("", "", (), None),
    ],
)
def test_any_text_has_parts(text: str, name: str, settings: tuple[str, ...], cutoff: str | None) -> None:
    """A text that does not fit the grammar is a name without settings and cutoff."""
    assert MetricText.of(text) == MetricText(name, settings, cutoff)


def test_a_heading_separates_settings_from_name_and_cutoff() -> None:
    """The terminal's table and the web pages take a column's heading from here: no page parses a metric's text."""
    assert MetricText.of("RBU(p=0.99,e=0.05)@20").heading == ["RBU@20", "p=0.99,e=0.05"]
    assert MetricText.of("mine").heading == ["mine", ""]
    assert heading_of("RBU(p=0.99,e=0.05)@20") == ["RBU@20", "p=0.99,e=0.05"]
    assert heading_of("ndeval.alpha_nDCG@20") == ["α-nDCG@20 (TREC)", ""] and heading_of("mine") == ["mine", ""]
    scripts = (Path(diveval.__file__).parent).glob("*/static/*.js")
    parsers = [f"{path.name}: {line}" for path in scripts for line in path.read_text().splitlines() if r"\(" in line]
    assert parsers == []


def test_metrics_of_the_same_name_get_distinct_names(tmp_path: Path) -> None:
    """Files of the same name are named by their paths, and a function RR beside ours gets a number; repeats are dropped."""
    for side, value in (("a", 0.25), ("b", 0.75)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "m.py").write_text(f"def score(ranking): return {value}\n")
    files = [f"{tmp_path}/{side}/m.py:score" for side in "ab"]

    def RR(ranking: Any) -> float:
        return 0.5

    scores = diveval.evaluate({"1": {"a": {"x": 1}}}, {"1": {"x": 1.0}}, [*files, "RR", RR, RR, "RR"])
    assert scores.metrics == (*files, "RR", "RR#2")
    assert scores.values.ravel().tolist() == [0.25, 0.75, 1.0, 0.5]


@pytest.mark.parametrize(("text", "meant"), [("nDCG10", "nDCG@10"), ("P_10", "P@10"), ("err-ia20", "ERR_IA@20")])
def test_a_cutoff_without_the_sign_gets_a_suggestion(text: str, meant: str) -> None:
    """The suggestion is the metric at that cutoff."""
    with refuses("unknown-metric", meant):
        parse(text)
