"""Axioms that exclude each other: the theorems' steps, their Coq names, and the map of sets that hold together."""

from __future__ import annotations

import random
import re
from fractions import Fraction as F
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from diveval.axioms import check
from diveval.axioms.presentation.consistency import AxiomMap, map_axioms, parse_parts
from diveval.axioms.presentation.family import EVERY, walk
from diveval.axioms.proof.conflicts import THEOREMS, find_conflict_theorem
from diveval.axioms.specification.constraints import AXIOMS
from diveval.axioms.specification.readings import AS_WRITTEN, CHARITABLE
from diveval.cli import main
from support.refusals import refuses

pytestmark = pytest.mark.slow  # decides a part of the design space
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("letter", THEOREMS)
def test_every_step_of_a_theorem_is_proved(letter: str) -> None:
    """z3 confirms each step, and each step but the facts is a query or exact arithmetic."""
    proof = find_conflict_theorem(letter.lower()).prove()
    assert proof.steps and {step.by for step in proof.steps} <= {"solver", "exact", "analysis"}


@pytest.mark.skipif(not (ROOT / "proofs").is_dir(), reason="the proofs are not part of this installation")
def test_every_theorem_is_in_coq() -> None:
    """The Coq theorems that are named exist, and `make proofs` prints what each assumes."""
    from support.programs import load

    stated = set(
        re.findall(r"^(?:Theorem|Corollary) (\w+)", (ROOT / "proofs" / "Conflicts.v").read_text(), re.MULTILINE)
    )
    named = {name for theorem in THEOREMS.values() for name in theorem.coq}
    assert named <= stated
    assert named == set(load(ROOT / "proofs" / "cells.py", "proofs_cells").CONFLICTS)


def discounts() -> dict[str, Any]:
    """Falling discounts of several kinds, in fractions."""
    return {
        "1/i": lambda i: F(1, i),
        "1/i²": lambda i: F(1, i * i),
        "1/(i+3)": lambda i: F(1, i + 3),
        "p^i": lambda i: F(9, 10) ** i,
        "slow": lambda i: F(1, 1 + i // 3),
    }


def test_monotone_sums_leave_one_threshold() -> None:
    """Theorem A by arithmetic: with S monotone over n ≤ 60 no n has S(m) > D(1) and a later one S(n) < D(1)."""
    seen = set()
    for name, weight in discounts().items():
        s = [sum((weight(i) for i in range(n + 1, 2 * n + 1)), F(0)) for n in range(1, 61)]
        monotone = s == sorted(s) or s == sorted(s, reverse=True)
        both = any(a > weight(1) and b < weight(1) for a, b in combinations(s, 2))
        seen.add((monotone, both))
        assert not (monotone and both), name
    assert {(True, False), (False, True)} <= seen  # p^i escapes


def test_effort_that_saturates_breaks_closeness() -> None:
    """Theorem E by arithmetic: with e ≥ u no m ≤ 30 has r·(T(m) − D(1)) > e·Σ D(2..2m), and without effort some has."""
    for weight, u, r in product(discounts().values(), (F(1, 10), F(1, 2), F(1)), (F(1, 100), F(99, 100))):
        for m in range(1, 31):
            gained = sum((weight(m + j) * u ** (j - 1) for j in range(1, m + 1)), F(0))
            paid = sum((weight(i) for i in range(2, 2 * m + 1)), F(0))
            assert r * (gained - weight(1)) <= u * paid
    slow = discounts()["slow"]
    assert sum(slow(4 + j) for j in range(1, 5)) > slow(1)


@pytest.mark.parametrize(
    ("formula", "broken"),
    [
        ("Sum(Aspects(), Reciprocal(), Always())", ("DeepTh", "CloseTh")),
        ("Sum(Aspects(), Log(), Always())", ("DeepTh", "CloseTh")),
        ("Sum(Aspects(), Log(), Always(), 1)", ("DeepTh", "CloseTh")),
    ],
)
def test_the_engine_agrees_with_theorem_a(formula: str, broken: tuple[str, str]) -> None:
    """The engine decides that at least one of the two fails where the theorem says so."""
    from diveval.metrics import algebra
    from diveval.metrics.formulas import Sum

    metric = eval(formula, {**vars(algebra), "Sum": Sum})
    assert "fails" in [check(metric, name).verdict for name in broken]


@pytest.fixture(scope="module")
def written() -> AxiomMap:
    """The map of a part of the algebra as written, small enough for every run."""
    return map_axioms(reading=AS_WRITTEN, within={"discount": ["p^i"], "effort": ["no"]}, jobs=1)


def test_sets_and_conflicts_are_dual(written: AxiomMap) -> None:
    """Every set of axioms is inside a maximal set or contains a minimal conflict, and never both."""
    sets = [frozenset(one.axioms) for one in written.sets]
    conflicts = [frozenset(one.axioms) for one in written.conflicts]
    names = list(AXIOMS)
    for bits in range(2 ** len(names)):
        one = frozenset(name for i, name in enumerate(names) if bits >> i & 1)
        assert any(one <= other for other in sets) != any(clash <= one for clash in conflicts)
    assert not any(a < b for a, b in product(sets, repeat=2)) and not any(
        a < b for a, b in product(conflicts, repeat=2)
    )


def test_every_composition_is_accounted_for(written: AxiomMap) -> None:
    """A conflict names for each composition an axiom of its own that the engine says fails there."""
    chosen = [c for c in EVERY if (c.discount, c.effort) == ("p^i", "no")]
    family = walk(compositions=chosen, reading=AS_WRITTEN, jobs=1)
    verdicts = {(v.metric, v.axiom): v.verdict for v in family.matrix}
    for clash in written.conflicts:
        assert not clash.undecided and len(clash.refuted) == written.compositions
        for composition, axiom in clash.refuted.items():
            assert set(axiom.split(" + ")) <= set(clash.axioms)
            assert axiom == "CloseTh + Sat" or verdicts[composition, axiom] == "fails"


def test_the_theorems_explain_their_conflicts() -> None:
    """A, B, C and E are named where their premises are met, and D never: it is not about the algebra."""
    found = {
        "A": map_axioms(within={"novelty": ["none"], "discount": ["1/i", "1/log(i+1)"]}, jobs=1),
        "B": map_axioms(reading=AS_WRITTEN, within=parse_parts(["effort=no", "weights=yes"]), jobs=1),
        "C": map_axioms(
            reading=AS_WRITTEN, within=parse_parts(["novelty=none|decay", "discount=geometric", "weights=yes"]), jobs=1
        ),
    }
    for letter, one in found.items():
        assert letter in {clash.theorem for clash in one.conflicts}, letter
    assert "E" in {clash.theorem for clash in found["C"].conflicts}


def test_what_to_give_up_leaves_what_holds_together(written: AxiomMap) -> None:
    """Each way out hits every conflict and is minimal; random choices of axioms."""
    source = random.Random(1)
    for _ in range(50):
        wanted = source.sample(list(AXIOMS), source.randrange(1, 11))
        conflicts = written.conflicts_within(wanted)
        ways = written.ways_out(wanted)
        assert (ways == [()]) == (not conflicts)
        for way in ways:
            assert all(set(way) & set(clash.axioms) for clash in conflicts)
            for kept in way:
                assert any(not (set(way) - {kept}) & set(clash.axioms) for clash in conflicts)


def test_charitably_rbu_leaves_no_conflict() -> None:
    """Among the compositions with p^i one satisfies all ten, so nothing must be given up."""
    found = map_axioms(reading=CHARITABLE, within={"discount": ["p^i"]}, jobs=1)
    assert found.conflicts == () and [one.given_up for one in found.sets] == [()]


def test_the_map_in_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Text, JSON, CSV and a picture; the picture has a mark for every axiom of every set and conflict."""
    within = ["--within", "discount=p^i", "--within", "effort=no", "--reading", "as-written", "--jobs", "1"]
    for form in ("json", "csv", "md", "table"):
        assert main(["axioms", "--map", *within, "-f", form]) == 0
        assert "Red" in capsys.readouterr().out
    assert main(["axioms", "--map", *within, "-f", "svg", "-o", str(tmp_path / "map.svg")]) == 0
    found = map_axioms(reading=AS_WRITTEN, within=parse_parts(["discount=p^i", "effort=no"]), jobs=1)
    svg = (tmp_path / "map.svg").read_text()
    assert svg.count('r="7"') == len(AXIOMS) * len(found.sets)
    assert svg.count("l12 12") == sum(len(clash.axioms) for clash in found.conflicts)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--map", "RBU"], "conflicting-options"),
        (["--within", "effort=no"], "option-not-applicable"),
        (["--map", "--within", "effort"], "invalid-choice"),
        (["--map", "--within", "effort=much"], "invalid-choice"),
        (["-f", "svg"], "option-not-applicable"),
        (["--theorem", "Z"], "invalid-choice"),
        (["--map", "--theorem", "A"], "conflicting-options"),
    ],
)
def test_wrong_questions_are_refused(arguments: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A question that makes no sense is one error, exit code 2."""
    assert main(["axioms", *arguments]) == 2
    assert f"error[{code}]" in capsys.readouterr().err


def test_an_unknown_part_is_refused() -> None:
    """Only the parts of the algebra restrict it."""
    with refuses("invalid-choice", "speed"):
        map_axioms(within={"speed": ["1"]}, jobs=1)
