"""`diveval check QRELS RUN …`: what the files contain, what is wrong with them, and which runs would be refused."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.answers import material_of
from diveval.cli.terminal import terminal_width
from diveval.errors import UsageError, printable
from diveval.results.protocol import json_text
from diveval.results.table_text import align, csv_text

if TYPE_CHECKING:
    from diveval.analysis.checking import FileFact, RunCheck
    from diveval.collection.judgments import Judgments
    from diveval.judging.pool_audit import PoolAudit
    from diveval.reading.texts import Texts
    from diveval.settings import Options
    from diveval.validation.rules import Finding


ABOUT = "Check judgments and runs without scoring them, by the rules of `diveval track validate`: a line per run and a summary; -v shows every fault with its line. Exit code 1 if a run would be refused. Of RAG answers: what the files match and lack."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval check`."""
    common.add_collection(parser, answers=True)
    common.add_output(parser, ["table", "json", "csv"])
    common.add_options(
        parser,
        {
            "-v, --verbose": "the contents of every file, and every fault with its line",
            "--documents FILE": "ids of the collection, one per line (or pattern:REGEX, ir_datasets:ID): unknown ones are faults",
            "--pool": "audit the pool: what each run scores if the documents that only it has were not judged, and within which bounds labels of its unjudged documents could move its score",
            "--groups FILE[:COLUMN]": "with --pool, a table `run,group`: leave out one group after the other too",
        },
    )
    parser.add_argument(
        "--pool-depth",
        type=int,
        metavar="N",
        help="with --pool, to which rank documents were pooled (default: whole lists)",
    )
    common.add_metrics(parser, what="with --pool, metric")
    common.add_texts(parser)


def run(arguments: argparse.Namespace) -> int:
    """Every file gets its line; one bad file does not hide the others."""
    from diveval.analysis.checking import check_judgments, check_runs, check_texts, load_documents

    answers = material_of(arguments, needs_runs=False)
    if answers is not None:
        from diveval.analysis.answer_checks import check_answers

        common.emit_result(check_answers(answers), arguments)
        return 0
    options = common.options_from(arguments)
    judgments = common.load_judgments(arguments, options)
    documents = load_documents(arguments.documents) if arguments.documents else None
    facts, checks = check_judgments(judgments), check_runs(arguments.runs, judgments, options, documents)
    texts = common.texts_from(arguments)
    facts += check_texts(texts, judgments, topics=bool(arguments.topics), documents=bool(arguments.docs))
    audit = _audit(arguments, judgments, options, checks)
    if arguments.format == "json":
        text = _json(arguments.qrels, facts, checks, audit)
    elif arguments.format == "csv" and audit is not None:
        text = audit.to_csv()
    elif arguments.format == "csv":
        text = csv_text(CSV_HEADER, map(_csv_row, checks))
    else:
        text = _text(arguments.qrels, facts, checks, len(judgments.topics), texts, verbose=arguments.verbose)
        text += "" if audit is None else "\n" + audit.to_text(terminal_width())
    common.emit(text, arguments)
    return int(any(check.verdict == "refused" for check in checks))


def _audit(
    arguments: argparse.Namespace, judgments: Judgments, options: Options, checks: list[RunCheck]
) -> PoolAudit | None:
    """The effect of the pool on the runs that can be scored, where it is asked for."""
    if not arguments.pool:
        if arguments.groups or arguments.pool_depth or arguments.metrics:
            raise UsageError("option-not-applicable", "--groups, --pool-depth and -m go with --pool")
        return None
    from diveval.judging.pool_audit import audit_rankings
    from diveval.scoring.evaluate import rank_all

    readable = [check.path for check in checks if not check.unread]
    if len(readable) < 2:
        raise UsageError("too-few-runs", f"--pool compares runs with each other: {len(readable)} can be read")
    metrics = common.metrics_from(arguments, common.DEFAULT_METRICS)
    rankings = rank_all(judgments, readable, metrics, options, keep_documents=options.judged_only)
    return audit_rankings(judgments, rankings, metrics, options, groups=arguments.groups, depth=arguments.pool_depth)


def _text(
    qrels: str, facts: list[FileFact], checks: list[RunCheck], topics: int, texts: Texts, *, verbose: bool
) -> str:
    parts = [_facts(qrels, facts)] if verbose or not checks else [_judgments_line(qrels, facts)]
    if verbose:
        parts += [_details(check, texts) for check in checks]
    if checks:
        parts += [_table(checks, topics), _summary(checks, verbose=verbose)]
    return "\n".join(parts) + "\n"


def _facts(path: str, findings: list[FileFact] | tuple[FileFact, ...]) -> str:
    rows = [[f"{'!' if f.odd else ' '} {f.what}", f.value] for f in findings]
    return "\n".join([printable(path), *align(rows, "<<", indent=2), ""])


def _judgments_line(path: str, findings: list[FileFact]) -> str:
    odd = "".join(f"; {f.value.split()[0]} {f.what}" for f in findings if f.odd)
    facts = {f.what: f.value for f in findings}
    judged = " judged documents ".join(facts["judged documents"].split(" ", 1))
    return f"{path}: {facts['format']}, {facts['topics']} topics, {judged}{odd}\n"


def _details(check: RunCheck, texts: Texts) -> str:
    head = _facts(check.path, check.facts) if check.facts else f"{check.path}\n"
    faults = [f"    {fault.text(check.path)}{_words(fault, texts)}" for fault in check.faults] or (
        [f"    {check.unread}"] if check.unread else []
    )
    return head + "".join(f"{line}\n" for line in faults)


def _words(fault: Finding, texts: Texts) -> str:
    """The query and the title behind the ids of a fault."""
    document = texts.documents.get(fault.document or "")
    title = document.title if document else ""
    query = texts.query(fault.topic) if fault.topic else ""
    words = "; ".join(filter(None, (query, title)))
    return f" ({printable(words)})" if words else ""


def _table(checks: list[RunCheck], topics: int) -> str:
    rows = [["run", "topics", "documents", "verdict", ""]]
    rows += [[c.path, f"{c.topics}/{topics}", f"{c.least}–{c.most}", c.verdict, _why(c)] for c in checks]
    lines = align(rows, "<>><<")
    width = min(max(map(len, lines)), terminal_width())
    return "\n".join([lines[0], "-" * width, *lines[1:], *_rules(checks), ""])


def _rules(checks: list[RunCheck]) -> list[str]:
    """The text of every rule that some run breaks."""
    from diveval.validation.rules import RULES

    broken = {rule for check in checks for rule in check.rules()}
    lines = [
        line
        for rule in RULES.values()
        if rule.id in broken
        for line in textwrap.wrap(f"{rule.id} {rule.text}", terminal_width(), subsequent_indent="    ")
    ]
    return ["", "Rules broken (×: how often):", *lines] if lines else []


def _why(check: RunCheck) -> str:
    """The rules it breaks, how often, what is odd about it, and the files it equals."""
    broken = [f"{rule} ×{count}" if count > 1 else rule for rule, count in check.rules().items()]
    if check.unread and not check.count("error"):
        broken.insert(0, check.unread.removeprefix(f"{check.path}:").strip())
    odd = ["none of its documents is judged"] if check.none_judged else []
    odd += [f"same rankings as {twin}" for twin in check.twins]
    return "; ".join([*([", ".join(broken)] if broken else []), *odd])


def _summary(checks: list[RunCheck], *, verbose: bool) -> str:
    counts = {verdict: sum(check.verdict == verdict for check in checks) for verdict in ("fine", "warned", "refused")}
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    more = "" if verbose or counts["fine"] == len(checks) else "; -v shows every fault with its line"
    return f"{len(checks)} run{'s' if len(checks) != 1 else ''}: {listed}{more}"


def _shape(check: RunCheck) -> dict[str, Any]:
    return {
        "run": check.path,
        "verdict": check.verdict,
        "topics": check.topics,
        "unknown_topics": check.unknown_topics,
        "documents": {"least": check.least, "most": check.most},
        "errors": check.count("error"),
        "warnings": check.count("warning"),
        "same_rankings_as": list(check.twins),
        "none_judged": check.none_judged,
        "unread": check.unread,
        "code": check.code,
        "findings": [fault.as_json() for fault in check.faults],
        "facts": {f.what: f.value for f in check.facts},
    }


def _json(qrels: str, facts: list[FileFact], checks: list[RunCheck], audit: PoolAudit | None) -> str:
    shape = {"judgments": {"file": qrels, **{f.what: f.value for f in facts}}, "runs": [_shape(c) for c in checks]}
    return json_text(shape if audit is None else {**shape, "pool": audit.as_dict()})


CSV_HEADER = [
    "run",
    "verdict",
    "topics",
    "unknown_topics",
    "least_documents",
    "most_documents",
    "errors",
    "warnings",
    "rules",
    "same_rankings_as",
]


def _csv_row(check: RunCheck) -> list[object]:
    rules = " ".join(f"{rule}:{count}" for rule, count in check.rules().items())
    depth = [check.topics, check.unknown_topics, check.least, check.most]
    faults = [check.count("error"), check.count("warning"), rules, " ".join(check.twins)]
    return [check.path, check.verdict, *depth, *faults]
