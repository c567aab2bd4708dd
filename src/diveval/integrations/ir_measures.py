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

from diveval.errors import UsageError, need, shown, suggestion, warn
from diveval.integrations import pyndeval
from diveval.judgments import Judgments
from diveval.metrics import Metric, MetricText, entries, parse
from diveval.metrics.compat import OF_PYNDEVAL
from diveval.metrics.metric import Entry, Parameter
from diveval.options import Options
from diveval.rankings import rank
from diveval.reading.objects import as_judgments, as_run, why_no_aspects
from diveval.runs import OrderRule, Run, TopicRun
from diveval.scoring import orders, score

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
    """Computes diveval's measures, and ir_measures' own diversity measures by the same rules as ndeval."""

    NAME = "diveval"

    def __init__(self, **choices: Any) -> None:
        super().__init__()
        self.options = Options.of(**choices)
        self.usual = not choices

    def supports(self, measure: Any) -> bool:
        if is_ours(measure):
            measure.validate_params()
            return True
        return measure.NAME in OF_PYNDEVAL

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        listed = list(measures)

        def ours(some: Sequence[Any], judged: Any) -> DivevalEvaluator:
            return DivevalEvaluator(list(some), judged, self.options)

        groups = pyndeval.settings_of([m for m in listed if not is_ours(m)]) if self.usual else {}
        judged = list(qrels) if groups and isinstance(qrels, Iterator) else qrels
        columns = pyndeval.judged_columns(judged) if groups else None
        return (
            ours(listed, judged) if columns is None else pyndeval.SharedEvaluator(listed, judged, columns, groups, ours)
        )


class DivevalEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Judgments read once, runs scored one after the other."""

    def __init__(self, measures: list[Any], qrels: Any, options: Options) -> None:
        self.options = options
        self.groups = _groups(measures)
        asked = [measure for measure in measures if not is_ours(measure) or measure.entry.diversity]
        if asked and (reason := why_no_aspects(qrels)):
            raise UsageError(f"{asked[0]} needs aspects, but {reason}")
        self.judgments = as_judgments(qrels, duplicates=options.judgment_duplicates)
        if asked and all(len(topic.aspects) == 1 for topic in self.judgments.topics.values()):
            warn(
                f"{asked[0]} uses aspects, but every topic has only one: pass qrels with their `iteration` or"
                " `subtopic_id`"
            )
        super().__init__(measures, set(self.judgments.topics))

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        listed = as_run(run)
        for (level, judged_only, order), group in self.groups.items():
            judgments = self.judgments if level is None else _binary(self.judgments, level)
            seen = _judged_only(listed, judgments) if judged_only else listed
            yield from self._score(judgments, seen, group, order)

    def _score(
        self, judgments: Judgments, run: Run, group: list[tuple[Any, Metric]], order: OrderRule | None
    ) -> Iterator[Any]:
        metrics = [replace(metric, order=order) if order else metric for _, metric in group]
        needed = orders(metrics, self.options)
        rankings = {o: [rank(judgments, run, o, duplicates=self.options.duplicates)] for o in needed}
        scores = score(judgments, rankings, metrics, self.options)
        values = np.nan_to_num(scores.values[0])  # ndeval's nNRBP is 0/0 where nothing is relevant
        for t, topic in enumerate(scores.topics):
            if topic in rankings[needed[0]][0].topics:
                for m, (measure, _) in enumerate(group):
                    yield ir_measures.Metric(query_id=topic, measure=measure, value=float(values[m, t]))


Setting = tuple[int | None, bool, OrderRule | None]


def _groups(measures: list[Any]) -> dict[Setting, list[tuple[Any, Metric]]]:
    """Measures by how they read the judgments and the run: level, judged documents only, order."""
    groups: dict[Setting, list[tuple[Any, Metric]]] = {}
    for measure in measures:
        if is_ours(measure):
            setting: Setting = (None, False, None)
            metric = measure.metric()
        else:
            judged_only = "judged_only" in measure.SUPPORTED_PARAMS and bool(measure["judged_only"])
            setting = (measure["rel"], judged_only, PYNDEVAL_ORDER)
            metric = parse(_text(OF_PYNDEVAL[measure.NAME], _shared_params(measure)))
        # Measures that differ only in `rel` are the same metric for us, so each keeps its own text as its name.
        groups.setdefault(setting, []).append((measure, replace(metric, name=str(measure))))
    return groups


def _shared_params(measure: Any) -> dict[str, Any]:
    unknown = set(measure.params) - set(measure.SUPPORTED_PARAMS)
    if unknown:
        takes = ", ".join(measure.SUPPORTED_PARAMS)
        raise UsageError(f"{measure.NAME} has no parameter {shown(min(unknown))}; it takes: {takes}")
    return {name: measure[name] for name in ("alpha", "beta", "cutoff") if name in measure.params}


def _binary(judgments: Judgments, level: int) -> Judgments:
    """1 from the level on, else 0: ir_measures' `rel`."""
    topics = {
        name: replace(topic, grades=(topic.grades >= level).astype(np.float64), weights=None)
        for name, topic in judgments.topics.items()
    }
    return replace(judgments, topics=topics)


def _judged_only(run: Run, judgments: Judgments) -> Run:
    """The run without unjudged documents: ir_measures' `judged_only`."""
    topics = {}
    for name, listed in run.topics.items():
        if name in judgments.topics:
            judged = set(judgments.topics[name].documents)
            kept = [i for i, document in enumerate(listed.documents) if document in judged]
            topics[name] = TopicRun(
                [listed.documents[i] for i in kept], None if listed.scores is None else listed.scores[kept]
            )
    return replace(run, topics=topics)


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
        provider = DivevalProvider()
        ir_measures.providers.registry[provider.NAME] = provider
        pipeline.providers.insert(0, provider)
    return made


MEASURES = register()


def __getattr__(name: str) -> Any:
    """`from diveval.integrations.ir_measures import RBU`; a name that both have is that of ir_measures' measure."""
    if name in MEASURES:
        return MEASURES[name]
    if name in OF_PYNDEVAL or f"diveval_{name}" in MEASURES:
        return ir_measures.measures.registry[name]
    raise AttributeError(f"no measure is called {name!r}; {suggestion(name, MEASURES)}")
