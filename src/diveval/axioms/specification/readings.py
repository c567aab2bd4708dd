"""Readings: the prose of the constraints can be read in several ways, and every verdict names the reading it is for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

from diveval.errors import UsageError


@dataclass(frozen=True)
class Reading:
    """How the constraints are read. The defaults are the literal formulas.

    contribution   r ≪ 1: `each` is every r < 1; `sum` is Σ_i r(i,t) < 1 for each aspect
    swap           Pri: documents at `any` distance, or `contiguous` ranks
    deep_threshold DeepTh: `some` n will do, or all n from one on (`eventually`)
    padded         DeepTh, CloseTh: both rankings filled with non-relevant documents to the same length
    small_rc       CloseTh: decided for r_c → 0 instead of at each r_c
    r_c            CloseTh, DeepTh: one value for r_c instead of all
    documents_behind  AspDiv: documents may follow d_i
    full_relevance    Red: r_c = 1 is allowed, and aspects may be saturated
    empty_prefix      MRed: the ranking before may be empty
    empty_ranking     Conf: the ranking before may be empty
    saturation     Sat: `any` r_max that works, or r_max = `one`
    elsewhere      AspRel: t and t' may occur behind d_i
    same_ideal     AspRel, Red, MRed: the judgments give t and t' the same ideal
    cutoff_binds   rankings may be longer than k
    overall        a metric without aspects sees max_t r on the diversity axioms; else they do not apply to it
    """

    name: str = "as-written"
    contribution: Literal["each", "sum"] = "each"
    swap: Literal["any", "contiguous"] = "any"
    deep_threshold: Literal["some", "eventually"] = "some"
    padded: bool = False
    small_rc: bool = False
    r_c: Fraction | None = None
    documents_behind: bool = True
    full_relevance: bool = True
    empty_prefix: bool = False
    empty_ranking: bool = False
    saturation: Literal["any", "one"] = "any"
    elsewhere: bool = True
    same_ideal: bool = False
    cutoff_binds: bool = True
    overall: bool = True

    def __post_init__(self) -> None:
        if self.r_c is not None and not 0 < self.r_c < 1:
            raise UsageError("out-of-range", f"r_c is between 0 and 1, got {self.r_c}")

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        """Every choice, for JSON and cache keys."""
        return {key: str(value) if isinstance(value, Fraction) else value for key, value in asdict(self).items()}


AS_WRITTEN = Reading()
CHARITABLE = Reading(
    name="charitable",
    contribution="sum",
    swap="contiguous",
    deep_threshold="eventually",
    padded=True,
    small_rc=True,
    documents_behind=False,
    full_relevance=False,
    saturation="one",
    elsewhere=False,
    same_ideal=True,
    cutoff_binds=False,
    overall=False,
)
READINGS = {reading.name: reading for reading in (AS_WRITTEN, CHARITABLE)}


def as_reading(reading: str | Reading) -> Reading:
    """A reading from its name, or itself."""
    if isinstance(reading, Reading):
        return reading
    if reading not in READINGS:
        raise UsageError(
            "invalid-choice",
            f"no reading is called {reading!r}",
            hint=f"choose from {', '.join(READINGS)}, or make a Reading",
        )
    return READINGS[reading]
