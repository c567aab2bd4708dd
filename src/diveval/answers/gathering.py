"""Joining of several files and tables of a RAG evaluation: nuggets, labels, judges and texts by run and query."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from diveval.answers import answer_texts
from diveval.answers.label_checks import require_labels
from diveval.answers.material import AnswerFiles, AssignmentLine, Nugget, Sentence, System
from diveval.answers.reading import TEXTS, Given, Kind, NamedTable, Reading, label_of, read, records_of, stem_of
from diveval.argument_types import explain_types
from diveval.collection.inputs import AnswersLike, LabelsLike
from diveval.collection.joins import LEAST
from diveval.errors import InputError, UsageError, capture_warnings, count_of, preview, quote, warn
from diveval.reading.frames import is_frame
from diveval.reading.source import Source, source_name

_JSON = re.compile(r"\.(jsonl|json|ndjson)(\.(gz|bz2|xz|zst|zstd))?$")


@explain_types
def gather(
    files: AnswersLike,
    answers: AnswersLike = (),
    *,
    columns: Mapping[str, str] | None = None,
    labels: LabelsLike | None = None,
    combine: str = "majority",
    like: AnswerFiles | None = None,
) -> AnswerFiles:
    """Nuggets, labels and texts from any number of files or tables of detected kinds, joined by run and query.

    `like` are the answers of which these are labels by another judge: their nuggets and texts are those of the labels.
    """
    how = Reading.of(columns, labels, combine)
    whole = AnswerFiles() if like is None else AnswerFiles(dict(like.bank), bank_source=like.bank_source)
    texts_of: list[tuple[Given, AnswerFiles]] = []
    for given in files_of(files):
        kind, made = read(given, how)
        if kind.name in TEXTS:  # texts are added to systems after all labels are read
            texts_of.append((given, made))
            continue
        if like is None:
            _add_bank(whole, made, _name_of(given))
        for name, system in made.systems.items():
            _add_system(whole, name, system, _stem(given), kind)
        for query, listed in made.implied.items():
            whole.implied[query] = _unite(whole.implied.get(query, ()), listed)
        whole.trials |= made.trials
        _add_judges(whole, made)
    for given in files_of(answers):
        kind, made = read(given, how)
        if kind.name not in TEXTS:
            raise InputError(
                "wrong-kind-of-file", f"expected answers in a track's format, got {kind.what}", source=_name_of(given)
            )
        texts_of.append((given, made))
    for given, made in texts_of:
        for found in made.joins.values():
            if found.share < LEAST:
                fault = f"only {found.matched:,} of {count_of(found.total, 'citation')} by index have a reference (the first is 0)"
                raise InputError("ids-unmatched", fault, hint="count references from 0", source=found.table)
            whole.note(found)
        _add_texts(whole, made, _stem(given), _name_of(given))
    how.names.check()
    how.rule.check()
    if not whole.systems:
        raise InputError(
            "missing-labels",
            "no file contains labels of a system",
            hint="expected assignments, judgments or graded answers beside the nuggets",
            source=preview([_name_of(given) for given in files_of(files)]),
        )
    for name, system in whole.systems.items():
        if like is not None and name in like.systems and not system.texts:
            system.texts = like.systems[name].texts
    complete_files(whole)
    for name, system in whole.systems.items():
        require_labels(name, system)
    for one in whole.judges.values():
        one.bank, one.bank_source, one.trials = whole.bank, whole.bank_source, whole.trials
        for name, system in one.systems.items():
            system.texts = whole.systems[name].texts
        with capture_warnings():  # the same as of all judges together
            complete_files(one)
    if how.rule.describe():
        whole.notes.append(how.rule.describe())
        whole.combined = how.rule
    return whole


def _add_judges(whole: AnswerFiles, made: AnswerFiles) -> None:
    """Add each judge's labels of the systems of one file to those of other files."""
    for judge, own in made.judges.items():
        target = whole.judges.setdefault(judge, AnswerFiles())
        for name, system in own.systems.items():
            there = target.systems.get(name)
            if there is None:
                target.systems[name] = system
            else:
                there.add(system)


def files_of(given: Given) -> list[Given]:
    """The files and tables, with folders replaced by the JSON files in them: ARGUE's banks have one file per topic.

    A mapping names systems: `{"before": "a.jsonl", "after": frame}`. A list of records is one table.
    """
    if isinstance(given, Mapping):
        return [file for name, item in given.items() for file in _name_table(str(name), item)]
    if is_frame(given) or isinstance(given, Source):
        return [given]
    if not isinstance(given, (list, tuple)):
        raise UsageError("wrong-type", f"answers are read from paths of files, frames or records, got {quote(given)}")
    if given and all(isinstance(item, Mapping) for item in given):
        return [list(given)]
    out: list[Given] = []
    for item in given:
        if isinstance(item, Mapping):
            out += files_of(item)
        elif (
            is_frame(item)
            or isinstance(item, Source)
            or (isinstance(item, list) and item and all(isinstance(record, Mapping) for record in item))
        ):
            out.append(item)
        elif not isinstance(item, (str, os.PathLike)):
            raise UsageError(
                "wrong-type", f"answers are read from paths of files, frames or records, got {quote(item)}"
            )
        elif str(item) == "-" or not Path(item).is_dir():
            out.append(item)
        else:
            inside = sorted(path for path in Path(item).iterdir() if _JSON.search(path.name) and path.is_file())
            if not inside:
                raise InputError("empty-folder", "is a folder without JSON files", source=source_name(item))
            out += inside
    return out


def _name_table(name: str, item: Given) -> list[Given]:
    """A file or table with the name of its system."""
    if isinstance(item, (str, os.PathLike)):
        return [replace(Source.of(item), label=name)]
    (table,) = files_of([item])
    made = NamedTable(records_of(table, Reading())[0])
    made.label = name
    return [made]


def _name_of(given: Given) -> str:
    """What messages call a file or table."""
    if isinstance(given, list):
        return "records"
    return "table" if is_frame(given) else source_name(given)


def _stem(given: Given) -> str:
    """The name of the run of a file whose records name none."""
    return label_of(given) or ("run" if isinstance(given, list) or is_frame(given) else stem_of(source_name(given)))


def _add_bank(whole: AnswerFiles, made: AnswerFiles, source: str) -> None:
    for query, listed in made.bank.items():
        if query in whole.bank:
            raise InputError(
                "duplicate-nugget", f"query {quote(query)} has nuggets in {whole.bank_source} already", source=source
            )
        whole.bank[query] = listed
    whole.bank_source = whole.bank_source or made.bank_source


def _add_system(whole: AnswerFiles, name: str, system: System, stem: str, kind: Kind) -> None:
    """Add a system; a file of another kind about the same run completes it, one of the same kind is another system."""
    same_run = whole.systems.get(name)
    if same_run is None:
        whole.systems[name] = system
    elif set(same_run.parts()) & set(system.parts()):
        own = f"{name}@{stem}"
        if own in whole.systems:
            raise InputError(
                "duplicate-run", f"run {quote(name)} has {kind.what} twice under one file name", source=system.source
            )
        warn(
            "run-renamed",
            f"{system.source}: run {quote(name)} has {kind.what} in another file too; this one is called {own}",
        )
        whole.systems[own] = system
    else:
        same_run.add(system)


def _add_texts(whole: AnswerFiles, made: AnswerFiles, stem: str, source: str) -> None:
    """Add texts to the run of their id, else to the run of their file's name, else to the only run."""
    for name, system in made.systems.items():
        homes = [s for key, s in whole.systems.items() if name in (key, s.run_id)]
        homes = homes or [s for key, s in whole.systems.items() if stem in (key, s.run_id)]
        if not homes and len(whole.systems) == len(made.systems) == 1:
            homes = list(whole.systems.values())
        if not homes:
            raise InputError(
                "missing-labels",
                f"answers of run {quote(name)}: there are no labels of that run, nor of {quote(stem)}; there are labels"
                " of " + preview(list(whole.systems), 6),
                source=source,
            )
        for home in homes:
            home.add(System(home.run_id, system.source, texts=system.texts))


def complete_files(whole: AnswerFiles) -> None:
    """Join single judgments to sentences and labels by sentence to nuggets; without a bank, take the labels' nuggets."""
    for system in whole.systems.values():
        if system.judged and not system.support:
            if not system.texts:
                raise InputError(
                    "missing-argument",
                    "single support judgments need the answers they judge: add --answers FILE",
                    source=system.source,
                )
            found, system.support = answer_texts.join_support(system)
            whole.note(found)
    if not whole.bank:
        whole.bank = _bank_of_lines(whole.systems.values(), whole.implied)
        whole.bank_source = preview(list(dict.fromkeys(system.source for system in whole.systems.values())))
    for system in whole.systems.values():
        _add_uncited(system)
        system.lines = [_name_nuggets(line, whole.bank.get(line.query, ())) for line in system.lines]
        _warn_about_unknown_matches(system, whole)
        system.labelled = {
            query: tuple(_place_labels(sentence, whole.bank.get(query, ()), system, query) for sentence in sentences)
            for query, sentences in system.labelled.items()
        }


def _warn_about_unknown_matches(system: System, whole: AnswerFiles) -> None:
    """Warn about ARGUE's matches of questions or answers that the bank does not have with references."""
    unknown: list[str] = []
    for query, report in system.reports.items():
        answers_of = {nugget.text: set(nugget.answers) for nugget in whole.bank.get(query, ())}
        pairs = (pair for sentence in report for pair in sentence.matches if query in whole.bank)
        unknown += [query for question, answers in pairs if not set(answers) <= answers_of.get(question, set())]
    if unknown:
        warn(
            "unknown-nugget",
            f"{system.source}: {count_of(len(unknown), 'match is', 'matches are')} of questions or answers that {whole.bank_source} does not have"
            f" with references, left out ({preview(list(dict.fromkeys(unknown)))})",
        )


def _bank_of_lines(
    systems: Iterable[System], implied: Mapping[str, tuple[Nugget, ...]]
) -> dict[str, tuple[Nugget, ...]]:
    """The nuggets of the assignments, those of the first system if several have them, and those that tables name."""
    bank = dict(implied)
    for system in systems:
        for line in system.lines:
            if not line.by_name:
                bank.setdefault(line.query, line.nuggets)
    return bank


def _unite(first: Sequence[Nugget], second: Sequence[Nugget]) -> tuple[Nugget, ...]:
    """The nuggets of two tables, by name; an importance that only one of them gives counts."""
    named = {nugget.text: nugget for nugget in first}
    for nugget in second:
        known = named.setdefault(nugget.text, nugget)
        if known.importance is None:
            named[nugget.text] = nugget
        elif nugget.importance is not None and nugget.importance != known.importance:
            raise InputError("conflicting-weights", f"nugget {quote(nugget.text)} has two importances in two tables")
    return tuple(named.values())


def _name_nuggets(line: AssignmentLine, listed: Sequence[Nugget]) -> AssignmentLine:
    """A line of a table, whose nuggets may be named by the bank's ids, with the bank's texts."""
    if not line.by_name:
        return line
    by_text, by_id = {one.text: one for one in listed}, {one.id: one for one in listed if one.id}

    def find(nugget: Nugget) -> Nugget:
        known = by_text.get(nugget.text) or by_id.get(nugget.text)
        if known is None or (known.text == nugget.text and nugget.importance is not None):
            return nugget
        return known

    return replace(line, nuggets=tuple(map(find, line.nuggets)))


def _add_uncited(system: System) -> None:
    """Add the sentences at the end of an answer that a table of citations does not have, since they cite nothing."""
    lost: list[str] = []
    total = 0
    for query, sentences in system.support.items() if system.open_ended else ():
        written = system.texts.get(query, ())
        if len(sentences) > len(written) > 0:
            raise InputError(
                "label-count-mismatch",
                f"query {quote(query)}: citations of {len(sentences)} sentences, but the answer of run"
                f" {quote(system.run_id)} has {len(written)}",
                source=system.source,
            )
        bare = (Sentence(one.text) for one in written[len(sentences) :])
        system.support[query] = (*sentences, *bare)
        for one, labelled in zip(written, system.support[query], strict=False):
            cited = {citation.document for citation in one.citations}
            own = {citation.document for citation in labelled.citations}
            total += len(cited)
            if cited and not all(document.isdigit() for document in own or "?"):  # by their place, not their name
                lost += sorted(cited - own)
    if lost:
        warn(
            "missing-labels",
            f"{system.source}: {len(lost):,} of {count_of(total, 'citation')} in the answers of {quote(system.run_id)} have no"
            f" row, and count as not written ({preview(list(dict.fromkeys(lost)))})",
        )


def _place_labels(sentence: Sentence, listed: Sequence[Nugget], system: System, query: str) -> Sentence:
    """A sentence with labels by position instead of by the nuggets' ids."""
    if all(isinstance(key, int) for key in sentence.labels):
        return sentence
    places: dict[str, int] = {}
    for place, nugget in enumerate(listed):
        for name in (nugget.id, nugget.text):
            if name:
                places.setdefault(name, place)
    out: dict[int | str, Any] = {}
    for key, label in sentence.labels.items():
        place = places.get(str(key), int(key) if str(key).isdigit() and int(key) < len(listed) else -1)
        if place < 0:
            raise InputError(
                "unknown-nugget",
                f"query {quote(query)}: a sentence has a label for nugget {quote(key)}, which the nuggets do not have",
                source=system.source,
            )
        out[place] = label
    return replace(sentence, labels=out)
