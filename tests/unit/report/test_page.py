"""The page as a file: data cannot leave its element, and the policy allows exactly the scripts of the page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from diveval.report.page import embed, page, template
from diveval.views import assets


class Elements(HTMLParser):
    """The elements of a page as a browser parses them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(("/", {}, ""))

    def handle_data(self, data: str) -> None:
        if self.elements:
            tag, attributes, text = self.elements[-1]
            self.elements[-1] = (tag, attributes, text + data)

    def of(self, name: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for tag, attributes, text in self.elements if tag == name]


HOSTILE = {"title": "</title><script>alert(1)</script>", "id": "</script><!-- \u2028 & {{style}} {{script}}"}


def test_data_cannot_leave_its_element() -> None:
    """JSON in the page contains no markup characters, and is read back unchanged."""
    text = embed(HOSTILE)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == HOSTILE


def test_hostile_data_adds_no_element() -> None:
    """Hostile data adds no script, and placeholders inside data are not filled."""
    elements = Elements(page(HOSTILE))
    scripts = elements.of("script")
    assert [attributes.get("type") for attributes, _ in scripts] == ["application/json", None]
    assert json.loads(scripts[0][1]) == HOSTILE
    assert elements.of("title")[0][1] == HOSTILE["title"]


def test_the_policy_names_the_hash_of_every_script_and_style() -> None:
    """Only hashed scripts and styles are allowed, no wildcard and nothing unsafe."""
    elements = Elements(page(HOSTILE))
    policy = next(a["content"] for a, _ in elements.of("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    texts = [text for attributes, text in elements.of("script") if not attributes.get("type")]
    texts += [text for _, text in elements.of("style")]
    for text in texts:
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy


def test_scripts_use_no_markup_eval_or_network() -> None:
    """Ids are untrusted: no script may parse them as markup, run them, or send them anywhere."""
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bfetch\(|XMLHttpRequest|https?://(?!www\.w3\.org/2000/svg)"
    for name in assets.names():
        assert re.search(forbidden, assets.text(name)) is None, name
    assert re.search(r"\son\w+=|style=|https?:", template()) is None
