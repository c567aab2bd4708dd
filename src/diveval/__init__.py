"""diveval: how good is a diversified ranking, and which metric to trust.

>>> import diveval
>>> diveval.evaluate("qrels.txt", ["a.run", "b.run"], ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20"])  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from diveval.errors import DivevalError, DivevalWarning, InputError, UsageError
    from diveval.judgments import Judgments
    from diveval.metrics import Metric, Ranking, parse
    from diveval.metrics.names import MetricLike
    from diveval.options import Options
    from diveval.reading import read_judgments, read_run, read_weights
    from diveval.reading.shapes import as_judgments, as_run
    from diveval.runs import Run
    from diveval.scores import Scores

__version__ = "1.0.0"

# Loaded on first use, so that `import diveval` costs what it must and no more.
_HOMES = {
    "DivevalError": "errors", "DivevalWarning": "errors", "InputError": "errors", "UsageError": "errors",
    "Judgments": "judgments", "Metric": "metrics", "Ranking": "metrics", "parse": "metrics",
    "read_judgments": "reading", "read_run": "reading", "read_weights": "reading",
    "as_judgments": "reading.shapes", "as_run": "reading.shapes", "Run": "runs", "Scores": "scores",
}  # fmt: skip

__all__ = [
    "DivevalError", "DivevalWarning", "InputError", "Judgments", "Metric", "Ranking", "Run", "Scores", "UsageError",
    "as_judgments", "as_run", "evaluate", "parse", "read_judgments", "read_run", "read_weights",
]  # fmt: skip


def evaluate(
    judgments: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    options: Options | None = None,
    weights: str | Path | Mapping[tuple[str, str], float] | None = None,
    residuals: bool = False,
    **choices: Any,
) -> Scores:
    """Score runs against judgments.

    `judgments`: a path, `Judgments`, a dict, a frame, or other libraries' qrels. `runs`: one of these or several, or a
    dict by name. `metrics`: names, formulas or plain functions of a ranking. `choices` are the options of the command
    line by name: gain, gmax, renormalise, order, ties, missing_topics, empty_topics, duplicates, …
    `residuals` adds, for each metric M, `M+residual`: how much M would rise if every unjudged document were relevant
    to every aspect in full.
    """
    from diveval import ahead

    with ahead.scanning(judgments, runs, metrics, choices if options is None else {"options": options}):
        from diveval.errors import UsageError
        from diveval.evaluation import score_all
        from diveval.options import Options

        if options is not None and choices:
            raise UsageError(f"give options or single choices, not both: {', '.join(choices)}")
        chosen = options or Options.of(**choices)
        return score_all(judgments, runs, metrics, chosen, weights=weights, residuals=residuals)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'diveval' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"diveval.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
