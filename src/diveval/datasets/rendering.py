"""Lines of TREC files built as byte matrices: fifteen million of them take seconds, not minutes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def digits(numbers: NDArray[np.integer], width: int) -> Bytes:
    """Each number as `width` ASCII digits, one row a number."""
    powers = 10 ** np.arange(width - 1, -1, -1, dtype=np.int64)
    return (numbers[:, None].astype(np.int64) // powers % 10 + ord("0")).astype(np.uint8)


def run_lines(topic: str, documents: NDArray[np.bytes_], scores: NDArray[np.int32], tag: str) -> bytes:
    """Six columns, `topic Q0 document rank score tag`; scores are ten-thousandths between 10 and 100."""
    count = len(documents)
    names = documents[:, None].view(np.uint8)
    value = digits(scores, 6)
    blocks: list[bytes] = []
    width = 1
    # Ranks of one width share one line length, so each such block is a plain matrix.
    while (first := 10 ** (width - 1)) <= count:
        last = min(count, 10**width - 1)
        rows = slice(first - 1, last)
        ranks = digits(np.arange(first, last + 1), width)
        score: list[str | Bytes] = [value[rows, :2], ".", value[rows, 2:]]
        blocks.append(_matrix(len(ranks), [f"{topic} Q0 ", names[rows], " ", ranks, " ", *score, f" {tag}\n"]))
        width += 1
    return b"".join(blocks)


def qrels_lines(topic: str, documents: NDArray[np.bytes_], grades: NDArray[np.int8]) -> bytes:
    """Four columns, `topic aspect document grade`: every aspect of every document, grades of one digit."""
    count, aspects = grades.shape
    names = np.repeat(documents, aspects)[:, None].view(np.uint8)
    numbers = digits(np.tile(np.arange(1, aspects + 1), count), 1)
    grade = digits(grades.reshape(-1), 1)
    return _matrix(count * aspects, [f"{topic} ", numbers, " ", names, " ", grade, "\n"])


def _matrix(count: int, parts: list[str | Bytes]) -> bytes:
    """`count` lines of equal length, put together column by column."""
    columns = [np.frombuffer(p.encode("utf-8"), np.uint8) if isinstance(p, str) else p for p in parts]
    lines = np.empty((count, sum(column.shape[-1] for column in columns)), np.uint8)
    at = 0
    for column in columns:
        lines[:, at : at + column.shape[-1]] = column
        at += column.shape[-1]
    return lines.tobytes()
