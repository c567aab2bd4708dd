"""Feedback while a track is open: a rounded score that is reported only when it beats the best one reported before.

A. Blum, M. Hardt. The Ladder: A Reliable Leaderboard for Machine Learning Competitions. ICML 2015.
"""

from __future__ import annotations

import json
from decimal import ROUND_HALF_EVEN, Decimal

from diveval.tracks import disk
from diveval.tracks.folder import Track
from diveval.tracks.record import Writer
from diveval.tracks.scoring import compute, truth_of
from diveval.tracks.states import State
from diveval.tracks.sums import canonical


def report(track: Track, writer: Writer, submission: str) -> str | None:
    """The best score told to the team, on topics that are not held back; None before there is any."""
    state, config = State.of(writer.record), track.config
    given = state.submissions[submission]
    path = track.path(f"private/feedback/{given.team}.json")
    told: list[dict[str, str]] = json.loads(path.read_bytes()) if path.exists() else []
    best = told[-1]["value"] if told else None
    if state.judged is None or given.late or len(told) >= config["feedback.max_reports"]:
        return best
    truth = truth_of(track, state.judged, config)
    scoring = compute(track, truth, config, [given])
    if scoring.scores is None or not truth.open_topics:
        return best
    mean = float(scoring.scores.select(topics=truth.open_topics, metrics=[config.official]).means[0, 0])
    step = Decimal(repr(config["feedback.step"]))
    value = (Decimal(repr(mean)) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step
    sign = 1 if config["scoring.best"] == "high" else -1
    if best is not None and sign * (value - Decimal(best)) < step:
        return best
    told.append({"submission": submission, "value": str(value)})
    disk.write(path, canonical(told) + b"\n", mode=0o600)
    writer.add("feedback", submission=submission, sum=track.secret.sum("feedback", str(value).encode()))
    track.record = writer.record
    return str(value)
