"""Any way of cutting topics into blocks, runs into batches and work into processes gives the same bits."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval import evaluate, scoring
from diveval.blocks import cut
from diveval.judgments import Judgments
from diveval.metrics import as_metrics
from diveval.options import Efforts, Options
from diveval.rankings import rank
from diveval.runs import Run, TopicRun
from diveval.scoring import Scorer, orders
from support import every_metric
from support.shared import times

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
# Searches for the best list are long; less patience and more effort make them short, and say the same about cuts.
SLOW = ("nRBU(p=0.99,e=0.05)", "nRBU(p=0.99,e=0.05)@20", "nRBU(p=0.99,e=0.05)@5")
NAMES = [
    name
    for name in every_metric.names()
    if not name.startswith("cwl.") and name not in SLOW and "ideal=exact" not in name and "ideal=best" not in name
]
OWN = [name for name in NAMES if "." not in name.split("(")[0] and not name.startswith("Judged")]
rarely = settings(max_examples=times(1, 3), deadline=None)  # each over all metrics


def collection(seed: int, topics: int) -> tuple[Judgments, list[Run]]:
    """Topics of very different sizes, some without relevance, some that a run lacks; ties, rounds, repeated passages."""
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
@rarely
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 10), most=st.integers(1, 9), cells=st.integers(1, 20_000))
def test_blocks_change_no_bit_of_any_metric(seed: int, topics: int, most: int, cells: int) -> None:
    """Every metric in every setting, with and without costs of documents: one block, several, one per topic.

    Collections as small as these are one block per shape of topic by themselves.
    """
    judgments, runs = collection(seed, topics)
    costs = Efforts({f"d{i:02}": 0.5 + i / 40 for i in range(0, 60, 2)}) if seed % 2 else None
    options = Options(efforts=costs)
    whole = values(judgments, runs, NAMES, options)
    for topics_at_most, cells_at_most in ((most, cells), (1, 1)):
        with patch.object(scoring, "cut", partial(cut, topics=topics_at_most, cells=cells_at_most)):
            np.testing.assert_array_equal(values(judgments, runs, NAMES, options), whole)


@pytest.mark.slow
@rarely
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9), some=st.sets(st.integers(0, 8), min_size=1))
def test_a_topic_scores_the_same_alone(seed: int, topics: int, some: set[int]) -> None:
    """Judgments and runs of some topics only, with the whole collection's highest grade."""
    judgments, runs = collection(seed, topics)
    chosen = [str(t) for t in sorted(some) if t < topics] or ["0"]
    options = Options.of(gmax=3)
    whole = evaluate(judgments, runs, NAMES, options=options)
    part = Judgments({t: judgments.topics[t] for t in chosen})
    listed = [Run(run.name, {t: v for t, v in run.topics.items() if t in chosen}) for run in runs]
    listed = [run for run in listed if run.topics]
    if listed:
        again = evaluate(part, listed, NAMES, options=options)
        places = [whole.topics.index(t) for t in again.topics]
        rows = [whole.runs.index(name) for name in again.runs]
        np.testing.assert_array_equal(again.values, whole.values[np.ix_(rows, range(len(NAMES)), places)])


@pytest.mark.slow
@rarely
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9))
def test_batches_of_runs_change_no_bit(seed: int, topics: int) -> None:
    """All runs at once, or one after the other through one scorer that keeps the ideal lists."""
    judgments, runs = collection(seed, topics)
    metrics, options = as_metrics(NAMES), Options()
    ranked = {order: [rank(judgments, run, order) for run in runs] for order in orders(metrics, options)}
    together = Scorer(judgments, metrics, options).score(ranked).values
    one = Scorer(judgments, metrics, options)
    for r in range(len(runs)):
        alone = one.score({order: [listed[r]] for order, listed in ranked.items()}).values
        np.testing.assert_array_equal(alone[0], together[r])


@pytest.mark.slow
@rarely
@given(seed=st.integers(0, 10**6), topics=st.integers(1, 9))
def test_blocks_change_no_bit_of_a_residual(seed: int, topics: int) -> None:
    """Residuals are cut by the length of lists, and that changes nothing either."""
    from diveval import scoring

    judgments, runs = collection(seed, topics)
    whole = evaluate(judgments, runs, OWN, residuals=True)
    with patch.object(scoring, "cut", partial(cut, topics=2, cells=1000)):
        np.testing.assert_array_equal(evaluate(judgments, runs, OWN, residuals=True).values, whole.values)


def _in_a_process(seed: int, run: int) -> np.ndarray:
    judgments, runs = collection(seed, 4)
    return values(judgments, [runs[run]], NAMES, Options())


@pytest.mark.slow
def test_processes_change_no_bit() -> None:
    """Each run in a process of its own."""
    judgments, runs = collection(4, 4)
    whole = values(judgments, runs, NAMES, Options())
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        parts = list(pool.map(partial(_in_a_process, 4), range(len(runs))))
    np.testing.assert_array_equal(np.concatenate(parts), whole)
