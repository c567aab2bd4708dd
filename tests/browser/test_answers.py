"""The report on RAG answers in a real browser: sentences with their nuggets, and hostile texts as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from diveval.cli import main

NUGGETS = [
    {
        "qid": "<b>q</b>",
        "nuggets": [
            {"text": "<img src=x onerror=alert(1)>", "importance": "vital"},
            {"text": "two", "importance": "okay"},
        ],
    }
]
LABELS = [
    {"qid": "<b>q</b>", "run_id": run, "sentences": sentences}
    for run, sentences in (
        (
            "one",
            [
                {"text": "First <script>alert(1)</script>.", "tokens": 4, "nuggets": {"0": "partial_support"}},
                {"text": "Second.", "tokens": 4, "nuggets": {"0": "support", "1": "support"}},
                {"text": "Third, long.", "tokens": 300, "nuggets": {"0": "support"}},
            ],
        ),
        ("two", [{"text": "Nothing.", "tokens": 5, "nuggets": {}}]),
    )
]


def test_missed_nuggets_are_a_table(watched: Any, tmp_path: Path) -> None:
    """The nuggets that systems miss, with their texts as text; both are missed by the second system only."""
    for name, records in (("nuggets.jsonl", NUGGETS), ("labels.jsonl", LABELS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)))
    page_file = tmp_path / "r.html"
    assert main(["report", str(tmp_path / "nuggets.jsonl"), str(tmp_path / "labels.jsonl"), "-o", str(page_file)]) == 0
    page = watched.open(page_file.as_uri())
    page.wait_for_selector("#missed tbody tr")
    cells = [
        [c.inner_text() for c in row.query_selector_all("td, th")]
        for row in page.query_selector_all("#missed tbody tr")
    ]
    assert [row[1:4] for row in cells] == [
        ["<img src=x onerror=alert(1)>", "vital", "1 of 2"],
        ["two", "okay", "1 of 2"],
    ]


def test_an_answer_is_shown_sentence_by_sentence(watched: Any, tmp_path: Path) -> None:
    """Each sentence shows its new, better and repeated nuggets, and the answer is marked where it should have ended."""
    for name, records in (("nuggets.jsonl", NUGGETS), ("labels.jsonl", LABELS)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)))
    page_file = tmp_path / "r.html"
    assert main(["report", str(tmp_path / "nuggets.jsonl"), str(tmp_path / "labels.jsonl"), "-o", str(page_file)]) == 0
    page = watched.open(page_file.as_uri())
    page.wait_for_selector("#answers table.answer tr")
    rows = page.query_selector_all("#answers .panel[data-run=one] table.answer tr")
    assert [row.query_selector(".sentence p").inner_text() for row in rows] == [
        "First <script>alert(1)</script>.",
        "Second.",
        "Third, long.",
    ]
    kinds = [[chip.get_attribute("class").split()[1] for chip in row.query_selector_all(".nugget")] for row in rows]
    assert kinds == [["new"], ["better", "new"], ["again"]]
    assert [row.get_attribute("class") for row in rows] == [None, "ends", "past"]
    assert "2 of 3" in page.inner_text("#answers .panel[data-run=one] .sum")
    assert page.query_selector("#answers .panel[data-run=two] .nugget.nothing")
    assert not page.query_selector("#inspector")
