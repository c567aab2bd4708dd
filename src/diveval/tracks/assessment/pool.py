"""`diveval track pool`: which documents to have judged, as files and pages for assessors without names of systems."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import InputError, UsageError, preview, quote
from diveval.judging.pools import PooledDocument, build_pool, order_by_effect
from diveval.reading.texts import Texts, TopicText, mentions_aspects, read_texts
from diveval.results.table_text import csv_text, starts_formula
from diveval.scoring.evaluate import load_judgments
from diveval.tracks import disk
from diveval.tracks.assessment.page import page
from diveval.tracks.folder import Track
from diveval.tracks.record import Submission, expecting
from diveval.tracks.scorings import options_of, run_of
from diveval.tracks.submission_verdicts import repair
from diveval.validation.rules import json_bytes

POOL, SCHEMA = "private/pool", "diveval.pool/1"
HEADER = ("assessor", "topic", "aspect", "document", "label")
NO_ASPECT = "0"  # where a topic has no aspects, as in TREC qrels
ASSESSOR = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
LONGEST = 20_000  # characters of a document's text that a page shows
MOST_GRADE = 9  # a key of the page for each
By = Literal["depth", "effect"]


@dataclass(frozen=True)
class PoolRequest:
    """What `diveval track pool` is asked for."""

    depth: int
    by: By = "depth"
    budget: int | None = None  # documents in all
    priority: int | None = None  # only runs with at most this number
    assessors: tuple[str, ...] = ("assessor",)
    overlap: int | None = None  # topics that every assessor gets; None: all
    highest: int = 1  # labels are 0 to this
    topics: str | None = None
    documents: str | None = None

    def check(self) -> None:
        """Refuse what cannot be done."""
        for name, value, least in (("depth", self.depth, 1), ("budget", self.budget, 1), ("overlap", self.overlap, 0)):
            if value is not None and value < least:
                raise UsageError("out-of-range", f"--{name} is a whole number of at least {least}, got {value}")
        if not 1 <= self.highest <= MOST_GRADE:
            raise UsageError("out-of-range", f"--highest-label is 1 to {MOST_GRADE}, got {self.highest}")
        if not self.assessors or len(set(self.assessors)) < len(self.assessors):
            raise UsageError("wrong-value", f"--assessors names each assessor once, got {preview(self.assessors)}")
        for name in self.assessors:
            if ASSESSOR.fullmatch(name) is None:
                raise UsageError("wrong-value", f"an assessor's name matches {ASSESSOR.pattern}, got {quote(name)}")


@dataclass(frozen=True)
class Pool:
    """A pool as `private/pool/` has it."""

    settings: Mapping[str, Any]
    documents: Mapping[str, tuple[str, ...]]  # by topic, in the order of their priority
    aspects: Mapping[str, Mapping[str, str]]  # by topic: id and text
    assessors: Mapping[str, tuple[str, ...]]  # by name: topics

    @property
    def size(self) -> int:
        return sum(map(len, self.documents.values()))

    def items(self, assessor: str) -> int:
        """How many labels an assessor is asked for."""
        return sum(len(self.documents[topic]) * len(self.aspects[topic]) for topic in self.assessors[assessor])


@dataclass(frozen=True)
class MadePool:
    """The answer of the command."""

    pool: Pool
    runs: tuple[str, ...]
    left_out: Mapping[str, str]  # standing submissions that are not pooled, with the reason
    judged: int  # pooled documents that have judgments already
    beyond: int  # pooled documents beyond the budget
    untitled: int  # pooled documents without text, where a file of texts was given
    files: tuple[str, ...]


def make_pool(track: Track, request: PoolRequest, *, wait: float = 30.0) -> MadePool:
    """Build the pool, write what assessors need to `private/pool`, and record it."""
    request.check()
    track.require_decided()
    with track.writing(wait):
        repair(track)
        chosen, left_out = _choose(track, request)
        if not chosen:
            raise UsageError("too-few-runs", "no standing submission can be pooled", hint="see `diveval track status`")
        options = options_of(track.config)
        pooled = build_pool((_run(track, given) for given in chosen), options.order_for(None), request.depth)
        pooled = [one for one in pooled if one.topic in track.topics]
        judged = _find_judged(track)
        fresh = [one for one in pooled if one.document not in judged.get(one.topic, ())]
        if request.by == "effect":
            fresh = _order_by_effect(track, fresh, chosen)
        unjudged = len(fresh)
        fresh = fresh[: request.budget]
        if not fresh:
            raise UsageError("nothing-to-judge", f"all {len(pooled)} pooled documents are judged", hint="pool deeper")
        texts = _read_texts(track, request, fresh)
        pool = _divide(track, request, fresh, texts)
        table = _table(fresh)
        files = {"pool.csv": table, "pool.json": _settings_bytes(pool)}
        files |= _for_assessors(track, pool, texts)
        disk.write_folder(track.path(track.place(POOL)), files, track.config.id)
        track.add(
            "pooled",
            depth=request.depth,
            by=request.by,
            submissions=[given.id for given in chosen],
            topics=len(pool.documents),
            documents=pool.size,
            sum=track.secret.sum("pool", files["pool.json"] + b"\0" + table),
        )
    untitled = sum(one.document not in texts.documents for one in fresh) if request.documents else 0
    names = tuple(f"{track.place(POOL)}/{name}" for name in sorted(files))
    ids, judged_count = tuple(s.id for s in chosen), len(pooled) - unjudged
    return MadePool(pool, ids, left_out, judged_count, unjudged - len(fresh), untitled, names)


def _choose(track: Track, request: PoolRequest) -> tuple[list[Submission], dict[str, str]]:
    chosen, left_out = [], {}
    for given in track.state.standing():
        if given.late and not given.late_accepted:
            left_out[given.id] = "late"
        elif request.priority is not None and given.priority > request.priority:
            left_out[given.id] = f"priority {given.priority}"
        else:
            chosen.append(given)
    return chosen, left_out


def _run(track: Track, given: Submission) -> Any:
    return run_of(track.read_stored(track.info(given)), track.config, given.id)


def _find_judged(track: Track) -> dict[str, set[str]]:
    """The documents that the named judgments have already, by topic."""
    name = track.config["data.qrels"]
    if not name or not track.path(name).is_file():
        return {}
    judgments = load_judgments(track.path(name), options_of(track.config))
    return {topic: set(judgments.topics[topic].documents) for topic in judgments.topics}


def _order_by_effect(
    track: Track, pooled: Sequence[PooledDocument], chosen: Sequence[Submission]
) -> list[PooledDocument]:
    name = track.config["data.qrels"]
    if not name or not track.path(name).is_file():
        hint = "pool by depth first; once some topics are judged, --by effect says what to judge next"
        raise UsageError("step-not-done", "--by effect needs judgments of some topics", hint=hint)
    if len(chosen) < 2:
        raise UsageError("too-few-runs", "--by effect compares two runs or more")
    options, weights = options_of(track.config), track.config["data.weights"]
    judgments = load_judgments(track.path(name), options, track.path(weights) if weights else None)
    runs = [_run(track, given) for given in chosen]
    return order_by_effect(pooled, judgments, runs, track.config.official, options)


# --- topics, aspects, assessors -----------------------------------------------------------------------------------


def _read_texts(track: Track, request: PoolRequest, pooled: Sequence[PooledDocument]) -> Texts:
    """Queries and aspects from --topics or the track's own file, texts of documents from --docs."""
    own = track.config["data.topics"]
    given = request.topics or (str(track.path(own)) if mentions_aspects(track.read(own)) else None)
    texts = read_texts(given, request.documents, wanted={one.document for one in pooled}, longest=LONGEST)
    if request.topics and not set(texts.topics) & set(track.topics):
        raise no_shared_topic(texts.topics, track.topics, source=request.topics, others="the track")
    missing = {topic: TopicText(query) for topic, query in track.topics.items() if topic not in texts.topics}
    return replace(texts, topics={**texts.topics, **missing})


def _divide(track: Track, request: PoolRequest, pooled: Sequence[PooledDocument], texts: Texts) -> Pool:
    """Topics in the order of the track, some for every assessor, the others in turn."""
    documents: dict[str, list[str]] = {}
    for one in pooled:
        documents.setdefault(one.topic, []).append(one.document)
    topics = [topic for topic in track.topics if topic in documents]
    shared = topics if request.overlap is None else topics[: request.overlap]
    rest, names = topics[len(shared) :], request.assessors
    assessors = {name: (*shared, *rest[place :: len(names)]) for place, name in enumerate(names)}
    idle = [name for name, mine in assessors.items() if not mine]
    if idle:
        raise UsageError("too-few-topics", f"{len(topics)} topics leave nothing for {preview(idle)}")
    settings = {"depth": request.depth, "by": request.by, "highest": request.highest, "track": track.config.id}
    aspects = {topic: dict(texts.topics[topic].aspects) or {NO_ASPECT: ""} for topic in topics}
    return Pool(settings, {topic: tuple(documents[topic]) for topic in topics}, aspects, assessors)


def _table(pooled: Sequence[PooledDocument]) -> bytes:
    """The pool for organisers: what to judge first, and why; without names of runs."""
    rows = [(number, *one) for number, one in enumerate(pooled, 1)]
    return csv_text(["priority", *PooledDocument._fields], rows).encode()


def _settings_bytes(pool: Pool) -> bytes:
    shape = {"schema": SCHEMA, **pool.settings, "assessors": {k: list(v) for k, v in pool.assessors.items()}}
    return json_bytes({**shape, "aspects": {topic: dict(texts) for topic, texts in pool.aspects.items()}})


def _for_assessors(track: Track, pool: Pool, texts: Texts) -> dict[str, bytes]:
    """Per assessor a page, and per topic a table to fill in; documents in an order that says nothing about systems."""
    files = {}
    for name, topics in pool.assessors.items():
        orders = {topic: _shuffle(track, name, topic, pool.documents[topic]) for topic in topics}
        for number, topic in enumerate(topics, 1):
            safe = topic if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}", topic) else f"n-{number}"
            files[f"{name}/topic-{safe}.csv"] = _empty_table(name, topic, orders[topic], pool.aspects[topic])
        files[f"{name}.html"] = page(track.config["track.title"], name, pool.settings, orders, pool.aspects, texts)
    repeated = [name for name, count in Counter(map(str.lower, files)).items() if count > 1]
    if repeated:
        raise UsageError("wrong-value", f"two topics would have one file: {preview(repeated)}")
    return files


def _shuffle(track: Track, assessor: str, topic: str, documents: Sequence[str]) -> list[str]:
    """An order that only the secret gives: ranks cannot be read from it, and it is the same each time."""
    return sorted(documents, key=lambda one: track.secret.sum("assess", f"{assessor}\0{topic}\0{one}".encode()))


def _empty_table(assessor: str, topic: str, documents: Sequence[str], aspects: Mapping[str, str]) -> bytes:
    rows = [(assessor, *map(quote_formula, (topic, a, document)), "") for document in documents for a in aspects]
    return csv_text(HEADER, rows).encode()


def quote_formula(text: str) -> str:
    """An id as text for spreadsheets: a participant chooses ids of documents, and an assessor opens the table."""
    return f"'{text}" if starts_formula(text) else text


def unquote_formula(text: str) -> str:
    """An id as it was."""
    return text[1:] if text.startswith("'") and starts_formula(text[1:]) else text


# --- reading it back ----------------------------------------------------------------------------------------------


def read_pool(track: Track) -> Pool | None:
    """The pool of `private/pool`; None where there is none, an error where it is not the recorded one."""
    events, place = track.events("pooled"), track.place(POOL)
    if not events:
        return None
    event = events[-1]
    data, table = (track.read(f"{place}/{name}") for name in ("pool.json", "pool.csv"))
    if track.secret.sum("pool", data + b"\0" + table) != event["sum"]:
        hint = "restore it from a copy, or run `diveval track pool` again"
        raise InputError("differs-from-record", "differs from the record", hint=hint, source=str(track.path(place)))
    with expecting("a pool", str(track.path(place))):
        shape = json.loads(data)
        documents: dict[str, list[str]] = {}
        for row in csv.DictReader(io.StringIO(table.decode())):
            documents.setdefault(row["topic"], []).append(row["document"])
        settings = {name: shape[name] for name in ("depth", "by", "highest", "track")}
        assessors = {name: tuple(topics) for name, topics in shape["assessors"].items()}
        aspects = {topic: dict(shape["aspects"][topic]) for topic in documents}
        pool = Pool(settings, {t: tuple(ds) for t, ds in documents.items()}, aspects, assessors)
        _ = [pool.items(name) + settings["highest"] for name in assessors]  # every topic has documents and aspects
        return pool


def depth_of(track: Track, judged: int) -> int | None:
    """The depth to which the judgments of an event cover the pooled runs; None where no pool is recorded before it.

    A pool by effect takes a few documents from far below, so one by depth counts first.
    """
    before = [event for event in track.events("pooled") if event["seq"] < judged]
    by_depth = [event for event in before if event["by"] == "depth"] or before
    return int(by_depth[-1]["depth"]) if by_depth else None
