"""Validation of a submitted run: all faults at once, with line numbers, and without any judgments.

The verdict is a function of the bytes, the file name, what the team declares, the rules of the track, its topics and
its documents. Clock, judgments and installed extras do not change it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from diveval.collection.runs import Run
from diveval.errors import InputError, count_of, need, quote
from diveval.reading import read_run
from diveval.reading.source import Source
from diveval.validation.declared import Documents, Topics
from diveval.validation.rules import (
    Admission,
    Declaration,
    Facts,
    FileVerdict,
    Finding,
    Findings,
    find_answers,
    split_question,
)
from diveval.validation.trec_run import TrecCheck, check_coverage, topic_text
from diveval.validation.unpacking import text_of

_TEMPLATE = re.compile(r"enter[ _]value|\bTODO\b|^\s*(\.{3}|…|<[^>]*>|\[[^\]]*\])\s*$", re.IGNORECASE)
MOST_METADATA = 1 << 16  # characters; a parser in Python reads some hundred thousand per second
DEEPEST = 50  # levels of tables and lists in metadata


def validate(
    data: bytes, file: str, admission: Admission, topics: Topics, documents: Documents, declared: Declaration
) -> FileVerdict:
    """Check one submitted file against the rules F, L, N, T, D, S and M."""
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
                message = f"the run is called {quote(declared.name)}, its tag is {quote(facts.tag)}"
                findings.add("N03", message, "use one name for both")
        else:
            facts, header = _check_other(findings, text, topics, documents), []
        _check_metadata(findings, header, declared, facts.tag)
    digest = hashlib.sha256(data).hexdigest()
    return FileVerdict(file, len(data), digest, declared, facts, tuple(findings.list_all()), ranking)


def _check_file_name(findings: Findings, file: str, declared: Declaration) -> None:
    pattern = findings.admission.file_name
    match = re.fullmatch(pattern, file)
    if match is None:
        message = f"the file is called {quote(file)}; expected a name of {pattern}"
        findings.add("N04", message, "rename the file")
        return
    for what, value in (("team", declared.team), ("type", declared.type)):
        named = match.groupdict().get(what)
        if named and value and named != value:
            message = f"the file name says {what} {quote(named)}, the submission says {quote(value)}"
            findings.add("N04", message, "rename the file")


def _check_other(findings: Findings, text: bytes, topics: Topics, documents: Documents) -> Facts:
    """Runs of EvALL and Dynamic Domain: their reader reports the first fault; a readable run gets the rules T and D."""
    try:
        run = read_run(Source.from_bytes(text, "run"), format=findings.admission.format)
    except InputError as error:
        rule = "F01" if error.line is None else "L01"
        findings.add(rule, error.message, error.hint or "correct the line", line=error.line)
        return Facts()
    return _check_read(findings, run, topics, documents)


def faults_of_run(run: Run, admission: Admission, topics: Topics, documents: Documents) -> tuple[Finding, ...]:
    """The faults of a run that was read from a format without lines, such as parquet: the rules T and D."""
    findings = Findings(admission)
    _check_read(findings, run, topics, documents)
    return tuple(findings.list_all())


def _check_read(findings: Findings, run: Run, topics: Topics, documents: Documents) -> Facts:
    lengths = {topic: len(listed.documents) for topic, listed in run.topics.items()}
    unknown: dict[str, str] = {}
    for topic, listed in run.topics.items():
        if topic not in topics:
            findings.add("T02", f"topic {quote(topic)} is not a topic of this track", "leave it out", topic=topic)
        if lengths[topic] > (most := findings.admission.max_documents):
            message = f"topic {topic_text(topic)} has {count_of(lengths[topic], 'document')}, at most {most}"
            findings.add("T03", message, "leave out the last", topic=topic)
        for document, count in Counter(listed.documents).items():
            if count > 1 and listed.iterations is None:
                message = f"document {quote(document)} stands twice in topic {topic_text(topic)}"
                findings.add("D01", message, "keep one of the lines", topic=topic, document=document)
            if documents.contains is not None and not documents.contains(document):
                unknown.setdefault(document, topic)
    if unknown:
        message = f"{count_of(len(unknown), 'document is', 'documents are')} not in the collection, first {quote(next(iter(unknown)))}"
        findings.add("D02", message, "use the ids of the collection", count=len(unknown))
    check_coverage(findings, topics, lengths)
    sizes = lengths.values()
    return Facts(sum(sizes), len(lengths), min(sizes, default=0), max(sizes, default=0))


# --- run metadata (ir_metadata 0.1): in the comment header of a run or in a YAML file beside it -----------------------


def _check_metadata(findings: Findings, header: Sequence[str], declared: Declaration, tag: str) -> None:
    """Check the metadata of a submission: rules M01 to M03."""
    rules = findings.admission
    if rules.metadata == "none":
        return
    beside = (declared.metadata or b"").decode("utf-8", "replace")
    texts = [text for text in ("\n".join(header), beside) if text.strip()]
    if not texts:
        if rules.metadata == "required" or rules.questionnaire:
            findings.add("M01", "no metadata, and this track requires it", "add an ir_metadata header", last=True)
        return
    parsed: dict[str, Any] = {}
    for text in texts:
        part = parse_metadata(text)
        if part is None:
            findings.add("M01", "the metadata is not a YAML table", "check its indentation", last=True)
            return
        parsed.update(part)
    _check_fields(findings, parsed)
    _check_answers(findings, parsed)
    _check_declared(findings, parsed, declared, tag)


def parse_metadata(text: str) -> dict[str, Any] | None:
    """A YAML table with texts as keys; None for anything else."""
    yaml = need("yaml", "track")
    # In a header every line has a blank after its '#'.
    lines = text.splitlines()
    if all(line.startswith(" ") or not line.strip() for line in lines):
        text = "\n".join(line[1:] for line in lines)
    try:
        if len(text) > MOST_METADATA or not _is_harmless(yaml, text):
            return None
        table = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) and all(isinstance(key, str) for key in table) else None


def _is_harmless(yaml: Any, text: str) -> bool:
    """Without aliases, with which a small file expands to any size, and deep nesting, which takes quadratic time."""
    opening = (
        yaml.FlowSequenceStartToken,
        yaml.FlowMappingStartToken,
        yaml.BlockSequenceStartToken,
        yaml.BlockMappingStartToken,
    )
    closing = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
    depth = 0
    for token in yaml.scan(text):
        depth += isinstance(token, opening) - isinstance(token, closing)
        if isinstance(token, yaml.AliasToken) or depth > DEEPEST:
            return False
    return True


def _field(metadata: dict[str, Any], dotted: str) -> Any:
    """A field by its dotted name, None where it is absent."""
    value: Any = metadata
    for part in dotted.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _check_fields(findings: Findings, metadata: dict[str, Any]) -> None:
    for name in findings.admission.metadata_fields:
        value = _field(metadata, name)
        if value is None or value in ("", [], {}):
            findings.add("M02", f"{name} is missing", "fill it in", last=True)
        elif name == "method.automatic" and not isinstance(value, bool):
            findings.add("M02", f"{name} is {quote(value)}, expected true or false", "write true or false", last=True)
        elif _TEMPLATE.search(str(value)):
            findings.add("M02", f"{name} still holds the text of a template: {quote(value)}", "fill it in", last=True)


def _check_answers(findings: Findings, metadata: dict[str, Any]) -> None:
    answers = find_answers(metadata)
    for name, text in findings.admission.questionnaire:
        question, choices = split_question(text)
        answer = answers.get(name, "")
        if not answer or _TEMPLATE.search(answer):
            message = f"questionnaire.{name} is not answered: {quote(question)}"
            findings.add("M02", message, "answer it in the metadata", last=True)
        elif choices and answer not in choices:
            message = f"questionnaire.{name} is {quote(answer)}, expected one of {', '.join(choices)}"
            findings.add("M02", message, "choose one of them", last=True)


def _check_declared(findings: Findings, metadata: dict[str, Any], declared: Declaration, tag: str) -> None:
    automatic = _field(metadata, "method.automatic")
    stated = {True: "automatic", False: "manual"}.get(automatic) if isinstance(automatic, bool) else None
    comparable = declared.type if declared.type in ("automatic", "manual") else None
    for what, value, expected, whose in (
        ("actor.team", _field(metadata, "actor.team"), declared.team, "the submission's team"),
        ("tag", metadata.get("tag"), tag or None, "the tag of the run"),
        ("the type by method.automatic", stated, comparable, "the declared type"),
    ):
        if value is not None and expected is not None and str(value) != expected:
            findings.add("M03", f"{what} is {quote(value)}, {whose} is {quote(expected)}", "use one of them", last=True)
