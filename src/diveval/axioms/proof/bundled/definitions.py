"""The metrics and the ten constraints, from their definitions; written without diveval, to be compared with it.

A ranking is a list of rows, one per document, with the relevance of the document to each aspect.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations
from typing import Any

from formulas import Env, as_power, inverse_log, parsed, symbols, value

Rows = list[list[F]]
Formula = Any  # as in the certificate: the kind of each part, and its fields
ZERO, ONE = F(0), F(1)


def total(values: Any) -> F:
    return sum(values, ZERO)


# --- metrics ----------------------------------------------------------------------------------------------------------


class BoundFormula:
    """A formula of the algebra for one information need: weights of aspects, judged documents, values of parameters.

    With `symbolic_ideals` scores are divided by an ideal as in the polynomials of certificates: multiplied by a symbol.
    It is I0, or one per aspect (I0, I1, …) where each aspect has an ideal of its own, unless `same_ideal`.
    The symbols L3, L5, … of the environment are values of 1/log2, D1, D2, … the weights of ranks of any discount.
    """

    def __init__(
        self,
        formula: Formula,
        weights: list[F],
        pool: Rows,
        env: Env,
        *,
        symbolic_ideals: bool = False,
        same_ideal: bool = False,
    ) -> None:
        self.formula, self.weights, self.pool, self.env = formula, weights, pool, env
        self.symbolic_ideals, self.same_ideal = symbolic_ideals, same_ideal
        self.cutoff = None if formula["cutoff"] is None else int(formula["cutoff"])

    def score(self, rows: Rows) -> F:
        """The score of a ranking."""
        return self.score_by(self.formula, rows)

    def score_by(self, f: Formula, rows: Rows) -> F:
        """The score by a part of the formula. All parts have the cutoff of the complete formula."""
        kind, seen = f["kind"], rows[: self.cutoff]
        if kind == "Sum":
            return total(self.terms(f, seen))
        if kind == "PrefixMean":
            prefixes = [seen[: i + 1] for i in range(len(seen))]
            return total(total(self.terms(f["sum"], prefix)) for prefix in prefixes) / max(len(prefixes), 1)
        if kind == "Normalised":
            return self.normalised(f, rows)
        if kind == "PerChannel":
            return self.each(f, seen)
        if kind == "Blend":
            share = self.parameter(f["lam"])
            return share * self.score_by(f["first"], rows) + (1 - share) * self.score_by(f["second"], rows)
        if kind == "SubtopicRecall":
            uniform = F(1, len(self.weights))
            return total(self.weights[t] if f["weights"] == "given" else uniform for t in self.covered(seen))
        if kind == "SubtopicReciprocalRank":
            # With the tolerance of diveval, for which a coverage is a double.
            needed = max(1, math.ceil(self.parameter(f["coverage"]) * len(self.weights) - F(1, 10**9)))
            ranks = range(1, len(seen) + 1)
            return next((F(1, i) for i in ranks if len(self.covered(seen[:i])) >= needed), ZERO)
        raise NotImplementedError(f"no definition of {kind} here")

    def parameter(self, text: str) -> F:
        """The value of a parameter: a number, or a term over symbols of the environment."""
        return F(value(parsed(text), self.env))

    def covered(self, rows: Rows) -> set[int]:
        """The aspects to which some document is relevant."""
        return {t for row in rows for t, relevance in enumerate(row) if relevance > 0}

    def columns(self, over: Formula, rows: Rows) -> tuple[list[F], list[list[F]]]:
        """What gain is computed from: columns of relevance, and the weight of each."""
        if over["kind"] == "Aspects":
            weights = self.weights if over["weighted"] else [ONE] * len(self.weights)
            return weights, [[row[t] for row in rows] for t in range(len(self.weights))]
        if over["kind"] == "BinaryAspects":
            count = len(self.weights)
            return [F(1, count if over["averaged"] else 1)] * count, [[F(r[t] > 0) for r in rows] for t in range(count)]
        if over["kind"] == "Overall":
            return [ONE], [[max(row) for row in rows]]
        if over["kind"] == "GlobalGain":
            return [ONE], [[total(w * r for w, r in zip(self.weights, row, strict=True)) for row in rows]]
        raise KeyError(over["kind"])

    def discount(self, d: Formula, rank: int) -> F:
        """The weight of a rank."""
        kind = d["kind"]
        if kind == "Geometric":
            p = self.parameter(d["p"])
            weight = p ** (rank - 1 + int(d["start"]))
            return weight * (1 - p) if d["scaled"] else weight
        if kind == "Log":
            return self.inverse_log(rank + 1)
        if kind == "ShiftedLog":
            return self.inverse_log(2 * rank)
        if kind == "Reciprocal":
            return F(1, rank)
        if kind == "Flat":
            return ONE
        if kind == "Scaled":
            return self.parameter(d["by"]) * self.discount(d["discount"], rank)
        if kind == "Abstract":
            return self.env.get(f"D{rank}", ZERO)
        raise KeyError(kind)

    def inverse_log(self, argument: int) -> F:
        """1/log2(argument): by its symbol where there is one, otherwise to 60 digits."""
        base, exponent = as_power(argument)
        symbol = f"L{base}"
        return (self.env[symbol] if symbol in self.env else inverse_log(base)) / exponent

    def gain(self, novelty: Formula, above: list[F], relevance: F) -> F:
        """What a document adds in one column, given the relevance of the documents above it."""
        kind = novelty["kind"]
        if kind == "Always":
            return relevance
        if kind == "Cascade":
            return relevance * math.prod((1 - earlier for earlier in above), start=ONE)
        if kind == "BestSoFar":
            return max(relevance - max(above, default=ZERO), ZERO)
        if kind == "Decay":
            if novelty["limit"] is not None and total(above) >= self.parameter(novelty["limit"]):
                return ZERO
            relevant = sum(earlier > 0 for earlier in above)
            return relevance * (1 - self.parameter(novelty["alpha"])) ** relevant
        raise KeyError(kind)

    def terms(self, f: Formula, rows: Rows) -> list[F]:
        """What each rank of a Sum contributes: its weight times the gain less the effort."""
        weights, columns = self.columns(f["over"], rows)
        effort, terms = self.parameter(f["effort"]), []
        for i in range(len(rows)):
            gains = (self.gain(f["novelty"], column[:i], column[i]) for column in columns)
            gain = total(weight * gain for weight, gain in zip(weights, gains, strict=True))
            terms.append(self.discount(f["discount"], i + 1) * (gain - effort))
        return terms

    def normalised(self, f: Formula, rows: Rows) -> F:
        """The score over that of the ideal ranking of the pool; 0 where no document of the pool is worth its effort."""
        result, effort = self.score_by(f["sum"], rows), self.parameter(f["sum"]["effort"])
        if effort and not any(self.alone(f["sum"], row) > effort for row in self.pool):
            return ZERO
        if self.symbolic_ideals:
            return result * self.env["I0"]
        ideal = self.greedy_ideal(f["sum"]) if f["ideal"] == "greedy" else self.best_ideal(f["sum"])
        return result / ideal if ideal > 0 else ZERO

    def alone(self, f: Formula, row: list[F]) -> F:
        """The relevance of one document over the columns of a Sum."""
        weights, columns = self.columns(f["over"], [row])
        return total(weight * column[0] for weight, column in zip(weights, columns, strict=True))

    def best_ideal(self, f: Formula) -> F:
        """The best score of all ordered subsets of the pool."""
        longest = len(self.pool[: self.cutoff])
        orders = (list(order) for n in range(longest + 1) for order in permutations(self.pool, n))
        return max(total(self.terms(f, order)) for order in orders)

    def greedy_ideal(self, f: Formula) -> F:
        """The score of the list that takes the best next document until none adds to it.

        Documents within 10⁻¹² of the best tie, as in diveval's doubles, and the first in the pool is taken.
        """
        chosen, left = list[list[F]](), list(self.pool)
        while len(chosen) < len(self.pool[: self.cutoff]):
            added = [self.terms(f, [*chosen, row])[-1] for row in left]
            best = max(added)
            if best <= 0:
                break
            first = next(i for i, term in enumerate(added) if term >= best * (1 - F(1, 10**12)))
            chosen.append(left.pop(first))
        return total(self.terms(f, chosen))

    def each(self, f: Formula, seen: Rows) -> F:
        """The weighted sum of a metric of one column, over its ideal where it has one."""
        weights, columns = self.columns(f["over"], seen)
        _, judged = self.columns(f["over"], self.pool)
        scores = []
        for number, (column, pool) in enumerate(zip(columns, judged, strict=True)):
            score, ideal = self.column_score(f["base"]["kind"], column, pool)
            if ideal is None:
                scores.append(score)
            elif self.symbolic_ideals:
                scores.append(score * self.env.get("I0" if self.same_ideal else f"I{number}", ZERO))
            else:
                scores.append(score / ideal if ideal else ZERO)
        return total(weight * score for weight, score in zip(weights, scores, strict=True))

    def column_score(self, kind: str, column: list[F], pool: list[F]) -> tuple[F, F | None]:
        """The score of one column, and that of its ideal if the metric has one."""
        relevant = [relevance > 0 for relevance in column]
        if kind == "Precision":
            depth = len(column) if self.cutoff is None else self.cutoff
            return F(sum(relevant), max(depth, 1)), None
        if kind == "ReciprocalRank":
            return (F(1, relevant.index(True) + 1) if any(relevant) else ZERO), None
        if kind == "AveragePrecision":
            precisions = [F(sum(relevant[:rank]), rank) for rank in range(1, len(relevant) + 1) if relevant[rank - 1]]
            return total(precisions), F(sum(relevance > 0 for relevance in pool))
        if kind == "NormalisedDCG":
            ideal = sorted(pool, reverse=True)[: self.cutoff]
            return self.discounted(column), self.discounted(ideal)
        raise KeyError(kind)

    def discounted(self, column: list[F]) -> F:
        """Discounted cumulative gain: relevance over log2(rank + 1)."""
        return total(relevance * self.inverse_log(rank + 1) for rank, relevance in enumerate(column, 1))


# The fields that may be free; all others are options.
PARAMETERS = {"p", "alpha", "beta", "effort", "lam", "coverage", "limit"}


def is_instance(general: Formula, formula: Formula, setting: dict[str, str], field: str = "") -> bool:
    """Whether a formula is an instance of another: parameters set, at a cutoff, or any falling convex discount for p^i.

    The parameters and their terms are added to `setting`.
    """
    if isinstance(general, dict) and isinstance(formula, dict):
        if general["kind"] == formula["kind"]:
            return all(key == "cutoff" or is_instance(general[key], formula[key], setting, key) for key in general)
        return (general["kind"], formula["kind"]) == ("Geometric", "Abstract")
    if field in PARAMETERS and isinstance(general, str) and symbols(parsed(general)):
        return bool(setting.setdefault(general, formula) == formula)
    return bool(general == formula)


# --- the constraints: Section 3 of the paper --------------------------------------------------------------------------


class Pair:
    """Two rankings of which the first should score more, and how the constraint about them is read."""

    def __init__(self, reading: Any, better: Rows, worse: Rows, weights: list[F]) -> None:
        self.reading, self.better, self.worse, self.weights = reading, better, worse, weights
        self.columns = [column for rows in (better, worse) for column in zip(*rows, strict=True)]
        self.one_aspect, self.same_length = len(weights) == 1, len(better) == len(worse)
        both = zip(better, worse, strict=False)
        self.changed = [i for i, (one, other) in enumerate(both) if one != other]  # places, from 0

    def small(self) -> bool:
        """Whether r ≪ 1, as the reading has it."""
        if self.reading["contribution"] == "sum":
            return all(sum(column) < 1 for column in self.columns)
        return all(max(column) < 1 for column in self.columns)

    def changes_only(self, *places: int) -> bool:
        """Whether the rankings have one length and differ in these places alone."""
        return self.same_length and self.changed == list(places)


def aspects_of(row: list[F]) -> list[int]:
    return [t for t, relevance in enumerate(row) if relevance]


def priority(pair: Pair) -> bool:
    """Pri: the more relevant of two documents comes first."""
    if not pair.one_aspect or not pair.same_length or len(pair.changed) != 2:
        return False
    i, j = pair.changed
    b, c = pair.better, pair.worse
    swapped = b[i] == c[j] and b[j] == c[i] and b[i] > b[j]
    return swapped and pair.small() and (pair.reading["swap"] == "any" or j == i + 1)


def deepness(pair: Pair) -> bool:
    """Deep: of two swaps of neighbours, the one nearer to the top is the right way round."""
    if not pair.one_aspect or len(pair.changed) != 4:
        return False
    i, j = pair.changed[0], pair.changed[2]
    b, c = pair.better, pair.worse
    high, low = b[i], c[i]
    swapped = [b[i], b[i + 1], b[j], b[j + 1]] == [high, low, low, high]
    swapped = swapped and [c[i], c[i + 1], c[j], c[j + 1]] == [low, high, high, low]
    return pair.changes_only(i, i + 1, j, j + 1) and swapped and high > low and pair.small()


def deepness_threshold(pair: Pair) -> bool:
    """DeepTh: one relevant document beats n of them behind n non-relevant ones."""
    return one_and_many(pair, pair.better, pair.worse)


def closeness_threshold(pair: Pair) -> bool:
    """CloseTh: n relevant documents behind n non-relevant ones beat one relevant document."""
    return one_and_many(pair, pair.worse, pair.better)


def one_and_many(pair: Pair, one: Rows, many: Rows) -> bool:
    """Whether one ranking has a relevant document on top, the other n of it behind n non-relevant ones."""
    if not pair.one_aspect or not one:
        return False
    relevant, n = one[0], len(many) // 2
    padding = len(many) - 1 if pair.reading["padded"] else 0
    fits = one[1:] == [[ZERO]] * padding and many == [[ZERO]] * n + [relevant] * n
    return fits and 0 < relevant[0] < 1


def confidence(pair: Pair) -> bool:
    """Conf: a non-relevant document at the end is worse than none."""
    some = bool(pair.better) or pair.reading["empty_ranking"]
    return some and pair.one_aspect and pair.worse == [*pair.better, [ZERO]] and pair.small()


def aspect_diversity(pair: Pair) -> bool:
    """AspDiv: a document that is more relevant to every aspect is better."""
    if not pair.same_length or len(pair.changed) != 1:
        return False
    (place,) = pair.changed
    more = all(b > c for b, c in zip(pair.better[place], pair.worse[place], strict=True))
    return more and pair.small() and (pair.reading["documents_behind"] or place == len(pair.worse) - 1)


def missing_over_redundant(pair: Pair) -> bool:
    """MRed: the last document is about the aspect to which every document above it is less relevant."""
    last = len(pair.worse) - 1
    if len(pair.weights) != 2 or pair.weights[0] != pair.weights[1] or last < 1 or not pair.changes_only(last):
        return False
    relevance = pair.worse[last][0]
    moved = pair.worse[last] == [relevance, ZERO] and pair.better[last] == [ZERO, relevance]
    return moved and pair.small() and all(row[0] > row[1] for row in pair.worse[:last])


def saturation(pair: Pair) -> bool:
    """Sat: after a fully relevant document, another one about its only aspect adds nothing."""
    if not pair.better or pair.worse[:-1] != pair.better or any(len(aspects_of(row)) > 1 for row in pair.worse):
        return False
    last, added = pair.better[-1], pair.worse[-1]
    full = max(last) == 1 or pair.reading["saturation"] == "any"
    return full and len(aspects_of(last)) == 1 and aspects_of(last) == aspects_of(added)


def redundancy(pair: Pair) -> bool:
    """Red: the last document is better about an aspect with fewer documents above it."""
    b, c, last = pair.better, pair.worse, len(pair.worse) - 1
    about = [aspects_of(row) for row in c]
    if not pair.changes_only(last) or any(len(aspects) > 1 for aspects in [*about, aspects_of(b[last])]):
        return False
    if not about[last] or not aspects_of(b[last]):
        return False
    counts = [about[:last].count([t]) for t in range(len(pair.weights))]
    (redundant,), (rarer,) = about[last], aspects_of(b[last])
    relevances = {relevance for row in [*b, *c] for relevance in row if relevance}
    more = counts[redundant] > counts[rarer] and len(relevances) == 1 and len(set(pair.weights)) == 1
    return more and (pair.reading["full_relevance"] or max(relevances) * (max(counts) + 1) < 1)


def aspect_relevance(pair: Pair) -> bool:
    """AspRel: a document is better about an aspect of more weight, where no other is about either."""
    if not pair.same_length or len(pair.changed) != 1:
        return False
    (place,) = pair.changed
    b, c = pair.better[place], pair.worse[place]
    about = [aspects_of(row) for row in pair.worse]
    if any(len(aspects) > 1 for aspects in about) or len(aspects_of(b)) != 1 or not about[place]:
        return False
    (heavy,), (light,) = aspects_of(b), about[place]
    others = about[:place] if pair.reading["elsewhere"] else about[:place] + about[place + 1 :]
    elsewhere = [heavy] in others or [light] in others
    return b[heavy] == c[light] and pair.weights[light] < pair.weights[heavy] and not elsewhere


CONSTRAINTS: dict[str, Callable[[Pair], bool]] = {
    "Pri": priority,
    "Deep": deepness,
    "DeepTh": deepness_threshold,
    "CloseTh": closeness_threshold,
    "Conf": confidence,
    "AspDiv": aspect_diversity,
    "MRed": missing_over_redundant,
    "Sat": saturation,
    "Red": redundancy,
    "AspRel": aspect_relevance,
}


def meets(axiom: str, reading: Any, better: Rows, worse: Rows, weights: list[F], cutoff: str | None) -> bool:
    """Whether the constraint, as it is read, compares two rankings, of which the first should score more."""
    pair = Pair(reading, better, worse, weights)
    if total(weights) != 1 or min(weights) <= 0 or not all(0 <= r <= 1 for column in pair.columns for r in column):
        return False
    if not reading["cutoff_binds"] and cutoff is not None and max(len(better), len(worse)) > int(cutoff):
        return False
    return axiom in CONSTRAINTS and CONSTRAINTS[axiom](pair)
