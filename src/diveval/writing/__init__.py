"""Writers of judgments and runs in every format, with a list of what a format cannot represent."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments, TopicJudgments
from diveval.collection.rankings import default_duplicates
from diveval.collection.runs import Run, TopicRun
from diveval.errors import InputError, UsageError, need, quote, suggestion
from diveval.reading.formats import judgment_format, run_format
from diveval.reading.parquet import NOTE
from diveval.settings import OrderRule
from diveval.system.files import write_atomically

ROW_GROUP = 250_000  # rows; small enough that a reader of one topic reads little else


@dataclass(frozen=True)
class Written:
    """A file's content, and what the format could not represent, one line each."""

    content: str | bytes
    losses: tuple[str, ...] = ()


def write_judgments(judgments: Judgments, path: str | Path, *, format: str) -> tuple[str, ...]:
    """Write judgments in a format; return what the format could not represent."""
    made = judgments_content(judgments, format)
    write_atomically(path, made.content)
    return made.losses


def write_runs(
    runs: Sequence[Run], path: str | Path, *, format: str, order: OrderRule | None = None
) -> tuple[str, ...]:
    """Write runs in a format (several only to parquet); return what the format could not represent."""
    made = runs_content(runs, format, order=order)
    write_atomically(path, made.content)
    return made.losses


# --- judgments --------------------------------------------------------------------------------------------------------


def file_names(runs: Sequence[Run]) -> list[str]:
    """The names of runs as file names, with the characters replaced that could lead out of a folder; all must differ."""
    names = [re.sub(r"[^\w.+-]", "_", run.name).lstrip(".") or "run" for run in runs]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise UsageError("duplicate-run", f"two runs would both be written to {twice}.run", hint="rename one")
    return names


def judgments_content(judgments: Judgments, format: str) -> Written:
    """Judgments as the content of a file."""
    _check(format, JUDGMENT_TARGETS)
    if format == "parquet":
        return Written(_judgments_parquet(judgments))
    writer = _JUDGMENT_WRITERS[format]
    losses: list[str] = []
    lines = list(writer(judgments, losses))
    if not _is_detected(judgment_format, lines, format):
        losses.append(f"the format cannot be detected from the content: read it with --qrels-format {format}")
    return Written("".join(line + "\n" for line in lines), tuple(losses))


def weights_text(judgments: Judgments) -> str:
    """The aspect weights as `topic aspect weight`, which is also NTCIR's Iprob."""
    weights = judgments.aspect_weights()
    if not weights:
        raise UsageError(
            "missing-weights",
            "the judgments have no aspect weights to write: all aspects of a topic have equal weights",
        )
    return "".join(f"{_bare(t, 'topic')} {_bare(a, 'aspect')} {w!r}\n" for (t, a), w in weights.items())


def _trec(judgments: Judgments, losses: list[str]) -> Iterator[str]:
    _lose_weights(judgments, losses)
    for topic, aspect, document, grade in _best(judgments, losses):
        yield f"{_first(topic)} {_bare(aspect, 'aspect')} {_bare(document, 'document')} {_number(grade)}"


def _ntcir(judgments: Judgments, losses: list[str]) -> Iterator[str]:
    _lose_weights(judgments, losses)
    rows = _best(judgments, losses)
    odd = next((grade for *_, grade in rows if grade != int(grade) or grade > 9999), None)
    if odd is not None:
        raise UsageError(
            "unwritable-value",
            f"ntcir has the grades L0, L1, … and cannot represent {odd:g}",
            hint="use trec, evall or parquet",
        )
    _lose_negatives(rows, "L0", losses)
    for topic, aspect, document, grade in rows:
        yield f"{_first(topic)} {_bare(aspect, 'aspect')} {_bare(document, 'document')} L{max(int(grade), 0)}"


def _evall(judgments: Judgments, losses: list[str]) -> Iterator[str]:
    rows = _best(judgments, losses)
    _lose_negatives(rows, "0", losses)
    weights = {
        (name, aspect): weight
        for name, topic in judgments.topics.items()
        for aspect, weight in zip(topic.aspects, _full_weights(topic, losses), strict=True)
    }
    for topic, aspect, document, grade in rows:
        cells = (topic, document, _number(max(grade, 0.0)), aspect, _number(weights[topic, aspect]))
        yield "\t".join(f'"{_cell(cell)}"' for cell in cells)


def _dynamic_domain(judgments: Judgments, losses: list[str]) -> Iterator[str]:
    _lose_weights(judgments, losses)
    if judgments.format == "dynamic-domain":
        losses.append("the names of passages, which are numbered instead")
    passages: dict[tuple[str, str, str], int] = {}
    for topic, aspect, document, grade in judgments.rows():
        key = (topic, aspect, document)
        passages[key] = passages.get(key, 0) + 1
        words = (_first(topic), _bare(aspect, "aspect"), _bare(document, "document"), str(passages[key]))
        yield "\t".join((*words, _number(grade)))


def _best(judgments: Judgments, losses: list[str]) -> list[tuple[str, str, str, float]]:
    """Every judgment; the best of several ratings of a document for an aspect."""
    best: dict[tuple[str, str, str], float] = {}
    count = 0
    for topic, aspect, document, grade in judgments.rows():
        key = (topic, aspect, document)
        best[key] = max(grade, best.get(key, grade))
        count += 1
    if count > len(best):
        losses.append(f"{count - len(best)} ratings of further passages: the best for each document and aspect is kept")
    return [(*key, grade) for key, grade in best.items()]


def _lose_weights(judgments: Judgments, losses: list[str]) -> None:
    if judgments.aspect_weights():
        losses.append("the aspect weights (--weights-output FILE writes them to a file)")


def _lose_negatives(rows: Iterable[tuple[str, str, str, float]], written: str, losses: list[str]) -> None:
    count = sum(grade < 0 for *_, grade in rows)
    if count:
        losses.append(f"{count} negative grades, written as {written}")


def _full_weights(topic: TopicJudgments, losses: list[str]) -> Sequence[float]:
    """A weight for every aspect: as given, or the uniform one."""
    relevant = np.unique(topic.columns[topic.grades > 0])
    if topic.weights is None:
        _add_once(losses, "that no weights were given: uniform weights are written")
        return [1.0 / max(len(relevant), 1)] * len(topic.aspects)
    missing = np.isnan(topic.weights)
    if missing[relevant].any():
        aspect = topic.aspects[int(np.flatnonzero(missing)[0])]
        raise UsageError(
            "missing-weights", f"topic {quote(topic.topic)}: aspect {quote(aspect)} has no weight, and evall needs one"
        )
    return np.where(missing, 0.0, topic.weights).tolist()  # type: ignore[no-any-return]


# --- runs -------------------------------------------------------------------------------------------------------------


def runs_content(runs: Sequence[Run], format: str, *, order: OrderRule | None = None) -> Written:
    """Runs as the content of a file; text holds one run, ordered by `order` where the format has no scores."""
    _check(format, RUN_TARGETS)
    if format == "parquet":
        return Written(_runs_parquet(runs))
    if len(runs) != 1:
        raise UsageError(
            "wrong-number-of-runs",
            f"{format} holds one run per file, got {len(runs)}",
            hint="write one file per run, or parquet",
        )
    writer = _RUN_WRITERS[format]
    losses: list[str] = []
    lines = list(writer(runs[0], order or OrderRule(), losses))
    if not lines:
        raise UsageError("empty-run", f"the run {quote(runs[0].name)} contains no document")
    if not _is_detected(run_format, lines, format):
        losses.append(f"the format cannot be detected from the content: read it with --run-format {format}")
    _lose_duplicate_rule(runs[0], format, losses)
    return Written("".join(line + "\n" for line in lines), tuple(losses))


def _trec_run(run: Run, order: OrderRule, losses: list[str]) -> Iterator[str]:
    tag = "_".join((run.tag or run.name).split()) or "run"
    if run.tag and tag != run.tag:
        losses.append(f"white space in the run's tag, which becomes {tag}")
    for topic, listed in run.topics.items():
        if listed.scores is not None and listed.iterations is None:
            ranks = listed.ranks
            if ranks is None:
                ranks = np.empty(len(listed.documents), dtype=np.int64)
                ranks[listed.order(order)] = np.arange(1, len(ranks) + 1)
            rows = zip(listed.documents, ranks.tolist(), listed.scores.tolist(), strict=True)
        else:
            rows = _count_down(listed, order)
            _add_once(losses, "rounds and scores: scores count down" if listed.iterations is not None else _MADE_UP)
        for document, rank, score in rows:
            yield f"{_first(topic)} Q0 {_bare(document, 'document')} {rank} {score!r} {tag}"


_MADE_UP = "that there were no scores: scores count down"


def _count_down(listed: TopicRun, order: OrderRule) -> Any:
    """The documents in their order, with ranks from 1 and scores down to 1."""
    count = len(listed.documents)
    return ((listed.documents[at], i + 1, float(count - i)) for i, at in enumerate(listed.order(order).tolist()))


def _evall_run(run: Run, order: OrderRule, losses: list[str]) -> Iterator[str]:
    columns = [
        what
        for what, column in (("scores", "scores"), ("ranks", "ranks"), ("rounds", "iterations"))
        if any(getattr(listed, column) is not None for listed in run.topics.values())
    ]
    if columns or run.tag:
        losses.append(f"{', '.join([*columns, *(['the tag'] if run.tag else [])])}: only the order is kept")
    for topic, listed in run.topics.items():
        for document in (listed.documents[at] for at in listed.order(order)):
            yield f"{_quote(_first(topic, white=True))}\t{_quote(document)}"


def _rounds_run(run: Run, order: OrderRule, losses: list[str]) -> Iterator[str]:
    if run.tag:
        losses.append("the tag")
    for topic, listed in run.topics.items():
        if listed.iterations is None:
            _add_once(losses, "that there were no rounds: all is round 0")
        if listed.ranks is not None:
            _add_once(losses, "the rank column")
        rounds = np.zeros(len(listed.documents), dtype=np.int64) if listed.iterations is None else listed.iterations
        if listed.scores is None:
            _add_once(losses, _MADE_UP)
            rows = [(document, 0, score) for document, _, score in _count_down(listed, order)]
        else:
            rows = list(zip(listed.documents, rounds.tolist(), listed.scores.tolist(), strict=True))
        for document, at, score in rows:
            yield "\t".join((_first(topic), str(at), _bare(document, "document"), repr(score)))


def _lose_duplicate_rule(run: Run, format: str, losses: list[str]) -> None:
    """Formats differ in their rule for a document that occurs twice in a topic: name the option that keeps it."""
    before, after = default_duplicates(run.format), default_duplicates(format)
    repeated = sum(len(listed.documents) - len(set(listed.documents)) for listed in run.topics.values())
    if repeated and before != after:
        losses.append(f"the rule for {repeated} repeated documents: read it with --duplicates {before}")


def _add_once(losses: list[str], loss: str) -> None:
    if loss not in losses:
        losses.append(loss)


# --- ids and numbers as text ------------------------------------------------------------------------------------------


def _is_detected(detect: Callable[[list[str]], str], lines: list[str], format: str) -> bool:
    """Whether the format is detected from the content; detection fails if two formats fit."""
    try:
        return detect(lines[:64]) == format
    except InputError:
        return False


def _check(format: str, known: tuple[str, ...]) -> None:
    if format not in known:
        raise UsageError("unknown-format", f"cannot write {quote(format)}", hint=suggestion(format, known))


def _bare(text: str, what: str) -> str:
    """An id without white space."""
    if not text or len(text.encode().split()) != 1 or text.encode().split()[0] != text.encode():
        raise UsageError(
            "unwritable-value", f"the {what} {quote(text)} is empty or has white space: only parquet can represent it"
        )
    return text


def _first(topic: str, *, white: bool = False) -> str:
    """A topic at the start of a line, where `#` would start a comment and a byte order mark would be dropped."""
    if topic.startswith(("#", "\ufeff")):
        raise UsageError(
            "unwritable-value",
            f"the topic {quote(topic)} would be read as a comment or a byte order mark in this format",
            hint="use parquet",
        )
    return _cell(topic) if white else _bare(topic, "topic")


def _cell(text: str) -> str:
    """An id without tabs and line ends."""
    if not text or any(character in text for character in "\t\r\n"):
        raise UsageError(
            "unwritable-value",
            f"the id {quote(text)} is empty or has a tab or line end",
            hint="use parquet instead of evall",
        )
    return text


def _quote(text: str) -> str:
    """A cell, quoted only if it would be read differently without quotes."""
    bare = _cell(text)
    return f'"{bare}"' if bare != bare.strip() or (len(bare) > 1 and bare[0] == bare[-1] == '"') else bare


def _number(value: float) -> str:
    """Integers without a decimal point, since other tools read grades as integers."""
    return str(int(value)) if value == int(value) else repr(float(value))


# --- parquet ----------------------------------------------------------------------------------------------------------


def _judgments_parquet(judgments: Judgments) -> bytes:
    arrow = need("pyarrow", "arrow")
    weights = judgments.aspect_weights()
    rows = sorted(judgments.rows(), key=lambda row: row[0])  # by topic, so that row groups are ranges of topics
    columns = {
        "topic": arrow.array([row[0] for row in rows], arrow.string()),
        "aspect": arrow.array([row[1] for row in rows], arrow.string()),
        "document": arrow.array([row[2] for row in rows], arrow.string()),
        "grade": arrow.array([row[3] for row in rows], arrow.float64()),
    }
    if weights:
        columns["weight"] = arrow.array([weights.get((row[0], row[1])) for row in rows], arrow.float64())
    note = {"format": judgments.format, "repeats": len({row[:3] for row in rows}) < len(rows)}
    return _parquet(arrow.table(columns), note)


def _runs_parquet(runs: Sequence[Run]) -> bytes:
    """All runs of a topic together, topics in byte order, so that shards are ranges of row groups."""
    arrow = need("pyarrow", "arrow")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise UsageError(
            "duplicate-run",
            f"two runs are called {quote(next(n for n in names if names.count(n) > 1))}",
            hint="rename one",
        )
    parts: dict[str, list[Any]] = {"run": [], "topic": [], "document": [], "score": [], "rank": [], "round": []}
    for topic in sorted({topic for run in runs for topic in run.topics}):
        for run in runs:
            listed = run.topics.get(topic)
            if listed is not None:
                count = len(listed.documents)
                parts["run"] += [run.name] * count
                parts["topic"] += [topic] * count
                parts["document"] += listed.documents
                for what, column in (("score", listed.scores), ("rank", listed.ranks), ("round", listed.iterations)):
                    parts[what] += [None] * count if column is None else column.tolist()
    kinds = {"score": arrow.float64(), "rank": arrow.int64(), "round": arrow.int64()}
    columns = {what: arrow.array(values, kinds.get(what, arrow.string())) for what, values in parts.items()}
    note = {
        "runs": names,
        "formats": {run.name: run.format for run in runs},
        "tags": {run.name: run.tag for run in runs},
    }
    return _parquet(arrow.table(columns), note)


def _parquet(table: Any, note: Mapping[str, Any]) -> bytes:
    stream = BytesIO()
    marked = table.replace_schema_metadata({NOTE: json.dumps(note).encode()})
    need("pyarrow.parquet", "arrow").write_table(marked, stream, row_group_size=ROW_GROUP, compression="zstd")
    return stream.getvalue()


# The writer of each text format; parquet is written from columns, not line by line.
_JUDGMENT_WRITERS = {"trec": _trec, "evall": _evall, "ntcir": _ntcir, "dynamic-domain": _dynamic_domain}
_RUN_WRITERS = {"trec": _trec_run, "evall": _evall_run, "dynamic-domain": _rounds_run}
JUDGMENT_TARGETS = (*_JUDGMENT_WRITERS, "parquet")
RUN_TARGETS = (*_RUN_WRITERS, "parquet")
