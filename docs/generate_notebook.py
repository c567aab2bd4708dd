"""Convert the tour, an executed notebook, to a page with its stored outputs."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generate_text import fence


def pages(notebook: Path) -> dict[str, str | bytes]:
    """`tour.md` and its pictures, or nothing if there is no notebook."""
    if not notebook.exists():
        return {}
    pictures: dict[str, bytes] = {}
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n".join(part for cell in cells for part in _cell(cell, pictures))
    title, _, rest = text.partition("\n")
    return {"tour.md": f"{title}\n{_below(rest)}\n", **pictures}


def _below(text: str) -> str:
    """Move every heading outside code one level down, because a page has a single title."""
    pieces = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(p if p.startswith("```") else re.sub(r"^#", "##", p, flags=re.MULTILINE) for p in pieces)


def _cell(cell: dict[str, Any], pictures: dict[str, bytes]) -> Iterator[str]:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source + "\n"
    elif cell["cell_type"] == "code":
        yield fence(source, "python")
        for output in cell["outputs"]:
            yield _output(output, pictures)


def _output(output: dict[str, Any], pictures: dict[str, bytes]) -> str:
    if output["output_type"] == "stream":
        return fence(_text(output["text"]))
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return _picture(_text(data["image/svg+xml"]).encode(), "svg", pictures)
    if "image/png" in data:
        return _picture(base64.b64decode(_text(data["image/png"])), "png", pictures)
    if "text/html" in data:
        return fence(_text(data["text/html"]), "{raw} html")
    return fence(_text(data.get("text/plain", "")))


def _picture(content: bytes, kind: str, pictures: dict[str, bytes]) -> str:
    name = f"tour-{len(pictures) + 1}.{kind}"
    pictures[name] = content
    return f"![output]({name})\n"


def _text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)
