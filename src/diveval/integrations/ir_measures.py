"""diveval's metrics in ir_measures: importing this module registers them with its parser and its providers.

>>> import ir_measures, diveval.integrations.ir_measures  # doctest: +SKIP
>>> ir_measures.calc_aggregate([ir_measures.parse_measure("RBU(p=0.9,e=0.05)@20"), ir_measures.AP], qrels, run)

Names that both have keep ir_measures' meaning. Its diversity measures are computed by our `ndeval.` rules: any cutoff,
any number of parameter settings in one call, `judged_only` too. Our own metric of such a name is `diveval_NAME`, and
another tool's name is written with an underscore: `ndeval_ERR_IA@20`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run
from diveval.errors import UsageError, need, quote, suggestion, warn
from diveval.integrations import pyndeval
from diveval.integrations.measures import UNDEFINED, Grades, counterpart, regrade
from diveval.metrics import Metric, MetricText, entries, parse
from diveval.metrics.compat import OF_PYNDEVAL
from diveval.metrics.compat.cwl import QUANTITIES
from diveval.metrics.metric import Entry, Parameter
from diveval.reading.chosen import as_options
from diveval.reading.objects import as_judgments, as_run, why_no_aspects
from diveval.scoring.scorer import orders, score
from diveval.settings import Options, OrderRule

ir_measures: Any = need("ir_measures", "ir-measures")

# pyndeval, which computes them in ir_measures, puts equal scores in ascending order of document id.
PYNDEVAL_ORDER = OrderRule("score", "docno-asc")


class DivevalMeasure(ir_measures.Measure):  # type: ignore[misc]
    """An entry of diveval's catalogue as an ir_measures measure."""

    entry: Entry

    def metric(self) -> Metric:
        """The metric with these parameters, checked."""
        return parse(_text(self.entry.name, self.params))

    def validate_params(self) -> None:
        self.metric()

    def __repr__(self) -> str:
        """The canonical text with all parameters, which identifies a measure in ir_measures."""
        full = {p.name: self.params.get(p.name, p.default) for p in self.entry.parameters}
        named = {p.name: full[p.name] for p in self.entry.parameters if p.in_name or full[p.name] != p.default}
        rest = {name: value for name, value in self.params.items() if name not in full}
        quoted = {name: repr(value) if isinstance(value, str) else value for name, value in {**named, **rest}.items()}
        return _text(self.NAME, quoted)


def is_ours(measure: Any) -> bool:
    """Whether a measure is ours, by its attribute `entry`: an isinstance check fails if the class was loaded twice."""
    return hasattr(measure, "entry")


def _text(name: str, params: Mapping[str, Any]) -> str:
    """`NAME(parameter=value,…)@cutoff`."""
    settings = tuple(f"{key}={value}" for key, value in params.items() if key != "cutoff")
    cutoff = params.get("cutoff")
    return str(MetricText(name, settings, None if cutoff is None else str(cutoff)))


def _measure(name: str, entry: Entry) -> DivevalMeasure:
    params = {p.name: _param(p) for p in entry.parameters}
    if entry.cutoffs:
        params["cutoff"] = ir_measures.ParamInfo(
            dtype=int, required=entry.cutoffs == "needed", desc="ranking cutoff threshold"
        )
    attributes = {
        "__name__": name,
        "NAME": name,
        "PRETTY_NAME": entry.name,
        "SHORT_DESC": entry.meaning,
        "entry": entry,
        "SUPPORTED_PARAMS": params,
        "__doc__": f"{entry.meaning}\n\n{entry.formula}\n\n{entry.reference}",
    }
    made: DivevalMeasure = type(f"_{name}", (DivevalMeasure,), attributes)()
    return made


def _param(parameter: Parameter) -> Any:
    described = {"default": parameter.default, "desc": f"{parameter.meaning}, in {parameter.range}"}
    if parameter.choices:
        return ir_measures.ParamInfo(dtype=str, choices=list(parameter.choices), **described)
    return ir_measures.ParamInfo(dtype=(int, float), **described)


# --- the provider -----------------------------------------------------------------------------------------------------


class DivevalProvider(ir_measures.Provider):  # type: ignore[misc]
    """Computes diveval's measures, and ir_measures' own measures as its providers do.

    Args:
        place: compute what this provider of ir_measures computes, where providers differ: `cwl_eval`, `gdeval`, `ranx`.
            A provider that is registered under another's name takes that place.
        choices: the options of `diveval.evaluate`.
    """

    NAME = "diveval"

    def __init__(self, place: str = "", **choices: Any) -> None:
        super().__init__()
        if place and place not in ir_measures.providers.registry:
            known = ir_measures.providers.registry
            raise UsageError("invalid-choice", f"no provider is called {quote(place)}", hint=suggestion(place, known))
        self._place = place
        self.options = as_options(None, choices)
        self.usual = not choices
        self.ad_hoc = True

    @property
    def place(self) -> str:
        """The provider whose numbers are asked for; the name under which this one alone is registered, if it is."""
        registry = ir_measures.providers.registry
        if self._place or self.NAME != DivevalProvider.NAME:
            return self._place or self.NAME
        held = {name for name in registry if self in (registry[name], getattr(ir_measures, name, None))} - {self.NAME}
        return held.pop() if len(held) == 1 else ""

    def supports(self, measure: Any) -> bool:
        if is_ours(measure):
            measure.validate_params()
            return True
        if self.place == "gdeval" and measure.NAME == "nDCG" and measure["dcg"] != "exp-log2":
            return False  # gdeval computes it, but with exponential gains
        return measure.NAME in OF_PYNDEVAL or (self.ad_hoc and counterpart(measure, self.place) is not None)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        listed = list(measures)

        def ours(some: Sequence[Any], judged: Any) -> DivevalEvaluator:
            return DivevalEvaluator(list(some), judged, self.options, self.place)

        qrels = list(qrels) if isinstance(qrels, Iterator) else qrels
        if hasattr(qrels, "__len__") and len(qrels) == 0:
            warn("no-judgment", "the judgments are empty: no topic has a value, as with every provider of ir_measures")
            return NothingJudged(listed, set())
        groups = pyndeval.settings_of([m for m in listed if m.NAME in OF_PYNDEVAL]) if self.usual else {}
        columns = pyndeval.read_qrels(qrels) if groups else None
        return (
            ours(listed, qrels) if columns is None else pyndeval.SharedEvaluator(listed, qrels, columns, groups, ours)
        )


class NothingJudged(ir_measures.Evaluator):  # type: ignore[misc]
    """The evaluator of no judgments, which has no values."""

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        return iter(())


class DivevalEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Judgments read once, runs scored one after the other."""

    def __init__(self, measures: list[Any], qrels: Any, options: Options, place: str = "") -> None:
        self.options, self._place = options, place
        self.groups = _groups(measures, place)
        self._defined: set[tuple[Any, str]] = set()  # measures and topics with a value
        asked = [m for m in measures if (m.entry.diversity if is_ours(m) else m.NAME in OF_PYNDEVAL)]
        if asked and (reason := why_no_aspects(qrels)):
            raise UsageError("metric-needs-aspects", f"{asked[0]} needs aspects, but {reason}")
        self.judgments = as_judgments(qrels, duplicates=options.judgment_duplicates)
        if asked and all(len(topic.aspects) == 1 for topic in self.judgments.topics.values()):
            warn(
                "metric-needs-aspects",
                f"{asked[0]} uses aspects, but every topic has only one: pass qrels with their `iteration` or"
                " `subtopic_id`",
            )
        super().__init__(measures, set(self.judgments.topics))

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        listed = as_run(run)
        for (grades, judged_only, order), group in self.groups.items():
            judgments = self.judgments if grades is None else _regrade(self.judgments, grades)
            yield from self._score(judgments, listed, group, order, judged_only or self.options.judged_only)

    def _score(
        self,
        judgments: Judgments,
        run: Run,
        group: list[tuple[Any, Metric]],
        order: OrderRule | None,
        judged_only: bool,
    ) -> Iterator[Any]:
        metrics = [replace(metric, order=order) if order else metric for _, metric in group]
        expected = [m for _, m in group if self._place == "cwl_eval" and m.entry and "quantity" in m.values]
        beside = [replace(m(quantity=what), order=order) for m in expected for what in QUANTITIES[1:]]
        needed = orders(metrics, self.options)
        rankings = {
            o: [rank(judgments, run, o, duplicates=self.options.duplicates, judged_only=judged_only)] for o in needed
        }
        scores = score(judgments, rankings, [*metrics, *beside], self.options)
        ranked = rankings[needed[0]][0].topics
        places = [(t, topic) for t, topic in enumerate(scores.topics) if topic in ranked]
        others = scores.values[0, len(metrics) :].reshape(len(expected), len(QUANTITIES) - 1, len(scores.topics))
        for m, (measure, metric) in enumerate(group):
            values = scores.values[0, m]
            if metric.entry is not None and not is_ours(measure) and metric.entry.name.startswith("gdeval."):
                values = np.array(
                    [round(value, 5) for value in values.tolist()]
                )  # ir_measures reads what gdeval prints
            more = others[expected.index(metric)].T if metric in expected else None
            yield from self._emit(measure, values, places, more)

    def _emit(self, measure: Any, values: Any, places: list[tuple[int, str]], more: Any) -> Iterator[Any]:
        """One measure's values by topic; `more` are the quantities of cwl_eval beside the expected utility."""
        undefined, listed = measure.NAME in UNDEFINED, np.nan_to_num(values).tolist()  # nNRBP is 0/0 without relevance
        for t, topic in places:
            if undefined and np.isnan(values[t]):
                continue
            if undefined:
                self._defined.add((measure, topic))
            if more is None:
                yield ir_measures.Metric(query_id=topic, measure=measure, value=listed[t])
            else:
                total, cost, total_cost, items = more[t].tolist()
                yield ir_measures.CwlMetric(topic, measure, listed[t], total, cost, total_cost, items)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The values by topic; Accuracy has none, and no default, where nothing relevant was found."""
        self._defined.clear()
        for metric in super().iter_calc(run):
            if metric.measure.NAME not in UNDEFINED or (metric.measure, metric.query_id) in self._defined:
                yield metric


Setting = tuple[Grades | None, bool, OrderRule | None]


def _groups(measures: list[Any], place: str) -> dict[Setting, list[tuple[Any, Metric]]]:
    """Measures by how they read the judgments and the run: grades, judged documents only, order."""
    groups: dict[Setting, list[tuple[Any, Metric]]] = {}
    for measure in measures:
        if is_ours(measure):
            setting: Setting = (None, False, None)
            metric = measure.metric()
        elif measure.NAME in OF_PYNDEVAL:
            judged_only = "judged_only" in measure.SUPPORTED_PARAMS and bool(measure["judged_only"])
            setting = (("binary", measure["rel"]), judged_only, PYNDEVAL_ORDER)
            metric = parse(_text(OF_PYNDEVAL[measure.NAME], _params_in_common(measure)))
        else:
            found = counterpart(measure, place)
            if found is None:
                raise UsageError("unknown-metric", f"no provider computes {quote(measure)} with these parameters")
            setting, metric = (found.grades, False, found.order), parse(found.text)
        # Measures that differ only in `rel` are the same metric for us, so each keeps its own text as its name.
        groups.setdefault(setting, []).append((measure, replace(metric, name=str(measure))))
    return groups


def _params_in_common(measure: Any) -> dict[str, Any]:
    unknown = set(measure.params) - set(measure.SUPPORTED_PARAMS)
    if unknown:
        takes = ", ".join(measure.SUPPORTED_PARAMS)
        raise UsageError(
            "unknown-parameter", f"{measure.NAME} has no parameter {quote(min(unknown))}", hint=f"it takes: {takes}"
        )
    return {name: measure[name] for name in ("alpha", "beta", "cutoff") if name in measure.params}


def _regrade(judgments: Judgments, grades: Grades) -> Judgments:
    """The judgments with grades as a measure reads them; weights are dropped."""
    topics = {
        name: replace(topic, grades=regrade(topic.grades, grades), weights=None)
        for name, topic in judgments.topics.items()
    }
    return replace(judgments, topics=topics)


# --- registration -----------------------------------------------------------------------------------------------------


def _names() -> dict[str, Entry]:
    """Every metric of the catalogue under a name that ir_measures can parse and does not have already."""
    named = {}
    for entry in entries().values():
        plain = entry.name.replace(".", "_")
        taken = ir_measures.measures.registry.get(plain)
        named[plain if taken is None or is_ours(taken) else f"diveval_{plain}"] = entry
    return named


def register() -> dict[str, Any]:
    """Register the measures and the provider with ir_measures; calling it again changes nothing."""
    registry = ir_measures.measures.registry
    made = {}
    for name, entry in _names().items():
        if name not in registry:
            registry[name] = _measure(name, entry)
        made[name] = registry[name]
    pipeline = ir_measures.DefaultPipeline
    if all(provider.NAME != DivevalProvider.NAME for provider in pipeline.providers):
        ir_measures.providers.registry[DivevalProvider.NAME] = DivevalProvider()
        first = DivevalProvider()
        first.ad_hoc = False  # AP and the like keep the numbers of ir_measures' own providers, also with aspects
        pipeline.providers.insert(0, first)
    return made


MEASURES = register()


def __getattr__(name: str) -> Any:
    """`from diveval.integrations.ir_measures import RBU`; a name that both have is that of ir_measures' measure."""
    if name in MEASURES:
        return MEASURES[name]
    if name in OF_PYNDEVAL or f"diveval_{name}" in MEASURES:
        return ir_measures.measures.registry[name]
    raise AttributeError(f"no measure is called {name!r}; {suggestion(name, MEASURES)}")
