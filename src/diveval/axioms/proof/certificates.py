"""Certificates: one JSON file per cell, one SMT-LIB file per query, and the program that checks them all.

A certificate can be checked without diveval: it holds the metric as a composition of the algebra, every step of a proof
with its premises and conclusions, every query with the expected answer, and every counterexample in fractions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path as File
from typing import Any

from diveval.axioms.proof.budget import Pause, go_on
from diveval.axioms.proof.decide import Trail, decide, decide_cell
from diveval.axioms.proof.derivation import symbol
from diveval.axioms.proof.scheduler import Cell, run_cells
from diveval.axioms.proof.solver import Solver, smt, smt_term
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic, symbolic_difference
from diveval.axioms.proof.thresholds import Threshold
from diveval.axioms.proof.universal import Excluded
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import as_axiom
from diveval.errors import UsageError
from diveval.exact.paths import explore
from diveval.exact.polynomials import Condition, Term
from diveval.metrics.numbers import exactly
from diveval.system.files import write_atomically
from diveval.system.progress import Progress

Shape = dict[str, Any]
CHECKER = ("check.py", "claims.py", "definitions.py", "formulas.py", "regions.py", "solvers.py")
HEAD = "(set-logic QF_NRA)\n(set-info :status unsat)\n"


def write_certificates(
    folder: File, cells: Sequence[Cell], *, jobs: int = 2, progress: Progress | None = None
) -> list[Verdict]:
    """Decide the cells again, keeping all evidence, and write it; the verdicts in the order asked."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "folder-not-empty",
            f"{folder}: --certificates writes into a new or empty folder",
            hint="remove it or name another",
        )
    (folder / "cells").mkdir(parents=True, exist_ok=True)
    (folder / "queries").mkdir()
    for program in CHECKER:
        source = resources.files("diveval.axioms.proof") / "bundled" / program
        write_atomically(folder / program, source.read_text(encoding="utf-8"))
    verdicts: dict[int, Verdict] = {}
    for number, (shape, queries) in run_cells(certificate, cells, jobs):
        verdict = Verdict.from_dict(shape["verdict"])
        name = re.sub(r"[^\w@.=,()-]", "_", f"{verdict.metric}__{verdict.axiom}__{verdict.reading}")
        text = json.dumps(shape, ensure_ascii=False, indent=1)
        write_atomically(folder / "cells" / f"{number:04d}_{name[:100]}.json", text)
        for file, query in queries.items():
            (folder / "queries" / file).write_text(HEAD + query + "(check-sat)\n", encoding="utf-8")
        verdicts[number] = verdict
        if progress is not None:
            progress(f"{verdict.metric} {verdict.axiom}", len(verdicts), len(cells))
    return [verdicts[number] for number in sorted(verdicts)]


def certificate(
    metric: Any, axiom: Any, reading: Any, bounds: Any, limit: float, *, pause: Pause = go_on
) -> tuple[Shape, dict[str, str]]:
    """One cell: its claim with the evidence, and the text of each query by file name."""
    who, what, trail = as_symbolic(metric), as_axiom(axiom), Trail(journal=[])
    if who.has_user_code:
        verdict = decide_cell(who, what, reading, bounds, limit, pause=pause)
    else:
        verdict = decide(who, what, reading, bounds, limit, trail, pause=pause)
    files: dict[str, str] = {}
    shape: Shape = {
        "verdict": verdict.as_dict(),
        "reading": reading.as_dict(),
        "theorem": verdict.theorem,
        "formula": None if who.has_user_code else declare(who.formula),
        "cutoff": who.cutoff,
        "ranges": [smt(fact) for fact in who.admissible],
        "region": [smt(condition) for condition in trail.left],
        "counterexample_formula": _formula_at(verdict, who),
        "shapes": [],
        "steps": [],
        "asked": [],
    }
    if verdict.verdict in ("holds", "region", "bounded") and trail.solver is not None:
        shape["shapes"] = [_shape(one, trail.solver, files) for one in _list_exclusions(trail)]
    if trail.derivation is not None:
        shape["steps"] = [_step(record, files) for record in trail.derivation.records]
    shape["asked"] = [_file(query, files) for query in trail.journal]
    return shape, files


def _file(query: str, files: dict[str, str]) -> str:
    """The name of a query's file, added to `files`. Equal queries share one file."""
    name = hashlib.sha256(query.encode()).hexdigest()[:20] + ".smt2"
    files[name] = query
    return name


def _formula_at(verdict: Verdict, who: SymbolicMetric) -> Shape | None:
    """The metric whose scores a counterexample shows: its parameters set, at its cutoff."""
    found = verdict.counterexample
    if found is None or who.has_user_code:
        return None
    setting = {**who.defaults, **found.setting}
    shape: Shape = declare(who.at(setting).at(found.cutoff))
    return shape


def declare(value: Any) -> Any:
    """A declaration as plain data: the name of each part, and its fields."""
    if isinstance(value, Term):
        return smt_term(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__, **{f.name: declare(getattr(value, f.name)) for f in fields(value)}}
    if value is None or isinstance(value, (bool, str)):
        return value
    return str(exactly(value)) if isinstance(value, (int, float, Fraction)) else repr(value)


# --- rankings that cannot break it ------------------------------------------------------------------------------------


def _list_exclusions(trail: Trail) -> list[Excluded]:
    if trail.threshold is None:
        return list(trail.excluded)
    return [] if trail.witness is None else _witness(trail.threshold, trail.witness)


def _witness(threshold: Threshold, n: int) -> list[Excluded]:
    """The pair of the witness n, for every r_c and every admissible parameter."""
    case = threshold.case(n)
    pair = case.build({"r": symbol("r") if threshold.reading.r_c is None else Term.of(threshold.reading.r_c)})
    who = threshold.subject
    formula = who.visible(who.formula, pair)
    held = (*pair.premises, *who.admissible)
    ways = tuple(explore(lambda: symbolic_difference(formula, pair), threshold.solver, held))
    refuted = [[*held, *way.conditions, way.result <= 0] for way in ways]
    # As r_c → 0 a witness need not be one for every r_c: then the exact signs, not this pair, are the evidence.
    proved = all(threshold.solver.impossible(conditions) for conditions in refuted)
    return [Excluded(case, pair, formula, ways, held)] if proved else []


def _shape(one: Excluded, solver: Solver, files: dict[str, str]) -> Shape:
    pair, held = one.pair, list(one.held)
    ways, pruned = [], []
    taken = [[(fork.condition, fork.answer) for fork in way.forks] for way in one.ways]
    for way, forks in zip(one.ways, taken, strict=True):
        refuted = way.result <= 0 if pair.strict else way.result < 0
        conditions = [*held, *way.conditions, refuted]
        ways.append(
            {
                "forks": [[smt(condition), answer] for condition, answer in forks],
                "gap": smt_term(way.result),
                "refuted": smt(refuted),
                "query": _file(solver.query(conditions), files),
            }
        )
    for prefix, missing in _find_untaken(taken):
        conditions = [*held, *(c if answer else c.negate() for c, answer in prefix), missing]
        told = [[smt(condition), answer] for condition, answer in prefix]
        pruned.append({"forks": told, "query": _file(solver.query(conditions), files), "refuted": smt(missing)})
    return {
        "label": one.case.label,
        "strict": pair.strict,
        "same_ideal": one.same_ideal,
        "formula": declare(one.formula),
        **{part: [[smt_term(r) for r in row] for row in getattr(pair, part)] for part in ("better", "worse", "pool")},
        "weights": [smt_term(w) for w in pair.weights],
        "held": [smt(truth) for truth in held if truth is not True],
        "ways": ways,
        "pruned": pruned,
    }


def _find_untaken(
    taken: Sequence[Sequence[tuple[Condition, bool]]],
) -> list[tuple[list[tuple[Condition, bool]], Condition]]:
    """Every fork with a side that was never followed: the path to it, and the side left out.

    The certificate holds a query that refutes each of these sides. Without it, the cases would not be complete.
    """
    out, seen = [], set()
    followed = {tuple(path[: i + 1]) for path in taken for i in range(len(path))}
    for path in taken:
        for i, (condition, answer) in enumerate(path):
            other = (*path[:i], (condition, not answer))
            if other not in followed and other not in seen:
                seen.add(other)
                out.append((list(path[:i]), condition.negate() if answer else condition))
    return out


def _step(record: Shape, files: dict[str, str]) -> Shape:
    """A step of a proof, with the files of its queries in place of their texts."""

    def ways(part: str) -> list[Shape]:
        return [{**way, "queries": [_file(query, files) for query in way["queries"]]} for way in record[part]]

    return {**record, "ways": ways("ways"), "start": ways("start")}
