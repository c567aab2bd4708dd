"""The studio in a real browser: every value on the page is the library's."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from diveval import evaluate, parse
from diveval.datasets import make_collection
from diveval.settings import Options
from diveval.studio import loaded_collection as reading
from diveval.studio.inspector import inspect
from diveval.studio.session import Studio
from support.pages import settled
from support.studio_page import METRICS, RBU, Served, column, go, means_of, ready, refused, shown


def test_the_leaderboard_shows_and_sorts_the_library_s_means(page: Any, scores: Any) -> None:
    """It is sorted by the first metric, by another one when its header is clicked, and reversed at the second click."""
    assert list(column(page, RBU).items()) == list(means_of(scores, RBU).items())
    page.click("#board thead button:has-text('P@20')")
    page.wait_for_selector("#board th[aria-sort=descending] button:has-text('P@20')")
    assert list(column(page, "P@20").items()) == list(means_of(scores, "P@20").items())
    page.click("#board thead button:has-text('P@20')")
    page.wait_for_selector("#board th[aria-sort=ascending] button:has-text('P@20')")
    assert list(column(page, "P@20").values()) == list(reversed(means_of(scores, "P@20").values()))
    page.wait_for_selector("#board sup", state="attached")  # letters appear later


def test_a_slider_changes_the_scores(page: Any, collection: Any) -> None:
    """With the slider for p at 0.5 the means are the library's for RBU with p = 0.5."""
    column(page, RBU)
    page.locator("#sliders input[type=range][data-slider=p]").fill("0.5")
    name = "RBU(p=0.5,e=0.05)@20"
    expected = evaluate(collection["judgments"], collection["runs"], [name], weights=collection["weights"])
    assert list(column(page, name).items()) == list(means_of(expected, name).items())


def test_the_last_step_of_a_slider_wins(page: Any) -> None:
    """The board shows the slider's position even if the answer to an earlier step arrives late."""
    settled(page)
    late: list[Any] = []

    def hold(route: Any) -> None:
        if not late:
            late.append(route)
        else:
            route.continue_()

    page.route("**/api/metric", hold)
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    slider.fill("0.31")  # values that no other test uses, since the page keeps answers
    slider.fill("0.32")
    page.wait_for_timeout(100)
    late[0].continue_()
    column(page, "RBU(p=0.32,e=0.05)@20")
    settled(page)
    page.unroute("**/api/metric")
    assert page.locator("#board thead button").first.get_attribute("data-metric") == "RBU(p=0.32,e=0.05)@20"
    assert slider.input_value() == "0.32"


def test_a_step_is_not_lost_when_another_metric_is_chosen(page: Any) -> None:
    """If the server answers after another metric is chosen, the choice and the slider's position both stay."""
    settled(page)
    late: list[Any] = []

    def hold(route: Any) -> None:
        late.append(route)

    page.route("**/api/metric", hold, times=1)
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    slider.fill("0.33")
    while not late:
        page.wait_for_timeout(20)
    page.click("#chosen .pick:has-text('P@20')")
    page.wait_for_selector("#chosen li.on:has-text('P@20')")
    late[0].continue_()
    column(page, "RBU(p=0.33,e=0.05)@20")
    assert settled(page).locator("#chosen li.on .pick").inner_text() == "P@20"
    page.click("#chosen .pick:has-text('RBU(p=0.33,e=0.05)@20')")
    page.wait_for_selector("#chosen li.on:has-text('RBU(p=0.33,e=0.05)@20')")
    assert settled(page).locator("#sliders input[type=range][data-slider=p]").input_value() == "0.33"


def test_many_systems_are_redrawn_when_a_slider_moves(watched: Any, tmp_path: Path) -> None:
    """While a slider moves, only visible rows are drawn; scrolled, saved or settled, the board has every system."""
    folder = make_collection(tmp_path / "many", topics=3, systems=45, depth=10)
    given = [folder / "qrels.txt", *sorted((folder / "runs").glob("*.run"))]
    studio = Served(Studio(given, metrics=[parse(RBU)]))
    rows = "() => document.querySelectorAll('#board tbody tr[data-run]').length"
    try:
        page = settled(ready(watched.open(studio.address)))
        slider = page.locator("#sliders input[type=range][data-slider=p]")
        for value in ("0.5", "0.6"):
            slider.fill(value)
            page.wait_for_selector(f"#board td[data-metric='RBU(p={value},e=0.05)@20']")
        page.locator(".scroll.board").evaluate("(frame) => { frame.scrollTop = 400; }")
        page.wait_for_function("() => document.querySelectorAll('#board tbody tr[data-run]').length === 45")
        slider.fill("0.7")
        name = "RBU(p=0.7,e=0.05)@20"
        page.wait_for_selector(f"#board td[data-metric='{name}']")
        page.locator("#board").dispatch_event("whole")
        assert page.evaluate(rows) == 45
        settled(page)
        assert list(column(page, name).items()) == list(means_of(evaluate(given[0], given[1:], [name]), name).items())
        page.close()
    finally:
        studio.close()


def test_settings_belong_to_their_metric(page: Any) -> None:
    """After a step the metric can still be chosen, and undo moves the slider back even if it has the focus."""
    settled(page)
    slider = page.locator("#sliders input[type=range][data-slider=p]")
    slider.fill("0.5")
    page.click("#chosen .pick:has-text('P@20')")
    page.click("#chosen .pick:has-text('RBU(p=0.5,e=0.05)@20')")
    column(page, "RBU(p=0.5,e=0.05)@20")
    assert settled(page).locator("#chosen li.on .pick").inner_text() == "RBU(p=0.5,e=0.05)@20"
    slider.focus()
    slider.fill("0.4")
    column(page, "RBU(p=0.4,e=0.05)@20")
    page.keyboard.press("Control+z")
    column(page, "RBU(p=0.5,e=0.05)@20")
    assert settled(page).locator("#sliders input[type=range][data-slider=p]").input_value() == "0.5"
    assert page.evaluate("() => document.activeElement.dataset.slider") == "p"


def test_two_options_in_a_row_both_apply(page: Any) -> None:
    """Both options apply if the second is chosen while runs are being read for the first."""
    settled(page)
    page.evaluate("""() => {
      for (const [name, word] of [['gain', 'linear'], ['ties', 'file']]) {
        const box = document.getElementById('option-' + name);
        box.value = word;
        box.dispatchEvent(new Event('change'));
      }
    }""")
    settled(page)
    assert [page.input_value(f"#option-{name}") for name in ("gain", "ties")] == ["linear", "file"]


def test_the_point_on_the_map_can_be_dragged(page: Any) -> None:
    """The setting follows the pointer until the button is released, and then the arrow keys."""
    go(page, "parameters")
    page.wait_for_selector("#map-point")
    settled(page)
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map svg").bounding_box()
    settings = [page.inner_text("#map-where")]
    page.mouse.move(box["x"] + 120, box["y"] + 60)
    page.mouse.down()
    for step in (40, 80, 120):
        page.mouse.move(box["x"] + 120 + step, box["y"] + 60 + step)
        settings.append(page.inner_text("#map-where"))
    page.mouse.up()
    assert len(set(settings)) == 4
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    assert page.inner_text("#map-where") == settings[-1]
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#map-where") != settings[-1]


@pytest.mark.parametrize(
    ("text", "field", "value", "name"),
    [
        ("alpha-nDCG@10", "cutoff", "5", "alpha_nDCG(alpha=0.5)@5"),
        ("alpha-nDCG@10", "cutoff", "", "alpha_nDCG(alpha=0.5)"),
        ("trec_eval.P_10", "cutoff", "5", "trec_eval.P_5"),
        ("RBU(p=1/3)@10", "e", "0.1", "RBU(p=1/3,e=0.1)@10"),
        ("SRR@50%", "coverage", "0.75", "SRR(coverage=0.75)"),
    ],
)
def test_any_setting_can_be_changed(page: Any, collection: Any, text: str, field: str, value: str, name: str) -> None:
    """Cutoffs, other tools' notations and parameters beside exact fractions give the library's means."""
    page.fill("#add", text)
    page.press("#add", "Enter")
    added = parse(text)
    assert added.entry is not None
    column(page, added.name)
    page.locator("#sliders p", has_text=added.entry.meaning).wait_for()  # its fields are shown
    box = page.locator(f"#sliders input[type=number][data-slider={field}]")
    box.fill(value)
    box.press("Tab")
    expected = evaluate(collection["judgments"], collection["runs"], [name], weights=collection["weights"])
    assert column(page, name) == means_of(expected, name)


def test_a_metric_can_be_added_and_left_out(page: Any, collection: Any, standing: Any) -> None:
    """A metric can be added by the paper's name and removed; an unknown name is an error at its field, until the field changes."""
    page.fill("#add", "D#-nDCG@10")
    page.press("#add", "Enter")
    name = "Dsharp_nDCG(lam=0.5)@10"
    expected = evaluate(collection["judgments"], collection["runs"], [name], weights=collection["weights"])
    assert column(page, name) == means_of(expected, name)
    page.click(f"button[aria-label='Leave out {name}']")
    page.wait_for_selector(f"#board td[data-metric='{name}']", state="detached")
    page.fill("#add", "nothing-like-it")
    page.press("#add", "Enter")
    page.wait_for_selector("#fault-add:has-text('nothing-like-it')")
    refused(page, standing)
    page.fill("#add", "P@5")
    page.wait_for_selector("#fault-add", state="detached")


def test_options_change_the_reading(page: Any, collection: Any) -> None:
    """With linear gain the means are the library's for gain="linear"."""
    column(page, RBU)
    page.locator("#reading").evaluate("(one) => { one.open = true; }")
    page.select_option("#option-gain", "linear")
    expected = means_of(
        evaluate(collection["judgments"], collection["runs"], [RBU], weights=collection["weights"], gain="linear"), RBU
    )
    best = next(iter(expected))
    page.wait_for_selector(f"tr[data-run='{best}'] td[data-metric='{RBU}'] .value:text-is('{expected[best]}')")
    assert column(page, RBU) == expected


def test_a_topic_s_cell_opens_its_ranking(page: Any, scores: Any) -> None:
    """A click, or Enter after moving with the arrow keys, opens that run on that topic in the inspector."""
    go(page, "topics")
    cell = page.locator("#heat td[data-topic='104']").nth(2)
    run, label = cell.get_attribute("data-run"), cell.get_attribute("aria-label")
    assert label.endswith(
        f"topic 104, {run}: {shown(scores.per_topic(run, RBU)['104'])}"
    )  # after what the cell shows, if it is wide enough
    cell.click()
    page.wait_for_selector(f".panel[data-run='{run}'] .curve svg")
    assert f" = {shown(scores.per_topic(run, RBU)['104'])}." in page.inner_text(f".panel[data-run='{run}'] .sum")
    assert page.input_value("#inspect-topic") == "104"
    go(page, "topics")
    page.locator("#heat td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    focused = page.locator("#heat td:focus")
    topic, run = focused.get_attribute("data-topic"), focused.get_attribute("data-run")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".panel[data-run='{run}'] .curve svg")
    assert page.input_value("#inspect-topic") == topic


def test_the_inspector_shows_the_ranking_with_its_stop(page: Any, served: Any) -> None:
    """Two systems are side by side; documents and stopping rank are the library's, and the stop line is at its row."""
    go(page, "inspector")
    page.select_option("#inspect-topic", "103")
    page.select_option("#inspect-left", "perfect")
    page.select_option("#inspect-right", "random")
    page.wait_for_selector(".panel.left[data-run=perfect] ~ .panel.right[data-run=random] .curve svg")
    studio = served.studio
    expected = inspect(studio.open_collection(), "perfect", "103", parse(RBU), Options.of(), depth=20)
    assert page.locator(".panel[data-run=perfect] td.doc .id").all_inner_texts() == [
        d["document"] for d in expected["documents"]
    ]
    assert f"rank {expected['stop']['rank']}" in page.inner_text(".panel[data-run=perfect] .sum")
    line, row = page.evaluate("""() => {
      const panel = document.querySelector('.panel[data-run=perfect]'), line = panel.querySelector('line.stop');
      return [line.getBoundingClientRect().bottom, panel.querySelector('tr.stop').getBoundingClientRect().bottom];
    }""")
    assert abs(line - row) <= 2


def test_metrics_parameters_and_what_if_show_the_librarys_values(page: Any, scores: Any) -> None:
    """Unanimity, the map over p and e, and an edited list have the library's values."""
    from diveval.meta import unanimity

    go(page, "metrics")
    page.wait_for_selector("#chart-unanimity svg")
    expected = {row.metric: f"{row.mu:.3f}" for row in unanimity(scores, bootstrap=0).rows}
    assert sorted(page.locator("#unanimity tbody td:nth-child(2)").all_inner_texts()) == sorted(expected.values())
    assert page.locator("#agreement tbody td").count() == len(METRICS) ** 2
    page.wait_for_selector("#chart-power > *")
    assert page.locator("#power tbody tr").count() == len(METRICS)
    go(page, "bump")
    page.wait_for_selector("#view .system.chosen")
    assert page.locator("#view .system").count() == len(scores.runs)
    go(page, "parameters")
    page.wait_for_selector("#grid-tau td.chosen:has-text('1.00')")
    page.click("button[aria-label$='show p 0.8, e 0.1']")
    page.click("#use-point")
    page.wait_for_selector("#chosen li.on:has-text('RBU(p=0.8,e=0.1)@20')")
    go(page, "whatif")
    page.select_option("#whatif-run", "perfect")
    page.wait_for_selector("figure:has-text('perfect') tr[data-metric='P@20']")
    cells = page.locator("figure:has-text('perfect') tr[data-metric='P@20'] td").all_inner_texts()
    assert cells[2] == shown(scores.mean()["perfect"]["P@20"])
    assert float(cells[3]) <= 0.5  # ten of twenty at most


def test_conclusions_follow_the_settings_in_doubt(page: Any, served: Any) -> None:
    """The number of certain pairs is the library's for the given ranges, in the view and in the headline."""
    from diveval.conclusions import conclude

    collection = served.studio.open_collection()
    rankings = collection.rankings([parse(METRICS[0])], Options())

    def edges(metric: Any, weights: Any) -> Any:
        conclusions = conclude(collection.judgments, (), metric, any_weights=weights, rankings=rankings)
        systems = len(conclusions.systems)
        return len(conclusions.edges()), systems * (systems - 1) // 2

    go(page, "conclusions")
    count, pairs = edges("RBU(p=0.6..0.99,e=0..0.1)@20", "given")
    page.wait_for_selector(f"#asked:has-text('{count} of {pairs} ')")
    page.fill("#doubt-p0", "0.95")
    page.press("#doubt-p0", "Enter")
    page.select_option("#doubt-weights", "as given")
    narrow, _ = edges("RBU(p=0.95..0.99,e=0..0.1)@20", False)
    page.wait_for_selector("#asked:has-text('0.95'):has-text('0.99')")
    page.wait_for_function("() => !document.querySelector('#asked').innerText.includes('weights')")
    assert page.locator("#asked p").first.inner_text().startswith(f"{narrow} of {pairs} ")
    go(page, "leaderboard")
    page.wait_for_selector(f".headline a[data-view=conclusions]:has-text('{narrow}'):has-text('{pairs}')")


def test_numbers_do_not_wait_for_the_headline(page: Any, served: Any) -> None:
    """The page loads no chart library; the headline and the intervals of all columns appear when the tests are done."""
    loaded = page.evaluate("() => performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [name for name in loaded if "vega" in name]
    page.wait_for_selector(".headline a")
    page.wait_for_function("() => document.querySelectorAll('#board tbody tr:first-child td .range').length === 4")


def test_long_work_shows_progress_and_can_be_cancelled(
    watched: Any, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow reading shows a progress bar; Cancel ends it, and the loaded collection stays."""
    studio = Served(Studio([collection["judgments"], *collection["runs"]]))
    read, resume = reading.LoadedCollection._read, threading.Event()

    def slowly(self: Any, *words: Any, **more: Any) -> Any:
        resume.wait(60)
        return read(self, *words, **more)

    def loading(page: Any) -> Any:
        """The job, which on a busy machine starts after its progress bar is shown."""
        for _ in range(5000):
            for job in list(studio.studio.jobs._jobs.values()):
                if job.kind == "collection" and job.open:
                    return job
            page.wait_for_timeout(20)
        raise AssertionError("no job started")

    try:
        page = watched.open(studio.address)
        ready(page)
        monkeypatch.setattr(reading.LoadedCollection, "_read", slowly)
        page.click("#collection button:has-text('As given')")
        page.wait_for_selector("#collection progress")
        job = loading(page)
        page.click("#collection button:has-text('Cancel')")
        page.wait_for_selector("#collection progress", state="detached")
        assert job.open  # it ends at its next step; the page does not wait for that
        resume.set()
        for _ in range(1000):
            if not job.open:
                break
            time.sleep(0.02)
        assert job.state == "cancelled"
        page.wait_for_selector("#collection:has-text('6 runs, 6 topics')")
        page.close()
    finally:
        studio.close()
