"""Scores in the output formats of other tools, byte for byte, so that old and new results can be compared with diff.

Means are summed as the tools sum them, one topic after the other: if a mean is halfway between two printed numbers, the
order of summation decides which is printed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diveval.collection.judgments import Judgments, naturally
from diveval.collection.rankings import Rankings
from diveval.errors import UsageError, suggestion
from diveval.metrics.compat.trec_eval import GEOMETRIC, SUMMED
from diveval.metrics.compat.trec_names import TextMeasure, place, spell
from diveval.metrics.names import MetricText
from diveval.results.scores import MEAN, Scores
from diveval.results.table_text import csv_text

PRINTED = ("ndeval", "gdeval", "trec_eval")  # tools with their own name for each column
ONLY_TOTALS = (*GEOMETRIC, "trec_eval.num_q")  # not printed for a single topic


def ndeval_columns(*, alpha: float = 0.5, beta: float = 0.5, cutoffs: Sequence[int] = (5, 10, 20)) -> list[str]:
    """The metrics ndeval prints, in its order: 21 for its own three cutoffs."""
    changed = [f"{name}={value}" for name, value in (("alpha", alpha), ("beta", beta)) if value != 0.5]
    setting = f"({','.join(changed)})" if changed else ""

    def at_cutoffs(*names: str) -> list[str]:
        return [f"ndeval.{name}{setting}@{k}" for name in names for k in cutoffs]

    whole = [f"ndeval.{name}{setting}" for name in ("NRBP", "nNRBP", "MAP_IA")]
    return [*at_cutoffs("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG"), *whole, *at_cutoffs("P_IA", "strec")]


def ndeval_text(
    scores: Scores, *, run: str, topics: Sequence[str], runid: str | None = None, metrics: Sequence[str] | None = None
) -> str:
    """ndeval's CSV: a row for every topic of the run, zeros if it has no judgments, then `amean`.

    `topics` are the topics of the run, judged or not. The mean is over the counted topics: those in both files or, if
    missing topics are scored as 0, all judged ones (ndeval -c).
    """
    rows = naturally(topics)
    return _csv_text(scores, run, runid, rows, metrics, lambda name: name.replace("_", "-"), digits=6)


def gdeval_text(
    scores: Scores, *, run: str, topics: Sequence[str], runid: str | None = None, metrics: Sequence[str] | None = None
) -> str:
    """gdeval's CSV: a row for every topic of the run that has a relevant document, then `amean`."""
    chosen = _indices(scores, metrics)
    places = {topic: i for i, topic in enumerate(scores.topics)}
    counted = scores.counted[_row(scores, run)][chosen].any(axis=0)
    rows = naturally(topic for topic in topics if topic in places and counted[places[topic]])
    return _csv_text(scores, run, runid, rows, metrics, str.lower, digits=5)


def _csv_text(
    scores: Scores,
    run: str,
    runid: str | None,
    topics: Sequence[str],
    metrics: Sequence[str] | None,
    spelling: Callable[[str], str],
    *,
    digits: int,
) -> str:
    chosen, values = _indices(scores, metrics), scores.values[_row(scores, run)]
    places = {topic: i for i, topic in enumerate(scores.topics)}
    title = run if runid is None else runid
    rows = []
    for topic in topics:
        row = [float(values[m, places[topic]]) if topic in places else 0.0 for m in chosen]
        rows.append([title, _numeral(topic), *(_number(value, digits) for value in row)])
    listed = [places[topic] for topic in topics if topic in places]
    means = [_mean(scores, run, m, listed) for m in chosen]
    rows.append([title, "amean", *(_number(value, digits) for value in means)])
    return csv_text(["runid", "topic", *(_label(scores.metrics[m], spelling) for m in chosen)], rows)


@dataclass(frozen=True)
class TextColumn:
    """A measure of trec_eval whose values are text: by topic, or one for the whole run."""

    measure: TextMeasure
    by_topic: Mapping[str, str]
    for_run: str | None = None


def trec_text(
    scores: Scores,
    *,
    run: str,
    per_topic: bool = True,
    summary: bool = True,
    metrics: Sequence[str] | None = None,
    texts: Sequence[TextColumn] = (),
) -> str:
    """trec_eval's three columns: measure, topic, value; topics in byte order, then `all` unless `summary` is false.

    `texts` are measures with text values, printed where trec_eval prints them among its measures.
    """
    chosen, r = _indices(scores, metrics), _row(scores, run)
    order = sorted(range(len(scores.topics)), key=lambda t: scores.topics[t].encode())
    labels = _trec_labels([scores.metrics[m] for m in chosen])
    columns: list[int | TextColumn] = [*chosen]
    for text in texts:
        rank = place(f"trec_eval.{text.measure.name}")
        after = [i for i, c in enumerate(columns) if isinstance(c, TextColumn) or place(scores.metrics[c]) <= rank]
        columns.insert(after[-1] + 1 if after else 0, text)
    lines = []
    for t in order if per_topic else ():
        topic = scores.topics[t]
        for column in columns:
            if isinstance(column, TextColumn):
                if topic in column.by_topic:
                    lines.append(_trec_line(column.measure.label, topic, column.by_topic[topic]))
            elif scores.counted[r, column, t] and _bare(scores.metrics[column]) not in ONLY_TOTALS:
                metric = scores.metrics[column]
                lines.append(_trec_line(labels[metric], topic, _trec_value(metric, float(scores.values[r, column, t]))))
    for column in columns if summary else ():
        if not isinstance(column, TextColumn):
            metric = scores.metrics[column]
            lines.append(_trec_line(labels[metric], MEAN, _trec_value(metric, _total(scores, run, column, order))))
        elif column.for_run is not None:
            lines.append(_trec_line(column.measure.label, MEAN, column.for_run))
    return "".join(lines)


def text_column(measure: TextMeasure, judgments: Judgments, run: Rankings, topics: Sequence[str]) -> TextColumn:
    """`runid`, the tag of the run, or `relstring`, the grades of the first documents of each topic."""
    if measure.name == "runid":
        return TextColumn(measure, {}, run.tag or run.name)
    return TextColumn(measure, {topic: _relstring(judgments, run, topic, measure) for topic in topics})


def _relstring(judgments: Judgments, run: Rankings, topic: str, measure: TextMeasure) -> str:
    """A sign per document: its grade, > above 9, - if it was not in the pool, . if it was but is not judged."""
    ranking = run.topics.get(topic)
    if ranking is None:
        return "''"
    judged = judgments.topics[topic]
    best = np.full(len(judged.documents), -np.inf)
    np.maximum.at(best, judged.rows, judged.grades)
    signs = ["-"] * min(measure.depth or ranking.length, ranking.length)
    for rank, grade in zip(ranking.ranks.tolist(), best[ranking.rows].tolist(), strict=True):
        if rank <= len(signs):
            signs[rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
    kept = [sign for sign in signs if sign not in "-."] if measure.judged_only else signs
    return f"'{''.join(kept[: measure.length])}'"


def _trec_labels(metrics: Sequence[str]) -> dict[str, str]:
    """trec_eval's names; two settings of one measure that it would not tell apart keep theirs."""
    labels = {metric: spell(metric) for metric in metrics}
    often = Counter(labels.values())
    return {m: label if often[label] == 1 else m.removeprefix("trec_eval.") for m, label in labels.items()}


def _total(scores: Scores, run: str, metric: int, order: Sequence[int]) -> float:
    """The value of all topics: a sum of counts, a geometric mean, or a mean."""
    name = _bare(scores.metrics[metric])
    if name in SUMMED:
        return _sum(scores, run, metric, order)
    mean = _mean(scores, run, metric, order)
    return math.exp(mean) if name in GEOMETRIC else mean


def _trec_value(metric: str, value: float) -> str:
    return f"{value:.0f}" if _bare(metric) in SUMMED else f"{value:6.4f}"


def _trec_line(label: str, topic: str, shown: str) -> str:
    return f"{label:<22}\t{topic}\t{shown}\n"


_EVALL_HEAD = """\
#############################################################################
#\t\t\t\tAUTOMATIC EvALL TSV REPORT
#
#\tWe kindly ask you to cite the following work when using EvALL:
#\t\t\tAn Axiomatic Analysis of Diversity Evaluation Metrics: Introducing the Rank-Biased Utility Metric
#\t\t\tEnrique Amigó, Damiano Spina, Jorge Carrillo-de-Albornoz
#\t\t\tIn proceedings of SIGIR'18
#
#\tThis file contains the results for the output:\x20
#\t\t\t• {source}
#
#\tThe next table contains the results for each test case in this output.\x20
#\tNotice that first are shown the test cases present in the gold, and after that those not present.\x20
#\tThose measures that do not satisfy the preconditions are marked with -.
#############################################################################
#The measures included in the table are:
#\t\t- {measure}
#############################################################################
"""


def evall_text(
    scores: Scores, *, run: str, source: str = "", unjudged_topics: Sequence[str] = (), metric: str | None = None
) -> str:
    """The report of EvALL's program: every judged topic, then `-` for the topics of the run without judgments.

    The program lists topics in hash-table order and uses the locale's decimal sign; here topics are in natural order
    and the sign is a point.
    """
    r, m = _row(scores, run), scores.metric_index(metric)
    measure = MetricText.of(scores.metrics[m]).name.removeprefix("evall.")
    rows = [(topic, _number(float(scores.values[r, m, t]), 4, "NaN")) for t, topic in enumerate(scores.topics)]
    rows += [(topic, "-") for topic in naturally(unjudged_topics)]
    head = _EVALL_HEAD.format(source=source or run, measure=measure)
    return head + "".join(f'"{left}"\t"{right}"\n' for left, right in [("Test Case", measure), *rows])


# --- helpers ----------------------------------------------------------------------------------------------------------


def _row(scores: Scores, run: str) -> int:
    if run not in scores.runs:
        raise UsageError("unknown-run", f"no scores for the run {run!r}", hint=suggestion(run, scores.runs))
    return scores.runs.index(run)


def _indices(scores: Scores, metrics: Sequence[str] | None) -> list[int]:
    return [scores.metric_index(name) for name in (scores.metrics if metrics is None else metrics)]


def _label(metric: str, spelling: Callable[[str], str]) -> str:
    """A column's title: the tool's own name for its measure, the whole text for any other metric."""
    parts = MetricText.of(metric)
    tool, _, word = parts.name.partition(".")
    if tool not in PRINTED or not word.replace("_", "").isalpha():
        return metric
    return str(replace(parts, name=spelling(word), settings=()))


def _bare(metric: str) -> str:
    return MetricText.of(metric).name


def _numeral(topic: str) -> str:
    """Tools that read topics as numbers print them as numbers."""
    return str(int(topic)) if topic.isascii() and topic.isdigit() else topic


def _number(value: float, digits: int, undefined: str = "-nan") -> str:
    return undefined if math.isnan(value) else f"{value:.{digits}f}"


def _sum(scores: Scores, run: str, metric: int, order: Sequence[int]) -> float:
    """Σ over the counted topics, one after the other."""
    r = _row(scores, run)
    running = 0.0
    for t in order:
        if scores.counted[r, metric, t]:
            running += float(scores.values[r, metric, t])
    return running


def _mean(scores: Scores, run: str, metric: int, order: Sequence[int]) -> float:
    """The sum over `order` divided by the number of all counted topics; those not in `order` score 0."""
    counted = int(np.count_nonzero(scores.counted[_row(scores, run), metric]))
    return _sum(scores, run, metric, order) / counted if counted else 0.0
