"""Reading of any file or table of a RAG evaluation, whose kind is detected, and joining of several of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from diveval.answers import answer_texts, label_tables
from diveval.answers import readers as labelled
from diveval.answers.judge_rules import Combination
from diveval.answers.material import AnswerFiles
from diveval.errors import InputError, UsageError, preview, quote
from diveval.reading.column_names import ColumnNames
from diveval.reading.frames import is_frame, materialise, names_of, pick_columns
from diveval.reading.judge_labels import LabelValues, Words
from diveval.reading.records import Records, separator_of
from diveval.reading.source import Source, source_name

TEXTS = ("answers", "crux-answers")  # kinds with the texts of answers, without labels


@dataclass(frozen=True)
class Kind:
    """A kind of file: how its records are recognised, and its reader."""

    name: str
    what: str
    fits: Callable[[dict[str, Any]], bool]
    read: Callable[..., AnswerFiles]


def _has(record: dict[str, Any], listing: str, key: str) -> bool:
    """Whether some object of a list in the record has this key."""
    listed = record.get(listing)
    return isinstance(listed, list) and any(isinstance(item, dict) and key in item for item in listed)


def _is_support(record: dict[str, Any]) -> bool:
    """Whether some citation has a support label; or nothing is cited, and the record is neither an answer nor labels."""
    listed = record.get("sentences")
    if not isinstance(listed, list):
        return False
    cited = [c for item in listed if isinstance(item, dict) for c in _citations(item)]
    if cited or {"request_id", "qid"} & set(record):
        return any(isinstance(citation, dict) and "support" in citation for citation in cited)
    return bool(set(answer_texts.SUPPORT_TOPIC) & {*record, *_inside(record, "metadata")})


def _citations(item: dict[str, Any]) -> Iterable[Any]:
    written = item.get("citations")
    return written if isinstance(written, (list, dict)) else ()


def _inside(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _is_old_bank(record: dict[str, Any]) -> bool:
    """NeuCLIR 2024: every value is ["OR" or "AND", {answer: documents}]."""
    pairs = [value for value in record.values() if isinstance(value, list) and len(value) == 2]
    return bool(record) and len(pairs) == len(record) and all(pair[0] in ("OR", "AND", "or", "and") for pair in pairs)


# The first kind that fits is used; each checks only the keys it needs, since tracks add new keys every year.
KINDS = (
    Kind("argue-judgments", "ARGUE judgments", lambda r: "report" in r and "judgments" in r, labelled.read_argue),
    Kind("argue-bank", "ARGUE nugget bank", lambda r: "nugget_bank" in r or _is_old_bank(r), labelled.read_bank),
    Kind("rubric", "graded rubric", lambda r: "criteria" in r, labelled.read_rubric),
    Kind(
        "assignments",
        "assignments of answers or passages",
        lambda r: (
            isinstance(r.get("nuggets"), list)
            and not _has(r, "nuggets", "relevant_corpus_ids")
            and (_has(r, "nuggets", "assignment") or bool({"answer_text", "candidate_text"} & set(r)))
        ),
        labelled.read_assignments,
    ),
    Kind("nuggets", "nuggets", lambda r: isinstance(r.get("nuggets"), list), labelled.read_nuggets),
    Kind("subquestions", "CRUX sub-questions", lambda r: "subquestions" in r, labelled.read_subquestions),
    Kind(
        "sentence-labels",
        "labels by sentence",
        lambda r: (
            isinstance(r.get("sentences"), list)
            and (_has(r, "sentences", "nuggets") or ("qid" in r and not _is_support(r)))
        ),
        labelled.read_sentence_labels,
    ),
    Kind("support", "support assignments", _is_support, answer_texts.read_support),
    Kind(
        "support-judgments",
        "support judgments",
        lambda r: "support_label" in r or "sentence_index" in _inside(r, "metadata"),
        answer_texts.read_support_judgments,
    ),
    Kind("udcg", "UDCG contexts", lambda r: isinstance(r.get("passages"), list), answer_texts.read_udcg),
    Kind(
        "answers",
        "answers",
        lambda r: any(k in r and isinstance(r[k], list | None) for k in answer_texts.SENTENCES),
        answer_texts.read_texts,
    ),
    Kind("crux-answers", "CRUX answers", lambda r: "response" in r and "qid" in r, answer_texts.read_crux_answers),
)

TABLES = {
    name: Kind(f"{name}-table", label_tables.WHAT[name], lambda record: False, reader)
    for name, reader in label_tables.READERS.items()
}


def kind_of(record: dict[str, Any], names: ColumnNames | None = None) -> Kind | None:
    """The kind of file a record belongs to."""
    found = next((kind for kind in KINDS if kind.fits(record)), None)
    if found is not None:
        return found
    table = label_tables.is_row(record, names or ColumnNames(label_tables.COLUMNS))
    return None if table is None else TABLES[table]


@dataclass(frozen=True)
class Reading:
    """How files are read: names of columns, what labels mean, and which label of several judges counts."""

    names: ColumnNames = field(default_factory=lambda: ColumnNames(label_tables.COLUMNS))
    values: LabelValues = field(default_factory=LabelValues)
    rule: Combination = field(default_factory=Combination)

    @classmethod
    def of(cls, columns: Mapping[str, str] | None, labels: Mapping[Any, Any] | None, combine: str) -> Reading:
        """As the caller says."""
        return cls(ColumnNames(label_tables.COLUMNS, columns), LabelValues(labels), Combination(combine))

    def is_header(self, names: list[str]) -> bool:
        """Whether a file with this header is a table of labels, citations or nuggets."""
        return label_tables.table_kind(names, self.names) is not None


# A path, a source, a frame, records in memory.
Given = Any


def records_of(given: Given, how: Reading) -> tuple[Records, str]:
    """The records of a file or table, and the name of the run of records that name none."""
    if is_frame(given):
        frame = materialise(given)
        columns = pick_columns(frame, {name: name for name in names_of(frame)})
        cells = {name: column if isinstance(column, list) else column.to_pylist() for name, column in columns.items()}
        rows = (dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True))
        return Records.of_objects(rows, "table"), "run"
    if isinstance(given, list):
        return Records.of_objects(given, "records"), "run"
    return Records.of(given, how.is_header), label_of(given) or stem_of(source_name(given))


MOST_UNKNOWN = 0.5  # share of unknown words above which a table of people's own labels is not understood


class NamedTable(list[Any]):
    """Records with the name of the system that they are about."""

    label: str


def label_of(given: Given) -> str | None:
    """The name that the caller gives to the system of a file or table."""
    named = isinstance(given, (str, PathLike, Source, NamedTable))  # a column of a frame may have this name
    return getattr(given, "label", None) if named else None


def read(given: Given, how: Reading | None = None) -> tuple[Kind, AnswerFiles]:
    """The kind and content of one file or table; unknown words are counted and reported once."""
    how = how or Reading()
    records, stem = records_of(given, how)
    words = Words(records.source, how.values)
    with records.locate_errors():
        if not any(True for _ in records):
            raise InputError("empty-input", "has no row")
        sample = sample_record(records)
        kind = kind_of(sample, how.names)
        if kind is None:
            keys = ", ".join(quote(key) for key in list(sample)[:6])
            raise InputError(
                "unknown-format",
                f"is not a known file of answers: a record has the keys {keys or '(none)'}; expected "
                + ", ".join(k.what for k in (*KINDS, *TABLES.values())),
                hint="name the columns of a table with columns={'question': …, 'nugget': …, 'label': …}",
            )
        _same_kind(kind, records, how.names)
        if kind in TABLES.values():
            made = kind.read(records, words, how.names, how.rule, stem)
        else:
            made = kind.read(records, words, stem=stem)  # the stem names the run of records without a run
    words.report(MOST_UNKNOWN if kind in TABLES.values() else 1.0)
    made.bank_source = records.source if made.bank else ""
    for answers in (made, *made.judges.values()):
        for system in answers.systems.values():
            system.source = records.source
    label = label_of(given)
    if label is not None:
        _name_system(made, label, records.source)
    return kind, made


def _name_system(made: AnswerFiles, label: str, source: str) -> None:
    """Call the only system of a file by the name that the caller gives it."""
    if len(made.systems) != 1:
        raise UsageError(
            "wrong-number-of-runs",
            f"{label}={source} names one system, but the file has {len(made.systems)} ({preview(list(made.systems))})",
        )
    for answers in (made, *made.judges.values()):
        for system in answers.systems.values():
            answers.systems = {label: replace(system, run_id=label)}


def is_answers(path: str | Path, how: Reading | None = None) -> bool:
    """Whether a file contains answers or labels of answers; standard input is not read, since that works only once."""
    how = how or Reading()
    if str(path) == "-" or not Path(path).is_file():
        return False
    try:
        with Source.of(path).open() as opened:
            first = next(opened.lines(comments=False), (0, ""))[1]  # only the first line, since a run may be long
            if separator_of(first, how.is_header) is not None:
                return True
            if first.lstrip()[:1] not in ("{", "["):
                return False
            return kind_of(sample_record(Records(opened.lines(), opened.name)), how.names) is not None
    except InputError:
        return False


def sample_record(records: Records) -> dict[str, Any]:
    """The first record that shows the kind of its file: one with an empty list fits several kinds."""
    for record in records:
        if not _is_bare(record):
            return record
    return next(iter(records))


def _same_kind(kind: Kind, records: Records, names: ColumnNames) -> None:
    """Require that every record is of the file's kind; one with an empty list fits several."""
    for record in records:
        other = kind_of(record, names)
        if other is not kind and not _is_bare(record):
            what = "an unknown record" if other is None else other.what
            raise InputError("mixed-records", f"expected {kind.what}, as in the rest of the file, got {what}")


def _is_bare(record: dict[str, Any]) -> bool:
    """Whether the record's list is empty or null, so that its kind is unclear."""
    lists = ("nuggets", "sentences", "answer", "responses", "passages")
    return any(record[key] in ([], None) for key in lists if key in record)


def stem_of(path: str | Path) -> str:
    """A file's name without prefixes and endings for kind and format: `assignments.run_a.jsonl` is run_a."""
    name = Path("stdin" if str(path) == "-" else path).name
    bare = re.sub(r"(\.(jsonl|json|ndjson|gz|bz2|xz|zst|zstd))+$", "", name)
    return re.sub(r"^(assignments?|answers?|judgments?)[._-]", "", bare) or name
