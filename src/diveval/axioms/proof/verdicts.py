"""A verdict and its evidence: a pair of rankings anyone can score again, a region of parameters, or a proof.

It prints itself in plain English and exports JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from html import escape
from itertools import zip_longest
from typing import Any, Literal

from diveval.axioms.proof.subjects import exact_score
from diveval.exact.polynomials import Term
from diveval.exact.symbols import decimal
from diveval.metrics.names import MetricLike, as_metric
from diveval.metrics.numbers import Number

Rows = tuple[tuple[Fraction, ...], ...]
Answer = Literal["holds", "bounded", "fails", "region", "vacuous", "not-applicable", "unknown"]
# Only `holds` and `region` are proofs for every length; `bounded` is excluded up to a size and says nothing beyond.
MARKS = {
    "holds": "●",
    "bounded": "◕",
    "fails": "○",
    "region": "◐",
    "vacuous": "∅",
    "not-applicable": "–",
    "unknown": "?",
}
PROVED = ("holds", "region")
_WORDS = {
    "holds": "holds",
    "fails": "fails",
    "region": "holds in a region",
    "bounded": "excluded up to a bound, nothing beyond",
    "vacuous": "vacuous: its premise cannot be met",
    "not-applicable": "does not apply",
    "unknown": "unknown",
}
_BY = {
    "solver": "z3",
    "exact": "exact arithmetic",
    "analysis": "fact, no solver can be asked",
    "induction": "z3, induction",
}
# What a verdict exports, in this order; what is derived follows from the rest.
_EXPORTED = (
    *("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence", "counterexample", "proof"),
    *("note", "parameters", "uncut", "title", "says", "why", "theorem"),
)
_DERIVED = ("agrees", "evidence")


def _plain(value: Any) -> Any:
    """The same in values JSON can hold; fractions as text."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def _rows(texts: Any) -> Rows:
    return tuple(tuple(Fraction(r) for r in row) for row in texts)


@dataclass(frozen=True)
class Counterexample:
    """Two rankings over the same judgments that a metric orders against the constraint.

    The constraint wants Q(better) > Q(worse), or ≥ when `strict` is False. Scores are exact, as text and in decimals.
    """

    label: str
    better: Rows
    worse: Rows
    weights: tuple[Fraction, ...]
    pool: Rows  # the judged documents, from which ideals are built
    setting: Mapping[str, Fraction] = field(default_factory=dict, hash=False)  # parameter values
    cutoff: int | None = None
    strict: bool = True
    scores: tuple[str, str] = ("", "")
    decimals: tuple[str, str] = ("", "")

    @property
    def relation(self) -> str:
        """How the two scores compare: `=` or `<`."""
        return "=" if self.scores[0] == self.scores[1] else "<"

    def score(self, metric: MetricLike) -> tuple[Number, Number]:
        """Score both rankings again, exactly, with any metric."""
        formula = as_metric(metric).formula
        better, worse = (exact_score(formula, rows, self.weights, self.pool) for rows in (self.better, self.worse))
        return better, worse

    def breaks(self, metric: MetricLike) -> bool:
        """Whether the metric orders these two rankings against the constraint."""
        better, worse = self.score(metric)
        difference = Term.of(better) - Term.of(worse)
        return bool(difference <= 0 if self.strict else difference < 0)

    def as_dict(self) -> dict[str, Any]:
        return dict(_plain(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counterexample:
        return cls(
            data["label"],
            _rows(data["better"]),
            _rows(data["worse"]),
            tuple(Fraction(w) for w in data["weights"]),
            _rows(data["pool"]),
            {name: Fraction(value) for name, value in data["setting"].items()},
            data["cutoff"],
            data["strict"],
            (data["scores"][0], data["scores"][1]),
            (data["decimals"][0], data["decimals"][1]),
        )


def write_scores(better: Any, worse: Any) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two exact scores as text and in decimals."""
    first, second = Term.of(better), Term.of(worse)
    return (_exact_text(first), _exact_text(second)), (decimal(first), decimal(second))


def _exact_text(score: Term) -> str:
    """A fraction any program can read back, or the expression in logarithms."""
    value = score.num.value if score.den.value == 1 else None
    return repr(score) if value is None else str(value)


@dataclass(frozen=True)
class Region:
    """The exact set of parameters in which a constraint holds, and numbers for it."""

    formula: str
    numbers: tuple[str, ...] = ()  # e.g. `p > 0.754878 (others at their defaults)`

    def __str__(self) -> str:
        return self.formula + (f" [{'; '.join(self.numbers)}]" if self.numbers else "")


@dataclass(frozen=True)
class Step:
    """One claim of a proof, who checked it, and the earlier steps it rests on.

    `by` is `solver` (one query or several), `induction` (two sets of queries), `exact` (rational arithmetic), or
    `analysis` (one of the few facts that no solver can be asked).
    """

    claim: str
    by: str = "solver"
    name: str = ""
    rests_on: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()  # of an induction, as formulas


@dataclass(frozen=True)
class Proof:
    """Why a constraint holds: what the solver excluded, up to which size, and the steps that carry it to all sizes."""

    bound: str
    steps: tuple[Step, ...] = ()
    every_length: bool = False
    witness: str = ""  # for existential constraints
    documents: int = 0  # how long the rankings were that the solver excluded, and how many aspects they had
    aspects: int = 0

    def __str__(self) -> str:
        reach = "; by induction for every length" if self.every_length and self.steps else ""
        return " ".join(part for part in (self.witness, self.bound + reach) if part)

    def as_dict(self) -> dict[str, Any]:
        return dict(_plain(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        steps = tuple(
            Step(step["claim"], step["by"], step["name"], tuple(step["rests_on"]), tuple(step["invariant"]))
            for step in data["steps"]
        )
        return cls(data["bound"], steps, data["every_length"], data["witness"], data["documents"], data["aspects"])


@dataclass(frozen=True)
class Verdict:
    """Whether a metric satisfies a constraint under a reading, and why."""

    metric: str
    axiom: str
    reading: str
    verdict: Answer
    paper: str = ""  # what Table 1 of the paper says: `holds`, `fails` or nothing
    region: Region | None = None
    counterexample: Counterexample | None = None
    proof: Proof | None = None
    note: str = ""
    parameters: str = ""  # for which parameters this was decided, e.g. `0 < p < 1, e > 0`
    uncut: str = ""  # the answer without a cutoff (for all large k), where the cutoff alone decides
    title: str = ""  # of the constraint: its name in full, its formula, and what it asks for
    says: str = ""
    why: str = ""
    theorem: str = ""  # the theorem of the Coq development that says the same
    hurried: bool = False  # the time limit ended the search for a proof: not kept, as more time might find one

    @property
    def agrees(self) -> str:
        """`yes` or `no` against the paper's table, `partly` where it holds in a region only; empty without an answer.

        The table prints what does not apply as "fails", so `not-applicable` agrees with that. A region in k alone is
        compared by what it says of all large k.
        """
        said = self.uncut if self.verdict == "region" and self.uncut else self.verdict
        if not self.paper or said in ("unknown", "bounded", "vacuous"):
            return ""
        if said == "region":
            return "partly"
        return "yes" if (said == "holds") == (self.paper == "holds") else "no"

    @property
    def evidence(self) -> str:
        """One line: the scores of the counterexample, the proof's bound, or why there is neither."""
        if self.verdict == "fails":
            return self._failure()
        if self.verdict in ("holds", "bounded", "region") and self.proof is not None:
            said = f"{self.proof}" + (f", for {self.parameters}" if self.parameters else "")
            return f"{said}; nothing beyond is claimed" if self.verdict == "bounded" else said
        return self.note

    def _failure(self) -> str:
        reason = str(self.proof) if self.proof is not None else ""
        found = self.counterexample
        if found is None:
            return reason or self.note
        where = ", ".join(f"{name}={value}" for name, value in found.setting.items())
        first, second = found.decimals
        scores = f"Q = {first} {found.relation} {second}" + (f" at {where}" if where else "")
        return "; ".join(part for part in (f"{found.label}: {scores}", reason, self.note) if part)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in values JSON can hold; fractions as text."""
        return {name: _plain(getattr(self, name)) for name in _EXPORTED}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Verdict:
        region, found, proof = data["region"], data["counterexample"], data["proof"]
        evidence = {
            "region": None if region is None else Region(region["formula"], tuple(region["numbers"])),
            "counterexample": None if found is None else Counterexample.from_dict(found),
            "proof": None if proof is None else Proof.from_dict(proof),
        }
        given = {name: data[name] for name in _EXPORTED if name not in _DERIVED}
        return cls(**{**given, **evidence})

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        return explain_verdict(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


# --- in plain English -------------------------------------------------------------------------------------------------


def explain_verdict(verdict: Verdict) -> str:
    """One cell with its evidence."""
    title = f" ({verdict.title})" if verdict.title else ""
    lines = [f"{verdict.metric} · {verdict.axiom}{title}, {verdict.reading}: {_WORDS[verdict.verdict]}"]
    lines += [f"  the constraint: {verdict.says}"] if verdict.says else []
    lines += [f"  in words: {verdict.why}"] if verdict.why else []
    if verdict.parameters:
        lines.append(f"  parameters: {verdict.parameters}")
    if verdict.paper:
        agrees = {"yes": " (agrees)", "no": " (DISAGREES)", "partly": " (in part: see the region below)"}
        lines.append(f"  the paper's Table 1: {verdict.paper}" + agrees.get(verdict.agrees, ""))
    if verdict.region is not None:
        lines.append(f"  holds exactly where: {verdict.region.formula}")
        lines += [f"    {number}" for number in verdict.region.numbers]
    if verdict.counterexample is not None:
        lines += ["", *draw_rankings(verdict.counterexample)]
    if verdict.proof is not None:
        lines += ["", *write_steps(verdict.proof)]
    if verdict.note:
        lines += ["", f"  {verdict.note}"]
    if verdict.theorem:
        lines += ["", f"  the same as a theorem in Coq: {verdict.theorem}"]
    return "\n".join(lines)


def draw_rankings(found: Counterexample) -> list[str]:
    """The two rankings beside each other, rank by rank, with weights and scores."""
    where = ", ".join(f"{name} = {value}" for name, value in found.setting.items())
    about = [where] if where else []
    about += [f"cutoff k = {found.cutoff}"] if found.cutoff is not None else []
    lines = [f"  {found.label}", *([f"  {'; '.join(about)}"] if about else [])]
    aspects = len(found.weights)
    if aspects > 1:
        lines.append("  weights: " + ", ".join(f"w({_name(t)}) = {w}" for t, w in enumerate(found.weights)))
    if any(row not in found.better + found.worse for row in found.pool):
        lines.append("  judged:  " + "  ".join("(" + " ".join(map(str, row)) + ")" for row in found.pool))
    names = [_name(t) for t in range(aspects)] if aspects > 1 else ["r"]
    width = max(5, *(len(str(r)) for row in found.better + found.worse for r in row)) + 1
    left, right = _grid(found.better, names, width), _grid(found.worse, names, width)
    span = max(len(line) for line in left)
    more, less = ("more", "less") if found.strict else ("no less", "no more")
    lines.append(f"  rank   {f'should score {more}':<{span}}   should score {less}")
    for i, (first, second) in enumerate(zip_longest(left, right, fillvalue="")):
        cut = "  (below the cutoff)" if found.cutoff is not None and i > found.cutoff else ""
        lines.append(f"  {i or '':>4}   {first:<{span}}   {second:<{span}}{cut}".rstrip())
    relation = {"=": "equals", "<": "is less than"}[found.relation]
    scores = zip(found.scores, found.decimals, strict=True)
    one, other = (exact if exact == rounded else f"{exact} = {rounded}" for exact, rounded in scores)
    return [*lines, f"  score  {one}", f"         {relation}", f"         {other}"]


def _name(t: int) -> str:
    return ("t", "t'", "t''")[t] if t < 3 else f"t{t}"


def _grid(rows: Rows, names: list[str], width: int) -> list[str]:
    return ["".join(f"{name:>{width}}" for name in names)] + ["".join(f"{r!s:>{width}}" for r in row) for row in rows]


def write_steps(proof: Proof) -> list[str]:
    """The steps of a proof and who checked each."""
    lines = [f"  {line}" for line in (proof.witness, proof.bound) if line]
    if proof.steps:
        lines.append("  for every length:" if proof.every_length else "  steps:")
        for step in proof.steps:
            rests = f" (from {', '.join(step.rests_on)})" if step.rests_on else ""
            name = f"{step.name}: " if step.name else ""
            lines.append(f"    [{_BY.get(step.by, step.by)}] {name}{step.claim}{rests}")
            if step.invariant:
                lines.append(f"        invariant: {'; '.join(step.invariant)}")
    return lines
