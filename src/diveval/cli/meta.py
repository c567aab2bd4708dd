"""`diveval meta QRELS RUN … -o DIR`: which metric to trust, as tables and pictures in a folder."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.unanimity import add_set, asked_metrics
from diveval.errors import UsageError, nearest

if TYPE_CHECKING:
    from diveval.experiments.analyses import Analysis, Study

DEFAULT = "unanimity,discriminative,agreement,sensitivity,robustness"


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "meta", help="which metric to trust: unanimity, power, agreement, sensitivity, robustness, with plots",
        description="Meta-evaluate metrics on a collection. Each analysis becomes a CSV, a JSON and an SVG; index.md shows them all.",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser)
    add_set(parser, "usual")
    parser.add_argument("--with", dest="analyses", default=DEFAULT, metavar="LIST", help=f"any of {DEFAULT},strictness,concordance (default: {DEFAULT})")
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="of intervals and significance tests (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of everything drawn (default: 0)")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder to write to")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, analyse one thing after the other, and put the files in place when all are whole."""
    from diveval.experiments.analyses import ANALYSES

    chosen = _chosen(arguments.analyses, list(ANALYSES))
    study = _study(arguments)
    with _beside(Path(arguments.output)) as folder:
        done: list[Analysis] = []
        for name in chosen:
            print(f"diveval: {name}", file=sys.stderr, flush=True)
            for analysis in ANALYSES[name](study):
                _write(analysis, folder)
                done.append(analysis)
        (folder / "index.md").write_text(_index(done, study, arguments.words), encoding="utf-8")
    print(f"Written: {Path(arguments.output) / 'index.md'}")
    return 0


def _chosen(text: str, known: list[str]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise UsageError(f"--with: no analysis is called {name!r}; nearest: {nearest(name, known)}")
    if not names:
        raise UsageError(f"--with names no analysis; there is {', '.join(known)}")
    return names


def _study(arguments: argparse.Namespace) -> Study:
    from diveval.experiments.analyses import Study, extra_metrics

    options = common.options_from(arguments)
    metrics = asked_metrics(arguments, "usual")
    judgments, rankings = common.load(arguments, [*metrics, *extra_metrics()], options)
    return Study(judgments, rankings, metrics, options, arguments.resamples, arguments.seed)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder beside the target; what is in it moves over, file by file, once the block has ended well."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            yield Path(folder)
            # The index last: who finds it finds all it speaks of.
            for path in sorted(Path(folder).iterdir(), key=lambda path: path.name == "index.md"):
                path.replace(target / path.name)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from error


def _write(analysis: Analysis, folder: Path) -> None:
    from diveval.meta.discriminative import Discriminative
    from diveval.meta.plots import save

    analysis.result.to_csv(folder / f"{analysis.name}.csv")
    analysis.result.to_json(folder / f"{analysis.name}.json")
    if isinstance(analysis.result, Discriminative):
        analysis.result.curve_to_csv(folder / f"{analysis.name}-curve.csv")
    for name, chart in analysis.charts.items():
        save(chart, folder / f"{name}.svg")


def _index(done: list[Analysis], study: Study, words: list[str]) -> str:
    """What the folder holds, to be read beside the pictures."""
    import shlex

    runs = len(next(iter(study.rankings.values())))
    lines = [
        "# Which metric to trust", "",
        f"{len(study.metrics)} metrics on {runs} runs and {len(study.judgments)} topics; seed {study.seed}, {study.resamples} resamples.", "",
        f"    {shlex.join(['diveval', *words])}", "",
    ]  # fmt: skip
    for analysis in done:
        lines += [f"## {analysis.name}", "", analysis.question, ""]
        lines += [f"![{name}]({name}.svg)" for name in analysis.charts]
        lines += ["", f"[CSV]({analysis.name}.csv), [JSON]({analysis.name}.json). {analysis.result.reference}", ""]
    return "\n".join(lines)
