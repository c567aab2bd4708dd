"""The page for assessors in a real browser, offline: labels by keyboard and mouse, kept, exported and read back."""

from __future__ import annotations

import contextlib
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from support.pages import PATIENCE
from support.tracks import answer, run_text, send, small, track

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A track with a pool of two documents per topic, with aspects and texts that try to be HTML."""
    place = small(tmp_path)
    send(place, "alpha", "alpha-1", run_text("alpha-1"))
    send(place, "beta", "beta-1", run_text("beta-1"))
    lines = [
        json.dumps({"id": str(t), "query": f"query {t} {HOSTILE}", "aspects": [f"first {HOSTILE}", "second"]})
        for t in range(1, 5)
    ]
    (tmp_path / "topics.jsonl").write_text("\n".join(lines) + "\n")
    texts = [json.dumps({"id": f"doc-{t}01", "title": HOSTILE, "text": HOSTILE}) for t in range(1, 5)]
    (tmp_path / "docs.jsonl").write_text("\n".join(texts) + "\n")
    given = ("--topics", tmp_path / "topics.jsonl", "--docs", tmp_path / "docs.jsonl")
    track("pool", place, "--depth", "2", "--highest-label", "2", "--assessors", "anna", *given)
    return place


def test_labels_are_made_kept_exported_and_read_back(browser: Any, place: Path) -> None:
    """Keys label and move, a reload keeps every label, the export is what `track labels` reads, and no text is run."""
    context = browser.new_context(offline=True, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    with contextlib.closing(context):
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        address = (place / "private/pool/anna.html").as_uri()
        page.goto(address)
        for width in (1200, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("fieldset").count() == 2
        for key in ("2", "0", "1"):  # both aspects of the first document, the first of the second
            page.keyboard.press(key)
        assert page.locator("#count").inner_text().startswith("3 of 16")
        page.keyboard.press("u")
        assert page.locator("#count").inner_text().startswith("2 of 16")
        page.keyboard.press("z")  # nothing for the rest of the second document
        page.locator("fieldset").nth(1).locator("label", has_text="2").click()
        assert page.locator("#count").inner_text().startswith("5 of 16")
        page.reload()
        assert page.locator("#count").inner_text().startswith("5 of 16")
        page.keyboard.press("9")  # above the scale
        assert page.locator("#count").inner_text().startswith("5 of 16")
        with page.expect_download() as started:
            page.locator("#export").click()
        target = place.parent / started.value.suggested_filename
        started.value.save_as(target)
        with target.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert [row["label"] for row in rows] == ["2", "0", "0", "0", "2"]
        assert answer("labels", target, "--track", place)["assessors"][0]["missing"] == 11
        assert "taken" not in page.title()
        assert messages == []


def test_an_exported_file_resumes_elsewhere(browser: Any, place: Path) -> None:
    """Another browser takes up a file of this pool and assessor, and leaves out lines of others."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    with contextlib.closing(context):
        page = context.new_page()
        page.goto((place / "private/pool/anna.html").as_uri())
        data = json.loads(page.locator("#data").inner_text())
        first = data["topics"][0]["documents"][0]["id"]
        target = place.parent / "mine.csv"
        lines = [f"anna,1,1,{first},2", f"ben,1,2,{first},2", "anna,1,1,nothing,1", f"anna,1,2,{first},"]
        target.write_text("\n".join(["assessor,topic,aspect,document,label", *lines]) + "\n")
        page.locator("#resume").set_input_files(target)
        page.locator("#warning").wait_for()
        assert page.locator("#count").inner_text().startswith("1 of 16")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != page.evaluate(
            "(document.documentElement.dataset.theme = 'dark', getComputedStyle(document.body).backgroundColor)"
        )
