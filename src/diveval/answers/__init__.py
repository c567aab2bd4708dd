"""Answers of RAG systems, scored by nuggets, citations and rubrics: files in any track's format, metrics of any tool.

>>> from diveval.answers import evaluate
>>> evaluate(["nuggets.jsonl", "assignments.run_a.jsonl"], ["Coverage_vital", "nuggetizer.all"])  # doctest: +SKIP
"""

from diveval.answers.answer_metrics import entries, parse
from diveval.answers.collection import contents
from diveval.answers.judged import Utility
from diveval.answers.leaderboards import leaderboard_text, read_leaderboard
from diveval.answers.reading import gather, read
from diveval.answers.scoring import evaluate
from diveval.answers.store import Material, System

__all__ = [
    "Material",
    "System",
    "Utility",
    "contents",
    "entries",
    "evaluate",
    "gather",
    "leaderboard_text",
    "parse",
    "read",
    "read_leaderboard",
]
