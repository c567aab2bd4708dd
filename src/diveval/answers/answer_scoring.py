"""From labels of answers to scores: every metric for every system and query.

Our metrics are averaged over all queries with nuggets; a missing or empty answer scores 0. A tool's metric is averaged
as the tool does it.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diveval.answers import tool_rules as counting
from diveval.answers.answer_metrics import AnswerMetric, Part, as_metrics
from diveval.answers.label_checks import warn_about_exact_reading, warn_about_labels, warn_about_uncited
from diveval.answers.material import AnswerFiles, AssignmentLine, Nugget, System
from diveval.answers.own_metrics import answers_of, empty_answer
from diveval.collection.joins import Match, describe_matches
from diveval.collection.judgments import naturally
from diveval.defaults import RBU
from diveval.errors import InputError, UsageError, count_of, preview, quote, share_text, warn
from diveval.reading.judge_labels import plain
from diveval.results.scores import Scores
from diveval.results.setup import Setup

Items = dict[str, Any]  # by topic
RESIDUAL = "+residual"
ONLY_WHOLE = ("_micro", "_count_median", "_count_max")
BY_SENTENCE = ("RBU", "Tokens", "CoverageRate")  # metrics that need labels by sentence
NEEDS: Mapping[Part, str] = {
    "answer": "labels of nuggets",
    "cited": "citations with support",
    "line": "nuggetizer assignments",
    "support": "citations with support",
    "report": "ARGUE judgments",
    "graded": "a graded rubric",
    "context": "UDCG contexts",
}


class UndefinedError(InputError):
    """A metric has no value for any answer of a run."""


class Scoring:
    """One evaluation; the arguments of the metrics are computed once per system."""

    def __init__(self, material: AnswerFiles, missing: str | None, counter: str, averaged: bool = False) -> None:
        self.material, self.missing, self.counter = material, missing, counter
        self.averaged = averaged  # trials of a system become one row, which says what is missing
        self.systems = list(material.systems.items())
        self._items: dict[tuple[str, Part], Items] = {}
        self._notes: list[str] = []

    def table(self, names: Sequence[str] | None, *, residuals: bool) -> Scores:
        """The whole table of scores."""
        metrics = as_metrics(names or self.default())
        if not names:
            residuals = residuals or any(self.failures(name, system) for name, system in self.systems)
        rows: dict[str, dict[str, dict[str, float | None]]] = {}
        for metric in list(metrics):
            try:
                rows[metric.name] = self.values(metric)
            except UndefinedError as error:
                if names or len(metrics) == 1:
                    raise
                metrics.remove(metric)
                self._notes.append(f"{metric.name} is left out: {error}")
                continue
            if residuals and metric.declared.residual:
                rows[metric.name + RESIDUAL] = self.rises(metric, rows[metric.name])
        self.warn_and_note(metrics)
        topics = naturally({t for by_run in rows.values() for values in by_run.values() for t in values})
        place = {topic: t for t, topic in enumerate(topics)}
        shape = (len(self.systems), len(rows), len(topics))
        values, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
        for m, by_run in enumerate(rows.values()):
            for r, (name, _) in enumerate(self.systems):
                for topic, value in by_run[name].items():
                    if value is not None:
                        values[r, m, place[topic]], counted[r, m, place[topic]] = value, True
        whole = self.wholes({metric.name: metric for metric in metrics}, rows)
        best = {metric.name: metric.declared.best for metric in metrics}
        for m, name in enumerate(rows):
            if name.endswith(ONLY_WHOLE):  # these have one value per run only
                counted[:, m] = False
        return Scores.of(
            values,
            runs=[name for name, _ in self.systems],
            metrics=list(rows),
            topics=topics,
            counted=counted,
            notes=[*self.material.notes, *self._notes, *describe_matches(self.material.joins.values())],
            whole=whole,
            missing=self._missing(metrics, topics),
            best=[best.get(name, "none") for name in rows],  # "none" for residuals
            setup=self._setup(len(topics)),
        )

    def _setup(self, topics: int) -> Setup:
        """What was joined, and whose labels count."""
        combined = self.material.combined
        return Setup(
            topics=topics,
            missing_topics=self.missing,
            joins=tuple(self.material.joins.values()),
            judges=() if combined is None else tuple(combined.judges),
            combine=None if combined is None else combined.rule,
        )

    # --- the arguments of the metrics ---------------------------------------------------------------------------------

    def items(self, name: str, system: System, part: Part) -> Items:
        """A system's arguments for metrics of this part, by topic."""
        key = (name, part)
        if key not in self._items:
            self._items[key] = self._make(system, part)
        return self._items[key]

    def _make(self, system: System, part: Part) -> Items:
        if part == "answer":
            return dict(answers_of(self.material, system, counter=self.counter))
        if part in ("cited", "support"):
            return dict(system.support or system.reports)  # ARGUE's attested citations are support
        if part == "report":
            bank = self.material.bank
            reported = {q: s for q, s in system.reports.items() if q in bank}
            return {query: counting.report_counts(sentences, bank[query]) for query, sentences in reported.items()}
        if part == "context":
            return dict(system.contexts)
        if part == "graded":
            return _number_repeats(system.graded)
        lines = [_complete(line, self.material.bank.get(line.query, ())) for line in system.lines]
        return _number_repeats(
            [(line.query if line.document is None else f"{line.query}/{line.document}", line) for line in lines]
        )

    def universe(self, metric: AnswerMetric) -> list[str] | None:
        """The queries of the mean; None: those that the system has."""
        part = metric.declared.part
        if part == "answer":
            return list(self.material.bank)
        if part == "report":
            reported = {q for _, s in self.systems for q in s.reports}
            return [q for q in self.material.bank if q in reported or self.missing == "zero"]
        if not metric.declared.own:
            return None
        return list(dict.fromkeys(t for name, system in self.systems for t in self.items(name, system, part)))

    def values(self, metric: AnswerMetric) -> dict[str, dict[str, float | None]]:
        """One metric: run → topic → value; None: not defined, and left out of the mean."""
        universe, out = self.universe(metric), {}
        for name, system in self.systems:
            items = self.items(name, system, metric.declared.part)
            if not items:
                what = NEEDS[metric.declared.part]
                raise InputError(
                    "missing-labels",
                    f"run {quote(name)} has no {what}, which {metric.name} needs",
                    source=system.source,
                )
            if metric.declared.needs_importance:
                _need_importance(metric, system)
            if metric.declared.own and metric.declared.part == "graded":
                _refuse_twice([query for query, _ in system.graded], name, system)
            out[name] = self._column(metric, items, universe)
            if all(value is None for topic, value in out[name].items() if topic in items):
                raise UndefinedError("missing-labels", self._lacking(metric, name, items), source=system.source)
        return out

    def _lacking(self, metric: AnswerMetric, name: str, items: Items) -> str:
        """The reason why a metric is defined for none of a run's answers, for an error: an empty mean would be 0."""
        by_sentence = metric.declared.part == "answer" and metric.declared.name.startswith(BY_SENTENCE)
        if by_sentence and all(answer.sentences is None for answer in items.values()):
            return (
                f"run {quote(name)} has labels for whole answers only, and {metric.name} needs them by sentence: label"
                " the sentences as passages called run/query/place"
            )
        needs = {"answer": "a nugget that counts", "cited": "a judged citation", "graded": "a positive weight"}
        what = "a vital nugget" if "vital" in metric.name else needs.get(metric.declared.part, "a value")
        return f"run {quote(name)} has no query with {what}, which {metric.name} needs"

    def _column(self, metric: AnswerMetric, items: Items, universe: list[str] | None) -> dict[str, float | None]:
        column: dict[str, float | None] = {}
        for topic in items if universe is None else universe:
            if topic in items:
                value = metric.value(items[topic])
                digits = metric.declared.digits
                column[topic] = value if value is None or digits is None else round(value, digits)
            elif metric.declared.part == "report":
                nothing = counting.report_counts((), self.material.bank[topic])
                column[topic] = metric.value(nothing) if self.missing == "zero" else None
            elif self.missing != "skip":
                # If a query counts for nobody (a vital score without vital nuggets), it does not count for an absent answer.
                absent = metric.declared.part == "answer"
                column[topic] = metric.value(empty_answer(self.material.bank[topic])) if absent else 0.0
        return column

    def _missing(self, metrics: Sequence[AnswerMetric], topics: Sequence[str]) -> Any:
        """The queries without an answer (or its labels) of each system, for our own metrics."""
        parts = {metric.declared.part: self.universe(metric) for metric in metrics if metric.declared.own}
        if not parts:
            return None
        place = {topic: t for t, topic in enumerate(topics)}
        missing = np.zeros((len(self.systems), len(topics)), dtype=bool)
        for r, (name, system) in enumerate(self.systems):
            for part, universe in parts.items():
                answered = self.items(name, system, part)
                absent = [place[query] for query in universe or () if query in place and query not in answered]
                missing[r, absent] = True
        return missing

    def rises(
        self, metric: AnswerMetric, values: Mapping[str, Mapping[str, float | None]]
    ) -> dict[str, dict[str, float | None]]:
        """How much a metric would rise if every failed label were support."""
        out: dict[str, dict[str, float | None]] = {}
        for name, system in self.systems:
            items = self.items(name, system, metric.declared.part)
            out[name] = {}
            for topic, value in values[name].items():
                best = metric.value(replace(items[topic], hopeful=True)) if topic in items else value
                out[name][topic] = None if value is None or best is None else best - value
        return out

    def wholes(
        self, metrics: Mapping[str, AnswerMetric], rows: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    ) -> Any:
        """Values of whole runs that are not plain means: exact means, sums, ratios of sums, rounded means."""
        whole = np.full((len(self.systems), len(rows)), np.nan)
        for m, name in enumerate(rows):
            metric = metrics.get(name)
            if metric is None:
                continue
            for r, (run, system) in enumerate(self.systems):
                items = self.items(run, system, metric.declared.part)
                value = self._whole(metric, items, rows[name][run])
                whole[r, m] = math.nan if value is None else value
        return None if np.isnan(whole).all() else whole

    def _whole(self, metric: AnswerMetric, items: Items, column: Mapping[str, float | None]) -> float | None:
        how, digits = metric.declared.mean, metric.declared.digits
        values = [value for value in column.values() if value is not None]
        if not values:
            return None
        if how == "exact":
            return float(statistics.mean(values))  # in fractions, rounded once
        if how in ("sum", "median", "max"):
            return float({"sum": sum, "median": statistics.median, "max": max}[how](values))  # type: ignore[operator]
        if how == "micro":
            counted = [topic for topic, value in column.items() if value is not None]
            listed = [items.get(topic) or counting.report_counts((), self.material.bank[topic]) for topic in counted]
            return metric.value(counting.sum_counts(listed))
        if digits is not None:  # the mean of the unrounded values
            exact = [metric.value(item) for item in items.values()]
            return round(statistics.fmean(value for value in exact if value is not None), digits)
        return None

    # --- default metrics, warnings and notes --------------------------------------------------------------------------

    def default(self) -> list[str]:
        """The metrics that can be computed for every system."""
        every = [set(system.parts()) for _, system in self.systems]
        has = set.intersection(*every)
        names: list[str] = []
        if has & {"lines", "labelled", "reports"} and self.material.bank:
            names += [
                "Coverage_vital",
                "Coverage",
                "Coverage_weighted",
                "Coverage_vital_strict",
                "Coverage_strict",
                "Coverage_weighted_strict",
            ]
        if has & {"labelled", "reports"} and self.material.bank:
            setting = RBU.removeprefix("RBU")
            names += [f"RBU{setting}", f"RBU_best{setting}", f"RBU_stop{setting}"]
            names += [f"RBU_cited{setting}"] if has & {"support", "reports"} else []
        if has & {"support", "reports"}:
            names += ["CitationPrecision", "CitationRecall"]
        names += ["Rubric", "Rubric_binary"] if "graded" in has else []
        names += ["udcg.UDCG"] if "contexts" in has else []
        if not names:
            parts = "; ".join(f"{name}: {', '.join(system.parts()) or 'nothing'}" for name, system in self.systems)
            raise UsageError("no-shared-topic", f"the systems have nothing in common that can be scored ({parts})")
        return names

    def failures(self, name: str, system: System) -> int:
        """The number of labels that the judge failed to give for a system's answers."""
        if not (self.material.bank and (system.lines or system.labelled or system.reports)):
            return 0
        return sum(answer.failures for answer in self.items(name, system, "answer").values())

    def warn_and_note(self, metrics: Sequence[AnswerMetric]) -> None:
        """Warn about missing answers, failed labels and unjudged citations of each run; note what is left out."""
        parts = {metric.declared.part: self.universe(metric) for metric in metrics if metric.declared.own}
        for name, system in self.systems:
            for part, universe in parts.items():
                if self.averaged and name in self.material.trials:
                    continue
                wanted = [query for query in universe or () if part != "answer" or self.material.bank[query]]
                self._warn_about_absent(name, self.items(name, system, part), wanted, NEEDS[part])
            failed = self.failures(name, system) if "answer" in parts else 0
            if failed:
                number = count_of(failed, "label failed and counts", "labels failed and count")
                warn("failed-labels", f"{name}: {number} 0; --residuals shows the possible rise")
            if "cited" in parts:
                self._warn_about_unjudged(name, self.items(name, system, "cited"))
                warn_about_uncited(self.material, name, system, parts["cited"] or ())
        tools = [m.declared.name.partition(".")[0] for m in metrics if not m.declared.own and m.declared.part == "line"]
        for name, system in self.systems if tools else ():
            warn_about_exact_reading(name, system, list(dict.fromkeys(tools)))
        warn_about_labels(self.material)
        if "answer" in parts:
            self._note_what_counts([metric.declared.name for metric in metrics])

    def _warn_about_unjudged(self, name: str, items: Items) -> None:
        listed = [citation for sentences in items.values() for s in sentences for citation in s.citations]
        bare = sum(citation.support < 0 for citation in listed)
        if listed:
            self.material.note(Match(name, "citations with a judgment", len(listed) - bare, len(listed)))
        if bare:
            share = 1 - bare / len(listed)
            warn(
                "unjudged-citations",
                f"{name}: {bare} of {len(listed)} citations are not judged and left out ({share_text(share)} judged)",
            )

    def _warn_about_absent(self, name: str, items: Items, universe: Sequence[str], what: str) -> None:
        absent = [query for query in universe if query not in items]
        if absent:
            rule = "left out of its mean" if self.missing == "skip" else "scored 0"
            warn(
                "missing-topics",
                f"{name}: has no {what} for {len(absent)} of {len(universe)} queries ({preview(absent)}): {rule}",
            )

    def _note_what_counts(self, names: Sequence[str]) -> None:
        bank = self.material.bank.items()
        bare = [query for query, listed in bank if not any(plain(n.importance) == "vital" for n in listed)]
        if bare and any("vital" in name for name in names):
            number = count_of(len(bare), "query", "queries")
            self._notes.append(f"{number} without a vital nugget left out of vital scores ({preview(bare)})")
        empty = [query for query, listed in bank if not listed]
        if empty:
            self._notes.append(
                f"{count_of(len(empty), 'query', 'queries')} without nuggets left out ({preview(empty)})"
            )
        if any(name.startswith(BY_SENTENCE) for name in names):
            self._notes.append(f"tokens: as the file gives them, else counted as {self.counter}")


def _complete(line: AssignmentLine, nuggets: Sequence[Nugget]) -> AssignmentLine:
    """A line of a table as tools write it: with every nugget of the query, of which one without a label has no support."""
    if not line.by_name or not nuggets:
        return line
    given = {nugget.text: (nugget, label) for nugget, label in zip(line.nuggets, line.labels, strict=True)}
    pairs = [given.get(nugget.text, (nugget, "not_support")) for nugget in nuggets]
    return replace(line, nuggets=tuple(one for one, _ in pairs), labels=tuple(label for _, label in pairs))


def _need_importance(metric: AnswerMetric, system: System) -> None:
    for line in system.lines:
        if any(nugget.importance is None for nugget in line.nuggets):
            raise InputError(
                "missing-key",
                f"query {quote(line.query)} has a nugget without importance, on which {metric.declared.reference} fails",
                hint="write vital or okay",
                source=system.source,
                line=line.number,
            )


def _refuse_twice(queries: Sequence[str], name: str, system: System) -> None:
    twice = [query for query, times in Counter(queries).items() if times > 1]
    if twice:
        what = f"query {quote(twice[0])} has two answers in run {quote(name)}"
        raise InputError("duplicate-answer", what, hint="keep one", source=system.source)


def _number_repeats(pairs: Sequence[tuple[str, Any]]) -> Items:
    """Items by topic; a repeated topic gets a number, since tools average every line."""
    out: Items = {}
    seen: dict[str, int] = {}
    for topic, item in pairs:
        seen[topic] = seen.get(topic, 0) + 1
        out[topic if seen[topic] == 1 else f"{topic}#{seen[topic]}"] = item
    return out
