"""The search for counterexamples, and the small things beside it."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import islice

from diveval.axioms import AS_WRITTEN, AXIOMS, Bounds
from diveval.axioms.constraints import Case, Pair
from diveval.axioms.evidence import scored
from diveval.axioms.paper import printed
from diveval.axioms.polynomials import Poly, Term
from diveval.axioms.search import MOST_TRIED, Candidate, assignments, candidates, first_counterexample
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import subject
from diveval.axioms.universal import Universal
from diveval.axioms.witnesses import _along
from diveval.metrics import parse

P, TINY = Term.symbol("p"), Term.symbol("eps")

# --- the search -------------------------------------------------------------------------------------------------------


def refusing(symbols, fillers=()):
    """A case no values satisfy, and the values tried."""
    tried = []

    def build(values):
        tried.append(values)
        return Pair([], [], [Term.of(1)], [False])

    return Case("Pri", "", 2, 1, symbols, build, fillers), tried


def test_the_search_stops():
    """After 4,000 tries unless told otherwise; infinitesimals are for candidates only."""
    who = subject("RBP(p=0.8)")
    case, tried = refusing(tuple("abcdef"))
    assert list(candidates(who, case, Solver(), same_ideal=False, extra={})) == [] and len(tried) == MOST_TRIED == 4000
    tried.clear()
    assert first_counterexample(who, [case], tries=30) is None
    first = list(islice(assignments(case), 4000))
    small = [any(value.num.value is None for value in values.values()) for values in first]
    assert tried == [values for values, tiny in zip(first[:30], small, strict=False) if not tiny] and len(tried) == 24
    asked = Universal(who, AXIOMS["Pri"], AS_WRITTEN, Bounds(), Solver())
    tried.clear()
    assert asked._scored_directly(case) is None and len(tried) == 4000 + 3 * sum(small)  # four sizes of what is small


def test_simple_values_come_first_and_room_is_filled_last():
    """Weights have values of their own; with many symbols all that only takes up room gets one value."""
    few, _ = refusing(("r", "w1", "x"), ("x",))
    tried = [tuple(str(values[name]) for name in ("r", "w1", "x")) for values in assignments(few)]
    grid = ["1/2", "1/4", "3/4", "0", "1", "1/8", "eps", "1/2 − eps"]
    weights, room = ["1/4", "1/2 − eps", "1/2", "1/3"], ["0", "1/2", "1/4", "3/4", "1", "eps"]
    assert tried == [(r, w, x) for x in room for r in grid for w in weights]
    many, _ = refusing(("r", "t1", "u1", "t2", "u2"), ("t1", "u1", "t2", "u2"))
    tried = [tuple(str(values[name]) for name in ("r", "t1", "u1", "t2", "u2")) for values in assignments(many)]
    halves = ["0", "1/4", "1/8", "3/8", "1/2", "1/2·eps"]
    assert tried == [(r, x, y, x, y) for x, y in zip(room, halves, strict=True) for r in grid]


def test_a_candidate_breaks_where_its_gap_says_so():
    """A tie breaks what is strict, unless it is a tie of infinitesimals; what is not certain does not break."""
    case, _ = refusing(("r",))
    half, near = {"r": Term.of(F(1, 2))}, {"r": TINY}
    gap = (P - F(1, 2)).num
    for values, strict, relation, broken in (
        (half, True, "<=", [True, True, False]), (half, False, "<", [True, False, False]),
        (near, True, "<", [True, False, False]), (near, False, "<", [True, False, False]),
    ):  # fmt: skip
        candidate = Candidate(case, values, gap, strict)
        assert candidate.small is (values is near) and candidate.broken_when() == relation
        assert [candidate.breaks_at({"p": p}) for p in (F(1, 4), F(1, 2), F(3, 4))] == broken
        assert candidate.sign_at({"p": F(1, 4)}) == -1 and candidate.breaks_at({}) is False
    nothing = Candidate(case, near, Poly({}), True)
    assert nothing.breaks_at({}) is True and replace(nothing, strict=False).breaks_at({}) is False


# --- small things -----------------------------------------------------------------------------------------------------


def test_scores_are_told_as_fractions_or_in_logarithms():
    """Exact, and in six decimals."""
    third, log = Term.of(F(1, 3)), Term.symbol("L3")
    assert scored(F(1, 3), 2) == (("1/3", "2"), ("0.333333", "2"))
    assert scored(log, third / log) == (("1/log₂3", "(1/3) / (1/log₂3)"), ("0.63093", "0.528321"))


def test_the_paper_prints_what_it_prints():
    """By the catalogue's names; of what it does not list it says nothing."""
    assert [printed("RBU", axiom) for axiom in ("Pri", "AspRel")] == ["holds", "holds"]
    assert [printed("P", axiom) for axiom in AXIOMS] == ["fails", "fails", "holds", "holds", *["fails"] * 6]
    assert printed("", "Pri") == printed("DCG", "Pri") == ""


def test_a_polynomial_that_vanishes_has_one_coefficient():
    """Which is 0; others have one for each power, logarithms as numbers."""
    assert _along(Poly({}), "p") == [0]
    assert _along((P * P * 3 + F(1, 2)).num, "p") == [F(1, 2), 0, 3]
    (constant,) = _along(Term.symbol("L3").num, "p")
    assert abs(constant - F("0.63092975357145743710")) <= F(1, 10**19)


def test_subjects_carry_what_was_given():
    """Name, cutoff, entry and source, of a metric, a text, a composition and a function."""
    metric = parse("RBU(p=0.8)@5")
    given = subject(metric)
    assert (given.name, given.cutoff, given.entry, given.source, given.free) == (metric.name, 5, "RBU", metric, ())
    text = subject(" RBU(p=0.8)@k ")
    assert (text.name, text.cutoff, text.entry, text.source) == ("RBU(p=0.8)@k", "k", "RBU", "RBU(p=0.8)@k")
    assert [p.name for p in text.free] == ["e"] and text.formula.cutoff is None
    assert [p.name for p in subject("EU(α=0.5)").free] == ["e"] and subject("RBP@9").formula.cutoff == 9
    mine = subject(lambda ranking: 0)
    assert (mine.cutoff, mine.entry, mine.free, mine.user, text.user) == (None, "", (), True, False)
    assert subject(mine) is mine and {str(fact) for fact in subject("EU").facts["e"]} == {"e > 0"}
    assert subject("D#-Measure").box == "0 < λ < 1" and [str(c) for c in subject("RBP").facts["p"]] == ["p > 0", "p < 1"]
