"""The two thresholds beyond any bound: what Σ_j D(n+j)·ν_j does as n grows, for each kind of discount and novelty.

T(n) is the gain of n relevant documents behind n non-relevant ones, D(1) that of one relevant document at the top
(both over r_c). Each argument is a few claims that the solver checks on abstract symbols.
"""

from __future__ import annotations

from fractions import Fraction

from diveval.axioms.columns import SYMBOLS, Column, Ledger, symbol
from diveval.axioms.polynomials import Poly, Term
from diveval.metrics.algebra import Always, Cascade, Decay, Discount, Flat, Geometric, Log, Reciprocal, ShiftedLog


def discount_text(discount: Discount) -> str:
    """D(i) as a person writes it; constant factors left out."""
    if isinstance(discount, Geometric):
        base = "p" if isinstance(discount.p, Term) and discount.p.num.value is None else f"({SYMBOLS.of(discount.p)!r})"
        return f"{base}^i" if discount.start else f"{base}^(i−1)"
    if isinstance(discount, Log):
        return "1/log₂(i+1)"
    if isinstance(discount, ShiftedLog):
        return "1/log₂(2i)"
    return "1/i" if isinstance(discount, Reciprocal) else "1"


def novelty_text(found: Column) -> str:
    """ν_j, what the j-th relevant document's relevance is multiplied by."""
    if isinstance(found.novelty, Cascade):
        return "[j = 1]" if found.binary else "(1−r_c)^(j−1)"
    if isinstance(found.novelty, Decay):
        alpha = SYMBOLS.of(found.novelty.alpha)
        return f"(1−{'α' if alpha.num.value is None else repr(alpha)})^(j−1)"
    return "1"


def fading(found: Column, r: Term) -> Term | None:
    """u when ν_j = (1−u)^(j−1): α, or r_c; None when novelty does not fade."""
    if isinstance(found.novelty, Decay):
        return SYMBOLS.of(found.novelty.alpha)
    return r if isinstance(found.novelty, Cascade) and not found.binary else None


# --- CloseTh: refutations for every m -------------------------------------------------------------------------------


def never_close(found: Column, ledger: Ledger) -> bool:
    """No m makes m relevant documents behind m others worth more than one at the top."""
    m, t = symbol("m"), symbol("T")
    if isinstance(found.discount, Reciprocal):
        ledger.claim(
            "for every m: T(m) ≤ m·D(m+1) = m/(m+1) < 1 = D(1), novelty being at most 1",
            [m >= 1, t <= m / (m + 1)], lambda: [t < 1],
        )  # fmt: skip
        effort_only_costs(found, ledger)
        return True
    if isinstance(found.discount, Flat) and found.binary and isinstance(found.novelty, Cascade):
        ledger.note("for every m: both rankings cover the one aspect there is, so both score the same", "induction")
        return True
    return False


def effort_only_costs(found: Column, ledger: Ledger) -> None:
    """Where the longer ranking pays for more documents, that never helps it."""
    if found.has_effort:
        paid, once = symbol("E"), symbol("d1")
        effort = SYMBOLS.of(found.effort)
        ledger.claim("2m documents cost at least what one costs", [once > 0, paid >= once],
                     lambda: [effort * (paid - once) >= 0])  # fmt: skip


def geometric_border_is_m2(ledger: Ledger) -> None:
    """p^i with ν_j = (q/p)^(j−1), q ≤ p: if m = 2 does not do, no m does. f(m) = p^m·S_m, S_m = 1 + q + … + q^(m−1)."""
    p, q, s, x = symbol("pp"), symbol("qq"), symbol("S"), symbol("x")
    start = 1 + q + q * q
    given = [q >= 0, q <= p, p > 0, p < 1, p * p * (1 + q) <= 1]
    ledger.claim("p²(1+q) ≤ 1 gives p³(1+q+q²) ≤ 1: where m = 2 fails, m = 3 fails", given, lambda: [p**3 * start <= 1])
    ledger.claim("and p·(1+q³/(1+q+q²)) ≤ 1: from m = 3 to 4 the gain does not grow", given,
                 lambda: [p * (start + q**3) <= start])  # fmt: skip
    ledger.claim(
        "induction over m ≥ 3: f(m+1) = f(m)·p·(1 + q^m/S_m) ≤ f(m), with q^m ≤ q³ and S_m ≥ 1+q+q²",
        [*given, p * (start + q**3) <= start, s >= start, x >= 0, x <= q**3],
        lambda: [p * (s + x) <= s, s + x >= start, q * x <= q**3],
    )  # fmt: skip


def fades_out(ledger: Ledger, weight: Poly | Term, border: Fraction, beyond: int) -> bool:
    """Fading novelty: T(m) ≤ D(m+1)/u; from `beyond` on, and for u at or above the border, that is below D(1)."""
    s, u = symbol("S"), symbol("u")
    ledger.claim(
        "induction over m: 1 + (1−u) + … + (1−u)^(m−1) ≤ 1/u, so T(m) ≤ D(m+1)/u",
        [u > 0, u <= 1, s >= 0, s * u <= 1], lambda: [(1 + (1 - u) * s) * u <= 1],
    )  # fmt: skip
    small = Term.of(weight) < border  # D(1) = 1 for both logarithmic discounts
    ledger.note(f"D({beyond}) / {float(border):.6f} < 1 = D(1): no m from {beyond - 1} on can do", "exact")
    return small is True


# --- DeepTh: all n from some N on -----------------------------------------------------------------------------------


def eventually_deep(found: Column, ledger: Ledger) -> tuple[bool, str] | None:
    """(holds, from which n) for `every n ≥ N`; None where no argument is known."""
    discount = found.discount
    n, t, s, u, x = symbol("n"), symbol("T"), symbol("S"), symbol("u"), symbol("X")
    if isinstance(discount, Reciprocal):
        ledger.claim("T(n) ≤ n·D(n+1) = n/(n+1) < 1 = D(1)", [n >= 1, t <= n / (n + 1)], lambda: [t < 1])
        return True, "every n ≥ 1"
    if isinstance(discount, Geometric):
        p = symbol("pp")
        ledger.claim("induction over n: 1 + p + … + p^(n−1) ≤ 1/(1−p)",
                     [p > 0, p < 1, s >= 0, s * (1 - p) <= 1], lambda: [(1 + p * s) * (1 - p) <= 1])  # fmt: skip
        ledger.note("so T(n) ≤ D(1)·p^n/(1−p) < D(1) once p^n < 1−p")
        return True, "every n with p^n < 1 − p"
    if isinstance(discount, Flat):
        ledger.claim("T(n) = 1 + what the later documents add ≥ 1 = D(1)", [x >= 0, t == 1 + x], lambda: [t >= 1])
        return False, "every n ≥ 1"
    if isinstance(discount, (Log, ShiftedLog)):
        if fading(found, symbol("r")) is not None:
            ledger.claim("induction over n: 1 + (1−u) + … ≤ 1/u",
                         [u > 0, u <= 1, s >= 0, s * u <= 1], lambda: [(1 + (1 - u) * s) * u <= 1])  # fmt: skip
            ledger.note("so T(n) ≤ D(n+1)/u, which falls below D(1) since D(n) → 0")
            return True, "every n with D(n+1) < u, u being " + ("α" if isinstance(found.novelty, Decay) else "r_c")
        if isinstance(found.novelty, Always):
            shift, first = (1, 3) if isinstance(discount, Log) else (0, 4)
            factor = 2 if isinstance(discount, Log) else 4
            ledger.claim(
                f"induction over n ≥ {first}: {factor}n{'+1' if shift else ''} ≤ 2^n, so n·D(2n) ≥ 1",
                [n >= first, factor * n + shift <= x], lambda: [factor * (n + 1) + shift <= 2 * x],
            )  # fmt: skip
            ledger.sound = ledger.sound and factor * first + shift <= 2**first
            ledger.note("T(n) ≥ n·D(2n) ≥ 1 = D(1)", "induction")
            return False, f"every n ≥ {first}"
    return None


def average_precision_not_deep(ledger: Ledger) -> tuple[bool, str]:
    """AP: the j-th relevant document adds j/(n+j)."""
    n, j = symbol("n"), symbol("j")
    ledger.claim("j/(n+j) ≥ j/(2n) for 1 ≤ j ≤ n, which sums to (n+1)/4", [j >= 1, j <= n],
                 lambda: [j / (n + j) >= j / (2 * n)])  # fmt: skip
    ledger.claim("(n+1)/4 ≥ 1 for n ≥ 3", [n >= 3], lambda: [(n + 1) / 4 >= 1])
    return False, "every n ≥ 3"
