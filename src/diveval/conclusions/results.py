"""What was concluded of every pair of systems, and its CSV, JSON, LaTeX and table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from diveval.conclusions.judges import Judges
from diveval.stats.results import Result, csv_text, latex_text
from diveval.tables import deliver

Doubt = Literal["parameters", "weights", "unjudged", "judges", "all"]
Verdict = Literal["certain", "flips", "undecided"]


@dataclass(frozen=True)
class Conclusion:
    """`better` beats `worse`: does it, whatever is in doubt?

    `certain`: everywhere, by at least `margin`. `flips`: not at the settings of `witness`, where `better` leads by
    `margin` (below 0). `undecided`: neither was proved; `margin` is the bound reached and `witness` says why.
    """

    better: str
    worse: str
    metric: str
    doubt: Doubt
    verdict: Verdict
    witness: str
    margin: float
    p: float | None = None  # of the paired t-test at the middle of the ranges, adjusted for all pairs
    significant: bool | None = None
    details: dict[str, Any] = field(default_factory=dict)


class ToJudge(NamedTuple):
    """An unjudged document: in how many pairs its labels alone can matter, and the shares of leads they can take."""

    topic: str
    document: str
    worth: float
    pairs: int


@dataclass(frozen=True)
class Conclusions(Result):
    """Every pair of systems under every kind of doubt that was asked."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: int
    doubts: tuple[Doubt, ...]
    rows: tuple[Conclusion, ...]
    judges: Judges | None = None
    to_judge: tuple[ToJudge, ...] = ()  # most valuable first, where unjudged documents are in doubt
    notes: tuple[str, ...] = ()
    held: tuple[str, ...] | None = None  # of every system, how many of the topics it has (49/50), where one lacks some

    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )
    columns: ClassVar[tuple[str, ...]] = ("better", "worse", "metric", "doubt", "verdict", "witness", "margin")

    def marked(self, system: str) -> str:
        """A system's name, with how many of the topics it has where it lacks some."""
        held = "" if self.held is None else self.held[self.systems.index(system)]
        whole = f"{self.topics}/{self.topics}"
        return system if held in ("", whole) else f"{system} ({held})"

    def to_latex(self, path: str | Path | None = None) -> str:
        """The pairs for a paper, with booktabs; a system that lacks topics is marked."""
        marked = [
            {**record, **{side: self.marked(record[side]) for side in ("better", "worse")}} for record in self.records()
        ]
        return deliver(latex_text(self.columns, marked), path)

    def counts(self) -> dict[tuple[str, str], Counter[str]]:
        """How many pairs are certain, flip or are undecided, by metric and doubt."""
        out: dict[tuple[str, str], Counter[str]] = {}
        for row in self.rows:
            out.setdefault((row.metric, row.doubt), Counter())[row.verdict] += 1
        return out

    def budget(self, documents: int) -> str:
        """The most valuable documents to judge next, as CSV for assessors."""
        return csv_text(ToJudge._fields, [row._asdict() for row in self.to_judge[:documents]])

    def edges(self) -> list[tuple[str, str]]:
        """(better, worse) of the conclusions that survive everything asked: a partial order of the systems."""
        return [(row.better, row.worse) for row in self.surviving()]

    def to_svg(self) -> str:
        """The surviving order as a drawing."""
        from diveval.conclusions.graph import svg

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
        """Everything asked at once: `all` where there are several kinds, otherwise the one."""
        return "all" if "all" in self.doubts else self.doubts[0]

    def surviving(self, metric: str | None = None) -> list[Conclusion]:
        """The conclusions that hold whatever was put in doubt; under every metric unless one is named."""
        doubt = self.last_doubt()
        rows = [r for r in self.rows if r.doubt == doubt and r.verdict == "certain"]
        if metric is not None:
            return [r for r in rows if r.metric == metric]
        seen = Counter((r.better, r.worse) for r in rows)
        first = {(r.better, r.worse): r for r in reversed(rows)}
        return [r for pair, r in first.items() if seen[pair] == len(self.metrics)]

    def headline(self) -> str:
        """One line: how many of the pairs survive."""
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        doubts = ", ".join(d for d in self.doubts if d != "all")
        sure = self.surviving()
        tested = [r for r in sure if r.significant is not None]
        firm = f"; {sum(bool(r.significant) for r in tested)} of them are significant over topics" if tested else ""
        return f"{len(sure)} of {pairs} conclusions survive every doubt asked ({doubts}){firm}."
