"""Verdicts in the terms of a collection: for which of its grades a metric satisfies a constraint.

A proof is about every relevance between 0 and 1, or about those in a region. A collection has a few degrees of relevance:
each is asked for by itself, and a relevance of 1 is outside the premises of most constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from diveval.axioms.proof.scheduler import Cell, Scheduler
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS
from diveval.axioms.specification.readings import CHARITABLE, Reading
from diveval.collection.judgments import Judgments
from diveval.metrics.algebra import Aspects
from diveval.metrics.exact_forms import split_exact
from diveval.metrics.metric import Metric
from diveval.metrics.numbers import exactly
from diveval.metrics.tool_parts import BinaryAspects
from diveval.results.statements import Statement, words
from diveval.settings import Options, RelevanceRule

ALLOW_ONE = ("Sat", "AspRel")  # constraints whose premises allow a relevance of 1


@dataclass(frozen=True)
class Level:
    """A grade of the judgments and the relevance it stands for."""

    grade: float
    relevance: Fraction


@dataclass(frozen=True)
class DataVerdict:
    """A verdict, and what it says for each level of relevance of a collection (none without a collection).

    An answer is `holds`, `fails`, `outside` (the constraint's premise excludes this relevance, so the proof does not
    apply) or `unknown`.
    """

    verdict: Verdict
    answers: tuple[tuple[Level, str], ...] = ()

    @property
    def here(self) -> str:
        """The answer for the collection: that of its levels if they agree, else `partly`; without levels the verdict."""
        kinds = {answer for _, answer in self.answers}
        return self.verdict.verdict if not kinds else kinds.pop() if len(kinds) == 1 else "partly"

    @property
    def is_in_doubt(self) -> bool:
        """Whether it fails or is not decided for some level, other than by levels outside the premises of a proof."""
        answered = {answer for _, answer in self.answers}
        return not answered or not answered <= {"holds", "outside"}

    def statement(self) -> Statement:
        """The answer as a sentence, with the levels as evidence."""
        rows = [{"grade": one.grade, "relevance": str(one.relevance), "answer": answer} for one, answer in self.answers]
        by_answer: dict[str, list[Level]] = {}
        for level, answer in self.answers:
            by_answer.setdefault(answer, []).append(level)
        facts = {
            "metric": self.verdict.metric,
            "axiom": self.verdict.axiom,
            "reading": self.verdict.reading,
            "verdict": self.verdict.verdict,
            "region": list(self.verdict.region.numbers) if self.verdict.region is not None else [],
            "here": self.here,
            "grades": {answer: [one.grade for one in levels] for answer, levels in by_answer.items()},
            "relevance": {answer: [float(one.relevance) for one in levels] for answer, levels in by_answer.items()},
        }
        whole = {"metric": self.verdict.metric, "axiom": self.verdict.axiom, "answer": self.verdict.verdict}
        return Statement("verdict-here", facts, tuple(rows) or (whole,))


@words("verdict-here")
def _word(
    metric: str,
    axiom: str,
    reading: str,
    verdict: str,
    region: Sequence[str],
    here: str,
    grades: Mapping[str, Sequence[float]],
    relevance: Mapping[str, Sequence[float]],  # of these grades, of which one may have several
) -> str:
    title = AXIOMS[axiom].title if axiom in AXIOMS else axiom
    read = "" if reading == CHARITABLE.name else f" ({reading} reading)"
    some = verdict in ("holds", "region") and grades and not (verdict == here == "holds")
    where = "" if some else f" where {'; '.join(region) or 'its region says'}"
    general = {
        "holds": f"{metric} satisfies {title}{read}",
        "region": f"{metric} satisfies {title}{where}{read}",
        "fails": f"{metric} does not satisfy {title}{read}",
        "unknown": f"whether {metric} satisfies {title} was not decided in time{read}",
    }.get(verdict, f"{title} is {verdict} for {metric}{read}")
    said = {
        "holds": "holds for {}",
        "fails": "fails for {}",
        "outside": "the proof does not apply to {}, since its premise needs a relevance below 1",
        "unknown": "not decided for {}",
    }

    def name(answer: str) -> str:
        levels = list(zip(grades[answer], relevance[answer], strict=True))
        listed = ", ".join(f"{grade:g} (relevance {r:.4g})" for grade, r in levels)
        return f"grade{'s' if len(levels) > 1 else ''} {listed}"

    if not some:
        return general
    only = " for some grades only" if here == "partly" else " in general; here"
    return f"{general}{only}: {'; '.join(said[answer].format(name(answer)) for answer in grades)}"


def levels_of(judgments: Judgments, rule: RelevanceRule) -> tuple[Level, ...]:
    """The grades above 0 that occur for aspects that count, with the exact relevance of each, lowest first."""
    columns = judgments.relevance(rule).columns
    exact = columns.levels.fractions(exactly)
    found = {(float(columns.levels.grades[code]), exact[code]) for code in np.unique(columns.level).tolist()}
    return tuple(Level(grade, relevance) for grade, relevance in sorted(found))


def levels_for(judgments: Judgments, metric: Metric, options: Options) -> tuple[Level, ...]:
    """The levels as a verdict on the metric sees them: a metric that ignores grades by itself is asked about the grades."""
    own = metric.rule if metric.rule is not None and not metric.formula.is_algebraic else None
    return levels_of(judgments, own or options.relevance)


def decide_in_data(
    metrics: Sequence[Metric],
    axioms: Sequence[str],
    levels: Mapping[str, Sequence[Level]],
    *,
    reading: Reading = CHARITABLE,
    time_limit: float,
    jobs: int = 1,
) -> dict[tuple[str, str], DataVerdict]:
    """By metric and axiom the verdict at the metric's setting, and what it says for the metric's levels; a metric without
    an exact form has none."""
    scheduler = Scheduler(jobs=jobs)
    exact, _ = split_exact(metrics)
    twins = [
        make_graded_twin(m) if len({level.relevance for level in levels.get(m.name, ())}) == 1 else m for m in exact
    ]
    cells = {(m.name, axiom): Cell.of(m, axiom, reading, time_limit=time_limit) for m in twins for axiom in axioms}
    verdicts = scheduler.decide(list(cells.values()))
    return answer_for_levels({name: (cell, verdicts[cell]) for name, cell in cells.items()}, levels, scheduler)


def answer_for_levels(
    decided: Mapping[tuple[str, str], tuple[Cell, Verdict]],
    levels: Mapping[str, Sequence[Level]],
    scheduler: Scheduler,
) -> dict[tuple[str, str], DataVerdict]:
    """What verdicts that are already decided say for the levels of each metric; a region in r_c is asked level by level."""
    asked = {
        (name, level): at_level(cell, level)
        for name, (cell, verdict) in decided.items()
        for level in levels.get(name[0], ())
        if depends_on_relevance(verdict, cell) and level.relevance < 1
    }
    answers = scheduler.decide(list(asked.values())) if asked else {}
    return {
        name: DataVerdict(
            verdict,
            tuple(
                (
                    level,
                    answers[asked[name, level]].verdict if (name, level) in asked else _answer(verdict, level),
                )
                for level in levels.get(name[0], ())
                if verdict.verdict == "holds" or (verdict.verdict == "region" and cell.axiom.threshold)
            ),
        )
        for name, (cell, verdict) in decided.items()
    }


def make_graded_twin(metric: Metric) -> Metric:
    """For judgments with one relevance r: a metric that counts [r > 0] is a constant times the same metric that counts r,
    of which more is known."""
    if not metric.formula.is_algebraic:
        return metric
    formula = metric.formula.algebraic
    total = formula.as_sum or formula.share_of
    if total is None or not isinstance(total.over, BinaryAspects):
        return metric
    graded = replace(total, over=Aspects(weighted=False))
    same = replace(graded, cutoff=formula.cutoff) if formula.as_sum else replace(formula, sum=graded)  # type: ignore[call-arg]
    return replace(metric, formula=same, entry=None)


def depends_on_relevance(verdict: Verdict, cell: Cell) -> bool:
    """Whether a verdict is a region of r_c at one setting of the metric's parameters."""
    return verdict.verdict == "region" and bool(cell.axiom.threshold) and not cell.subject.free


def at_level(cell: Cell, level: Level) -> Cell:
    """The question for one relevance r_c."""
    r_c = level.relevance
    named = replace(cell.reading, r_c=r_c, small_rc=False, name=f"{cell.reading.name}, r_c = {r_c}")
    return replace(cell, reading=named)


def _answer(verdict: Verdict, level: Level) -> str:
    if level.relevance >= 1 and verdict.axiom not in ALLOW_ONE:
        return "outside"
    return "holds" if verdict.verdict == "holds" else "unknown"
