"""Check the certificates in this folder: python check.py [--solver cvc5] [--seconds 60] [FOLDER]

Needs Python alone. Every pair of rankings must meet the constraint's premise, and counterexamples are scored again in
fractions, both from the definitions in definitions.py; these must also give the polynomial of every shape at random points.
The cases of a shape leave nothing out. Every step of a proof follows from ranges, premises, definitions, hypotheses and
earlier steps by the queries it names. --solver asks each query again, of the package `cvc5` or any SMT-LIB program.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction as F
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # `python -I` leaves out the folder of the program

from claims import NOT_COVERED, PARTLY_COVERED, list_faults, state
from definitions import BoundFormula, Rows, is_instance, meets
from formulas import (
    AT_PREMISE,
    AT_RANKS,
    BOUNDED,
    LARGE,
    POINTS,
    Env,
    Expression,
    are_definitions,
    assertions,
    exact_statement,
    is_fact,
    is_true,
    opposite,
    parsed,
    random_point,
    same_comparison,
    symbols,
    symbols_of,
    test_points,
    value,
)
from regions import THRESHOLDS, at_a_cutoff, check_region
from solvers import ask

CLOSE = F(1, 10**40)  # logarithms are taken to 60 digits
FACTS = {"logarithm"}  # 1/log2 x is positive, falling and strictly convex for x > 1, and log2 2^m = m


def fractions(rows: Iterable[Iterable[Expression]], env: Env) -> Rows:
    return [[F(value(term, env)) for term in row] for row in rows]


class CertificateCheck:
    """One certificate, what is wrong with it, the queries it rests on, and counts of what was checked."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.data = json.loads(path.read_text(encoding="utf-8"))
        self.folder, self.name, self.faults, self.counts = folder, path.stem, list[str](), Counter[str]()
        self.axiom, self.reading = self.data["verdict"]["axiom"], self.data["reading"]
        self.region, self.ranges = set[str](self.data["region"]), set[str](self.data["ranges"])
        self.queries = set[str](self.data["asked"])
        self.parameters = symbols_of(parsed(text) for text in self.ranges)
        self.bounded = BOUNDED | {*LARGE} | self.parameters
        self.source = random.Random(path.stem)  # noqa: S311 (a certificate is checked at the same points each time)
        self.points = test_points(self.bounded, self.source)

    def require(self, condition: Any, fault: str) -> None:
        if not condition:
            self.faults.append(f"{self.name}: {fault}")

    def add_faults(self, faults_of: Any) -> None:
        self.faults += [f"{self.name}: {fault}" for fault in faults_of(self.data, self.source)]

    def run(self) -> CertificateCheck:
        try:
            self.claim_has_evidence(self.data["verdict"])
            self.add_faults(list_faults)
            self.counts["functions"] = int(self.data["formula"] is None)
            for text in self.ranges:
                fine = all(is_true(parsed(text), point) for point in self.points)
                self.require(fine, f"{text} is no range of a parameter")
            self.add_faults(check_region)
            self.rankings(self.data["verdict"]["counterexample"])
            self.steps()
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, OSError) as error:
            self.require(False, f"it cannot be read: {error!r}")
        return self

    def rankings(self, example: Any) -> None:
        try:
            if example is not None and self.data["formula"] is not None:
                self.counterexample(example, self.data["counterexample_formula"])
            for shape in self.data["shapes"]:
                self.shape(shape)
        except NotImplementedError:  # counted, so that the reader sees what was left out
            self.counts["functions"] = 1

    def claim_has_evidence(self, verdict: Any) -> None:
        """A certificate without the evidence of its kind would pass every other check: there would be none."""
        shapes, steps, proof = self.data["shapes"], self.data["steps"], verdict["proof"] or {}
        threshold, kind = self.axiom in THRESHOLDS, verdict["verdict"]
        if kind in ("fails", "region"):
            self.require(verdict["counterexample"], f"{kind} without a counterexample")
        if kind in ("holds", "bounded"):
            none_outside = not (verdict["counterexample"] or verdict["region"] or self.region)
            self.require(none_outside, f"{kind} with a counterexample or a region")
        if kind == "holds":
            unseen = self.axiom == "Sat" and self.data["cutoff"] == 1 and self.reading["cutoff_binds"]
            finite = isinstance(self.data["cutoff"], int) and not self.reading["cutoff_binds"]
            evidence = (
                (shapes or steps or at_a_cutoff(self.data)) if threshold or unseen else (shapes and (steps or finite))
            )
            self.require(evidence, "holds without evidence")
        self.require(kind != "bounded" or shapes, "bounded without evidence")
        by_scores = re.fullmatch(r"k [≥≤=] \d+|r_c > e", (verdict["region"] or {}).get("formula", ""))
        if kind == "region":
            evidence = (
                (steps or by_scores or at_a_cutoff(self.data))
                if threshold
                else by_scores or (shapes and steps and self.region)
            )
            self.require(verdict["region"] and evidence, "region without evidence")
        self.require(verdict["reading"] == self.reading["name"], "the reading is another")
        # The last ones: a proof for αβ-nDCG begins with its reduction to a cascade, which the certificate lacks.
        named, listed = ([step["name"] for step in some] for some in (proof.get("steps", []), steps))
        self.require(named[len(named) - len(listed) :] == listed, "the steps are not those of the proof")
        if shapes and not threshold and not by_scores:
            complete = f"({len(shapes)} shapes)" in proof["bound"]
            self.require(complete, "the shapes are not those of the proof")

    # --- counterexamples ----------------------------------------------------------------------------------------------

    def counterexample(self, example: Any, formula: Any) -> None:
        """It is a pair of the constraint, for the metric of the certificate, and its scores are those of the definition."""
        better, worse, pool, (weights,) = (
            [[F(number) for number in row] for row in rows]
            for rows in (example["better"], example["worse"], example["pool"], [example["weights"]])
        )
        pair = meets(self.axiom, self.reading, better, worse, weights, formula["cutoff"])
        fault = "the counterexample is no pair of the constraint, or one of another metric"
        setting: dict[str, str] = {}
        self.require(pair and self.is_the_metric(formula, setting), fault)
        at = {name: F(number) for name, number in setting.items() if name in self.parameters}
        possible = all(value(parsed(text), at) for text in self.ranges if symbols(parsed(text)) <= {*at})
        outside = not self.region or not all(value(parsed(text), at) for text in self.region)
        self.require(possible and outside, "the counterexample has parameters out of range, or in the region")
        smallest = re.match(r"k ≥ (\d+)", (self.data["verdict"]["region"] or {}).get("formula", ""))
        below = smallest is None or (formula["cutoff"] is not None and int(formula["cutoff"]) < int(smallest[1]))
        self.require(below, "the counterexample has a cutoff of the region")
        metric = BoundFormula(formula, weights, pool, {})
        first, second = metric.score(better), metric.score(worse)
        # Saturation alone allows a tie.
        broken = first < second - CLOSE if self.axiom == "Sat" else first <= second + CLOSE
        self.require(broken, f"the counterexample is none: {float(first):.9g} against {float(second):.9g}")
        for shown, score in zip(example["decimals"], (first, second), strict=True):
            right = abs(F(shown) - score) <= F(1, 10**6)
            self.require(right, f"a score of {shown} is {float(score):.9g} by definition")
        self.counts["counterexamples"] += 1

    def is_the_metric(self, formula: Any, setting: dict[str, str]) -> bool:
        """Whether a formula is the certificate's, with its parameters set; at a cutoff only if that one has a cutoff."""
        cut = self.data["cutoff"] is not None or formula["cutoff"] is None
        return cut and is_instance(self.data["formula"], formula, setting)

    # --- shapes: no ranking of a length and with a number of aspects violates the constraint --------------------------

    def shape(self, shape: Any) -> None:
        """Its premises are the constraint's, its cases leave nothing out, and in each a query refutes the violation.

        A way is one case: the answers to the comparisons (forks) that the metric makes, and the polynomial that results.
        """
        self.counts["shapes"] += 1
        label, assumed = shape["label"], set[str](shape["held"])
        for way in [*shape["ways"], *shape["pruned"]]:
            true = {text for text, answer in way["forks"] if answer}
            false = [text for text, answer in way["forks"] if not answer]
            self.query_assumes_no_more(way["query"], assumed | true | {way["refuted"]}, false, label)
        self.require(self.is_the_metric(shape["formula"], {}), f"{label}: another metric")
        parts = (shape["better"], shape["worse"], shape["pool"], [shape["weights"]])
        terms = [[[parsed(term) for term in row] for row in rows] for rows in parts]
        self.premises_are_the_constraint(shape, terms, [parsed(text) for text in assumed - self.region - self.ranges])
        violated = "<" if self.axiom == "Sat" else "<="
        for way in shape["ways"]:
            self.polynomial_is_the_metric(shape, terms, way)
            violation, refuted = f"({violated} {way['gap']} 0)", way["refuted"]
            right = same_comparison(violation, refuted, {}, self.source)
            self.require(right, f"{label}: what is refuted is not the claim's opposite")
        self.cases_are_complete(shape)

    def cases_are_complete(self, shape: Any) -> None:
        """Each fork is followed both ways, or a query refutes the other way."""
        self.require(shape["ways"], f"{shape['label']}: no case")
        followed = {str(way["forks"][: i + 1]) for way in shape["ways"] for i in range(len(way["forks"]))}
        for way in shape["ways"]:
            for i, (text, answer) in enumerate(way["forks"]):
                before = way["forks"][:i]
                pruned = (one["refuted"] for one in shape["pruned"] if one["forks"] == before)
                complete = str([*before, [text, not answer]]) in followed or any(
                    opposite(one, text, self.source) if answer else one == text for one in pruned
                )
                self.require(complete, f"{shape['label']}: a case is missing")

    def premises_are_the_constraint(self, shape: Any, terms: Any, premises: list[Expression]) -> None:
        """A shape that assumes more would leave rankings out; one that assumes less is not about the constraint."""
        names = symbols_of([*premises, *(term for rows in terms for row in rows for term in row)])
        may_be_zero = {name for name in names if name[0] != "w"}
        for _ in range(40):
            size = self.source.choice([1, 9])  # small values, or sums over a ranking would rarely be below 1
            env = {name: r / size for name, r in random_point(names, self.source, may_be_zero).items()}
            better, worse, _, (weights,) = (fractions(rows, env) for rows in terms)
            pair = meets(self.axiom, self.reading, better, worse, weights, shape["formula"]["cutoff"])
            right = pair == all(value(premise, env) for premise in premises)
            self.require(right, f"{shape['label']}: its premises are not the constraint's")

    def polynomial_is_the_metric(self, shape: Any, terms: Any, way: Any) -> None:
        """The polynomial is the difference of the two scores, by the definition, at points that belong to the case."""
        gap, forks = parsed(way["gap"]), [(parsed(text), answer) for text, answer in way["forks"]]
        compared = symbols_of(text for text, _ in forks)
        names = symbols_of([gap, *(term for rows in terms for row in rows for term in row)]) | self.bounded
        may_be_zero = {name for name in names | compared if name[0] in "rtuxyz"}
        # The few symbols compared decide which case a point belongs to, so the others get values only where it is this one.
        others = (names | {f"{letter}{i}" for letter in "ID" for i in range(25)}) - compared
        tried = (random_point(compared, self.source, may_be_zero) for _ in range(200))
        in_this_case = (at for at in tried if all(value(text, at) == answer for text, answer in forks))
        points = list(islice(in_this_case, POINTS))
        self.counts["cases without a random point, not compared with the metric"] += not points
        for at in points:
            env = {**at, **random_point(others, self.source, may_be_zero)}
            better, worse, pool, (weights,) = (fractions(rows, env) for rows in terms)
            metric = BoundFormula(
                shape["formula"], weights, pool, env, symbolic_ideals=True, same_ideal=shape["same_ideal"]
            )
            right = metric.score(better) - metric.score(worse) == value(gap, env)
            self.require(right, f"{shape['label']}: the polynomial is not the metric's")

    # --- queries ------------------------------------------------------------------------------------------------------

    def query_assumes_no_more(self, file: str, allowed: set[str], denied: list[str], label: str) -> None:
        """A query asserts what its claim allows, negations of what is denied, and known facts; or its `unsat` proves less."""
        self.queries.add(file)
        for formula in assertions(self.folder / "queries" / file):
            fine = self.may_assume(formula, allowed, denied)
            self.require(fine, f"{label}: a query assumes {formula}")

    def may_assume(self, formula: str, allowed: set[str], denied: list[str]) -> bool:
        return (
            formula in allowed
            or formula in self.ranges
            or is_fact(formula)
            or any(opposite(formula, one, self.source) for one in denied)
        )

    # --- steps: from the shapes to rankings of every length -----------------------------------------------------------

    def steps(self) -> None:
        """Each step follows from what it is given, and what it is given from what comes before it."""
        earlier: dict[str, Any] = {}
        for step in self.data["steps"]:
            self.counts["steps"] += 1
            kind, name = step["kind"], step["name"]
            listed = name in FACTS if kind == "fact" else kind in ("induction", "claim", "exact")
            self.require(listed, f"step {name}: no {kind} of the list")
            for given in [*step["given"], *step["first"]]:
                fault = f"step {name}: {given['formula']} is no {given['from']}, or does not come before it"
                self.require(self.is_justified(given, earlier), fault)
            for part in ("given", "first"):
                sound = all(are_definitions(step[part], self.parameters, point) for point in self.points[2:])
                self.require(
                    sound, f"step {name}: a definition fixes no new symbol, or one that may not have its value"
                )
            if kind == "exact":
                true = exact_statement(step["claim"], self.weight)
                self.counts["exact statements, not checked"] += true is None
                self.require(true is not False, f"step {name}: {step['claim']} is false")
            if kind == "induction":
                self.conclusions(step, step["start"], step["first"], [])
            if kind in ("induction", "claim"):
                self.conclusions(step, step["ways"], step["given"], step["invariant"])
            self.require(name not in earlier, f"step {name}: a second one")
            earlier[name] = step

    def weight(self, rank: int) -> F:
        """The weight of a rank: by the discount of the metric, or by the logarithm where it names none."""
        formula = self.data["formula"] or {}
        discount = formula.get("sum", formula).get("discount", {"kind": "Log"})
        return BoundFormula({"cutoff": None}, [], [], {}).discount(discount, rank)

    def is_justified(self, given: Any, earlier: dict[str, Any]) -> bool:
        """Whether a premise is a range, a premise of the constraint, a definition, or what an earlier step concludes.

        Otherwise a step could assume what it should show.
        """
        formula, origin = given["formula"], given["from"]
        tree, step = parsed(formula), earlier.get(origin.removeprefix("step "), {"kind": None})
        if origin == "definition":
            return tree[0] == "=" and symbols(tree) <= self.bounded
        if origin == "range":
            return formula in self.region or all(is_true(tree, point) for point in self.points)
        if origin == "premise":
            return all(is_true(tree, point | AT_PREMISE) for point in self.points[2:])
        if not origin.startswith("step "):
            return False
        if step["kind"] == "exact":
            small = re.match(r"D\((\d+)\) < ", step["claim"])
            return small is not None and is_true(tree, {"d": self.weight(int(small[1]))})
        if step["kind"] == "fact":
            # Of d it is known that it is the weight of a rank: of one near the top, or of one far down.
            return is_true(tree, AT_RANKS) or is_true(tree, AT_RANKS | {"d": F(1, 100)})
        if step["kind"] == "induction":
            invariants = step["invariant"]
            return any(same_comparison(one, formula, given["instance"], self.source) for one in invariants)
        return step["kind"] == "claim" and all(
            self.is_concluded(formula, way, given["instance"]) for way in step["ways"]
        )

    def is_concluded(self, formula: str, way: Any, instance: dict[str, str]) -> bool:
        """Whether a formula is among the conclusions of one way through a claim, which names some of its terms."""
        terms = {**way["names"], **{name: way["names"].get(term, term) for name, term in instance.items()}}
        return any(same_comparison(formula, one, terms, self.source) for one in way["concludes"])

    def conclusions(self, step: Any, ways: Any, given: Any, hypothesis: list[str]) -> None:
        """Each conclusion has a query that refutes its opposite, and an induction concludes all of its invariant."""
        name, allowed = step["name"], {one["formula"] for one in given} | set(hypothesis)
        self.require(ways, f"step {name}: no case")
        self.conditions_are_complete(name, [way["conditions"] for way in ways], allowed)
        for way in ways:
            complete = len(way["queries"]) == len(way["concludes"])
            self.require(complete, f"step {name}: a conclusion without a query")
            for file, conclusion in zip(way["queries"], way["concludes"], strict=False):
                self.query_assumes_no_more(file, allowed | set(way["conditions"]), [conclusion], f"step {name}")
            for invariant in step["invariant"]:
                shown = any(same_comparison(invariant, one, way["names"], self.source) for one in way["concludes"])
                self.require(shown, f"step {name}: {invariant} is not shown")

    def conditions_are_complete(self, name: str, paths: list[list[str]], allowed: set[str]) -> None:
        """The opposite of each condition is another case of the step, or a premise or a query excludes it."""
        followed = [path[: i + 1] for path in paths for i in range(len(path))]
        for before, condition in ((path[:-1], path[-1]) for path in followed):
            known = allowed | self.ranges | set(before)
            complete = (
                any(one[:-1] == before and opposite(one[-1], condition, self.source) for one in followed)
                or not known.isdisjoint({condition, condition.replace("(<= ", "(< ", 1)})
                or any(
                    all(self.may_assume(one, known, [condition]) for one in assertions(self.folder / "queries" / file))
                    for file in self.data["asked"]
                )
            )
            self.require(complete, f"step {name}: a case without {condition} is missing")


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=str(Path(__file__).parent))
    parser.add_argument("--solver", help="ask every query again: cvc5, or a program that reads an SMT-LIB file")
    parser.add_argument("--statements", action="store_true", help="print each confirmed claim in words")
    parser.add_argument("--seconds", type=float, default=60, help="for one query (default: 60)")
    arguments = parser.parse_args()
    folder, start = Path(arguments.folder), time.monotonic()
    cells = [CertificateCheck(path, folder).run() for path in sorted((folder / "cells").glob("*.json"))]
    if not cells:
        return f"no certificates in {folder}"
    faults = [fault for cell in cells for fault in cell.faults]
    files = sorted({file for cell in cells for file in cell.queries})
    counts = sum((cell.counts for cell in cells), Counter[str]())
    print(f"{len(cells)} cells, {len(files)} queries; checked: {dict(counts)}")
    for cell in cells if arguments.statements else []:
        print("refuted" if cell.faults else "confirmed", state(cell.data))
    print("not covered:", *NOT_COVERED, "\npartly covered:", PARTLY_COVERED) if arguments.statements else None
    if arguments.solver:
        answers = {file: ask(arguments.solver, folder / "queries" / file, arguments.seconds) for file in files}
        for answer, count in sorted(Counter(answers.values()).items()):
            print(f"{arguments.solver}: {count} {answer}")
        faults += [
            f"{arguments.solver} says {answer} to {file}" for file, answer in answers.items() if answer != "unsat"
        ]
    print(*faults, f"{len(faults)} disagreements, {time.monotonic() - start:.0f} s", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
