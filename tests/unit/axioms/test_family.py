"""The walk through the design space: what buys an axiom is said exactly, and by the fewest conditions."""

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
    markdown,
    text,
)
from diveval.axioms.presentation.matrix import Matrix
from diveval.axioms.proof.verdicts import Answer, Verdict
from diveval.axioms.specification.constraints import AXIOMS
from diveval.cli import axioms as commands
from diveval.cli import main
from support.present import present

EVERYTHING = tuple(Composition(*chosen) for chosen in product(DISCOUNTS, NOVELTIES, WEIGHTS, EFFORTS))
# What a walk might have found: by axiom, which compositions are good and what must then be said.
RULES: dict[str, tuple[Callable[[Composition], bool], str]] = {
    "Pri": (lambda c: True, "every composition"),
    "Sat": (lambda c: False, "no composition"),
    "DeepTh": (lambda c: c.effort == "e", "effort e"),
    "CloseTh": (lambda c: c.effort == "e" and c.discount != "none", "discount p^i or 1/i or 1/log(i+1) and effort e"),
    "Conf": (lambda c: c.weights == "yes" or c.novelty == "none", "weights yes; or novelty none"),
}


def found(rules: Mapping[str, tuple[Callable[[Composition], bool], str]] = RULES) -> Family:
    """A walk with these answers; an axiom without a rule holds in a region for everything."""
    verdicts = []
    for composition, axiom in product(EVERYTHING, AXIOMS):
        rule = rules.get(axiom)
        answer: Answer = "region" if rule is None else "holds" if rule[0](composition) else "fails"
        verdicts.append(Verdict(composition.name, axiom, "charitable", answer))
    return Family(EVERYTHING, Matrix(tuple(verdicts)), "charitable")


@pytest.mark.parametrize("axiom", RULES)
def test_what_buys_an_axiom_is_the_condition_that_made_it(axiom: Any) -> None:
    """The condition is recovered from the 48 answers alone, however it is made of the parts."""
    assert axiom in AXIOMS
    family = found()
    assert family.bought_by(axiom) == RULES[axiom][1]
    assert family.satisfying(axiom) == [c for c in EVERYTHING if RULES[axiom][0](c)]


def test_all_ten_needs_every_axiom() -> None:
    """One axiom that fails everywhere leaves none; without it those are left that meet every other."""
    assert found().all_ten() == []
    family = found({axiom: rule for axiom, rule in RULES.items() if axiom != "Sat"})
    assert family.all_ten() == [c for c in EVERYTHING if all(RULES[axiom][0](c) for axiom in RULES if axiom != "Sat")]


def test_the_walk_is_told_to_a_terminal_and_to_a_page() -> None:
    """Both say what buys what, whether anything has all ten, and every composition with its signs."""
    family = found()
    lines = str(family).splitlines()
    assert f"  {'DeepTh':<8} effort e" in lines and "  none" in lines
    assert sum(line.startswith("  p^i") for line in lines) == 12
    page = markdown(family)
    assert "| DeepTh | effort e |" in page and "All ten: none." in page
    assert page.count("\n| ") == 1 + len(AXIOMS) - 1 + 1 + len(EVERYTHING)
    best = found({}).all_ten()[0].name
    assert f"`{best}`" in markdown(found({})) and f"  {best}" in text(found({})).splitlines()


@pytest.mark.parametrize(("form", "start"), [("table", "What buys"), ("md", "| constraint"), ("csv", "metric,")])
def test_the_command_prints_the_walk_in_every_form(
    form: str, start: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`axioms --family` prints one walk for each reading asked for."""
    asked = []

    def walk(**given: Any) -> Family:
        asked.append(given["reading"].name)
        return found({})

    monkeypatch.setattr("diveval.axioms.presentation.family.walk", walk)
    assert main(["axioms", "--family", "--reading", "both", "-f", form]) == 0
    assert capsys.readouterr().out.startswith(start)
    assert asked == ["as-written", "charitable"]


def test_the_walk_takes_no_metric_and_no_axiom(capsys: pytest.CaptureFixture[str]) -> None:
    """It goes through all of them anyhow, so naming some is a mistake."""
    assert main(["axioms", "RBU", "--family"]) == 2
    assert "--family" in capsys.readouterr().err


def test_a_terminal_is_shown_how_far_the_work_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal a bar names the cell just decided; elsewhere, and without rich, nothing is written."""
    with commands.progress_bar() as show:
        assert show is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with commands.progress_bar() as show:
        present(show)(3, 10, Verdict("RBU", "Conf", "charitable", "holds"))
    assert "RBU Conf" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "rich.progress", None)
    with commands.progress_bar() as show:
        assert show is None


@pytest.mark.parametrize("reading", ["charitable", "as-written"])
def test_a_composition_without_novelty_is_decided_in_every_reading(reading: str) -> None:
    """Where the solver leaves r_max open, any value does."""
    assert check(Composition("p^i", "none", "yes", "e").subject(), "Sat", reading=reading).verdict != "holds"
