"""The recorded values of RecTools, RecBole, recommenders and LensKit are reproduced."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from diveval import recommend
from support.late import late

pd = late("pandas")
# Seven of the recommended items have no history in the recorded data.
pytestmark = pytest.mark.filterwarnings("ignore:history:diveval.errors.DivevalWarning")

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "recommend" / "peers.json").read_text())
DATA, PEERS = RECORDED["data"], RECORDED["peers"]
GENRES = {int(item): own for item, own in DATA["genres"].items()}
DEPTHS = (1, 3, 5, 10)


def scores(*metrics: Any) -> Any:
    """Our values on the data given to the other libraries."""
    history, ratings = (
        pd.DataFrame(DATA[name], columns=["user_id", "item_id", "rating"]) for name in ("history", "ratings")
    )
    lists = pd.DataFrame(DATA["lists"], columns=["user_id", "item_id", "rank"])
    return recommend.evaluate(ratings, lists, list(metrics), aspects=GENRES, history=history)


def same(metric: Any, expected: Any, tolerance: float = 1e-12) -> Any:
    """Check that a metric equals a peer, per user or per run; returns the number of values compared."""
    ours = scores(metric)
    if isinstance(expected, float):
        assert not ours.counted.any()  # a value of the run has no users
        assert ours.mean()["run"][ours.metrics[0]] == pytest.approx(expected, rel=tolerance)
        return 1
    assert ours.per_topic("run") == pytest.approx(expected, rel=tolerance, abs=tolerance)
    return len(expected)


@pytest.mark.parametrize("peer", ["rectools", "recommenders"])
def test_values_under_the_same_definition(peer: str) -> None:
    """If a peer uses the same definition, every value per user and per run is the same."""
    count = sum(same(metric, expected) for metric, expected in PEERS[peer].items() if " " not in metric)
    assert count == {"rectools": 4 * (3 * 30 + 1), "recommenders": 4 * 31 + 3 * 30}[peer]


def test_recbole() -> None:
    """Coverage and Gini are the same; its entropy is in nats, divided by the number of recommended items."""
    for k in DEPTHS:
        same(f"CatalogueCoverage@{k}", PEERS["recbole"][f"CatalogueCoverage@{k}"])
        same(f"Gini@{k}", PEERS["recbole"][f"Gini@{k}"])
        ours = scores(f"Entropy@{k}", f"CatalogueCoverage@{k}").means[0]
        theirs = PEERS["recbole"][f"nats of Entropy over items@{k}"]
        assert ours[0] * math.log(2) / round(ours[1] * len(GENRES)) == pytest.approx(theirs, rel=1e-12)


def test_lenskit() -> None:
    """Gini is the same, exposure Gini within single precision; its entropy adds 1e-6 to each count."""
    for k in DEPTHS:
        same(f"Gini@{k}", PEERS["lenskit"][f"Gini@{k}"])
        same(f"ExposureGini(p=0.85)@{k}", PEERS["lenskit"][f"ExposureGini@{k}"], 1e-6)
        ours = scores(f"GenreEntropy@{k}").per_topic("run")
        assert ours == pytest.approx(PEERS["lenskit"][f"GenreEntropy, smoothed@{k}"], abs=2e-4)


def test_recommenders_where_it_differs() -> None:
    """Its coverage is over the items of the history, its novelty a mean over all recommendations."""
    items = len({item for _, item, _ in DATA["history"]})
    for k in DEPTHS:
        coverage = scores(f"CatalogueCoverage@{k}").means[0, 0] * len(GENRES) / items
        assert coverage == pytest.approx(PEERS["recommenders"][f"CatalogueCoverage of the history@{k}"], rel=1e-12)
        lists = [(user, item) for user, item, rank in DATA["lists"] if rank <= k]
        interactions = [item for _, item, _ in DATA["history"]]
        novelty = [-math.log2(interactions.count(i) / len(interactions)) for _, i in lists if i in interactions]
        theirs = PEERS["recommenders"][f"SelfInformation over lists@{k}"]
        # An item without interactions counts 0 there.
        assert sum(novelty) / len(lists) == pytest.approx(theirs, rel=1e-12)
        by_user = scores(f"SelfInformation@{k}").per_topic("run")
        for user, value in by_user.items():
            counts = [max(interactions.count(i), 1) for u, i in lists if str(u) == user]  # new items count as one
            own = [-math.log2(count / len(interactions)) for count in counts]
            assert value == pytest.approx(sum(own) / len(own), rel=1e-12)
