"""The verdict on one pair of systems under one metric, for each doubt alone and for several together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

from diveval.conclusions.exact_collection import ExactCollection, Order, Row, weights_text
from diveval.conclusions.objectives import NOTHING, down, up
from diveval.conclusions.ranges import BETA, RangedMetric, Setting, decimal, point_of, setting_of
from diveval.conclusions.ratios import Ratios, applies
from diveval.conclusions.results import Verdict
from diveval.conclusions.signs import Decision, decide, join_decisions
from diveval.conclusions.terms import Scored, score_at, score_symbolically
from diveval.conclusions.unjudged import Search, attack, fewest, worth
from diveval.conclusions.unjudged import text as label_text
from diveval.conclusions.unjudged_bounds import SLACK, Labelling, Labels, supports
from diveval.exact.logs import Interval
from diveval.results.table_text import signed_text

TIE = "exact tie"


@dataclass(frozen=True)
class PairOutcome:
    """A verdict with its evidence."""

    verdict: Verdict
    witness: str
    margin: float
    details: dict[str, Any] = field(default_factory=dict)


NOT_LINEAR = PairOutcome("undecided", "the metric is not linear in the weights, so corners do not decide", 0.0)
NOT_BOUNDED = PairOutcome("undecided", "labels cannot be bounded for this metric", 0.0)


class Algebra:
    """A metric over a collection as polynomials, computed once for all pairs."""

    def __init__(self, metric: RangedMetric, collection: ExactCollection, *, worth_wanted: bool = False) -> None:
        self.metric, self.collection = metric, collection
        self.worth_wanted = worth_wanted  # of every unjudged document, for a list of what to judge next

    @cached_property
    def limits(self) -> list[Setting]:
        """Settings of the Cube Test's limit that represent all: scores change only where it passes a sum of relevance."""
        if "limit" not in self.metric.ranges:
            return [{}]
        low, high = self.metric.ranges["limit"]
        sums = {high}
        for topic in self.collection.topics:
            for s in range(len(self.collection.systems)):
                seen = [Fraction(0)] * max(len(topic.aspects), 1)
                for row in topic.rows(s, self.collection.depth):
                    seen = [x + r for x, r in zip(seen, row, strict=True)]
                    sums.update(x for x in seen if low <= x < high)
        return [{"limit": x} for x in sorted(sums)]

    @cached_property
    def over_parameters(self) -> list[tuple[Setting, Scored]]:
        """Scores as polynomials in the ranged parameters, one per setting of the limit."""
        return [(limit, score_symbolically(self.collection, self.metric, limit)) for limit in self.limits]

    @cached_property
    def over_weights(self) -> Scored:
        """Scores at the reference setting as polynomials in the weights."""
        if self.metric.ranges and "limit" not in self.metric.ranges and self.over_both[0][1].moving is None:
            return self.over_both[0][1].at(point_of(self.metric.reference))
        return score_symbolically(self.collection, self.metric, self.metric.reference, weights=True)

    @cached_property
    def over_both(self) -> list[tuple[Setting, Scored]]:
        """Scores as polynomials in parameters and weights."""
        made, metric = self.collection, self.metric
        return [(limit, score_symbolically(made, metric, limit, weights=True)) for limit in self.limits]

    @cached_property
    def at_reference(self) -> Scored:
        """Scores at the reference setting."""
        if not self.metric.ranges:
            return self.over_parameters[0][1]
        if "limit" in self.metric.ranges:
            return score_symbolically(self.collection, self.metric, self.metric.reference)
        return score_at(self.over_parameters[0][1], self.metric, point_of(self.metric.reference))

    @cached_property
    def labelling(self) -> Labelling | None:
        """The metric at the reference setting; None if labels cannot be put in doubt."""
        if not supports(self.metric.formula(self.metric.reference)):
            return None
        return Labelling(self.collection, self.metric, self.at_reference, self.metric.reference)

    @cached_property
    def ratios(self) -> Ratios | None:
        """Scores as shares of an ideal that changes over the range; None if it cannot be computed."""
        scored = self.over_parameters[0][1]
        if set(self.box) != {BETA} or not applies(scored.moving):
            return None
        return Ratios(self.metric, scored)

    @property
    def box(self) -> dict[str, tuple[Fraction, Fraction]]:
        return {name: ends for name, ends in self.metric.box.items() if name != "limit"}


@dataclass(frozen=True, eq=False)
class SystemPair:
    """Two systems, the one with the higher mean at the reference setting first."""

    algebra: Algebra
    better: int
    worse: int
    lead: Interval  # of the better at the reference setting; (0, 0) is an exact tie
    first: Interval | None = None  # the lead under the first judge, where this is another

    def under(self, algebra: Algebra) -> SystemPair:
        """The same two systems under another judge."""
        lead, _ = algebra.at_reference.difference(self.better, self.worse).at({})
        return replace(self, algebra=algebra, lead=lead, first=self.lead)

    def parameters(self) -> PairOutcome:
        """Over all settings of the ranged parameters, weights and judgments as they are."""
        decisions = []
        for limit, scored in self.algebra.over_parameters:
            if scored.moving is not None:
                if self.algebra.ratios is None:
                    return PairOutcome("undecided", "the ideal list changes with the parameters of this metric", 0.0)
                decision = self.algebra.ratios.decide(self.better, self.worse)
            else:
                decision = decide(scored.pair_up(self.better, self.worse), self.algebra.box)
            decision.point.update(limit)
            decisions.append(decision)
        return self._outcome(reduce(join_decisions, decisions))

    def weights(self, order: Order) -> PairOutcome:
        """Over all weights of every topic, at the reference setting."""
        formula = self.algebra.metric.formula(self.algebra.metric.reference)
        if not formula.sees_weights:
            return self._settle("the metric does not use weights")
        if not formula.linear_in_weights:
            return NOT_LINEAR
        objective = self.algebra.over_weights.pair_over_weights(self.better, self.worse, order)
        return self._outcome(decide(objective, {}), objective.systems.mixing)

    def unjudged(self) -> PairOutcome:
        """Over all labels of the unjudged documents, at the reference setting."""
        labelling = self.algebra.labelling
        if labelling is None:
            return NOT_BOUNDED
        low, reached, labels, problems = attack(labelling, self.better, self.worse)
        if low > 0:
            labelled = sum(map(len, labels.values()))
            return PairOutcome("certain", f"smallest with {labelled} documents labelled", low)
        if reached < SLACK:
            few, needed, found = fewest(labelling, problems, self.better, self.worse, float(self.lead[1]))
            labels = few or labels
            value = found or labelling.exact(self.better, self.worse, labels)
            if value[1] < 0:
                return self._flip(labels, needed, value, labelling, problems)
            if value == NOTHING:
                return PairOutcome("undecided", f"{TIE} with {label_text(labels) or 'the judgments as they are'}", 0.0)
        return PairOutcome("undecided", f"labels reach {reached:+.3g}; nothing below {low:.3g}", low)

    def _flip(self, labels: Labels, at_least: int, value: Interval, labelling: Labelling, problems: Any) -> PairOutcome:
        """Labels that reverse the order, as a verdict."""
        count = sum(len(documents) for documents in labels.values())
        # The proof of "no fewer" ignores that a label may make an idle aspect count.
        proved = at_least >= count and not any(p.topic.idle for p in problems)
        few = f"{count} documents{', no fewer' if proved else ''} ({label_text(labels)})"
        details = {"labels": labels, "documents": count, "fewest": proved}
        if self.algebra.worth_wanted:
            details["worth"] = worth(labelling, problems, float(self.lead[1]))
        witness = f"as judged: {write_difference(self.lead)}; {few}: {write_difference(value)}"
        return self.reverse(witness, up(value[1]), details)

    def reverse(self, witness: str, margin: float, details: dict[str, Any]) -> PairOutcome:
        """The outcome where the worse system leads somewhere: no order is reversed where both tie as given."""
        if (self.first or self.lead)[0] > 0:
            return PairOutcome("flips", witness, margin, details)
        return PairOutcome("undecided", f"{TIE} as given; {witness}", margin, details)

    def weights_and_parameters(self, order: Order) -> PairOutcome:
        """Both at once."""
        formula = self.algebra.metric.formula(self.algebra.metric.reference)
        if not self.algebra.metric.ranges:
            return self.weights(order)
        if not formula.sees_weights:
            return self.parameters()
        if not formula.linear_in_weights:
            return NOT_LINEAR
        decisions, corners = [], []
        for limit, scored in self.algebra.over_both:
            objective = scored.pair_over_weights(self.better, self.worse, order)
            decision = decide(objective, self.algebra.box)
            decision.point.update(limit)
            decisions.append(decision)
            corners = objective.systems.mixing
        return self._outcome(reduce(join_decisions, decisions), corners)

    def labels_and(self, order: Order | None) -> PairOutcome:
        """Labels of unjudged documents together with weights, parameters, or both."""
        labelling = self.algebra.labelling
        if labelling is None:
            return NOT_BOUNDED
        low, reversal = Search(labelling, self.better, self.worse, order).run()
        if reversal is not None:
            value, setting, weights, labels = reversal
            texts = [_setting_text(setting)]
            if weights:
                by_topic = (f"{t}:{'+'.join(a for a, w in row.items() if w)}" for t, row in weights.items())
                texts.append("weights " + " ".join(by_topic))
            texts.append("labels " + label_text(labels))
            details = {
                "setting": _json(setting),
                "labels": labels,
                "weights": {t: {a: str(w) for a, w in row.items()} for t, row in weights.items()},
            }
            witness = (
                f"as given: {write_difference(self.lead)}; {' '.join(filter(None, texts))}: {write_difference(value)}"
            )
            return self.reverse(witness, up(value[1]), details)
        if low > 0:
            return PairOutcome("certain", "", low)
        if low == float("-inf"):
            return PairOutcome("undecided", "the parameters and labels of this metric cannot be bounded together", 0.0)
        return PairOutcome("undecided", f"nothing lies below {low:.3g}, and no reversal was found", low)

    def _settle(self, why: str) -> PairOutcome:
        """The outcome for a doubt that cannot change the scores."""
        low, _ = self.lead
        if low > 0:
            return PairOutcome("certain", why, down(low))
        return PairOutcome("undecided", f"{TIE}: {why}", 0.0)

    def _outcome(self, decision: Decision, corners: list[list[Row]] | None = None) -> PairOutcome:
        """A decision as a verdict with its evidence; `corners` are the weights of each topic that were in doubt."""
        reference = self.algebra.metric.reference
        point = self._where(decision, corners)
        details: dict[str, Any] = {"setting": _json(setting_of(decision.point)), "reference": _json(reference)}
        if corners is not None:
            details["weights"] = self._weights_of(decision, corners)
        if decision.kind == "positive":
            # The margin is a proved lower bound; the smallest value found is no smaller.
            found = f"{write_difference(decision.value)} at {point}, the smallest found" if point else ""
            return PairOutcome("certain", found, decision.low, details)
        if decision.kind == "negative":
            lead = f"{_setting_text(reference) or 'as given'}: {write_difference(self.lead)}"
            return self.reverse(f"{lead}; {point}: {write_difference(decision.value)}", up(decision.value[1]), details)
        if decision.kind == "tie":
            if self.lead == NOTHING and self._equal():
                return PairOutcome("undecided", f"{TIE} at every setting", 0.0, details)
            tie = decision.ties[0] if decision.ties else decision.point
            place = self._where(Decision("tie", 0.0, tie, NOTHING, decision.chosen), corners)
            return PairOutcome("undecided", f"{TIE} at {place or 'the given setting'}, never reversed", 0.0, details)
        tied = (
            f", with an {TIE} at {self._where(replace(decision, point=decision.ties[0]), corners)}"
            if decision.ties
            else ""
        )
        near = f" near {point}" if point else ""
        why = f"not decided{near}: the difference is at least {decision.low:.3g}{tied}"
        return PairOutcome("undecided", why, decision.low, details)

    def _equal(self) -> bool:
        """Whether the two means are the same polynomial."""
        differences = [s.difference(self.better, self.worse) for _, s in self.algebra.over_parameters]
        return not any(member.terms for d in differences for group in d.groups for member in group)

    def _where(self, decision: Decision, corners: list[list[Row]] | None) -> str:
        point = setting_of(decision.point)
        text = _setting_text({name: point[name] for name in self.algebra.metric.ranges if name in point})
        if corners is None:
            return text
        chosen = [rows[i] for rows, i in zip(corners, decision.chosen, strict=True)]
        return " ".join(filter(None, [text, "weights", weights_text(self.algebra.collection.topics, chosen)]))

    def _weights_of(self, decision: Decision, corners: list[list[Row]]) -> dict[str, dict[str, str]]:
        return {
            topic.name: {a: str(w) for a, w in zip(topic.aspects, rows[i], strict=True)}
            for topic, rows, i in zip(self.algebra.collection.topics, corners, decision.chosen, strict=True)
        }


def order_pairs(algebra: Algebra) -> list[SystemPair]:
    """Every pair of systems, the better one first; exact ties in the order of the runs."""
    collection = algebra.collection
    scored = algebra.at_reference
    out = []
    for a in range(len(collection.systems)):
        for b in range(a + 1, len(collection.systems)):
            value, _ = scored.difference(a, b).at({})
            if value[1] < 0:
                out.append(SystemPair(algebra, b, a, (-value[1], -value[0])))
            else:
                out.append(SystemPair(algebra, a, b, value))
    return out


def _setting_text(setting: Mapping[str, Fraction]) -> str:
    return ",".join(f"{name}={value}" for name, value in _json(setting).items())


def _json(setting: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: decimal(value) for name, value in setting.items()}


def write_difference(value: Interval) -> str:
    """A difference as text, or the word for an exact tie."""
    if value == NOTHING:
        return TIE
    return signed_text(float((value[0] + value[1]) / 2))
