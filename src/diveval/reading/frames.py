"""Tables of any library as judgments and runs: columns known by the names each library uses, or named by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import InputError, UsageError, need, shown
from diveval.judgments import Duplicates, Judgments, naturally
from diveval.runs import Run, TopicRun

# The names each library gives its columns, most telling first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "topic": ("topic", "query_id", "qid", "q_id", "query", "topic_id", "TOPIC"),
    "aspect": ("aspect", "subtopic_id", "subtopic", "iteration", "intent", "nugget", "ASPECT"),
    "document": ("document", "doc_id", "docno", "docid", "doc", "passage", "DOC"),
    "grade": ("grade", "relevance", "label", "rel", "rating", "GRADE"),
    "weight": ("weight", "aspect_weight", "importance", "WEIGHT"),
    "score": ("score", "sim", "SCORE"),
    "rank": ("rank", "RANK"),
    "round": ("round",),
    "run": ("run", "system", "name", "tag", "runid", "RUN"),
}

JUDGMENT_COLUMNS = ("topic", "aspect", "document", "grade", "weight")
RUN_COLUMNS = ("run", "topic", "document", "score", "rank", "round")
NUMBERS = ("grade", "weight", "score", "rank", "round")


def is_frame(shape: Any) -> bool:
    """A table: pandas, polars, Arrow, a DuckDB relation, or whatever hands its columns out as Arrow."""
    if isinstance(shape, (Mapping, str, bytes)):
        return False
    return _has_columns(shape) or hasattr(shape, "__arrow_c_stream__")


def _has_columns(shape: Any) -> bool:
    return hasattr(type(shape), "columns")  # of the type: asking a lazy frame itself would cost, and warn


def found_columns(frame: Any, columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Which of our columns a frame has, by the names it gives them."""
    return known_columns(_names(_wrap(frame)), columns)


def known_columns(names: Sequence[str], columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our columns among these names: those the caller maps, then by the names libraries use."""
    unknown = set(columns or {}) - set(COLUMNS)
    if unknown:
        raise UsageError(f"columns maps {', '.join(COLUMNS)} to a frame's own names, got {shown(sorted(unknown)[0])}")
    for what, name in (columns or {}).items():
        if name not in names:
            raise UsageError(f"the frame has no column {shown(name)} (for {what}); it has {_listed(names)}")
    known = {
        what: next(name for name in spellings if name in names)
        for what, spellings in COLUMNS.items() if set(spellings) & set(names)
    }  # fmt: skip
    mapped = set((columns or {}).values())
    return {what: name for what, name in known.items() if name not in mapped} | dict(columns or {})


def require_columns(names: Sequence[str], found: Mapping[str, str], needed: Sequence[str]) -> None:
    """Every column that cannot be done without."""
    for what in needed:
        if what not in found:
            raise InputError(
                f"the frame has no {what} column: expected one of {', '.join(COLUMNS[what][:5])}, got"
                f" {_listed(names)}; name it with columns={{'{what}': …}}"
            )


def _listed(names: Sequence[str]) -> str:
    """A frame's own names, quoted where they could spoil the line they stand in."""
    return ", ".join(name if name.isprintable() else shown(name) for name in names)


def _wrap(frame: Any) -> Any:
    narwhals = need("narwhals", "frames")
    if not _has_columns(frame):
        frame = need("pyarrow", "arrow").table(frame)
    try:
        return narwhals.from_native(frame)
    except TypeError:
        came = f"{type(frame).__module__}.{type(frame).__name__}"
        raise UsageError(f"a frame is a table of pandas, polars, Arrow or DuckDB, got {came}") from None


def _names(wrapped: Any) -> list[str]:
    names = wrapped.collect_schema().names() if hasattr(wrapped, "collect_schema") else wrapped.columns
    return [str(name) for name in names]


def columns_of(
    frame: Any, columns: Mapping[str, str] | None, *, needed: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, list[Any]]:
    """The columns asked for, as lists, under our names."""
    wrapped = _wrap(frame)
    found = found_columns(frame, columns)
    require_columns(_names(wrapped), found, needed)
    wanted = {what: found[what] for what in (*needed, *optional) if what in found}
    table = wrapped.select(list(dict.fromkeys(wanted.values())))
    if hasattr(table, "collect"):
        table = table.collect()
    return {what: table[name].to_list() for what, name in wanted.items()}


# --- judgments --------------------------------------------------------------------------------------------------------


def judgments_from_frame(frame: Any, *, columns: Mapping[str, str] | None, duplicates: Duplicates) -> Judgments:
    """Judgments from a table with at least topic, document and grade."""
    table = columns_of(frame, columns, needed=("topic", "document", "grade"), optional=("aspect", "weight"))
    return judgments_from_columns(table, duplicates)


def judgments_from_columns(
    table: Mapping[str, list[Any]],
    duplicates: Duplicates,
    *,
    repeats: bool = False,
    source: str = "",
    format: str = "",
) -> Judgments:
    """Judgments from columns under our names; `repeats` keeps every line of a passage-level file."""
    count = len(table["topic"])
    topics, documents = [text_of(t) for t in table["topic"]], [text_of(d) for d in table["document"]]
    if "aspect" in table:
        aspects = [text_of(a) for a in table["aspect"]]
    else:
        _refuse_lost_aspects(topics, documents)
        aspects = ["0"] * count
    grades = [grade_of(g, t, d) for g, t, d in zip(table["grade"], topics, documents, strict=True)]
    judgments = Judgments.from_rows(
        zip(topics, aspects, documents, grades, strict=True), duplicates=duplicates, repeats=repeats, source=source,
        format=format,
    )  # fmt: skip
    weights = _weights(topics, aspects, table["weight"], source) if "weight" in table else {}
    return judgments.with_weights(weights) if weights else judgments


def _refuse_lost_aspects(topics: list[str], documents: list[str]) -> None:
    """Two rows for one document and no column to tell them apart: the aspects were there once, and are lost."""
    seen: set[tuple[str, str]] = set()
    for pair in zip(topics, documents, strict=True):
        if pair in seen:
            raise InputError(
                f"topic {shown(pair[0])} judges document {shown(pair[1])} more than once and the frame has no aspect"
                f" column ({', '.join(COLUMNS['aspect'][:4])}): the aspects are lost; keep that column, or name it with"
                " columns={'aspect': …}"
            )
        seen.add(pair)


def _weights(
    topics: list[str], aspects: list[str], column: list[Any], source: str
) -> dict[tuple[str, str], float]:
    """Weights by (topic, aspect); a missing one leaves the aspect without, and two that differ are an error."""
    weights: dict[tuple[str, str], float] = {}
    for topic, aspect, weight in zip(topics, aspects, column, strict=True):
        if weight is None or weight != weight:
            continue
        try:
            value = float(weight)
        except (TypeError, ValueError, OverflowError):
            where = f"topic {shown(topic)}, aspect {shown(aspect)}"
            raise InputError(f"{where}: a weight is a finite number, got {shown(weight)}", source=source) from None
        if weights.setdefault((topic, aspect), value) != value:
            raise InputError(f"topic {shown(topic)}, aspect {shown(aspect)} has two different weights", source=source)
    return weights


# --- runs -------------------------------------------------------------------------------------------------------------


def run_from_frame(frame: Any, name: str, *, columns: Mapping[str, str] | None) -> Run:
    """A run from a table of one run."""
    table = columns_of(frame, columns, needed=("topic", "document"), optional=("score", "rank", "round"))
    return run_from_columns(table, name)


def runs_from_frame(frame: Any, *, columns: Mapping[str, str] | None = None) -> list[Run]:
    """A frame with a run column holds several runs."""
    table = columns_of(frame, columns, needed=("run", "topic", "document"), optional=("score", "rank", "round"))
    by_name: dict[str, list[int]] = {}
    for i, name in enumerate(table["run"]):
        by_name.setdefault(text_of(name), []).append(i)
    return [
        run_from_columns({k: [v[i] for i in rows] for k, v in table.items() if k != "run"}, name)
        for name, rows in by_name.items()
    ]


def run_from_columns(
    table: Mapping[str, list[Any]], name: str, *, source: str = "", format: str = "", tag: str = ""
) -> Run:
    """A run from columns under our names. Without a score the rank column orders it, else the rows as they stand."""
    rows: dict[str, list[int]] = {}
    for i, topic in enumerate(table["topic"]):
        rows.setdefault(text_of(topic), []).append(i)
    documents = [text_of(d) for d in table["document"]]
    topics = {}
    for topic in naturally(rows):
        at = rows[topic]
        ranks, rounds = _whole_numbers(table, "rank", at), _whole_numbers(table, "round", at)
        scores = _held(table, "score", at)
        if scores is None and ranks is not None and rounds is None:
            by_rank = np.argsort(ranks, kind="stable")
            at, ranks = [at[i] for i in by_rank], ranks[by_rank]
        held = [documents[i] for i in at]
        given = None if scores is None else _scores(scores, topic, held, source or name)
        topics[topic] = TopicRun(held, given, ranks, rounds)
    return Run(name, topics, source or name, format, tag)


def _held(table: Mapping[str, list[Any]], what: str, rows: list[int]) -> list[Any] | None:
    """A topic's part of a column, or None where it is missing or empty all the way."""
    column = [table[what][i] for i in rows] if what in table else []
    return None if all(value is None for value in column) else column


def _whole_numbers(table: Mapping[str, list[Any]], what: str, rows: list[int]) -> NDArray[np.int64] | None:
    """The same for whole numbers; None where one of them is not."""
    column = _held(table, what, rows)
    if column is None or not all(_is_whole(value) for value in column):
        return None
    return np.array(column, dtype=np.int64)


def _is_whole(value: Any) -> bool:
    """A whole number that a column of them can hold."""
    try:
        number = float(value) if isinstance(value, Real) else np.nan
    except OverflowError:
        return False
    return -(2.0**63) <= number < 2.0**63 and number.is_integer()


def _scores(values: list[Any], topic: str, documents: list[str], source: str) -> NDArray[np.float64]:
    try:
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        what = f"topic {shown(topic)}: a score is a finite number, got {_odd(values)}"
        raise InputError(what, source=source) from None
    if not np.isfinite(numbers).all():
        at = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(
            f"topic {shown(topic)}, document {shown(documents[at])}: a score is a finite number, got {values[at]}",
            source=source,
        )
    return numbers


def _odd(values: list[Any]) -> str:
    """The first of some values that is no number, to be shown."""
    for value in values:
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return shown(value)
    return shown(values)


# --- single values ----------------------------------------------------------------------------------------------------


def text_of(value: Any) -> str:
    """An id as text."""
    if value is None or value == "":
        raise InputError("an id (topic, aspect or document) is missing: the column has an empty cell")
    return value if isinstance(value, str) else str(value)


def grade_of(value: Any, topic: Any, document: Any) -> float:
    """A finite grade, or one clear line."""
    is_number = isinstance(value, (Real, np.number)) and not isinstance(value, bool)
    try:
        grade = float(value) if is_number else np.nan
    except OverflowError:  # a whole number of more than 308 digits
        grade = np.inf
    if not np.isfinite(grade):
        where = f"topic {shown(topic)}, document {shown(document)}"
        raise InputError(f"{where}: expected a finite grade, got {shown(value)}")
    return grade
