"""The questions of a track about each run, and their answers in the metadata under `questionnaire`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

QUESTION_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
Questions = Sequence[tuple[str, str]]  # id, and the question with its choices: `Which GPU? | none | one | more`


def split_question(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its choices; without choices any answer is accepted."""
    question, *choices = (part.strip() for part in text.split("|"))
    return question, tuple(choices)


def find_answers(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The answers in metadata as text; YAML reads yes and no as true and false."""
    given = metadata.get("questionnaire")
    if not isinstance(given, Mapping):
        return {}
    words = {True: "yes", False: "no"}
    return {str(k): words[v] if isinstance(v, bool) else str(v).strip() for k, v in given.items() if v is not None}


def template_of(questions: Questions) -> str:
    """A file of metadata for participants to fill in."""
    lines = [
        "# Fill in the answers and send this file with your run: the name of the run, followed by .yml",
        "questionnaire:",
    ]
    for name, text in questions:
        question, choices = split_question(text)
        lines += [f"  # {question}", *([f"  # one of: {', '.join(choices)}"] if choices else []), f"  {name}:"]
    return "\n".join(lines) + "\n"
