"""From run files straight to rankings of judged documents, the way evaluation reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from diveval.judgments import Judgments
from diveval.options import Options
from diveval.rankings import Rankings, rank
from diveval.reading import read_run
from diveval.runs import OrderRule


def read_rankings(
    judgments: Judgments,
    path: str | Path,
    orders: Sequence[OrderRule],
    options: Options,
    *,
    keep_documents: bool = False,
) -> dict[OrderRule, Rankings]:
    """One run file under each order asked for."""
    run = read_run(path, format=options.run_format)
    return {
        order: rank(judgments, run, order, duplicates=options.duplicates, keep_documents=keep_documents)
        for order in orders
    }
