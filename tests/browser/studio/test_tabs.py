"""Collections in the studio: detection of file types, adding runs, several tabs, Back and undo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate, parse
from diveval.datasets import make_collection
from diveval.metrics.names import labels
from diveval.studio import loaded_collection as reading
from diveval.studio.limits import Limits
from diveval.studio.session import Studio
from support.pages import settled
from support.studio_page import RBU, Served, agree, column, go, means_of, ready, refused


@pytest.fixture
def small_studio(collection: dict[str, Any], watched: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio that keeps two collections at once; its built-in collection has few topics."""
    monkeypatch.setattr(
        reading, "make_collection", lambda folder, **size: make_collection(folder, topics=3, systems=30, depth=10)
    )
    given = [collection["judgments"], *collection["runs"][3:]]
    served = Served(Studio(given, weights=collection["weights"], metrics=[parse(RBU)], limits=Limits(collections=2)))
    yield served
    watched.close()  # a page that loses its server reports errors
    served.close()


def roles(page: Any) -> list[str]:
    """The detected type of each file."""
    chosen: list[str] = page.locator("#roles select").evaluate_all("all => all.map((one) => one.value)")
    return chosen


def test_file_types_are_detected(watched: Any, small_studio: Served, collection: dict[str, Any]) -> None:
    """Uploaded files get their types without a choice, runs can be added to an open collection, and Back reverts both."""
    page = ready(watched.open(small_studio.address))
    page.set_input_files(
        "#pick", [str(collection["judgments"]), str(collection["weights"]), *map(str, collection["runs"][1:3])]
    )
    page.wait_for_selector("#load:not([disabled])")
    assert roles(page) == ["judgments", "weights", "run", "run"]
    page.click("#load")
    page.wait_for_selector("#collection:has-text('2 runs, 6 topics')")
    expected = evaluate(collection["judgments"], collection["runs"][1:3], [RBU], weights=collection["weights"])
    page.wait_for_selector(f"#board tr[data-run='{expected.runs[0]}']")
    assert column(page, RBU) == means_of(expected, RBU)
    page.set_input_files("#pick", [str(collection["runs"][4])])
    page.click("#add-files")
    page.wait_for_selector("#collection:has-text('3 runs, 6 topics')")
    # Back returns to the collection of two runs, and Forward to that of three.
    page.go_back()
    page.wait_for_selector("#collection:has-text('2 runs, 6 topics')")
    page.wait_for_function("() => document.querySelectorAll('#board tbody tr').length === 2")
    page.go_forward()
    page.wait_for_selector("#collection:has-text('3 runs, 6 topics')")
    page.close()


def test_the_dialog_counts_what_was_dropped(
    watched: Any, small_studio: Served, collection: dict[str, Any], tmp_path: Path
) -> None:
    """It counts judgments, runs and problems, has one button to go on, and shows a refusal beside its file."""
    broken, empty = tmp_path / "broken.run", tmp_path / "empty.run"
    broken.write_text("101 Q0 d1 1 high tag\n")
    empty.write_text("")
    page = ready(watched.open(small_studio.address))
    settled(page)
    page.set_input_files("#pick", [str(collection["judgments"]), *map(str, collection["runs"][1:3]), str(empty)])
    page.wait_for_selector("#import[open]")
    assert re.findall(r"\d+", page.inner_text("#import-title")) == ["1", "2", "1"]
    refused(page, watched)
    assert page.locator("#import button.primary").count() == 1
    page.set_input_files("#pick", [str(broken)])
    page.wait_for_selector("#import td:has-text('broken.run')")
    page.click("#load")
    fault = page.locator("#import tr:has(.id:text-is('broken.run')) .fault")
    fault.wait_for()
    assert "high" in fault.inner_text()
    page.click("#import [aria-label='remove broken.run']")
    page.click("#load")
    page.wait_for_selector("#import", state="hidden")
    page.wait_for_selector("#collection:has-text('2 runs, 6 topics')")
    page.close()


def test_the_first_screen_is_a_ranking_to_play_with(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without files the playground opens, preset Confidence, below what the studio is for; another view hides both."""
    monkeypatch.setattr(
        reading, "make_collection", lambda folder, **size: make_collection(folder, topics=3, systems=8, depth=10)
    )
    served = Served(Studio())
    page = ready(watched.open(served.address))
    assert page.locator("#welcome").is_visible() and page.input_value("#preset") == "Conf"
    page.wait_for_selector("#values .verdict.no")
    page.click("#welcome button.primary")
    page.wait_for_selector("#board tbody tr")
    assert page.locator("#welcome").count() == 0
    page.wait_for_function("() => /[0-9]/.test(document.getElementById('finding').textContent)")
    watched.close()
    served.close()


def test_given_files_open_with_the_verdict(watched: Any, served: Served, scores: Any) -> None:
    """Which metric to trust comes first: the rows of `choose` over all constraints, and the finding as the title."""
    page = ready(watched.open(served.address))
    page.wait_for_selector("#verdict-table tbody tr")
    page.wait_for_selector(".trust .headline a")
    shown = [row.locator("td").first.locator("b").inner_text() for row in page.locator("#verdict-table tbody tr").all()]
    assert set(shown) == set(labels(scores.metrics))
    assert shown[0] in page.locator("#finding").inner_text()
    satisfied = [
        int(text.split()[0]) for text in page.locator("#verdict-table td:nth-child(2) .share").all_inner_texts()
    ]
    assert satisfied == sorted(satisfied, reverse=True) and satisfied[0] > satisfied[-1]
    page.locator("#verdict-table td:last-child a").last.click()
    page.wait_for_selector("#matrix")


def test_a_late_answer_does_not_change_the_collection(watched: Any, small_studio: Served) -> None:
    """After Back and Forward, a late answer about the other collection is ignored."""
    page = ready(watched.open(small_studio.address))
    settled(page)
    page.click("#collection button:has-text('Built-in')")
    page.wait_for_selector("#collection:has-text('30 runs')")
    late: list[Any] = []

    def hold(route: Any) -> None:
        late.append(route)

    page.route("**/api/collections/*", hold)
    page.go_back()
    while not late:
        page.wait_for_timeout(20)
    page.go_forward()
    page.wait_for_timeout(100)
    for route in late:
        route.continue_()
    page.unroute("**/api/collections/*")
    settled(page)
    assert page.locator("#collection:has-text('30 runs')").count() == 1
    assert page.locator("#board tbody tr").count() == 30
    page.close()


def test_a_second_tab_does_not_break_the_first(watched: Any, small_studio: Served) -> None:
    """Other files in another tab do not change the first; once its collection is dropped, it offers the open one."""
    first = ready(watched.open(small_studio.address))
    before = column(first, RBU)
    second = ready(watched.open(small_studio.address))
    second.click("#collection button:has-text('Built-in')")
    second.wait_for_selector("#collection:has-text('30 runs')")
    go(first, "topics")
    first.wait_for_selector("#heat td")
    go(first, "leaderboard")
    assert column(first, RBU) == before
    # One more collection drops the oldest, that of the first tab.
    second.click("#collection button:has-text('As given')")
    second.wait_for_selector("#collection:has-text('3 runs')")
    second.click("#collection button:has-text('Built-in')")
    second.wait_for_selector("#collection:has-text('30 runs')")
    first.locator("#reading").evaluate("(one) => { one.open = true; }")
    first.select_option("#option-gain", "linear")
    first.wait_for_selector("#gone #reload")
    first.click("#reload")
    first.wait_for_selector("#collection:has-text('30 runs')")
    first.wait_for_selector("#gone:empty", state="attached")
    first.close()
    second.close()
    watched.complaints = [text for text in watched.complaints if "410" not in text]


def test_undo_reverts_sliders_and_options(page: Any) -> None:
    """Moving a slider is one step, and so is each choice; the button and Ctrl+Z revert them one by one."""
    before = column(page, RBU)
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    slider.fill("0.5")
    page.wait_for_selector("#board td[data-metric='RBU(p=0.5,e=0.05)@20']")
    page.locator("#reading").evaluate("(one) => { one.open = true; }")
    page.select_option("#option-gain", "linear")
    page.wait_for_function("() => location.hash.includes('linear')")
    page.click("#undo")
    page.wait_for_function("() => !location.hash.includes('linear')")
    assert settled(page).input_value("#option-gain") == "exponential"
    page.locator("#finding").click()
    page.keyboard.press("Control+z")
    page.wait_for_selector(f"#board td[data-metric='{RBU}']")
    assert column(page, RBU) == before


def test_undo_restores_the_last_position_of_a_slider(page: Any) -> None:
    """A choice made before the slider's address is written does not lose the slider's last position."""
    # The address of a moved slider is written after 120 ms; delay that, as on a busy machine.
    page.evaluate("() => { window.real = setTimeout; window.setTimeout = (f, t) => real(f, t === 120 ? 20_000 : t); }")
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    for value in ("0.5", "0.6"):
        slider.fill(value)
        page.wait_for_selector(f"#board td[data-metric='RBU(p={value},e=0.05)@20']")
    page.locator("#reading").evaluate("(one) => { one.open = true; }")
    page.select_option("#option-gain", "linear")
    page.wait_for_function("() => location.hash.includes('linear')")
    page.click("#undo")
    page.wait_for_function("() => !location.hash.includes('linear')")
    page.wait_for_selector("#board td[data-metric='RBU(p=0.6,e=0.05)@20']")
    page.wait_for_function("() => location.hash.includes('p%3D0.6')")
    page.evaluate("() => { window.setTimeout = real; }")


def test_an_address_typed_by_hand_keeps_metrics_and_collection(page: Any) -> None:
    """An address that names only a view shows it with the open collection and metrics."""
    before = column(page, RBU)
    page.evaluate("() => { location.hash = '#topics'; }")
    agree(page)
    page.wait_for_selector("#heat td")
    page.evaluate("() => { location.hash = '#leaderboard'; }")
    agree(page)
    assert column(page, RBU) == before
