"""An EvalAI challenge, checked against what EvalAI's own validator accepts and refuses, and a worker for it."""

from __future__ import annotations

from html import escape
from typing import Any

from diveval import __version__
from diveval.errors import quote
from diveval.tracks.exports import bundles
from diveval.tracks.exports.bundles import HELD_BACK, OPEN, Checked, labels, platform_time, value_of, yaml_text
from diveval.tracks.folder import Track
from diveval.tracks.kit import pack, unpack

NO_LIMIT = 100_000  # EvalAI's own default
HOSTS, OWNERS = 1, 2  # who sees the scores of a split
_PAGES = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")


def evalai(track: Track, held_back: bool) -> dict[str, bytes]:
    """The challenge, and the worker that evaluates it where diveval can be installed."""
    files, rules = bundles.reference(track, held_back=held_back)
    script = {
        "__init__.py": b"from .main import evaluate  # what the worker calls\n",
        "main.py": bundles.program("evalai.py"),
    }
    config = track.config
    pages = {
        "description": f"<p>{escape(config['track.title'])}</p>",
        "evaluation_details": f"<p>Official metric: {escape(config.official)}. Scored with diveval {__version__}.</p>",
        "terms": f"<p>{escape(bundles.terms_page(track))}</p>",
        "guidelines": f"<p>{escape(bundles.task_page(track))}</p>",
        "phase": "<p>Runs are accepted until the end of this phase.</p>",
    }
    bundle = {
        "challenge_config.yaml": yaml_text(_challenge(track, list(rules["splits"]))).encode(),
        "logo.png": bundles.logo(),
        **{f"templates/{name}.html": text.encode() for name, text in pages.items()},
        "evaluation_script.zip": pack(script),
        "annotations/test.zip": pack(files),
    }
    data = pack(bundle)
    check_evalai(data)
    return {
        "evalai.zip": data,
        "worker.py": bundles.program("evalai_worker.py"),
        "evaluate.py": script["main.py"],
        "requirements.txt": bundles.requirements(),
    }


def _challenge(track: Track, splits: list[str]) -> dict[str, Any]:
    config, names = track.config, labels(track)
    starts, ends = platform_time(config["dates.opens"]), platform_time(track.config.closing)
    last = config.get("dates.releases") or track.config.closing
    official, descending = config.label(config.official), config["scoring.best"] == "high"
    most, daily = config["submission.max_runs_per_team"] or NO_LIMIT, config["submission.max_per_day"]
    about = {
        name: {
            "sort_ascending": name == official and not descending,
            "description": "Official metric" if name == official else "Further metric",
        }
        for name in names
    }
    schema = {"labels": names, "default_order_by": official, "metadata": about}
    titles = {OPEN: "Topics with feedback", HELD_BACK: "Held-back topics"}
    phase = {
        "id": 1,
        "name": "Submission",
        "codename": "main",
        "description": "templates/phase.html",
        "start_date": starts,
        "end_date": ends,
        "test_annotation_file": "annotations/test.zip",
        "is_public": True,
        "leaderboard_public": False,
        "is_submission_public": False,
        "disable_logs": True,
        "max_submissions_per_day": daily or most,
        "max_submissions_per_month": most,
        "max_submissions": most,
        "max_concurrent_submissions_allowed": 1,
        "allowed_submission_file_types": ".txt, .gz, .run",
    }
    return {
        "title": config["track.title"],
        "short_description": f"Organised with diveval {__version__}.",
        "description": "templates/description.html",
        "evaluation_details": "templates/evaluation_details.html",
        "terms_and_conditions": "templates/terms.html",
        "submission_guidelines": "templates/guidelines.html",
        "image": "logo.png",
        "leaderboard_description": "A preview; the leaderboard of record is on the track's site.",
        "evaluation_script": "evaluation_script.zip",
        "remote_evaluation": config["export.evalai.remote"],
        "start_date": starts,
        "end_date": platform_time(max(last, track.config.closing)),
        "published": False,
        "anonymous_leaderboard": True,
        "tags": ["information retrieval", "diversity"],
        "leaderboard": [{"id": 1, "schema": schema}],
        "challenge_phases": [phase],
        "dataset_splits": [{"id": i, "name": titles[split], "codename": split} for i, split in enumerate(splits, 1)],
        "challenge_phase_splits": [
            {
                "challenge_phase_id": 1,
                "leaderboard_id": 1,
                "dataset_split_id": i,
                "visibility": OWNERS if split == OPEN and config["feedback.mode"] != "none" else HOSTS,
                "leaderboard_decimal_precision": config["scoring.digits"],
                "is_leaderboard_order_descending": descending,
            }
            for i, split in enumerate(splits, 1)
        ],
    }


def check_evalai(archive: bytes) -> None:
    """Refuse a challenge that EvalAI's validator or worker would not take."""
    bundle = Checked("EvalAI", unpack(archive))
    found = bundle.yaml(bundle.files.get("challenge_config.yaml"), "challenge_config.yaml")
    bundle.text(found, "the challenge", "title", most=100)
    bundle.file(found, "the challenge", *_PAGES, ending=".html")
    bundle.file(found, "the challenge", "evaluation_script", ending=".zip")
    data = bundle.files.get(str(found.get("evaluation_script")))
    if data is not None:
        bundle.need("__init__.py" in unpack(data), "the evaluation script has __init__.py at its root")
    start, end = bundle.time(found, "start_date", "the challenge"), bundle.time(found, "end_date", "the challenge")
    bundle.need(not (start and end) or start <= end, "the challenge ends after it starts")
    bundle.need(len(found.get("tags") or []) <= 4, "at most 4 tags")
    _evalai_boards(bundle, found)
    for phase in bundle.rows(found, "challenge_phases"):
        bundle.whole(phase, "a phase", "id")
        bundle.text(phase, "a phase", "name", "codename")
        bundle.file(phase, "a phase", "description", ending=".html")
        first, last = bundle.time(phase, "start_date", "a phase"), bundle.time(phase, "end_date", "a phase")
        bundle.need(not (first and last) or first <= last, "a phase ends after it starts")
    for split in bundle.rows(found, "dataset_splits"):
        bundle.whole(split, "a split", "id")
        bundle.text(split, "a split", "name", "codename")
    _evalai_phase_splits(bundle, found)
    bundle.finish()


def _evalai_boards(bundle: Checked, found: dict[str, Any]) -> None:
    for board in bundle.rows(found, "leaderboard"):
        bundle.whole(board, "a leaderboard", "id")
        schema = value_of(board, "schema")
        names = bundle.rows(schema, "labels", "a leaderboard")
        order = value_of(schema, "default_order_by")
        bundle.need(order in names, f"default_order_by is one of the labels, got {quote(order)}")


def _evalai_phase_splits(bundle: Checked, found: dict[str, Any]) -> None:
    ids = {
        key: {row.get("id") for row in found.get(table) or [] if isinstance(row, dict)}
        for key, table in (
            ("challenge_phase_id", "challenge_phases"),
            ("leaderboard_id", "leaderboard"),
            ("dataset_split_id", "dataset_splits"),
        )
    }
    for row in bundle.rows(found, "challenge_phase_splits"):
        for key, known in ids.items():
            bundle.need(row.get(key) in known, f"{key} of a phase split is an id of this challenge")
        bundle.need(row.get("visibility") in (1, 2, 3), "visibility of a phase split is 1, 2 or 3")
        bundle.whole(row, "a phase split", "leaderboard_decimal_precision")
        descending = row.get("is_leaderboard_order_descending")
        bundle.need(isinstance(descending, bool), "a phase split needs is_leaderboard_order_descending")
