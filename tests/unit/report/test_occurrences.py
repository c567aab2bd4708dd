"""The counts in the axiom matrix are those of `diveval.violations`, or a note says why there are none."""

from __future__ import annotations

from collections.abc import Callable

from diveval.analysis.violations import find_violations
from diveval.report.axiom_section import AxiomSection
from diveval.scoring.study import Evaluation
from diveval.views.axiom_matrix import occurrences


def test_the_counts_are_those_of_violations(make: Callable[..., Evaluation]) -> None:
    """Every metric and axiom has the numbers of situations and violations."""
    study = make(["RBU@20", "ERR_IA@20", "P@20", "ndeval.ERR_IA@20", "ndeval.alpha_nDCG@20"])
    counts, _ = occurrences(study.judgments, study.rankings, study.metrics, study.options)
    expected = find_violations(study.judgments, study.rankings, study.metrics, study.options)
    assert counts["P@20"]["Conf"]["found"] > 0
    for row in expected.rows:
        count = counts[row.metric].get(row.axiom)
        names = {"count": "violations", "of": "situations", "unrewarded": "unrewarded", "found": "found"}
        assert count == ({name: getattr(row, own) for name, own in names.items()} if row.found else None)


def test_missing_counts_have_a_note(make: Callable[..., Evaluation]) -> None:
    """Too many rankings, and metrics of other tools without an exact form, are not counted, with a note."""
    study = make(["P@20"])
    counts, notes = occurrences(study.judgments, study.rankings, study.metrics, study.options, most=1)
    assert counts == {} and "diveval violations" in notes[0]
    other = make(["ndeval.MAP_IA"])
    counts, notes = occurrences(other.judgments, other.rankings, other.metrics, other.options)
    assert counts == {} and "diveval violations" in notes[0]


def test_a_report_takes_metrics_without_an_exact_form(make: Callable[..., Evaluation]) -> None:
    """Rules by column stand in the table of scores; the axioms are decided for the others, and a note names them."""
    inexact = ["Rprec", "INST(T=1)", "trec_eval.map", "ndeval.MAP_IA", "Judged@5"]
    study = make(["RBU@20", *inexact, "P@20"])
    counts, _ = occurrences(study.judgments, study.rankings, study.metrics, study.options)
    assert not counts.keys() & set(inexact)
    section = AxiomSection(study.metrics)
    with section:
        shape = section.finish(seconds=0)
    assert [row["metric"] for row in shape["rows"]] == ["RBU(p=0.9,e=0.01)@20", "P@20"]
    assert any(all(name in note for name in inexact) for note in shape["notes"])
