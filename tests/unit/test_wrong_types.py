"""Arguments of a type that no function takes, and values that it cannot use, are refused with a code."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import diveval
import diveval.answers
import diveval.axioms
import diveval.meta
import diveval.recommend
import diveval.stats
from diveval.argument_types import explain_types
from diveval.errors import DivevalError
from support.refusals import refuses

QRELS: Any = {"1": {"a": {"d1": 1, "d2": 0}, "b": {"d3": 2}}, "2": {"a": {"d1": 1}}, "3": {"a": {"d4": 1}}}
A: Any = {"1": {"d1": 2.0, "d3": 1.0}, "2": {"d1": 1.0}, "3": {"x": 1.0}}
B: Any = {"1": {"d3": 2.0, "x": 1.0}, "2": {"x": 1.0}, "3": {"d4": 1.0}}
C: Any = {"1": {"d2": 1.0}, "2": {"d1": 1.0}, "3": {"d4": 1.0}}
RUNS: dict[str, Any] = {"A": A, "B": B}
METRICS = ["RBU@5", "P@3"]
COMMON: dict[str, Any] = {"judgments": QRELS, "runs": RUNS, "metrics": METRICS}
# What fails inside is explained by annotations; these are values of the right type that are found wrong by what they do.
WRONG_INSIDE = {("why", "texts"), ("losses", "texts"), ("evaluate of answers", "labels"), ("judges", "prices")}
WRONG_INSIDE |= {("recommend", name) for name in ("history", "profiles", "ratings", "vectors")}
WRONG_INSIDE |= {("conclude", "any_weights"), ("conclude", "rankings"), ("slices", "slices"), ("letters", "count")}
WRONG_INSIDE |= {("board", "any_weights")}


class Odd:
    """No value that any function takes."""

    def __repr__(self) -> str:
        return "odd"


VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2.5, float("nan"), float("inf"), 10**30, "", "x", "\x00", "\ud800", b"x"),
    *([], [None], [1], ["x"], {}, {"x": 1}, {"x": None}, {1: 2}, (), set(), Odd(), 1j, range(3)),
)


@pytest.fixture(scope="module")
def calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Public functions with arguments that they take."""
    scores = diveval.evaluate(QRELS, RUNS | {"C": C}, METRICS)
    ratings: Any = {"1": {"i1": 5, "i2": 1}, "2": {"i1": 5}}
    lists: Any = {"A": {"1": {"i1": 1.0}, "2": {"i2": 1.0}}}
    return {
        "as_judgments": (diveval.as_judgments, {"shape": QRELS}),
        "as_run": (diveval.as_run, {"shape": A}),
        "audit_pool": (diveval.audit_pool, COMMON),
        "board": (diveval.board, {**COMMON, "metrics": "RBU@5"}),
        "compare": (diveval.compare, {"scores": scores, "metric": "P@3"}),
        "conclude": (diveval.conclude, {**COMMON, "metrics": "RBU@5"}),
        "evaluate": (diveval.evaluate, COMMON),
        "gate": (
            diveval.gate,
            {"judgments": QRELS, "baseline": {"A": A}, "candidates": {"B": B}, "metrics": METRICS, "margin": 0.1},
        ),
        "judges": (
            diveval.judges,
            {"people": QRELS, "model": QRELS, "runs": RUNS, "metrics": METRICS, "resamples": 100},
        ),
        "losses": (diveval.losses, {"judgments": QRELS, "run": A, "other": B, "metric": "P@3"}),
        "metrics": (diveval.metrics, {}),
        "panel": (diveval.panel, {"judges": [QRELS, QRELS], "runs": RUNS, "metrics": METRICS, "resamples": 100}),
        "parse": (diveval.parse, {"text": "P@3"}),
        "plan": (diveval.plan, {**COMMON, "difference": 0.1}),
        "stopping": (diveval.stopping_ranks, {"judgments": QRELS, "runs": RUNS, "metric": "RBU@5"}),
        "user model": (diveval.user_model, {"metric": "RBU@5", "gains": [0.5, 0.0]}),
        "violations": (diveval.violations, {**COMMON, "depth": 5}),
        "why": (
            diveval.why,
            {"judgments": QRELS, "run": A, "other": B, "metrics": METRICS, "axioms": False},
        ),
        "recommend": (
            diveval.recommend.evaluate,
            {"ratings": ratings, "recommendations": lists, "metrics": ["P@3"], "aspects": {"i1": ["x"], "i2": ["y"]}},
        ),
        "evaluate of answers": (diveval.answers.evaluate, {"files": [{"query": "1", "run": "A", "nugget": "n"}]}),
        "agreement": (diveval.meta.agreement, {"scores": scores}),
        "discriminative": (diveval.meta.discriminative, {"scores": scores, "resamples": 100}),
        "sensitivity": (diveval.meta.sensitivity, {"scores": scores, "reference": "P@3"}),
        "strictness": (diveval.meta.strictness, {"scores": scores}),
        "unanimity": (diveval.meta.unanimity, {"scores": scores, "bootstrap": 100}),
        "tau": (diveval.meta.kendall_tau, {"x": [1, 2], "y": [1, 2]}),
        "rbo": (diveval.meta.rbo, {"x": [1, 2], "y": [1, 2]}),
        "robustness": (diveval.meta.robustness, {"reference": scores, "perturbed": [(0.1, scores)]}),
        "holm": (diveval.stats.holm, {"p": [0.1, 0.2]}),
        "interval": (diveval.stats.interval, {"scores": scores, "metric": "P@3"}),
        "slices": (diveval.stats.compare_slices, {"scores": scores, "slices": {"x": ["1", "2"]}, "metric": "P@3"}),
        "letters": (diveval.stats.letters, {"count": 2, "different": [(0, 1)]}),
        "scale": (diveval.axioms.scale, {"metric": "P@2"}),
    }


NAMES = [
    "as_judgments",
    "as_run",
    "audit_pool",
    "board",
    "compare",
    "conclude",
    "evaluate",
    "gate",
    "judges",
    "losses",
    "metrics",
    "panel",
    "parse",
    "plan",
    "stopping",
    "user model",
    "violations",
    "why",
    "recommend",
    "agreement",
    "discriminative",
    "sensitivity",
    "strictness",
    "unanimity",
    "tau",
    "rbo",
    "robustness",
    "holm",
    "interval",
    "slices",
    "letters",
    "scale",
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_no_argument_makes_an_error_without_a_code(
    name: str, calls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every argument with every kind of value: a result, or an error of diveval with a code."""
    monkeypatch.chdir(tmp_path)
    function, arguments = calls[name]
    function(**arguments)
    for parameter in inspect.signature(function).parameters:
        if parameter in ("progress", "lookup") or (name, parameter) in WRONG_INSIDE:
            continue
        for value in VALUES:
            if value == 10**30 and parameter in ("resamples", "bootstrap", "jobs"):
                continue  # takes as long as it says
            try:
                function(**{**arguments, parameter: value})
            except DivevalError as error:
                assert error.code, (parameter, value)
            except Exception as error:
                raise AssertionError(f"{name}({parameter}={value!r})") from error


CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "depth": ("out-of-range", lambda _: diveval.violations(QRELS, {"A": A}, "P@5", depth=True)),
    "answers": ("wrong-type", lambda _: diveval.answers.evaluate(None)),  # type: ignore[arg-type]
    "file": ("wrong-type", lambda _: diveval.report(QRELS, RUNS, None)),  # type: ignore[arg-type]
    "scores": ("wrong-type", lambda _: diveval.meta.strictness(QRELS)),
    "test": ("wrong-type", lambda _: diveval.compare(None)),  # type: ignore[arg-type]
    "no metric": ("no-metric", lambda _: diveval.conclude(QRELS, RUNS, [])),
    "half a pair": ("cannot-read", lambda _: diveval.evaluate("\ud800", RUNS, "P@5")),
    "scale": ("out-of-range", lambda _: diveval.axioms.scale("P@1000000000000")),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_type_is_refused(name: str, tmp_path: Path) -> None:
    """No TypeError from inside the library."""
    code, call = CALLS[name]
    with refuses(code):
        call(tmp_path)


def test_every_public_function_explains_a_wrong_type() -> None:
    """No function of `diveval` answers a wrong type with a TypeError of its own."""
    functions = [value for value in map(vars(diveval).get, diveval.__all__) if inspect.isfunction(value)]
    assert functions and all(hasattr(function, "__wrapped__") for function in functions)


def test_only_a_failing_call_is_explained() -> None:
    """A call that works is not checked; a failure that no argument's type explains stays what it is."""

    @explain_types
    def half(number: int, path: str | os.PathLike[str] | None = None) -> float:
        return number / 2 if number else 1 / number

    assert half(2.5) == 1.25  # type: ignore[arg-type]
    with refuses("wrong-type", "number"):
        half("x")  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        half(0)
    with refuses("wrong-type"):
        half()  # type: ignore[call-arg]
