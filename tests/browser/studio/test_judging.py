"""The studio's view on labels and topics in a browser: pool, topics needed, a model's labels and a gate."""

from __future__ import annotations

from typing import Any

import diveval
from diveval.judging.planning import trace_power
from support.judged import quietly
from support.pages import settled
from support.studio_page import METRICS, go


def cells(page: Any, table: str) -> list[list[str]]:
    """The texts of a table's body."""
    rows: list[list[str]] = page.locator(f"#{table} tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return rows


def test_labels_and_topics(page: Any, collection: Any) -> None:
    """The pool and the topics needed come by themselves, a gate with a baseline, agreement with a model's labels."""
    given = collection["judgments"], collection["runs"], METRICS
    go(page, "judging")
    page.wait_for_selector("#figure-pool")
    audit = quietly(lambda: diveval.audit_pool(*given, weights=collection["weights"]))
    shown = {row[0]: row[4] for row in cells(page, "pool")}
    assert shown == {row.run: f"{row.effect:.4f}" for row in audit.rows if row.metric == METRICS[0]}
    scores = diveval.evaluate(*given, weights=collection["weights"])
    points = {(p.metric, p.topics): p.smallest for p in quietly(lambda: trace_power(scores))}
    for metric, row in zip(METRICS, cells(page, "topics-needed"), strict=True):
        assert row[1:] == [f"{points[metric, topics]:.4f}" for topics in (25, 50, 100, 200)]
    assert page.locator("#figure-gate").count() == 0

    base = scores.runs[0]
    page.fill("#margin", "0.5")
    page.select_option("#baseline", base)
    page.wait_for_selector("#figure-gate")
    outcomes = {row[0]: row[2] for row in cells(page, "gate") if row[1] == METRICS[0]}
    assert set(outcomes) == set(scores.runs) - {base}

    options: list[str] = page.locator("#model-labels option").evaluate_all("all => all.map((one) => one.value)")
    page.select_option("#model-labels", options[1])  # the judgments themselves: every label is the same
    page.wait_for_selector("#figure-labels")
    counts = [[int(cell) for cell in row[1:]] for row in cells(page, "labels")]
    assert sum(map(sum, counts)) > 0
    assert all(count == 0 for i, row in enumerate(counts) for j, count in enumerate(row) if i != j)
    settled(page)
    page.go_back()
    page.wait_for_selector("#figure-labels", state="detached")
    assert page.locator("#figure-gate").count() == 1
