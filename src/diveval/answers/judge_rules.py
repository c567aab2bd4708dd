"""Several judges of one item: the label that counts."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from diveval.errors import UsageError, quote, suggestion
from diveval.reading.judge_labels import is_failed, label_of_share, most_frequent, support_grade

RULES = ("majority", "mean")


@dataclass
class Combination:
    """A rule for several labels of an item, and how often it was needed.

    `majority` takes the most frequent label, and the mean of the most frequent ones if they tie; `mean` takes the mean;
    the name of a judge takes the label of that judge only.
    """

    rule: str = "majority"
    judges: dict[str, None] = field(default_factory=dict)
    items: int = 0  # labelled by two judges or more
    differing: int = 0
    ties: int = 0
    met: bool = False  # whether some table has the judge that `rule` names

    def require(self, judges: Collection[str]) -> None:
        """Note the judges of a table."""
        self.judges.update(dict.fromkeys(judges))
        self.met = self.met or self.rule in judges

    def check(self) -> None:
        """Raise an error for a rule that is neither known nor the name of a judge."""
        named = [judge for judge in self.judges if judge]
        if self.rule not in RULES and not self.met:
            raise UsageError(
                "invalid-choice",
                f"combine is majority, mean or a judge's name, got {quote(self.rule)}",
                hint=suggestion(self.rule, [*RULES, *named]),
            )

    def combine(self, labels: Mapping[str, Any]) -> Any:
        """One label for an item; None if the judge that counts gave none."""
        if self.rule not in RULES:
            return labels.get(self.rule)
        if len(labels) == 1:
            return next(iter(labels.values()))
        support = all(isinstance(label, int | float) and not isinstance(label, bool) for label in labels.values())
        shares = [
            share for share in map(_support_share if support else _label_share, labels.values()) if share is not None
        ]
        if not shares:  # nobody gave a label that means something
            return next(iter(labels.values()), None)
        self.items += len(shares) > 1
        self.differing += len(set(shares)) > 1
        if self.rule == "majority":
            shares = most_frequent(shares)
            self.ties += len(shares) > 1
        value = statistics.mean(shares)
        return 2.0 * value if support else label_of_share(value)

    def describe(self) -> str:
        """The sentence about the judges; empty without several of them."""
        named = [judge or "(no name)" for judge in self.judges]
        if len(named) < 2:
            return ""
        if self.rule not in RULES:
            return f"labels of judge {self.rule} only, of {', '.join(named)}"
        tied = (
            f", {self.ties:,} of them without a majority: the mean of the most frequent labels"
            if self.rule == "majority" and self.ties
            else ""
        )
        return (
            f"judges {', '.join(named)}: {self.rule} of their labels; {self.items:,} items have several,"
            f" {self.differing:,} differing{tied}"
        )


def _label_share(label: Any) -> float | None:
    grade = None if is_failed(label) else support_grade(label)
    return None if grade is None else grade / 2.0


def _support_share(support: float) -> float | None:
    return None if support < 0 else support / 2.0
