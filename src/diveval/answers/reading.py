"""Reading of any file of a RAG evaluation, whose kind is detected, and joining of several files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diveval.answers import answer_texts
from diveval.answers import readers as labelled
from diveval.answers.material import AnswerFiles, Nugget, Sentence, System
from diveval.errors import InputError, UsageError, count_of, preview, quote, warn
from diveval.reading.judge_labels import Words
from diveval.reading.records import Records
from diveval.reading.source import Source, source_name

TEXTS = ("answers", "crux-answers")  # kinds with the texts of answers, without labels
_JSON = re.compile(r"\.(jsonl|json|ndjson)(\.(gz|bz2|xz|zst|zstd))?$")


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


def kind_of(record: dict[str, Any]) -> Kind | None:
    """The kind of file a record belongs to."""
    return next((kind for kind in KINDS if kind.fits(record)), None)


def read(path: str | Path) -> tuple[Kind, AnswerFiles]:
    """The kind and content of one file; unknown words are counted and reported once."""
    records = Records.of(path)
    words = Words(records.source)
    with records.locate_errors():
        sample = sample_record(records)
        kind = kind_of(sample)
        if kind is None:
            keys = ", ".join(quote(key) for key in list(sample)[:6])
            raise InputError(
                "unknown-format",
                f"is not a known file of answers: a record has the keys {keys or '(none)'}; expected "
                + ", ".join(k.what for k in KINDS),
            )
        _same_kind(kind, records)
        made = kind.read(records, words, stem=stem_of(path))  # the stem names the run of records without a run
    words.report()
    made.bank_source = records.source if made.bank else ""
    for system in made.systems.values():
        system.source = records.source
    return kind, made


def is_answers(path: str | Path) -> bool:
    """Whether a file contains answers or labels of answers; standard input is not read, since that works only once."""
    if str(path) == "-" or not Path(path).is_file():
        return False
    try:
        with Source.of(path).open() as opened:
            first = next(opened.lines(), (0, ""))[1]  # only the first line, since a run may be long
            if first.lstrip()[:1] not in ("{", "["):
                return False
            return kind_of(sample_record(Records(opened.lines(), opened.name))) is not None
    except InputError:
        return False


def sample_record(records: Records) -> dict[str, Any]:
    """The first record that shows the kind of its file: one with an empty list fits several kinds."""
    for record in records:
        if not _is_bare(record):
            return record
    return next(iter(records))


def _same_kind(kind: Kind, records: Records) -> None:
    """Require that every record is of the file's kind; one with an empty list fits several."""
    for record in records:
        other = kind_of(record)
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


# --- several files ----------------------------------------------------------------------------------------------------


def gather(paths: Sequence[str | Path], answers: Sequence[str | Path] = ()) -> AnswerFiles:
    """Nuggets, labels and texts from any number of files of detected kinds, joined by run and query."""
    whole = AnswerFiles()
    texts_of: list[tuple[str | Path, AnswerFiles]] = []
    for path in files_of(paths):
        kind, made = read(path)
        if kind.name in TEXTS:  # texts are added to systems after all labels are read
            texts_of.append((path, made))
            continue
        _add_bank(whole, made, source_name(path))
        for name, system in made.systems.items():
            _add_system(whole, name, system, stem_of(path), kind)
    for path in files_of(answers):
        kind, made = read(path)
        if kind.name not in TEXTS:
            raise InputError(
                "wrong-kind-of-file", f"expected answers in a track's format, got {kind.what}", source=source_name(path)
            )
        texts_of.append((path, made))
    for path, made in texts_of:
        _add_texts(whole, made, stem_of(path), source_name(path))
    if not whole.systems:
        raise InputError(
            "missing-labels",
            "no file contains labels of a system",
            hint="expected assignments, judgments or graded answers beside the nuggets",
            source=preview([source_name(path) for path in paths]),
        )
    _complete(whole)
    return whole


def files_of(paths: Sequence[str | Path]) -> list[str | Path]:
    """The files, with folders replaced by the JSON files in them: ARGUE's banks have one file per topic."""
    if not isinstance(paths, (list, tuple)) or not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise UsageError("wrong-type", f"answers are read from paths of files, got {quote(paths)}")
    out: list[str | Path] = []
    for path in paths:
        if str(path) == "-" or not Path(path).is_dir():
            out.append(path)
            continue
        inside = sorted(item for item in Path(path).iterdir() if _JSON.search(item.name) and item.is_file())
        if not inside:
            raise InputError("empty-folder", "is a folder without JSON files", source=source_name(path))
        out += inside
    return out


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


def _complete(whole: AnswerFiles) -> None:
    """Join single judgments to sentences and labels by sentence to nuggets; without a bank, take the labels' nuggets."""
    for system in whole.systems.values():
        if system.judged and not system.support:
            if not system.texts:
                raise InputError(
                    "missing-argument",
                    "single support judgments need the answers they judge: add --answers FILE",
                    source=system.source,
                )
            system.support = answer_texts.join_support(system)
    if not whole.bank:
        whole.bank = _bank_of_lines(whole.systems.values())
        whole.bank_source = preview([system.source for system in whole.systems.values() if system.lines])
    for system in whole.systems.values():
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


def _bank_of_lines(systems: Iterable[System]) -> dict[str, tuple[Nugget, ...]]:
    """The nuggets of the assignments, those of the first system if several have them."""
    bank: dict[str, tuple[Nugget, ...]] = {}
    for system in systems:
        for line in system.lines:
            bank.setdefault(line.query, line.nuggets)
    return bank


def _place_labels(sentence: Sentence, listed: Sequence[Nugget], system: System, query: str) -> Sentence:
    """A sentence with labels by position instead of by the nuggets' ids."""
    if all(isinstance(key, int) for key in sentence.labels):
        return sentence
    places: dict[str, int] = {}
    for place, nugget in enumerate(listed):
        places.setdefault(nugget.id or nugget.text, place)
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
