"""diveval: how good is a diversified ranking, and which metric to trust.

>>> import diveval
>>> scores = diveval.evaluate("qrels.txt", ["a.run", "b.run"], ["RBU@20", "alpha_nDCG@20"])  # doctest: +SKIP
>>> print(scores)  # doctest: +SKIP
>>> scores.compare("alpha_nDCG@20", baseline="a")  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

from diveval.errors import named_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from diveval import answers, axioms, datasets, meta, recommend
    from diveval.api import cutoff, effort, paper
    from diveval.choosing.choose import choose
    from diveval.choosing.why import why
    from diveval.conclusions import conclude
    from diveval.errors import DivevalError, DivevalWarning, InputError, UsageError
    from diveval.inputs import JudgmentsLike, RunsLike, WeightsLike
    from diveval.judgments import Judgments
    from diveval.meta.unanimity import unanimity
    from diveval.metrics import Metric, Ranking, parse
    from diveval.metrics.names import MetricLike
    from diveval.options import Efforts, Options
    from diveval.reading import read_efforts, read_judgments, read_run, read_weights
    from diveval.reading.objects import as_judgments, as_run
    from diveval.report.contents import report
    from diveval.runs import Run
    from diveval.scores import Scores
    from diveval.stats import compare
    from diveval.violations.count import violations

__version__ = "2.0.0"

# Public names and the modules that define them, imported on first use to keep `import diveval` fast. An empty module
# name means that the name is itself a package.
_HOMES = {
    "DivevalError": "errors",
    "DivevalWarning": "errors",
    "InputError": "errors",
    "UsageError": "errors",
    "Judgments": "judgments",
    "Metric": "metrics",
    "Ranking": "metrics",
    "parse": "metrics",
    "Run": "runs",
    "Options": "options",
    "Efforts": "options",
    "Scores": "scores",
    "read_efforts": "reading",
    "read_judgments": "reading",
    "read_run": "reading",
    "read_weights": "reading",
    "as_judgments": "reading.objects",
    "as_run": "reading.objects",
    "compare": "stats",
    "unanimity": "meta",
    "conclude": "conclusions",
    "choose": "choosing.choose",
    "why": "choosing.why",
    "cutoff": "api",
    "effort": "api",
    "paper": "api",
    "report": "",
    "violations": "",
    "answers": "",
    "axioms": "",
    "datasets": "",
    "meta": "",
    "recommend": "",
}

__all__ = [
    "DivevalError",
    "DivevalWarning",
    "Efforts",
    "InputError",
    "Judgments",
    "Metric",
    "Options",
    "Ranking",
    "Run",
    "Scores",
    "UsageError",
    "answers",
    "as_judgments",
    "as_run",
    "axioms",
    "choose",
    "compare",
    "conclude",
    "cutoff",
    "datasets",
    "effort",
    "evaluate",
    "meta",
    "paper",
    "parse",
    "read_efforts",
    "read_judgments",
    "read_run",
    "read_weights",
    "recommend",
    "report",
    "unanimity",
    "violations",
    "why",
]


@named_options
def evaluate(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    weights: WeightsLike | None = None,
    residuals: bool = False,
    gain: Literal["exponential", "linear", "binary", "identity"] = "exponential",
    gmax: float | Literal["file", "per-aspect"] = "file",
    rel: float | None = None,
    renormalise: bool = True,
    empty_aspects: Literal["drop", "keep"] = "drop",
    order: Literal["score", "rank", "file"] | None = None,
    ties: Literal["docno-desc", "docno-asc", "file"] | None = None,
    missing_topics: Literal["worst", "zero", "skip"] = "worst",
    empty_topics: Literal["score", "skip"] | None = None,
    duplicates: Literal["error", "first", "blank"] | None = None,
    judgment_duplicates: Literal["error", "max", "first", "last"] = "error",
    judgment_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, str] | None = None,
    aspect: str | None = None,
    effort_file: str | Path | None = None,
    effort_unit: float | Literal["mean"] = 1.0,
    effort_default: float = 1.0,
    efforts: Efforts | Mapping[str, float] | None = None,
    jobs: int | None = None,
    largest_topic: int = 25_000_000,
    options: Options | None = None,
) -> Scores:
    """Score runs against judgments.

    Args:
        judgments: a path, `Judgments`, `{topic: {aspect: {document: grade}}}`, a frame (pandas, polars, Arrow,
            DuckDB), nugget records as dicts, or other libraries' qrels.
        runs: a path, `Run`, `{topic: {document: score}}`, `{topic: [document, …]}`, a frame, other libraries' runs;
            several of these in a list, or in a dict by name.
        metrics: names such as `"RBU(p=0.9,e=0.01)@20"` or `"nDCG@5,10,20"`, formulas, ir_measures objects, or plain
            functions of a ranking; default: the first five of the usual set, as `diveval evaluate` shows them.
        weights: aspect weights, a file or `{(topic, aspect): weight}`; default: from the judgments, else equal.
        residuals: add for each metric M `M+residual`: its rise if every unjudged document were fully relevant.
        gain: grade to relevance: (2^g − 1)/2^gmax, g/gmax, [g > 0], or the judgments hold relevance already.
        gmax: the highest grade: of the whole file, of each topic and aspect, or a number.
        rel: the lowest grade that counts; lower grades are 0.
        renormalise: make the weights of the aspects that count sum to 1.
        empty_aspects: drop aspects without a relevant document, or keep them.
        order: what orders a run; by default score descending, and other tools' metrics by their own rule.
        ties: the order of equal scores; by default document id descending.
        missing_topics: a judged topic that a run lacks scores like a list of non-relevant documents (`worst`; other
            tools' metrics by the tool's rule), scores 0 (`zero`), or is left out of the run's mean (`skip`).
        empty_topics: score topics without a relevant document like others, or leave them out.
        duplicates: a document twice in a ranking is an error, or the first counts, or later ones are not relevant.
        judgment_duplicates: a document judged twice with different grades.
        judgment_format: `trec`, `evall`, `ntcir`, `dynamic-domain`, `nuggets`; default: detected from the content.
        run_format: `trec`, `evall`, `dynamic-domain`; default: detected from the content.
        columns: our column names (topic, aspect, document, grade, weight, run, score, rank) to those of frames and
            parquet files; common names (query_id, docno, user_id, …) need no mapping. A column of aspects may hold
            lists, or texts joined by `|`.
        aspect: the column of aspects alone: `aspect="genres"` is `columns={"aspect": "genres"}`.
        effort_file: `document cost` lines: the effort of each document as a multiple of e.
        effort_unit: divide costs by this number, or by their `mean`.
        effort_default: multiple of e for documents without a cost.
        efforts: the same as a dict, or `Efforts`.
        jobs: files read at the same time; default: as many as there are cores.
        largest_topic: how many aspects × relevant documents one topic may have; more is an error that says how much
            memory it would take.
        options: all of these choices as one value, instead of single ones.
    """
    given = dict(locals())
    chosen = {name: given[name] for name, default in _DEFAULTS.items() if given[name] != default}
    from diveval.arguments import as_columns, as_options, check_bool
    from diveval.defaults import HEADLINE
    from diveval.evaluation import score_all
    from diveval.reading.parquet import parquet_throughout

    check_bool(residuals, "residuals")
    asked = HEADLINE if metrics is None else metrics
    mapping, how = as_columns(columns, aspect), as_options(options, chosen)
    files = parquet_throughout(judgments, runs)
    if files is None:
        return score_all(judgments, runs, asked, how, weights=weights, residuals=residuals, columns=mapping)
    from diveval.shards.local import evaluate as evaluate_files

    return evaluate_files(files, asked, how, weights=weights, residuals=residuals, columns=mapping)


# The options of `evaluate` and their defaults.
_DEFAULTS: dict[str, Any] = {
    name: value
    for name, value in getattr(evaluate, "__wrapped__").__kwdefaults__.items()
    if name not in ("weights", "residuals", "options", "columns", "aspect")
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        try:  # packages outside the public API, such as diveval.stats, can be accessed too
            return importlib.import_module(f"diveval.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"diveval.{name}":
                raise
        raise AttributeError(f"module 'diveval' has no attribute {name!r}")
    home = importlib.import_module(f"diveval.{_HOMES[name] or name}")
    value = getattr(home, name) if _HOMES[name] else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
