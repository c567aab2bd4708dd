"""Evaluation of RAG answers by nuggets, citations and rubrics: files in any track's format, metrics of any tool.

>>> from diveval.answers import evaluate
>>> evaluate(["nuggets.jsonl", "assignments.run_a.jsonl"], ["Coverage_vital", "nuggetizer.all"])  # doctest: +SKIP
"""

from diveval.answers.answer_collection import as_collection, contents
from diveval.answers.answer_metrics import entries, parse
from diveval.answers.evaluation import evaluate
from diveval.answers.gathering import gather
from diveval.answers.leaderboards import leaderboard_text, read_leaderboard
from diveval.answers.material import AnswerFiles, System
from diveval.answers.missed import MissedNuggets, find_missed
from diveval.answers.own_metrics import Utility
from diveval.answers.reading import read

__all__ = [
    "AnswerFiles",
    "MissedNuggets",
    "System",
    "Utility",
    "as_collection",
    "contents",
    "entries",
    "evaluate",
    "find_missed",
    "gather",
    "leaderboard_text",
    "parse",
    "read",
    "read_leaderboard",
]
