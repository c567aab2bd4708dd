"""Labels and importances of answers that can be read and yet may mean something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from diveval.answers.material import AnswerFiles, System
from diveval.collection.joins import Match
from diveval.collection.spellings import warn_about_alike
from diveval.errors import InputError, count_of, preview, quote, warn
from diveval.reading.judge_labels import IMPORTANCE, importance_weight, is_failed, support_grade


def warn_about_labels(material: AnswerFiles) -> None:
    """Warn about ids that are alike, and about nuggets without an importance beside others."""
    lines = [line for system in material.systems.values() for line in system.lines]
    labelled = [query for system in material.systems.values() for query in (*system.labelled, *system.support)]
    warn_about_alike("systems", material.systems)
    warn_about_alike("queries", [*material.bank, *(line.query for line in lines), *labelled])
    by_query: dict[str, dict[str, None]] = {}
    for query, nuggets in [*material.bank.items(), *((line.query, line.nuggets) for line in lines)]:
        by_query.setdefault(query, {}).update(dict.fromkeys(nugget.text for nugget in nuggets))
    for query, texts in by_query.items():
        warn_about_alike("nuggets", texts, f"query {query}")
    listed = [nugget.importance for nuggets in material.bank.values() for nugget in nuggets]
    bare = sum(importance is None for importance in listed)
    if 0 < bare < len(listed):
        warn(
            "missing-weights",
            f"{material.bank_source}: {bare:,} of {count_of(len(listed), 'nugget')} without an importance: they weigh 1 and"
            " are not vital",
        )


def require_labels(name: str, system: System) -> None:
    """Raise an error for a system whose every label is unknown: its score would be 0."""
    labels = [label for line in system.lines for label in line.labels]
    labels += [label for sentences in system.labelled.values() for one in sentences for label in one.labels.values()]
    if not labels or any(support_grade(label) is not None or is_failed(label) for label in labels):
        return
    words = [f"{quote(str(word))} ({number}×)" for word, number in Counter(map(str, labels)).most_common()]
    raise InputError(
        "unknown-label",
        f"{name}: all {count_of(len(labels), 'label')} are unknown: {preview(words)}",
        source=system.source,
    )


def warn_about_exact_reading(name: str, system: System, tools: Sequence[str]) -> None:
    """Warn about labels and importances that we know, but other tools read as no label or no importance."""
    lowers = all(tool == "ragdoll" for tool in tools)
    labels, importances = Counter[str](), Counter[str]()
    for line in system.lines:
        for nugget, label in zip(line.nuggets, line.labels, strict=True):
            told = str(label).strip().lower() if lowers else label
            if support_grade(label) and told not in ("support", "partial_support"):
                labels[quote(str(label))] += 1
            importance = nugget.importance
            if importance is not None and importance_weight(importance) and importance not in IMPORTANCE:
                importances[quote(str(importance))] += 1
    for what, words in (("labels", labels), ("importances", importances)):
        if words:
            shown = preview([f"{word} ({number}×)" for word, number in words.most_common()])
            warn(
                "ambiguous-label",
                f"{name}: {words.total():,} {what} count under diveval's names, and not under those of {preview(tools)},"
                f" which read words exactly: {shown}",
            )


def warn_about_uncited(material: AnswerFiles, name: str, system: System, labelled: Sequence[str]) -> None:
    """Warn about answers of a system that are given, but of whose citations no system has a label."""
    bare = [query for query in system.texts if query not in labelled]
    if system.texts:
        total = len(system.texts)
        material.note(Match(name, "answers with labels of citations", total - len(bare), total))
    if bare:
        number = count_of(len(bare), "answer", "answers")
        warn("missing-labels", f"{name}: {number} of {len(system.texts)} without labels of citations ({preview(bare)})")
