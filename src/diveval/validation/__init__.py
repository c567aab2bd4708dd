"""Validation of a submitted run: all faults at once, with line numbers, and without any judgments.

The verdict is a function of the bytes, the file name, what the team declares, the rules of the track, its topics and
its documents. Clock, judgments and installed extras do not change it.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from pathlib import Path

from diveval.errors import InputError, count_of, shown
from diveval.reading import read_run, run_name
from diveval.runs import Run
from diveval.validation.collection import Documents, Topics, documents_of, topics_of
from diveval.validation.contents import text_of
from diveval.validation.metadata import check_metadata
from diveval.validation.rules import RULES, RULES_VERSION, SETTINGS, Admission, Finding, Findings, Rule
from diveval.validation.trec import TrecCheck, check_coverage, topic_text
from diveval.validation.verdict import Facts, FileVerdict, Statement, json_bytes

__all__ = [
    "RULES",
    "RULES_VERSION",
    "SETTINGS",
    "Admission",
    "Documents",
    "Facts",
    "FileVerdict",
    "Finding",
    "Rule",
    "Statement",
    "Topics",
    "documents_of",
    "faults_of_run",
    "json_bytes",
    "run_name",
    "topics_of",
    "validate",
]


def validate(
    data: bytes, file: str, admission: Admission, topics: Topics, documents: Documents, declared: Statement
) -> FileVerdict:
    """Hold one submitted file to the rules F, L, N, T, D, S and M."""
    findings = Findings(admission)
    text = text_of(data, findings)
    _check_file_name(findings, file, declared)
    facts, ranking = Facts(), ""
    if text is not None:
        if admission.format == "trec":
            check = TrecCheck(findings, topics, documents)
            facts, header = check.run(text), check.header
            ranking = check.ranking()
            if admission.tag_is_name and facts.tag and facts.tag != declared.name:
                message = f"the run is called {shown(declared.name)}, its tag is {shown(facts.tag)}"
                findings.add("N03", message, "use one name for both")
        else:
            facts, header = _check_other(findings, text, topics, documents), []
        check_metadata(findings, header, declared, facts.tag)
    digest = hashlib.sha256(data).hexdigest()
    return FileVerdict(file, len(data), digest, declared, facts, tuple(findings.listed()), ranking)


def _check_file_name(findings: Findings, file: str, declared: Statement) -> None:
    pattern = findings.admission.file_name
    match = re.fullmatch(pattern, file)
    if match is None:
        message = f"the file is called {shown(file)}; expected a name of {pattern}"
        findings.add("N04", message, "rename the file")
        return
    for what, value in (("team", declared.team), ("type", declared.type)):
        named = match.groupdict().get(what)
        if named and value and named != value:
            message = f"the file name says {what} {shown(named)}, the submission says {shown(value)}"
            findings.add("N04", message, "rename the file")


def _check_other(findings: Findings, text: bytes, topics: Topics, documents: Documents) -> Facts:
    """EvALL's and Dynamic Domain's runs: their reader decides whether they can be read, the rest is as for TREC."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run")
        path.write_bytes(text)
        try:
            run = read_run(path, format=findings.admission.format)
        except InputError as error:
            message = str(error).removeprefix(f"{path}:").removeprefix(f"{error.line}:").strip()
            rule = "F01" if error.line is None else "L01"
            findings.add(rule, message, "correct the line", line=error.line)
            return Facts()
    return _check_read(findings, run, topics, documents)


def faults_of_run(run: Run, admission: Admission, topics: Topics, documents: Documents) -> tuple[Finding, ...]:
    """The faults of a run that was read from a format without lines, such as parquet: the rules T and D."""
    findings = Findings(admission)
    _check_read(findings, run, topics, documents)
    return tuple(findings.listed())


def _check_read(findings: Findings, run: Run, topics: Topics, documents: Documents) -> Facts:
    lengths = {topic: len(listed.documents) for topic, listed in run.topics.items()}
    unknown: dict[str, str] = {}
    for topic, listed in run.topics.items():
        if topic not in topics:
            findings.add("T02", f"topic {shown(topic)} is not a topic of this track", "leave it out", topic=topic)
        if len(listed.documents) > findings.admission.max_documents:
            message = f"topic {topic_text(topic)} has {count_of(len(listed.documents), 'document')}"
            findings.add(
                "T03", f"{message}, at most {findings.admission.max_documents}", "leave out the last", topic=topic
            )
        for document, count in Counter(listed.documents).items():
            if count > 1 and listed.iterations is None:
                message = f"document {shown(document)} stands twice in topic {topic_text(topic)}"
                findings.add("D01", message, "keep one of the lines", topic=topic, document=document)
            if documents.contains is not None and not documents.contains(document):
                unknown.setdefault(document, topic)
    if unknown:
        message = f"{count_of(len(unknown), 'document is', 'documents are')} not in the collection, first {shown(next(iter(unknown)))}"
        findings.add("D02", message, "use the ids of the collection", count=len(unknown))
    check_coverage(findings, topics, lengths)
    return Facts(sum(lengths.values()), len(lengths), min(lengths.values()), max(lengths.values()))
