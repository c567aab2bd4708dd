"""Security of the studio: ids are text; foreign pages, foreign host names and oversized files are refused."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from diveval.studio.limits import Limits
from diveval.studio.session import Studio
from support.pages import PATIENCE, settled
from support.studio_page import HOSTILE, TOKEN, Served, go, ready


def test_hostile_ids_are_text(page: Any) -> None:
    """Names that are markup are shown as text in every view, and no script in them runs."""
    page.wait_for_selector("#board tbody tr")
    assert "<b onclick=hacked=5>" in page.inner_text("#board")
    go(page, "topics")
    page.wait_for_selector("#heat td")
    names = page.locator("#heat tbody th").evaluate_all("all => all.map((th) => th.dataset.value)")
    assert HOSTILE.replace("1", "2") in names
    go(page, "inspector")
    page.select_option("#inspect-topic", HOSTILE.replace("1", "2"))
    page.select_option("#inspect-left", "<b onclick=hacked=5>")
    settled(page).wait_for_selector(f"td.doc:has-text('{HOSTILE.replace('1', '4')}')")
    assert HOSTILE.replace("1", "3") in page.inner_text(".panel thead >> nth=0")
    for view in ("metrics", "parameters", "whatif", "playground"):
        go(page, view)
        settled(page)
    assert page.locator("main img, main b[onclick]").count() == 0
    assert page.evaluate("() => typeof hacked") == "undefined"


def test_without_the_token_the_page_shows_no_data(browser: Any, served: Any) -> None:
    """The page opens without data and refers to the address that `diveval studio` printed."""
    with contextlib.closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(served.origin)
        page.wait_for_selector("html[data-ready=failed]", state="attached")
        assert "diveval studio" in page.inner_text("#view")


def test_dns_rebinding_is_refused(browser: Any, served: Any) -> None:
    """Requests to a foreign name that resolves to this machine are refused, even with the token."""
    with contextlib.closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        answer = page.goto(f"http://evil.example:{served.port}/")  # resolved to this machine by the browser
        assert answer.status == 421 and "diveval studio" not in page.content()
        status = page.evaluate(
            "async (token) => (await fetch('/api/session', {headers: {authorization: 'Bearer ' + token}})).status",
            TOKEN,
        )
        assert status == 421


class ForeignPage(BaseHTTPRequestHandler):
    """A page of another origin."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def foreign_origin() -> Iterator[str]:
    """A page on another port of this machine: same site, other origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ForeignPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_another_page_can_neither_read_nor_change_nor_frame_the_studio(
    browser: Any, served: Any, foreign_origin: Any
) -> None:
    """Cross-origin requests fail in every mode, even with the token, and the page cannot be framed."""
    with contextlib.closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(foreign_origin)
        requests = """async ([origin, token]) => {
            const out = [];
            const headers = {authorization: 'Bearer ' + token};
            for (const init of [{}, {headers}, {method: 'POST', body: '{}'}, {method: 'POST', body: '{}', headers}])
                try { const r = await fetch(origin + '/api/session', init); out.push('read ' + r.status); } catch { out.push('refused'); }
            const opaque = await fetch(origin + '/api/files?name=x', {method: 'POST', mode: 'no-cors', body: '1 0 d 1'}).catch(() => null);
            out.push(opaque ? opaque.type : 'refused');
            return out;
        }"""
        before = len(served.studio.store.files)
        assert page.evaluate(requests, [served.origin, TOKEN]) == ["refused"] * 5
        assert len(served.studio.store.files) == before
        page.evaluate(  # a refused frame loads an error page of the browser
            "(origin) => new Promise((done) => { const f = document.createElement('iframe'); f.src = origin; f.onload = done; document.body.append(f); })",
            served.origin,
        )
        assert all(
            "views" not in (frame.content() if frame.url.startswith(served.origin) else "") for frame in page.frames[1:]
        )


def test_a_foreign_link_runs_nothing_and_logs_nobody_out(browser: Any, served: Any) -> None:
    """An address from elsewhere is shown and computed only after a click, and its token does not replace one that works."""
    with contextlib.closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(served.address)
        settled(ready(page))
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        link = "axioms&metrics=" + quote('["RBU@100000"]')
        for address in (f"{served.origin}/#token=bogus&{link}", f"{served.origin}/?again#{link}"):
            requests.clear()
            page.goto(address)
            page.wait_for_selector("#asked .yes")
            page.wait_for_timeout(300)
            assert not [url for url in requests if "/api/" in url and not url.endswith("/api/session")], requests
        page.click("#asked .no")
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        requests.clear()
        page.evaluate("(link) => { location.hash = link; }", link)  # as an opener can, in the same document
        page.wait_for_selector("#asked .yes")
        page.wait_for_timeout(300)
        assert not [url for url in requests if "axioms" in url]
        assert page.evaluate("() => localStorage.getItem('diveval-studio-token')") == TOKEN


def test_the_policy_refuses_foreign_code(browser: Any, served: Any) -> None:
    """The browser refuses inline scripts, event handlers, javascript: links and requests to other hosts."""
    with contextlib.closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(served.address)
        ready(page)
        attempts = """async () => {
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
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        assert page.evaluate(attempts) == ["refused", "undefined"]
        for _ in range(100):  # messages may arrive a moment later
            if sum("Content Security Policy" in text for text in messages) >= 4:
                break
            page.wait_for_timeout(50)
        assert sum("Content Security Policy" in text for text in messages) >= 4, messages


def test_an_oversized_file_is_refused(watched: Any, collection: Any, tmp_path: Path) -> None:
    """The page refuses an oversized file before it uploads it; the server refuses one that is sent, and keeps nothing."""
    studio = Served(Studio([collection["judgments"], collection["runs"][1]], limits=Limits(upload=1000)))
    try:
        page = ready(watched.open(studio.address))
        large = tmp_path / "large.run"
        large.write_bytes(b"x" * 1001)
        page.set_input_files("#pick", str(large))
        page.wait_for_selector(r"text=/large\.run.*1000/")
        sent = "async (t) => (await fetch('/api/files?name=x', {method: 'POST', body: 'x'.repeat(1001), headers: {authorization: 'Bearer ' + t}})).status"
        assert page.evaluate(sent, TOKEN) == 413
        assert not [file for file in studio.studio.store.files.values() if file.uploaded]
        page.close()
        watched.complaints = [text for text in watched.complaints if "413" not in text]
    finally:
        studio.close()
