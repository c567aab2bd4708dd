"""`diveval meta QRELS RUN … -o DIR`: which metric to trust, as tables and pictures in a folder."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.unanimity import add_set, metrics_from, set_named
from diveval.defaults import QUICK_RESAMPLES, SEED
from diveval.errors import UsageError, count_of, preview, suggestion
from diveval.system.files import write_atomically

if TYPE_CHECKING:
    from diveval.meta.analyses import Analysis
    from diveval.results.scores import Scores
    from diveval.scoring.study import Evaluation

DEFAULT = "unanimity,discriminative,agreement,sensitivity,robustness"


ABOUT = (
    "Meta-evaluate metrics on a collection. Each analysis becomes a CSV, a JSON and an SVG; index.md shows them all."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval meta`."""
    common.add_collection(parser)
    common.add_metrics(parser)
    add_set(parser)
    parser.add_argument(
        "--with",
        dest="analyses",
        metavar="LIST",
        help=f"any of {DEFAULT},strictness,concordance (default: {DEFAULT}; with --answers: none)",
    )
    common.add_files(
        parser,
        "--answers",
        help="answers of the same systems (nuggets, labels and texts, as `diveval answers` takes them): QRELS RUN … are then their contexts, and the correlation of metrics of contexts with metrics of answers is written too",
    )
    parser.add_argument(
        "--answer-metric",
        dest="answer_metrics",
        action="append",
        default=[],
        metavar="METRIC",
        help="metric of answers (default: what the files allow); may be repeated",
    )
    common.add_number(
        parser, "--resamples", default=QUICK_RESAMPLES, help="resamples of intervals and significance tests"
    )
    common.add_number(parser, "--seed", default=SEED, help="seed of all random draws")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder to write to")


def run(arguments: argparse.Namespace) -> int:
    """Read, run one analysis after the other, and move the files into place when all are complete."""
    from diveval.meta.analyses import ANALYSES, predicting

    if arguments.answer_metrics and not arguments.answers:
        raise UsageError("option-not-applicable", "--answer-metric goes with --answers FILE …")
    usual = "" if arguments.answers else DEFAULT
    chosen = _choose(usual if arguments.analyses is None else arguments.analyses, list(ANALYSES))
    if not chosen and not arguments.answers:
        raise UsageError("missing-argument", "--with names no analysis", hint=f"there is {', '.join(ANALYSES)}")
    work = {name: ANALYSES[name] for name in chosen}
    if (answers := _answers(arguments)) is not None:
        work = {"prediction": partial(predicting, answers), **work}
    study = _study(arguments)
    with _beside(Path(arguments.output)) as folder:
        done: list[Analysis] = []
        for name, analyse in work.items():
            print(f"diveval: {name}", file=sys.stderr, flush=True)
            for analysis in analyse(study, arguments.resamples, arguments.seed):
                _write(analysis, folder)
                done.append(analysis)
        (folder / "index.md").write_text(_index(done, study, arguments), encoding="utf-8")
    common.say(f"Written: {Path(arguments.output) / 'index.md'}")
    return 0


def _choose(text: str, known: list[str]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise UsageError("invalid-choice", f"--with: no analysis is called {name!r}", hint=suggestion(name, known))
    return names


def _answers(arguments: argparse.Namespace) -> Scores | None:
    if not arguments.answers:
        return None
    from diveval.answers import evaluate
    from diveval.cli.answers import comparable

    return comparable(evaluate([*arguments.answers], arguments.answer_metrics or None))


def _study(arguments: argparse.Namespace) -> Evaluation:
    from diveval.meta.analyses import extra_metrics
    from diveval.scoring.study import Evaluation

    options = common.options_from(arguments)
    metrics = metrics_from(arguments)
    judgments, rankings = common.load(arguments, [*metrics, *extra_metrics()], options)
    return Evaluation(judgments, rankings, metrics, options)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A temporary folder beside the target; its files move into the target once the block has ended without error."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            yield Path(folder)
            # The index comes last: when it exists, so do all files it links to.
            for path in sorted(Path(folder).iterdir(), key=lambda path: path.name == "index.md"):
                write_atomically(target / path.name, path.read_bytes())
    except OSError as error:
        raise UsageError("cannot-write", f"{target}: cannot be written: {error.strerror or error}") from error


def _write(analysis: Analysis, folder: Path) -> None:
    from diveval.meta.discriminative import Discriminative
    from diveval.results.pictures import save

    analysis.result.to_csv(folder / f"{analysis.name}.csv")
    analysis.result.to_json(folder / f"{analysis.name}.json")
    if isinstance(analysis.result, Discriminative):
        analysis.result.curve_to_csv(folder / f"{analysis.name}-curve.csv")
    for name, chart in analysis.charts.items():
        save(chart, folder / f"{name}.svg")


def _index(done: list[Analysis], study: Evaluation, arguments: argparse.Namespace) -> str:
    """The contents of the folder in Markdown, with the pictures."""
    import shlex

    runs = len(next(iter(study.rankings.values())))
    lines = [
        "# Which metric to trust",
        "",
        f"{count_of(len(study.metrics), 'metric')}{set_named(arguments)} on {count_of(runs, 'run')} and {count_of(len(study.judgments), 'topic')}; seed {arguments.seed}, {arguments.resamples} resamples.",
        "",
        f"    {shlex.join(['diveval', *arguments.words])}",
        "",
        *(
            [f"Runs that lack topics: {preview(incomplete, 8)}.", ""]
            if (incomplete := study.scores.incomplete())
            else []
        ),
    ]
    for analysis in done:
        lines += [f"## {analysis.name}", "", analysis.question, ""]
        lines += [f"![{name}]({name}.svg)" for name in analysis.charts]
        lines += ["", f"[CSV]({analysis.name}.csv), [JSON]({analysis.name}.json). {analysis.result.reference}", ""]
    return "\n".join(lines)
