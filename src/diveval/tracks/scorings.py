"""A scoring of a track: all standing submissions against one state of the judgments, all metrics at once."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from diveval import __version__
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.errors import DivevalError, InputError, UsageError, capture_warnings, preview, warn
from diveval.metrics.names import as_metrics
from diveval.reading import read_efforts, read_run
from diveval.reading.source import Source, compression
from diveval.results.scores import MEAN, Scores
from diveval.scoring.evaluate import load_judgments, score_runs
from diveval.setting_table import SETTINGS
from diveval.settings import Options
from diveval.tracks import disk
from diveval.tracks.config import Config
from diveval.tracks.disk import UNDECIDED, TrackError
from diveval.tracks.folder import JUDGMENT_FILES, Track, explain_undecided
from diveval.tracks.record import Event, State, Submission, expecting
from diveval.tracks.submission_verdicts import repair
from diveval.validation.rules import Findings, json_bytes
from diveval.validation.unpacking import text_of

UNKNOWN = "0" * 16  # the fingerprint of records that were written without one


@dataclass(frozen=True)
class Truth:
    """The judgments of one `judged` event, with the options to score with."""

    judgments: Judgments
    options: Options
    held_back: frozenset[str]

    @property
    def open_topics(self) -> list[str]:
        return [topic for topic in self.judgments.topics if topic not in self.held_back]


@dataclass(frozen=True)
class ScoredRuns:
    """The scores of the submissions that could be scored, and why the others could not."""

    scores: Scores | None
    failed: Mapping[str, str]

    def csv(self) -> bytes:
        empty = "run,metric,topic,value\n"
        return (empty if self.scores is None else self.scores.to_csv()).encode()


def options_table(config: Config) -> dict[str, Any]:
    """The options of `[scoring]` as plain values, which exported bundles carry."""
    chosen = {setting.name: config.get(f"scoring.{setting.name}") for setting in SETTINGS if setting.tracks}
    return {**chosen, "duplicates": None if config["submission.duplicates"] == "reject" else "first"}


def options_of(config: Config, **more: Any) -> Options:
    """The options of `[scoring]`."""
    return Options.of(**options_table(config), run_format=config["submission.format"], **more)


def truth_of(track: Track, event: Event, config: Config) -> Truth:
    """The judgments a `judged` event names."""
    paths = {kind: track.find_judgments(event, kind) for kind in JUDGMENT_FILES}
    if paths["qrels"] is None:
        raise UsageError("missing-key", "data.qrels is empty in track.toml: there is nothing to score with")
    efforts = read_efforts(paths["efforts"]) if paths["efforts"] else None
    options = options_of(config, efforts=efforts)
    judgments = load_judgments(paths["qrels"], options, paths["weights"])
    hiding = paths["held_back"]
    held_back = read_held_back(hiding.read_bytes(), str(hiding)) if hiding else frozenset()
    for what, topics in (("judgments", judgments.topics), ("held-back topics", held_back)):
        unknown = [topic for topic in topics if topic not in track.topics]
        if unknown:
            message = f"the {what} name topics that are not the track's: {preview(unknown)}"
            raise InputError("unknown-topic", message, source=str(track.path(config["data.topics"])))
    return Truth(judgments, options, held_back)


def read_held_back(data: bytes, source: str) -> frozenset[str]:
    """The topics that a file holds back, one id per line."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        hint = "save it in UTF-8, one topic id per line"
        raise InputError("not-utf8", f"byte {error.start + 1} is not UTF-8", hint=hint, source=source) from None
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def compute(track: Track, truth: Truth, config: Config, submissions: Sequence[Submission]) -> ScoredRuns:
    """Score submissions; one that fails does not stop the others."""
    metrics = as_metrics(config.metrics)
    failed: dict[str, str] = {}
    runs: dict[str, Source | Run] = {}

    @contextmanager
    def alone(name: str) -> Iterator[None]:
        try:
            yield
        except DivevalError as error:
            failed[name] = str(error).replace(f"{track.path('store')}/", "")

    def score(chosen: dict[str, Source | Run]) -> Scores:
        return score_runs(truth.judgments, list(chosen.values()), metrics, truth.options)

    with capture_warnings():  # warnings about a run are findings of its verdict already
        for submission in submissions:
            with alone(submission.id):
                runs[submission.id] = locate_run(track, submission, config)
        try:
            parts = [score(runs)] if runs else []
        except DivevalError:
            parts = []
            for name, run in runs.items():
                with alone(name):
                    parts.append(score({name: run}))
    if not parts:
        return ScoredRuns(None, failed)
    scores = Scores.joined(parts)
    for name, means in scores.mean().items():
        infinite = [metric for metric, mean in means.items() if not np.isfinite(mean)]
        if infinite:
            failed[name] = f"{infinite[0]} is not a finite number"
    kept = [name for name in scores.runs if name not in failed]
    return ScoredRuns(scores.select(runs=kept) if kept else None, failed)


def locate_run(track: Track, submission: Submission, config: Config) -> Source | Run:
    """A submission as scoring reads it: the stored file if it is a plain run, else the run unpacked from it."""
    info = track.info(submission)
    data = track.read_stored(info)
    packed = compression(data[:6]) is not None or data[257:262] == b"ustar"
    if not packed and not config["submission.placeholder"]:
        return replace(Source.of(track.path(f"store/{info.sha256}")), label=submission.id)
    return run_of(data, config, submission.id)


def run_of(data: bytes, config: Config, name: str) -> Run:
    """The run in submitted bytes: unpacked, and with an empty list for a topic with only the placeholder."""
    text = text_of(data, Findings(config.admission()))
    if text is None:
        raise InputError("broken-compression", "cannot be unpacked", source=name)
    run = read_run(Source.from_bytes(text, name), format=config["submission.format"], name=name)
    placeholder = config["submission.placeholder"]
    if not placeholder:
        return run
    nothing = TopicRun((), np.empty(0), np.empty(0, dtype=np.int64))
    topics = {t: nothing if list(topic.documents) == [placeholder] else topic for t, topic in run.topics.items()}
    return replace(run, topics=topics)


def read_scores(data: bytes, source: str) -> Scores | None:
    """The table of a `scores.csv`; None where nothing was scored."""
    values: dict[tuple[str, str, str], float] = {}
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"))))
        if rows[0] != ["run", "metric", "topic", "value"]:
            raise ValueError("header")
        for run, metric, topic, value in rows[1:]:
            if topic != MEAN:
                values[run, metric, topic] = float(value)
    except (ValueError, IndexError, csv.Error):
        raise InputError("wrong-header", "expected lines of run,metric,topic,value", source=source) from None
    if not values:
        return None
    runs, metrics, topics = (list(dict.fromkeys(key[i] for key in values)) for i in range(3))
    table = np.array([[[values.get((r, m, t), np.nan) for t in topics] for m in metrics] for r in runs])
    counted = ~np.isnan(table)
    return Scores.of(np.where(counted, table, 0.0), runs=runs, metrics=metrics, topics=topics, counted=counted)


# --- the command ------------------------------------------------------------------------------------------------------


def score(track: Track, *, wait: float = 30.0) -> tuple[Event | None, Mapping[str, str], list[str]]:
    """A new scoring if anything changed since the last one; missing files are written again in any case.

    Returns the event, the submissions that failed with the reasons, and what was repaired.
    """
    track.require_decided()
    with track.writing(wait):
        done = repair(track)
        state = track.state
        judged = track.judged
        fingerprint, changed = fingerprint_of(track, state)
        if changed:
            raise explain_undecided(
                "a metric gives other values than at the last scoring under the same name", "config"
            )
        done += rebuild(track, state)
        if state.scored and not state.changed:
            return None, {}, done
        truth = truth_of(track, judged, track.config)
        _warn_of_missing(track, truth)
        scoring = compute(track, truth, track.config, state.standing())
        event = _record(track, state, scoring, fingerprint, judged)
    return event, scoring.failed, done


def fingerprint_of(track: Track, state: State) -> tuple[str, bool]:
    """The fingerprint of the metrics, and whether it differs from the last one recorded for these rules of scoring."""
    rules = track.config.section("scoring")
    recorded = [event["probe"] for event in state.scored if event["scoring_rules"] == rules]
    expected = state.sums.get("metrics", recorded[-1] if recorded else UNKNOWN)
    fingerprint = probe(track.config.metrics, options_of(track.config))
    return fingerprint, expected not in (UNKNOWN, fingerprint)


def probe(metrics: Sequence[str], options: Options) -> str:
    """A fingerprint of the metrics: 16 hex digits over their values on a small built-in collection. It shows a changed
    metric even if the version of diveval is the same.

    Values are taken to 12 significant digits, since the last bits differ between processors and versions of numpy.
    """
    judgments, runs = _probe_collection()
    digest = hashlib.sha256()
    with capture_warnings():
        scores = score_runs(judgments, runs, as_metrics(list(metrics)), options)
    for r in range(len(scores.runs)):
        for m, metric in enumerate(scores.metrics):
            digest.update(metric.encode() + b"\0")
            for value, counted in zip(scores.values[r, m], scores.counted[r, m], strict=True):
                digest.update(f"{value:.11e} {int(counted)}\n".encode())
    return digest.hexdigest()[:16]


def _probe_collection() -> tuple[Judgments, list[Run]]:
    """Six topics with one to four weighted aspects, grades 0 to 3, and three runs, one of which lacks a topic."""
    draws = np.random.Generator(np.random.MT19937(20180708))
    rows, weights = [], {}
    for t in range(1, 7):
        for a in range(1, 2 + t % 4):
            weights[str(t), str(a)] = float(a)
            for d in range(1, 13):
                rows.append((str(t), str(a), f"d{d:02d}", float(int(draws.random() * 4))))
    runs = []
    for name, topics in (("x", range(1, 7)), ("y", range(1, 7)), ("z", range(1, 6))):
        listed = []
        for t in topics:
            order = sorted(range(1, 19), key=lambda _: draws.random())
            listed += [(str(t), f"d{d:02d}", 18.0 - place) for place, d in enumerate(order)]
        runs.append(Run.from_rows(listed, name=name))
    return Judgments.from_rows(rows).with_weights(weights), runs


def _warn_of_missing(track: Track, truth: Truth) -> None:
    config = track.config
    if config["submission.missing_topics"] == "reject" or config["scoring.missing_topics"] not in ("zero", "skip"):
        return
    metric = as_metrics([config.official])[0]
    if metric([[0.0]] * 10, pool=[[1.0]]) < 0:
        warn(
            "missing-topics-rewarded",
            f"runs may lack topics, and {metric.name} can be negative: with scoring.missing_topics ="
            f" {config['scoring.missing_topics']!r} a run can gain by leaving out a topic; `worst` prevents that",
        )


def _record(track: Track, state: State, scoring: ScoredRuns, fingerprint: str, judged: Event) -> Event:
    name = state.next_scoring
    _write(track, name, scoring)
    versions = {"diveval": __version__, "numpy": np.__version__, "python": platform.python_version()}
    return track.add(
        "scored",
        scoring=name,
        judged=judged["seq"],
        scoring_rules=track.config.section("scoring"),
        submissions=[] if scoring.scores is None else list(scoring.scores.runs),
        failed=sorted(scoring.failed),
        scores=track.secret.sum("scores", scoring.csv()),
        versions=versions,
        probe=fingerprint,
        teams=track.secret.sum("teams", track.read("teams.toml")),
    )


def _write(track: Track, name: str, scoring: ScoredRuns) -> None:
    if scoring.failed:
        disk.write(track.path(f"scores/{name}/failed.json"), json_bytes(dict(sorted(scoring.failed.items()))))
    disk.write(track.path(f"scores/{name}/scores.csv"), scoring.csv())


def recompute(track: Track, event: Event) -> ScoredRuns:
    """A scoring of the record, computed again from stored runs and judgments."""
    config, state = track.config_at(event["seq"]), track.state_before(event["seq"])
    truth = truth_of(track, track.record.events[event["judged"]], config)
    chosen = [state.submissions[name] for name in sorted([*event["submissions"], *event["failed"]])]
    return compute(track, truth, config, chosen)


def find_lost(track: Track, state: State, event: Event) -> list[str]:
    """The erased submissions because of which a scoring whose file is missing cannot be computed again."""
    if track.path(f"scores/{event['scoring']}/scores.csv").exists():
        return []
    return [name for name in (*event["submissions"], *event["failed"]) if state.submissions[name].erased]


def rebuild(track: Track, state: State) -> list[str]:
    """Write deleted scores again; refused where they differ from the recorded ones."""
    done = []
    for event in state.scored:
        name = event["scoring"]
        if track.path(f"scores/{name}/scores.csv").exists():
            continue
        if erased := find_lost(track, state, event):
            done.append(f"{name}: its scores are missing and cannot be computed again: {preview(erased)} was erased")
            continue
        scoring = recompute(track, event)
        if track.secret.sum("scores", scoring.csv()) != event["scores"]:
            versions = ", ".join(f"{what} {version}" for what, version in sorted(event["versions"].items()))
            message = f"{name} differs from the recorded scores, which were computed with {versions}"
            raise UsageError("differs-from-record", message, hint="restore its scores.csv from a copy")
        _write(track, name, scoring)
        done.append(f"{name}: its scores were written again")
    return done


def scores_of(track: Track, event: Event) -> Scores | None:
    """The scores of a scoring, from its file, or computed again if it is missing."""
    name = f"scores/{event['scoring']}/scores.csv"
    data = track.read(name) if track.path(name).exists() else recompute(track, event).csv()
    if track.secret.sum("scores", data) != event["scores"]:
        raise TrackError(
            "differs-from-record",
            f"{name} differs from the record",
            hint="delete it and run `diveval track score`",
            exit_code=UNDECIDED,
        )
    scores = read_scores(data, name)
    runs, metrics = ((), ()) if scores is None else (scores.runs, scores.metrics)
    lacking = set(track.config_at(event["seq"]).metrics).difference(metrics) if runs else ()
    if lacking or set(runs) != set(event["submissions"]):
        raise InputError(
            "differs-from-record", "has other runs or metrics than the record", source=str(track.path(name))
        )
    return scores


def failures_of(track: Track, event: Event) -> dict[str, str]:
    """Why submissions could not be scored."""
    if not event["failed"]:
        return {}
    path = track.path(f"scores/{event['scoring']}/failed.json")
    if path.exists():
        with expecting("a list of failures", str(path)):
            return {str(name): str(why) for name, why in json.loads(path.read_bytes()).items()}
    return dict(recompute(track, event).failed)


def preview_scores(track: Track, names: Sequence[str]) -> tuple[Scores | None, Mapping[str, str]]:
    """Scores of a few submissions, not recorded; before the judgments are released only on open topics."""
    track.require_decided()
    truth = truth_of(track, track.judged, track.config)
    chosen = [track.find(name) for name in names]
    unfit = [submission.id for submission in chosen if not submission.accepted]
    if unfit:
        raise UsageError("submission-not-accepted", f"{preview(unfit)}: only accepted submissions can be scored")
    scoring = compute(track, truth, track.config, chosen)
    scores, topics = scoring.scores, truth.open_topics
    if scores is not None and track.hides(track.judged):
        scores = scores.select(topics=topics) if topics else None
    return scores, scoring.failed
