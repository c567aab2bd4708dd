"""The studio in a real browser: every value on the page is the library's, ids are text, and other pages stay out."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the studio needs uvicorn")
pytest.importorskip("starlette", reason="the studio needs starlette")
pytest.importorskip("vl_convert", reason="the studio's charts need vl-convert")

import uvicorn

from diveval import evaluate, parse
from diveval.datasets import make_collection
from diveval.studio import collection as room
from diveval.studio.app import make_app
from diveval.studio.limits import Limits
from diveval.studio.server import bind
from diveval.studio.session import Studio
from diveval.studio.walk import inspect

TOKEN = "a-token-for-the-browser"
HOSTILE = "<img/src=x/onerror=hacked=1>"
RBU = "RBU(p=0.99,e=0.05)@20"
METRICS = [RBU, "alpha_nDCG(alpha=0.5)@20", "ERR_IA@20", "P@20"]
PICTURES = os.environ.get("DIVEVAL_PICTURES")  # a folder: keep what `test_pictures` draws


class Served:
    """A studio on a port of its own, in a thread."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.listener = bind(0)
        self.port = self.listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.address = f"{self.origin}/#token={TOKEN}"
        config = uvicorn.Config(
            make_app(studio, port=self.port, token=TOKEN), log_level="critical", ws="none", timeout_graceful_shutdown=0
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self.listener.close()


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A small collection in which a run, a topic, an aspect and a document have names that are markup."""
    made = make_collection(tmp_path_factory.mktemp("studio"), topics=6, systems=6, depth=40, seed=5)
    runs = sorted((made / "runs").glob("*.run"))
    weights = made / "weights.txt"
    first = runs[0].read_text().split()
    for path in [made / "qrels.txt", weights, *runs]:
        text = re.sub(r"(?m)^101 ", HOSTILE.replace("1", "2") + " ", path.read_text())
        if path.parent == made:
            text = re.sub(rf"(?m)^({re.escape(HOSTILE.replace('1', '2'))}) 1 ", rf"\1 {HOSTILE.replace('1', '3')} ", text)
        path.write_text(text.replace(f" {first[2]} ", f" {HOSTILE.replace('1', '4')} "))
    evil = runs[0].with_name("<b onclick=hacked=5>.run")
    runs[0].rename(evil)
    return {"judgments": made / "qrels.txt", "weights": weights, "runs": [evil, *runs[1:]]}


@pytest.fixture(scope="session")
def served(collection: dict[str, Any]) -> Iterator[Served]:
    """The studio with that collection as its files of the command line."""
    metrics = [parse(name) for name in METRICS]
    held = Served(Studio([collection["judgments"], *collection["runs"]], weights=collection["weights"], metrics=metrics))
    yield held
    held.close()


@pytest.fixture(scope="session")
def scores(collection: dict[str, Any]) -> Any:
    """The library's own answer."""
    return evaluate(collection["judgments"], collection["runs"], METRICS, weights=collection["weights"])


def shown(number: float) -> str:
    """Four digits as JavaScript writes them: a half is rounded away from zero."""
    return str(Decimal(number).quantize(Decimal("0.0001"), ROUND_HALF_UP))


def ready(page: Any) -> Any:
    page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=30_000)
    return page


@pytest.fixture
def page(watched: Any, served: Served) -> Any:
    """The studio's page, come up; complaints of the console fail the test."""
    return ready(watched.open(served.address))


def go(page: Any, view: str) -> None:
    page.click(f"#views a[data-view={view}]")


def column(page: Any, metric: str) -> dict[str, str]:
    """A leaderboard's column as shown, from top to bottom."""
    page.wait_for_selector(f"#board td[data-metric='{metric}']")
    rows = page.query_selector_all("#board tbody tr")
    return {row.get_attribute("data-run"): row.query_selector(f"td[data-metric='{metric}'] .value").inner_text() for row in rows}


def means_of(scores: Any, metric: str) -> dict[str, str]:
    """The library's means, best first, as the page writes them."""
    mean = scores.mean()
    best = sorted(mean, key=lambda run: (-mean[run][metric], run))
    return {run: shown(mean[run][metric]) for run in best}


def refused(page: Any, watched: Any) -> None:
    """The browser's console notes the one refusal, perhaps a moment after the page shows it; that is no complaint."""
    for _ in range(100):
        if watched.complaints:
            break
        page.wait_for_timeout(50)
    assert ["400" in complaint for complaint in watched.complaints] == [True]
    watched.complaints.clear()


# --- the views --------------------------------------------------------------------------------------------------------


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


# --- the playground ---------------------------------------------------------------------------------------------------


def played(page: Any) -> tuple[list[list[float]], list[float]]:
    """The ranking as it stands on the page: relevance by rank, and weights."""
    rows = [
        [float(box.input_value()) for box in row.query_selector_all("td.r input")]
        for row in page.query_selector_all("tr[data-where=list]")
    ]
    return rows, [float(box.input_value()) for box in page.query_selector_all("tr.weights input")]


def value(page: Any, metric: str) -> str:
    return str(page.inner_text(f"#values tr[data-metric='{metric}'] td.now"))


def expect_library(page: Any, metric: str = RBU) -> str:
    """Wait until the page shows what the library says of the ranking on the page."""
    rows, weights = played(page)
    shares = [w / sum(weights) for w in weights]
    said = shown(parse(metric)(rows, weights=shares, pool=[row for row in rows if any(row)]))
    page.wait_for_selector(f"#values tr[data-metric='{metric}'] td.now:text-is('{said}')")
    return said


def names(page: Any) -> list[str]:
    return [row.get_attribute("data-name") for row in page.query_selector_all("tr[data-where=list]")]


def test_dragging_a_document_moves_every_metric(page):
    """While and after a drag the metrics are those of the new order, as the library has them."""
    go(page, "playground")
    before = expect_library(page)
    handle = page.locator("tr[data-name=E] .handle").bounding_box()
    target = page.locator("tr[data-name=A]").bounding_box()
    page.mouse.move(handle["x"] + 5, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    page.mouse.move(handle["x"] + 5, target["y"] + 4, steps=12)
    assert names(page) == ["E", "A", "B", "C", "D"]  # it moves as one drags
    assert expect_library(page) != before
    page.mouse.up()
    assert names(page) == ["E", "A", "B", "C", "D"]
    for metric in (RBU, "alpha_nDCG(alpha=0.5)@20", "ERR_IA@20", "AP", "EU(alpha=0.5,e=0.05)", "NRBP(p=0.8,alpha=0.5)"):
        expect_library(page, metric)


def test_the_keyboard_moves_a_document_too(page):
    """Arrow keys on the handle; the focus stays with the document, and the new rank is announced."""
    go(page, "playground")
    expect_library(page)
    page.focus("tr[data-name=C] .handle")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert names(page) == ["C", "A", "B", "D", "E"]
    expect_library(page)
    assert page.evaluate("() => document.activeElement.dataset.focus") == "handle-C"
    assert page.inner_text("#view [role=status]") == "C is now at rank 1 of 5"


def test_relevance_weights_documents_and_aspects_change_by_hand(page):
    """Type a relevance, a weight; add and remove a document and an aspect; put one on the bench."""
    go(page, "playground")
    expect_library(page)
    page.get_by_label("relevance of D to hours").fill("0.9")
    expect_library(page)
    page.get_by_label("weight of offers").fill("2")
    expect_library(page)
    page.click("#add-document")
    page.get_by_label("relevance of F to menu").fill("1")
    assert len(played(page)[0]) == 6
    expect_library(page, "alpha_nDCG(alpha=0.5)@20")
    page.click("#add-aspect")
    page.get_by_label("relevance of A to t4").fill("0.3")
    assert len(played(page)[1]) == 4
    expect_library(page)
    page.click("button[aria-label='Remove aspect menu']")
    page.click("button[aria-label='Remove B']")
    assert names(page) == ["A", "C", "D", "E", "F"] and len(played(page)[1]) == 3
    expect_library(page)
    page.click("button[aria-label='Do not return C']")
    page.wait_for_selector("#bench tr[data-name=C]")
    assert names(page) == ["A", "D", "E", "F"]
    expect_library(page)


def test_a_relevance_out_of_range_is_not_taken(page):
    """2 is not a relevance: the field goes back to what it was when it is left."""
    go(page, "playground")
    expect_library(page)
    box = page.get_by_label("relevance of A to menu")
    box.fill("2")
    box.blur()
    assert box.input_value() == "0.5"
    expect_library(page)


def test_situations_show_before_and_after(page):
    """A constraint's situation compares both rankings and marks which metrics do as it wants."""
    go(page, "playground")
    page.wait_for_selector("#preset option[value=MRed]", state="attached")
    page.select_option("#preset", "MRed")
    page.wait_for_selector(f"#values tr[data-metric='{RBU}'] .verdict.yes")
    page.wait_for_selector("#values tr[data-metric='alpha_nDCG(alpha=0.5)@20'] .verdict.no")
    page.click("#exchange")
    page.wait_for_selector(f"#values tr[data-metric='{RBU}'] .change.down")


def test_the_playground_finds_counterexamples(page):
    """The engine's counterexamples to the chosen metrics become situations."""
    pytest.importorskip("z3", reason="the axiom engine needs z3")
    go(page, "playground")
    page.wait_for_selector("#preset option[value=Pri]", state="attached")
    page.select_option("#preset", "find")
    page.wait_for_selector("#preset option[value='P@20 Conf']", state="attached")
    page.select_option("#preset", "P@20 Conf")
    page.wait_for_selector("#values tr[data-metric='P@20'] .verdict.no")


def test_a_counterexample_opens_in_the_playground(page):
    """From the matrix to the ranking: P@20 does not see the swap that Pri is about."""
    pytest.importorskip("z3", reason="the axiom engine needs z3")
    go(page, "axioms")
    page.click("[data-cell='P@20/Pri']")
    page.wait_for_selector("#evidence:has-text('fails')")
    page.click("#play-it")
    page.wait_for_selector("#values tr[data-metric='P@20'] .verdict.no")
    page.wait_for_selector(f"#values tr[data-metric='{RBU}'] .verdict.yes")


def test_a_link_holds_the_whole_state(page, watched, served):
    """Reload, or open the link elsewhere: the same ranking, metrics, options and view, without the token in it."""
    go(page, "playground")
    expect_library(page)
    page.get_by_label("relevance of B to offers").fill("0.85")
    page.focus("tr[data-name=E] .handle")
    page.keyboard.press("ArrowUp")
    page.locator("#sliders input[type=range][data-slider=e]").fill("0.1")
    metric = "RBU(p=0.99,e=0.1)@20"
    said = expect_library(page, metric)
    page.wait_for_timeout(300)  # the address is written when things rest
    link, order = page.url, names(page)
    assert TOKEN not in link and "#s=" in link
    page.reload()
    ready(page)
    assert (names(page), value(page, metric)) == (order, said) == (order, expect_library(page, metric))
    other = watched.open(served.address)
    ready(other)
    other.evaluate("(link) => { location.href = link; }", link)
    other.wait_for_selector(f"#values tr[data-metric='{metric}'] td.now:text-is('{said}')")
    assert names(other) == order


def test_a_broken_link_still_opens(page, served):
    """Whatever the address holds, the page comes up: nothing, noise, null, a list, a playground that is none."""
    for state in ("s=", "s=AAAA", "s=bnVsbA", "s=W10", "s=eyJwbGF5Ijp7Imxpc3QiOjV9LCJ2aWV3IjoicGxheWdyb3VuZCJ9", "noise"):
        page.goto("about:blank")
        page.goto(served.origin + "/#" + state)
        ready(page)
        assert page.locator("#view h2").count() == 1


# --- files and work ---------------------------------------------------------------------------------------------------


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


# --- nobody in --------------------------------------------------------------------------------------------------------


def test_hostile_ids_are_text(page):
    """Names that are markup are shown as they are, in every view, and nothing of them runs."""
    page.wait_for_selector("#board tbody tr")
    assert "<b onclick=hacked=5>" in page.inner_text("#board")
    go(page, "topics")
    page.wait_for_selector("#heat td")
    assert HOSTILE.replace("1", "2") in page.inner_text("#heat")
    go(page, "inspector")
    page.select_option("#inspect-topic", HOSTILE.replace("1", "2"))
    page.select_option("#inspect-left", "<b onclick=hacked=5>")
    page.wait_for_selector(f"td.doc:has-text('{HOSTILE.replace('1', '4')}')")
    assert HOSTILE.replace("1", "3") in page.inner_text(".panel thead >> nth=0")
    for view in ("metrics", "parameters", "whatif", "playground"):
        go(page, view)
        page.wait_for_timeout(200)
    assert page.locator("main img, main b[onclick]").count() == 0
    assert page.evaluate("() => typeof hacked") == "undefined"


def test_without_the_token_the_page_says_what_to_do(browser, served):
    """The page comes up without data and says where the right address is."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(served.origin)
        page.wait_for_selector("html[data-ready=failed]", state="attached")
        assert "open the address that `diveval studio` printed" in page.inner_text("#view")


def test_a_rebound_name_gets_nothing(browser, served):
    """DNS rebinding: a foreign name that leads to this machine is refused, though the port is the same."""
    path = next(found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name)))
    rebound = browser.browser_type.launch(
        executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP evil.example 127.0.0.1"]
    )
    try:
        page = rebound.new_page()
        answer = page.goto(f"http://evil.example:{served.port}/")
        assert answer.status == 421 and "diveval studio" not in page.content()
        status = page.evaluate("async (token) => (await fetch('/api/session', {headers: {authorization: 'Bearer ' + token}})).status", TOKEN)
        assert status == 421
    finally:
        rebound.close()


class Foreign(BaseHTTPRequestHandler):
    """A page of somebody else's."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[str]:
    """Another page on another port of this machine: same site, other origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_another_page_can_neither_read_nor_change_nor_frame(browser, served, elsewhere):
    """Cross-site requests fail in every mode, even with the token; the page cannot be framed."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(elsewhere)
        tried = """async ([origin, token]) => {
            const out = [];
            const headers = {authorization: 'Bearer ' + token};
            for (const init of [{}, {headers}, {method: 'POST', body: '{}'}, {method: 'POST', body: '{}', headers}])
                try { const r = await fetch(origin + '/api/session', init); out.push('read ' + r.status); } catch { out.push('refused'); }
            const opaque = await fetch(origin + '/api/files?name=x', {method: 'POST', mode: 'no-cors', body: '1 0 d 1'}).catch(() => null);
            out.push(opaque ? opaque.type : 'refused');
            return out;
        }"""
        before = len(served.studio.store.files)
        assert page.evaluate(tried, [served.origin, TOKEN]) == ["refused"] * 4 + ["refused"]
        assert len(served.studio.store.files) == before
        page.evaluate("(origin) => { const f = document.createElement('iframe'); f.src = origin; document.body.append(f); }", served.origin)
        page.wait_for_timeout(500)
        assert all("views" not in (frame.content() if frame.url.startswith(served.origin) else "") for frame in page.frames[1:])


def test_the_policy_refuses_what_is_not_the_page_s_own(browser, served):
    """Should markup ever get in: inline script, handlers, eval and other hosts are refused by the browser itself."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(served.address)
        ready(page)
        tried = """async () => {
            const script = document.createElement('script');
            script.textContent = 'hacked = 6';
            document.body.append(script);
            document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="hacked = 7"><a href="javascript:hacked=8">x</a>');
            document.body.lastChild.click();
            const element = document.createElement('div');
            element.setAttribute('onclick', 'hacked = 9');
            element.click();
            const sent = await fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused');
            await new Promise((done) => setTimeout(done, 300));
            return [sent, typeof hacked];
        }"""
        heard: list[str] = []
        page.on("console", lambda message: heard.append(message.text))
        assert page.evaluate(tried) == ["refused", "undefined"]
        assert sum("Content Security Policy" in text for text in heard) >= 4, heard


def test_an_oversized_file_is_told_and_not_taken(watched, collection, tmp_path):
    """The page says so before it sends; sent all the same, the server refuses it and keeps nothing."""
    held = Served(Studio([collection["judgments"], collection["runs"][1]], limits=Limits(upload=1000)))
    try:
        page = ready(watched.open(held.address))
        large = tmp_path / "large.run"
        large.write_bytes(b"x" * 1001)
        page.set_input_files("#pick", str(large))
        page.wait_for_selector("text=large.run is larger than 1000 bytes")
        sent = "async (t) => (await fetch('/api/files?name=x', {method: 'POST', body: 'x'.repeat(1001), headers: {authorization: 'Bearer ' + t}})).status"
        assert page.evaluate(sent, TOKEN) == 413
        assert not [known for known in held.studio.store.files.values() if known.uploaded]
        page.close()
        watched.complaints = [text for text in watched.complaints if "413" not in text]
    finally:
        held.close()


# --- looks ------------------------------------------------------------------------------------------------------------

VIEWS = ["leaderboard", "topics", "inspector", "metrics", "axioms", "parameters", "whatif", "playground"]


@pytest.mark.parametrize("width", [390, 1280])
def test_no_view_is_wider_than_the_window(watched, served, width):
    """On a phone and on a desktop nothing sticks out; wide tables scroll in their own frame."""
    page = ready(watched.open(served.address, viewport={"width": width, "height": 840}))
    for view in VIEWS:
        go(page, view)
        page.wait_for_timeout(250)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


PICTURED = [
    ("leaderboard", "light", 1280), ("topics", "dark", 1280), ("inspector", "light", 1280), ("metrics", "dark", 1280),
    ("axioms", "light", 1280), ("whatif", "dark", 1280), ("playground", "light", 1280), ("playground", "dark", 390),
]  # fmt: skip


@pytest.mark.skipif(not PICTURES, reason="DIVEVAL_PICTURES names the folder for the documentation's pictures")
def test_pictures(watched):
    """One picture of each view of the built-in collection, for the documentation."""
    held = Served(Studio())
    try:
        for view, theme, width in PICTURED:
            page = ready(watched.open(held.address, viewport={"width": width, "height": 820}, color_scheme=theme))
            go(page, view)
            if view == "axioms":
                page.click("[data-cell='ERR_IA@20/CloseTh']")
            if view == "playground" and width > 1000:
                page.select_option("#preset", "MRed")
            page.wait_for_timeout(2500)
            page.screenshot(path=Path(str(PICTURES)) / f"studio-{view}{'-phone' if width < 500 else ''}.png")
    finally:
        held.close()
