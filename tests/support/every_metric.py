"""A fixed small collection and every metric in several settings, whose values are stored in `values.csv`.

The values were written when `tests/real` and `tests/peers` agreed with all other tools, with each run scored alone.
`python tests/support/every_metric.py` writes the files again; run it only when a value is meant to change.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import entries
from diveval.metrics.metric import Entry

FOLDER = Path(__file__).parents[1] / "unit" / "metrics"
VALUES, CATALOGUE = FOLDER / "values.csv", FOLDER / "catalogue.csv"
OTHER = {
    "p": 0.6,
    "alpha": 0.3,
    "beta": 0.7,
    "e": 0.125,
    "lam": 0.2,
    "theta": 0.55,
    "coverage": 0.5,
    "limit": 0.75,
    "level": 2,
    "top": 4,
    "base": 3,
    "tau": 2,
    "T": 2.5,
    "depth": 3,
    "recall": 0.25,
    "recalls": "0;.5",
    "multiple": 1.5,
    "worth": "2;-1;-.5;.25",
    "collection": 100,
    "gains": "1:3;2:.5;0:-1",
}


def judgments(unit: float = 1) -> Judgments:
    """Two topics of three aspects: grades −1 to 3, repeated passages of a document, an aspect without relevant documents."""
    rng = np.random.default_rng(11)
    rows = []
    for topic in ("1", "2"):
        for aspect in ("a", "b", "c"):
            for document in rng.permutation(24)[:13]:
                grade = 0 if (topic, aspect) == ("2", "c") else rng.integers(-1, 4)
                rows.append((topic, aspect, f"d{document:02}", int(grade)))
        rows += [(topic, "a", row[2], int(rng.integers(0, 4))) for row in rows[-9:-5]]
    return Judgments.from_rows(
        [(t, a, d, max(grade, 0) * unit if unit != 1 else grade) for t, a, d, grade in rows], repeats=True
    )


WEIGHTS = {("1", "a"): 0.5, ("1", "b"): 0.2, ("1", "c"): 0.2, ("2", "a"): 0.3, ("2", "b"): 0.6, ("2", "c"): 0.1}


def runs() -> list[Run]:
    """A long list with ties and unjudged documents, a short one, and one in rounds of unequal size with a gap."""
    rng = np.random.default_rng(12)
    listed = {
        name: {topic: [f"d{i:02}" for i in rng.permutation(40)[:length]] for topic, length in lengths.items()}
        for name, lengths in (("long", {"1": 38, "2": 31}), ("short", {"1": 4, "2": 7}), ("rounds", {"1": 17, "2": 12}))
    }
    out = [
        Run(name, {t: TopicRun(d, np.floor(np.arange(len(d))[::-1] / 2), None) for t, d in listed[name].items()})
        for name in ("long", "short")
    ]
    rounds = {
        t: TopicRun(d, rng.random(len(d)).round(3), None, np.sort(rng.choice([0, 1, 3, 4], len(d))))
        for t, d in listed["rounds"].items()
    }
    return [*out, Run("rounds", rounds, format="dynamic-domain")]


def settings(entry: Entry) -> list[str]:
    """The metric with its defaults, at three cutoffs where it takes one, and with each parameter changed alone."""
    depths = {True: (None, 1, 5, 20), False: (None,), "needed": (1, 5, 20)}[entry.cutoffs]
    out = [entry.metric({}, depth).name for depth in depths]
    middle = None if entry.cutoffs is False else 5
    for parameter in entry.parameters:
        for value in parameter.choices or (OTHER[parameter.name],):
            out.append(entry.metric({parameter.name: value}, middle).name)
    return list(dict.fromkeys(out))


def names() -> list[str]:
    """Every setting of every metric."""
    return [name for entry in entries().values() if not entry.needs_groups for name in settings(entry)]


def values(several: list[Run], requested: list[str]) -> dict[str, list[float]]:
    """Values by metric, ordered by run and topic."""
    out: dict[str, list[float]] = {}
    for unit in (1, 0.25):  # cwl_eval needs gains between 0 and 1
        some = [name for name in requested if name.startswith("cwl.") == (unit != 1)]
        if some:
            scores = evaluate(judgments(unit), several, some, weights=WEIGHTS).values
            out |= {name: scores[:, m].ravel().tolist() for m, name in enumerate(some)}
    return out


def declared(entry: Entry) -> list[str]:
    """The properties of an entry and the rules of its settings, without the wording of its meaning."""
    parameters = "; ".join(
        f"{p.name}={p.default!r} in {p.range}{' named' if p.in_name is True else '' if p.in_name is False else '?'}"
        for p in entry.parameters
    )
    depth = 5 if entry.cutoffs or "." in entry.name else None
    metrics = [entry.metric({p.name: c}, depth) for p in entry.parameters for c in p.choices] or [
        entry.metric({}, depth)
    ]
    rules = "; ".join(dict.fromkeys(f"{metric.rule} {metric.order}" for metric in metrics))
    cut = f"{entry.cutoffs!r} {entry.cutoff_mark}"
    kind = "diversity" if entry.diversity else "ad hoc"
    stated = [cut, kind, entry.mean_over, rules, entry.formula, entry.reference]
    return [entry.name, " ".join(entry.aliases), parameters, *stated]


def write() -> None:
    alone = [values([run], names()) for run in runs()]
    with VALUES.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        for name in names():
            table.writerow([name, *(f"{value:.12g}" for one in alone for value in one[name])])
    with CATALOGUE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(declared(entry) for entry in entries().values())


if __name__ == "__main__":
    write()
