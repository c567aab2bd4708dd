"""Theorems about axioms that exclude each other: each is stated, explained, derived in steps that z3 checks, and proved in Coq.

A theorem is about all metrics of a form, not about one declaration. The map of the axioms cites them by letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F

from diveval.axioms.proof.derivation import Derivation, definitions, premises, ranges, symbol
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.verdicts import Proof
from diveval.errors import UsageError, need


@dataclass(frozen=True)
class Theorem:
    """A statement about axioms: what it says, why it is so, its steps, and the theorems of the Coq development."""

    letter: str
    title: str
    says: str
    why: str
    coq: tuple[str, ...]
    derive: Callable[[Derivation], None]

    def prove(self, *, seconds: float = 20.0) -> Proof:
        """The steps, checked now; a step that z3 does not confirm is an error of the engine."""
        need("z3", "axioms")
        derivation = Derivation(Solver({}, seconds=seconds))
        self.derive(derivation)
        if not derivation.sound:
            raise AssertionError(f"theorem {self.letter}: a step was not proved")
        return derivation.proof("")


def _thresholds(d: Derivation) -> None:
    """A: S(n) = D(n+1) + … + D(2n)."""
    top, second, first, at_m, at_n = (symbol(name) for name in ("D1", "D2", "S1", "Sm", "Sn"))
    r = symbol("r")
    d.claim(
        "close",
        "CloseTh at m: r·S(m) > r·D(1), so S(m) > D(1)",
        [*ranges(r > 0), *premises(r * at_m > r * top)],
        lambda: [at_m > top],
    )
    d.claim(
        "rises",
        "S rises: S(n) ≥ S(m) > D(1) for every n ≥ m, so no such n satisfies DeepTh",
        [*ranges(r > 0), *premises(at_n >= at_m), *d.cite("close", at_m > top)],
        lambda: [r * at_n > r * top],
    )
    d.claim(
        "falls",
        "S falls: S(m) ≤ S(1) = D(2) < D(1), against CloseTh",
        [*ranges(top > second), *definitions(first == second), *premises(at_m <= first)],
        lambda: [at_m < top],
    )
    n = symbol("n")
    a, b, c = (symbol(name) for name in ("a", "b", "c"))
    named = definitions(a * (n + 1) == 1, b * (2 * n + 1) == 1, c * (2 * n + 2) == 1)
    d.claim("1/i", "S(n+1) − S(n) = 1/(2n+1) + 1/(2n+2) − 1/(n+1) > 0", [*ranges(n >= 1), *named], lambda: [b + c > a])
    d.fact("logarithm")
    x, y, z, one, two, three = (symbol(name) for name in ("x", "y", "z", "Lx", "Ly", "Lz"))
    inverse = definitions(x * one == 1, y * two == 1, z * three == 1)
    d.claim(
        "1/log",
        "(n+2)² ≥ 2n+3 ≥ 2n+2, so 2·log(n+2) ≥ log(2n+3) and log(2n+2), and S(n+1) − S(n) ≥ 0",
        [*ranges(one > 0, two > 0, three > 0, two <= 2 * one, three <= 2 * one), *inverse],
        lambda: [y + z >= x],
    )
    p = F(9, 10)
    s = [sum((p**i for i in range(n + 1, 2 * n + 1)), F(0)) for n in range(11)]
    d.exact(
        "p^i", "p = 9/10: S(1) < S(2), S(2) > D(1), and S(10) < S(9): not monotone", s[1] < s[2] > p and s[10] < s[9]
    )


def _saturation(d: Derivation) -> None:
    """B: a document behind a fully relevant one gains w·r·f − e."""
    w, r, f, e, weight = (symbol(name) for name in ("w", "r", "f", "e", "D"))
    d.claim(
        "enough",
        "f ≤ e: no document about the aspect gains, whatever its weight and relevance",
        [*ranges(weight > 0, w > 0, w <= 1, r > 0, r <= 1, f >= 0), *premises(f <= e)],
        lambda: [weight * (w * r * f - e) <= 0],
    )
    d.claim(
        "needed",
        "one aspect (w = 1), r = 1: Sat says D·(f − e) ≤ 0, so f ≤ e",
        [*ranges(weight > 0), *premises(weight * (f - e) <= 0)],
        lambda: [f <= e],
    )
    alpha = symbol("alpha")
    d.claim(
        "EU",
        "f = 1 − α behind one document: α + e ≥ 1",
        [*definitions(f == 1 - alpha), *premises(f <= e)],
        lambda: [alpha + e >= 1],
    )
    one, other, share = symbol("f1"), symbol("f2"), symbol("share")
    d.claim(
        "tie",
        "e = 0: f = 0 behind a full document and all that follow, so behind t', t, t one about t' and one about t tie",
        [*ranges(one >= 0, other >= 0), *premises(one <= 0, other <= 0)],
        lambda: [weight * share * one == weight * share * other],
    )


def _counting(d: Derivation) -> None:
    """C: novelty g(c), c documents having been relevant."""
    g0, g1, weight, w, r = (symbol(name) for name in ("g0", "g1", "D", "w", "r"))
    d.claim(
        "Red",
        "Red behind one document about t: D·w·r·g(0) > D·w·r·g(1), so g(0) > g(1)",
        [*ranges(weight > 0, w > 0, r > 0), *premises(weight * w * r * g0 > weight * w * r * g1)],
        lambda: [g0 > g1],
    )
    top, second, third, x, half = (symbol(name) for name in ("D1", "D2", "D3", "x", "half"))
    loss = second * half * (g0 - g1)
    d.claim(
        "loss",
        "the document of relevance 1/2 at rank 2 loses D(2)·½·(g(0) − g(1)) > 0",
        [*ranges(second > 0), *definitions(half == F(1, 2)), *d.cite("Red", g0 > g1)],
        lambda: [loss > 0],
    )
    before = second * half * g0 + third * x * g1
    after = top * x * g0 + second * half * g1
    d.claim(
        "swap",
        "(0, ½, x) → (x, ½, 0) with x·(D(1)·g(0) − D(3)·g(1)) below that loss lowers the score",
        [*premises(x * (top * g0 - third * g1) < loss)],
        lambda: [after < before],
    )


def _continuity(d: Derivation) -> None:
    """D: scores of d, of d with a non-relevant document, and of d with one of relevance r."""
    q, q0, qr = symbol("Q"), symbol("Q0"), symbol("Qr")
    d.claim(
        "jump",
        "Conf: Q(d) > Q(d, 0). Continuity: Q(d, r) is nearer to Q(d, 0) than that for small r > 0. So Q(d, r) < Q(d)",
        [*premises(q > q0, qr - q0 < q - q0)],
        lambda: [qr < q],
    )


def _effort(d: Derivation) -> None:
    """E: unpadded, the long ranking pays for 2m documents and the short one for one."""
    u, e, r, top, next_, a, b, c = (symbol(name) for name in ("u", "e", "r", "D1", "Dm", "A", "B", "C"))
    weight = symbol("D")
    d.claim(
        "Sat",
        "Sat at any r_max: D·(u − e) ≤ 0, so e ≥ u",
        [*ranges(weight > 0), *premises(weight * (u - e) <= 0)],
        lambda: [u <= e],
    )
    d.claim(
        "late",
        "documents 2 to m behind m others bring C ≤ u·B, B = D(m+2) + … + D(2m)",
        [*ranges(b >= 0, c >= 0, r > 0, r < 1, u >= 0), *premises(c <= u * b)],
        lambda: [r * c <= u * b],
    )
    d.claim(
        "cost",
        "r·(D(m+1) + C − D(1)) ≤ u·B ≤ e·(A + B), the effort of ranks 2 to 2m, A = D(2) + … + D(m+1): no m does",
        [
            *ranges(a >= 0, b >= 0, r > 0, u >= 0, next_ <= top),
            *d.cite("Sat", u <= e),
            *d.cite("late", r * c <= u * b),
        ],
        lambda: [r * (next_ + c - top) <= e * (a + b)],
    )


THEOREMS = {
    theorem.letter: theorem
    for theorem in (
        Theorem(
            "A",
            "DeepTh against CloseTh",
            "Without novelty, let D be positive and falling and S(n) = D(n+1) + … + D(2n). If S is monotone, charitable DeepTh "
            "and CloseTh exclude each other, whatever the effort.",
            "S(n) is what n relevant documents behind n others are worth. CloseTh wants it above D(1) for some n, DeepTh below "
            "D(1) for all large n: S must rise and fall again. It rises for 1/i (to ln 2 < 1: DeepTh) and 1/log (without "
            "bound: CloseTh); p^i rises and falls.",
            ("deepth_closeth_exclusive", "reciprocal_exclusive", "logarithmic_exclusive", "geometric_not_monotone"),
            _thresholds,
        ),
        Theorem(
            "B",
            "Sat is a condition on effort",
            "In weighted sums with novelty f, charitable Sat holds exactly if e ≥ sup f behind a fully relevant document. Without "
            "effort, Sat and Red as written exclude each other if novelty never grows. For (1−α)^c Sat is α + e ≥ 1.",
            "A document about a satisfied aspect brings at most f and costs e. If it costs nothing, nothing may be left of "
            "the aspect; then two satisfied aspects are worth the same, and Red cannot prefer one of them.",
            ("sat_iff_effort", "sat_iff_one_document", "sat_decay", "sat_red_exclusive"),
            _saturation,
        ),
        Theorem(
            "C",
            "Red against Pri for novelty that counts",
            "If novelty depends on the number of relevant documents only, Red and Pri as written exclude each other, for "
            "every falling discount, weights and effort.",
            "Red makes the second document about an aspect worth less. A document that is relevant only a little counts as "
            "much as a good one: moved above it, it takes more from it than it brings.",
            ("counts_break_pri", "red_pri_exclusive"),
            _counting,
        ),
        Theorem(
            "D",
            "Conf against continuity and monotonicity",
            "No metric satisfies Conf, is continuous in the relevance of the last document, and never loses by another "
            "relevant document (Moffat's monotonicity).",
            "A non-relevant document at the end costs something. A document that is hardly relevant must then cost nearly as "
            "much, though it is relevant.",
            ("conf_continuous_monotone_exclusive",),
            _continuity,
        ),
        Theorem(
            "E",
            "Sat against CloseTh as written",
            "If there is no novelty, or novelty counts relevant documents, Sat and CloseTh as written exclude each other, for "
            "every discount that does not grow, whatever r_c.",
            "Sat needs an effort of at least what a second document brings. CloseTh as printed compares one document with 2m: "
            "all of the m relevant ones but the first bring at most what their ranks cost.",
            ("effort_breaks_closeth", "sat_closeth_exclusive"),
            _effort,
        ),
    )
}


def find_conflict_theorem(letter: str) -> Theorem:
    """A theorem by its letter."""
    if letter.upper() not in THEOREMS:
        raise UsageError(
            "invalid-choice", f"no theorem is called {letter!r}", hint=f"choose from {', '.join(THEOREMS)}"
        )
    return THEOREMS[letter.upper()]
