"""Systems ranked by people's pairwise votes: Bradley–Terry with ties, spam weights of voters, intervals, rank sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES, SEED
from diveval.errors import UsageError, count_of, level_text, warn
from diveval.reading.preferences import Preference
from diveval.results.protocol import Result
from diveval.results.setup import Setup
from diveval.results.table_text import align
from diveval.stats.bradley_terry import RIDGE, Strengths, fit, reach
from diveval.stats.intervals import draw_with_replacement, percentiles, two_sided_p
from diveval.stats.ranks import rank_sets, write_ranks
from diveval.stats.tests import alpha_of, holm
from diveval.stats.ties import require_fraction, require_resamples

Floats = NDArray[np.float64]
ROUNDS = 50  # of estimating voters and strengths in turn
PRIOR = (4.0, 1.0)  # votes that a voter starts with, as if given in earnest and at random


@dataclass(frozen=True)
class StrengthRow:
    """A run with its strength θ (sum 0): P(a beats b) : P(b beats a) = e^θa : e^θb.

    `beats`: the mean probability of being preferred to another run, ties counted half. `best_rank` to `worst_rank` are the ranks
    that significant differences leave open.
    """

    run: str
    strength: float
    low: float | None
    high: float | None
    beats: float
    best_rank: int
    worst_rank: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class VoterRow:
    """A voter; `weight` is the probability that a vote is given in earnest and not at random."""

    voter: str
    votes: int
    weight: float


@dataclass(frozen=True, repr=False)
class Votes(Result):
    """Runs by the votes of people, strongest first."""

    votes: int
    topics: int
    tie: float | None  # ν of Davidson's model: 0 without ties
    confidence: float
    rows: tuple[StrengthRow, ...]
    voters: tuple[VoterRow, ...] = ()

    reference: ClassVar[str] = (
        "R. A. Bradley, M. E. Terry. Rank Analysis of Incomplete Block Designs. Biometrika, 1952; R. R. Davidson. On "
        "Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments. JASA, 1970."
    )
    header: ClassVar[tuple[str, ...]] = tuple(StrengthRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """The votes, a line per run, and the voters whose votes look random."""
        lines = [f"{self.votes:,} votes on {count_of(self.topics, 'topic')} (Bradley–Terry with Davidson's ties)", ""]
        head = [
            "run",
            "strength",
            f"{level_text(self.confidence)} interval",
            "beats",
            "ranks",
            "wins",
            "losses",
            "ties",
        ]
        rows = [
            [
                row.run,
                f"{_round(row.strength):+.3f}",
                "" if row.low is None or row.high is None else f"[{_round(row.low):+.3f}, {_round(row.high):+.3f}]",
                f"{row.beats:.3f}",
                write_ranks(row.best_rank, row.worst_rank),
                *map(str, (row.wins, row.losses, row.ties)),
            ]
            for row in self.rows
        ]
        lines += align([head, *rows], ["<", *[">"] * 7], width=width)
        if self.voters:
            doubtful = [f"{voter.voter or '(unnamed)'} {voter.weight:.2f}" for voter in self.voters[:5]]
            lines += ["", f"{count_of(len(self.voters), 'voter')}; least weight: {', '.join(doubtful)}"]
        return "\n".join(lines) + "\n"


def _round(value: float) -> float:
    """Three decimals, without a minus before 0."""
    return round(value, 3) + 0.0


@dataclass(frozen=True)
class _Ballots:
    """The votes as arrays: pair, outcome (0 first, 1 second, 2 tie), weight, topic and voter of each."""

    runs: list[str]
    pairs: NDArray[np.intp]  # pair × 2
    pair: NDArray[np.intp]
    outcome: NDArray[np.intp]
    weight: Floats
    topic: NDArray[np.intp]
    voter: NDArray[np.intp]
    topics: int
    voters: list[str]

    def count(self, weight: Floats) -> Floats:
        """pair × outcome."""
        cells = self.pair * 3 + self.outcome
        return np.bincount(cells, weight, minlength=3 * len(self.pairs)).reshape(-1, 3).astype(np.float64)

    def fit(self, weight: Floats, *, ridge: float) -> Strengths:
        """Strengths from votes with these weights."""
        return fit(self.pairs[:, 0], self.pairs[:, 1], self.count(weight), len(self.runs), ridge=ridge)

    def connects(self, weight: Floats, *, both_ways: bool) -> bool:
        """Whether the votes connect the runs."""
        counts = self.count(weight)
        return reach(self.pairs[:, 0], self.pairs[:, 1], counts, len(self.runs), both_ways=both_ways)


@explain_types
def rank_by_votes(
    preferences: Sequence[Preference],
    *,
    weigh_voters: bool = False,
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
) -> Votes:
    """Rank runs by pairwise votes, as the model of Bradley and Terry with Davidson's ties.

    Args:
        preferences: votes for a run, for another, or for neither; each may have a weight.
        weigh_voters: estimate how earnest each voter is: a vote is given by the model, or at random with the probability
            1 − weight of its voter, estimated together with the strengths (EM).
        confidence: of the intervals, which resample topics with all their votes.
        resamples: of the topics.
        seed: of the resampling.
    """
    require_fraction("confidence", confidence)
    require_resamples("resamples", resamples, seed, topics=1000)
    ballots = _collect(preferences)
    weight = ballots.weight
    if not ballots.connects(weight, both_ways=False):
        raise UsageError("no-shared-run", "some runs are never compared with the others, directly or by way of others")
    ridge = 0.0
    if not ballots.connects(weight, both_ways=True):
        ridge = RIDGE
        warn(
            "unbounded-strength",
            "some runs always win or always lose against the others: the votes do not bound their strengths, which are"
            " kept finite by a small penalty",
        )
    earnest = np.ones(len(ballots.voters))
    if weigh_voters:
        if len(ballots.voters) < 2:
            raise UsageError("missing-value", "the votes name fewer than two voters, whose weights could be estimated")
        earnest, weight = _weigh(ballots, ridge)
    found = ballots.fit(weight, ridge=ridge)
    drawn = _resample(ballots, weight, ridge, resamples, seed) if ballots.topics > 1 else None
    if drawn is None:
        warn("too-few-topics", "all votes are on one topic: no interval can be given")
    rows = _rows(ballots, found, drawn, confidence)
    votes = np.bincount(ballots.voter, minlength=len(ballots.voters))
    voters = sorted(
        (VoterRow(name, int(votes[v]), float(earnest[v])) for v, name in enumerate(ballots.voters)),
        key=lambda row: (row.weight, row.voter),
    )
    return Votes(
        len(preferences),
        ballots.topics,
        math.exp(found.tie) if math.isfinite(found.tie) else 0.0,
        confidence,
        tuple(rows),
        tuple(voters) if weigh_voters else (),
        setup=Setup(confidence=confidence, resamples=resamples, seed=seed, test="t", correction="holm"),
    )


def _collect(preferences: Sequence[Preference]) -> _Ballots:
    if not preferences:
        raise UsageError("empty-input", "no preference was given")
    runs = sorted({name for p in preferences for name in (p.first, p.second)})
    place = {run: i for i, run in enumerate(runs)}
    topics, voters = sorted({p.topic for p in preferences}), sorted({p.assessor for p in preferences})
    pairs = np.array(list(combinations(range(len(runs)), 2)), dtype=np.intp)
    index = {tuple(pair): i for i, pair in enumerate(pairs.tolist())}
    rows: list[Any] = []
    for p in preferences:
        a, b = place[p.first], place[p.second]
        side = p.preferred if a < b else -p.preferred
        outcome = {1: 0, -1: 1, 0: 2}[side]
        rows.append((index[min(a, b), max(a, b)], outcome, topics.index(p.topic), voters.index(p.assessor)))
    pair, outcome, topic, voter = np.array(rows, dtype=np.intp).T
    weight = np.array([p.weight for p in preferences], dtype=np.float64)
    if not weight.sum() > 0:
        raise UsageError("empty-input", "every vote has the weight 0")
    return _Ballots(runs, pairs, pair, outcome, weight, topic, voter, len(topics), voters)


def _weigh(ballots: _Ballots, ridge: float) -> tuple[Floats, Floats]:
    """The probability of each voter to vote in earnest, and the weight of each vote, by EM."""
    at_random = 1 / (3 if (ballots.outcome == 2).any() else 2)
    first, second = ballots.pairs.T
    size = np.bincount(ballots.voter, ballots.weight, minlength=len(ballots.voters))
    earnest = np.full(len(ballots.voters), 0.8)
    weight = ballots.weight
    for _ in range(ROUNDS):
        chances = ballots.fit(weight, ridge=max(ridge, 1e-6)).chances(first, second)[ballots.pair, ballots.outcome]
        own = earnest[ballots.voter] * chances
        share = own / (own + (1 - earnest[ballots.voter]) * at_random)
        weight = ballots.weight * share
        before = earnest
        earnest = (np.bincount(ballots.voter, weight, minlength=len(size)) + PRIOR[0]) / (size + sum(PRIOR))
        if np.abs(before - earnest).max() < 1e-6:
            break
    return earnest, weight


def _resample(ballots: _Ballots, weight: Floats, ridge: float, resamples: int, seed: int) -> Floats:
    """Strengths of every resample of the topics; where its votes leave one unbounded, a small penalty bounds it."""
    draws = draw_with_replacement(ballots.topics, resamples, seed)
    out = np.empty((resamples, len(ballots.runs)))
    for r, often in enumerate(draws):
        drawn = weight * often[ballots.topic]
        own = ridge or (0.0 if ballots.connects(drawn, both_ways=True) else RIDGE)
        out[r] = ballots.fit(drawn, ridge=own).theta
    return out


def _rows(ballots: _Ballots, found: Strengths, drawn: Floats | None, confidence: float) -> list[StrengthRow]:
    count = len(ballots.runs)
    ends = None if drawn is None else percentiles(drawn, confidence)
    first, second = ballots.pairs.T
    better: list[tuple[int, int]] = []
    if drawn is not None:
        gaps = found.theta[first] - found.theta[second]
        errors = (drawn[:, first] - drawn[:, second]).std(axis=0, ddof=1)
        adjusted = holm(two_sided_p(gaps, errors, np.full(len(gaps), ballots.topics - 1)))
        decided = np.flatnonzero(adjusted < alpha_of(confidence))
        better = [(first[i], second[i]) if gaps[i] > 0 else (second[i], first[i]) for i in decided]
    ranks = rank_sets(count, [(int(a), int(b)) for a, b in better])
    chances = found.chances(first, second)
    beats = np.zeros(count)
    np.add.at(beats, first, chances[:, 0] + chances[:, 2] / 2)
    np.add.at(beats, second, chances[:, 1] + chances[:, 2] / 2)
    votes = ballots.count(np.ones(len(ballots.pair)))
    tally = np.zeros((count, 3))
    np.add.at(tally, first, votes)
    np.add.at(tally, second, votes[:, [1, 0, 2]])
    rows = [
        StrengthRow(
            run,
            float(found.theta[i]),
            None if ends is None else float(ends[0, i]),
            None if ends is None else float(ends[1, i]),
            float(beats[i] / (count - 1)),
            *ranks[i],
            *(int(n) for n in tally[i]),
        )
        for i, run in enumerate(ballots.runs)
    ]
    return sorted(rows, key=lambda row: (-row.strength, row.run))
