"""The page's own files: a fixed list, found by name, so that no address can lead out of the folder."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from diveval.views import assets

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}


@cache
def names() -> frozenset[str]:
    """Every file of the page: the studio's own and those of the views, whose names differ."""
    own = files("diveval").joinpath("studio").joinpath("static").iterdir()
    return assets.names() | frozenset(item.name for item in own if item.is_file())


@cache
def content(name: str) -> bytes:
    """One file of the page; `name` is one of `names()`."""
    if name in assets.names():
        return assets.text(name).encode()
    return files("diveval").joinpath("studio").joinpath("static").joinpath(name).read_bytes()


def media_type(name: str) -> str:
    """By the ending."""
    return TYPES[name.rsplit(".", 1)[-1]]
