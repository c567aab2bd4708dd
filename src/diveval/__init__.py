"""diveval: how good is a diversified ranking, and which metric to trust.

>>> import diveval
>>> diveval.evaluate("qrels.txt", ["a.run", "b.run"], ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20"])  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diveval.errors import DivevalError, DivevalWarning, InputError, UsageError
    from diveval.evaluation import evaluate
    from diveval.judgments import Judgments
    from diveval.metrics import Metric, Ranking, parse
    from diveval.reading import read_judgments, read_run, read_weights
    from diveval.reading.shapes import as_judgments, as_run
    from diveval.runs import Run
    from diveval.scores import Scores

__version__ = "1.0.0"

# Loaded on first use, so that `import diveval` costs what it must and no more.
_HOMES = {
    "DivevalError": "errors", "DivevalWarning": "errors", "InputError": "errors", "UsageError": "errors",
    "evaluate": "evaluation", "Judgments": "judgments", "Metric": "metrics", "Ranking": "metrics", "parse": "metrics",
    "read_judgments": "reading", "read_run": "reading", "read_weights": "reading",
    "as_judgments": "reading.shapes", "as_run": "reading.shapes", "Run": "runs", "Scores": "scores",
}  # fmt: skip

__all__ = [
    "DivevalError", "DivevalWarning", "InputError", "Judgments", "Metric", "Ranking", "Run", "Scores", "UsageError",
    "as_judgments", "as_run", "evaluate", "parse", "read_judgments", "read_run", "read_weights",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'diveval' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"diveval.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
