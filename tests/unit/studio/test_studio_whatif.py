"""What-if: an edited list scores as if the system had returned it."""

from __future__ import annotations

from typing import Any

import pytest

from diveval import evaluate, read_run
from diveval.studio.session import Studio
from support.wording import says

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "P@5", "AP"]


def lists(path: Any) -> dict[str, list[str]]:
    """A run's documents by topic, in its order."""
    run = read_run(path)
    from diveval.runs import OrderRule

    return {topic: [listed.documents[i] for i in listed.order(OrderRule())] for topic, listed in run.topics.items()}


def means(files: dict[str, Any], edited: dict[str, list[str]]) -> dict[str, float]:
    scores = evaluate(files["judgments"], {"edited": edited}, METRICS, weights=files["weights"], order="file")
    return scores.mean()["edited"]


def test_a_cut_list_scores_as_a_short_one(loaded: Any, files: Any) -> None:
    """After a cut every metric says what it says of the first documents."""
    path = files["runs"][0]
    result = loaded.job(
        "/api/jobs", {"kind": "whatif", "edit": "cut", "run": path.stem, "depth": 4, "metrics": METRICS}
    )["result"]
    expected = means(files, {topic: documents[:4] for topic, documents in lists(path).items()})
    found = result["runs"][0]["metrics"]
    assert {name: row["after"] for name, row in found.items()} == pytest.approx(expected, abs=1e-12)
    assert {name: row["before"] for name, row in found.items()} == pytest.approx(means(files, lists(path)), abs=1e-12)
    assert result["removed"] == sum(max(0, len(documents) - 4) for documents in lists(path).values())
    assert all(row["rose"] + row["fell"] + row["same"] == 6 for row in found.values())


def test_swapped_tops_score_as_the_joined_lists(loaded: Any, files: Any) -> None:
    """Each system gets the other's first documents before its own rest, each document once."""
    a, b = files["runs"][0], files["runs"][3]
    body = {"kind": "whatif", "edit": "swap", "run": a.stem, "other": b.stem, "depth": 3, "metrics": METRICS}
    result = loaded.job("/api/jobs", body)["result"]
    one, two = lists(a), lists(b)
    joined = {topic: list(dict.fromkeys([*two[topic][:3], *one[topic][3:]])) for topic in one}
    assert [row["run"] for row in result["runs"]] == [a.stem, b.stem]
    found = {name: row["after"] for name, row in result["runs"][0]["metrics"].items()}
    assert found == pytest.approx(means(files, joined), abs=1e-12)


def test_repeated_documents_go(small_files: Any, client_of: Any) -> None:
    """The second d1 of topic 1 goes, and what stood below moves up."""
    client = client_of(Studio(small_files))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "blank"}})
    body = {"kind": "whatif", "edit": "repeated", "run": "one", "metrics": ["AP"], "options": {"duplicates": "blank"}}
    result = client.job("/api/jobs", body)["result"]
    assert result["removed"] == 1
    row = result["runs"][0]["metrics"]["AP"]
    # Topic 1: relevant at ranks 1, 3, 5, then at 1, 2, 4. Topic 2: at rank 2 of two relevant ones.
    assert row["before"] == pytest.approx(((1 + 2 / 3 + 3 / 5) / 3 + 0.25) / 2)
    assert row["after"] == pytest.approx(((1 + 2 / 2 + 3 / 4) / 3 + 0.25) / 2)


def test_redundant_documents_go(small_files: Any, client_of: Any) -> None:
    """d2 says of aspect a no more than d1 above it; d3 is the first on aspect b, dx is judged by nobody: both stay."""
    client = client_of(Studio(small_files))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})
    body = {
        "kind": "whatif",
        "edit": "redundant",
        "run": "one",
        "metrics": ["RR_IA"],
        "options": {"duplicates": "first"},
    }
    result = client.job("/api/jobs", body)["result"]
    assert result["removed"] == 1
    row = result["runs"][0]["metrics"]["RR_IA"]
    assert (row["rose"], row["fell"], row["same"]) == (1, 0, 1)
    assert row["after"] - row["before"] == pytest.approx((0.5 * (1 / 3 - 1 / 4)) / 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"edit": "melt", "run": "perfect"}, "edit is one of"),
        ({"edit": "cut", "run": "perfect", "depth": -1}, "depth is a whole number"),
        ({"edit": "swap", "run": "perfect", "other": "perfect"}, "two different runs"),
        ({"edit": "swap", "run": "perfect"}, "other is a text"),
        ({"edit": "cut", "run": "nobody"}, "no run is called"),
    ],
)
def test_edits_that_cannot_be_are_refused(loaded: Any, body: Any, said: str) -> None:
    """One clear line: at once where a field is wrong, as the job's error where the collection decides."""
    asked = {"kind": "whatif", "metrics": ["P@5"], **body}
    answer = loaded.post("/api/jobs", asked)
    error = answer.json()["error"] if answer.status_code == 400 else loaded.job("/api/jobs", asked)["error"]
    assert says(said, error) and "\n" not in error
