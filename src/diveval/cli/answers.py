"""`diveval answers NUGGETS ASSIGNMENTS …`: scores of RAG answers by nuggets, citations and rubrics."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from diveval.cli import common
from diveval.cli.terminal import terminal_width
from diveval.defaults import RBU
from diveval.errors import InputError, UsageError, capture_warnings, preview, printable
from diveval.results.protocol import json_text
from diveval.results.table_text import align

if TYPE_CHECKING:
    from diveval.answers import AnswerFiles
    from diveval.answers.answer_collection import AnswerCollection
    from diveval.metrics import Metric
    from diveval.results.protocol import Result
    from diveval.results.scores import Scores

FORMATS = ["table", "csv", "tsv", "json", "latex", "tot", "ir_measures", "trec_eval", "jsonl", "sentences"]


ABOUT = "Score answers. File formats are detected from the content: nuggets (nuggetizer, ARGUE banks, CRUX sub-questions) and, for each system, its labels (nuggetizer's or NIST's assignments, labels by sentence, ARGUE judgments, support assignments or judgments, graded rubrics, UDCG contexts)."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval answers`."""
    parser.add_argument(
        "nuggets",
        metavar="NUGGETS",
        nargs="?",
        help="the nuggets of the queries, a file or a folder of files; may be omitted where the files of labels contain them",
    )
    parser.add_argument("assignments", metavar="ASSIGNMENTS", nargs="*", help="labels, one file per system")
    common.add_files(parser, "--answers", help="the answers' texts, in any track's format: for tokens and citations")
    common.add_metrics(
        parser,
        what="metric of answers",
        examples="Coverage_vital, 'RBU(p=0.9,e=0.01)', nuggetizer.all, or all of a tool's: 'argue.*' (--list)",
    )
    common.add_output(parser, FORMATS)
    parser.add_argument("-q", "--per-topic", action="store_true", help="every query, not only the mean")
    parser.add_argument("--list", action="store_true", help="list the metrics of answers and end")
    parser.add_argument(
        "--missing-topics",
        choices=["zero", "skip"],
        help="queries a system has no answer to: score 0 (default under our names) or leave out of its mean (default under ARGUE's)",
    )
    parser.add_argument(
        "--tokens",
        default="words",
        metavar="HOW",
        help="how tokens are counted where a file does not give them: words (between blanks, default), words-nfkc, words-ragnarok, characters",
    )
    common.add_label_tables(parser)
    parser.add_argument(
        "--agreement",
        nargs="*",
        metavar="OTHER",
        help="instead of scores: how far the judges of a column judge agree, or those of NUGGETS ASSIGNMENTS and of OTHER files, and the nuggets on which they differ",
    )
    parser.add_argument(
        "--trials",
        choices=["mean", "separate"],
        default="mean",
        help="repeated answers of a system (a column trial): their mean, with the noise between them (default), or each as a system",
    )
    common.add_options(
        parser,
        {
            "--missed": "instead of scores: how many systems miss each nugget, the most missed first",
            "--residuals": "beside each metric of nuggets, its rise if every label the judge failed to give were support (without -m: whenever labels failed)",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print."""
    from diveval.answers.evaluation import evaluate

    if arguments.list:
        common.emit(_catalogue(), arguments)
        return 0
    files = [path for path in (arguments.nuggets, *arguments.assignments) if path is not None]
    if not files:
        raise UsageError("missing-argument", "answers needs NUGGETS and at least one file of labels")
    if [*files, *arguments.answers].count("-") > 1:
        raise UsageError("stdin-twice", "standard input (-) can be only one of the files")
    material = gather_from(arguments, files, arguments.answers)
    if arguments.format == "sentences":
        from diveval.answers.answer_collection import contents

        common.emit(json_text(contents(material, counter=arguments.tokens)), arguments)
        return 0
    if arguments.missed or arguments.agreement is not None:
        common.emit_result(_study(material, arguments), arguments)
        return 0
    scores = evaluate(
        material,
        common.names_from(arguments) or None,
        missing_topics=arguments.missing_topics,
        tokens=arguments.tokens,
        trials=arguments.trials,
        residuals=arguments.residuals,
    )
    common.emit(_text(scores, arguments), arguments)
    return 0


def _study(material: AnswerFiles, arguments: argparse.Namespace) -> Result:
    """What is printed instead of scores."""
    if arguments.format not in ("table", "csv", "json", "latex"):
        raise UsageError("conflicting-options", f"-f {arguments.format} is about scores")
    if arguments.missed:
        from diveval.answers.missed import find_missed

        return find_missed(material)
    from diveval.judging.answer_judges import compare_judges

    if not arguments.agreement:
        return compare_judges(material)
    labelled = dict.fromkeys(system.source for system in material.systems.values())
    own = dict(material.judges) or {", ".join(labelled): material}
    return compare_judges(own | other_judges(material, arguments, arguments.agreement))


# --- answers where other commands take rankings -----------------------------------------------------------------------

# Of the options that say how files are read, those that apply to answers too, or that have no effect on them.
_OF_ANSWERS = ("missing_topics", "effort_unit", "effort_default", "largest_topic", "jobs")


def material_of(arguments: argparse.Namespace, *, needs_runs: bool = True) -> AnswerFiles | None:
    """The answers that `QRELS RUN …` name, or None where the RUN files are rankings.

    The files are nuggets, labels and texts as `diveval answers` takes them; an option that says how rankings are read is
    refused with them. RUN that are no files name systems in the tables of labels.
    """
    from diveval.answers.reading import Reading, is_answers
    from diveval.reading.source import Source

    names = common.pairs_from(arguments.columns, "--columns")
    how = Reading.of(names, None, arguments.combine)
    files, chosen = list(arguments.runs), list[str]()
    first = arguments.runs[0] if arguments.runs else arguments.qrels
    named = [run for run in files if not names_file(run)]
    if named and is_answers(arguments.qrels, how):
        files, chosen = [run for run in files if run not in named], named
        first = files[0] if files else arguments.qrels
    if (
        first is not None
        and not remote_or_stream(str(first))
        and not Path(first).exists()
        and is_answers(arguments.qrels, how)
    ):
        with Source.of(first).open():
            pass  # raises the error of a missing file, rather than one about rankings
    if first is None or not is_answers(first, how):
        for flag, usual in (("columns", None), ("labels", None), ("combine", "majority")):
            if getattr(arguments, flag) != usual:
                raise UsageError(
                    "option-not-applicable", f"--{flag} is about labels of answers, but the files are rankings"
                )
        if needs_runs and not arguments.runs:
            raise UsageError("missing-argument", "needs RUN, rankings or labels of answers")
        return None
    for name, usual in arguments.usual_reading.items():
        if name not in _OF_ANSWERS and getattr(arguments, name) != usual:
            raise UsageError(
                "option-not-applicable",
                f"--{name.replace('_', '-')} says how rankings are read, but {first} contains answers",
            )
    material = gather_from(arguments, [arguments.qrels, *files])
    return material.select(chosen) if chosen else material


def names_file(run: str) -> bool:
    """Whether a word names a file, also one that is missing, rather than a system."""
    from diveval.reading.source import is_named_as_file

    place = os.fspath(run)
    return remote_or_stream(place) or is_named_as_file(place) or Path(place).exists()


def remote_or_stream(place: str) -> bool:
    """Whether a word is an address or standard input."""
    from diveval.reading.remote import is_remote

    return place == "-" or is_remote(place)


def gather_from(
    arguments: argparse.Namespace, files: list[str], answers: Sequence[str] = (), like: AnswerFiles | None = None
) -> AnswerFiles:
    """The answers in files, read as the arguments say."""
    from diveval.answers.gathering import gather

    columns = common.pairs_from(arguments.columns, "--columns")
    labels = common.pairs_from(arguments.labels, "--labels")
    return gather(files, answers, columns=columns, labels=labels, combine=arguments.combine, like=like)


def other_judges(material: AnswerFiles, arguments: argparse.Namespace, files: Sequence[str]) -> dict[str, AnswerFiles]:
    """The labels of the same answers by other judges, by the name of the judge's first file.

    A judge has one file of all systems or a file per system: where a system comes again, the next judge begins.
    """
    groups: list[list[str]] = []
    covered: set[str] = set()
    for path in files:
        with capture_warnings():
            systems = set(gather_from(arguments, [path], like=material).systems)
        if not groups or systems & covered:
            groups.append([])
            covered = set()
        groups[-1].append(path)
        covered |= systems
    out = {}
    for own in groups:
        other = gather_from(arguments, own, like=material)
        lacking = [name for name in material.systems if name not in other.systems]
        if lacking:
            fault = f"the judge of {', '.join(own)} labelled no answer of {preview(lacking)}"
            raise InputError("missing-labels", fault, source=own[0])
        out[own[0]] = other
    return out


# Metrics of rankings for answers whose sentences have labels, and for answers that were labelled as a whole.
BY_SENTENCE, WHOLE = RBU, "RBU(p=1,e=0)"


def collection_of(
    material: AnswerFiles, arguments: argparse.Namespace, default: list[str] | None = None
) -> tuple[AnswerCollection, list[Metric]]:
    """Answers as judgments and runs, and the metrics of rankings that are asked for or the usual one."""
    from diveval.answers.answer_collection import as_collection
    from diveval.answers.answer_metrics import entries

    made = as_collection(material)
    if (missing := missing_of(arguments)) is not None:
        made = replace(made, options=replace(made.options, missing_topics=missing))
    usual = default if made.by_sentence and default else [BY_SENTENCE if made.by_sentence else WHOLE]
    try:
        return made, common.metrics_from(arguments, usual)
    except UsageError as error:
        known = entries()
        name = next((name for name in common.names_from(arguments) if name.partition("(")[0] in known), None)
        if error.code != "unknown-metric" or name is None:
            raise
        fault = f"{name} has no ranks or documents, which {arguments.command} is about"
        hint = f"RBU and other metrics of rankings see sentences; {WHOLE} is Coverage_weighted"
        raise UsageError("option-not-applicable", fault, hint=hint) from None


def scores_of(material: AnswerFiles, arguments: argparse.Namespace, default: list[str] | None) -> Scores:
    """Scores of the metrics asked for, or of the command's default for answers (None: what the files allow)."""
    from diveval.answers.evaluation import evaluate

    return evaluate(material, common.names_from(arguments) or default, missing_topics=missing_of(arguments))


def comparable(scores: Scores) -> Scores:
    """The scores without residuals and the place to stop: neither says how good an answer is."""
    named = [name for name in scores.metrics if not name.endswith("+residual") and not name.startswith("RBU_stop")]
    return scores.select(metrics=named)


def missing_of(arguments: argparse.Namespace) -> Literal["zero", "skip"] | None:
    """What to do with queries without an answer; `worst`, the default of rankings, has no meaning for answers."""
    return None if arguments.missing_topics == "worst" else arguments.missing_topics


def _text(scores: Scores, arguments: argparse.Namespace) -> str:
    from diveval.answers.leaderboards import FORMATS as LEADERBOARDS
    from diveval.answers.leaderboards import leaderboard_text
    from diveval.results import tables

    per_topic = arguments.per_topic
    if arguments.format not in ("table", "json"):  # they have no place for notes
        for note in scores.notes:
            print(f"diveval: note: {printable(note)}", file=sys.stderr)
    if arguments.format in LEADERBOARDS:
        return leaderboard_text(scores, arguments.format)
    if arguments.format in ("csv", "tsv"):
        return tables.csv_text(scores, per_topic=per_topic, separator="," if arguments.format == "csv" else "\t")
    if arguments.format == "json":
        return tables.json_text(scores, per_topic=per_topic)
    if arguments.format == "latex":
        return scores.to_latex()
    text = tables.terminal_text(scores, per_topic=per_topic, width=terminal_width())
    return text + "".join(f"\n{note}" for note in scores.notes) + ("\n" if scores.notes else "")


def _catalogue() -> str:
    from diveval.answers.answer_metrics import entries

    rows = ([row.name, f"{row.meaning} ({row.reference})"] for row in entries().values())
    return "\n".join(align(rows, "<<")) + "\n"
