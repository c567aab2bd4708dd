"""Cutting topics into blocks, runs into batches and work into processes never changes a bit of a score."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import as_metrics
from diveval.scoring import scorer as scoring
from diveval.scoring.blocks import plan_blocks
from diveval.scoring.scorer import Scorer, orders
from diveval.settings import Efforts, Options
from support import every_metric
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
# The search for the best list is slow; settings with less patience and more effort test the same and are fast.
SLOW = ("nRBU(p=0.99,e=0.05)", "nRBU(p=0.99,e=0.05)@20", "nRBU(p=0.99,e=0.05)@5")
NAMES = [
    name
    for name in every_metric.names()
    if not name.startswith("cwl.") and name not in SLOW and "ideal=exact" not in name and "ideal=best" not in name
]
OWN = [name for name in NAMES if "." not in name.split("(")[0] and not name.startswith("Judged")]
few_examples = settings(max_examples=times(1, 3), deadline=None)  # each over all metrics


def collection(seed: int, topics: int) -> tuple[Judgments, list[Run]]:
    """Topics of very different sizes, some without relevance or missing in a run; ties, rounds, repeated passages."""
    rng = np.random.default_rng(seed)
    rows, weights = [], {}
    for t in range(topics):
        for a in range(int(rng.integers(1, 12))):
            weights[str(t), f"a{a}"] = float(rng.random()) + 0.01
            for d in rng.permutation(40)[: int(rng.integers(1, 30))]:
                grade = 0 if t % 6 == 5 else int(rng.integers(-1, 4))
                rows += [(str(t), f"a{a}", f"d{d:02}", grade)] * int(1 + (rng.random() < 0.1))
    runs = []
    for name in ("plain", "rounds"):
        lists = {}
        for t in range(topics):
            size = int(rng.integers(0, 50))
            rounds = np.sort(rng.choice([0, 1, 3], size)) if name == "rounds" else None
            scores = np.floor(rng.random(size) * 20)
            lists[str(t)] = TopicRun([f"d{i:02}" for i in rng.permutation(60)[:size]], scores, None, rounds)
        lacking = {str(t) for t in range(topics) if rng.random() < 0.15 and t}
        runs.append(Run(name, {t: listed for t, listed in lists.items() if t not in lacking}))
    given = weights if rng.random() < 0.5 else None
    return Judgments.from_rows(rows, repeats=True, weights=given), runs


def values(judgments: Judgments, runs: list[Run], names: list[str], options: Options) -> np.ndarray:
    """Values by run, metric and topic."""
    return evaluate(judgments, runs, names, options=options).values


@pytest.mark.slow
@few_examples
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 10), most=st.integers(1, 9), cells=st.integers(1, 20_000))
def test_blocks_change_no_bit_of_any_metric(seed: int, topics: int, most: int, cells: int) -> None:
    """Every metric gives the same bits with one block, several, or one per topic, with and without document costs.

    Without the patch, such small collections are cut into one block per shape of topic.
    """
    judgments, runs = collection(seed, topics)
    costs = Efforts({f"d{i:02}": 0.5 + i / 40 for i in range(0, 60, 2)}) if seed % 2 else None
    options = Options(efforts=costs)
    complete = values(judgments, runs, NAMES, options)
    for topics_at_most, cells_at_most in ((most, cells), (1, 1)):
        with patch.object(scoring, "plan_blocks", partial(plan_blocks, topics=topics_at_most, cells=cells_at_most)):
            np.testing.assert_array_equal(values(judgments, runs, NAMES, options), complete)


@pytest.mark.slow
@few_examples
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9), some=st.sets(st.integers(0, 8), min_size=1))
def test_a_topic_scores_the_same_alone(seed: int, topics: int, some: set[int]) -> None:
    """Evaluating only some topics, with the same highest grade, gives the same bits."""
    judgments, runs = collection(seed, topics)
    chosen = [str(t) for t in sorted(some) if t < topics] or ["0"]
    options = Options.of(gmax=3)
    complete = evaluate(judgments, runs, NAMES, options=options)
    part = Judgments({t: judgments.topics[t] for t in chosen})
    listed = [Run(run.name, {t: v for t, v in run.topics.items() if t in chosen}) for run in runs]
    listed = [run for run in listed if run.topics]
    if listed:
        again = evaluate(part, listed, NAMES, options=options)
        places = [complete.topics.index(t) for t in again.topics]
        rows = [complete.runs.index(name) for name in again.runs]
        np.testing.assert_array_equal(again.values, complete.values[np.ix_(rows, range(len(NAMES)), places)])


@pytest.mark.slow
@few_examples
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9))
def test_batches_of_runs_change_no_bit(seed: int, topics: int) -> None:
    """Runs score the same all at once or one at a time through a scorer that caches ideal lists."""
    judgments, runs = collection(seed, topics)
    metrics, options = as_metrics(NAMES), Options()
    ranked = {order: [rank(judgments, run, order) for run in runs] for order in orders(metrics, options)}
    together = Scorer(judgments, metrics, options).score(ranked).values
    one = Scorer(judgments, metrics, options)
    for r in range(len(runs)):
        alone = one.score({order: [listed[r]] for order, listed in ranked.items()}).values
        np.testing.assert_array_equal(alone[0], together[r])


@pytest.mark.slow
@few_examples
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9))
def test_blocks_change_no_bit_of_a_residual(seed: int, topics: int) -> None:
    """Residuals, which are cut by the length of lists, do not depend on the blocks."""
    from diveval.scoring import scorer as scoring

    judgments, runs = collection(seed, topics)
    complete = evaluate(judgments, runs, OWN, residuals=True)
    with patch.object(scoring, "plan_blocks", partial(plan_blocks, topics=2, cells=1000)):
        np.testing.assert_array_equal(evaluate(judgments, runs, OWN, residuals=True).values, complete.values)


def _in_a_process(seed: int, run: int) -> np.ndarray:
    judgments, runs = collection(seed, 4)
    return values(judgments, [runs[run]], NAMES, Options())


@pytest.mark.slow
def test_processes_change_no_bit() -> None:
    """Runs score the same in separate processes."""
    judgments, runs = collection(4, 4)
    complete = values(judgments, runs, NAMES, Options())
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        parts = list(pool.map(partial(_in_a_process, 4), range(len(runs))))
    np.testing.assert_array_equal(np.concatenate(parts), complete)
