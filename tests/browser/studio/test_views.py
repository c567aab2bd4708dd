"""The studio in a real browser: every value on the page is the library's."""

from __future__ import annotations

import time
from typing import Any

from diveval import evaluate, parse
from diveval.studio import collection as room
from diveval.studio.session import Studio
from diveval.studio.walk import inspect
from support.studio_page import METRICS, RBU, Served, column, go, means_of, ready, refused, shown


def test_the_leaderboard_shows_and_sorts_the_library_s_means(page, scores):
    """Sorted by the first metric at first, by another one when its head is chosen, and back to front the second time."""
    assert list(column(page, RBU).items()) == list(means_of(scores, RBU).items())
    page.click("#board thead button:has-text('P@20')")
    page.wait_for_selector("#board th[aria-sort=descending] button:has-text('P@20')")
    assert list(column(page, "P@20").items()) == list(means_of(scores, "P@20").items())
    page.click("#board thead button:has-text('P@20')")
    page.wait_for_selector("#board th[aria-sort=ascending] button:has-text('P@20')")
    assert list(column(page, "P@20").values()) == list(reversed(means_of(scores, "P@20").values()))
    page.wait_for_selector("#board sup")  # letters follow


def test_the_numbers_can_be_copied(page, scores):
    """The clipboard gets the library's CSV, topic by topic."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    column(page, RBU)
    page.click("button:has-text('Copy as CSV')")
    page.wait_for_selector("#status:has-text('Copied')")
    assert page.evaluate("() => navigator.clipboard.readText()") == scores.to_csv()


def test_a_slider_moves_the_scores(page, collection):
    """With the slider for p at 0.5 the means are those of RBU with p = 0.5."""
    column(page, RBU)
    page.locator("#sliders input[type=range][data-slider=p]").fill("0.5")
    name = "RBU(p=0.5,e=0.05)@20"
    expected = evaluate(collection["judgments"], collection["runs"], [name], weights=collection["weights"])
    assert list(column(page, name).items()) == list(means_of(expected, name).items())


def test_a_metric_can_be_added_and_left_out(page, collection, watched):
    """A name as the paper spells it is read by the server; a wrong one is told in a line."""
    page.fill("#add", "D#-nDCG@10")
    page.press("#add", "Enter")
    name = "Dsharp_nDCG(lam=0.5)@10"
    expected = evaluate(collection["judgments"], collection["runs"], [name], weights=collection["weights"])
    assert column(page, name) == means_of(expected, name)
    page.click(f"button[aria-label='Leave out {name}']")
    page.wait_for_selector(f"#board td[data-metric='{name}']", state="detached")
    page.fill("#add", "nothing-like-it")
    page.press("#add", "Enter")
    page.wait_for_selector("#status.error:has-text('no metric is called')")
    refused(page, watched)


def test_options_change_the_reading(page, collection):
    """With linear gain the means are those of `--gain linear`."""
    column(page, RBU)
    page.select_option("#option-gain", "linear")
    expected = means_of(evaluate(collection["judgments"], collection["runs"], [RBU], weights=collection["weights"], gain="linear"), RBU)
    best = next(iter(expected))
    page.wait_for_selector(f"tr[data-run='{best}'] td[data-metric='{RBU}'] .value:text-is('{expected[best]}')")
    assert column(page, RBU) == expected


def test_a_topic_s_cell_opens_its_ranking(page, scores):
    """Click, or walk with the arrow keys and press Enter: the inspector shows that run on that topic."""
    go(page, "topics")
    cell = page.locator("#heat td[data-topic='104']").nth(2)
    run, label = cell.get_attribute("data-run"), cell.get_attribute("aria-label")
    assert label == f"topic 104, {run}: {shown(scores.per_topic(run, RBU)['104'])}"
    cell.click()
    page.wait_for_selector(f".panel[data-run='{run}'] .curve svg")
    assert page.inner_text(f".panel[data-run='{run}'] .reached") == shown(scores.per_topic(run, RBU)["104"])
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


def test_the_inspector_shows_the_ranking_with_its_stop(page, served):
    """Documents in order, the stop where the library has it, two systems side by side."""
    go(page, "inspector")
    page.select_option("#inspect-topic", "103")
    page.select_option("#inspect-left", "perfect")
    page.select_option("#inspect-right", "random")
    page.wait_for_selector(".panel[data-run=perfect] + .panel[data-run=random] .curve svg")
    studio = served.studio
    known = inspect(studio.loaded(), "perfect", "103", parse(RBU), studio.options({}), depth=20)
    assert page.locator(".panel[data-run=perfect] td.doc .id").all_inner_texts() == [d["document"] for d in known["documents"]]
    assert f"rank {known['stop']['rank']}" in page.inner_text(".panel[data-run=perfect] .sum")


def test_metrics_parameters_and_what_if_draw(page, scores):
    """Unanimity with its chart, the grid over p and e, and an edited list, each with the library's numbers."""
    from diveval.meta import unanimity

    go(page, "metrics")
    page.wait_for_selector("#unanimity-chart svg")
    agreed = unanimity(scores, bootstrap=0).ranked()
    assert page.locator("#unanimity tbody td:first-child").all_inner_texts() == [row.metric for row in agreed]
    assert page.locator("#unanimity tbody td:nth-child(2)").all_inner_texts() == [f"{row.mu:.3f}" for row in agreed]
    assert page.locator("#agreement tbody td").count() == len(METRICS) ** 2
    page.wait_for_selector("#power-chart svg")
    assert page.locator("#power tbody tr").count() == len(METRICS)
    go(page, "parameters")
    page.wait_for_selector("#grid-tau td.chosen:has-text('1.00')")
    page.wait_for_selector("#ranges svg")
    page.click("button[aria-label='use p 0.8, e 0.1']")
    page.wait_for_selector("#chosen li.on:has-text('RBU(p=0.8,e=0.1)@20')")
    go(page, "whatif")
    page.select_option("#whatif-run", "perfect")
    page.wait_for_selector("figure:has-text('perfect') tr[data-metric='P@20']")
    cells = page.locator("figure:has-text('perfect') tr[data-metric='P@20'] td").all_inner_texts()
    assert cells[1] == shown(scores.mean()["perfect"]["P@20"]) and float(cells[2]) <= 0.5  # ten of twenty at most



def test_files_are_taken_from_the_visitor(watched, collection):
    """Picked files are uploaded, told apart by name, and loaded."""
    held = Served(Studio([collection["judgments"], collection["runs"][4]], metrics=[parse(RBU)]))
    try:
        page = watched.open(held.address)
        ready(page)
        page.set_input_files("#pick", [str(collection["judgments"]), str(collection["weights"]), *map(str, collection["runs"][1:3])])
        for name in (collection["judgments"], collection["runs"][4]):  # given on the command line: not these now
            page.locator(f"select[aria-label='what {name} is']").select_option("leave out")
        page.click("#load")
        page.wait_for_selector("#collection:has-text('2 runs, 6 topics')")
        expected = evaluate(collection["judgments"], collection["runs"][1:3], [RBU], weights=collection["weights"])
        page.wait_for_selector(f"#board tr[data-run='{expected.runs[0]}']")
        assert column(page, RBU) == means_of(expected, RBU)
        page.close()
    finally:
        held.close()
    assert not held.studio.store.folder.exists()


def test_long_work_shows_progress_and_can_be_cancelled(watched, collection, monkeypatch):
    """A slow reading shows a bar; Cancel ends it and what was loaded stays."""
    held = Served(Studio([collection["judgments"], *collection["runs"]]))
    read = room.Collection._read

    def slowly(self: Any, *words: Any, **more: Any) -> Any:
        time.sleep(0.4)
        return read(self, *words, **more)

    try:
        page = watched.open(held.address)
        ready(page)
        monkeypatch.setattr(room.Collection, "_read", slowly)
        page.click("#collection button:has-text('As given')")
        page.wait_for_selector("#collection progress")
        page.click("#collection button:has-text('Cancel')")
        page.wait_for_selector("#collection progress", state="detached")
        states = {job.kind: job.state for job in held.studio.jobs._jobs.values()}
        for _ in range(100):
            if states["collection"] == "cancelled":
                break
            time.sleep(0.05)
            states = {job.kind: job.state for job in held.studio.jobs._jobs.values()}
        assert states["collection"] == "cancelled"
        page.wait_for_selector("#collection:has-text('6 runs, 6 topics')")
        page.close()
    finally:
        held.close()
