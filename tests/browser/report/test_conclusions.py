"""The view of conclusions in a browser: the certain order, what a system certainly beats, and the settings in doubt."""

from __future__ import annotations

from typing import Any

import pytest

from diveval.conclusions import Conclusions, conclude
from diveval.scoring.study import Evaluation
from support.pages import address_of

METRIC = "RBU(p=0.6..0.99,e=0..0.1)@20"


@pytest.fixture(scope="module")
def concluded(study: Evaluation) -> Conclusions:
    """The library's conclusions for the settings of the report."""
    return conclude(study.judgments, (), METRIC, any_weights="given", options=study.options, rankings=study.rankings)


def test_the_marked_cells_are_the_certain_conclusions(report: Any, concluded: Conclusions) -> None:
    """A cell is marked for every certain conclusion and for no other, dark where it is significant over topics, and the
    systems are sorted so that the better one of each is above."""
    marked = report.locator("#order rect.win").evaluate_all(
        "cells => cells.map((one) => [one.dataset.edge.split('\\n'), one.classList.contains('slight')])"
    )
    surviving = {(row.better, row.worse): not row.significant for row in concluded.surviving()}
    assert {tuple(edge): slight for edge, slight in marked} == surviving and surviving
    names = report.locator("#order .node").evaluate_all("all => all.map((n) => n.dataset.run)")
    place = {name: i for i, name in enumerate(names)}
    assert set(place) == set(concluded.systems)
    assert all(place[a] < place[b] for a, b in surviving)


def test_every_open_pair_has_a_cell(report: Any, concluded: Conclusions) -> None:
    """Every pair of systems has exactly one cell, marked or open."""
    pairs = len(concluded.systems) * (len(concluded.systems) - 1) // 2
    assert report.locator("#order rect.win, #order rect.field").count() == pairs
    assert report.locator("#order rect.field").count() == pairs - len(concluded.edges())


def test_the_view_and_the_headline_show_the_settings_in_doubt(report: Any, concluded: Conclusions) -> None:
    """View and headline show the number of certain pairs, the ranges and the weights; the headline links the view."""
    pairs = len(concluded.systems) * (len(concluded.systems) - 1) // 2
    asked = report.locator("#asked").inner_text()
    link = report.locator(".headline a[data-view=conclusions]")
    for text in (asked, link.inner_text()):
        assert str(len(concluded.edges())) in text and str(pairs) in text
        assert all(fact in text for fact in ("0.6", "0.99", "0.1", "weights"))
    link.click()
    report.wait_for_function("() => Math.abs(document.getElementById('conclusions').getBoundingClientRect().top) < 120")


def test_choosing_a_system_marks_what_it_certainly_beats(report: Any, concluded: Conclusions) -> None:
    """The chosen system and those above, below and undecided are marked; text and address agree; arrow keys move."""
    edges = concluded.edges()
    system = max(concluded.systems, key=lambda name: sum(name == a for a, _ in edges))
    node = report.locator(f"#order .node[data-run={system}]")
    node.focus()
    report.keyboard.press("Enter")
    report.wait_for_selector("#order .node.chosen")

    def marked(kind: str) -> set[str]:
        return set(report.locator(f"#order .node.{kind}").evaluate_all("all => all.map((n) => n.dataset.run)"))

    assert marked("chosen") == {system}
    assert marked("below") == {b for a, b in edges if a == system}
    assert marked("above") == {a for a, b in edges if b == system}
    assert marked("open") == set(concluded.systems) - {system} - marked("below") - marked("above")
    first = report.locator("#pair-order p").first.inner_text()
    assert all(name in first for name in marked("below"))
    assert f"run={system}" in address_of(report)
    report.keyboard.press("ArrowDown")
    assert report.evaluate("document.activeElement.dataset.row") == str(int(node.get_attribute("data-row")) + 1)


def test_the_tables_of_the_order_contain_every_pair(report: Any, concluded: Conclusions) -> None:
    """As an alternative to the drawing, tables have a row per system, and a row per pair with its verdict."""
    rows = "t => [...t.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText))"
    tables = report.locator("#order details.behind")
    for i in (0, 1):
        tables.nth(i).locator("summary").click()
        tables.nth(i).locator("table").wait_for()
    systems, pairs = (tables.nth(i).locator("table").evaluate(rows) for i in (0, 1))
    assert {row[0].removesuffix(" (4/5)") for row in systems} == set(concluded.systems)
    last = [row for row in concluded.rows if row.doubt == concluded.last_doubt()]
    assert {(row[0], row[1], row[3]) for row in pairs} == {(row.better, row.worse, row.verdict) for row in last}
