"""The JavaScript modules and style of the views: the studio serves them one by one, the report embeds them as one script."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from diveval.errors import DivevalError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) ([\w$]+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import|export)\b.*$", re.MULTILINE)


@cache
def names() -> frozenset[str]:
    """Every file of `static`."""
    return frozenset(item.name for item in files("diveval.views").joinpath("static").iterdir() if item.is_file())


@cache
def text(name: str) -> str:
    """One file; `name` is one of `names()`."""
    return files("diveval.views").joinpath("static").joinpath(name).read_text(encoding="utf-8")


@cache
def script(entry: str) -> str:
    """A module and all it imports as one classic script: each module a function that returns what it exports.

    This replaces a bundler, so modules are limited to `import { a, b } from "./c.js";` and to exported
    declarations; anything else is refused, since it would be a syntax error in a classic script.
    """
    order: list[str] = []
    _visit(entry, order, ())
    parts = [f"const {_variable(name)} = (() => {{\n{_as_function(name)}}})();\n" for name in order]
    return '(() => {\n"use strict";\n' + "".join(parts) + "})();\n"


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise DivevalError(
            "internal-error",
            f"modules import each other in a circle: {' → '.join([*above, name])}",
            hint="please report this",
        )
    if name in order:
        return
    for _, other in _IMPORT.findall(text(name)):
        _visit(other, order, (*above, name))
    order.append(name)


def _as_function(name: str) -> str:
    module = text(name)
    exported = _EXPORT.findall(module)
    body = _EXPORT.sub("", _IMPORT.sub(lambda m: f"const {{{_rename(m[1])}}} = {_variable(m[2])};\n", module))
    left = _OTHER.search(body)
    if left:
        raise DivevalError("internal-error", f"{name}: {left[0].strip()} cannot be bundled", hint="please report this")
    return f"{body}return {{ {', '.join(exported)} }};\n"


def _rename(imported: str) -> str:
    """`a as b` in an import is `a: b` when a function's result is taken apart."""
    return re.sub(r"\bas\b", ":", imported)


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))
