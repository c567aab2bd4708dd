"""The function `evaluate`. Everything it needs is loaded when it is called."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from diveval.argument_types import explain_types
from diveval.errors import check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
    from diveval.metrics.names import MetricLike
    from diveval.results.scores import Scores
    from diveval.setting_table import (
        Aspects,
        Duplicates,
        EmptyTopics,
        Gain,
        Gmax,
        MissingTopics,
        Order,
        RunDuplicates,
        Ties,
        Unit,
    )
    from diveval.settings import Efforts, Groups, Options, OrderRule


@explain_types
@check_options
def evaluate(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    weights: WeightsLike | None = None,
    residuals: bool = False,
    columns: Mapping[str, str] | None = None,
    aspect: str | None = None,
    gain: Gain = "exponential",
    gmax: Gmax | float = "file",
    rel: float | None = None,
    renormalise: bool = True,
    empty_aspects: Aspects = "drop",
    order: Order | OrderRule | None = None,
    ties: Ties | None = None,
    missing_topics: MissingTopics = "worst",
    empty_topics: EmptyTopics | None = None,
    duplicates: RunDuplicates | None = None,
    judgment_duplicates: Duplicates = "error",
    judged_only: bool = False,
    judgment_format: str | None = None,
    run_format: str | None = None,
    effort_file: str | PathLike[str] | None = None,
    effort_unit: Unit | float = 1.0,
    effort_default: float = 1.0,
    efforts: Efforts | Mapping[str, float] | None = None,
    document_groups: Groups | str | PathLike[str] | Iterable[object] | None = None,
    ordinal_groups: Sequence[str] | str | None = None,
    largest_topic: int = 25_000_000,
    jobs: int | None = None,
    options: Options | None = None,
) -> Scores:
    """Score runs against judgments.

    Args:
        judgments: a path, `Judgments`, `{topic: {aspect: {document: grade}}}`, a frame (pandas, polars, Arrow,
            DuckDB), nugget records as dicts, or other libraries' qrels.
        runs: a path, `Run`, `{topic: {document: score}}`, `{topic: [document, …]}`, a frame, other libraries' runs;
            a folder of files, or a pattern such as `"runs/*.gz"`; several of these in a list, or in a dict by name.
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
        judged_only: score lists without their unjudged documents, as trec_eval -J; with a warning that says how many.
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
        document_groups: the groups of documents, for GFR: a file, a folder of .gmemb files, a frame, rows, or `read_groups(…)`.
        ordinal_groups: attributes whose groups have an order, as a list or separated by commas.
        jobs: files read at the same time; default: as many as there are cores.
        largest_topic: how many aspects × relevant documents one topic may have; more is an error that says how much
            memory it would take.
        options: all of these choices as one value, instead of single ones.
    """
    given = dict(locals())
    chosen = {
        name: given[name]
        for name, default in _DEFAULTS.items()
        if given[name] is not default and (default is None or given[name] != default)
    }
    from diveval.defaults import HEADLINE
    from diveval.reading.chosen import as_options, join_columns
    from diveval.reading.parquet import parquet_throughout
    from diveval.scoring.evaluate import score_all
    from diveval.setting_table import TABLE

    TABLE["renormalise"].check(residuals, "residuals")
    asked = HEADLINE if metrics is None else metrics
    mapping, how = join_columns(columns, aspect), as_options(options, chosen)
    files = parquet_throughout(judgments, runs)
    if files is None:
        return score_all(judgments, runs, asked, how, weights=weights, residuals=residuals, columns=mapping)
    from diveval.scoring.shards.local import evaluate as evaluate_files

    return evaluate_files(files, asked, how, weights=weights, residuals=residuals, columns=mapping)


# The options of `evaluate` and their defaults.
_DEFAULTS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(evaluate).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name not in ("weights", "residuals", "options", "columns", "aspect")
}
