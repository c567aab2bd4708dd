"""The page's own files: a fixed list, found by name, so that no address can lead out of the folder."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from diveval.errors import need

TYPES = {
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "json": "application/json", "svg": "image/svg+xml",
}  # fmt: skip


# The report's colours and small tools, by the names the page gives them: two doors to the same pictures look the same.
BORROWED = {"report.css": "style.css", "base.js": "base.js", "theme.js": "theme.js"}


@cache
def names() -> frozenset[str]:
    """Every file of the page."""
    own = files("diveval").joinpath("studio").joinpath("static").iterdir()
    return frozenset([*BORROWED, *(item.name for item in own if item.is_file())])


@cache
def content(name: str) -> bytes:
    """One file of the page; `name` is one of `names()`."""
    house = files("diveval")
    if name in BORROWED:
        return house.joinpath("report").joinpath("assets").joinpath(BORROWED[name]).read_bytes()
    return house.joinpath("studio").joinpath("static").joinpath(name).read_bytes()


@cache
def openapi() -> bytes:
    """The API's description."""
    return files("diveval.studio").joinpath("openapi.json").read_bytes()


@cache
def vega() -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, from the copy that vl-convert brings: no network is needed."""
    bundle: str = need("vl_convert", "studio").javascript_bundle()
    return bundle.encode("utf-8")


def media_type(name: str) -> str:
    """By the ending."""
    return TYPES[name.rsplit(".", 1)[-1]]
