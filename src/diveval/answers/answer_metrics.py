"""The catalogue of metrics of answers: our own under one set of rules, other tools' under their names and rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from diveval.answers import own_metrics as judged
from diveval.answers import tool_rules as counting
from diveval.answers.own_metrics import Utility
from diveval.argument_types import explain_types
from diveval.defaults import EFFORT, PATIENCE
from diveval.errors import UsageError, quote
from diveval.metrics.metric import Best, Parameter, choice, read_settings
from diveval.metrics.names import take_apart
from diveval.metrics.registry import Registry

# The argument of a metric: an answer under our rules, the support of its citations, a line of assignments, an ARGUE
# report, a graded rubric, a UDCG context.
Part = Literal["answer", "cited", "line", "support", "report", "graded", "context"]
Value = Callable[[Any], float | None]
TOOL_DIGITS = 6  # RAGDoll prints six decimals


@dataclass(frozen=True)
class AnswerRow:
    """An entry of the catalogue. `build` takes the parameters and returns the function of one answer."""

    name: str
    part: Part
    build: Callable[..., Value]
    meaning: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    digits: int | None = None
    mean: Literal["mean", "exact", "sum", "micro", "median", "max"] = "mean"
    needs_importance: bool = False  # the tool fails on a nugget without importance
    residual: bool = False  # failed labels could raise it
    own: bool = True
    best: Best = "high"


@dataclass(frozen=True)
class AnswerMetric:
    """A metric with its parameters set."""

    name: str
    declared: AnswerRow
    value: Value = field(compare=False)


_UTILITY = (
    Parameter("p", PATIENCE, "probability of going on to the next sentence", 0, 1, True),
    Parameter("e", EFFORT, "effort of reading `unit` tokens", 0),
    Parameter("unit", 20.0, "tokens that cost e", 0, open_low=True, in_name=False),
    choice("novelty", "what a repeated nugget still brings", "cascade", "best"),
)
RBU_REFERENCE = "Amigó, Spina, Carrillo-de-Albornoz, SIGIR 2018, with sentences as documents and tokens as effort"


def _utility(cited: bool, what: str) -> Callable[..., Value]:
    def build(p: float, e: float, unit: float, novelty: str) -> Value:
        made = Utility(p, e, unit, novelty, cited)
        if what == "value":
            return made.value
        place = 0 if what == "stop" else 1
        return lambda answer: None if (best := made.best(answer)) is None else float(best[place])

    return build


def _bind_options(function: Callable[..., float | None], **options: Any) -> Callable[[], Value]:
    """A `build` function for a metric without parameters: the function with these options."""
    return lambda: partial(function, **options)


def _own_coverage() -> list[AnswerRow]:
    names = {"all": "Coverage", "vital": "Coverage_vital", "weighted": "Coverage_weighted"}
    meanings = {
        "all": "share of the nuggets", "vital": "share of the vital nuggets",
        "weighted": "share of the nuggets, vital 1, okay ½",
    }
    short = {"all": "all", "vital": "vital", "weighted": "W"}
    return [
        AnswerRow(
            name + ("_strict" if strict else ""), "answer", _bind_options(judged.coverage, of=of, strict=strict),
            f"{meanings[of]} the answer has{', full support only' if strict else ''}",
            "TREC RAG 2024, rules of diveval", residual=True,
            aliases=((f"strict_{short[of]}" if strict else short[of]),),
        )
        for strict in (False, True) for of, name in names.items()
    ]


def _own_citations() -> list[AnswerRow]:
    made = []
    for suffix, first, credit, what in (
        ("", True, counting.half, "by the first citation of a sentence"),
        ("_all", False, counting.half, "by all judged citations"),
        ("_hard", True, counting.hard, "by the first citation, full support only"),
    ):
        made += [
            AnswerRow(
                f"CitationPrecision{suffix}", "cited",
                _bind_options(judged.citation_precision, first=first, credit=credit),
                f"how far cited sentences are supported, {what}", "TREC RAG 2024",
            ),
            AnswerRow(
                f"CitationRecall{suffix}", "cited",
                _bind_options(judged.citation_recall, first=first, credit=credit),
                f"how far all sentences are supported, {what}", "TREC RAG 2024",
            ),
        ]
    share = AnswerRow(
        "CitationsJudged", "cited", lambda: judged.share_judged, "share of the citations that were judged", "diveval",
        best="none",
    )
    return [*made, share]


OWN = [
    *_own_coverage(),
    *_own_citations(),
    AnswerRow(
        "RBU", "answer", _utility(False, "value"), "what is new and wanted, less the effort of reading",
        RBU_REFERENCE, _UTILITY, residual=True,
    ),
    AnswerRow(
        "RBU_best", "answer", _utility(False, "best"), "RBU of the answer cut where it is highest",
        RBU_REFERENCE, _UTILITY,
    ),
    AnswerRow(
        "RBU_stop", "answer", _utility(False, "stop"), "after how many sentences RBU is highest",
        RBU_REFERENCE, _UTILITY, best="none",
    ),
    AnswerRow(
        "RBU_cited", "answer", _utility(True, "value"), "RBU, counting only sentences their first citation supports",
        RBU_REFERENCE, _UTILITY,
    ),
    AnswerRow(
        "CoverageRate", "answer", lambda unit: lambda answer: judged.coverage_rate(answer, unit=unit),
        "weighted coverage per 100 tokens", "diveval",
        (Parameter("unit", 100.0, "tokens", 0, open_low=True, in_name=False),),
    ),
    AnswerRow(
        "Tokens", "answer", lambda: lambda a: None if a.sentences is None else judged.tokens_of(a.sentences),
        "tokens of the answer", "diveval", best="none",
    ),
    AnswerRow("Rubric", "graded", lambda: counting.rubric, "Σ w·v / Σ of the positive w", "ResearchRubrics"),
    AnswerRow(
        "Rubric_binary", "graded", _bind_options(counting.rubric, binary=True), "Rubric, partly met as not met",
        "ResearchRubrics",
    ),
]


# --- other tools ------------------------------------------------------------------------------------------------------

SCORES = {"all": (None, False), "vital": ("vital", False), "strict_all": (None, True), "strict_vital": ("vital", True)}


def _share(reading: counting.Reading, importance: str | None, strict: bool) -> Callable[[], Value]:
    return _bind_options(counting.share, reading=reading, importance=importance, strict=strict)


def _nuggetizer() -> list[AnswerRow]:
    tool: dict[str, Any] = {"own": False, "mean": "exact"}
    made = [
        AnswerRow(
            f"nuggetizer.{name}", "line", _share(counting.exact, importance, strict), f"nuggetizer's {name}_score",
            "nuggetizer 0.0.6", aliases=(f"nuggetizer.{name}_score",), needs_importance=True, **tool,
        )
        for name, (importance, strict) in SCORES.items()
    ]
    for name, strict in (("W", False), ("strict_W", True)):
        long = f"nuggetizer.{'strict_' if strict else ''}weighted"
        made.append(AnswerRow(
            f"nuggetizer.{name}", "line", _bind_options(counting.recall_by_weight, strict=strict),
            "the track's weighted score, vital 1 and okay ½", "pyterrier-nuggetizer",
            aliases=(long, f"{long}_score"), **tool,
        ))
    return made


def _ragdoll() -> list[AnswerRow]:
    tool: dict[str, Any] = {"own": False, "digits": TOOL_DIGITS}
    made = [
        AnswerRow(
            f"ragdoll.{name}", "line", _share(counting.normalise_label, importance, strict), f"RAGDoll's {name}_score",
            "RAGDoll 0.1.0", aliases=(f"ragdoll.{name}_score",), **tool,
        )
        for name, (importance, strict) in SCORES.items()
    ]
    counts: tuple[tuple[str, Callable[[Any], int], Best], ...] = (
        ("nugget_count", lambda line: counting.count(line, None), "none"), ("failed_count", counting.count_failed, "low"),
        ("vital_count", lambda line: counting.count(line, "vital"), "none"),
    )
    for name, count, best in counts:
        made.append(AnswerRow(
            f"ragdoll.{name}", "line", lambda count=count: lambda line: float(count(line)), f"RAGDoll's {name}",
            "RAGDoll 0.1.0", best=best, **tool,
        ))
    for form, first in (("first_citation", True), ("all_judged_citations", False)):
        for name, function in (("precision", counting.precision), ("recall", counting.recall)):
            made.append(AnswerRow(
                f"ragdoll.weighted_{name}_{form}", "support",
                _bind_options(function, first=first),
                f"support {name}, {form.replace('_', ' ')}", "RAGDoll 0.1.0", **tool,
            ))
    for name, function in (("precision", counting.precision), ("recall", counting.recall)):
        made.append(AnswerRow(
            f"ragdoll.hard_{name}", "support", _bind_options(function, credit=counting.hard),
            f"support {name}, first citation, partial support as none", "RAGDoll 0.1.0", **tool,
        ))
    made.append(AnswerRow(
        "ragdoll.sentences", "support", lambda: lambda s: float(len(s)), "sentences", "RAGDoll 0.1.0", best="none", **tool
    ))
    for name, binary in (("ternary_score", False), ("binary_score", True)):
        made.append(AnswerRow(
            f"ragdoll.{name}", "graded", _bind_options(counting.rubric, binary=binary),
            f"rubric, {name}", "RAGDoll 0.1.0", **tool,
        ))
    made.append(AnswerRow(
        "ragdoll.n_criteria", "graded", lambda: lambda criteria: float(len(criteria)), "criteria", "RAGDoll 0.1.0",
        best="none", **tool,
    ))
    made.append(AnswerRow(
        "ragdoll.n_mandatory_fail", "graded", lambda: lambda criteria: float(counting.mandatory_failures(criteria)),
        "mandatory criteria not met", "RAGDoll 0.1.0", best="low", **tool,
    ))
    return made


def _openrageval() -> list[AnswerRow]:
    tool: dict[str, Any] = {"own": False}
    made = [
        AnswerRow(
            f"openrageval.{name}", "line", _share(counting.exact, importance, strict), f"Open RAG Eval's {name}",
            "Open RAG Eval", aliases=(f"openrageval.{name.removeprefix('strict_')}_strict",) if strict else (), **tool,
        )
        for name, (importance, strict) in SCORES.items()
    ]
    for name, strict, aliases in (
        ("W", False, ("openrageval.weighted",)), ("strict_W", True, ("openrageval.weighted_strict",)),
    ):
        made.append(AnswerRow(
            f"openrageval.{name}", "line", _bind_options(counting.recall_by_weight, strict=strict, least=1),
            "weighted score with at least one vital and one okay nugget below the line", "Open RAG Eval",
            aliases=aliases, **tool,
        ))
    for name, function in (
        ("weighted_precision", counting.passage_precision), ("weighted_recall", counting.sentence_recall),
        ("f1", lambda s: counting.harmonic(counting.passage_precision(s), counting.sentence_recall(s))),
    ):
        made.append(AnswerRow(
            f"openrageval.{name}", "support", _bind_options(function), f"citations, {name}", "Open RAG Eval",
            aliases=(f"openrageval.{name.removeprefix('weighted_')}",), **tool,
        ))
    return made


def _argue() -> list[AnswerRow]:
    def of(name: str) -> Callable[[], Value]:
        return lambda: lambda counted: counting.argue_value(name, counted)

    tool: dict[str, Any] = {"own": False}
    ratios = [*counting.RATIOS, *counting.F1]
    return [
        *(AnswerRow(f"argue.{name}", "report", of(name), f"count of {name.replace('_', ' ')}; summed over topics",
                   "ARGUE", mean="sum", best="high" if name.startswith(counting.GOOD) else "none", **tool)
          for name in counting.COUNTS),
        AnswerRow("argue.character_count", "report", of(counting.CHARACTERS), "characters of the sentences", "ARGUE",
                 best="none", **tool),
        *(AnswerRow(f"argue.character_count_{how}", "report", of(counting.CHARACTERS), f"{how} of the characters",
                   "ARGUE", mean=how, best="none", **tool) for how in ("median", "max")),
        *(AnswerRow(f"argue.{name}", "report", of(name), f"{name.replace('_', ' ')}, mean over topics", "ARGUE",
                   aliases=(f"argue.{name}_macro",), **tool) for name in ratios),
        *(AnswerRow(f"argue.{name}_micro", "report", of(name), f"{name.replace('_', ' ')} of the run's sums", "ARGUE",
                   mean="micro", **tool) for name in ratios),
    ]


UDCG = [
    AnswerRow(
        "udcg.UDCG", "context", lambda irrelevant: lambda c: counting.udcg(c, irrelevant),
        "utility of a context less its distraction", "UDCG",
        (Parameter("irrelevant", -1 / 3, "what a passage that is not relevant counts", in_name=False),), own=False,
    ),
]


REGISTRY = Registry(
    lambda: [*OWN, *_nuggetizer(), *_ragdoll(), *_openrageval(), *_argue(), *UDCG], "metric of answers"
)


def entries() -> dict[str, AnswerRow]:
    """The catalogue by canonical name."""
    return REGISTRY.entries


@explain_types
def parse(text: str) -> AnswerMetric:
    """A metric of answers from its text, such as `Coverage_vital`, `RBU(p=0.99,e=0.05)` or `nuggetizer.all`."""
    parts = take_apart(text)
    if parts.cutoff is not None:
        raise UsageError("cutoff-not-taken", f"a metric of answers takes no cutoff: it is written NAME(parameter=value,…), got {quote(text)}")
    declared = REGISTRY.get(parts.name)
    if declared is None:
        raise REGISTRY.refuse(parts.name, entries(), "`diveval answers --list` lists all")
    return make_metric(declared, read_settings(parts.settings, declared.name, declared.parameters))


def make_metric(declared: AnswerRow, values: Mapping[str, Any]) -> AnswerMetric:
    """A metric from its entry and parameters; missing ones take their defaults."""
    full = {p.name: values.get(p.name, p.default) for p in declared.parameters}
    written = [
        f"{p.name}={_spell(full[p.name])}" for p in declared.parameters if p.in_name or full[p.name] != p.default
    ]
    return AnswerMetric(declared.name + (f"({','.join(written)})" if written else ""), declared, declared.build(**full))


def _spell(value: Any) -> str:
    """The text of a value; different values have different texts, since the name identifies a metric."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def as_metrics(names: Sequence[str]) -> list[AnswerMetric]:
    """Metrics without repeats, in the order given; a tool's name and a star mean all metrics of that tool."""
    listed: dict[str, AnswerMetric] = {}
    for text in names:
        star = re.fullmatch(r"([a-z]+)\.\*?", text.strip())
        several = [make_metric(row, {}) for name, row in entries().items() if star and name.startswith(f"{star[1]}.")]
        for metric in several or [parse(text)]:
            listed.setdefault(metric.name, metric)
    return list(listed.values())
