"""`diveval metrics [NAME]`: the catalogue, with parameters, ranges, meaning, reference and formula."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.terminal import terminal_width
from diveval.results.protocol import json_text

if TYPE_CHECKING:
    from diveval.metrics.metric import Entry


# Ours are graded; TREC's tool of the same name is binary.
GRADED = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "NRBP")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval metrics`."""
    parser.add_argument(
        "name",
        nargs="*",
        metavar="NAME",
        help="a metric to explain (RBU), a tool to list (ndeval), or a description to search for (recall at 100)",
    )
    parser.add_argument(
        "--cwl", action="store_true", help="the user behind the metric: probabilities of going on, looking and stopping"
    )
    parser.add_argument(
        "--gains", metavar="G,G,…", help="with --cwl: the relevance of the first documents (default: a made-up list)"
    )
    common.add_output(parser, ["text", "json"])


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue, or explain one metric."""
    from diveval.metrics import MetricText, entries, find
    from diveval.metrics.compat import TOOLS

    name: str | None = " ".join(arguments.name) or None
    if arguments.cwl or arguments.gains:
        return _show_user(name, arguments)
    if name is not None and name not in TOOLS and (found := _search(name)):
        matches = [entry.as_dict() | {"text": text} for entry, text in found]
        text = json_text(matches) if arguments.format == "json" else _matches(name, found)
        common.emit(text, arguments)
        return 0
    family = [entry for key, entry in entries().items() if name in TOOLS and key.startswith(f"{name}.")]
    chosen = family or ([find(MetricText.of(name).name)] if name else list(entries().values()))
    if arguments.format == "json":
        text = json_text([entry.as_dict() for entry in chosen])
    elif family:
        text = _family(f"{name}, as that tool computes them", family)
    else:
        text = _explain(chosen[0]) if name else _catalogue()
    common.emit(text, arguments)
    return 0


def _search(name: str) -> list[tuple[Entry, str]]:
    """Metrics by their meaning, if this is no metric's name."""
    from diveval.errors import UsageError
    from diveval.metrics import MetricText, entries, find
    from diveval.metrics.search import search_metrics

    try:
        find(MetricText.of(name).name)
    except UsageError:
        return search_metrics(name, entries())
    return []


def _matches(name: str, found: Sequence[tuple[Entry, str]]) -> str:
    from diveval.results.table_text import align

    rows = align([[text, entry.meaning] for entry, text in found], "<<", indent=2)
    return "\n".join([f"Metrics for “{name}”, the best match first", *rows]) + "\n"


def _show_user(name: str | None, arguments: argparse.Namespace) -> int:
    """Print C, W and L."""
    from diveval.errors import UsageError, quote
    from diveval.results.user_model import EXAMPLE, user_model

    if name is None or not arguments.cwl:
        raise UsageError("missing-argument", "--cwl and --gains are about one metric", hint="diveval metrics RBU --cwl")
    try:
        gains = EXAMPLE if arguments.gains is None else [float(gain) for gain in arguments.gains.split(",")]
    except ValueError:
        raise UsageError(
            "not-a-number", f"--gains are numbers separated by commas, got {quote(arguments.gains)}"
        ) from None
    model = user_model(name, gains)
    common.emit(model.to_json() if arguments.format == "json" else model.to_text(), arguments)
    return 0


def _catalogue() -> str:
    """Our metrics by family, a line each, and where the other tools' are."""
    from diveval.metrics.catalogue import FAMILIES
    from diveval.metrics.classics import CLASSIC_FAMILIES
    from diveval.metrics.compat import TOOLS

    parts = [_family(title, entries) for title, entries in FAMILIES.items()]
    parts += [_names(title, entries) for title, entries in CLASSIC_FAMILIES.items()]
    tools = textwrap.fill(", ".join(TOOLS), width=76, initial_indent="  ", subsequent_indent="  ")
    parts.append(
        f"Other tools' metrics, digit for digit; `diveval metrics TOOL` lists them\n{tools}\n\n"
        "`diveval metrics NAME` explains one; `diveval metrics recall at 100` searches.\n"
    )
    return "\n".join(parts)


def _family(title: str, chosen: list[Entry]) -> str:
    from diveval.results.catalogue import describe_metrics

    return f"{title[0].upper()}{title[1:]}\n{describe_metrics(chosen, terminal_width())}"


def _names(title: str, chosen: Sequence[Entry]) -> str:
    names = ", ".join(entry.example for entry in chosen)
    listed = textwrap.fill(names, width=76, initial_indent="  ", subsequent_indent="  ")
    return f"{title[0].upper()}{title[1:]}\n{listed}\n"


def _explain(entry: Entry) -> str:
    lines = [entry.name, "=" * len(entry.name), "", _sentence(entry.meaning), ""]
    lines += ["Formula", f"    {entry.formula}", ""]
    lines += [
        "Notation",
        *textwrap.wrap(
            "r(i,t) in [0,1] is the relevance of the document at rank i to aspect t, w(t) the aspect's weight, r(i) the"
            " largest over aspects, c(i,t) how many documents above i are relevant to t; sums run to min(n, k).",
            width=76,
            initial_indent="    ",
            subsequent_indent="    ",
        ),
    ]
    if entry.parameters:
        lines += ["", "Parameters"]
        for p in entry.parameters:
            about = f"default {p.default}, in {p.range}: {p.meaning}"
            lines += textwrap.wrap(about, 78, initial_indent=f"    {p.name:<10} ", subsequent_indent=" " * 15)
    cutoff = "@k is optional; without it the whole list counts" if entry.cutoffs else "takes no cutoff"
    lines += ["", f"Cutoff      {cutoff}", f"Example     {entry.example}", f"Reference   {entry.reference}"]
    if entry.aliases:
        lines += [f"Also        {', '.join(entry.aliases)}"]
    if not entry.has_exact:
        lines += ["Exact form  none: `axioms` and `conclusions` do not take it"]
    if twin := ndeval_twin(entry):
        difference = (
            f"On graded judgments {entry.name} is not the number that TREC prints: ndeval takes every grade above 0 as 1"
            f" and builds its ideal from that. {twin} gives TREC's number."
        )
        lines += ["", *textwrap.wrap(difference, width=76)]
    return "\n".join(lines) + "\n"


def _sentence(meaning: str) -> str:
    """Capitalised and with a full stop; α stays, since its capital looks like A."""
    return (meaning[0].upper() if meaning[0].isascii() else meaning[0]) + meaning[1:] + "."


def ndeval_twin(entry: Entry, cutoff: int | None = 20) -> str | None:
    """The metric of ndeval that TREC prints under this name, where it computes something else on graded judgments."""
    if entry.name not in GRADED or (cutoff is None and entry.name != "NRBP"):
        return None
    return f"ndeval.{entry.name}" + ("" if entry.name == "NRBP" else f"@{cutoff}")
