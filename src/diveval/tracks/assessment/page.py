"""The page for an assessor: one file with documents and aspects beside each other, which needs no network and no server."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from diveval.reading.texts import Texts
from diveval.views import assets

SCHEMA = "diveval.assess/1"


@cache
def _asset(name: str) -> str:
    return (files("diveval.tracks.assessment") / "static" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(
    title: str,
    assessor: str,
    settings: Mapping[str, Any],
    orders: Mapping[str, Sequence[str]],
    aspects: Mapping[str, Mapping[str, str]],
    texts: Texts,
) -> bytes:
    """The page with everything it shows; the only things that run are its own style and script, known by their sums."""
    topics = [
        {
            "id": topic,
            "query": texts.query(topic),
            "description": texts.topics[topic].description,
            "aspects": [{"id": name, "text": text} for name, text in aspects[topic].items()],
            "documents": [_document(texts, name) for name in documents],
        }
        for topic, documents in orders.items()
    ]
    shape = {
        "schema": SCHEMA,
        "track": settings["track"],
        "assessor": assessor,
        "highest": settings["highest"],
        "topics": topics,
    }
    data = json.dumps(shape, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    name = hashlib.sha256(data.encode()).hexdigest()[:16]  # labels of another pool are kept apart
    style, script = assets.text("style.css") + _asset("page.css"), _asset("page.js")
    policy = f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    policy += "; base-uri 'none'; form-action 'none'"
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)} · {escape(assessor)}</title><style>{style}</style>"
    )
    body = _asset("page.html").replace("{title}", escape(title)).replace("{assessor}", escape(assessor))
    embedded = f'<script type="application/json" id="data" data-pool="{name}">{data}</script>'
    whole = (
        f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}{embedded}\n<script>{script}</script>\n'
    )
    return f"{whole}</body>\n</html>\n".encode()


def _document(texts: Texts, name: str) -> dict[str, str]:
    text = texts.documents.get(name)
    shape = {"id": name}
    if text is not None:
        shape |= {key: value for key, value in vars(text).items() if value}
    return shape
