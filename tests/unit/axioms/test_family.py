"""The family of 48 compositions: the condition for each axiom is exact and as short as possible."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest

from diveval.axioms import check
from diveval.axioms.presentation.family import (
    DISCOUNTS,
    EFFORTS,
    NOVELTIES,
    WEIGHTS,
    Composition,
    Family,
)
from diveval.axioms.presentation.matrix import Matrix
from diveval.axioms.proof.verdicts import Answer, Verdict
from diveval.axioms.specification.constraints import AXIOMS
from diveval.cli import main
from diveval.cli.progress import count_cells
from support.present import present

EVERYTHING = tuple(Composition(*chosen) for chosen in product(DISCOUNTS, NOVELTIES, WEIGHTS, EFFORTS))
# Possible outcomes by axiom: which compositions satisfy it, and the condition that must be printed.
RULES: dict[str, tuple[Callable[[Composition], bool], str]] = {
    "Pri": (lambda c: True, "every composition"),
    "Sat": (lambda c: False, "no composition"),
    "DeepTh": (lambda c: c.effort == "e", "effort e"),
    "CloseTh": (lambda c: c.effort == "e" and c.discount != "none", "discount p^i or 1/i or 1/log(i+1) and effort e"),
    "Conf": (lambda c: c.weights == "yes" or c.novelty == "none", "weights yes; or novelty none"),
}


def family_of(rules: Mapping[str, tuple[Callable[[Composition], bool], str]] = RULES) -> Family:
    """A family with these outcomes; without a rule, every composition satisfies the axiom in a region."""
    verdicts = []
    for composition, axiom in product(EVERYTHING, AXIOMS):
        rule = rules.get(axiom)
        answer: Answer = "region" if rule is None else "holds" if rule[0](composition) else "fails"
        verdicts.append(Verdict(composition.name, axiom, "charitable", answer))
    return Family(EVERYTHING, Matrix(tuple(verdicts)), "charitable")


@pytest.mark.parametrize("axiom", RULES)
def test_the_condition_of_an_axiom_is_recovered(axiom: Any) -> None:
    """The condition is recovered from the 48 verdicts alone, whatever parts it combines."""
    assert axiom in AXIOMS
    family = family_of()
    assert family.explain_parts(axiom) == RULES[axiom][1]
    assert family.satisfying(axiom) == [c for c in EVERYTHING if RULES[axiom][0](c)]


def test_all_ten_needs_every_axiom() -> None:
    """An axiom that fails everywhere leaves none; without it, those that satisfy all others remain."""
    assert family_of().all_ten() == []
    family = family_of({axiom: rule for axiom, rule in RULES.items() if axiom != "Sat"})
    assert family.all_ten() == [c for c in EVERYTHING if all(RULES[axiom][0](c) for axiom in RULES if axiom != "Sat")]


def test_text_and_markdown_show_conditions_and_compositions() -> None:
    """Both list the condition of each axiom, the compositions that satisfy all ten, and every composition."""
    family = family_of()
    lines = str(family).splitlines()
    assert ["DeepTh", "effort", "e"] in [line.split() for line in lines]
    assert len({tuple(line.split()[:4]) for line in lines if line.startswith("p^i")}) == 12
    page = family.to_markdown()
    assert "| DeepTh | effort e |" in page
    assert page.count("\n| ") == 1 + len(AXIOMS) - 1 + 1 + len(EVERYTHING)
    best = family_of({}).all_ten()[0].name
    for render in (Family.to_text, Family.to_markdown):
        assert best in render(family_of({})) and best not in render(family)


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_the_command_prints_every_format(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`axioms --family` prints one family for each requested reading."""
    readings = []

    def walk(**given: Any) -> Family:
        readings.append(given["reading"].name)
        return family_of({})

    monkeypatch.setattr("diveval.axioms.presentation.family.walk", walk)
    assert main(["axioms", "--family", "--reading", "both", "-f", form]) == 0
    text = capsys.readouterr().out
    assert text.startswith("metric,axiom,") == (form == "csv") and ("\n| DeepTh |" in text) == (form == "md")
    assert readings == ["as-written", "charitable"]


def test_family_excludes_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    """`--family` covers all compositions, so naming a metric is an error."""
    assert main(["axioms", "RBU", "--family"]) == 2
    assert "--family" in capsys.readouterr().err


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal a bar counts the cells and names the one just decided; otherwise there is none."""
    with count_cells() as show:
        assert show is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with count_cells() as show:
        present(show)("RBU Conf", 3, 10)
    assert "3/10 RBU Conf" in capsys.readouterr().err


@pytest.mark.parametrize("reading", ["charitable", "as-written"])
def test_a_composition_without_novelty_is_decided_in_every_reading(reading: str) -> None:
    """Any value of r_max works where the solver leaves it open."""
    assert check(Composition("p^i", "none", "yes", "e").subject(), "Sat", reading=reading).verdict != "holds"
