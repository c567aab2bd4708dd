"""ir_measures' own diversity measures by pyndeval, where it computes them rightly: on tuples it is faster than we are.

It is right for cutoffs up to 20, one setting of its parameters per call, and judgments whose aspects are in
`iteration`; everything else, and whatever deserves a message, stays with us. It is given plain tuples, made column by
column, which is faster than the way ir_measures feeds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from operator import itemgetter, ne
from typing import Any

from diveval.errors import MissingExtraError, need

ir_measures: Any = need("ir_measures", "ir-measures")

DEEPEST = 20
MANY = 100
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
        kind: Any = type(measure)
        if (found := _setting(kind, tuple(measure.params.items()))) is not None:
            groups.setdefault(found[0], {})[found[1]] = measure
    return groups if len(groups) <= SETTINGS else {}


@lru_cache(maxsize=512)
def _setting(kind: Any, params: tuple[tuple[str, Any], ...]) -> tuple[Setting, str] | None:
    """The call to pyndeval that computes a measure, and the name of its value there."""
    measure = kind(**dict(params))
    takes = measure.SUPPORTED_PARAMS
    name, cut = NAMES.get(measure.NAME, ("", False))
    depth = measure.params.get("cutoff")
    known = bool(name) and not set(measure.params) - set(takes)
    if not known or (cut and not (isinstance(depth, int) and 0 < depth <= DEEPEST)):
        return None
    if "judged_only" in takes and measure["judged_only"]:
        return None
    alpha, beta = (float(measure[part]) if part in takes else 0.5 for part in ("alpha", "beta"))
    return (measure["rel"], alpha, beta), f"{name}@{depth}" if cut else name


def _columns(rows: Any, fields: tuple[str, ...]) -> Columns | None:
    """Named tuples of one type, field by field; None for anything else."""
    if not isinstance(rows, list) or not rows or len(set(map(type, rows))) != 1:
        return None
    kind: Any = type(rows[0])
    if (places := _places(kind, fields)) is None:
        return None
    if len(rows) > MANY:  # zip would hold an iterator for each row
        return tuple([tuple(map(itemgetter(i), rows)) for i in places])
    listed = list(zip(*rows, strict=True))
    return tuple([listed[i] for i in places])


@lru_cache(maxsize=64)
def _places(kind: Any, fields: tuple[str, ...]) -> tuple[int, ...] | None:
    own = getattr(kind, "_fields", ())
    return tuple(own.index(field) for field in fields) if set(fields) <= set(own) else None


def _spans(topics: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where each topic begins and ends; None where a topic's rows are not together."""
    if len(set(topics)) == 1:
        return [(0, len(topics))]
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
    if {*map(type, grades)} != {int} or {*map(type, topics), *map(type, aspects), *map(type, documents)} != {str}:
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
    if {*map(type, scores)} != {float} or {*map(type, topics), *map(type, documents)} != {str}:
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

    # ir_measures keeps measures in sets and dicts, which makes the text of each again and again: on a few documents that
    # costs more than scoring them. Where pyndeval computes everything, a measure is known by its place instead.

    def iter_calc(self, run: Any) -> Iterator[Any]:
        listed, columns = self._seen(run)
        if columns is None or self.rest is not None:
            yield from super().iter_calc(listed)
            return
        for measure, topic, value in self._values(columns):
            yield ir_measures.Metric(topic, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, Any]:
        listed, columns = self._seen(run)
        if columns is None or self.rest is not None:
            result: dict[Any, Any] = super().calc_aggregate(listed)
            return result
        held = {id(measure): (measure, measure.aggregator()) for _, named in self.calls for measure in named.values()}
        for measure, _, value in self._values(columns):
            held[id(measure)][1].add(value)
        return {measure: aggregator.result() for measure, aggregator in held.values()}

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        listed, columns = self._seen(run)
        if columns is None:
            yield from self.ours(self.asked, self.qrels)._iter_calc(listed)
            return
        for measure, topic, value in self._scored(columns):
            yield ir_measures.Metric(topic, measure, value)
        if self.rest is not None:
            yield from self.rest._iter_calc(listed)

    def _seen(self, run: Any) -> tuple[Any, Columns | None]:
        listed = list(run) if isinstance(run, Iterator) else run
        return listed, run_columns(listed)

    def _scored(self, columns: Columns) -> Iterator[tuple[Any, str, float]]:
        for evaluator, named in self.calls:
            for found in evaluator.evaluate_iter(zip(*columns, strict=True)):
                topic = found["query_id"]
                for name, measure in named.items():
                    yield measure, topic, found[name]

    def _values(self, columns: Columns) -> Iterator[tuple[Any, str, float]]:
        """The same, and the default for judged topics that the run lacks."""
        yield from self._scored(columns)
        if silent := sorted(self.qrel_qids.difference(columns[0])):
            measures = sorted((measure for _, named in self.calls for measure in named.values()), key=str)
            for measure in measures:
                for topic in silent:
                    yield measure, topic, measure.DEFAULT
