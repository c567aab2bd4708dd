"""Repeated answers of one system: the mean over its trials, and the noise between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from diveval.errors import count_of
from diveval.results.scores import Scores


def average_trials(scores: Scores, trials: Mapping[str, str]) -> Scores:
    """One row per system: a query's value is the mean over the trials for which it counts.

    Args:
        scores: the scores of all trials.
        trials: run → the system that it is a trial of; other runs stay as they are.
    """
    systems: dict[str, list[int]] = {}
    for r, run in enumerate(scores.runs):
        systems.setdefault(trials.get(run, run), []).append(r)
    means, values, counted, whole, missing = scores.means, [], [], [], []
    noise: dict[str, dict[str, float]] = {}
    notes = list(scores.notes)
    for system, rows in systems.items():
        counts = scores.counted[rows].sum(axis=0)
        total = np.where(scores.counted[rows], scores.values[rows], 0.0).sum(axis=0)
        values.append(np.divide(total, counts, out=np.zeros_like(total), where=counts > 0))
        counted.append(counts > 0)
        whole.append(np.full(len(scores.metrics), np.nan) if scores.whole is None else scores.whole[rows].mean(axis=0))
        missing.append(
            np.zeros(len(scores.topics), dtype=bool) if scores.missing is None else scores.missing[rows].all(axis=0)
        )
        if len(rows) > 1:
            spread = means[rows].std(axis=0, ddof=1).tolist()
            noise[system] = dict(zip(scores.metrics, spread, strict=True))
            listed = ", ".join(f"{name} {value:.4f}" for name, value in noise[system].items())
            notes.append(
                f"{system}: mean of {count_of(len(rows), 'trial')}; standard deviation of the mean between trials: {listed}"
            )
    return Scores.of(
        np.array(values),
        runs=list(systems),
        metrics=scores.metrics,
        topics=scores.topics,
        counted=np.array(counted),
        notes=notes,
        whole=None if scores.whole is None else np.array(whole),
        missing=None if scores.missing is None else np.array(missing),
        best=scores.best,
        setup=replace(
            scores.setup,
            trials={system: len(rows) for system, rows in systems.items() if system in noise},
            trial_noise=noise,
        ),
    )
