"""`diveval metrics [NAME]`: what there is, with parameters, ranges, meaning, reference and formula."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from diveval.cli import common

if TYPE_CHECKING:
    from diveval.metrics.metric import Entry


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("metrics", help="list the metrics, or explain one")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a metric to explain, such as RBU")
    common.add_output(parser, ["text", "json"])
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue, or one row of it at length."""
    from diveval.metrics import entries, find

    chosen = [find(arguments.name.split("(")[0].split("@")[0])] if arguments.name else list(entries().values())
    if arguments.format == "json":
        text = json.dumps([_shape(entry) for entry in chosen], ensure_ascii=False, indent=1) + "\n"
    elif arguments.name:
        text = _explain(chosen[0])
    else:
        text = "\n".join(_listed(entry) for entry in chosen)
    common.emit(text, arguments)
    return 0


def _shape(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name, "example": example(entry), "meaning": entry.meaning, "formula": entry.formula,
        "reference": entry.reference, "aliases": list(entry.aliases), "aspects": entry.diversity,
        "parameters": [
            {"name": p.name, "default": p.default, "range": p.range, "meaning": p.meaning} for p in entry.parameters
        ],
    }  # fmt: skip


def example(entry: Entry) -> str:
    """The metric as one would type it, every parameter at its default."""
    return entry.metric({}, 20 if entry.cutoffs else None).name


def _listed(entry: Entry) -> str:
    ranges = ", ".join(f"{p.name}={p.default} in {p.range}" for p in entry.parameters) or "no parameter"
    return f"{example(entry)}\n    {entry.meaning}\n    {entry.formula}\n    {ranges}; {entry.reference}\n"


def _explain(entry: Entry) -> str:
    lines = [entry.name, "=" * len(entry.name), "", entry.meaning[0].upper() + entry.meaning[1:] + ".", ""]
    lines += ["Formula", f"    {entry.formula}", ""]
    lines += ["Notation", *textwrap.wrap(
        "r(i,t) in [0,1] is the relevance of the document at rank i to aspect t, w(t) the aspect's weight, r(i) the"
        " largest over aspects, c(i,t) how many documents above i are relevant to t; sums run to min(n, k).",
        width=76, initial_indent="    ", subsequent_indent="    ")]  # fmt: skip
    if entry.parameters:
        lines += ["", "Parameters"]
        lines += [f"    {p.name:<10} default {p.default}, in {p.range}: {p.meaning}" for p in entry.parameters]
    cutoff = "@k is optional; without it the whole list counts" if entry.cutoffs else "takes no cutoff"
    lines += ["", f"Cutoff      {cutoff}", f"Example     {example(entry)}", f"Reference   {entry.reference}"]
    if entry.aliases:
        lines += [f"Also        {', '.join(entry.aliases)}"]
    return "\n".join(lines) + "\n"
