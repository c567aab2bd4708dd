"""The contents of a report as one dictionary for JSON, in which the rankings of each topic are compressed separately.

A report is on an evaluation (`contents`), on RAG answers (`answers_contents`), or on any table of scores
(`table_contents`).
"""

from __future__ import annotations

import importlib.metadata
import platform
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from diveval import __version__
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.defaults import HEADLINE
from diveval.errors import UsageError, need
from diveval.metrics import as_metrics
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.report.axiom_section import WAIT_SECONDS, AxiomSection
from diveval.report.page import deflate, page
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import orders
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Options
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import Significance
from diveval.system.files import file_sum, write_atomically
from diveval.system.progress import Progress, silent
from diveval.views.axiom_matrix import legend, occurrences
from diveval.views.board import MetricQuality, absent, leaderboard, topic_values
from diveval.views.headline import Clause, headline, sizes
from diveval.views.judging import Decisions, judging
from diveval.views.parameters import parameters
from diveval.views.shared import heading_of, topic_texts
from diveval.views.survival import Doubts, survival
from diveval.views.titles import find_titles
from diveval.views.verdict import decide_verdict
from diveval.views.walks import DEPTH, Walker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.answers.material import AnswerFiles
    from diveval.settings import Settings

BUDGET = 1_800_000  # characters of compressed rankings; with 100 runs × 20 metrics the whole file is then under 3 MB
DEPTHS = (DEPTH, 30, 20, 10)  # how many ranks are shown: the most that fits
MOST_NUGGETS = 200  # of those that systems miss
MOST_TOPICS = 1000  # shown one by one where there are scores alone; of more, every n-th
LIBRARIES = ("numpy", "scipy", "z3-solver")
ANSWER_RULES = "vital nuggets weigh 1, okay ones ½; support is 1, partial support ½; a missing answer scores 0"


def contents(
    study: Evaluation,
    *,
    title: str = "Evaluation",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    deciding: AxiomSection | None = None,
    axiom_seconds: float = WAIT_SECONDS,
    conclusions: bool | Doubts = True,
    decisions: Decisions | None = None,
    how: Significance = DEFAULT,
    step: Progress = silent,
) -> dict[str, Any]:
    """The data of every view. Where rankings are many, fewer ranks are shown, and a note says so.

    `deciding` is the matrix of axioms if it was started before; at the end the report waits `axiom_seconds` for it.
    `conclusions` is what is put in doubt; True stands for the default, False leaves that view out.
    """
    with deciding or AxiomSection(study.metrics) as matrix:
        judged = MetricQuality.of(study.scores, how=how)
        data = _study_views(study, title, judged)
        if conclusions and len(study.scores.runs) > 1:
            asked = Doubts.usual(study.explained, study.judgments) if conclusions is True else conclusions
            data["conclusions"] = survival(study.judgments, study.rankings, study.options, asked, step, how)
            data["headline"].insert(1, data["conclusions"].get("sentence", []))
        if len(study.scores.runs) > 1:
            data["judging"] = judging(study, decisions or Decisions())
        data["made"] = provenance(study, command=command, files=files)
        data["walks"] = walks(study)
        counts, notes = occurrences(
            study.judgments, study.rankings, study.metrics, study.options, reading=matrix.reading
        )
        data["axioms"] = matrix.finish(seconds=axiom_seconds)
        verdicts = matrix.answer(study)
    if data["axioms"]["rows"]:
        data["axioms"] |= {"violations": counts, "notes": [*data["axioms"]["notes"], *notes]}
    setup = study.scores.setup
    lacking = setup.lists_lacking(study.scores.runs)
    verdict = decide_verdict(
        study.metrics, verdicts, counts, judged, setup.judged, reading=matrix.reading, lacking=lacking
    )
    if verdict is not None:
        data["verdict"] = verdict
    data["titles"] = find_titles(study.scores, judged, data)
    return data


def _study_views(study: Evaluation, title: str, judged: MetricQuality) -> dict[str, Any]:
    """The views that need only the scores of an evaluation."""
    scores, runs = study.scores, study.explained_runs()
    missing = absent(runs, scores.topics)
    return {
        **_score_views(title, scores, scores, judged, headline(scores, judged, missing)),
        "absent": missing,
        "missing_rule": study.options.missing_topics,
        "texts": topic_texts(study.texts, scores.topics),
        "parameters": parameters(study.explained, study.score, how=judged.how),
    }


def _score_views(
    title: str, scores: Scores, shown: Scores, judged: MetricQuality, sentences: list[list[Clause]]
) -> dict[str, Any]:
    """The views of every report. Means are over all topics, also where only the topics of `shown` are listed."""
    return {
        "title": title,
        "summary": sizes(scores),
        "runs": list(scores.runs),
        "topics": list(shown.topics),
        "metrics": list(scores.metrics),
        "headings": [heading_of(name) for name in scores.metrics],
        "marks": legend(),
        "headline": sentences,
        "leaderboard": leaderboard(scores, judged.power, judged.how),
        "values": topic_values(shown),
        "judged": judged.tables(),
    }


def walks(study: Evaluation, *, budget: int = BUDGET) -> dict[str, Any]:
    """Every topic for every run, each topic compressed on its own (JSON, deflate, base64) and opened when it is shown."""
    topics = list(study.scores.topics)
    sample = topics[:: max(1, len(topics) // 3)][:3]
    for depth in DEPTHS:
        walker = Walker.of(study, depth)
        size = sum(len(deflate(walker.topic(topic))) for topic in sample) / len(sample)
        if size * len(topics) <= budget:
            break
    note = None
    if depth < DEPTHS[0]:
        note = f"To keep this file small, rankings are shown down to rank {depth}; `diveval studio` shows them whole."
    return {**walker.about(), "topics": [deflate(walker.topic(topic)) for topic in topics], "note": note}


# --- from files to a page -----------------------------------------------------------------------------------------------


@takes_settings
def report(
    judgments: JudgmentsLike | Scores,
    runs: RunsLike | None = None,
    path: str | Path = "report.html",
    *,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    title: str | None = None,
    reading: Literal["charitable", "as-written"] = "charitable",
    axiom_seconds: float = 1.0,
    conclusions: bool = True,
    significance: Significance = DEFAULT,
    weights: WeightsLike | None = None,
    notes: Sequence[str] = (),
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Path:
    """Write one self-contained HTML page: leaderboard, conclusions, topics, rankings, metrics and axioms.

    `report(scores, path="scores.html")` shows the table of any evaluation, without rankings and axioms.

    Args:
        judgments: whatever `diveval.evaluate` takes, or scores.
        runs: whatever `diveval.evaluate` takes; None with scores.
        path: the page to write.
        metrics: the metrics to show; the default set if not given.
        title: the page's heading; `Evaluation`, or `Scores` if only scores are shown.
        reading: how the axioms are read.
        axiom_seconds: how long to wait for axioms that are still undecided when everything else is done.
        conclusions: show which statements "A beats B" hold over RBU's parameters; costs seconds.
        significance: the test that decides which systems differ, everywhere on the page.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        notes: what the reader should know, shown at the end.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    if isinstance(judgments, Scores):
        if runs is not None:
            raise UsageError("wrong-type", "a report of scores takes no runs; give judgments and runs, or scores")
        return Path(
            write_atomically(
                path, page(table_contents(judgments, title=title or "Scores", notes=notes, how=significance))
            )
        )
    if runs is None:
        raise UsageError("no-run", "no run was given", hint="a report takes judgments and runs, or scores")
    need("altair", "report")
    chosen, asked = options or Options(), as_metrics(metrics)
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, runs, metrics_to_read(asked), chosen, keep_documents=True)
    study = Evaluation(truth, rankings, asked, chosen, notes=notes)
    with AxiomSection(asked, reading) as deciding:
        data = contents(
            study,
            title=title or "Evaluation",
            command=["diveval.report"],
            files=[],
            deciding=deciding,
            axiom_seconds=axiom_seconds,
            conclusions=conclusions,
            how=significance,
        )
    return Path(write_atomically(path, page(data)))


# --- scores alone, and answers -----------------------------------------------------------------------------------------


def table_contents(
    scores: Scores,
    *,
    title: str = "Scores",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
    facts: Sequence[tuple[str, str]] = (),
    absent: dict[str, list[str]] | None = None,
    how: Significance = DEFAULT,
) -> dict[str, Any]:
    """The data of the views that need nothing but scores. Means are of all topics, also where not all are shown."""
    by_topic = [metric for m, metric in enumerate(scores.metrics) if scores.counted[:, m].any()]
    if not by_topic:
        raise UsageError(
            "no-counted-topic",
            "a report needs a metric with a value for each topic",
            hint="these are values of whole runs",
        )
    judged = MetricQuality.of(scores.select(metrics=by_topic), how=how)
    lacking = absent or {}
    sentences = _without_rankings(headline(scores.select(metrics=by_topic), judged, lacking))
    remarks = [*notes, *scores.notes]
    shown = scores
    if len(scores.topics) > MOST_TOPICS:
        some = [int(t) for t in np.linspace(0, len(scores.topics) - 1, MOST_TOPICS).round()]
        remarks.append(f"Of {len(scores.topics):,} topics, {MOST_TOPICS:,} evenly spaced ones are listed.")
        shown = Scores.of(
            scores.values[:, :, some],
            runs=scores.runs,
            metrics=scores.metrics,
            topics=[scores.topics[t] for t in some],
            counted=scores.counted[:, :, some],
            best=scores.best,
        )
    described = [
        *([("Command", shlex.join(command))] if command else []),
        ("Versions", f"diveval {__version__}, Python {platform.python_version()}"),
        *facts,
    ]
    views = _score_views(title, scores, shown, judged, sentences)
    return {
        **views,
        "titles": find_titles(scores.select(metrics=by_topic), judged, views),
        "absent": lacking,
        "missing_rule": "zero",
        "texts": {},
        "made": _facts_and_files(scores, described, files, dict.fromkeys(remarks)),
    }


def _without_rankings(sentences: list[list[Clause]]) -> list[list[Clause]]:
    """Let links of the headline that open the rankings open the topics instead."""
    for clause in (clause for sentence in sentences for clause in sentence):
        if clause["open"] and clause["open"].get("view") == "inspector":
            clause["open"] = {**clause["open"], "view": "topics"}
    return sentences


def answers_contents(
    material: AnswerFiles,
    scores: Scores,
    *,
    title: str = "Answers",
    command: Sequence[str] = (),
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
    how: Significance = DEFAULT,
) -> dict[str, Any]:
    """The data of the views of answers: no rankings and no axioms, but the answers themselves, compressed by query."""
    from diveval.answers.answer_collection import contents as answer_contents
    from diveval.answers.missed import find_missed

    by_query: dict[str, dict[str, Any]] = {}
    for answer in answer_contents(material):
        by_query.setdefault(answer["query"], {})[answer["run"]] = answer
    absent = {run: [q for q in scores.topics if run not in by_query.get(q, {})] for run in scores.runs}
    absent = {run: queries for run, queries in absent.items() if queries and len(queries) < len(scores.topics)}
    data = table_contents(
        scores,
        title=title,
        command=command,
        files=files,
        notes=notes,
        facts=[("Rules", ANSWER_RULES)],
        absent=absent,
        how=how,
    )
    for clause in (clause for sentence in data["headline"] for clause in sentence):
        if clause["open"] and "topic" in clause["open"]:
            clause["open"] = {**clause["open"], "view": "answers"}
    missed = [row for row in find_missed(material).records() if row["mean"] < 1]
    data["missed"] = missed[:MOST_NUGGETS]
    data["answers"] = [deflate([by_query.get(q, {}).get(run) for run in scores.runs]) for q in data["topics"]]
    return data


# --- how the report was made --------------------------------------------------------------------------------------------


def provenance(study: Evaluation, *, command: Sequence[str], files: Sequence[str]) -> dict[str, Any]:
    """The command, the versions and the rules, besides what `_facts_and_files` has."""
    facts = [
        ("Command", shlex.join(command)),
        ("Versions", ", ".join([f"diveval {__version__}", f"Python {platform.python_version()}", *_versions()])),
        *_rules(study),
    ]
    return _facts_and_files(study.scores, facts, files, study.notes)


def _facts_and_files(
    scores: Scores, facts: Sequence[tuple[str, str]], files: Sequence[str], notes: Iterable[str]
) -> dict[str, Any]:
    """Facts to show, fingerprints of `files`, notes of the reading, and the numbers as CSV and LaTeX."""
    return {
        "facts": [[name, text] for name, text in facts],
        "files": [{"path": path, **_fingerprint(path)} for path in files if Path(path).is_file()],
        "notes": list(notes),
        "csv": scores.to_csv(per_topic=False),
        "latex": scores.to_latex(),
    }


def _fingerprint(path: str) -> dict[str, Any]:
    """Size and SHA-256 of a file."""
    return {"bytes": Path(path).stat().st_size, "sha256": file_sum(Path(path))}


def _versions() -> list[str]:
    out = []
    for library in LIBRARIES:
        try:
            out.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            out.append(f"{library} not installed")
    return out


_MISSING = {
    "worst": "scored like lists of non-relevant documents (other tools’ names: their own rule)",
    "zero": "scored 0",
    "skip": "left out of the run’s mean",
}


def _rules(study: Evaluation) -> list[tuple[str, str]]:
    options, rule = study.options, study.options.relevance
    used = " and ".join(f"by {order.by}, equal scores by {order.ties}" for order in orders(study.metrics, options))
    gmax = {"file": "the highest grade of the file", "per-aspect": "the highest grade of each topic and aspect"}
    weighted = any(topic.weights is not None for topic in study.judgments.topics.values())
    return [
        ("Order of runs", used),
        ("Missing topics", _MISSING[options.missing_topics]),
        ("Empty topics", options.empty_topics or "scored like others (other tools’ names: their own rule)"),
        ("Relevance", f"{rule.gain} gain, gmax is {gmax.get(str(rule.gmax), rule.gmax)}"),
        ("Weights", ("given" if weighted else "uniform") + (", renormalised" if rule.renormalise else ", as they are")),
        ("Aspects without a relevant document", "left out" if rule.drop_empty_aspects else "kept"),
        ("Documents twice in a ranking", options.duplicates or "an error, unless the format allows them"),
        ("Effort", "the same for every document" if options.efforts is None else "by document, from a file"),
    ]
