"""The search for counterexamples, and the small things beside it."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import islice

from diveval.axioms import AS_WRITTEN, AXIOMS, CHARITABLE, Bounds
from diveval.axioms.cache import key
from diveval.axioms.columns import Column, column, single_aspect_column
from diveval.axioms.constraints import Case, Pair
from diveval.axioms.evidence import scored
from diveval.axioms.logs import bounds, enclosure
from diveval.axioms.paper import printed
from diveval.axioms.polynomials import Poly, Term
from diveval.axioms.search import (
    MOST_TRIED,
    Candidate,
    assignments,
    candidates,
    concrete,
    first_counterexample,
    pools,
    positive,
    simplified,
)
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import subject
from diveval.axioms.universal import Universal
from diveval.axioms.witnesses import Gap, Witnesses, _along
from diveval.metrics import parse
from diveval.metrics.algebra import Always, Aspects, Cascade, Flat, Geometric, GlobalGain, Log, Overall, Reciprocal

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


def test_judgments_to_try():
    """Where each aspect has an ideal of its own: mirrored, as they are, and with more about t' than the rankings show."""
    half, third, none, one = F(1, 2), F(1, 3), F(0), F(1)
    rows = [[Term.of(r) for r in row] for row in ((half, none), (third, third), (none, none))]
    pair = Pair(rows, rows, [Term.of(half)] * 2, [], pool=rows)
    seen = ((half, none), (third, third))
    mirrored, more = (*seen, (none, half)), (none, one)
    assert list(pools(subject("nDCG-IA"), pair, same_ideal=True)) == [mirrored]
    assert list(pools(subject("AP-IA"), pair, same_ideal=False)) == [
        mirrored, seen, (*seen, more), (*seen, more, more), (*seen, more, more, more),
    ]  # fmt: skip
    assert list(pools(subject("RBU"), pair, same_ideal=False)) == [seen]
    single = Pair(rows[:1], rows[:1], [Term.of(1)], [], pool=[[Term.of(half)]])
    assert list(pools(subject("nDCG-IA"), single, same_ideal=False)) == [((half,),)]


def test_what_is_small_becomes_a_number():
    """The largest of four that breaks the constraint, at the setting asked for."""
    case = AXIOMS["Pri"].cases(AS_WRITTEN, Bounds())[0]
    values, setting = {"r1": TINY, "r2": Term.of(F(1, 20))}, {"p": F(1, 2)}

    def bottom(ranking):
        return sum(i * row[0] for i, row in enumerate(ranking.relevance))

    found = concrete(subject(bottom), case, values, {})
    assert (found.better, found.worse) == (((F(1, 20),), (F(1, 100),)), ((F(1, 100),), (F(1, 20),)))
    assert (found.label, found.weights, found.pool) == (case.label, (1,), found.worse) and found.strict
    assert (found.scores, found.decimals, found.setting, found.cutoff) == (("1/100", "1/20"), ("0.01", "0.05"), {}, None)
    assert concrete(subject("RBP"), case, values, setting) is None
    equal = concrete(subject("P@k"), case, {"r1": Term.of(F(1, 4)), "r2": Term.of(F(1, 2))}, {"p": F(1, 3)})
    assert (equal.scores, equal.cutoff, equal.setting) == (("1", "1"), 2, {})
    assert concrete(subject("P@k"), case, {"r1": Term.of(F(1, 2)), "r2": Term.of(F(1, 4))}, {}) is None


def test_a_tie_breaks_only_what_is_strict():
    """Sat asks for no more than before: a document that adds nothing is no counterexample, one that adds is."""
    case = AXIOMS["Sat"].cases(replace(AS_WRITTEN, saturation="one"), Bounds())[0]
    values = {name: Term.of(F(1, 2)) for name in case.symbols}
    assert concrete(subject("RR-IA"), case, values, {}) is None
    found = concrete(subject("RBP-IA(p=0.5)"), case, values, {})
    assert found.strict is False and F(found.scores[0]) < F(found.scores[1])


def test_bounds_enclose_whatever_the_coefficient():
    """A positive coefficient takes the lower end below, a negative one the upper end, however small."""
    low, high = enclosure(3, 30)
    for c in (F(1, 2), F(1), F(3), F(-1, 2), F(-1), F(-3)):
        assert bounds((Term.symbol("L3") * c).num.terms, 30) == tuple(sorted((low * c, high * c)))
    other = enclosure(5, 30)
    both = (Term.symbol("L3") ** 2 * Term.symbol("L5") - 1).num.terms
    assert bounds(both, 30) == (low**2 * other[0] - 1, high**2 * other[1] - 1)


def test_factors_that_never_change_a_sign():
    """p, r_c, ideals, logarithms and weights of ranks; and 1 − p where p ends at 1."""
    names = ["p", "r", "I0", "L3", "D12", "e", "alpha", "lam", "I", "Lx", "x3", "eps", "rmax"]
    assert [name for name in names if positive(name)] == ["p", "r", "I0", "L3", "D12"]
    e, alpha = Term.symbol("e"), Term.symbol("alpha")
    poly = ((1 - P) * (1 - e) * P * e * 4).num
    assert simplified(poly, subject("RBU")) == ((1 - e) * e).num
    assert simplified(((1 - alpha) * alpha * (P - 1)).num, subject("NRBP")) == (-alpha).num


# --- the thresholds ---------------------------------------------------------------------------------------------------


def witnesses(metric, axiom="CloseTh", reading=AS_WRITTEN):
    who = subject(metric)
    return Witnesses(who, AXIOMS[axiom], reading, Bounds(), Solver(who.facts))


def test_the_two_rankings_of_a_threshold():
    """One relevant document against n behind n, padded or not, and which of them must win."""
    r, no = [Term.symbol("r")], [Term.of(0)]
    for axiom, reading, many_win in (("CloseTh", AS_WRITTEN, True), ("DeepTh", AS_WRITTEN, False), ("DeepTh", CHARITABLE, False)):
        case = witnesses("RBP", axiom, reading).case(2)
        pair = case.build({"r": r[0]})
        one, many = [r, *([no] * 3 if reading.padded else [])], [no, no, r, r]
        assert (pair.better, pair.worse) == ((many, one) if many_win else (one, many))
        assert (pair.weights, pair.premises, pair.pool) == ([Term.of(1)], [r[0] > 0, r[0] < 1], [*many, r])
        assert (case.axiom, case.documents, case.aspects, case.symbols) == (axiom, 4, 1, ("r",))
    assert witnesses("RBP").case(3).label == "m = 3: 3 relevant behind 3 non-relevant must beat one at the top"
    assert witnesses("RBP", "DeepTh").case(3).label == "n = 3: one at the top must beat 3 relevant behind 3 non-relevant"


def test_r_is_free_given_or_small():
    """And the usual parameters, those beside them and all that is admissible follow."""
    free, given = witnesses("RBP"), witnesses("RBP", reading=replace(AS_WRITTEN, r_c=F(1, 5)))
    small, deep = witnesses("RBP", reading=CHARITABLE), witnesses("RBP", "DeepTh", CHARITABLE)
    assert [str(one.r) for one in (free, given, small, deep)] == ["r_c", "1/5", "eps", "r_c"]
    assert [one.small for one in (free, given, small, deep)] == [False, False, True, False]
    usual = [one.usual for one in (free, given, small, deep)]
    assert usual == [{"r": r, "p": F(4, 5)} for r in (F(1, 2), F(1, 5), F(1, 100), F(1, 2))]
    near = (F(1, 2), F(1, 10), F(9, 10))
    assert free._settings() == [usual[0], *({"r": r, "p": F(4, 5)} for r in near), *({"r": F(1, 2), "p": p} for p in near)]
    assert given._settings() == [usual[1], *({"r": F(1, 5), "p": p} for p in near)]
    assert small._settings() == [usual[2], *({"r": F(1, 100), "p": p} for p in near)]
    assert [[str(c) for c in one.inside()] for one in (free, given)] == [
        ["r_c > 0", "r_c < 1", "p > 0", "p < 1"], ["p > 0", "p < 1"],
    ]  # fmt: skip
    assert free.padded().reading == replace(AS_WRITTEN, padded=True) and free.padded().gaps == {}


def test_where_n_is_a_witness():
    """Always, never, or where its polynomial is positive; a border and intervals to six digits."""
    asked = witnesses("RBP")
    gaps = [Gap((((), form.num),)) for form in (P, -P, P - F(1, 3), F(1, 3) - P)]
    assert [asked.always(gap) for gap in gaps] == [True, False, False, False]
    assert [asked.never(gap) for gap in gaps] == [False, True, False, False]
    assert abs(asked.border(gaps[3:], "p") - F(1, 3)) < F(1, 10**6) and asked.border(gaps[1:2], "p") < F(1, 10**6)
    assert str(asked.gap(2)) == "p² + p³ > 1" and asked.gap(2) is asked.gap(2) and asked.gap(2, 3) is not asked.gap(2)
    assert str(asked.gap(2, 3)) == "−p > 1" and asked.witness(6) is None and witnesses("P").witness(6, 4) == 2
    assert asked.numbers(2, None) == ("p > 0.754878",) and asked.numbers(4, 3) == ("p: nowhere",)
    assert witnesses("RBU").numbers(2, None) == (
        "e < 0.079113 at r_c = 1/2, p = 99/100", "p > 0.927256 at r_c = 1/2, e = 1/20",
        "0.192541 < r_c < 0.78695 at p = 99/100, e = 1/20",
    )  # fmt: skip


# --- small things -----------------------------------------------------------------------------------------------------


def test_scores_are_told_as_fractions_or_in_logarithms():
    """Exact, and in six decimals."""
    third, log = Term.of(F(1, 3)), Term.symbol("L3")
    assert scored(F(1, 3), 2) == (("1/3", "2"), ("0.333333", "2"))
    assert scored(log, third / log) == (("1/log₂3", "(1/3) / (1/log₂3)"), ("0.63093", "0.528321"))


def test_the_machine_behind_a_metric():
    """One column with its discount, novelty and channels; none where nothing is known."""
    flat, once = Aspects(weighted=False), Cascade()
    for name, machine in (
        ("P", Column(Flat(), Always(), binary=True, over=Overall())), ("P-IA", Column(Flat(), Always(), binary=True)),
        ("RR", Column(Reciprocal(), once, binary=True, over=Overall())), ("RR-IA", Column(Reciprocal(), once, binary=True)),
        ("nDCG", Column(Log(), Always(), over=Overall())), ("nDCG-IA", Column(Log(), Always())),
        ("S-Recall", Column(Flat(), once, binary=True, over=flat)), ("AP", None), ("AP-IA", None), ("S-RR", None),
        ("RBU", Column(Geometric(P), once, Term.symbol("e"))), ("RBU(p=1,e=0)", Column(Flat(), once, 0)),
        ("RBP", Column(Geometric(P), Always(), over=Overall())),
    ):  # fmt: skip
        found = column(subject(name).formula)
        if machine is None:
            assert found is None, name
        else:
            assert (type(found.discount), found.novelty, found.effort) == (type(machine.discount), machine.novelty, machine.effort)
            assert (found.binary, found.over, found.beside_recall) == (machine.binary, machine.over, False), name
    assert column(subject("NRBP(alpha=0)").formula).novelty == Always()
    recall = column(subject("D#-Measure").formula)
    assert recall.beside_recall and (recall.discount, recall.novelty, recall.over) == (Log(), Always(), GlobalGain())
    assert single_aspect_column(subject("S-RR").formula) == Column(Reciprocal(), once, binary=True)
    assert single_aspect_column(subject("RBP").formula) == column(subject("RBP").formula)


def test_another_formula_under_the_same_name_is_another_question():
    """A verdict kept for one is not given for the other."""
    one, other = subject("RBP"), replace(subject("RBP"), formula=subject("RBP(p=0.5)").formula)
    keys = {key(who, "Pri", AS_WRITTEN, Bounds()) for who in (one, other)}
    assert len(keys) == 2


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
