"""Collections in the studio: files that say what they are, adding to what is open, other tabs, Back and undo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from diveval import evaluate, parse
from diveval.datasets import make_collection
from diveval.studio import loaded_collection as reading
from diveval.studio.limits import Limits
from diveval.studio.session import Studio
from support.pages import settled
from support.studio_page import RBU, Served, column, go, means_of, ready


@pytest.fixture
def held(collection: dict[str, Any], watched: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio of its own, that holds two collections at once; the built-in one has all its runs and few topics."""
    monkeypatch.setattr(
        reading, "make_collection", lambda place, **size: make_collection(place, topics=3, systems=30, depth=10)
    )
    given = [collection["judgments"], *collection["runs"][3:]]
    served = Served(Studio(given, weights=collection["weights"], metrics=[parse(RBU)], limits=Limits(collections=2)))
    yield served
    watched.close()  # a page that loses its server complains
    served.close()


def roles(page: Any) -> list[str]:
    """What each file is taken for."""
    chosen: list[str] = page.locator("#roles select").evaluate_all("all => all.map((one) => one.value)")
    return chosen


def test_files_say_what_they_are(watched: Any, held: Served, collection: dict[str, Any]) -> None:
    """Files over given ones need no role by hand; runs can be added to what is open; old errors go."""
    page = ready(watched.open(held.address))
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
    # Back takes the collection back, too; forward brings the three runs again.
    page.go_back()
    page.wait_for_selector("#collection:has-text('2 runs, 6 topics')")
    page.wait_for_function("() => document.querySelectorAll('#board tbody tr').length === 2")
    page.go_forward()
    page.wait_for_selector("#collection:has-text('3 runs, 6 topics')")
    page.close()


def test_back_and_forth_between_collections_ends_where_it_was_led(watched: Any, held: Served) -> None:
    """An answer about a collection that was left again, however late, does not bring it back."""
    page = ready(watched.open(held.address))
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


def test_a_second_tab_does_not_break_the_first(watched: Any, held: Served) -> None:
    """Other files in another tab leave the first as it was; pushed out, it says so and offers what is open."""
    first = ready(watched.open(held.address))
    before = column(first, RBU)
    second = ready(watched.open(held.address))
    second.click("#collection button:has-text('Built-in')")
    second.wait_for_selector("#collection:has-text('30 runs')")
    go(first, "topics")
    first.wait_for_selector("#heat td")
    go(first, "leaderboard")
    assert column(first, RBU) == before
    # One more collection and the oldest, that of the first tab, goes.
    second.click("#collection button:has-text('As given')")
    second.wait_for_selector("#collection:has-text('3 runs')")
    second.click("#collection button:has-text('Built-in')")
    second.wait_for_selector("#collection:has-text('30 runs')")
    first.select_option("#option-gain", "linear")
    first.wait_for_selector("#gone #reload")
    first.click("#reload")
    first.wait_for_selector("#collection:has-text('30 runs')")
    first.wait_for_selector("#gone:empty", state="attached")
    first.close()
    second.close()
    watched.complaints = [text for text in watched.complaints if "410" not in text]


def test_undo_takes_back_metrics_sliders_and_options(page: Any) -> None:
    """A slider that was dragged is one step, and so is each choice; Ctrl+Z and the button go back one by one."""
    before = column(page, RBU)
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    slider.fill("0.5")
    page.wait_for_selector("#board td[data-metric='RBU(p=0.5,e=0.05)@20']")
    page.select_option("#option-gain", "linear")
    page.wait_for_function("() => location.hash.includes('linear')")
    page.click("#undo")
    page.wait_for_function("() => !location.hash.includes('linear')")
    assert settled(page).input_value("#option-gain") == "exponential"
    page.locator("h2").click()
    page.keyboard.press("Control+z")
    page.wait_for_selector(f"#board td[data-metric='{RBU}']")
    assert column(page, RBU) == before


def test_undo_leads_to_where_a_slider_rested(page: Any) -> None:
    """A step made before the address was written does not lose the last place of the slider, nor the first state."""
    # Addresses of a dragged slider are written after 120 ms: make that late, as on a busy machine.
    page.evaluate("() => { window.real = setTimeout; window.setTimeout = (f, t) => real(f, t === 120 ? 20_000 : t); }")
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    for place in ("0.5", "0.6"):
        slider.fill(place)
        page.wait_for_selector(f"#board td[data-metric='RBU(p={place},e=0.05)@20']")
    page.select_option("#option-gain", "linear")
    page.wait_for_function("() => location.hash.includes('linear')")
    page.click("#undo")
    page.wait_for_function("() => !location.hash.includes('linear')")
    page.wait_for_selector("#board td[data-metric='RBU(p=0.6,e=0.05)@20']")
    page.wait_for_function("() => location.hash.includes('p%3D0.6')")
    page.evaluate("() => { window.setTimeout = real; }")


def test_an_address_typed_by_hand_keeps_metrics_and_collection(page: Any) -> None:
    """An address that names a view alone shows it with what is open."""
    before = column(page, RBU)
    page.evaluate("() => { location.hash = '#topics'; }")
    page.wait_for_selector("#heat td")
    page.evaluate("() => { location.hash = '#leaderboard'; }")
    assert column(page, RBU) == before
