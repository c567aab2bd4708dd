"""The engine's parts one by one: what they are handed, what they hand on, and where they stop."""

import inspect
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from fractions import Fraction as F

import pytest

from diveval.axioms import (
    AS_WRITTEN,
    AXIOMS,
    CHARITABLE,
    Bounds,
    Matrix,
    Verdict,
    advise,
    check,
    matrix,
    regions,
    walk,
)
from diveval.axioms import advice as advice_module
from diveval.axioms import family as family_module
from diveval.axioms import paths as paths_module
from diveval.axioms import solver as solver_module
from diveval.axioms import universal as universal_module
from diveval.axioms.advice import sees_grades, sees_weights
from diveval.axioms.columns import Column, Ledger, discount_is_convex
from diveval.axioms.constraints import DIVERSITY, RELEVANCE
from diveval.axioms.lemmas import every_length
from diveval.axioms.paper import ROWS
from diveval.axioms.paths import TooManyPaths, explore
from diveval.axioms.polynomials import Condition, NotExact, Term
from diveval.axioms.solver import Solver, put_to_z3
from diveval.axioms.subjects import subject
from diveval.axioms.thresholds import Threshold
from diveval.errors import DivevalWarning, MissingExtraError, UsageError
from diveval.metrics import parse
from diveval.metrics.algebra import Always, Aspects, Cascade, Flat, Geometric, Log
from diveval.metrics.formulas import Sum

MATRIX = sys.modules["diveval.axioms.matrix"]
P, E = Term.symbol("p"), Term.symbol("e")

# --- what is handed on ------------------------------------------------------------------------------------------------


def defaults(function):
    """The arguments that may be left out, and what they are then."""
    given = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in given if one.default is not one.empty}


def test_what_may_be_left_out():
    """The defaults of the public functions are those of the manual."""
    common = {"bounds": None, "time_limit": 60.0}
    assert defaults(check) == {"reading": AS_WRITTEN, **common}
    assert defaults(regions) == {"axioms": None, "reading": CHARITABLE, **common}
    many = {**common, "jobs": 2, "cached": True, "progress": None}
    assert defaults(matrix) == {"metrics": None, "axioms": None, "readings": None, **many}
    assert defaults(walk) == {"reading": CHARITABLE, **many}
    assert defaults(advise) == {
        "grades": False, "weights": False, "reading": CHARITABLE, "metrics": ROWS, "time_limit": 60.0, "jobs": 2, "progress": None,
    }  # fmt: skip
    assert Bounds() == Bounds(4, 3, 24)


class Heard(list):
    """Stands in for a function, and keeps what it was called with."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, *words, **names):
        self.append((words, names))
        return self.answer(*words, **names)


def verdict(metric, axiom, reading, answer="holds"):
    return Verdict(metric, axiom, reading, answer)


def test_regions_ask_inside_and_at_each_end(monkeypatch):
    """With the reading, bounds and time given, for the metric and for each closed end of its parameters."""
    heard = Heard(lambda who, axiom, **how: verdict(subject(who).name, axiom.name, how["reading"].name))
    monkeypatch.setattr(advice_module, "check", heard)
    given = {"reading": "as-written", "bounds": Bounds(5, 2, 9), "time_limit": 7.0}
    found = regions("RBU@9", axioms=["pri", "Conf"], **given)
    expected = {**given, "reading": AS_WRITTEN}
    asked = [subject("RBU@9"), "RBU(p=1)@9", "RBU(e=0)@9"]
    assert heard == [((who, AXIOMS[name]), expected) for name in ("Pri", "Conf") for who in asked]
    assert [(w.verdict.metric, w.verdict.axiom, [(end, v.metric) for end, v in w.ends]) for w in found] == [
        ("RBU@9", name, [("p = 1", "RBU(p=1)@9"), ("e = 0", "RBU(e=0)@9")]) for name in ("Pri", "Conf")
    ]
    assert [where.verdict.axiom for where in regions("RBP(p=0.8)", **given)] == list(AXIOMS)
    assert regions(parse("RBU"), axioms=["Pri"], **given)[0].ends == ()
    assert regions("alpha_nDCG@k", axioms=["Pri"], **given)[0].ends[0][0] == "alpha = 0"


def test_a_cell_is_asked_as_it_was_given(monkeypatch):
    """Bounds and time go along, in this process as in another."""
    heard = Heard(lambda who, axiom, **how: verdict(who.name, axiom, how["reading"].name))
    monkeypatch.setattr(MATRIX, "check", heard)
    bounds = Bounds(3, 2, 5)
    matrix(["RBU"], axioms=["Pri"], readings=["charitable"], bounds=bounds, time_limit=5.0, cached=False)
    assert heard == [((subject("RBU"), "Pri"), {"reading": CHARITABLE, "bounds": bounds, "time_limit": 5.0})]


def test_a_walk_asks_for_every_composition(monkeypatch):
    """All 48 in one matrix, under one reading, with all else as given."""
    heard = Heard(lambda subjects, **how: Matrix(tuple(verdict(s.name, "Pri", "charitable") for s in subjects)))
    monkeypatch.setattr(family_module, "matrix", heard)
    given = {"bounds": Bounds(3), "time_limit": 4.0, "jobs": 3, "cached": False, "progress": print}
    found = walk(reading=AS_WRITTEN, **given)
    ((subjects,), how), *rest = heard
    assert not rest and how == {"readings": [AS_WRITTEN], **given}
    assert [s.name for s in subjects] == [c.name for c in found.compositions] == [s.source for s in subjects]
    assert len({s.formula for s in subjects}) == len(subjects) == 48 and found.reading == "as-written"
    assert found.compositions[1].name == "discount p^i × novelty none × weights yes × effort e"
    assert found.matrix.metrics == [s.name for s in subjects]
    assert {(s.box, s.cutoff, s.entry) for s in subjects if len(s.free) > 1} == {
        ("0 < p < 1, e > 0", None, ""), ("0 < p < 1, 0 < α < 1", None, ""), ("0 < α < 1, e > 0", None, ""),
        ("0 < p < 1, 0 < α < 1, e > 0", None, ""),
    }  # fmt: skip


def test_advice_is_of_one_matrix_and_the_metrics_themselves(monkeypatch):
    """Closest first; what a metric does not see is missing only if it is asked for."""
    answers = {"P-IA@k": "fails", "RBU@k": "holds", "NRBP": "region", "S-RR@100%": "unknown"}

    def found(metrics, **how):
        return Matrix(tuple(verdict(m, a, "as-written", answers[m]) for m in metrics for a in how["axioms"]))

    heard = Heard(found)
    monkeypatch.setattr(advice_module, "matrix", heard)
    given = {"time_limit": 3.0, "jobs": 5, "progress": print}
    told = advise(["conf", "Pri"], reading="as-written", metrics=list(answers), grades=True, weights=True, **given)
    assert heard == [((list(answers),), {"axioms": ["Conf", "Pri"], "readings": [AS_WRITTEN], **given})]
    assert [(a.metric, a.missing, a.lacks, a.suitable) for a in told] == [
        ("RBU@k", [], (), True), ("NRBP", ["weights"], ("weights",), False),
        ("P-IA@k", ["Conf", "Pri", "grades"], ("grades",), False),
        ("S-RR@100%", ["Conf", "Pri", "grades", "weights"], ("grades", "weights"), False),
    ]  # fmt: skip
    assert told[1].needed == tuple(verdict("NRBP", a, "as-written", "region") for a in ("Conf", "Pri"))
    plain = advise(["Pri"], reading="as-written", metrics=list(answers))
    assert [(a.metric, a.lacks) for a in plain] == [("RBU@k", ()), ("NRBP", ()), ("P-IA@k", ()), ("S-RR@100%", ())]


@pytest.mark.parametrize("name", ["RBU@k", "RBU@7", "RBU"])
def test_what_a_metric_sees_is_asked_with_two_rankings(name, monkeypatch):
    """The same documents swapped, or the same document under other weights; cut where the metric is cut."""
    heard = Heard(lambda formula, rows, weights, pool: 0)
    monkeypatch.setattr(advice_module, "exact_score", heard)
    half, quarter, rest = F(1, 2), F(1, 4), F(3, 4)
    assert sees_grades(subject(name)) is False and sees_weights(subject(name)) is False
    one, other, about = [[quarter], [half]], [[half], [quarter]], [[half, 0]]
    assert [words[1:] for words, _ in heard] == [
        (one, [1], one), (other, [1], other),
        (about, [quarter, rest], [*about, [0, half]]), (about, [rest, quarter], [*about, [0, half]]),
    ]  # fmt: skip
    cut = {"RBU@k": [2, 2, 1, 1], "RBU@7": [7] * 4, "RBU": [None] * 4}[name]
    who = subject(name)
    assert [words[0] for words, _ in heard] == [who.at(who.defaults).at(k) for k in cut]


# --- processes --------------------------------------------------------------------------------------------------------


class Pool:
    """Answers at once, in this process; breaks after some answers."""

    def __init__(self, breaks_after=99):
        self.submitted, self.breaks_after = [], breaks_after

    def submit(self, function, *words):
        future = Future()
        if len(self.submitted) < self.breaks_after:
            future.set_result(function(*words))
        else:
            future.set_exception(BrokenProcessPool("gone"))
        self.submitted.append(words)
        return future


@pytest.fixture
def pool(monkeypatch):
    """A pool that can be looked at, and cells that are decided by saying so."""
    made = []

    @contextmanager
    def process_pool(jobs):
        made.append(jobs)
        yield made_pool

    made_pool = Pool()
    made_pool.made, made_pool.decided = made, Heard(lambda who, axiom, reading, *_: verdict(who.name, axiom, reading.name))
    monkeypatch.setattr(MATRIX, "process_pool", process_pool)
    monkeypatch.setattr(MATRIX, "decide", made_pool.decided)
    monkeypatch.setattr(MATRIX, "as_completed", lambda futures: list(futures))
    return made_pool


def test_few_cells_are_decided_here_and_many_elsewhere_the_long_ones_first(pool):
    """Eight cells need no other process, nine do; one job never does."""
    eight = {"axioms": list(AXIOMS)[:4], "readings": ["as-written"], "cached": False}
    assert len(matrix(["RR", "EU"], jobs=4, **eight)) == 8 and pool.made == []
    found = matrix(["RR", "EU", "NRBP"], jobs=4, **eight)
    assert pool.made == [4] and found.metrics == ["RR", "EU", "NRBP"]
    assert [words[0].name for words in pool.submitted] == ["EU"] * 4 + ["NRBP"] * 4 + ["RR"] * 4
    assert pool.submitted[0] == (subject("EU"), "Pri", AS_WRITTEN, Bounds(), 60.0)
    assert len(pool.decided) == 8 + 12
    matrix(["RR", "EU", "NRBP"], jobs=1, **eight)
    assert pool.made == [4] and len(pool.decided) == 32


def test_a_broken_pool_is_told_and_the_rest_is_decided_here(pool):
    """What came is kept, what did not is asked again in this process, and so is what cannot be sent."""
    pool.breaks_after = 3

    def mine(ranking):
        return 0

    with pytest.warns(DivevalWarning, match="a worker process ended without an answer; the rest is decided in this one"):
        found = matrix([mine, "RR", "EU"], axioms=list(AXIOMS)[:5], readings=["as-written"], cached=False)
    assert [v.metric for v in found] == ["mine"] * 5 + ["RR"] * 5 + ["EU"] * 5
    assert [words[0].name for words in pool.submitted] == ["EU"] * 5 + ["RR"] * 5
    assert [words[0].name for words, _ in pool.decided] == ["EU"] * 5 + ["RR"] * 5 + ["mine"] * 5


# --- the solver -------------------------------------------------------------------------------------------------------


def test_a_question_gets_a_tenth_of_the_time_and_never_more_than_is_left(monkeypatch):
    """At least a second, unless less is left."""
    asked = []
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    monkeypatch.setattr(solver_module, "put_to_z3", lambda text, names, seconds: asked.append(seconds) or ("unknown", {}))
    for limit, seconds in ((50, 5.0), (10, 1.0), (5, 1.0), (0.5, 0.5)):
        assert check("ERR@k", "Pri", time_limit=limit).verdict == "unknown"
        assert set(asked) == {seconds}, limit
        asked.clear()
    solver = Solver(seconds=3.0, deadline=1002.0)
    assert solver.ask([P < E]) == ("unknown", {}) and asked == [2.0] and solver.timeouts == 1
    solver.ask([P < E])
    assert solver.timeouts == 2
    solver.deadline = 1000.0
    assert solver.ask([P < E]) == ("unknown", {}) and len(asked) == 2 and solver.timeouts == 3
    solver.deadline = float("inf")
    assert solver.ask([P < E, False]) == ("unsat", {}) and len(asked) == 2


def test_z3_is_told_the_logic_the_time_and_the_question(monkeypatch):
    """In milliseconds, at least one."""
    told = []

    class Z3:
        def SolverFor(self, logic):
            told.append(logic)
            return self

        def set(self, *option):
            told.append(option)

        def from_string(self, text):
            told.append(text)

        def check(self):
            return "unsat"

    monkeypatch.setattr(solver_module, "need", lambda *words: told.append(words) or Z3())
    assert put_to_z3("(a question)", ["p"], 1.5) == ("unsat", {})
    assert told == [("z3", "axioms"), "QF_NRA", ("timeout", 1500), "(a question)"]
    put_to_z3("", [], 0.0001)
    assert told[-2] == ("timeout", 1)


def test_models_are_rational_and_close_to_irrational_values():
    """A value is exact where it is rational, and within 20 digits where it is a root."""
    answer, model = Solver({"p": [Condition((-P).num, "<")]}).ask([P * P == 2, E * 3 == 1])
    assert answer == "sat" and sorted(model) == ["e", "p"] and model["e"] == F(1, 3)
    assert 0 < abs(model["p"] ** 2 - 2) < F(1, 10**18) and model["p"] > 0
    assert Solver().ask([P * P < 0]) == ("unsat", {})


def test_without_z3_the_one_command_that_brings_it_is_named(monkeypatch):
    """Deciding one cell, and many."""
    monkeypatch.setitem(sys.modules, "z3", None)
    for ask in (lambda: check("ERR@k", "Pri"), lambda: matrix(["RR"])):
        with pytest.raises(MissingExtraError, match=r"^this needs z3: pip install 'diveval\[axioms\]'$"):
            ask()


def test_what_compares_too_often_is_given_up(monkeypatch):
    """Exactly so many ways are followed; outside a run nothing decides a condition."""
    monkeypatch.setattr(paths_module, "MOST_PATHS", 4)
    signs = [Term.symbol(name) for name in "abc"]
    assert len(list(explore(lambda: [bool(s > 0) for s in signs[:2]], Solver()))) == 4
    with pytest.raises(TooManyPaths, match="more than 4 cases would have to be proved"):
        list(explore(lambda: [bool(s > 0) for s in signs], Solver()))
    with pytest.raises(NotExact, match="nothing is known that decides whether p < 1"):
        bool(P < 1)


def test_a_border_that_takes_too_many_cuts_is_not_claimed(monkeypatch):
    """One cut is enough for EU; where none is allowed the answer is open, with the ranking that was found."""
    region = check("EU(alpha=0.5)", "Sat")
    assert (region.verdict, region.region.formula) == ("region", "2·e ≥ 1")
    monkeypatch.setattr(universal_module, "MOST_CUTS", 0)
    found = check("EU(alpha=0.5)", "Sat")
    assert (found.verdict, found.note) == ("unknown", "broken for some parameters; the border was not found")
    assert found.counterexample == region.counterexample and found.counterexample is not None


# --- arguments that must not be made ----------------------------------------------------------------------------------


def test_no_lemma_speaks_about_what_it_does_not_know():
    """Nothing is proved for every length of grades that are not seen, nor of ranks that weigh the same."""
    for name in ("P-IA", "RR-IA", "S-Recall"):
        who = subject(name)
        for axiom in ("Pri", "Deep", "AspDiv", "Red", "MRed"):
            assert every_length(who, AXIOMS[axiom], CHARITABLE, [], Solver()) is None, (name, axiom)
    level = subject(Sum(Aspects(), Flat(), Always()))
    assert [every_length(level, AXIOMS[axiom], AS_WRITTEN, [], Solver()) for axiom in ("Pri", "Deep", "AspDiv", "Conf")] == [None] * 4
    assert every_length(subject("AP"), AXIOMS["Pri"], AS_WRITTEN, [], Solver()) is None


@pytest.mark.parametrize(("values", "sound"), [((12, 7, 4, 2), True), ((9, 5, 5, 4), False), ((9, 8, 5, 1), False), ((9, 6, 3, 1), False)])
def test_a_discount_is_convex_only_if_all_its_steps_fall(values, sound):
    """As many ranks as are looked at, each step smaller than the one before."""

    class Mine(Log):
        def at(self, rank, numbers):
            return Term.of(F(values[rank - 1]) if rank <= 4 else F(2, 2 ** (rank - 4)))

    ledger = Ledger(Solver())
    assert discount_is_convex(ledger, Mine()) is True and ledger.sound is sound


def test_effort_ends_it_or_does_not():
    """Once p^m < 1 − p, or once the effort has grown to D(1) under the cascade."""
    who = subject("RBU(p=0.9,e=0.05)")
    asked = Threshold(who, AXIOMS["CloseTh"], AS_WRITTEN, Bounds(), Solver())
    for p, novelty, effort, most, ends in (
        (F(1, 2), Always(), F(1, 10), 1, False), (F(1, 2), Always(), F(1, 10), 2, True),
        (F(9, 10), Cascade(), F(1), 2, True), (F(9, 10), Always(), F(1), 2, False),
        (F(9, 10), Cascade(), F(1, 100), 2, False), (F(9, 10), Cascade(), 1 / F("2.439"), 2, True),
        (F(9, 10), Cascade(), 1 / F("2.44"), 2, False), (F(9, 10), Cascade(), Term.symbol("e"), 2, False),
    ):  # fmt: skip
        assert asked._effort_ends_it(Column(Geometric(p), novelty, effort), most) is ends, (p, novelty, effort)
    assert asked._effort_ends_it(Column(Log(), Cascade(), F(1)), 9) is False


def test_what_was_not_excluded_is_not_refuted(monkeypatch):
    """DeepTh fails for some n only if no small n does for any parameters."""
    level = Sum(Aspects(), Flat(), Always())
    assert check(level, "DeepTh").verdict == "fails"
    monkeypatch.setattr(Threshold, "never", lambda self, gap: False)
    found = check(level, "DeepTh")
    assert (found.verdict, found.note) == ("unknown", "some n may do for some parameters")


def test_which_axioms_are_about_aspects():
    """Five and five; and the least that can be looked at."""
    assert RELEVANCE == ("Pri", "Deep", "DeepTh", "CloseTh", "Conf")
    assert DIVERSITY == ("AspDiv", "Red", "MRed", "Sat", "AspRel") and list(AXIOMS) == [*RELEVANCE, *DIVERSITY]
    assert (Bounds(2, 2, 2).longest, Bounds(2, 2, 2).threshold) == (2, 2)
    for name in ("longest", "aspects", "threshold"):
        for wrong in (1, 2.5, "3"):
            with pytest.raises(UsageError, match=rf"bounds: {name} is a whole number of at least 2, got {wrong!r}"):
                Bounds(**{name: wrong})
