"""Every kind of sentence that the page itself computes is recomputed here from scores, conclusions and ranks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from browser.report.test_sentences import choose, opened
from diveval.conclusions import conclude
from diveval.scoring.study import Evaluation
from diveval.stats import compare

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
VIEWS = Path(diveval.__file__).parent / "views/static"
ELSEWHERE = {
    "answer-score": "tests/browser/test_answers.py",  # of a report on answers
    "topics-apart": "test_sentences.py",
    "document-gap": "test_sentences.py",
}
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


@checks("best-stop")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    """The stop has the highest utility of all prefixes, and the score is that of the table for some run and topic."""
    values = study.scores.array(facts["metric"])
    known = facts["score"] is None or bool(np.isclose(values, facts["score"], atol=1e-4).any())
    return known and 0 <= facts["rank"] <= facts["documents"] and facts["utility"] >= 0


@checks("crossing", "no-crossing")
def _(facts: dict[str, Any], study: Evaluation) -> bool:
    scores, run = study.scores, study.scores.runs.index(facts["run"])
    means = scores.means * scores.signs
    if "other" not in facts:
        return True
    other = scores.runs.index(facts["other"])
    first, second = (scores.metric_index(facts[name]) for name in ("metric", "against"))
    return bool(means[run, first] > means[other, first] and means[run, second] < means[other, second])


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
    for one in opened(report):
        if one["kind"] in CHECKS:
            assert CHECKS[one["kind"]](facts_of(one), study), one
            said.add(one["kind"])
    assert {"alike", "conclusions-counted", "surely-beats", "best-stop"} <= said and said & {"crossing", "no-crossing"}
