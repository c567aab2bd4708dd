"""Repeated answers of one system: the mean over its trials, and the noise between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from diveval.errors import count_of, preview, warn
from diveval.results.scores import Scores


def average_trials(scores: Scores, trials: Mapping[str, str]) -> Scores:
    """One row per system: a query's value is the mean over the trials that have it, and for which it counts.

    Args:
        scores: the scores of all trials.
        trials: run → the system that it is a trial of; other runs stay as they are.
    """
    systems: dict[str, list[int]] = {}
    for r, run in enumerate(scores.runs):
        systems.setdefault(trials.get(run, run), []).append(r)
    lacking = np.zeros((len(scores.runs), len(scores.topics)), dtype=bool) if scores.missing is None else scores.missing
    values, counted, whole, missing = [], [], [], []
    noise: dict[str, dict[str, float]] = {}
    notes = list(scores.notes)
    for system, rows in systems.items():
        nowhere = lacking[rows].all(axis=0)
        used = scores.counted[rows] & (nowhere | ~lacking[rows])[:, np.newaxis]
        counts = used.sum(axis=0)
        total = np.where(used, scores.values[rows], 0.0).sum(axis=0)
        values.append(np.divide(total, counts, out=np.zeros_like(total), where=counts > 0))
        counted.append(counts > 0)
        whole.append(np.full(len(scores.metrics), np.nan) if scores.whole is None else scores.whole[rows].mean(axis=0))
        missing.append(nowhere)
        if any(scores.runs[r] in trials for r in rows):
            _warn_about_missing(scores, system, lacking[rows])
        if len(rows) > 1:
            noise[system] = _noise_between(scores, rows, used)
            listed = ", ".join(f"{name} {value:.4f}" for name, value in noise[system].items())
            spread = f"; standard deviation of the mean between trials: {listed}" if listed else ""
            notes.append(f"{system}: mean of {count_of(len(rows), 'trial')}{spread}")
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


def _noise_between(scores: Scores, rows: list[int], used: NDArray[np.bool_]) -> dict[str, float]:
    """The standard deviation of the trials' means over the queries that all of them have."""
    out = {}
    means = scores.means[rows]
    for m, name in enumerate(scores.metrics):
        shared = used[:, m].all(axis=0)
        own = scores.values[rows, m][:, shared]
        if used[:, m].any() and not shared.all() and not (used[:, m] == used[:1, m]).all():
            if not shared.any():
                continue
            out[name] = float(own.mean(axis=1).std(ddof=1))
        else:
            out[name] = float(means[:, m].std(ddof=1))
    return out


def _warn_about_missing(scores: Scores, system: str, lacking: NDArray[np.bool_]) -> None:
    """Warn about queries that no trial of a system has, or only some."""
    for some, rule in (
        (lacking.all(axis=0), "left out of its mean" if scores.setup.missing_topics == "skip" else "scored 0"),
        (lacking.any(axis=0) & ~lacking.all(axis=0), "the mean of the trials that have them"),
    ):
        queries = [topic for topic, is_one in zip(scores.topics, np.atleast_1d(some), strict=True) if is_one]
        if queries:
            where = "no trial" if rule != "the mean of the trials that have them" else "some of the trials only"
            what = count_of(len(queries), "query", "queries")
            warn("missing-topics", f"{system}: {what} of {len(scores.topics)} in {where} ({preview(queries)}): {rule}")
