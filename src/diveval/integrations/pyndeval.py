"""ir_measures' own diversity measures, computed by pyndeval if its results are correct: on tuples it is faster than we.

Its results are correct for cutoffs up to 20, one setting of its parameters per call, and judgments whose aspects are in
`iteration`; we compute everything else, and everything that needs a message. It gets plain tuples, built column by
column, which is faster than the way ir_measures calls it.
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
SETTINGS = 3  # at most: each setting reads the judgments again, so for more we are faster
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
    """pyndeval, or None if it is not installed."""
    try:
        return need("pyndeval", "ir-measures")
    except MissingExtraError:
        return None


def settings_of(measures: Sequence[Any]) -> dict[Setting, dict[str, Any]]:
    """The measures that pyndeval computes correctly, by the setting of a call to it and pyndeval's name.

    Empty if it is not installed, or if there are so many settings that it is slower.
    """
    if _library() is None:
        return {}
    groups: dict[Setting, dict[str, Any]] = {}
    for measure in measures:
        kind: Any = type(measure)
        if (call := _setting(kind, tuple(measure.params.items()))) is not None:
            groups.setdefault(call[0], {})[call[1]] = measure
    return groups if len(groups) <= SETTINGS else {}


@lru_cache(maxsize=512)
def _setting(kind: Any, params: tuple[tuple[str, Any], ...]) -> tuple[Setting, str] | None:
    """The call to pyndeval that computes a measure, and the name of its value there."""
    measure = kind(**dict(params))
    takes = measure.SUPPORTED_PARAMS
    name, cut = NAMES.get(measure.NAME, ("", False))
    depth = measure.params.get("cutoff")
    supported = bool(name) and not set(measure.params) - set(takes)
    if not supported or (cut and not (isinstance(depth, int) and 0 < depth <= DEEPEST)):
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
    if len(rows) > MANY:  # zip would create an iterator for each row
        return tuple([tuple(map(itemgetter(i), rows)) for i in places])
    listed = list(zip(*rows, strict=True))
    return tuple([listed[i] for i in places])


@lru_cache(maxsize=64)
def _places(kind: Any, fields: tuple[str, ...]) -> tuple[int, ...] | None:
    own = getattr(kind, "_fields", ())
    return tuple(own.index(field) for field in fields) if set(fields) <= set(own) else None


def _spans(topics: Sequence[str]) -> list[tuple[int, int]] | None:
    """The start and end of each topic; None if a topic's rows are not contiguous."""
    if len(set(topics)) == 1:
        return [(0, len(topics))]
    ends = [i for i, differs in enumerate(map(ne, topics, topics[1:]), 1) if differs]
    spans = list(zip([0, *ends], [*ends, len(topics)], strict=True))
    return spans if len(spans) == len(set(topics)) else None


def read_qrels(qrels: Any) -> Columns | None:
    """Topics, aspects, documents, grades if pyndeval reads them as we do; None if we have to read them.

    That is the case for repeated judgments, topics that all have one aspect, ids that are not strings, grades that are
    not integers, and topics whose rows are not contiguous: checking one topic at a time is what makes this fast.
    """
    columns = _columns(qrels, ("query_id", "iteration", "doc_id", "relevance"))
    if columns is None:
        return None
    topics, aspects, documents, grades = columns
    if {*map(type, grades)} != {int} or {*map(type, topics), *map(type, aspects), *map(type, documents)} != {str}:
        return None
    spans, several = _spans(topics), False
    for a, b in spans or ():
        if len(set(zip(aspects[a:b], documents[a:b], strict=True))) < b - a:
            return None
        several = several or len(set(aspects[a:b])) > 1
    return columns if several else None


def run_columns(run: Any) -> Columns | None:
    """Topics, documents, scores; None if a document is repeated, a score is not finite, or topics are interleaved."""
    columns = _columns(run, ("query_id", "doc_id", "score"))
    if columns is None:
        return None
    topics, documents, scores = columns
    if {*map(type, scores)} != {float} or {*map(type, topics), *map(type, documents)} != {str}:
        return None
    total, spans = sum(scores), _spans(topics)
    if total - total != 0 or spans is None or any(len(set(documents[a:b])) < b - a for a, b in spans):
        return None
    return columns


class SharedEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Computes some measures with pyndeval and the others with diveval; an unusual run is left to diveval entirely."""

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
        # Comparing measures creates their text, which takes longer than reading small judgments.
        rest = [] if len(handed) == len(measures) else [measure for measure in measures if measure not in handed]
        self.rest = ours(rest, qrels) if rest else None
        self.ours, self.asked, self.qrels = ours, measures, qrels

    # ir_measures keeps measures in sets and dicts, which creates the text of each again and again: for a few documents
    # that takes longer than scoring them. If pyndeval computes everything, measures are identified by `id` instead.

    def iter_calc(self, run: Any) -> Iterator[Any]:
        listed, columns = self._read_run(run)
        if columns is None or self.rest is not None:
            yield from super().iter_calc(listed)
            return
        for measure, topic, value in self._values(columns):
            yield ir_measures.Metric(topic, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, Any]:
        listed, columns = self._read_run(run)
        if columns is None or self.rest is not None:
            result: dict[Any, Any] = super().calc_aggregate(listed)
            return result
        totals = {id(measure): (measure, measure.aggregator()) for _, named in self.calls for measure in named.values()}
        for measure, _, value in self._values(columns):
            totals[id(measure)][1].add(value)
        return {measure: aggregator.result() for measure, aggregator in totals.values()}

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        listed, columns = self._read_run(run)
        if columns is None:
            yield from self.ours(self.asked, self.qrels)._iter_calc(listed)
            return
        for measure, topic, value in self._score(columns):
            yield ir_measures.Metric(topic, measure, value)
        if self.rest is not None:
            yield from self.rest._iter_calc(listed)

    def _read_run(self, run: Any) -> tuple[Any, Columns | None]:
        listed = list(run) if isinstance(run, Iterator) else run
        return listed, run_columns(listed)

    def _score(self, columns: Columns) -> Iterator[tuple[Any, str, float]]:
        for evaluator, named in self.calls:
            for values in evaluator.evaluate_iter(zip(*columns, strict=True)):
                topic = values["query_id"]
                for name, measure in named.items():
                    yield measure, topic, values[name]

    def _values(self, columns: Columns) -> Iterator[tuple[Any, str, float]]:
        """The same, and the default for judged topics that the run lacks."""
        yield from self._score(columns)
        if silent := sorted(self.qrel_qids.difference(columns[0])):
            measures = sorted((measure for _, named in self.calls for measure in named.values()), key=str)
            for measure in measures:
                for topic in silent:
                    yield measure, topic, measure.DEFAULT
