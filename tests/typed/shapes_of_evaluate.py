"""The types of `evaluate`. This file is never run: mypy checks it (`make lint`, `tests/unit/test_types.py`).

Every supported call passes; every other call is a type error, since mypy reports an unused `type: ignore`.
"""

from __future__ import annotations

from pathlib import Path

import diveval
from diveval import Judgments, Options, Run, Scores


class Frame:
    """A frame is any object with columns."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return ["topic"]


def shapes(judgments: Judgments, run: Run, frame: Frame) -> Scores:
    """Supported: paths, dicts, rows, frames, our own objects, and valid options."""
    diveval.evaluate("qrels.txt", ["a.run", Path("b.run")], "RBU@20", gain="linear", order="rank", jobs=2)
    diveval.evaluate(judgments, [run], ["RBU@20", "AP"], options=Options.of(gain="binary"))
    diveval.evaluate({"1": {"a": {"d": 1}}}, {"mine": {"1": ["d"]}}, "AP", missing_topics="zero", rel=2)
    diveval.evaluate([("1", "a", "d", 1)], frame, "AP", weights={("1", "a"): 1.0}, residuals=True)
    return diveval.evaluate(frame, frame, "AP", columns={"topic": "qid"}, gmax=3, ties="file", duplicates="first")


def refused() -> None:
    """Type errors: numbers as judgments, runs or metrics, a misspelt option, invalid values of options."""
    diveval.evaluate(42, "r", "RBU")  # type: ignore[arg-type]
    diveval.evaluate("q", 3.5, "RBU")  # type: ignore[arg-type]
    diveval.evaluate("q", "r", "RBU", gian="linear")  # type: ignore[call-arg]
    diveval.evaluate("q", "r", "RBU", gain="cubic")  # type: ignore[arg-type]
    diveval.evaluate("q", "r", "RBU", jobs="two")  # type: ignore[arg-type]
    diveval.evaluate("q", "r", 7)  # type: ignore[arg-type]
