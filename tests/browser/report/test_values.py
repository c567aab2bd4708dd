"""The report in a real browser, opened from disk without a network: every value is the library's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from diveval.analysis.stopping import stopping_points
from diveval.errors import capture_warnings
from diveval.meta import unanimity
from diveval.metrics import as_metrics
from diveval.report.contents import contents
from diveval.report.page import page
from diveval.scoring.study import Evaluation
from diveval.stats import compare
from diveval.views.parameters import settings
from support.pages import settled

from .conftest import HOSTILE, RBU, opened, shown, table


def board(page: Any) -> list[str]:
    """The leaderboard's runs from top to bottom."""
    runs: list[str] = page.locator("#board tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.run)")
    return runs


def test_it_opens_from_disk_and_requests_nothing(watched: Any, address: str) -> None:
    """The only request is for the file itself, and the policy refuses an inserted script."""
    page = opened(watched, address)
    assert watched.requests == [address]
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.locator("section").count() == 11
    assert watched.complaints == []
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'hacked=5'; document.body.append(s) }"
    )
    assert page.evaluate("typeof hacked") == "undefined"
    watched.complaints = [text for text in watched.complaints if "Content Security Policy" not in text]


def test_the_leaderboard_shows_the_means_and_sorts(report: Any, study: Evaluation) -> None:
    """Each number is the library's mean; a heading sorts by its metric, and a second click reverses the order."""
    mean = study.scores.mean()
    for metric in study.scores.metrics:
        best = sorted(mean, key=lambda run: (-mean[run][metric], run))
        if metric != RBU:
            report.locator(f"#board thead button[data-metric='{metric}']").click()
        assert board(report) == best
        values = shown(report, f"#board tbody td[data-metric='{metric}'] .value")
        assert values == [f"{mean[run][metric]:.4f}" for run in best]
    head = report.locator(f"#board thead button[data-metric='{RBU}']")
    head.click()
    head.click()
    assert report.locator("#board thead th[aria-sort]").get_attribute("aria-sort") == "ascending"
    assert board(report) == sorted(mean, key=lambda run: (mean[run][RBU], run))


def test_the_leaderboard_names_systems_without_a_significant_difference(report: Any, study: Evaluation) -> None:
    """Choosing a system marks and names exactly those that `compare` does not distinguish from it."""
    with capture_warnings():
        compared = compare(study.scores, RBU)
    run = compared.runs[0].run
    alike = [
        r.run
        for r in compared.runs
        if any({row.run, row.other} == {run, r.run} and not row.significant for row in compared.rows)
    ]
    report.locator("#board tbody th button").first.click()
    assert f"{run}: {', '.join(alike)}" in report.locator("#board-status").inner_text()
    marked = report.locator("#board tbody tr.alike").evaluate_all("rows => rows.map((row) => row.dataset.run)")
    assert marked == alike
    tips = report.locator(f"#board tbody td[data-metric='{RBU}']").evaluate_all(
        "cells => cells.map((cell) => cell.dataset.tip)"
    )
    ranks = [" to ".join(map(str, sorted(set(r.ranks or ())))) for r in compared.runs]
    shown = [f"{r.letters}; rank {span}" for r, span in zip(compared.runs, ranks, strict=True)]
    assert [tip.rpartition("letters ")[2] for tip in tips] == shown


def test_a_topic_cell_opens_its_ranking(report: Any, study: Evaluation) -> None:
    """A cell opens the inspector with the library's score, stopping rank and documents."""
    scores = study.scores
    run, topic = scores.runs[3], scores.topics[1]
    cell = report.locator(f'#heat td[data-topic="{topic}"][data-run="{run}"]')
    assert cell.get_attribute("aria-label").endswith(f"topic {topic}, {run}: {scores.values[3, 0, 1]:.4f}")
    cell.click()
    panel = report.locator("#panels .panel").first
    settled(report)
    assert panel.get_attribute("data-run") == run
    assert report.locator("#inspect-topic").input_value() == topic
    assert f" = {scores.values[3, 0, 1]:.4f}." in panel.locator(".sum").inner_text()
    stops = stopping_points(study.judgments, study.rankings, as_metrics("RBU(p=0.99,e=0.05)")[0], study.options)
    stop = next(s for s in stops if (s.run, s.topic) == (run, topic))
    summary = panel.locator(".sum").inner_text()
    assert f"rank {stop.rank}" in summary and f"{stop.utility:.4f}" in summary
    documents = study.explained_runs()[3].topics[topic].documents
    assert documents is not None
    assert tuple(shown(report, "#panels .panel.left td.doc")) == documents[:20]
    report.locator("#more").click()
    report.wait_for_selector("#panels .panel.left tbody tr:nth-child(50)")
    assert tuple(shown(report, "#panels .panel.left td.doc")) == documents[:50]
    report.locator("#more").click()
    report.wait_for_selector("#panels .panel.left tbody tr:nth-child(50)", state="detached")


def test_topics_can_be_chosen_with_the_keyboard(report: Any, study: Evaluation) -> None:
    """Arrow keys move over the grid, and Enter opens the ranking."""
    order = sorted(study.scores.runs, key=lambda run: -study.scores.mean()[run][RBU])
    report.locator('#heat td[tabindex="0"]').focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        report.keyboard.press(key)
    assert settled(report).locator("#panels .panel").first.get_attribute("data-run") == order[2]
    assert report.locator("#inspect-topic").input_value() == study.scores.topics[1]


def test_a_rank_shows_its_utility(report: Any, study: Evaluation) -> None:
    """The utility at a rank is the library's RBU at that cutoff."""
    scores = study.scores
    report.locator("#inspect-left").select_option(scores.runs[2])
    report.locator("#inspect-topic").select_option(scores.topics[1])
    assert settled(report).locator("#panels .panel").first.get_attribute("data-run") == scores.runs[2]
    report.locator(".panel").first.locator("tbody tr").nth(6).hover()
    metric = as_metrics("RBU(p=0.99,e=0.05)@7")
    at_seven = Evaluation(study.judgments, study.rankings, metric, study.options).scores.values[2, 0, 1]
    assert report.locator("#inspect-readout").inner_text().endswith(f"utility {at_seven:.4f}")


def test_the_waterfall_adds_up_to_the_gap(report: Any, study: Evaluation) -> None:
    """For both metrics the parts add up to the difference between the two systems' scores."""
    scores = study.scores
    one, two, topic = scores.runs[0], scores.runs[4], scores.topics[3]
    for name, value in (("topic", topic), ("left", one), ("right", two), ("metric", RBU), ("against", "ERR_IA@20")):
        report.locator(f"#inspect-{name}").select_option(value)
    assert settled(report).locator("#panels .panel").last.get_attribute("data-run") == two
    for metric in (RBU, "ERR_IA@20"):
        figure = report.locator(f"#falls figure[data-metric='{metric}']")
        figure.locator(".behind:not(.evidence-of) > summary").click()
        figure.locator("tbody tr").first.wait_for(state="attached")
        cells = figure.locator("tbody tr td:last-child").all_text_contents()
        start, *parts, end = (float(cell) for cell in cells)
        m = scores.metric_index(metric)
        assert (start, end) == pytest.approx((scores.values[4, m, 3], scores.values[0, m, 3]), abs=6e-5)
        assert start + sum(parts) == pytest.approx(end, abs=1e-4 * len(cells))


def test_the_tables_of_metrics_are_the_librarys(report: Any, study: Evaluation) -> None:
    """Unanimity and the table of parameters show the values that the library computes."""
    groups = unanimity(study.scores, bootstrap=1000).grouped(best=False)
    names = [g.metrics[0] if len(g.metrics) == 1 else g.label for g in groups]
    expected = [[name, f"{g.mu:.3f}", f"{g.low:.3f} … {g.high:.3f}"] for name, g in zip(names, groups, strict=True)]
    heads = report.locator("#unanimity tbody td:first-child span").evaluate_all("all => all.map(x => x.dataset.value)")
    rows = [[name, *row[1:]] for name, row in zip(heads, table(report, "unanimity"), strict=True)]
    assert rows == sorted(expected, key=lambda row: -float(row[1]))
    values, correlations = settings(study.explained, study.score)
    assert correlations is not None
    taus = iter(correlations.rows)
    assert [row[1:] for row in table(report, "grid-tau")] == [
        [f"{next(taus).value:.2f}" for _ in values["e"]] for _ in values["p"]
    ]


def test_the_ranking_follows_the_point_on_the_map(report: Any, study: Evaluation) -> None:
    """The ranking beside the map is the library's at the chosen setting, and follows the arrow keys."""
    values, _ = settings(study.explained, study.score)
    for p, e in ((0.99, 0.05), (0.8, 0.1)):
        report.locator(f"button[aria-label$='show p {p}, e {e}']").click()
        means = {
            run: values["means"][r][values["p"].index(p)][values["e"].index(e)] or 0.0
            for r, run in enumerate(study.scores.runs)
        }
        rows = table(report, "map-ranking")
        assert [float(row[2]) for row in rows] == pytest.approx(sorted(means.values(), reverse=True), abs=6e-5)
    before = report.locator("#map-where").inner_text()
    report.locator("#map-point").press("ArrowUp")
    assert report.locator("#map-where").inner_text() != before


def test_an_axiom_opens_its_evidence(report: Any) -> None:
    """A failing cell shows the counterexample's rankings and scores; a holding one shows its proof."""
    axioms = pytest.importorskip("diveval.axioms")
    pytest.importorskip("z3", reason="the axioms need z3")
    verdict = axioms.check("ERR_IA@20", "Conf", reading="charitable")
    assert verdict.verdict == "fails"
    report.locator("[data-cell='ERR_IA@20/Conf']").click()
    assert report.locator("#evidence h3").inner_text().endswith("fails")
    assert tuple(shown(report, "#evidence .score")) == verdict.counterexample.decimals
    better, worse = report.locator("#evidence .side table").all()
    for side, rows in ((better, verdict.counterexample.better), (worse, verdict.counterexample.worse)):
        assert side.locator("td").all_text_contents() == [str(r) for row in rows for r in row]
    report.locator(f"[data-cell='{RBU}/Pri']").press("Enter")
    assert report.locator("#evidence ol li").count() > 0


def test_hostile_ids_are_text(report: Any) -> None:
    """Ids and texts that look like markup are shown as text, and no script in them runs."""
    report.locator("#inspect-topic").select_option(HOSTILE["topic"])
    settled(report)
    assert report.locator("h1").inner_text() == "A <b>bold</b> title"
    assert HOSTILE["run"] in board(report)
    assert HOSTILE["aspect"] in report.locator(".ranking thead th b").all_text_contents()
    assert HOSTILE["query"] in report.locator("#inspector .topic-text").inner_text()
    assert HOSTILE["run"] in report.locator("#bump [data-run]").evaluate_all("all => all.map((one) => one.dataset.run)")
    assert report.evaluate("typeof hacked") == "undefined"
    assert report.locator("img").count() == 0


def test_numbers_are_copied_as_csv_and_latex(report: Any, study: Evaluation) -> None:
    """The clipboard contains the library's CSV and LaTeX."""
    report.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for form, text in (("csv", study.scores.to_csv(per_topic=False)), ("latex", study.scores.to_latex())):
        report.locator(f"button[data-copy={form}]").click()
        report.wait_for_function("() => document.getElementById('copied').textContent !== ''")
        assert report.evaluate("navigator.clipboard.readText()") == text
        report.evaluate("document.getElementById('copied').textContent = ''")
    report.context.clear_permissions()


def test_one_run_and_one_metric_make_a_report_without_the_solver(
    watched: Any, study: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views that need two metrics or z3 show a note instead, and the rest of the report works."""
    monkeypatch.setitem(sys.modules, "z3", None)
    alone = {order: listed[:1] for order, listed in study.rankings.items()}
    single = Evaluation(study.judgments, alone, as_metrics("ERR_IA@20"), study.options)
    path = tmp_path / "one.html"
    path.write_text(page(contents(single)), encoding="utf-8")
    report = opened(watched, path.as_uri())
    assert shown(report, "#board tbody .value") == [f"{single.scores.means[0, 0]:.4f}"]
    assert "two" in report.locator("#metrics").inner_text()
    assert "diveval[axioms]" in report.locator("#axioms").inner_text()
    assert report.locator("#matrix button").count() == 0
