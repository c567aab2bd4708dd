"""The formats of judgments and runs: one entry per format with its reader, and the detection of formats from content.

Readers, `--qrels-format`, `--run-format`, `data convert --from`, track configurations, detection and completion take their
formats from here. CONTRIBUTING.md describes how to add one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from diveval.collection.runs import Run
from diveval.errors import InputError, UsageError, count_of, quote, suggestion
from diveval.reading import evall, nuggets, trec
from diveval.reading.evall import PYEVALL_COLUMNS
from diveval.reading.lines import Lines, fields_of

_SAMPLE = 64  # lines used for detection
Rows = Iterable[tuple[str, str, str, float]]  # topic, aspect, document, grade
Weights = Mapping[tuple[str, str], float]  # by topic and aspect
Recognise = Callable[[list[str]], bool]


@dataclass(frozen=True)
class JudgmentFormat:
    """How judgments are written in a file.

    Args:
        read: Numbered lines and the name of the file → rows, and the aspects' weights if the format has them.
        recognise: Whether the first lines are in this format; called before the built-in rules below. None
            for the formats that those rules detect.
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
    "dynamic-domain": JudgmentFormat(_without_weights(trec.passage_rows), repeats=True),
    "nuggets": JudgmentFormat(nuggets.judgments),
    "pyevall": JudgmentFormat(_without_weights(evall.pyevall_judgment_rows)),
}
RUN_FORMATS: dict[str, RunFormat] = {
    "trec": RunFormat(trec.read_run_lines),
    "evall": RunFormat(evall.read_run_lines),
    "dynamic-domain": RunFormat(trec.read_rounds),
    "pyevall": RunFormat(evall.read_pyevall_run),
}


def check_format(name: str | None, formats: Iterable[str]) -> None:
    """Reject the name of a format that does not exist."""
    if name is not None and name not in (names := tuple(formats)):
        raise UsageError("unknown-format", f"no format is called {quote(name)}", hint=suggestion(name, names))


def judgment_format(lines: list[str]) -> str:
    """The format of judgments with these first lines."""
    return _recognise(JUDGMENT_FORMATS, lines) or usual_judgments(lines)


def run_format(lines: list[str]) -> str:
    """The format of a run with these first lines."""
    return _recognise(RUN_FORMATS, lines) or usual_run(lines)


def _recognise(formats: Mapping[str, JudgmentFormat] | Mapping[str, RunFormat], lines: list[str]) -> str | None:
    return next((name for name, one in formats.items() if one.recognise is not None and one.recognise(lines)), None)


def sniff(lines: Iterator[tuple[int, str]], decide: Callable[[list[str]], str], source: str) -> tuple[str, Lines]:
    """The format decided from the first lines, and all lines."""
    sample = list(islice(lines, _SAMPLE))
    if not sample:
        raise InputError("empty-input", "is empty: it contains nothing but blank lines and comments", source=source)
    try:
        name = decide([text for _, text in sample])
    except InputError as error:
        raise error.place(source, sample[0][0]) from None
    return name, chain(sample, lines)


# --- detection from the first lines -----------------------------------------------------------------------------------


def usual_judgments(lines: list[str]) -> str:
    """trec: 4 fields; ntcir: 3 or 4 with grades L0, L1, …; evall and dynamic-domain: 5; pyevall: 3; nuggets: JSON."""
    if _has_names_of_pyevall(lines):
        return "pyevall"
    if lines[0].lstrip()[:1] in ("{", "["):
        return "nuggets"
    split = [fields_of(line) for line in lines]
    width = len(split[0])
    if _is_pyevall(lines):
        if all(len(fields) == 4 for fields in split):
            raise InputError(
                "ambiguous-format",
                "the lines have 4 columns separated by blanks and 3 separated by tabs or commas: TREC's (topic aspect"
                " document grade) or PyEvALL's (test_case id value)",
                hint="name the format with --qrels-format",
            )
        return "pyevall"
    if "\t" in lines[0] and (lines[0].count("\t") == 4 or lines[0].startswith('"')) and _is_evall(lines):
        return "evall"
    if width == 4:
        return "ntcir" if re.fullmatch(r"[Ll][0-9]+", split[0][3]) else "trec"
    if width == 3 and all(len(fields) == 3 and re.fullmatch(r"[Ll][0-9]+", fields[2]) for fields in split):
        return "ntcir"
    if width == 5:
        if all(_is_of_dynamic_domain(fields) for fields in split if len(fields) == 5):
            return "dynamic-domain"
        raise InputError(
            "ambiguous-format",
            "5 columns may be Dynamic Domain's (topic subtopic document passage rating), EvALL's (topic document grade"
            " aspect weight), or TREC's with another column after the grade",
            hint="name the format with --qrels-format, or remove the fifth column",
        )
    hints = {
        6: "this looks like a run: are the judgments and the run swapped?",
        3: "the second of four columns is the aspect; without aspects it is 0: topic 0 document grade",
    }
    hint = hints.get(width, "")
    raise InputError(
        "wrong-columns", f"expected judgments of 4 or 5 columns, got {count_of(width, 'column')}", hint=hint
    )


def _has_names_of_pyevall(lines: list[str]) -> bool:
    """JSON with PyEvALL's three keys, or a header with its three columns."""
    if lines[0].lstrip()[:1] in ("[", "{"):
        text = "".join(lines)
        return all(f'"{name}"' in text for name in PYEVALL_COLUMNS) and '"nuggets"' not in text
    return set(_three_cells(lines)[0]) >= set(PYEVALL_COLUMNS)


def _is_pyevall(lines: list[str]) -> bool:
    """Three columns separated by tabs or commas, integers in the third.

    (Other numbers may be scores, and reading scores as ranks would reverse the ranking.)
    """
    rows = _three_cells(lines)
    return 2 * sum(len(row) == 3 and row[2].lstrip("-").isdigit() for row in rows) >= len(rows)


def _three_cells(lines: list[str]) -> list[list[str]]:
    separator = "\t" if "\t" in lines[0] else ","
    return [[cell.strip().strip('"') for cell in line.split(separator)] for line in lines]


def _is_evall(lines: list[str]) -> bool:
    """Tab-separated columns with a grade in the third and a weight in the fifth, and not more grades than documents."""
    cells = [[cell.strip().strip('"') for cell in line.split("\t")] for line in lines]
    fit = [row for row in cells if len(row) == 5 and is_number(row[2]) and is_number(row[4])]
    if 2 * len(fit) < len(cells):  # most lines must fit; the reader then reports a wrong one with its number
        return False
    if lines[0].lstrip().startswith('"'):  # only EvALL quotes its cells
        return True
    # TREC's judgments with numeric document ids and one more column have aspects where EvALL has documents, documents
    # where it has grades and grades where it has aspects.
    documents, grades = ({(row[0], row[column]) for row in fit} for column in (1, 2))
    judged = {(row[0], row[1], row[3]) for row in fit}  # each document once for each aspect
    if len(grades) > len(documents) or len(judged) < len({tuple(row[:4]) for row in fit}):
        return False
    is_trec = all(is_number(row[1]) and is_number(row[3]) for row in fit)
    return not is_trec or len({tuple(row[:3]) for row in fit}) < len(judged)  # one grade for several aspects


def usual_run(lines: list[str]) -> str:
    """trec: 6 fields; evall: 2; pyevall: 3, or JSON; dynamic-domain: topic, round, document, score, perhaps more."""
    if _has_names_of_pyevall(lines):
        return "pyevall"
    split = [fields_of(line) for line in lines]
    width = len(split[0])
    trec = sum(_is_trec_line(fields) for fields in split)
    if _is_pyevall(lines):
        return _other_than_trec("pyevall", "PyEvALL's `test_case id value`", trec, split)
    if all(line.rstrip().count("\t") == 1 for line in lines):  # a document of EvALL may hold blanks
        if all(len(fields) in (3, 4, 5) and any(map(is_number, fields[2:])) for fields in split):
            raise InputError(
                "ambiguous-format",
                "one tab per line is EvALL's `topic<TAB>document`, but the text after the document looks like a rank or"
                " a score",
                hint="name the format with --run-format, or use TREC's six columns (topic Q0 document rank score tag)",
            )
        return _other_than_trec("evall", "EvALL's `topic<TAB>document`", trec, split)
    if width == 2:
        return "evall"
    has_passages = any("|" in f[5] or ":" in f[5] for f in split if len(f) >= 6)
    if width >= 4 and (width < 6 or has_passages) and all(_is_round_of_dynamic_domain(fields) for fields in split):
        if not all(_is_of_dynamic_domain(fields) for fields in split):
            raise InputError(
                "ambiguous-format",
                f"{width} columns may be Dynamic Domain's (topic round document score …), TREC's (topic Q0 document rank"
                " score tag), or judgments",
                hint="are judgments and run swapped? If not, name the format with --run-format",
            )
        return "dynamic-domain"
    if width >= 6:
        return "trec"
    hint = "this looks like judgments: are the two swapped?" if width in (4, 5) else ""
    raise InputError(
        "wrong-columns",
        f"expected a run of 6 columns (topic Q0 document rank score tag), got {count_of(width, 'column')}",
        hint=hint,
    )


def _other_than_trec(name: str, columns: str, trec: int, split: list[list[str]]) -> str:
    """The format that tabs or commas indicate, unless all lines are TREC's; an error if only some are."""
    if trec == len(split):
        return "trec"
    if trec:
        raise InputError(
            "ambiguous-format",
            f"the tabs or commas fit {columns}, but some lines have TREC's six columns (topic Q0 document rank score"
            " tag)",
            hint="name the format with --run-format",
        )
    return name


def _is_trec_line(fields: list[str]) -> bool:
    """`topic Q0 document rank score tag`: a number in the fifth column, and Q0 or a rank where they belong."""
    return len(fields) >= 6 and is_number(fields[4]) and (fields[1].upper() == "Q0" or fields[3].isdigit())


def _is_of_dynamic_domain(fields: list[str]) -> bool:
    """Its topics have names like DD15-1, and its subtopics begin with the topic's name."""
    return fields[0].upper().startswith("DD") or any(field.startswith(f"{fields[0]}.") for field in fields[1::4])


def _is_round_of_dynamic_domain(f: list[str]) -> bool:
    """The second column is the round, the fourth a score, and the fifth says whether the document is on topic."""
    return len(f) >= 4 and f[1].isdigit() and is_number(f[3]) and (len(f) < 5 or f[4] in ("0", "1", "-1"))


def is_number(text: str) -> bool:
    """Whether a column holds a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
