"""The formats of judgments and runs, one entry each: what reads a file, and how its content is recognised.

Readers, `--qrels-format`, `--run-format`, `convert --from`, track configurations, detection and completion take their
formats from here. Adding one is one entry (CONTRIBUTING.md has the recipe).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from diveval.errors import InputError, UsageError, shown, suggestion
from diveval.reading import dynamic_domain, evall, nuggets, pyevall, trec
from diveval.reading.detection import usual_judgments, usual_run
from diveval.reading.lines import Lines
from diveval.runs import Run

_SAMPLE = 64  # lines looked at
Rows = Iterable[tuple[str, str, str, float]]  # topic, aspect, document, grade
Weights = Mapping[tuple[str, str], float]  # by topic and aspect
Recognise = Callable[[list[str]], bool]


@dataclass(frozen=True)
class JudgmentFormat:
    """How judgments are written in a file.

    Args:
        read: Numbered lines and the name of the file → rows, and the aspects' weights if the format carries them.
        recognise: Whether the first lines are in this format; asked before the usual rules of `detection.py`. None
            for the formats that those rules know.
        repeats: Whether a document may have several judgments for one aspect (passages), all of which are kept.
    """

    read: Callable[[Lines, str], tuple[Rows, Weights | None]]
    recognise: Recognise | None = None
    repeats: bool = False


@dataclass(frozen=True)
class RunFormat:
    """How a run is written in a file.

    Args:
        read: Numbered lines, the name of the file and the run's name → the run.
        recognise: As for judgments.
    """

    read: Callable[[Lines, str, str], Run]
    recognise: Recognise | None = None


def _without_weights(rows: Callable[[Lines, str], Rows]) -> Callable[[Lines, str], tuple[Rows, Weights | None]]:
    return lambda lines, source: (rows(lines, source), None)


JUDGMENT_FORMATS: dict[str, JudgmentFormat] = {
    "trec": JudgmentFormat(_without_weights(trec.judgment_rows)),
    "evall": JudgmentFormat(evall.judgments),
    "ntcir": JudgmentFormat(_without_weights(partial(trec.judgment_rows, levels=True))),
    "dynamic-domain": JudgmentFormat(_without_weights(dynamic_domain.judgment_rows), repeats=True),
    "nuggets": JudgmentFormat(nuggets.judgments),
    "pyevall": JudgmentFormat(_without_weights(pyevall.judgment_rows)),
}
RUN_FORMATS: dict[str, RunFormat] = {
    "trec": RunFormat(trec.read_run_lines),
    "evall": RunFormat(evall.read_run_lines),
    "dynamic-domain": RunFormat(dynamic_domain.read_run_lines),
    "pyevall": RunFormat(pyevall.read_run_lines),
}


def check_format(name: str | None, known: Iterable[str]) -> None:
    """A format named by the user must be one we read."""
    if name is not None and name not in (names := tuple(known)):
        raise UsageError(f"no format is called {shown(name)}; {suggestion(name, names)}")


def judgment_format(lines: list[str]) -> str:
    """The format of judgments with these first lines."""
    return _recognised(JUDGMENT_FORMATS, lines) or usual_judgments(lines)


def run_format(lines: list[str]) -> str:
    """The format of a run with these first lines."""
    return _recognised(RUN_FORMATS, lines) or usual_run(lines)


def _recognised(known: Mapping[str, JudgmentFormat] | Mapping[str, RunFormat], lines: list[str]) -> str | None:
    return next((name for name, one in known.items() if one.recognise is not None and one.recognise(lines)), None)


def sniff(lines: Iterator[tuple[int, str]], decide: Callable[[list[str]], str], source: str) -> tuple[str, Lines]:
    """Look at the first lines, decide, and give the lines back whole."""
    sample = list(islice(lines, _SAMPLE))
    if not sample:
        raise InputError("is empty: it contains no line but blanks and comments", source=source)
    try:
        name = decide([text for _, text in sample])
    except InputError as error:
        raise InputError(str(error), source=source, line=sample[0][0]) from None
    return name, chain(sample, lines)
