"""Generate a page for each command from its parser."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from generate_text import escaped, fence, table

from diveval.cli.commands import RENAMED, SUMMARY, declare_all

SHARED = "reading"  # the group of options that every command with QRELS RUN … shares


def pages() -> dict[str, str]:
    """`cli/COMMAND.md` for each command, a page of the shared options, and the index."""
    os.environ["COLUMNS"] = "88"
    parsers = declare_all()
    rows = [[f"[`diveval {name}`](cli/{file_of(name)}.md)", escaped(SUMMARY[name])] for name in SUMMARY]
    toc = "\n".join(f"cli/{name}" for name in [*map(file_of, SUMMARY), "reading-options"])
    index = table(["command", "what it does"], rows) + f"\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    intro = "These pages show the `--help` text of each command."
    renamed = table(["was", "is now"], [[f"`{old}`", f"`{' '.join(new)}`"] for old, new in RENAMED.items()])
    old = f"## Names of version 2\n\nThey work until 4.0 and print the new name.\n\n{renamed}"
    out = {"cli.md": f"# Commands\n\n{intro}\n\n{index}\n{old}"}
    for name, parser in parsers.items():
        out[f"cli/{file_of(name)}.md"] = _page(name, parser)
    shared = next(group for group in parsers["evaluate"]._action_groups if group.title == SHARED)
    out["cli/reading-options.md"] = (
        "# Reading options\n\nThe same for every command that takes `QRELS RUN …`; they are described in"
        " [From files to scores](../../reading.md).\n\n" + "\n".join(_options(shared))
    )
    return out


def file_of(name: str) -> str:
    """The page of a command, which may have two words."""
    return name.replace(" ", "-")


def _page(name: str, parser: argparse.ArgumentParser) -> str:
    summary = f"{SUMMARY[name][0].upper()}{SUMMARY[name][1:]}."
    first = [] if parser.description == summary else [escaped(summary), ""]
    return "\n".join([f"# diveval {name}", "", *first, *_body(parser, 2)])


def _body(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    if parser.description:
        yield escaped(" ".join(parser.description.split())) + "\n"
    yield fence(parser.format_usage().removeprefix("usage: ").replace("\n       ", "\n"), "text")
    for group in parser._action_groups:
        if group.title == SHARED:
            yield f"{'#' * level} Reading\n\nSee [the reading options](reading-options.md).\n"
        elif options := list(_options(group)):
            yield f"{'#' * level} {(group.title or 'options').capitalize()}\n"
            yield from options
    if parser.epilog:
        yield escaped(parser.epilog) + "\n"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, below in action.choices.items():
                yield f"{'#' * level} {parser.prog} {verb}\n"
                yield from _body(below, level + 1)


def _options(group: argparse._ArgumentGroup) -> Iterator[str]:
    """A group's options as definitions."""
    for action in group._group_actions:
        if action.dest == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        value = "" if action.nargs == 0 else " " + _value(action)
        names = [f"`{flag}{value}`" for flag in action.option_strings] or [f"`{_value(action)}`"]
        description = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
        yield f"{', '.join(names)}\n: {escaped(description) or '–'}\n"


def _value(action: argparse.Action) -> str:
    if action.choices is not None and action.metavar is None:
        return "|".join(str(choice) for choice in action.choices)
    shown = action.metavar or action.dest.upper()
    return shown if isinstance(shown, str) else " ".join(shown)
