"""A verdict in plain English: two rankings as a small grid with both scores, or a proof's bound and its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diveval.axioms.proof.evidence import Counterexample, Proof, Rows

if TYPE_CHECKING:
    from diveval.axioms.proof.verdicts import Verdict

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
    "definition": "definition",
}


def explained(verdict: Verdict) -> str:
    """One cell with its evidence."""
    title = f" ({verdict.title})" if verdict.title else ""
    lines = [f"{verdict.metric} · {verdict.axiom}{title}, {verdict.reading}: {_WORDS[verdict.verdict]}"]
    lines += [f"  the constraint: {verdict.says}"] if verdict.says else []
    lines += [f"  in words: {verdict.why}"] if verdict.why else []
    if verdict.parameters:
        lines.append(f"  parameters: {verdict.parameters}")
    if verdict.paper:
        lines.append(f"  the paper's Table 1: {verdict.paper}" + _agreement(verdict))
    if verdict.region is not None:
        lines.append(f"  holds exactly where: {verdict.region.formula}")
        lines += [f"    {number}" for number in verdict.region.numbers]
    if verdict.counterexample is not None:
        lines += ["", *drawn(verdict.counterexample)]
    if verdict.proof is not None:
        lines += ["", *argued(verdict.proof)]
    if verdict.note:
        lines += ["", f"  {verdict.note}"]
    if verdict.theorem:
        lines += ["", f"  the same as a theorem in Coq: {verdict.theorem}"]
    return "\n".join(lines)


def _agreement(verdict: Verdict) -> str:
    said = {"yes": "agrees", "no": "DISAGREES", "partly": "in part: see the region below"}.get(verdict.agrees, "")
    return f" ({said})" if said else ""


def drawn(found: Counterexample) -> list[str]:
    """The two rankings beside each other, rank by rank, with weights and scores."""
    where = ", ".join(f"{name} = {value}" for name, value in found.setting.items())
    about = [where] if where else []
    about += [f"cutoff k = {found.cutoff}"] if found.cutoff is not None else []
    lines = [f"  {found.label}" + (f"   ({'; '.join(about)})" if about else "")]
    aspects = len(found.weights)
    if aspects > 1:
        lines.append("  weights: " + ", ".join(f"w({_name(t)}) = {w}" for t, w in enumerate(found.weights)))
    if any(row not in found.better + found.worse for row in found.pool):
        lines.append("  judged:  " + "  ".join("(" + " ".join(map(str, row)) + ")" for row in found.pool))
    names = [_name(t) for t in range(aspects)] if aspects > 1 else ["r"]
    width = max(5, *(len(str(r)) for row in found.better + found.worse for r in row)) + 1
    left, right = _grid(found.better, names, width), _grid(found.worse, names, width)
    span = max(len(line) for line in left)
    lines.append(f"  rank   {'should score more':<{span}}   should score less")
    if not found.strict:
        lines[-1] = f"  rank   {'should score no less':<{span}}   should score no more"
    for i in range(max(len(left), len(right))):
        rank = "" if i == 0 else str(i)
        cut = "  (behind the cutoff)" if found.cutoff is not None and i > found.cutoff else ""
        first = left[i] if i < len(left) else ""
        second = right[i] if i < len(right) else ""
        lines.append(f"  {rank:>4}   {first:<{span}}   {second:<{span}}{cut}".rstrip())
    relation = {"=": "equals", "<": "is less than"}[found.relation]
    one, other = (_score(*pair) for pair in zip(found.scores, found.decimals, strict=True))
    return [*lines, f"  score  {one}", f"         {relation}", f"         {other}"]


def _score(exact: str, decimal: str) -> str:
    return exact if exact == decimal else f"{exact} = {decimal}"


def _name(t: int) -> str:
    return ("t", "t'", "t''")[t] if t < 3 else f"t{t}"


def _grid(rows: Rows, names: list[str], width: int) -> list[str]:
    return ["".join(f"{name:>{width}}" for name in names)] + ["".join(f"{r!s:>{width}}" for r in row) for row in rows]


def argued(proof: Proof) -> list[str]:
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
