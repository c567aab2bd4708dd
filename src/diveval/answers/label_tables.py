"""Labels in long form, a row per label: `question, system, nugget, label` or `question, system, sentence, citation, support`.

The rows come from CSV, from JSON lines or from memory. Columns are recognised by the names below or mapped by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diveval.answers.judge_rules import Combination
from diveval.answers.material import AnswerFiles, AssignmentLine, Citation, Nugget, Sentence
from diveval.errors import InputError, count_of, quote, warn
from diveval.reading.cells import is_na
from diveval.reading.column_names import ColumnNames
from diveval.reading.judge_labels import Words, canonical
from diveval.reading.lines import finite
from diveval.reading.records import Records, is_id

COLUMNS: dict[str, tuple[str, ...]] = {
    what: tuple(names.split())
    for what, names in {
        "question": "question question_id query query_id qid topic topic_id request_id narrative_id",
        "system": "system system_id run run_id model",
        "nugget": "nugget nugget_id nugget_text fact claim criterion",
        "label": "label assignment verdict judgment judgement",
        "sentence": "sentence sentence_id sentence_index",
        "citation": "citation reference document doc_id docid passage",
        "support": "support",
        "judge": "judge judge_id annotator assessor rater",
        "trial": "trial trial_id repetition seed",
        "importance": "importance",
        "text": "text sentence_text",
        "tokens": "tokens",
    }.items()
}
WHAT = {"labels": "labels in long form", "citations": "citations in long form", "nuggets": "nuggets in long form"}


def table_kind(keys: Iterable[str], names: ColumnNames) -> str | None:
    """What a record with these keys is a row of; None if it is no row of labels, citations or nuggets."""
    found = set(names.look_up(list(keys), COLUMNS))
    if "question" not in found:
        return None
    if "nugget" in found and "label" in found:
        return "labels"
    if "citation" in found and found & {"support", "label"}:
        return "citations"
    return "nuggets" if "nugget" in found and not found & {"system", "support", "citation", "sentence"} else None


def is_row(record: Mapping[str, Any], names: ColumnNames) -> str | None:
    """The kind of table that a record is a row of; its cells are no lists or objects."""
    if any(isinstance(value, list | dict) for value in record.values()):
        return None
    return table_kind(record, names)


Place = tuple[str, str, str]  # system, trial, question


@dataclass
class Rows:
    """The cells of a table of labels or citations, by answer, in the order of the file."""

    labels: dict[Place, dict[str, dict[str, dict[str, Any]]]] = field(default_factory=dict)  # sentence, item, judge
    nuggets: dict[str, dict[str, Any]] = field(default_factory=dict)  # question, nugget: importance
    texts: dict[tuple[Place, str], str] = field(default_factory=dict)
    tokens: dict[tuple[Place, str], float] = field(default_factory=dict)
    lines: dict[Place, int] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    least: int = 1  # the lowest number of a sentence


class Cells:
    """One record by our names; null, NaN and empty cells are None."""

    def __init__(self, record: Mapping[str, Any], names: ColumnNames) -> None:
        self.found = names.look_up(list(record), COLUMNS)
        self.record = record

    def get(self, what: str) -> Any:
        """A cell; None if it is empty or the column does not exist."""
        value = self.record.get(self.found.get(what, ""))
        if value is None or is_na(value) or value != value or (isinstance(value, str) and not value.strip()):
            return None
        return value.strip() if isinstance(value, str) else value

    def id(self, what: str, default: str | None = None) -> str:
        """An id, which may be a whole number; without a default an empty one is an error."""
        value = self.get(what)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # a column with an empty cell somewhere, as pandas reads it
        if value is None and default is not None:
            return default
        if not is_id(value):
            raise InputError("missing-key", f"expected the id of a {what}, got {quote(value) if value else 'nothing'}")
        return str(value)


def read_labels(records: Records, words: Words, names: ColumnNames, rule: Combination, stem: str) -> AnswerFiles:
    """Rows of nuggets' labels: for a whole answer, or by sentence where the table has a column of sentences."""
    rows, conflicts = Rows(), set[str]()
    for record in records:
        cells = Cells(record, names)
        place, nugget = _place(cells, stem), cells.id("nugget")
        own, importance = rows.nuggets.setdefault(place[2], {}), _importance(cells, words)
        if own.setdefault(nugget, importance) != importance and importance is not None:
            if own[nugget] is None:
                own[nugget] = importance
            else:
                conflicts.add(f"{place[2]}: {nugget}")
        rows.labels.setdefault(place, {})
        rows.lines.setdefault(place, records.line)
        if cells.get("label") is not None:
            _put(rows, cells, place, nugget, canonical(words.label(cells.get("label"))))
    if conflicts:
        raise InputError("conflicting-weights", f"nuggets have two importances: {', '.join(sorted(conflicts)[:3])}")
    return _per_judge(rows, rule, words, _answers)


def read_citations(records: Records, words: Words, names: ColumnNames, rule: Combination, stem: str) -> AnswerFiles:
    """Rows of citations' support; a row with an empty citation is a sentence that cites nothing."""
    rows, last, apart = Rows(), ("", "", "", ""), set[tuple[str, ...]]()
    for record in records:
        cells = Cells(record, names)
        place = _place(cells, stem)
        own = (*place, cells.id("sentence", ""))
        if own != last and rows.labels.get(place, {}).get(own[-1]):
            apart.add(own)
        last = own
        rows.labels.setdefault(place, {})
        rows.lines.setdefault(place, records.line)
        if cells.get("citation") is None:
            _sentence(rows, cells, place)
            continue
        label = cells.get("support")
        label = cells.get("label") if label is None else label
        _put(rows, cells, place, cells.id("citation"), -1 if label is None else words.support(label))
    if apart and len(rows.judges) < 2:
        what = count_of(len(apart), "sentence has", "sentences have")
        warn(
            "unclear-order",
            f"{words.source}: {what} citations in rows that are not together, in whose order the first citation is taken",
        )
    return _per_judge(rows, rule, words, _support)


def read_nuggets(records: Records, words: Words, names: ColumnNames, rule: Combination, stem: str) -> AnswerFiles:
    """Rows of nuggets with their importance; with a column `text` the nugget's name is its id."""
    bank: dict[str, dict[str, Nugget]] = {}
    for record in records:
        cells = Cells(record, names)
        question, name, text = cells.id("question"), cells.id("nugget"), cells.get("text")
        own = bank.setdefault(question, {})
        if name in own:
            raise InputError("duplicate-nugget", f"question {quote(question)} has nugget {quote(name)} twice")
        importance = _importance(cells, words)
        own[name] = Nugget(name if text is None else str(text), importance, id="" if text is None else name)
    return AnswerFiles({question: tuple(own.values()) for question, own in bank.items()})


READERS = {"labels": read_labels, "citations": read_citations, "nuggets": read_nuggets}


# --- rows -------------------------------------------------------------------------------------------------------------


def _place(cells: Cells, stem: str) -> Place:
    system = cells.id("system", None if "system" in cells.found else stem)
    return system, cells.id("trial", ""), cells.id("question")


def _importance(cells: Cells, words: Words) -> Any:
    value = cells.get("importance")
    number = finite(value) if isinstance(value, str) else None
    return words.importance(value if number is None else number)


def _sentence(rows: Rows, cells: Cells, place: Place) -> dict[str, dict[str, Any]]:
    """The items of the sentence of a row, with its text and tokens; the empty name is the whole answer."""
    name = cells.id("sentence", "")
    text, tokens, fault = cells.get("text"), cells.get("tokens"), ""
    if "text" in cells.found:
        known, own = rows.texts.get((place, name), ""), "" if text is None else str(text)
        if known and own and known != own:
            fault = "two texts"
        rows.texts[place, name] = known or own
    if tokens is not None and rows.tokens.setdefault((place, name), _count(tokens)) != _count(tokens):
        fault = "two lengths"
    if fault:
        raise InputError("conflicting-nuggets", f"sentence {quote(name)} of {_name(place)} has {fault}")
    if name.isdigit():
        rows.least = min(rows.least, int(name))
    return rows.labels[place].setdefault(name, {})


def _count(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < float("inf"):
        raise InputError("not-a-number", f"tokens is a number of at least 0, got {quote(value)}")
    return number


def _put(rows: Rows, cells: Cells, place: Place, item: str, label: Any) -> None:
    """Keep one judge's label of an item, which must be new."""
    judge = cells.id("judge", "")
    rows.judges[judge] = None
    by_judge = _sentence(rows, cells, place).setdefault(item, {})
    if judge in by_judge:
        who = f" by {quote(judge)}" if judge else ""
        raise InputError(
            "duplicate-judgment",
            f"{_name(place)}: {quote(item)} is labelled twice{who}",
            hint="keep one row, or name several judges in a column judge, repeated answers in a column trial",
        )
    by_judge[judge] = label


def _name(place: Place) -> str:
    system, trial, question = place
    return f"system {quote(system)}{f', trial {trial}' if trial else ''}, question {quote(question)}"


# --- answers ----------------------------------------------------------------------------------------------------------


def _per_judge(rows: Rows, rule: Combination, words: Words, make: Any) -> AnswerFiles:
    """The answers by the labels of all judges together, and by those of each judge alone if there are several."""
    rule.require(rows.judges)
    whole: AnswerFiles = make(rows, rule.combine, words.source)
    if len(rows.judges) > 1:
        for judge in rows.judges:
            whole.judges[judge] = make(rows, lambda labels, judge=judge: labels.get(judge), words.source)
    whole.implied = {
        question: tuple(Nugget(name, importance) for name, importance in own.items())
        for question, own in rows.nuggets.items()
    }
    return whole


def run_of(made: AnswerFiles, place: Place) -> str:
    """The run of an answer: its system, or a trial of it."""
    name = f"{place[0]}#{place[1]}" if place[1] else place[0]
    if place[1]:
        made.trials[name] = place[0]
    return name


def _answers(rows: Rows, choose: Any, source: str) -> AnswerFiles:
    made = AnswerFiles()
    for place, sentences in rows.labels.items():
        chosen = {name: _choose_labels(items, choose) for name, items in sentences.items()}
        system = made.system(run_of(made, place))
        whole = chosen.pop("", None)
        if whole or not chosen:
            labels = whole or {}
            text = rows.texts.get((place, ""))
            nuggets = tuple(Nugget(name, rows.nuggets[place[2]].get(name)) for name in labels)
            line = AssignmentLine(
                place[2], nuggets, tuple(labels.values()), text, None, rows.lines[place], by_name=True
            )
            system.lines.append(line)
        if chosen:
            system.labelled[place[2]] = tuple(
                Sentence(
                    rows.texts.get((place, name), ""),
                    labels=_by_name(chosen.get(name, {})),
                    tokens=rows.tokens.get((place, name)),
                )
                for name in _order(chosen, rows.least, source, place)
            )
    return made


def _support(rows: Rows, choose: Any, source: str) -> AnswerFiles:
    made = AnswerFiles()
    for place, sentences in rows.labels.items():
        system = made.system(run_of(made, place))
        system.open_ended = True
        system.support[place[2]] = tuple(
            Sentence(
                rows.texts.get((place, name), ""),
                tuple(Citation(item, label) for item, label in _choose_labels(sentences.get(name, {}), choose).items()),
            )
            for name in _order(sentences, rows.least, source, place)
        )
    return made


def _choose_labels(items: Mapping[str, Mapping[str, Any]], choose: Any) -> dict[str, Any]:
    found = {item: choose(labels) for item, labels in items.items()}
    return {item: label for item, label in found.items() if label is not None}


def _by_name(labels: Mapping[str, Any]) -> dict[int | str, Any]:
    return {name: label for name, label in labels.items()}  # noqa: C416 (the keys of sentences may be places too)


def _order(sentences: Mapping[str, Any], least: int, source: str, place: Place) -> Sequence[str]:
    """Sentences by number, with those that are missing in between, or in the order of the file."""
    if not all(name.isdigit() for name in sentences):
        return list(sentences)
    numbers = {int(name): name for name in sentences}
    every = range(least, max(numbers) + 1)
    if len(every) > len(numbers):
        number = count_of(
            len(every) - len(numbers), "sentence has no row and counts", "sentences have no row and count"
        )
        warn("missing-sentences", f"{source}: {_name(place)}: {number} as sentences without a label or citation")
    if len(every) > 100_000:
        raise InputError("out-of-range", f"{_name(place)}: sentence {max(numbers)} is no place in an answer")
    return [numbers.get(number, str(number)) for number in every]
