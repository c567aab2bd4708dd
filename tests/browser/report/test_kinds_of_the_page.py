"""Every kind of sentence that the page itself computes is recomputed here from scores, conclusions and ranks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from browser.report.test_sentences import choose, opened
from diveval.conclusions import conclude
from diveval.meta import agreement
from diveval.scoring.study import Evaluation
from diveval.stats import compare
from support import plain_evaluation as plain
from support.pages import settled
from support.plain_statements import rbu

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
VIEWS = Path(diveval.__file__).parent / "views/static"
ELSEWHERE = {
    "answer-score": "tests/browser/test_answers.py",  # of a report on answers
    "topics-apart": "test_sentences.py",
    "document-gap": "test_sentences.py",
}
PANELS = "() => [...document.querySelectorAll('#panels .panel')].filter((one) => one.querySelector('.sum')).map((one) => one.dataset.run)"
Check = Callable[[dict[str, Any], Evaluation], bool]
CHECKS: dict[str, Check] = {}


def checks(*kinds: str) -> Callable[[Check], Check]:
    """Declare the check of kinds of sentences: it gets the facts and what was evaluated."""

    def declare(check: Check) -> Check:
        CHECKS.update(dict.fromkeys(kinds, check))
        return check

    return declare


def facts_of(one: dict[str, Any]) -> dict[str, Any]:
    """The facts as values: lists and numbers are JSON, names are text."""
    out: dict[str, Any] = {}
    for name, text in one["facts"].items():
        try:
            out[name] = json.loads(text)
        except ValueError:
            out[name] = text
    return out


@checks("alike")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    found, run = compare(study.scores, facts["metric"]), facts["run"]
    alike = {
        row.other if row.run == run else row.run
        for row in found.rows
        if run in (row.run, row.other) and not row.significant
    }
    (own,) = [one for one in found.runs if one.run == run]
    return set(facts["alike"]) == alike and tuple(facts["ranks"]) == own.ranks and facts["systems"] == len(found.runs)


def certain_pairs(metric: str, study: Evaluation) -> list[Any]:
    """The rows of all doubts together; the judgments of this report have weights, whose order is kept."""
    found = conclude(study.judgments, (), metric, rankings=study.rankings, options=study.options, any_weights="given")
    return [row for row in found.rows if row.doubt == found.last_doubt()]


@checks("conclusions-counted")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    rows = certain_pairs(facts["metric"], study)
    counts = [sum(row.verdict == verdict for row in rows) for verdict in ("certain", "flips", "undecided")]
    firm = sum(bool(row.significant) for row in rows if row.verdict == "certain")
    told = [facts[name] for name in ("certain", "flips", "undecided", "significant")]
    return told == [*counts, firm] and facts["completed"] is False


@checks("surely-beats")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    rows, run = certain_pairs("RBU(p=0.6..0.99,e=0..0.1)@20", study), facts["run"]
    sure = [(row.better, row.worse) for row in rows if row.verdict == "certain"]
    beats, beaten = {b for a, b in sure if a == run}, {a for a, b in sure if b == run}
    others = len(study.scores.runs) - 1
    return (set(facts["beats"]), set(facts["beaten"])) == (beats, beaten) and bool(facts["open"]) == (
        len(beats) + len(beaten) < others
    )


def utilities(study: Evaluation, run: str, topic: str) -> list[float]:
    """RBU(p=0.99,e=0.05) of every prefix of a list down to rank 20, from the rows of the judgments."""
    facts = plain.topics_of(list(study.judgments.rows()), study.judgments.aspect_weights() or None, {})[topic]
    (ranking,) = [one.topics[topic] for one in study.explained_runs() if one.name == run]
    rows = [facts.relevance.get(document, [0.0] * len(facts.weights)) for document in ranking.documents or ()]
    return [rbu(rows, facts.weights, 0.99, 0.05, k) for k in range(min(len(rows), 20) + 1)]


@checks("best-stop")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    """The stop has the highest utility of all prefixes, and the score is that of the table."""
    values = study.scores.array(facts["metric"])[study.scores.runs.index(facts["panel"])]
    score = values[study.scores.topics.index(facts["topic"])]
    every = utilities(study, facts["panel"], facts["topic"])
    best = max(every)
    stop = facts["rank"] == next(k for k, one in enumerate(every) if one > best - 1e-6)
    return stop and bool(abs(facts["utility"] - best) < 2e-4 and abs(facts["score"] - score) < 2e-4)


def parted(study: Evaluation, run: str, other: str, metric: str, against: str) -> list[str]:
    """The topics on which `metric` prefers the run most and `against` the other, in standard deviations."""
    scores, gaps = study.scores, []
    for name in (metric, against):
        values = scores.array(name)
        gap = values[scores.runs.index(run)] - values[scores.runs.index(other)]
        gaps.append(gap / gap.std() if gap.std() > 0 else gap * 0)
    apart = gaps[0] - gaps[1]
    return [scores.topics[t] for t in np.argsort(-apart, kind="stable") if apart[t] > 0]


def crossings(study: Evaluation, run: str, metrics: list[str]) -> set[tuple[str, str, str]]:
    """With whom a system changes places between adjacent metrics: the other, by what it is above, by what below."""
    scores, out = study.scores, set()
    means = scores.means * scores.signs
    for pair in pairwise(metrics):
        first, second = (means[:, scores.metric_index(name)] for name in pair)
        for other in set(scores.runs) - {run}:
            a, b = scores.runs.index(run), scores.runs.index(other)
            gaps = [0.0 if abs(own[a] - own[b]) < 1e-12 else float(own[a] - own[b]) for own in (first, second)]
            if gaps[0] * gaps[1] < 0:
                out.add((other, *(pair if gaps[0] > 0 else pair[::-1])))
    return out


@checks("crossing", "no-crossing")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    """The metrics stand in the order of the table of ranks, which the page shows behind `no-crossing`."""
    if "other" not in facts:
        return not crossings(study, facts["run"], facts["head"][1:])
    ends = (facts["metric"], facts["against"])
    named = (facts["other"], *ends)
    most = parted(study, facts["run"], facts["other"], *ends)[:3]
    return named in crossings(study, facts["run"], list(ends)) and facts["topics"] == most


def test_every_kind_has_a_check() -> None:
    """Each wording in the modules of the views is checked here or where it is said."""
    kinds: set[str] = set()
    for path in VIEWS.glob("*.js"):
        for block in re.findall(
            r"^wordings\(\{\n(.*?)^\}\);", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            kinds |= set(re.findall(r'^  "?([a-z-]+)"?: \(\{', block, re.MULTILINE))
    assert kinds == set(CHECKS) | set(ELSEWHERE)


def test_kinds_of_the_page(report: Any, study: Evaluation) -> None:
    """Systems that are alike, conclusions, stops and crossings are those of Python."""
    choose(report, study)
    said = set()
    topic, panels = report.locator("#inspect-topic").input_value(), list(report.evaluate(PANELS))
    for one in opened(report):
        if one["kind"] in CHECKS:
            place = {"head": one["head"], "topic": topic}
            if one["kind"] == "best-stop":
                place["panel"] = panels.pop(0)
            assert CHECKS[one["kind"]](facts_of(one) | place, study), one
            said.add(one["kind"])
    assert not panels
    assert {"alike", "conclusions-counted", "surely-beats", "best-stop"} <= said and said & {"crossing", "no-crossing"}


def test_every_crossing_is_named(report: Any, study: Evaluation) -> None:
    """Whichever system is followed, exactly the systems it changes places with are named."""
    order = list(agreement(study.scores).order)
    silent = 0
    for run in study.scores.runs:
        report.select_option("#bump-run", run)
        settled(report)
        told = [one for one in opened(report) if one["kind"] in ("crossing", "no-crossing")]
        facts = [facts_of(one) | {"head": ["run", *order]} for one in told]
        named = {(one["other"], one["metric"], one["against"]) for one in facts if "other" in one}
        assert named == crossings(study, run, order) and {one["run"] for one in facts} == {run}
        assert all(CHECKS[one["kind"]](known, study) for one, known in zip(told, facts, strict=True))
        silent += not named
    assert silent < len(study.scores.runs)
