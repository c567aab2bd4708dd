"""What a platform needs to validate and score a run: the kit, judgments of some topics, and the rules of scoring."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import UsageError
from diveval.reading.lines import numbered_lines
from diveval.tracks.config import MOST_LABEL
from diveval.tracks.errors import UndecidedError
from diveval.tracks.folder import Track
from diveval.tracks.grading import RULES
from diveval.tracks.kit import kit
from diveval.tracks.scoring import Truth, options_table, truth_of
from diveval.validation import json_bytes

OPEN, HELD_BACK = "open", "held_back"
BY_LINES = ("trec", "ntcir", "evall")  # formats whose lines begin with their topic


def platform_time(moment: datetime.datetime) -> str:
    """UTC without an offset: platforms drop an offset, and read a time without one as UTC."""
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def closing(track: Track) -> datetime.datetime:
    """The last moment at which a submission is in time."""
    closes: datetime.datetime = track.config["dates.closes"]
    return closes + datetime.timedelta(minutes=track.config["dates.grace_minutes"])


def labels(track: Track) -> list[str]:
    """The names of the metrics on a platform, in the order of the configuration."""
    found = [track.config.label(metric) for metric in track.config.metrics]
    for label in found:
        if len(label) > MOST_LABEL or ":" in label or not label.isprintable():
            raise UsageError(
                f"the metric {label} needs a short name for platforms, at most {MOST_LABEL} characters without a"
                " colon: give it one in [scoring.labels]"
            )
    return found


def need_image(track: Track, platform: str) -> str:
    """The container image; without one a platform would take an old Python."""
    image = str(track.config["export.image"])
    if not image:
        raise UsageError(
            f"export.image is empty in track.toml: {platform} needs an image with Python 3.10 or newer and"
            f" diveval[track]=={__version__}"
        )
    return image


def reference(track: Track, *, held_back: bool, qrels: str = "qrels.txt") -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of a reference folder, and the rules in them. Only topics that are open, unless asked otherwise."""
    judged = track.state.judged
    if judged is None:
        raise UndecidedError("no judgments are recorded: `diveval track decide judged --reason TEXT` is due")
    truth = truth_of(track, judged, track.config)
    closed = [] if track.released else sorted(truth.held_back & set(truth.judgments.topics))
    splits = {OPEN: [topic for topic in truth.judgments.topics if topic not in closed]}
    if held_back and closed:
        splits[HELD_BACK] = closed
    if not splits[OPEN]:
        raise UsageError("every judged topic is held back until release: there is nothing to score with on a platform")
    shown = {topic for topics in splits.values() for topic in topics}
    rules = {
        "diveval": __version__,
        "qrels": qrels,
        "metrics": track.config.metrics,
        "labels": labels(track),
        "options": options_table(track.config) | {"gmax": truth.gmax(track.config)},
        "splits": splits,
    }
    files = {RULES: json_bytes(rules), "kit.zip": kit(track), qrels: _qrels(track, judged, truth, shown)}
    weights, efforts = track.judged_path(judged, "weights"), track.judged_path(judged, "efforts")
    if weights:
        files["weights.txt"] = _kept_lines(weights, shown)
    if efforts:
        files["efforts.txt"] = efforts.read_bytes()
    return files, rules


def _qrels(track: Track, judged: dict[str, Any], truth: Truth, topics: Collection[str]) -> bytes:
    path = track.judged_path(judged, "qrels")
    assert path is not None
    if set(topics) == set(truth.judgments.topics):
        return path.read_bytes()
    if truth.judgments.format not in BY_LINES:
        raise UsageError(
            f"judgments in the format {truth.judgments.format} cannot be divided by topics; convert them to trec with"
            " `diveval convert qrels`, and decide judged again"
        )
    return _kept_lines(path, topics)


def _kept_lines(path: Path, topics: Collection[str]) -> bytes:
    """The lines of some topics, as they are."""
    kept = [line for _, line in numbered_lines(path) if _topic(line) in topics]
    return "".join(f"{line}\n" for line in kept).encode()


def _topic(line: str) -> str:
    first = line.split("\t", 1)[0] if line.startswith('"') else line.split(maxsplit=1)[0]
    return first.strip().strip('"')
