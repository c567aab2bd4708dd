"""One pass over a TREC run that counts every fault: rules L, N, T, D and S.

A line that breaks a rule still counts for its topic, so that one fault is not reported as several.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from math import isfinite
from operator import ge, lt

import numpy as np

from diveval.errors import quote
from diveval.reading.lines import finite
from diveval.validation.declared import Documents, Topics
from diveval.validation.rules import Facts, Findings

_RANK = re.compile(rb"[0-9]{1,18}")
_NUMBERS = re.compile(r"[0-9.eE+-]*")  # characters of clean scores
_CLEAN = bytes(range(33, 127)) + b" \t\n"  # bytes of clean lines
_BLANKS = ("Cc", "Cf", "Zs", "Zl", "Zp")
_TIES = {"docno-desc": "by id, descending", "docno-asc": "by id, ascending", "file": "as in the file"}
_COLUMNS = "expected 6 columns (topic Q0 document rank score tag), got"
START, END = b"ir_metadata.start", b"ir_metadata.end"


@dataclass
class _Topic:
    """The lines of one topic."""

    first: int
    lines: int = 0
    broken: bool = False  # some line has no usable rank, score or document, so ranks cannot be expected to be complete
    beyond: int = 0  # the first line past the allowed number
    documents: dict[str, int] = field(default_factory=dict)
    # Of every well-formed line: its number, document, rank and score.
    numbers: list[int] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


def topic_text(topic: str) -> str:
    """A topic id in a message: as it is where it is short and printable."""
    return topic if topic.isprintable() and len(topic) <= 40 else quote(topic)


class TrecCheck:
    """The state of the pass over one file."""

    def __init__(self, findings: Findings, topics: Topics, documents: Documents) -> None:
        self.findings, self.topics, self.documents = findings, topics, documents
        self.rules = findings.admission
        self.seen: dict[str, _Topic] = {}
        self.tags: dict[str, int] = {}
        self.unknown: dict[str, int] = {}
        self.lines = 0
        self.header: list[str] = []
        self._in_header = False
        self._tag = re.compile(self.rules.tag)

    def run(self, text: bytes) -> Facts:
        """Check every line, then every topic, then the whole file."""
        if not self._read_clean(text):
            for number, line in enumerate(io.BytesIO(text), 1):
                self._read(number, line)
        if not self.lines:
            self.findings.add("F01", "is empty: no line but blanks and comments", "send the run file")
        counts = [topic.lines for topic in self.seen.values()]
        for topic_id, topic in self.seen.items():
            self._topic(topic_id, topic)
        self._whole()
        tag = next(iter(self.tags), "")
        return Facts(self.lines, len(self.seen), min(counts, default=0), max(counts, default=0), tag)

    def _comment(self, number: int, bare: bytes) -> None:
        content = bare.lstrip(b"#").strip()
        if content.startswith(START):
            self._in_header = True
        elif content.startswith(END):
            self._in_header = False
        elif self._in_header:
            self.header.append(bare[1:].decode("utf-8", "replace"))
        else:
            self.findings.add(
                "L05", "is read as a comment: does an id begin with '#'?", "remove the line if it is one", line=number
            )

    def _read_clean(self, text: bytes) -> bool:
        """Read a file in which no line, tag or document has a fault; false, and nothing read, for every other file."""
        if not _has_six_columns(text):
            return False
        fields = text.decode("ascii").split()
        topics, q0, documents, ranks, scores, tags = (fields[column::6] for column in range(6))
        if q0.count("Q0") < len(q0) or tags.count(tags[0]) < len(tags):
            return False
        if not "".join(ranks).isdigit() or max(map(len, ranks)) > 18 or not _NUMBERS.fullmatch("".join(scores)):
            return False
        known = self.documents.contains
        if known and not all(map(known, set(documents) - {self.rules.placeholder})):
            return False
        try:
            values = list(map(float, scores))
        except ValueError:
            return False
        seen, start, limit = dict[str, _Topic](), 0, self.rules.max_documents
        for topic_id, lines in groupby(topics):
            end = start + sum(1 for _ in lines)
            topic = seen.setdefault(topic_id, _Topic(start + 1))
            if topic.lines <= limit < topic.lines + end - start:
                topic.beyond = start + 1 + limit - topic.lines
            topic.lines += end - start
            topic.documents.update(dict.fromkeys(documents[start:end], 1))
            topic.numbers += range(start + 1, end + 1)
            topic.listed += documents[start:end]
            topic.ranks += map(int, ranks[start:end])
            topic.scores += values[start:end]
            start = end
        if any(topic_id.startswith("#") for topic_id in seen) or not all(map(isfinite, values)):
            return False
        if sum(len(topic.documents) for topic in seen.values()) < len(topics):
            return False
        self.seen, self.lines = seen, len(topics)
        self._check_tag(tags[0], 1)
        return True

    def _read(self, number: int, line: bytes) -> None:
        bare = line.strip()
        if bare.startswith(b"#"):
            self._comment(number, bare)
        elif bare:
            self._line(number, line)

    def _line(self, number: int, line: bytes) -> None:
        self.lines += 1
        fields = line.split()
        try:
            text = [part.decode("utf-8") for part in fields]
        except UnicodeDecodeError:
            self._undecodable(number, line, fields)
            return
        if b"\0" in line:
            self.findings.add("F03", f"byte {line.index(0) + 1} is NUL", "send a text file", line=number)
            self._count(text[0].replace("\0", ""), number, broken=True, only_known=True)
            return
        if len(fields) != 6:
            fix = "complete the line" if len(fields) < 6 else "remove the extra columns"
            self.findings.add("L01", f"{_COLUMNS} {len(fields)}", fix, line=number)
            self._count(text[0], number, broken=True, only_known=True)
            return
        self._columns(number, fields, text)

    def _undecodable(self, number: int, line: bytes, fields: list[bytes]) -> None:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte {error.start + 1} of line {number} is not UTF-8"
            self.findings.add("F03", message, "convert the file (for example with iconv -t utf-8)", line=number)
        self._count(fields[0].decode("utf-8", "replace"), number, broken=True, only_known=True)

    def _columns(self, number: int, fields: list[bytes], text: list[str]) -> None:
        topic_id, q0, document, _, _, tag = text
        add, score = self.findings.add, finite(text[4])
        rank = int(fields[3]) if _RANK.fullmatch(fields[3]) else None
        usable = True
        if q0 != "Q0":
            add("L02", f"column 2 is {quote(q0)}, expected Q0", "write Q0", line=number, topic=topic_id)
        if rank is None:
            message = f"expected a rank, a whole number, got {quote(text[3])}"
            add("L03", message, "write a whole number", line=number, topic=topic_id)
        if score is None:
            message = f"expected a score, a finite number, got {quote(text[4])}"
            add("L04", message, "write a finite number", line=number, topic=topic_id)
        for what, value in (("topic id", topic_id), ("document id", document), ("tag", tag)):
            if not value.isprintable() and (mark := _blank_in(value)):
                topic_name = None if what == "topic id" else topic_id
                add("L06", f"the {what} holds {mark}", "remove the character", line=number, topic=topic_name)
                usable = usable and what == "tag"
        self._check_tag(tag, number)
        topic = self._count(topic_id, number, broken=rank is None or score is None or not usable)
        if topic is None or not usable:
            return
        if rank is not None and score is not None:
            topic.numbers.append(number)
            topic.listed.append(document)
            topic.ranks.append(rank)
            topic.scores.append(score)
        self._check_document(topic, topic_id, document, number)

    def _check_document(self, topic: _Topic, topic_id: str, document: str, number: int) -> None:
        before = topic.documents[document] = topic.documents.get(document, 0) + 1
        if before > 1:
            times = "twice" if before == 2 else f"{before} times"
            message = f"document {quote(document)} stands {times} in topic {topic_text(topic_id)}"
            fix = "keep one of the lines"
            self.findings.add("D01", message, fix, line=number, topic=topic_id, document=document)
        elif self.documents.contains and document != self.rules.placeholder and not self.documents.contains(document):
            self.unknown.setdefault(document, number)

    def _count(self, topic_id: str, number: int, *, broken: bool, only_known: bool = False) -> _Topic | None:
        """Count a line for its topic. A line without six columns counts only for a topic that is known already."""
        if only_known and topic_id not in self.seen and topic_id not in self.topics:
            return None
        topic = self.seen.get(topic_id)
        if topic is None:
            topic = self.seen[topic_id] = _Topic(number)
        topic.lines += 1
        topic.broken = topic.broken or broken
        if topic.lines == self.rules.max_documents + 1:
            topic.beyond = number
        return topic

    def _check_tag(self, tag: str, number: int) -> None:
        if tag not in self.tags:
            self.tags[tag] = number
            if self._tag.fullmatch(tag) is None:
                message = f"the tag {quote(tag)} does not match {self.rules.tag}"
                self.findings.add("N01", message, "rename the run", line=number)
        if len(self.tags) > 1 and tag != (first := next(iter(self.tags))):
            message = f"the tag is {quote(tag)} here and {quote(first)} before"
            self.findings.add("N02", message, "use one tag in the whole file", line=number)

    def _topic(self, topic_id: str, topic: _Topic) -> None:
        """The rules about all lines of a topic."""
        add, name = self.findings.add, topic_text(topic_id)
        if topic_id not in self.topics:
            message, fix = f"topic {quote(topic_id)} is not a topic of this track", "leave it out"
            if meant := self.topics.suggest(topic_id):
                message = f"topic {quote(topic_id)} is unknown; did you mean {topic_text(meant)}?"
                fix = "use the ids of the track"
            add("T02", message, fix, line=topic.first, topic=topic_id)
            return
        if topic.beyond:
            message = f"topic {name} has {topic.lines} documents, at most {self.rules.max_documents}"
            add("T03", message, "leave out the last ones", line=topic.beyond, topic=topic_id)
        placeholder = self.rules.placeholder
        if placeholder and placeholder in topic.documents and len(topic.documents) > 1:
            message = f"{quote(placeholder)} stands for no answer, but is not alone in topic {name}"
            add("D02", message, "remove it, or the other documents", line=topic.first, topic=topic_id, severity="error")
        order: Sequence[int] = range(len(topic.ranks))
        if not all(map(lt, topic.ranks, topic.ranks[1:])):
            order = sorted(order, key=lambda i: (topic.ranks[i], -topic.scores[i], topic.numbers[i]))
        self._scores(topic_id, topic, order)
        if not topic.broken:
            self._ranks(topic_id, topic, order)

    def _scores(self, topic_id: str, topic: _Topic, order: Sequence[int]) -> None:
        ranks, scores = topic.ranks, topic.scores
        falling = isinstance(order, range) and all(map(ge, scores, scores[1:]))
        for before, i in () if falling else pairwise(order):
            if ranks[before] < ranks[i] and scores[i] > scores[before]:
                message = (
                    f"rank {ranks[i]} has the score {scores[i]!r}, above {scores[before]!r} at rank {ranks[before]}"
                )
                fix = f"let scores fall with the rank; the official order is by {self.rules.order}"
                self.findings.add("S01", message, fix, line=topic.numbers[i], topic=topic_id)
        if len(scores) > 1 and len(set(scores)) == 1:
            message = f"all {len(scores)} documents of topic {topic_text(topic_id)} have the score {scores[order[0]]!r}"
            self.findings.add(
                "S04", message, "write the scores of your system", line=min(topic.numbers), topic=topic_id
            )

    def _ranks(self, topic_id: str, topic: _Topic, order: Sequence[int]) -> None:
        for expected, i in enumerate(order, 1):
            rank = topic.ranks[i]
            if rank != expected:
                fault = "twice" if topic.ranks.count(rank) > 1 else f"where {expected} was expected"
                message = f"topic {topic_text(topic_id)} has the rank {rank} {fault}"
                self.findings.add("S03", message, "number the ranks 1 to n", line=topic.numbers[i], topic=topic_id)
                return

    def _whole(self) -> None:
        """The rules about the whole file."""
        if self.unknown:
            (document, line), count = next(iter(self.unknown.items())), len(self.unknown)
            what = f"{count} documents are not in the collection, first" if count > 1 else "is not in the collection:"
            meant = self.documents.suggest(document)
            message = f"{what} {quote(document)}" + (f"; did you mean {quote(meant)}?" if meant else "")
            fix = "use the ids of the collection"
            self.findings.add("D02", message, fix, line=line, document=document, count=count)
        # A topic whose only document is the placeholder does not lack documents.
        nothing = [self.rules.placeholder] if self.rules.placeholder else None
        empty = {name for name, topic in self.seen.items() if list(topic.documents) == nothing}
        check_coverage(self.findings, self.topics, {name: t.lines for name, t in self.seen.items()}, empty)
        equal, close = self._ties()
        if equal and self.rules.order == "score":
            message = f"{equal} lines share a score; equal scores are ordered {_TIES[self.rules.ties]}"
            self.findings.add("S02", message, "let scores differ if your order matters", count=equal, last=True)
        if close:
            message = f"trec_eval 9 takes {close} {'pair' if close == 1 else 'pairs'} of scores as equal"
            self.findings.add("S05", message, "spread the scores if you use trec_eval 9", count=close, last=True)

    def _ties(self) -> tuple[int, int]:
        """Lines that share a score with another of their topic, and neighbours equal only in single precision."""
        equal = close = 0
        for name, topic in self.seen.items():
            scores, distinct = sorted(topic.scores), len(set(topic.scores))
            if name not in self.topics or distinct < 2:
                continue
            if distinct < len(scores):
                runs = [a == b for a, b in pairwise(scores)]
                equal += sum(1 for i in range(len(scores)) if (i and runs[i - 1]) or (i < len(runs) and runs[i]))
            single = _single(scores)
            if len(set(single)) < distinct:
                close += sum(
                    a != b and c == d for (a, b), (c, d) in zip(pairwise(scores), pairwise(single), strict=True)
                )
        return equal, close

    def ranking(self) -> str:
        """A digest of the rankings in the official order: equal where two runs rank the same documents alike."""
        digest = hashlib.sha256()
        for name in sorted(self.seen):
            listed = [f"\n{name}", *self._in_order(self.seen[name])]
            digest.update(" ".join(listed).encode("utf-8", "replace"))
        return digest.hexdigest()

    def _in_order(self, topic: _Topic) -> list[str]:
        """The documents by the official order, those that it leaves equal as in the file (sorting is stable)."""
        by = self.rules.order
        if by == "file":
            return topic.listed
        keys: list[float] | list[int] = topic.scores if by == "score" else topic.ranks
        return [topic.listed[i] for i in sorted(range(len(keys)), key=keys.__getitem__, reverse=by == "score")]


def check_coverage(findings: Findings, topics: Topics, lines: dict[str, int], empty: Iterable[str] = ()) -> None:
    """Rule T01: every topic has enough documents, or only the placeholder."""
    least, excused = findings.admission.min_documents, set(empty)
    short = [topic for topic in topics if lines.get(topic, 0) < least and topic not in excused]
    if short:
        listed = ", ".join([topic_text(topic) for topic in short[:10]] + ["…"] * (len(short) > 10))
        what = "no document" if least == 1 else f"fewer than {least} documents"
        fix = f"return at least {least} document{'s' if least > 1 else ''} for every topic"
        message = f"{what} for {len(short)} of {len(topics)} topics: {listed}"
        findings.add("T01", message, fix, count=len(short), last=True)


def _has_six_columns(text: bytes) -> bool:
    """Whether every line has six columns of printable ASCII between blanks."""
    odd = text.translate(None, _CLEAN)
    if odd != b"\r" * text.count(b"\r\n"):
        return False
    mark = np.frombuffer(text, np.uint8)
    blank = mark <= ord(" ")
    ends = np.flatnonzero(mark == ord("\n"))
    if len(mark) and not blank[-1]:
        ends = np.append(ends, len(mark))
    starts = np.flatnonzero(blank[:-1] > blank[1:]) + 1
    if len(mark) and not blank[0]:
        starts = np.append(0, starts)
    if not len(ends) or len(starts) != 6 * len(ends):
        return False
    return bool((starts[5::6] < ends).all() and (starts[6::6] > ends[:-1]).all())


def _single(values: list[float]) -> list[int]:
    """The bits of values in single precision; what is too large is infinite."""
    with np.errstate(over="ignore"):
        bits: list[int] = np.array(values).astype(np.float32).view(np.uint32).tolist()
    return bits


def _blank_in(text: str) -> str | None:
    """The first control character or blank of an id, by its code point."""
    return next((f"U+{ord(c):04X}" for c in text if unicodedata.category(c) in _BLANKS), None)
