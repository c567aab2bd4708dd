"""The methods paragraph: metrics with their parameters, topics, and the significance test; and its references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from diveval import __version__
from diveval.errors import DivevalError, count_of, share_text
from diveval.metrics.metric import Metric
from diveval.metrics.names import label, parse
from diveval.publishing.results_table import ResultsTable
from diveval.results.setup import FEW_JUDGED, JUDGED_DEPTH, NO_LIST
from diveval.results.statements import Statement, words
from diveval.results.table_text import latex_escape
from diveval.stats.comparison import Comparison
from diveval.stats.tests import MANY_TOPICS, TESTS, UNTESTED, describe_test

_METRICS = {
    "RBU": "amigo2018rbu",
    "nRBU": "amigo2018rbu",
    "iRBU": "sakai2019",
    "alpha_nDCG": "clarke2008",
    "alpha_DCG": "clarke2008",
    "NRBP": "clarke2009",
    "StRecall": "zhai2003",
    "SRR": "zhai2003",
    "D_nDCG": "sakai2011",
    "Dsharp_nDCG": "sakai2011",
    "EU": "yang2009",
    "CT": "luo2013",
    "ACT": "luo2013",
    "RBP": "moffat2008",
    "DCG": "jarvelin2002",
    "nDCG": "jarvelin2002",
    "ERR": "chapelle2009",
}


def citations(metric: Metric) -> list[str]:
    """The keys of the papers that define a metric: an intent-aware one has two. Another tool's form cites the same."""
    name = metric.name if metric.entry is None else metric.entry.name.rpartition(".")[2]
    if name in _METRICS:
        return [_METRICS[name]]
    if not name.endswith("_IA"):
        return []
    inner = _METRICS.get(name.removesuffix("_IA"))
    return ["agrawal2009", inner] if inner else ["agrawal2009"]


@cache
def entries() -> dict[str, str]:
    """The BibTeX entries of references.bib by key."""
    text = files("diveval.publishing").joinpath("references.bib").read_text(encoding="utf-8")
    return {re.match(r"@\w+\{([^,]+),", entry)[1]: entry for entry in text.strip().split("\n\n")}  # type: ignore[index]


def bibliography(keys: Iterable[str]) -> str:
    """The BibTeX entries, each once, in the order of first use."""
    return "\n\n".join(entries()[key] for key in dict.fromkeys(keys)) + "\n"


_GREEK = {"alpha": r"$\alpha$", "beta": r"$\beta$", "lam": r"$\lambda$"}
_GAINS = {
    "exponential": r"relevance is $r = (2^g - 1)/2^{g_{\max}}$ for a grade $g > 0$",
    "linear": r"relevance is $r = g/g_{\max}$ for a grade $g > 0$",
    "identity": "the judgments are relevance values in [0, 1]",
    "raw": "grades count by the rule of the tool",
}
_MAXIMA = {
    "file": r"$g_{\max}$ being the highest grade of the judgments",
    "per-aspect": r"$g_{\max}$ being the highest grade of each aspect",
}
_MISSING = {
    "worst": "as a list of non-relevant documents",
    "zero": "0",
    "skip": "not at all: a run's mean is taken over the topics it answers",
    "tool": "by the rule of the tool that computes the metric, as an empty list",
}
_ORDERS = {"score": "descending score", "rank": "the rank column", "file": "the order of the file"}
_TIES = {
    "docno-desc": "equal scores by document id, descending",
    "docno-asc": "equal scores by document id, ascending",
    "file": "equal scores in the order of the file",
}
Groups = Sequence[tuple[Sequence[str], Sequence[Any]]]  # metrics, and what they share


def methods(table: ResultsTable) -> str:
    """A paragraph in LaTeX that says everything a reader needs to repeat the table."""
    return "\n".join(statement.text for statement in describe_methods(table)) + "\n"


def describe_methods(table: ResultsTable) -> list[Statement]:
    """The sentences of the methods paragraph, with their facts; a fact that is not known has no sentence."""
    setup, first = table.setup, table.comparisons[0]
    metrics = [parse_known(name) for name in table.metrics]
    held = tuple(
        {"run": run, "topics": seen or table.topics} for run, seen in zip(table.runs, table.coverage, strict=True)
    )
    out = [
        Statement("evaluated", {"runs": len(table.runs), "topics": table.topics, "version": __version__}, held),
        state_metrics(metrics),
    ]
    if setup.metrics:
        of = [(one, name) for one, name in zip(setup.metrics, table.labels, strict=True)]
        rows = tuple(asdict(one) for one, _ in of)
        gains = _group((name, (one.gain, one.gmax, one.rel)) for one, name in of)
        orders = _group((name, (one.order, one.ties)) for one, name in of)
        missing = _group((name, (one.missing_topics,)) for one, name in of)
        lacking = {run: seen for run, seen in zip(table.runs, table.coverage, strict=True) if seen}
        out.append(Statement("gain-by-metric", {"groups": gains, "highest": setup.highest}, rows))
        out.append(Statement("order-and-ties", {"groups": orders}, rows))
        out.append(Statement("missing-topics", {"groups": missing, "lacking": lacking}, held))
        empty = setup.empty_topics or "score"
        alike = len({(one.dropped_aspects, one.empty, one.empty and one.empty_topics) for one, _ in of}) == 1
        counts = (of[0][0].dropped_aspects, of[0][0].empty) if alike else (None, None)
        rule = of[0][0].empty_topics or empty
        weights = {"weights": setup.weights, "dropped": counts[0], "empty": counts[1], "rule": rule}
        out.append(Statement("weights-and-empty", weights, rows))
        unweighted = [name for one, name in of if not one.weighted]
        if unweighted and setup.weights != "equal":
            out.append(Statement("weights-not-used", {"metrics": unweighted}, rows))
        if not alike:
            groups = _group((name, (one.dropped_aspects, one.empty, one.empty_topics)) for one, name in of)
            out.append(Statement("empty-by-metric", {"groups": groups}, rows))
    if setup.judged:
        shares = {run: setup.judged[run] for run in table.runs if run in setup.judged}
        rows = tuple({"run": run, "judged": share} for run, share in shares.items())
        few = [run for run, share in shares.items() if share < FEW_JUDGED]
        facts = {"depth": JUDGED_DEPTH, "least": min(shares.values()), "most": max(shares.values()), "few": few}
        facts |= {"limit": FEW_JUDGED, **setup.removal(), **setup.lists_lacking(shares)}
        out.append(Statement("judged-share", facts, rows))
    test = TESTS[first.test]
    facts = {
        "baseline": first.baseline,
        "test": describe_test(first.setup),
        "citation": test.citation,
        "metrics": len(table.comparisons),
        "resamples": first.resamples if test.resampled else None,
        "seed": first.seed,
    }
    out.append(Statement("significance-test", facts, tuple(_family(one) for one in table.comparisons)))
    notes = [[name, note] for name, one in zip(table.labels, table.comparisons, strict=True) for note in one.notes]
    least = min((row.topics for one in table.comparisons for row in one.rows), default=table.topics)
    checked = tuple(
        {"metric": one.metric, **row}
        for one in table.comparisons
        for note in one.statements
        if note.text in one.notes
        for row in note.evidence
    ) or tuple(_family(one) for one in table.comparisons)
    facts = {"test": first.test, "topics": least, "notes": notes, "enough": MANY_TOPICS}
    out.append(Statement("assumptions", facts, checked))
    return out


def _family(one: Comparison) -> dict[str, Any]:
    significant = sum(row.significant for row in one.rows)
    return {"metric": one.metric, "comparisons": one.setup.family, "significant": significant}


def _group(items: Iterable[tuple[str, tuple[Any, ...]]]) -> Groups:
    """The metrics that share a setting, in the order of the table."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, shared in items:
        groups.setdefault(shared, []).append(name)
    return [(names, list(shared)) for shared, names in groups.items()]


def parse_known(name: str) -> Metric | str:
    """A metric of the catalogue; else its name, as of a composition or a function of the user's."""
    try:
        return parse(name)
    except DivevalError:
        return name


def _facts_of(metric: Metric | str) -> dict[str, Any]:
    if isinstance(metric, str):
        return {"label": metric, "cited": [], "parameters": {}}
    named = {name: value for name, value in metric.values.items() if f"{name}={value}" in metric.name}
    words = {name: value for name, value in named.items() if isinstance(value, str)}
    return {"label": label(metric), "cited": citations(metric), "parameters": {**metric.numbers, **words}}


@words("evaluated")
def _word_evaluated(runs: int, topics: int, version: str) -> str:
    return f"We evaluate {count_of(runs, 'run')} on {count_of(topics, 'topic')} with diveval~{version}."


@words("metrics-reported")
def _word_metrics(metrics: Sequence[Mapping[str, Any]]) -> str:
    return f"We report {list_words([_describe(**facts) for facts in metrics])}."


@words("gain-by-metric")
def _word_gains(groups: Groups, highest: float | None) -> str:
    sentences = []
    for metrics, (gain, gmax, rel) in groups:
        where = _of(metrics, groups)
        least = "" if rel is None else f"; grades below {rel:g} count as 0"
        if gain == "binary":
            said = "every grade above 0" if rel is None else f"every grade of {rel:g} or more"
            said, least = f"{said} counts as fully relevant", ""
        else:
            said = _GAINS[gain]
        if gain in ("exponential", "linear"):
            top = _MAXIMA.get(str(gmax)) or rf"$g_{{\max}} = {gmax:g}$"
            known = f", {highest:g}" if gmax == "file" and highest is not None else ""
            said += f", {top}{known}"
        sentences.append(f"{where}{said}{least}.")
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


@words("order-and-ties")
def _word_orders(groups: Groups) -> str:
    parts = [
        f"{_of(metrics, groups)}lists are ordered by {_ORDERS[order]}"
        + (f", {_TIES[ties]}" if order == "score" else "")
        for metrics, (order, ties) in groups
    ]
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


@words("missing-topics")
def _word_missing(groups: Groups, lacking: Mapping[str, str]) -> str:
    if not lacking:
        return "Every run answers every topic."
    named = list_words([f"{latex_escape(run)} ({seen})" for run, seen in list(lacking.items())[:5]], len(lacking) - 5)
    where = [list_words([latex_escape(name) for name in metrics]) for metrics, _ in groups]
    single = len(groups) == 1
    rules = list_words(
        [_MISSING[rule] + ("" if single else f" for {of}") for of, (_, (rule,)) in zip(where, groups, strict=True)]
    )
    verb = "does" if len(lacking) == 1 else "do"
    return f"{count_of(len(lacking), 'run')} {verb} not answer every topic: {named}. Such a topic is scored {rules}."


@words("weights-and-empty")
def _word_weights(weights: str | None, dropped: int | None, empty: int | None, rule: str) -> str:
    said = {
        "equal": "All aspects of a topic have the same weight.",
        "given": "Aspects have given weights.",
    }
    sentences = [said.get(weights, f"Aspects have weights of their own ({latex_escape(weights)}).")] if weights else []
    return " ".join([*sentences, *(f"{part}." for part in _word_empty(dropped, empty, rule))])


def _word_empty(dropped: int | None, empty: int | None, rule: str) -> list[str]:
    parts = []
    if dropped:
        verb = "does" if dropped == 1 else "do"
        parts.append(f"{count_of(dropped, 'aspect')} without a relevant document {verb} not count")
    if empty:
        done = "left out" if rule == "skip" else "scored like the others"
        verb = "is" if empty == 1 else "are"
        parts.append(f"{count_of(empty, 'topic')} without any relevant document {verb} {done}")
    return parts


@words("weights-not-used")
def _word_unweighted(metrics: Sequence[str]) -> str:
    named = list_words([latex_escape(name) for name in metrics])
    return f"{named} {'does' if len(metrics) == 1 else 'do'} not depend on these weights."


@words("empty-by-metric")
def _word_empty_by_metric(groups: Groups) -> str:
    parts = []
    for metrics, (dropped, empty, rule) in groups:
        said = (
            " and ".join(_word_empty(dropped, empty, rule))
            or "every aspect counts, and every topic has a relevant document"
        )
        parts.append(f"For {list_words([latex_escape(name) for name in metrics])}, {said}.")
    return " ".join(parts)


@words("judged-share")
def _word_judged(
    depth: int,
    least: float,
    most: float,
    few: Sequence[str],
    limit: float,
    removed: bool = False,
    without_list: int = 0,
) -> str:
    span = " to ".join(dict.fromkeys(latex_escape(share_text(share)) for share in (least, most)))
    text = f"Of the first {depth} documents of a list, {span} are judged on average, by run{NO_LIST if without_list else ''}."
    if removed:
        text = f"Unjudged documents are removed from the lists before scoring. {text.replace('of a list', 'of a whole list')}"
    if not few:
        return text
    named = list_words([latex_escape(run) for run in few[:5]], more=len(few) - 5)
    effect = "scores are those of short lists" if removed else "scores may be too low for that reason"
    return f"{text} The share is below {latex_escape(share_text(limit))} for {named}, whose {effect}."


@words("significance-test")
def _word_test(baseline: str | None, test: str, citation: str, metrics: int, resamples: int | None, seed: int) -> str:
    if test == UNTESTED:
        return "No two runs share two topics, so that no pair of them is tested."
    compared = "all pairs of runs" if baseline is None else f"each run with {latex_escape(baseline)}"
    each = " for each metric" if metrics > 1 else ""
    article = "" if test.startswith("Tukey") else "the "
    text = f"We compare {compared} by {article}{latex_escape(test)}{each}~\\cite{{{citation}}}."
    drawn = "" if resamples is None else f" The test draws {resamples:,} resamples (seed {seed}).".replace(",", r"\,")
    return text + drawn


@words("assumptions")
def _word_assumptions(test: str, topics: int, notes: Sequence[tuple[str, str]], enough: int) -> str:
    if notes:
        shared: dict[str, list[str]] = {}
        for name, note in notes:
            shared.setdefault(latex_escape(note), []).append(latex_escape(name))
        return " ".join(f"Checks of the assumptions, {list_words(named)}: {note}." for note, named in shared.items())
    if test == "t" and topics >= enough:
        return f"We did not test the differences for normality, on which a t-test hardly depends with {topics} topics."
    if test == "t":
        return "Shapiro and Wilk's test found no pair of runs whose differences are far from normal."
    return "No check of the test's assumptions raised a concern."


def _of(metrics: Sequence[str], groups: Groups) -> str:
    """`For X and Y, `, where other metrics differ."""
    return "" if len(groups) == 1 else f"for {list_words([latex_escape(name) for name in metrics])}, "


def references(table: ResultsTable) -> str:
    """BibTeX of the metrics in the table and of the test."""
    known = (parse_known(name) for name in table.metrics)
    keys = [key for metric in known if not isinstance(metric, str) for key in citations(metric)]
    return bibliography([*keys, TESTS[table.comparisons[0].test].citation])


def state_metrics(metrics: Sequence[Metric | str]) -> Statement:
    """Which metrics are reported: label, citation and parameters of each."""
    named = [_facts_of(metric) for metric in metrics]
    return Statement("metrics-reported", {"metrics": named}, tuple(named))


def _describe(label: str, cited: Sequence[str], parameters: Mapping[str, float | str]) -> str:
    settings = ", ".join(
        f"{latex_escape(name)}: {latex_escape(value)}"
        if isinstance(value, str)
        else f"{_GREEK.get(name, f'${name}$')} = {value:g}"
        for name, value in parameters.items()
    )
    cite = f"~\\cite{{{','.join(cited)}}}" if cited else ""
    return latex_escape(label) + cite + (f" ({settings})" if settings else "")


def list_words(parts: Sequence[str], more: int = 0) -> str:
    """`a, b and c`, or `a, b and 3 others`."""
    parts = [*parts, count_of(more, "other")] if more > 0 else parts
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
