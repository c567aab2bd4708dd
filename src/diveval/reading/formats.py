"""Which format a file is in, decided from its first lines, and what every reader hands on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from diveval.errors import InputError, UsageError, nearest, shown
from diveval.reading.lines import fields_of

Lines = Iterable[tuple[int, str]]
JUDGMENT_FORMATS = ("trec", "evall", "ntcir", "dynamic-domain", "nuggets")
RUN_FORMATS = ("trec", "evall", "dynamic-domain")
_SAMPLE = 64  # lines looked at


def check_format(name: str | None, known: tuple[str, ...]) -> None:
    """A format named by the user must be one we read."""
    if name is not None and name not in known:
        raise UsageError(f"no format is called {shown(name)}; nearest: {nearest(name, known)}")


def sniff(lines: Iterator[tuple[int, str]], decide: Callable[[list[str]], str], source: str) -> tuple[str, Lines]:
    """Look at the first lines, decide, and give the lines back whole."""
    sample = list(islice(lines, _SAMPLE))
    if not sample:
        raise InputError("is empty: it holds no line but blanks and comments", source=source)
    try:
        name = decide([text for _, text in sample])
    except InputError as error:
        raise InputError(str(error), source=source, line=sample[0][0]) from None
    return name, chain(sample, lines)


def judgment_format(lines: list[str]) -> str:
    """trec: 4 fields; ntcir: 4 with grades L0, L1, …; evall and dynamic-domain: 5; nuggets: JSON."""
    if lines[0].lstrip().startswith("{"):
        return "nuggets"
    split = [fields_of(line) for line in lines]
    width = len(split[0])
    if "\t" in lines[0] and (lines[0].count("\t") == 4 or lines[0].startswith('"')) and _is_evall(lines):
        return "evall"
    if width == 4:
        return "ntcir" if re.fullmatch(r"[Ll][0-9]+", split[0][3]) else "trec"
    if width == 5:
        if all(_is_number(f[2]) for f in split if len(f) == 5):
            raise InputError(
                "5 columns with a number in the third are EvALL's only if separated by tabs, Dynamic Domain's never;"
                " name the format with --qrels-format, or convert the file to `topic aspect document grade`"
            )
        return "dynamic-domain"
    hint = "; this looks like a run: are the judgments and the run swapped?" if width == 6 else ""
    raise InputError(f"expected judgments of 4 or 5 columns, got {width} columns{hint}")


def _is_evall(lines: list[str]) -> bool:
    cells = [[cell.strip().strip('"') for cell in line.split("\t")] for line in lines]
    fit = sum(len(row) == 5 and _is_number(row[2]) and _is_number(row[4]) for row in cells)
    return 2 * fit >= len(cells)  # most lines: a wrong one among them is then reported by its number


def run_format(lines: list[str]) -> str:
    """trec: 6 fields; evall: 2; dynamic-domain: topic, round, document, score, and perhaps more."""
    if all(line.rstrip().count("\t") == 1 for line in lines):
        return "evall"
    split = [fields_of(line) for line in lines]
    width = len(split[0])
    if width >= 6 and not _is_dynamic_domain(split):
        return "trec"
    if width == 2:
        return "evall"
    if width >= 4 and all(len(f) >= 4 and f[1].isdigit() and _is_number(f[3]) for f in split):
        if width == 4 and not any("." in f[3] or "\t" in line for f, line in zip(split, lines, strict=True)):
            raise InputError("expected a run of 6 columns, got 4; this looks like judgments: are the two swapped?")
        return "dynamic-domain"
    hint = "; this looks like judgments: are the two swapped?" if width in (4, 5) else ""
    raise InputError(f"expected a run of 6 columns (topic Q0 document rank score tag), got {width} columns{hint}")


def _is_dynamic_domain(rows: list[list[str]]) -> bool:
    """Six columns, but the second counts rounds and the fifth says on topic or not."""
    return all(
        len(f) >= 4 and f[1].isdigit() and _is_number(f[3]) and (len(f) < 5 or f[4] in ("0", "1", "-1"))
        for f in rows
    ) and any("|" in f[5] or ":" in f[5] for f in rows if len(f) >= 6)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
