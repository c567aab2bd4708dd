"""Attacks of the suite on verdicts that must stand, counted by verdict; the end of a test run prints the sums."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from unit.axioms import attack

Record = Callable[[str, object], None]  # pytest's `record_property`, which also brings the counts from other workers


class Attacks:
    """The cells attacked in one test and the pairs scored, by verdict."""

    def __init__(self) -> None:
        self.cells, self.pairs = Counter[str](), Counter[str]()

    def count(self, verdict: str, tried: int) -> None:
        self.cells[verdict] += 1
        self.pairs[verdict] += tried

    def withstands(self, target: Any, axiom: Any, reading: Any, rankings: int, verdict: Any) -> int:
        """The number of pairs that were scored; fails if one of them refutes the verdict."""
        tried, wrong = attack.attack_verdict(target, axiom, reading, rankings, verdict)
        assert wrong is None, (target.name, axiom, reading, verdict.verdict, wrong)
        shown = verdict.verdict in ("fails", "region") and verdict.counterexample is not None  # scored again, too
        self.count(verdict.verdict, tried + shown)
        return int(tried)

    def report(self, record: Record) -> None:
        for verdict, cells in self.cells.items():
            record(f"attacked {verdict}", [cells, self.pairs[verdict]])
