"""The report's state: kept in the address, reverted by Back and Undo; the theme; and the exports."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from diveval.scoring.study import Evaluation
from support.pages import address_of, settled

from .conftest import RBU, drawn, opened


def test_the_address_contains_the_state(report: Any, watched: Any, address: str, study: Evaluation) -> None:
    """A copied address restores the choices; an invalid one still opens the report."""
    run, topic = study.scores.runs[3], study.scores.topics[1]
    report.locator("#inspect-topic").select_option(topic)
    report.locator("#inspect-left").select_option(run)
    report.locator("#board thead button[data-metric='ERR_IA@20']").click()
    report.locator("#topic-order").select_option("spread")
    again = opened(watched, address_of(report))
    assert again.locator("#inspect-topic").input_value() == topic
    assert again.locator("#inspect-left").input_value() == run
    assert again.locator("#topic-order").input_value() == "spread"
    assert again.locator("#board th[aria-sort] button").get_attribute("data-metric") == "ERR_IA@20"
    for broken in ("#nowhere&topic=none&run=none", "#topics&run=%E0%A4%A&p=7&metrics=[1,2]&hidden={}"):
        again.goto("about:blank")  # otherwise the open page would only follow the new fragment
        again.goto(address + broken)
        drawn(again)


def test_back_and_undo_revert_a_choice(report: Any) -> None:
    """Back, the undo button and Ctrl+Z revert the last choice; Forward restores it."""
    assert report.locator("#undo").is_hidden()

    def wait_until_sorted_by(metric: str) -> None:
        condition = "(metric) => document.querySelector('#board th[aria-sort] button').dataset.metric === metric"
        report.wait_for_function(condition, arg=metric)

    report.locator("#board thead button[data-metric='ERR_IA@20']").click()
    report.locator("#board thead button[data-metric='StRecall@20']").click()
    report.go_back()
    wait_until_sorted_by("ERR_IA@20")
    report.go_forward()
    wait_until_sorted_by("StRecall@20")
    report.locator("#undo").click()
    wait_until_sorted_by("ERR_IA@20")
    report.keyboard.press("Control+z")
    wait_until_sorted_by(RBU)
    assert report.locator("#board th[aria-sort] button").count() == 1


def test_the_theme_is_remembered(watched: Any, address: str) -> None:
    """The button overrides the system's theme, in charts too, and the choice survives a reload."""
    page = opened(watched, address)
    fill = "getComputedStyle(document.querySelector('#chart-ranges svg text')).fill"
    before = page.evaluate(fill)
    page.locator("#theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate(fill) != before
    page.reload()
    page.wait_for_selector("html[data-theme=dark]", state="attached")


def test_a_crossing_opens_the_topic_that_contributes_most(report: Any, study: Evaluation) -> None:
    """Choosing a point where two lines cross shows the two systems on the topic that contributes most to it."""
    for run in study.scores.runs:
        report.locator("#bump-run").select_option(run)
        if settled(report).locator("#bump .crossing").count():
            break
    crossing = report.locator("#bump .crossing").first
    other = crossing.get_attribute("data-other")
    summary = report.locator("#crossings > details > summary")
    summary.click()
    assert report.locator("#crossings li .chip").count() >= 1
    crossing.press("Enter")
    report.wait_for_function(
        "([a, b]) => { const p = document.querySelectorAll('#panels .panel'); return p[0]?.dataset.run === a && p[1]?.dataset.run === b; }",
        arg=[run, other],
    )
    settled(report)
    metrics = [report.locator(f"#inspect-{name}").input_value() for name in ("metric", "against")]
    a, b, t = (
        study.scores.runs.index(run),
        study.scores.runs.index(other),
        study.scores.topics.index(report.locator("#inspect-topic").input_value()),
    )
    gaps = [values[a] - values[b] for values in (study.scores.array(metric) for metric in metrics)]
    scaled = [gap / gap.std() if gap.std() > 0 else gap * 0 for gap in gaps]
    assert int((scaled[0] - scaled[1]).argmax()) == t


@pytest.mark.parametrize(
    "section", ["leaderboard", "bump", "conclusions", "topics", "inspector", "metrics", "axioms", "parameters"]
)
def test_every_view_can_be_saved_as_picture_and_numbers(report: Any, section: str, tmp_path: Path) -> None:
    """The SVG parses and is self-contained, the PNG is valid, the CSV is rectangular, and the LaTeX is a table."""
    menu = report.locator(f"#{section} details.saving").first
    saved: dict[str, bytes] = {}
    for kind in ("SVG", "PNG", "CSV", "LaTeX"):
        menu.locator("summary").click()
        with report.expect_download() as download:
            menu.locator(f"button[data-save={kind}]").click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        saved[kind] = path.read_bytes()
    drawing = ElementTree.fromstring(saved["SVG"])
    assert float(drawing.attrib["width"]) > 100 and len(list(drawing.iter())) > 20
    assert b"var(--" not in saved["SVG"] and b"class=" not in saved["SVG"]
    assert saved["PNG"].startswith(b"\x89PNG")
    rows = list(csv.reader(io.StringIO(saved["CSV"].decode())))
    assert len(rows) > 1 and len({len(row) for row in rows}) == 1
    assert saved["LaTeX"].startswith(b"\\begin{tabular}") and saved["LaTeX"].count(b"\\\\") == len(rows)


def test_the_saved_leaderboard_contains_the_means(report: Any, study: Evaluation, tmp_path: Path) -> None:
    """The CSV of the leaderboard has the systems in order and the means as they are shown."""
    menu = report.locator("#leaderboard details.saving").first
    menu.locator("summary").click()
    with report.expect_download() as download:
        menu.locator("button[data-save=CSV]").click()
    download.value.save_as(tmp_path / "board.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "board.csv").read_text())))
    mean = study.scores.mean()
    assert [row["system"] for row in rows] == sorted(mean, key=lambda run: (-mean[run][RBU], run))
    assert all(row[metric] == f"{mean[row['system']][metric]:.4f}" for row in rows for metric in study.scores.metrics)
