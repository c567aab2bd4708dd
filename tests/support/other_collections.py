"""Real collections in other tools' formats as rows, read by a few lines each, without diveval's readers.

Where a folder has one run or none, further runs are made from its judgments or its run: what sentences say of them is
checked, not how good they are.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

from support.plain_statements import Collection

Judgments = dict[tuple[str, str, str], float]
Lists = dict[str, list[str]]


def _lines(path: Path) -> list[list[str]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return [line.split() for line in text.splitlines() if line.strip()]


def _highest(rows: Iterable[tuple[str, str, str, float]]) -> Judgments:
    """The highest grade of each document of an aspect: passages of a document are judged one by one."""
    out: Judgments = {}
    for topic, aspect, document, grade in rows:
        out[topic, aspect, document] = max(grade, out.get((topic, aspect, document), grade))
    return out


def _by_score(rows: Iterable[list[str]], document: int, score: int) -> Lists:
    found: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        found.setdefault(row[0], []).append((row[document], float(row[score])))
    for listed in found.values():
        listed.sort(key=lambda one: one[0].encode(), reverse=True)
        listed.sort(key=lambda one: -one[1])
    return {topic: list(dict.fromkeys(name for name, _ in listed)) for topic, listed in found.items()}


def _collect(judgments: Judgments, runs: dict[str, Lists], shape: str) -> Collection:
    known = {topic for topic, _, _ in judgments}
    rows = {
        run: [(t, d, n, 100.0 - n) for t, listed in lists.items() if t in known for n, d in enumerate(listed[:20], 1)]
        for run, lists in runs.items()
    }
    return Collection([(*cell, grade) for cell, grade in judgments.items()], rows, shape)


def _variants(lists: Lists) -> dict[str, Lists]:
    """A run, the same lists from their end, and their first halves for every second topic."""
    halves = {topic: listed[: max(1, len(listed) // 2)] for topic, listed in list(lists.items())[::2]}
    return {"sample": lists, "reversed": {t: listed[::-1] for t, listed in lists.items()}, "halves": halves}


def dd2016(folder: Path) -> Collection:
    """Dynamic Domain 2016: topic, subtopic, document, passage, rating; a run in iterations."""
    rows = _lines(folder / "qrels.txt.gz")
    judgments = _highest((topic, subtopic, document, float(rating)) for topic, subtopic, document, *_, rating in rows)
    lists: Lists = {}
    for topic, _, document, *_ in _lines(folder / "sample.run"):
        if document not in lists.setdefault(topic, []):
            lists[topic].append(document)
    return _collect(judgments, _variants(lists), "dd2016")


def ntcir_example(folder: Path) -> Collection:
    """NTCIREVAL's example: grades L0 to L4; intent 0 lists documents that are relevant to nothing."""
    judgments = _highest((t, i, d, float(g[1:])) for t, i, d, g in _lines(folder / "Dtest.Dqrels"))
    return _collect(
        judgments, {n: _by_score(_lines(folder / n), 2, 4) for n in ("TRECRUN", "TRECRUN2")}, "ntcir-example"
    )


def gfr(folder: Path) -> Collection:
    """The FairWeb pilot: ad hoc grades L0 to L2, three runs."""
    judgments = _highest((t, "0", d, float(g[1:])) for t, d, g in _lines(folder / "fairweb1pilot.qrels"))
    return _collect(judgments, {p.name: _by_score(_lines(p), 2, 4) for p in sorted(folder.glob("run.*"))}, "gfr")


def trec_eval10(folder: Path) -> Collection:
    """trec_eval's own files: ad hoc judgments, a run, and one that lacks topics."""
    judgments = _highest((t, a, d, float(g)) for t, a, d, g in _lines(folder / "qrels.test"))
    runs = {name: _by_score(_lines(folder / name), 2, 4) for name in ("results.test", "results.trunc")}
    return _collect(judgments, runs, "trec_eval10")


def rag25(folder: Path) -> Collection:
    """Labels of people; the passages in the order of a model's labels, and in two other orders, are the runs."""
    judgments = _highest((t, a, d, float(g)) for t, a, d, g in _lines(folder / "qrels.rag25.test.txt.gz"))
    model = _by_score(_lines(folder / "qrels.rag25.test-umbrela2.txt.gz"), 2, 3)
    return _collect(judgments, _variants(model), "rag25")


OTHERS = {"dd2016": dd2016, "ntcir-example": ntcir_example, "gfr": gfr, "trec_eval10": trec_eval10, "rag25": rag25}
