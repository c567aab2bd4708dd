"""An EvalAI challenge, checked against what EvalAI's own validator accepts and refuses, and a worker for it."""

from __future__ import annotations

from html import escape
from typing import Any

from diveval import __version__
from diveval.tracks.exports import programs
from diveval.tracks.exports.checks import check_evalai
from diveval.tracks.exports.plain_yaml import dump
from diveval.tracks.exports.reference import HELD_BACK, OPEN, closing, labels, platform_time, reference
from diveval.tracks.folder import Track
from diveval.tracks.packing import logo, pack

NO_LIMIT = 100_000  # EvalAI's own default
HOSTS, OWNERS = 1, 2  # who sees the scores of a split


def evalai(track: Track, held_back: bool) -> dict[str, bytes]:
    """The challenge, and the worker that evaluates it where diveval can be installed."""
    files, rules = reference(track, held_back=held_back)
    script = {
        "__init__.py": b"from .main import evaluate  # what the worker calls\n",
        "main.py": programs.text("evalai.py"),
    }
    config = track.config
    pages = {
        "description": f"<p>{escape(config['track.title'])}</p>",
        "evaluation_details": f"<p>Official metric: {escape(config.official)}. Scored with diveval {__version__}.</p>",
        "terms": f"<p>{escape(programs.terms_page(track))}</p>",
        "guidelines": f"<p>{escape(programs.task_page(track))}</p>",
        "phase": "<p>Runs are accepted until the end of this phase.</p>",
    }
    bundle = {
        "challenge_config.yaml": dump(_challenge(track, list(rules["splits"]))).encode(),
        "logo.png": logo(),
        **{f"templates/{name}.html": text.encode() for name, text in pages.items()},
        "evaluation_script.zip": pack(script),
        "annotations/test.zip": pack(files),
    }
    data = pack(bundle)
    check_evalai(data)
    return {
        "evalai.zip": data,
        "worker.py": programs.text("evalai_worker.py"),
        "evaluate.py": script["main.py"],
        "requirements.txt": programs.requirements(),
    }


def _challenge(track: Track, splits: list[str]) -> dict[str, Any]:
    config, names = track.config, labels(track)
    starts, ends = platform_time(config["dates.opens"]), platform_time(closing(track))
    last = config.get("dates.releases") or closing(track)
    official, descending = config.label(config.official), config["scoring.best"] == "high"
    most, daily = config["submission.max_runs_per_team"] or NO_LIMIT, config["submission.max_per_day"]
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
        "end_date": platform_time(max(last, closing(track))),
        "published": False,
        "anonymous_leaderboard": True,
        "tags": ["information retrieval", "diversity"],
        "leaderboard": [
            {
                "id": 1,
                "schema": {
                    "labels": names,
                    "default_order_by": official,
                    "metadata": {
                        name: {
                            "sort_ascending": name == official and not descending,
                            "description": "Official metric" if name == official else "Further metric",
                        }
                        for name in names
                    },
                },
            }
        ],
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
