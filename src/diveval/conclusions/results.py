"""Conclusions about all pairs of systems, with CSV, JSON, LaTeX and table, and the agreement of several judges."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from diveval.collection.columns import Floats
from diveval.collection.judgments import Judgments
from diveval.collection.topic_ids import find_shared
from diveval.conclusions.judge_sentences import HEAD, state_judges
from diveval.errors import count_of, shorten
from diveval.meta.correlation import kendall_tau, tau_ap
from diveval.metrics.names import name_with_variant
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.results.table_text import TextTable, align, csv_text, signed_text, table_of
from diveval.stats.agreement import cohen_kappa, krippendorff
from diveval.stats.comparison import FEW_PAIRS, MOST_PAIRS, count_more
from diveval.stats.tests import describe_test

Labels = Mapping[tuple[str, str, str], float]  # (topic, aspect, document) → grade
TOP = (1, 3, 5, 10)
MOST_PARTING = 10  # topics


@dataclass(frozen=True)
class JudgePair:
    """Two judges: agreement of their orders of the systems and of their labels. None: not defined."""

    judge: str
    other: str
    tau: float | None
    tau_ap: float | None
    top: dict[int, float]  # share of the k best systems that both have among their k best
    labels: int  # judged by both
    same: float | None  # share of those with the same grade
    kappa: float | None


@dataclass(frozen=True)
class Judges:
    """All judges: pairs, Krippendorff's α, conclusions significant under every judge, topics with most disagreement."""

    judges: tuple[str, ...]
    pairs: tuple[JudgePair, ...]
    alpha_nominal: float | None
    alpha_ordinal: float | None
    significant_in_all: tuple[tuple[str, str], ...]  # (better, worse)
    significant_in_some: int
    topics: tuple[tuple[str, float], ...]  # share of labels on which judges differ, most first


def names_of(judges: Sequence[Judgments]) -> list[str]:
    """A unique name for each judge, with a number if two files have the same name."""
    out: list[str] = []
    for i, judgments in enumerate(judges, 1):
        name = judgments.source or f"judge {i}"
        out.append(name if name not in out else f"{name}#{i}")
    return out


def find_common_topics(judges: Sequence[Judgments]) -> list[str]:
    """The topics that every judge judged, in the order of the first; a warning names the others."""
    return find_shared([(name, one.topics) for name, one in zip(names_of(judges), judges, strict=True)])


def agreement_of(
    judges: Sequence[Judgments], scores: Sequence[Scores], significant: Sequence[set[tuple[str, str]]]
) -> Judges:
    """The agreement of judges, given the scores of the systems under each (one metric, the same topics) and, for each
    judge, the pairs (better, worse) that differ significantly."""
    names = names_of(judges)
    topics = set(scores[0].topics)
    labels = [{row[:3]: row[3] for row in j.rows() if row[0] in topics} for j in judges]
    means = [s.means[:, 0] for s in scores]
    pairs = []
    for i, j in combinations(range(len(judges)), 2):
        both = [(labels[i][cell], labels[j][cell]) for cell in labels[i].keys() & labels[j].keys()]
        pairs.append(
            JudgePair(
                names[i],
                names[j],
                kendall_tau(means[i], means[j]),
                tau_ap(means[i], means[j]) if len(means[i]) > 1 else None,
                _top(means[i], means[j]),
                len(both),
                sum(a == b for a, b in both) / len(both) if both else None,
                cohen_kappa(both),
            )
        )
    units = [[given[cell] for given in labels if cell in given] for cell in dict.fromkeys(c for g in labels for c in g)]
    everywhere = set.intersection(*significant) if significant else set()
    return Judges(
        tuple(names),
        tuple(pairs),
        krippendorff(units, "nominal"),
        krippendorff(units, "ordinal"),
        tuple(sorted(everywhere)),
        len(set.union(*significant)) if significant else 0,
        _parting(labels),
    )


def _top(x: Floats, y: Floats) -> dict[int, float]:
    """The overlap of the k best systems; systems with equal means keep their order."""
    first, second = (np.argsort(-values, kind="stable") for values in (x, y))
    return {k: len(set(first[:k].tolist()) & set(second[:k].tolist())) / k for k in TOP if k < len(x)}


def _parting(labels: Sequence[Labels]) -> tuple[tuple[str, float], ...]:
    """The topics with the largest share of cells on which judges differ."""
    differ: dict[str, list[int]] = {}
    for cell in dict.fromkeys(c for given in labels for c in given):
        grades = [given[cell] for given in labels if cell in given]
        if len(grades) > 1:
            counts = differ.setdefault(cell[0], [0, 0])
            counts[0] += len(set(grades)) > 1
            counts[1] += 1
    shares = [(topic, parted / cells) for topic, (parted, cells) in differ.items() if parted]
    return tuple(sorted(shares, key=lambda row: -row[1])[:MOST_PARTING])


Doubt = Literal["parameters", "weights", "unjudged", "judges", "all"]
Verdict = Literal["certain", "flips", "undecided"]


@dataclass(frozen=True)
class Conclusion:
    """Whether `better` beats `worse` for all values of what is in doubt.

    `certain`: everywhere, by at least `margin`. `flips`: not at the settings of `witness`, where `better` leads by
    `margin` (below 0). `undecided`: neither was proved; `margin` is the bound reached and `witness` the reason.
    """

    better: str
    worse: str
    metric: str
    doubt: Doubt
    verdict: Verdict
    witness: str
    margin: float
    p: float | None = None  # of the paired t-test at the reference setting, adjusted for all pairs
    significant: bool | None = None
    details: dict[str, Any] = field(default_factory=dict)


class ToJudge(NamedTuple):
    """An unjudged document: the number of pairs whose lead its labels can reduce, and the sum of the shares reduced."""

    topic: str
    document: str
    worth: float
    pairs: int


@dataclass(frozen=True, repr=False)
class Conclusions(Result):
    """Every pair of systems under every requested kind of doubt."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: int
    doubts: tuple[Doubt, ...]
    rows: tuple[Conclusion, ...]
    judges: Judges | None = None
    to_judge: tuple[ToJudge, ...] = ()  # most valuable first, if unjudged documents are in doubt
    notes: tuple[str, ...] = ()
    held: tuple[str, ...] | None = None  # how many of the topics each system has (49/50), if any system lacks one

    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )
    header: ClassVar[tuple[str, ...]] = ("better", "worse", "metric", "doubt", "verdict", "witness", "margin")

    def marked(self, system: str) -> str:
        """A system's name, with its number of topics if it lacks some."""
        held = "" if self.held is None else self.held[self.systems.index(system)]
        whole = f"{self.topics}/{self.topics}"
        return system if held in ("", whole) else f"{system} ({held})"

    def display(self) -> TextTable:
        """The pairs; a system that lacks topics is marked."""
        columns = self.columns()
        marked = {side: [self.marked(str(system)) for system in columns[side]] for side in ("better", "worse")}
        return table_of({**columns, **marked}, caption=self.headline())

    def to_text(self, width: int = 80) -> str:
        """Counts, then one line per pair and doubt."""
        said = state(self)
        counted = [statement.text for statement in said if statement.kind == "verdict-counts"]
        agreed = [] if self.judges is None else state_judges(self.judges)
        first = [one.text for one in said if one.kind != "verdict-counts" and one not in agreed]
        lines = [*first, *(["", HEAD, *(one.text for one in agreed)] if agreed else []), "", *counted, ""]
        return "\n".join([*lines, *self._write_runs(), *self._write_pairs(width)]) + "\n"

    def _write_runs(self) -> list[str]:
        """How many systems each one surely beats, and is surely beaten by, under every doubt; the others are open."""
        if len(self.systems) < 3:
            return []
        beats = Counter(better for better, _ in self.edges())
        beaten = Counter(worse for _, worse in self.edges())
        order = sorted(self.systems, key=lambda one: (beaten[one] - beats[one], self.systems.index(one)))
        rows = [
            (self.marked(one), *map(str, (beats[one], beaten[one], len(self.systems) - 1 - beats[one] - beaten[one])))
            for one in order
        ]
        return [*align([("run", "surely beats", "surely beaten by", "open"), *rows], "<>>>"), ""]

    def _write_pairs(self, width: int) -> list[str]:
        """The pairs, those that are not certain first; of many, the first ones, and how many are left."""
        head = ("better", "worse", "metric", "doubt", "verdict", "margin", "witness")
        wins = Counter(row.better for row in self.rows if row.verdict == "certain")
        few = len(self.rows) <= FEW_PAIRS
        chosen = sorted(self.rows, key=lambda r: (r.verdict == "certain", -wins[r.better] - wins[r.worse]))[:MOST_PAIRS]
        listed = self.rows if few else chosen
        rows = [
            (
                self.marked(row.better),
                self.marked(row.worse),
                row.metric,
                row.doubt,
                row.verdict,
                signed_text(row.margin),
                shorten(row.witness, 100),
            )
            for row in listed
        ]
        shown = [i for i, name in enumerate(head) if name != "metric" or len(self.metrics) > 1]
        lines = align(([row[i] for i in shown] for row in (head, *rows)), "<" * len(shown))
        if max(map(len, lines)) > width:
            lines = []
            for row in rows:
                about = [row[i] for i in shown if head[i] in ("metric", "doubt", "verdict")]
                text = f"{', '.join(about)}: margin {'; '.join(filter(None, row[5:]))}"
                lines += [
                    f"{row[0]} > {row[1]}",
                    *textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  "),
                ]
        return [*lines, *count_more(len(self.rows) - len(rows))]

    def counts(self) -> dict[tuple[str, str], Counter[str]]:
        """How many pairs are certain, flip or are undecided, by metric and doubt."""
        out: dict[tuple[str, str], Counter[str]] = {}
        for row in self.rows:
            out.setdefault((row.metric, row.doubt), Counter())[row.verdict] += 1
        return out

    def budget(self, documents: int) -> str:
        """The most valuable documents to judge next, as CSV for assessors."""
        return csv_text(ToJudge._fields, self.to_judge[:documents])

    def edges(self) -> list[tuple[str, str]]:
        """(better, worse) of the conclusions that survive all doubts: a partial order of the systems."""
        return [(row.better, row.worse) for row in self.surviving()]

    def to_svg(self) -> str:
        """The surviving order as a drawing."""
        from diveval.conclusions.drawings import svg

        return svg(self.systems, self.edges(), self.headline())

    def told_apart(self, metric: str) -> dict[str, int]:
        """Pairs by whether they are certain over settings, and significant over topics."""
        out = dict.fromkeys(("certain, significant", "certain, not significant", "in doubt, significant"), 0)
        for row in self.rows:
            if row.metric == metric and row.doubt == self.last_doubt() and row.significant is not None:
                sure = row.verdict == "certain"
                if sure or row.significant:
                    out[f"{'certain' if sure else 'in doubt'}, {'' if row.significant else 'not '}significant"] += 1
        return out

    def last_doubt(self) -> Doubt:
        """`all` if there are several kinds of doubt, otherwise the only one."""
        return "all" if "all" in self.doubts else self.doubts[0]

    def surviving(self, metric: str | None = None) -> list[Conclusion]:
        """The conclusions that survive all doubts, under every metric unless one is named."""
        doubt = self.last_doubt()
        rows = [r for r in self.rows if r.doubt == doubt and r.verdict == "certain"]
        if metric is not None:
            return [r for r in rows if r.metric == metric]
        seen = Counter((r.better, r.worse) for r in rows)
        first = {(r.better, r.worse): r for r in reversed(rows)}
        return [r for pair, r in first.items() if seen[pair] == len(self.metrics)]

    def headline(self) -> str:
        """One line: how many of the pairs survive."""
        return state(self)[0].text


def state(result: Conclusions) -> list[Statement]:
    """How many conclusions survive, how that compares with significance over topics, and the verdicts by doubt."""
    pairs = len(result.systems) * (len(result.systems) - 1) // 2
    sure, doubt = result.surviving(), result.last_doubt()
    rows = tuple(
        {"better": r.better, "worse": r.worse, "metric": r.metric, "verdict": r.verdict, "significant": r.significant}
        for r in result.rows
        if r.doubt == doubt
    )
    tested = [r for r in sure if r.significant is not None]
    facts = {
        "surviving": len(sure),
        "pairs": pairs,
        "doubts": [d for d in result.doubts if d != "all"],
        "significant": sum(bool(r.significant) for r in tested) if tested else None,
    }
    out = [Statement("conclusions-surviving", facts, rows)]
    told = {metric: result.told_apart(metric) for metric in result.metrics}
    told = {metric: counts for metric, counts in told.items() if any(counts.values())}
    out += [
        Statement("certain-and-significant", {"metric": m, "counts": c}, tuple(r for r in rows if r["metric"] == m))
        for m, c in told.items()
    ]
    if told:
        facts = {"test": describe_test(result.setup), "reference": result.setup.reference_setting}
        out.append(Statement("conclusions-test", facts, tuple({"metric": m, **c} for m, c in told.items())))
    for (metric, of), verdicts in result.counts().items():
        named = {verdict: verdicts[verdict] for verdict in ("certain", "flips", "undecided")}
        own = tuple(
            {"better": row.better, "worse": row.worse, "verdict": row.verdict}
            for row in result.rows
            if (row.metric, row.doubt) == (metric, of)
        )
        out.append(Statement("verdict-counts", {"metric": metric, "doubt": of, **named}, own))
    return [*out, *([] if result.judges is None else state_judges(result.judges))]


@words("conclusions-surviving")
def _word_surviving(surviving: int, pairs: int, doubts: Sequence[str], significant: int | None) -> str:
    firm = (
        ""
        if significant is None
        else f"; {significant} of them {'is' if significant == 1 else 'are'} significant over topics"
    )
    return f"{surviving} of {count_of(pairs, 'conclusion')} {'holds' if surviving == 1 else 'hold'} under every doubt considered ({', '.join(doubts)}){firm}."


@words("certain-and-significant")
def _word_told(metric: str, counts: Mapping[str, int]) -> str:
    return f"{name_with_variant(metric)}: " + "; ".join(f"{count} {what}" for what, count in counts.items())


@words("conclusions-test")
def _word_test(test: str, reference: str | None) -> str:
    return f"(certain over settings; significant over topics: {test}, at {reference})"


@words("verdict-counts")
def _word_counts(metric: str, doubt: str, certain: int, flips: int, undecided: int) -> str:
    return f"{name_with_variant(metric)}, {doubt}: {certain} certain, {flips} flips, {undecided} undecided"
