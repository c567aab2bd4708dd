"""Agreement of metrics with people: the share of preferences between two lists that a metric reproduces, with intervals.

T. Sakai and Z. Zeng, Which Diversity Evaluation Measures Are "Good"?, SIGIR 2019, do this for 1,127 pairs of pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.proof.subjects import as_symbolic
from diveval.axioms.proof.verdicts import Verdict
from diveval.defaults import CONFIDENCE, PREFERENCE_RESAMPLES, SEED
from diveval.errors import UsageError, count_of, level_text, preview, quote, share_text, suggestion, warn
from diveval.metrics.metric import Metric
from diveval.reading.preferences import Preference
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.table_text import align, number_text
from diveval.stats.intervals import percentiles
from diveval.stats.paired import Floats
from diveval.stats.ties import dense_ranks, require_fraction, require_resamples


@dataclass(frozen=True)
class PreferenceRow:
    """One metric. A pair that the metric ties, and people do not, counts ½; pairs that people tie are left out."""

    metric: str
    agreement: float | None
    low: float | None
    high: float | None
    pairs: int  # that people do not tie
    ties: int  # of these, tied by the metric
    mu: float | None = None  # metric unanimity on the same scores, for comparison


@dataclass(frozen=True)
class AxiomRow:
    """How often metrics that satisfy an axiom agree with people, less how often metrics that fail it do.

    The interval resamples topics, for these metrics: metrics differ in more than one axiom, so this is no effect of the axiom.
    """

    axiom: str
    satisfying: int  # metrics
    failing: int
    agreement: float  # mean of those that satisfy it
    agreement_failing: float
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True, repr=False)
class PeopleAgreement(Result):
    """How often each metric agrees with people, best first."""

    preferences: int
    assessors: int
    topics: int
    undecided: int  # preferences for neither list
    people: float | None  # agreement of two assessors who judged the same pair: an upper limit for metrics
    confidence: float
    resamples: int
    seed: int
    rows: tuple[PreferenceRow, ...]
    axioms: tuple[AxiomRow, ...] = ()  # those that some metric satisfies and some metric fails, best predictor first

    reference: ClassVar[str] = (
        'T. Sakai, Z. Zeng. Which Diversity Evaluation Measures Are "Good"? SIGIR 2019; '
        "M. Sanderson, M. L. Paramita, P. Clough, E. Kanoulas. Do User Preferences and Evaluation Measures Line Up? "
        "SIGIR 2010."
    )
    header: ClassVar[tuple[str, ...]] = tuple(PreferenceRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """The preferences, how far people agree, and a line per metric."""
        lines = [
            f"{self.preferences} preferences of {self.assessors} assessors on {self.topics} topics,"
            f" {self.undecided} for neither list"
        ]
        if self.people is not None:
            lines.append(f"two assessors of the same pair agree in {share_text(self.people)}")
        rows = [
            ["metric", "agreement", f"{level_text(self.confidence)} interval", "ties", "MU"],
            *map(_print_row, self.rows),
        ]
        lines += ["", *align(rows, ["<", ">", ">16", ">5", ">7"], width=width)]
        if self.axioms:
            head = [
                "axiom",
                "satisfying metrics",
                "agreement",
                "failing metrics",
                "agreement",
                "difference",
                "interval",
            ]
            lines += ["", *align([head, *map(_print_axiom, self.axioms)], ["<", *[">"] * 6], width=width)]
        return "\n".join(lines) + "\n"


def _print_row(row: PreferenceRow) -> list[str]:
    share = number_text(row.agreement, 3, missing="none")
    span = "" if row.low is None or row.high is None else f"[{row.low:.3f}, {row.high:.3f}]"
    mu = number_text(row.mu, 3, missing="")
    return [row.metric, share, span, str(row.ties), mu]


def _print_axiom(row: AxiomRow) -> list[str]:
    span = "" if row.low is None or row.high is None else f"[{row.low:+.3f}, {row.high:+.3f}]"
    sides = [str(row.satisfying), f"{row.agreement:.3f}", str(row.failing), f"{row.agreement_failing:.3f}"]
    return [row.axiom, *sides, f"{row.difference:+.3f}", span]


def people_agreement(
    scores: Scores,
    preferences: Sequence[Preference],
    *,
    unanimity: Mapping[str, float | None] | None = None,
    verdicts: Mapping[str, Mapping[str, bool]] | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = PREFERENCE_RESAMPLES,
    seed: int = SEED,
) -> PeopleAgreement:
    """How often each metric prefers the list that people prefer.

    The interval resamples topics, and with them all preferences on a topic: assessors of one topic are not independent.
    With `verdicts`, metric → axiom → whether it is satisfied, also how much oftener metrics that satisfy an axiom agree.
    """
    require_fraction("confidence", confidence)
    require_resamples("resamples", resamples, seed, topics=len(scores.topics))
    _check(scores, preferences)
    decided = [p for p in preferences if p.preferred]
    topics = list(dict.fromkeys(p.topic for p in decided))
    place, runs = ({name: i for i, name in enumerate(names)} for names in (scores.topics, scores.runs))
    rows, credits, totals = [], {}, np.zeros(len(topics))
    for m, metric in enumerate(scores.metrics):
        ranks = {topic: dense_ranks(scores.values[:, m, place[topic]] * scores.signs[m]) for topic in topics}
        credit, ties, totals = np.zeros(len(topics)), 0, np.zeros(len(topics))
        for preference in decided:
            of_topic = ranks[preference.topic]
            sign = int(np.sign(of_topic[runs[preference.first]] - of_topic[runs[preference.second]]))
            t = topics.index(preference.topic)
            totals[t] += 1
            credit[t] += 0.5 if sign == 0 else float(sign == preference.preferred)
            ties += sign == 0
        agreement = float(credit.sum() / totals.sum()) if decided else None
        low, high = _interval(credit, totals, confidence, resamples, seed)
        credits[metric] = credit
        mu = None if unanimity is None else unanimity.get(metric)
        rows.append(PreferenceRow(metric, agreement, low, high, len(decided), int(ties), mu))
    rows.sort(key=lambda row: -(row.agreement if row.agreement is not None else -1.0))
    return PeopleAgreement(
        len(preferences),
        len({p.assessor for p in preferences}),
        len({p.topic for p in preferences}),
        len(preferences) - len(decided),
        _between_people(decided),
        confidence,
        resamples,
        seed,
        tuple(rows),
        tuple(_predict(credits, totals, verdicts or {}, confidence, resamples, seed)) if decided else (),
    )


def as_verdicts(verdicts: Iterable[Verdict], metrics: Sequence[Metric]) -> dict[str, dict[str, bool]]:
    """Metric → axiom → whether it is satisfied, from decided cells; a region or an open cell is neither."""
    own = {as_symbolic(metric).name: metric.name for metric in metrics if metric.entry is not None}
    out: dict[str, dict[str, bool]] = {}
    for verdict in verdicts:
        if verdict.verdict in ("holds", "fails") and verdict.metric in own:
            out.setdefault(own[verdict.metric], {})[verdict.axiom] = verdict.verdict == "holds"
    return out


def _predict(
    credits: Mapping[str, Floats],
    totals: Floats,
    verdicts: Mapping[str, Mapping[str, bool]],
    confidence: float,
    resamples: int,
    seed: int,
) -> Iterator[AxiomRow]:
    """Axioms that some metric satisfies and another fails, by how much oftener the former agree with people."""
    found = []
    for axiom in dict.fromkeys(axiom for of in verdicts.values() for axiom in of):
        sides = [[m for m in credits if verdicts.get(m, {}).get(axiom) is holds] for holds in (True, False)]
        if not all(sides):
            continue
        credit = [np.mean([credits[metric] for metric in side], axis=0) for side in sides]
        share, other = (float(one.sum() / totals.sum()) for one in credit)
        low, high = _interval(credit[0] - credit[1], totals, confidence, resamples, seed)
        found.append(AxiomRow(axiom, len(sides[0]), len(sides[1]), share, other, share - other, low, high))
    yield from sorted(found, key=lambda row: -row.difference)


def _check(scores: Scores, preferences: Sequence[Preference]) -> None:
    if not preferences:
        raise UsageError("empty-input", "no preference was given")
    topics, runs = set(scores.topics), set(scores.runs)
    missing = [name for p in preferences for name in (p.first, p.second) if name not in runs]
    if missing:
        raise UsageError(
            "unknown-run", f"a preference names the run {quote(missing[0])}", hint=suggestion(missing[0], scores.runs)
        )
    unscored = list(dict.fromkeys(p.topic for p in preferences if p.topic not in topics))
    if unscored:
        raise UsageError(
            "unknown-topic", f"preferences name {count_of(len(unscored), 'topic')} without scores ({preview(unscored)})"
        )
    if len({p.topic for p in preferences}) < 2:
        warn("too-few-topics", "all preferences are on one topic: no interval can be given")


def _interval(
    credit: NDArray[np.float64], totals: NDArray[np.float64], confidence: float, resamples: int, seed: int
) -> tuple[float | None, float | None]:
    """Percentiles of the agreement over resampled topics."""
    if len(totals) < 2:
        return None, None
    draws = np.random.default_rng(seed).integers(0, len(totals), (resamples, len(totals)))
    shares = credit[draws].sum(axis=1) / totals[draws].sum(axis=1)
    low, high = percentiles(shares, confidence)
    return float(low), float(high)


def _between_people(decided: Sequence[Preference]) -> float | None:
    """How often two assessors of the same pair of lists prefer the same one; None if no two judged the same pair.

    Two preferences of one assessor are not compared; preferences without an assessor count as different people's.
    """
    votes: dict[Any, list[tuple[str, int]]] = {}
    for p in decided:
        first, second = sorted((p.first, p.second))
        sign = p.preferred if p.first == first else -p.preferred
        votes.setdefault((p.topic, first, second), []).append((p.assessor, sign))
    same = both = 0
    for cast in votes.values():
        signs = Counter(sign for _, sign in cast)
        own = Counter(vote for vote in cast if vote[0])
        people = Counter(assessor for assessor, _ in cast if assessor)
        same += sum(comb(n, 2) for n in signs.values()) - sum(comb(n, 2) for n in own.values())
        both += comb(len(cast), 2) - sum(comb(n, 2) for n in people.values())
    return same / both if both else None
