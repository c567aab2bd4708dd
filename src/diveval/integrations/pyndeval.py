"""ir_measures' own diversity measures by pyndeval, where it computes them rightly: on tuples it is faster than we are.

It is right for cutoffs up to 20, one setting of its parameters per call, and judgments whose aspects are in
`iteration`; everything else, and whatever deserves a message, stays with us. It is given plain tuples, made column by
column, which is faster than the way ir_measures feeds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import ne
from typing import Any

from diveval.errors import MissingExtraError, need

ir_measures: Any = need("ir_measures", "ir-measures")

DEEPEST = 20
SETTINGS = 3  # each reads the judgments again, so that many are faster together with us
# By ir_measures' name: pyndeval's, and whether a cutoff follows.
NAMES = {
    "ERR_IA": ("ERR-IA", True),
    "nERR_IA": ("nERR-IA", True),
    "alpha_DCG": ("alpha-DCG", True),
    "alpha_nDCG": ("alpha-nDCG", True),
    "P_IA": ("P-IA", True),
    "StRecall": ("strec", True),
    "NRBP": ("NRBP", False),
    "AP_IA": ("MAP-IA", False),
}
Setting = tuple[Any, float, float]  # relevance level, alpha, beta
Columns = tuple[Sequence[Any], ...]


@cache
def _library() -> Any | None:
    """pyndeval, None where it is not installed."""
    try:
        return need("pyndeval", "ir-measures")
    except MissingExtraError:
        return None


def settings_of(measures: Sequence[Any]) -> dict[Setting, dict[str, Any]]:
    """The measures pyndeval computes rightly, by the setting of a call to it and pyndeval's name.

    Nothing where it is not installed, or where there are more settings than it is faster for.
    """
    if _library() is None:
        return {}
    groups: dict[Setting, dict[str, Any]] = {}
    for measure in measures:
        takes = measure.SUPPORTED_PARAMS
        name, cut = NAMES.get(measure.NAME, ("", False))
        depth = measure.params.get("cutoff")
        known = bool(name) and not set(measure.params) - set(takes)
        if not known or (cut and not (isinstance(depth, int) and 0 < depth <= DEEPEST)):
            continue
        if "judged_only" in takes and measure["judged_only"]:
            continue
        alpha, beta = (float(measure[part]) if part in takes else 0.5 for part in ("alpha", "beta"))
        groups.setdefault((measure["rel"], alpha, beta), {})[f"{name}@{depth}" if cut else name] = measure
    return groups if len(groups) <= SETTINGS else {}


def _columns(rows: Any, fields: tuple[str, ...]) -> Columns | None:
    """Named tuples of one type, field by field; None for anything else."""
    if not isinstance(rows, list) or not rows or len(set(map(type, rows))) != 1:
        return None
    own = getattr(type(rows[0]), "_fields", ())
    if not set(fields) <= set(own):
        return None
    listed = list(zip(*rows, strict=True))
    return tuple(listed[own.index(field)] for field in fields)


def _spans(topics: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where each topic begins and ends; None where a topic's rows are not together."""
    ends = [i for i, differs in enumerate(map(ne, topics, topics[1:]), 1) if differs]
    spans = list(zip([0, *ends], [*ends, len(topics)], strict=True))
    return spans if len(spans) == len(set(topics)) else None


def judged_columns(qrels: Any) -> Columns | None:
    """Topics, aspects, documents, grades where pyndeval reads them as we do; None where there is something to say.

    That is: a judgment twice, every topic with one aspect, ids that are no text, grades that are no whole numbers.
    Rows of a topic that are not together are read by us: looking at one topic at a time is what makes this fast.
    """
    found = _columns(qrels, ("query_id", "iteration", "doc_id", "relevance"))
    if found is None:
        return None
    topics, aspects, documents, grades = found
    if set(map(type, grades)) != {int} or any(set(map(type, column)) != {str} for column in found[:3]):
        return None
    spans, several = _spans(topics), False
    for a, b in spans or ():
        if len(set(zip(aspects[a:b], documents[a:b], strict=True))) < b - a:
            return None
        several = several or len(set(aspects[a:b])) > 1
    return found if several else None


def run_columns(run: Any) -> Columns | None:
    """Topics, documents, scores; None where a document is there twice, a score is no number, or topics are mixed."""
    found = _columns(run, ("query_id", "doc_id", "score"))
    if found is None:
        return None
    topics, documents, scores = found
    if set(map(type, scores)) != {float} or any(set(map(type, column)) != {str} for column in found[:2]):
        return None
    total, spans = sum(scores), _spans(topics)
    if total - total != 0 or spans is None or any(len(set(documents[a:b])) < b - a for a, b in spans):
        return None
    return found


class SharedEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Some measures by pyndeval, the others by us; a run that is not plain goes to us whole."""

    def __init__(
        self,
        measures: Sequence[Any],
        qrels: Any,
        judged: Columns,
        groups: dict[Setting, dict[str, Any]],
        ours: Callable[[Sequence[Any], Any], Any],
    ) -> None:
        super().__init__(measures, set(judged[0]))
        library: Any = _library()
        self.calls = [
            (library.RelevanceEvaluator(zip(*judged, strict=True), list(named), level, alpha, beta), named)
            for (level, alpha, beta), named in groups.items()
        ]
        handed = [measure for named in groups.values() for measure in named.values()]
        # Measures are told apart by their text, which costs more to make than small judgments to read.
        rest = [] if len(handed) == len(measures) else [measure for measure in measures if measure not in handed]
        self.rest = ours(rest, qrels) if rest else None
        self.ours, self.asked, self.qrels = ours, measures, qrels

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        listed = list(run) if isinstance(run, Iterator) else run
        columns = run_columns(listed)
        if columns is None:
            yield from self.ours(self.asked, self.qrels)._iter_calc(listed)
            return
        for evaluator, named in self.calls:
            for found in evaluator.evaluate_iter(zip(*columns, strict=True)):
                topic = found["query_id"]
                for name, measure in named.items():
                    yield ir_measures.Metric(query_id=topic, measure=measure, value=found[name])
        if self.rest is not None:
            yield from self.rest._iter_calc(listed)
