"""What a file of labels holds, counted as RAGDoll counts it: labels by word, failed criteria by type."""

from __future__ import annotations

from collections import Counter

from diveval.answers.counting import trimmed, verdict
from diveval.answers.store import Material
from diveval.reading.labels import FAILED

LABELS = ("support", "partial_support", "not_support")
TYPES = ("explicit", "implicit", "synthesis", "references", "communication", "instruction")


def label_distribution(material: Material) -> dict[str, int]:
    """How often each label was given, over all lines of all systems; `fail` is `failed`, any unknown word `other`."""
    found: Counter[str] = Counter()
    for system in material.systems.values():
        for line in system.lines:
            for label in line.labels:
                word = trimmed(label)
                found["failed" if word in FAILED else word if word in LABELS else "other"] += 1
    return {label: found[label] for label in (*LABELS, "failed", "other")}


def failures_by_type(material: Material) -> dict[str, tuple[int, int]]:
    """(criteria, criteria not fully met) of each type."""
    found = dict.fromkeys(TYPES, (0, 0))
    for system in material.systems.values():
        for graded in system.graded:
            for criterion in graded.criteria:
                total, failed = found.get(criterion.type, (0, 0))
                found[criterion.type] = (total + 1, failed + (verdict(criterion) < 1.0))
    return found
