"""Arguments of a type that no function takes are refused with a code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval import answers
from support.refusals import refuses

QRELS = {"1": {"a": {"d": 1}}}
RUNS = {"A": {"1": {"d": 1.0}}}
CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "depth": ("out-of-range", lambda _: diveval.violations(QRELS, RUNS, "P@5", depth=True)),
    "answers": ("wrong-type", lambda _: answers.evaluate(None)),  # type: ignore[arg-type]
    "file": ("wrong-type", lambda _: diveval.report(QRELS, RUNS, None)),  # type: ignore[arg-type]
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_type_is_refused(name: str, tmp_path: Path) -> None:
    """No TypeError from inside the library."""
    code, call = CALLS[name]
    with refuses(code):
        call(tmp_path)
