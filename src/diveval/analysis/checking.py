"""Checks of judgment and run files before any score is computed: what a file contains and what looks wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.errors import DivevalError, InputError, preview, share_text
from diveval.reading import read_run
from diveval.reading.formats import run_format, sniff
from diveval.reading.source import OpenSource, Source, read_lines
from diveval.reading.texts import Texts
from diveval.settings import Options, OrderRule
from diveval.validation import faults_of_run, validate
from diveval.validation.declared import Documents, documents_of, topics_of
from diveval.validation.rules import Admission, Declaration, Finding


@dataclass(frozen=True)
class FileFact:
    """One fact about a file; `odd` marks a possible problem."""

    what: str
    value: str
    odd: bool = False


def check_texts(texts: Texts, judgments: Judgments, *, topics: bool, documents: bool) -> list[FileFact]:
    """How many of the judged topics and relevant documents have text, where files with text were given."""
    out = []
    if topics:
        lacking = [topic for topic in judgments.topics if not texts.query(topic)]
        count = len(judgments.topics) - len(lacking)
        out.append(FileFact("topics with a query", f"{count} {_lacking(lacking)}".strip(), bool(lacking)))
    if documents:
        judged = {document for topic in judgments.topics.values() for document in topic.documents}
        missing = sorted(document for document in judged if document not in texts.documents)
        count = len(judged) - len(missing)
        out.append(FileFact("judged documents with text", f"{count} {_lacking(missing)}".strip(), bool(missing)))
    return out


def _lacking(names: list[str]) -> str:
    return f"({len(names)} without: {preview(names)})" if names else ""


def check_judgments(judgments: Judgments) -> list[FileFact]:
    """Topics, aspects, documents, grades; topics and aspects without anything relevant; how weights are given."""
    topics = list(judgments.topics.values())
    aspects = [len(topic.aspects) for topic in topics]
    grades = sorted({float(g) for topic in topics for g in np.unique(topic.grades)})
    empty = [topic.topic for topic in topics if topic.highest <= 0]
    bare = sum(len(topic.aspects) - len(np.unique(topic.columns[topic.grades > 0])) for topic in topics)
    documents = sum(len(topic.documents) for topic in topics)
    weighted = sum(topic.weights is not None for topic in topics)
    return [
        FileFact("format", judgments.format),
        FileFact("topics", str(len(topics))),
        FileFact("aspects per topic", f"{min(aspects)}–{max(aspects)}"),
        FileFact("judged documents", f"{documents} ({documents / len(topics):.0f} per topic)"),
        FileFact("grades", ", ".join(f"{g:g}" for g in grades[:12]) + (", …" if len(grades) > 12 else "")),
        FileFact("aspect weights", f"given for {weighted} topics" if weighted else "none, so uniform"),
        FileFact("topics without a relevant document", f"{len(empty)} {_few(empty)}".strip(), bool(empty)),
        FileFact("aspects without a relevant document", str(bare), bare > 0),
    ]


def check_run(run: Run, judgments: Judgments) -> list[FileFact]:
    """Lengths, ties, contradictions, duplicates, topics missing or without judgments, the share of judged documents."""
    lengths = [len(topic.documents) for topic in run.topics.values()]
    missing = [topic for topic in judgments.topics if topic not in run.topics]
    strangers = [topic for topic in run.topics if topic not in judgments.topics]
    repeated = sum(len(t.documents) - len(set(t.documents)) for t in run.topics.values())
    tied = sum(len(t.scores) - len(np.unique(t.scores)) for t in run.topics.values() if t.scores is not None)
    contradictions = run.contradictions()
    return [
        FileFact("format", run.format + (f", tag {run.tag}" if run.tag else "")),
        FileFact("topics", str(len(run.topics))),
        FileFact("documents per topic", f"{min(lengths)}–{max(lengths)}"),
        FileFact("judged topics it lacks", f"{len(missing)} {_few(missing)}".strip(), bool(missing)),
        FileFact("topics without judgments", f"{len(strangers)} {_few(strangers)}".strip(), bool(strangers)),
        FileFact("documents listed twice", str(repeated), repeated > 0),
        FileFact("equal scores", f"{tied} lines share a score with another", tied > 0),
        FileFact("rank against score", f"contradict in {contradictions} topics", contradictions > 0),
        FileFact("judged among the first 10, 20", _describe_judged(run, judgments, (10, 20))),
    ]


@dataclass(frozen=True)
class RunCheck:
    """One run file: its faults by the rules of `diveval track validate`, what it holds, or why it cannot be read."""

    path: str
    faults: tuple[Finding, ...] = ()
    facts: tuple[FileFact, ...] = ()
    topics: int = 0  # judged topics it has
    unknown_topics: int = 0
    least: int = 0  # documents per topic
    most: int = 0
    unread: str = ""
    code: str = ""  # of the error by which it cannot be read
    ranking: str = ""  # digest of its rankings
    twins: tuple[str, ...] = ()  # other files with the same rankings
    none_judged: bool = False  # of its documents in judged topics

    @property
    def verdict(self) -> str:
        """`refused` if a fault is an error or the file cannot be read, `warned` or `fine` otherwise."""
        if self.unread or any(fault.severity == "error" for fault in self.faults):
            return "refused"
        odd = self.twins or self.none_judged or any(fault.severity == "warning" for fault in self.faults)
        return "warned" if odd else "fine"

    def count(self, severity: str) -> int:
        return sum(fault.count for fault in self.faults if fault.severity == severity)

    def rules(self) -> dict[str, int]:
        """Faults by rule, the most serious first; notes are left out."""
        counts: dict[str, int] = {}
        for severity in ("error", "warning"):
            for fault in self.faults:
                if fault.severity == severity:
                    counts[fault.rule] = counts.get(fault.rule, 0) + fault.count
        return counts


def check_runs(
    paths: Sequence[str], judgments: Judgments, options: Options, documents: Documents | None = None
) -> list[RunCheck]:
    """The check of every file; files with the same rankings name each other as `twins`."""
    checks = [_check_run(path, judgments, options, documents or Documents()) for path in paths]
    return [
        replace(check, twins=tuple(o.path for o in checks if o is not check and o.ranking == check.ranking))
        if check.ranking
        else check
        for check in checks
    ]


def _check_run(path: str, judgments: Judgments, options: Options, documents: Documents) -> RunCheck:
    faults: tuple[Finding, ...] = ()
    try:
        source = Source.of(path).read_once()
        faults, ranking = run_faults(source, judgments, options, documents)
        run = read_run(source, format=options.run_format)
    except DivevalError as error:
        return RunCheck(path, faults, unread=str(error), code=error.code)
    if not ranking:  # not a TREC run: its faults have no line numbers
        faults = (*faults, *faults_of_run(run, _admission(options), topics_of(judgments.topics), documents))
    facts = check_run(run, judgments)
    lengths = [len(topic.documents) for topic in run.topics.values()]
    known = [topic for topic in run.topics if topic in judgments.topics]
    judged = any(not set(judgments.topics[topic].documents).isdisjoint(run.topics[topic].documents) for topic in known)
    return RunCheck(
        path,
        faults,
        tuple(facts),
        len(known),
        len(run.topics) - len(known),
        min(lengths),
        max(lengths),
        ranking=ranking,
        none_judged=bool(known) and not judged,
    )


def load_documents(setting: str) -> Documents:
    """The documents of a collection: a file of one id per line in any order, `pattern:REGEX` or `ir_datasets:ID`."""
    if setting.startswith(("pattern:", "ir_datasets:")):
        return documents_of(setting, Path)
    ids = frozenset(text.strip() for _, text in read_lines(setting))
    return Documents(ids.__contains__, f"ids listed in {setting}")


def _admission(options: Options) -> Admission:
    """The rules for runs outside a track: any name and depth is valid, and faults that allow scoring are warnings."""
    return Admission(
        file_name=r"(?s).*",
        tag=r".*",
        tag_is_name=False,
        metadata="none",
        max_documents=2**62,
        max_bytes=2**40,
        missing_topics="warn",
        unknown_topics="allow",
        rank_against_score="warn",
        constant_scores="warn",
        duplicates="reject" if options.duplicates in (None, "error") else "warn",
        order=options.order_for().by,
        ties=options.order_for().ties,
    )


def run_faults(
    source: Source, judgments: Judgments, options: Options, documents: Documents
) -> tuple[tuple[Finding, ...], str]:
    """Every fault of a TREC run with its line, and the digest of its rankings; none for other formats."""
    try:
        with source.open() as opened:
            data = b"" if opened.is_parquet else opened.seekable().read()
            detected = _format_of(opened, options)
    except InputError:  # the reader reports it
        return (), ""
    if detected != "trec":
        return (), ""
    name = source.name
    verdict = validate(data, name, _admission(options), topics_of(judgments.topics), documents, Declaration(name))
    return verdict.findings, verdict.ranking


def _format_of(opened: OpenSource, options: Options) -> str:
    if opened.is_parquet or options.run_format is not None:
        return options.run_format or "parquet"
    try:
        return sniff(opened.lines(), run_format, opened.name)[0]
    except InputError:
        return "trec"  # the most likely format, so that every fault is reported with its line


def _describe_judged(run: Run, judgments: Judgments, cutoffs: Sequence[int]) -> str:
    """As `Judged@k` defines it: the mean over the judged topics, where one that the run lacks counts as 0."""
    shares = dict.fromkeys(cutoffs, 0.0)
    for name in judgments.topics.keys() & run.topics.keys():
        listed, known = run.topics[name], set(judgments.topics[name].documents)
        shown = [listed.documents[i] for i in listed.order(OrderRule())]
        for k in cutoffs:
            shares[k] += len({*shown[:k]} & known) / max(len(shown[:k]), 1)
    return ", ".join(share_text(share / len(judgments.topics)) for share in shares.values())


def _few(names: Sequence[str]) -> str:
    return f"({preview(names)})" if names else ""
