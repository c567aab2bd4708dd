"""Check the certificates in this folder: python check.py [--solver cvc5] [--seconds 60] [FOLDER]

Needs Python alone. Every pair of rankings must meet the constraint's premise, as defined here. Counterexamples are scored
again in fractions from the metric's definition, which must also give the polynomial of every shape at random points.
The cases of a shape leave nothing out. Every step of a proof follows from ranges, premises, definitions, hypotheses and
earlier steps by the queries it names. --solver asks each query again, of the package `cvc5` or any SMT-LIB program.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction as F
from functools import cache, reduce
from itertools import islice, permutations
from operator import add, eq, le, lt, mul, not_, sub, truediv
from pathlib import Path
from typing import Any

Rows = list[list[F]]
Env = dict[str, F]
CLOSE, POINTS, GRID, NUMBER = F(1, 10**40), 3, [F(n, 997) for n in range(997)], cache(F)  # logarithms are taken to 60 digits
FACTS = {"logarithm"}  # 1/log2 x is positive, falling and strictly convex for x > 1, and log2 2^m = m
MEANS: dict[str, Any] = {"<": lt, "<=": le, "=": eq, "not": not_, "+": add, "*": mul, "-": sub, "/": truediv}
# Symbols of steps: those a range may bound or a definition name, values of large ones, and values (in hundredths) at which
# every premise must be true, and every fact about the weights of ranks.
RANGED = {*"xyrdjlqE", "r1", "r2", "r3", "d1", "w1", "here", "next", "later", "share", "behind", "ideal", "rest", "missing", "allowed"}
LARGE = {"i": F(10**6), "n": F(10**9), "m": F(10**6), "pp": F(1, 2), "qq": F(1, 5)}
PREMISE = {**dict.fromkeys(("s_seen", "a_seen", "b_seen"), 10), "x": 10, "y": 20, "r": 30, "r1": 10, "r2": 10, "r3": 20, "w1": 20, "w2": 40, "alpha": 50}
RANKS = {"d1": 100, "d2": 63, "d3": 50, "u": 63, "v": 50, "w": 43, "d": 63, "l": 1, "m": 500, "n": 10**4}

# --- formulas in SMT-LIB ---
@cache
def parsed(text: str) -> Any:
    """An S-expression as nested tuples."""
    stack: list[list[Any]] = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        part: Any = tuple(stack.pop()) if token == ")" else token  # noqa: S105
        stack.append([]) if token == "(" else stack[-1].append(part)  # noqa: S105
    return stack[0][0]
def names(expression: Any) -> set[str]:
    """The symbols of an expression."""
    if isinstance(expression, str):
        return {expression} if expression[0].isalpha() and expression not in ("true", "false", "not") else set()
    return {name for part in expression[1:] for name in names(part)}
def value(expression: Any, env: Env) -> Any:
    """A number, or the truth of a comparison."""
    if isinstance(expression, str):
        return env[expression] if expression in env else NUMBER(expression) if expression[0].isdigit() else {"true": True, "false": False}[expression]
    operator, parts = expression[0], [value(part, env) for part in expression[1:]]
    parts = [F(0), *parts] if operator == "-" and len(parts) == 1 else parts
    return MEANS[operator](*parts) if operator in ("<", "<=", "=", "not") else reduce(MEANS[operator], parts)
def points(symbols: set[str], source: random.Random, zero: Any = ()) -> Env:
    return {name: GRID[0 if name in zero and source.random() < 0.3 else int(source.random() * 996) + 1] for name in symbols}
def same(a: str, b: str, substitution: dict[str, str], source: random.Random) -> bool:
    """Whether two comparisons with 0 are of one polynomial once terms are put for symbols: at random points."""
    one, other = parsed(a), parsed(b)
    while not isinstance(one, str) and one[0] == "not" == other[0]:
        one, other = one[1], other[1]
    terms = {name: parsed(term) for name, term in substitution.items()}
    used = names(one) | names(other) | {n for term in terms.values() for n in names(term)}
    tried = [points(used, source) for _ in range(POINTS)]
    inner = [{**env, **{name: value(term, env) for name, term in terms.items()}} for env in tried]
    if other == "true" != one:  # then the polynomial is a constant
        return len({value(one[1], env) for env in inner}) == 1 and bool(value(one, inner[0]))
    if isinstance(one, str) or isinstance(other, str) or (one[0], one[2:]) != (other[0], other[2:]):
        return bool(one == other)
    return all(value(one[1], there) == value(other[1], here) for there, here in zip(inner, tried, strict=True))

# --- metrics from their definitions ---
def inverse_log(argument: int, env: Env) -> F:
    """1/log2(argument): a symbol where there is one, otherwise to 60 digits."""
    base, c = next((b, c) for b in range(2, argument + 1) for c in range(1, argument.bit_length()) if b**c == argument)
    return (env[f"L{base}"] if f"L{base}" in env else _log(base)) / c
@cache
def _log(base: int) -> F:
    context = Context(prec=60)
    return F(1) if base == 2 else F(context.divide(Decimal(2).ln(context), Decimal(base).ln(context)))
class BoundFormula:
    """A formula of the algebra, its parameters taken from an environment."""
    def __init__(self, formula: Any, env: Env, *, ideals: bool, same_ideal: bool = False) -> None:
        self.formula, self.env, self.ideals, self.same_ideal = formula, env, ideals, same_ideal
    def number(self, text: Any) -> F:
        return F(value(parsed(text), self.env))
    def score(self, f: Any, rows: Rows, w: list[F], pool: Rows, k: int | None) -> F:
        kind, tops = f["kind"], [rows[:i] for i in range(1, len(rows[:k]) + 1)]
        if kind in ("Normalised", "Each"):
            return (self.normalised if kind == "Normalised" else self.each)(f, rows, w, pool, k)
        if kind in ("Sum", "PrefixMean"):
            lists = [rows[:k]] if kind == "Sum" else tops
            return sum((sum(self.terms(f.get("sum", f), top, w), F(0)) for top in lists), F(0)) / max(len(lists), 1)
        if kind == "Blend":
            lam = self.number(f["lam"])
            return lam * self.score(f["first"], rows, w, pool, k) + (1 - lam) * self.score(f["second"], rows, w, pool, k)
        covered = [{t for row in top for t in range(len(w)) if row[t] > 0} for top in [[], *tops]]
        if kind == "SubtopicRecall":
            return sum((w[t] if f["weights"] == "given" else F(1, len(w)) for t in covered[-1]), F(0))
        if kind == "SubtopicReciprocalRank":
            needed = max(1, -int(-(self.number(f["coverage"]) * len(w) - F(1, 10**9)) // 1))
            return next((F(1, i) for i, seen in enumerate(covered) if len(seen) >= needed), F(0))
        raise NotImplementedError(f"no definition of {kind} here")
    def columns(self, over: Any, rows: Rows, w: list[F]) -> tuple[list[F], list[list[F]]]:
        if over["kind"] == "Aspects":
            return (w if over["weighted"] else [F(1)] * len(w)), [[row[t] for row in rows] for t in range(len(w))]
        return [F(1)], [[max(row) if over["kind"] == "Overall" else sum(map(mul, w, row), F(0)) for row in rows]]
    def discount(self, d: Any, i: int) -> F:
        if d["kind"] == "Geometric":
            p = self.number(d["p"])
            return p ** (i - 1 + int(d["start"])) * ((1 - p) if d["scaled"] else 1)
        if d["kind"] in ("Log", "ShiftedLog"):
            return inverse_log(i + 1 if d["kind"] == "Log" else 2 * i, self.env)
        return {"Reciprocal": F(1, i), "Flat": F(1), "Abstract": self.env.get(f"D{i}", F(0))}[d["kind"]]
    def gain(self, novelty: Any, above: list[F], r: F) -> F:
        if novelty["kind"] == "BestSoFar":
            return max(r - max(above, default=F(0)), F(0))
        if novelty["kind"] == "Decay":
            full = novelty["limit"] is not None and sum(above, F(0)) >= self.number(novelty["limit"])
            return F(0) if full else r * (1 - self.number(novelty["alpha"])) ** sum(x > 0 for x in above)
        return {"Always": r, "Cascade": reduce(mul, (1 - earlier for earlier in above), r)}[novelty["kind"]]
    def terms(self, f: Any, rows: Rows, w: list[F]) -> list[F]:
        (weights, columns), effort = self.columns(f["over"], rows, w), self.number(f["effort"])
        gains = [[self.gain(f["novelty"], column[:i], r) for i, r in enumerate(column)] for column in columns]
        sums = [sum((a * g[i] for a, g in zip(weights, gains, strict=True)), F(0)) for i in range(len(rows))]
        return [self.discount(f["discount"], i + 1) * (gain - effort) for i, gain in enumerate(sums)]
    def normalised(self, f: Any, rows: Rows, w: list[F], pool: Rows, k: int | None) -> F:
        result, effort = self.score(f["sum"], rows, w, pool, k), self.number(f["sum"]["effort"])
        seen = [self.columns(f["sum"]["over"], [row], w) for row in pool]
        if effort and not any(sum((a * c[0] for a, c in zip(*pair, strict=True)), F(0)) > effort for pair in seen):
            return F(0)
        best = F(1) if self.ideals else self.best(f, pool, w, k)
        return result * self.env["I0"] if self.ideals else result / best if best > 0 else F(0)
    def best(self, f: Any, pool: Rows, w: list[F], k: int | None) -> F:
        """The greedy list, or the best of all ordered subsets."""
        depth, chosen, left = len(pool) if k is None else min(k, len(pool)), list[list[F]](), list(pool)
        if f["ideal"] != "greedy":
            orders = (order for n in range(depth + 1) for order in permutations(pool, n))
            return max(sum(self.terms(f["sum"], list(order), w), F(0)) for order in orders)
        while len(chosen) < depth and max(last := [self.terms(f["sum"], [*chosen, row], w)[-1] for row in left]) > 0:
            chosen.append(left.pop(next(i for i, one in enumerate(last) if one >= max(last) * (1 - F(1, 10**12)))))
        return sum(self.terms(f["sum"], chosen, w), F(0))
    def each(self, f: Any, rows: Rows, w: list[F], pool: Rows, k: int | None) -> F:
        (weights, columns), (_, judged), total = self.columns(f["over"], rows, w), self.columns(f["over"], pool, w), F(0)
        for c, (weight, column) in enumerate(zip(weights, columns, strict=True)):
            one, best = self.single(f["base"]["kind"], column[:k], judged[c] if judged else [], k)
            ideal = self.env.get("I0" if self.same_ideal else f"I{c}", F(0)) if self.ideals else 1 / best if best else F(0)
            total += weight * (one if best is None else one * ideal)
        return total
    def single(self, kind: str, column: list[F], pool: list[F], k: int | None) -> tuple[F, F | None]:
        found = [r > 0 for r in column]
        if kind in ("Precision", "ReciprocalRank"):
            first = F(1, found.index(True) + 1) if any(found) else F(0)
            return (first if kind == "ReciprocalRank" else F(sum(found), max(len(column) if k is None else k, 1))), None
        if kind == "AveragePrecision":
            return sum((F(sum(found[:i]), i) for i, b in enumerate(found, 1) if b), F(0)), F(sum(r > 0 for r in pool))
        one, best = ([r * inverse_log(i, self.env) for i, r in enumerate(c, 2)] for c in (column, sorted(pool, reverse=True)[:k]))
        return sum(one, F(0)), sum(best, F(0))
    def whole(self, rows: Rows, w: list[F], pool: Rows) -> F:
        return self.score(self.formula, rows, w, pool, None if (k := self.formula["cutoff"]) is None else int(k))

# --- the constraints ---
def about(row: list[F]) -> int:
    """The aspect of a document about one; -1 of one about none, -2 of one about several."""
    seen = [t for t, r in enumerate(row) if r]
    return -2 if len(seen) > 1 else seen[0] if seen else -1
def meets(axiom: str, how: Any, b: Rows, c: Rows, w: list[F], k: Any) -> bool:
    """Whether the constraint compares b, which should score more, with c: Section 3 of the paper, as it is read."""
    n, level, differ = len(c), len(b) == len(c), [i for i, (one, other) in enumerate(zip(b, c, strict=False)) if one != other]
    columns, (i, j) = [column for rows in (b, c) for column in zip(*rows, strict=True)], (*differ, 0, 0)[:2]
    small = all((sum(x) < 1 if how["contribution"] == "sum" else max(x) < 1) for x in columns)
    fits = how["cutoff_binds"] or k is None or max(len(b), n) <= int(k)
    if sum(w) != 1 or min(w) <= 0 or not all(0 <= r <= 1 for x in columns for r in x) or not fits:
        return False
    if axiom in ("DeepTh", "CloseTh"):
        (r, *rest), many = (b, c) if axiom == "DeepTh" else (c, b)
        fills = rest == [[F(0)]] * ((len(many) - 1) * how["padded"])
        return len(w) == 1 and 0 < r[0] < 1 and fills and many == [[F(0)]] * (len(many) // 2) + [r] * (len(many) // 2)
    if axiom == "Pri":
        swap = level and len(differ) == 2 and b[i] == c[j] > b[j] == c[i]
        return len(w) == 1 and swap and small and (how["swap"] == "any" or j == i + 1)
    if axiom == "Deep":
        j = (*differ, 0, 0, 0)[2]
        swap = level and differ == [i, i + 1, j, j + 1] and b[i] == c[i + 1] == c[j] == b[j + 1]
        return len(w) == 1 and small and swap and b[i] > c[i] == b[i + 1] == b[j] == c[j + 1]
    if axiom == "Conf":
        return len(w) == 1 and c == [*b, [F(0)]] and small
    if axiom == "AspDiv":
        grown = level and len(differ) == 1 and all(x > y for x, y in zip(b[i], c[i], strict=True))
        return grown and small and (how["documents_behind"] or i == n - 1)
    if axiom == "MRed":
        last = level and differ == [n - 1] and (b[-1], c[-1]) == ([0, c[-1][0]], [c[-1][0], 0])
        return last and small and len(w) == 2 and w[0] == w[1] and n > 1 and all(x[0] > x[1] for x in c[:-1])
    kinds, (t, u) = [about(row) for row in c], (about(rows[i if axiom == "AspRel" else -1]) for rows in (c, b))
    if -2 in kinds or min(t, u) < 0:
        return False
    if axiom == "Sat":
        return c[:-1] == b and t == u and (max(b[-1]) == 1 or (how["saturation"] == "any" and max(b[-1]) > 0))
    if axiom == "Red":
        counts, values = [kinds[:-1].count(x) for x in range(len(w))], {r for row in [*b, *c] for r in row if r}
        more = level and differ == [n - 1] and counts[t] > counts[u] and len(values) == len(set(w)) == 1
        return more and (how["full_relevance"] or max(values) * (max(counts) + 1) < 1)
    others = {*kinds[:i], *([] if how["elsewhere"] else kinds[i + 1 :])}
    return axiom == "AspRel" and level and len(differ) == 1 and max(b[i]) == max(c[i]) and w[t] < w[u] and not {t, u} & others
def agrees(a: Any, b: Any) -> bool:
    """Whether one formula is an instance of another: parameters set, at a cutoff, any falling convex discount for p^i."""
    if isinstance(a, dict) and a["kind"] == b["kind"]:
        return all(key == "cutoff" or agrees(a[key], b[key]) for key in a)
    free = isinstance(a, str) and bool(names(parsed(a)))
    return bool(a == b) or free or (isinstance(a, dict) and (a["kind"], b["kind"]) == ("Geometric", "Abstract"))

# --- the certificate of one cell ---
class CheckedCertificate:
    """One certificate, and what is wrong with it."""
    def __init__(self, path: Path, folder: Path) -> None:
        self.data = json.loads(path.read_text(encoding="utf-8"))
        self.folder, self.name, self.faults, self.counts = folder, path.stem, list[str](), Counter[str]()
        self.axiom, self.reading, self.region = self.data["verdict"]["axiom"], self.data["reading"], set(self.data["region"])
        self.source = random.Random(path.stem)  # noqa: S311
        self.queries, self.ranges = set[str](self.data["asked"]), set[str](self.data["ranges"])
        self.ranged = RANGED | {*LARGE} | {name for text in self.ranges for name in names(parsed(text))}
    def fault(self, text: str, *, unless: Any = False) -> None:
        self.faults += [] if unless else [f"{self.name}: {text}"]
    def check(self) -> CheckedCertificate:
        found, shapes, steps = self.data["verdict"], self.data["shapes"], self.data["steps"]
        verdict, threshold, proof = found["verdict"], found["axiom"] in ("DeepTh", "CloseTh"), found["proof"] or {}
        told, listed = ([step["name"] for step in some] for some in (proof.get("steps", []), steps))
        self.fault("fails without a counterexample", unless=verdict != "fails" or found["counterexample"])
        self.fault("holds without evidence", unless=verdict != "holds" or ((shapes or steps) if threshold else (shapes and steps)))
        self.fault("the reading is another", unless=found["reading"] == self.reading["name"])
        self.fault("the steps are not those of the proof", unless=told[len(told) - len(listed) :] == listed)
        self.fault("the shapes are not those of the proof", unless=threshold or not shapes or f"({len(shapes)} shapes)" in proof["bound"])
        self.counts["functions"] = self.data["formula"] is None
        try:
            if found["counterexample"] is not None and self.data["formula"] is not None:
                self.counterexample(found["counterexample"], self.data["counterexample_formula"])
            for shape in shapes:
                self.shape(shape)
        except NotImplementedError:
            self.counts["functions"] = 1
        self.steps()
        return self
    def counterexample(self, found: Any, formula: Any) -> None:
        better, worse, pool = ([[F(r) for r in row] for row in found[part]] for part in ("better", "worse", "pool"))
        weights, metric = [F(w) for w in found["weights"]], BoundFormula(formula, {}, ideals=False)
        pair = meets(self.axiom, self.reading, better, worse, weights, formula["cutoff"]) and agrees(self.data["formula"], formula)
        self.fault("the counterexample is no pair of the constraint, or one of another metric", unless=pair)
        first, second = metric.whole(better, weights, pool), metric.whole(worse, weights, pool)
        broken = first <= second + CLOSE if self.axiom != "Sat" else first < second - CLOSE
        self.fault(f"the counterexample is none: {float(first):.9g} against {float(second):.9g}", unless=broken)
        for shown, score in zip(found["decimals"], (first, second), strict=True):
            self.fault(f"a score of {shown} is {float(score):.9g} by definition", unless=abs(F(shown) - score) <= F(1, 10**6))
        self.counts["counterexamples"] += 1
    def shape(self, shape: Any) -> None:
        """Each fork is followed both ways, or the other way is refuted by a query; each way is refuted by one."""
        self.counts["shapes"] += 1
        label, held, cut = shape["label"], set(shape["held"]), {str(one["forks"]) for one in shape["pruned"]}
        followed = {str(way["forks"][: i + 1]) for way in shape["ways"] for i in range(len(way["forks"]))}
        for way in [*shape["ways"], *shape["pruned"]]:
            told = {text for text, answer in way["forks"] if answer} | {way["refuted"]}
            self.asserts(way["query"], held | told, [text for text, answer in way["forks"] if not answer], label)
        self.fault(f"{label}: another metric", unless=agrees(self.data["formula"], shape["formula"]))
        parts, sign = (shape["better"], shape["worse"], shape["pool"], [shape["weights"]]), "<" if self.axiom == "Sat" else "<="
        terms = [[[parsed(r) for r in row] for row in part] for part in parts]
        self.is_the_constraint(shape, terms, [parsed(text) for text in held - self.region - self.ranges])
        for way in shape["ways"]:
            self.is_the_metric(shape, terms, way)
            right = way["refuted"] in ("true", "false") or same(f"({sign} {way['gap']} 0)", way["refuted"], {}, self.source)
            self.fault(f"{label}: what is refuted is not the claim's opposite", unless=right)
            for i, (text, answer) in enumerate(way["forks"]):
                complete = str([*way["forks"][:i], [text, not answer]]) in followed or str(way["forks"][:i]) in cut
                self.fault(f"{label}: a case is missing", unless=complete)
    def is_the_constraint(self, shape: Any, terms: Any, held: list[Any]) -> None:
        """What a shape assumes is what the constraint assumes, no more and no less: at random points."""
        used = {n for row in [*(row for part in terms for row in part), held] for r in row for n in names(r)}
        for _ in range(40):
            size, zero = self.source.choice([1, 9]), {n for n in used if n[0] != "w"}
            env = {n: r / size for n, r in points(used, self.source, zero).items()}
            better, worse, _, (w,) = ([[F(value(r, env)) for r in row] for row in rows] for rows in terms)
            pair = meets(self.axiom, self.reading, better, worse, w, shape["formula"]["cutoff"])
            right = pair == all(value(text, env) for text in held)
            self.fault(f"{shape['label']}: its premises are not the constraint's", unless=right)
    def is_the_metric(self, shape: Any, terms: Any, way: Any) -> None:
        """The polynomial asked about is the difference of the two scores, by the definition."""
        gap, forks = parsed(way["gap"]), [(parsed(text), answer) for text, answer in way["forks"]]
        asked = {n for text, _ in forks for n in names(text)}  # few: the others get values only where these lead to this way
        used = names(gap) | {n for part in terms for row in part for r in row for n in names(r)} | self.ranged
        zero, others = {n for n in used | asked if n[0] in "rtuxyz"}, (used | {f"{x}{n}" for x in "ID" for n in range(25)}) - asked
        tried = (points(asked, self.source, zero) for _ in range(200))
        leading = (at for at in tried if all(value(text, at) == answer for text, answer in forks))
        for env in ({**at, **points(others, self.source, zero)} for at in islice(leading, POINTS)):
            better, worse, pool, (w,) = ([[F(value(r, env)) for r in row] for row in rows] for rows in terms)
            metric = BoundFormula(shape["formula"], env, ideals=True, same_ideal=shape["same_ideal"])
            right = metric.whole(better, w, pool) - metric.whole(worse, w, pool) == value(gap, env)
            self.fault(f"{shape['label']}: the polynomial is not the metric's", unless=right)
    def asserts(self, file: str, allowed: set[str], denied: list[str], label: str) -> None:
        """A query holds nothing but what its claim allows: premises, its case, the claim's opposite, known facts."""
        self.queries.add(file)
        lines = (self.folder / "queries" / file).read_text(encoding="utf-8").splitlines()
        for formula in (line[8:-1] for line in lines if line.startswith("(assert ")):
            fine = formula in allowed | self.ranges or self.known(formula) or any(self.opposite(formula, one) for one in denied)
            self.fault(f"{label}: a query assumes {formula}", unless=fine)
    def opposite(self, formula: str, denied: str) -> bool:
        """Whether a formula is the negation of another: −p ≤ 0 for p < 0, p ≠ 0 for p = 0, and so on."""
        a, b = parsed(formula), parsed(denied)  # p and −p, not their truth at points where one is always true
        sums = (value(("+", a[1], b[1]), points(names(a) | names(b), self.source)) for _ in range(POINTS))
        return ("not", b) == a or {a, b} == {"true", "false"} or ({a[0], b[0]} == {"<", "<="} and a[2] == b[2] == "0" and not any(sums))
    def known(self, formula: str) -> bool:
        """Enclosures of logarithms, positive ideals, and weights of ranks that are positive, falling and convex."""
        tree = parsed(formula)
        symbols = {name: int(name[1:]) for name in names(tree) if name[0] in "LDI" and name[1:].isdigit()}
        kinds: dict[str, list[Any]] = {"L": [_log], "I": [lambda i: F(1, 10**9), lambda i: F(10**9)]}
        kinds["D"] = [lambda i: F(1, i), lambda i: F(9, 10) ** i, lambda i: F(1, 99) ** i, lambda i: _log(i + 1)]
        if len(symbols) < len(names(tree)) or len(letters := {name[0] for name in symbols}) != 1:
            return False
        return all(value(tree, {name: kind(i) for name, i in symbols.items()}) for kind in kinds[letters.pop()])
    def steps(self) -> None:
        done: dict[str, Any] = {}
        for step in self.data["steps"]:
            self.counts["steps"] += 1
            kind, name = step["kind"], step["name"]
            self.fault(f"step {name}: no {kind} of the list", unless=name in FACTS if kind == "fact" else kind in ("induction", "claim", "exact"))
            for given in [*step["given"], *step["first"]]:
                self.given(given, done, name)
            if kind == "induction":
                self.ways(step, step["start"], step["first"], [])
            if kind in ("induction", "claim"):
                self.ways(step, step["ways"], step["given"], step["invariant"])
            done[name] = step
    def given(self, given: Any, done: dict[str, Any], name: str) -> None:
        """A premise is a range, a premise of the constraint, a definition, or an instance of an earlier step."""
        source, formula, at = given["from"], given["formula"], {**points(self.ranged, self.source), **LARGE}
        tree, earlier, fine = parsed(formula), done.get(source.removeprefix("step "), {"kind": source}), False
        premise, ranks = ({name: F(n, 100) for name, n in known.items()} for known in (PREMISE, RANKS))
        if source == "definition":
            fine = tree[0] == "=" and names(tree) <= self.ranged
        elif source in ("range", "premise"):
            at = at if source == "range" else {**at, **premise}
            fine = (source == "range" and formula in self.region) or (names(tree) <= {*at} and bool(value(tree, at)))
        elif earlier["kind"] in ("fact", "exact"):
            fine = names(tree) <= {*ranks} and any(value(tree, {**ranks, "d": d}) for d in (ranks["d"], F(1, 100)))
        elif earlier["kind"] == "induction":
            fine = any(same(one, formula, given["instance"], self.source) for one in earlier["invariant"])
        elif earlier["kind"] == "claim":
            fine = all(self.concluded(formula, way, given["instance"]) for way in earlier["ways"])
        self.fault(f"step {name}: {formula} is no {source}, or does not come before it", unless=fine)
    def concluded(self, formula: str, way: Any, instance: dict[str, str]) -> bool:
        put = {**way["names"], **{name: way["names"].get(term, term) for name, term in instance.items()}}
        return any(same(formula, one, put, self.source) for one in way["concludes"])
    def ways(self, step: Any, ways: Any, given: Any, hypothesis: list[str]) -> None:
        allowed, name = {one["formula"] for one in given} | set(hypothesis), step["name"]
        for way in ways:
            self.fault(f"step {name}: a conclusion without a query", unless=len(way["queries"]) == len(way["concludes"]))
            for file, concluded in zip(way["queries"], way["concludes"], strict=False):
                self.asserts(file, allowed | set(way["conditions"]), [concluded], f"step {name}")
            for invariant in step["invariant"]:
                kept = any(same(invariant, c, way["names"], self.source) for c in way["concludes"])
                self.fault(f"step {name}: {invariant} is not shown", unless=kept)

# --- asking a solver again ---
def ask(solver: str, path: Path, seconds: float) -> str:
    """What a solver says to one file."""
    if solver != "cvc5":
        done = subprocess.run([solver, str(path)], capture_output=True, text=True, timeout=seconds, check=False)
        return (done.stdout.split() or ["nothing"])[0]
    import cvc5  # type: ignore[import-not-found, import-untyped, unused-ignore]

    engine, said = cvc5.Solver(), ""
    engine.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(engine)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, path.read_text(encoding="utf-8"), path.name)
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(engine, parser.getSymbolManager()))
    return (said.split() or ["nothing"])[0]
def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=str(Path(__file__).parent))
    parser.add_argument("--solver", help="ask every query again: cvc5, or a program that reads an SMT-LIB file")
    parser.add_argument("--seconds", type=float, default=60, help="for one query (default: 60)")
    arguments = parser.parse_args()
    folder, start, answers = Path(arguments.folder), time.monotonic(), Counter[str]()
    cells = [CheckedCertificate(path, folder).check() for path in sorted((folder / "cells").glob("*.json"))]
    if not cells:
        return f"no certificates in {folder}"
    faults = [fault for cell in cells for fault in cell.faults]
    files = sorted({file for cell in cells for file in cell.queries})
    print(f"{len(cells)} cells, {len(files)} queries; checked: {dict(sum((cell.counts for cell in cells), Counter()))}")
    for file in files if arguments.solver else []:
        answers[said := ask(arguments.solver, folder / "queries" / file, arguments.seconds)] += 1
        faults += [f"{arguments.solver} says {said} to {file}"] if said != "unsat" else []
    print(*(f"{arguments.solver}: {count} {said}" for said, count in sorted(answers.items())), sep="\n", end="\n" * bool(answers))
    print("\n".join([*faults, f"{len(faults)} disagreements, {time.monotonic() - start:.0f} s"]))
    return 1 if faults else 0

if __name__ == "__main__":
    sys.exit(main())
