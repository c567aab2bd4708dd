"""The test that the command line chooses decides in every view of the studio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import combinations
from typing import Any

import pytest

import diveval
from diveval.conclusions import conclude
from diveval.stats import compare
from diveval.stats.tests import Significance, describe_test
from diveval.studio.session import Studio
from support.studio_client import Client

RBU = "RBU(p=0.9,e=0.01)@20"


@pytest.mark.parametrize(
    "how",
    [Significance(), Significance(correction="none", confidence=0.8), Significance(test="sign", correction="none")],
    ids=lambda how: f"{how.test} {how.confidence}",
)
@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_one_test_in_every_view(
    files: dict[str, Any], client_of: Callable[[Studio], Client], how: Significance
) -> None:
    """Leaderboard, metrics, conclusions and the map of parameters name the pairs of `compare` with the same test."""
    client = client_of(Studio([files["judgments"], *files["runs"]], weights=files["weights"], how=how))
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    scores = diveval.evaluate(files["judgments"], files["runs"], [RBU], weights=files["weights"])
    compared = compare(scores, RBU, **asdict(how))
    answer = {frozenset((row.run, row.other)) for row in compared.rows if row.significant}
    names = client.get("/api/session").json()["collection"]["runs"]

    def ask(kind: str, **fields: Any) -> Any:
        return client.job("/api/jobs", {"kind": kind, **fields})["result"]

    own, shared = ask("leaderboard", metric=RBU), ask("judged", metrics=[RBU, "StRecall@20"])
    for column, test in ((own, own["test"]), (shared["leaderboard"]["columns"][0], shared["leaderboard"]["test"])):
        told = {
            frozenset((names[a], names[b]))
            for a, b in combinations(range(len(names)), 2)
            if b not in column["alike"][a]
        }
        assert told == answer and test["words"] == describe_test(compared.setup)
    found = ask("conclusions", metric=RBU, p=[0.8, 0.95], e=[0, 0.02])
    ranged = conclude(
        files["judgments"],
        files["runs"],
        "RBU(p=0.8..0.95,e=0..0.02)@20",
        weights=files["weights"],
        any_weights="given",
        significance=how,
    )
    last = [row for row in ranged.rows if row.doubt == ranged.last_doubt()]
    assert found["significant"] == sum(bool(row.significant) for row in last if row.verdict == "certain")
    assert ask("parameters", metric=RBU)["map"]["test"] == describe_test(compared.setup)
