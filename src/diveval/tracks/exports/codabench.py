"""A Codabench bundle (schema version 2), checked against what Codabench's own unpacker accepts and refuses."""

from __future__ import annotations

import re
from typing import Any

from diveval import __version__
from diveval.errors import UsageError
from diveval.tracks.exports import programs
from diveval.tracks.exports.checks import check_codabench
from diveval.tracks.exports.plain_yaml import dump
from diveval.tracks.exports.reference import closing, labels, need_image, platform_time, reference
from diveval.tracks.folder import Track
from diveval.tracks.packing import logo, pack
from diveval.validation import json_bytes

TIME_LIMIT = 600  # seconds of a scoring


def column_keys(names: list[str]) -> list[str]:
    """Keys of columns: letters, digits and underscores, at most 36 characters, each once."""
    keys: list[str] = []
    for name in names:
        key = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:32] or "metric"
        number = sum(other == key or other.startswith(f"{key}_") for other in keys)
        keys.append(f"{key}_{number + 1}" if key in keys else key)
    return keys


def codabench(track: Track, held_back: bool) -> dict[str, bytes]:
    """The bundle and nothing else; held-back judgments never go to Codabench, whose workers participants share."""
    if held_back:
        raise UsageError("Codabench cannot hide judgments from its workers: --with-held-back is for evalai and tira")
    image, files = need_image(track, "Codabench"), reference(track, held_back=False)[0]
    names = labels(track)
    files["columns.json"] = json_bytes(column_keys(names))
    program = {
        "metadata.yaml": dump(
            {
                "command": "python3 /app/program/score.py /app/input /app/output",
                "description": f"Validates and scores one run with diveval {__version__}",
            }
        ).encode(),
        "score.py": programs.text("codabench.py"),
        "requirements.txt": programs.requirements(),
    }
    title = track.config["track.title"]
    bundle = {
        "competition.yaml": dump(_competition(track, image, names)).encode(),
        "logo.png": logo(),
        "pages/task.md": programs.task_page(track).encode(),
        "pages/terms.md": programs.terms_page(track).encode(),
        "scoring_program.zip": pack(program),
        "reference_data.zip": pack(files),
    }
    data = pack(bundle)
    check_codabench(data)
    return {"codabench.zip": data, "README.txt": _readme(title).encode()}


def _competition(track: Track, image: str, names: list[str]) -> dict[str, Any]:
    config = track.config
    sorting = "desc" if config["scoring.best"] == "high" else "asc"
    official = config.label(config.official)
    ordered = sorted(range(len(names)), key=lambda i: (names[i] != official, i))
    keys = column_keys(names)
    columns = [
        {
            "index": place,
            "key": keys[i],
            "title": names[i],
            "sorting": sorting if names[i] == official else "desc",
            "precision": config["scoring.digits"],
            "hidden": False,
        }
        for place, i in enumerate(ordered)
    ]
    limit = config["submission.max_runs_per_team"]
    phase = {
        "index": 0,
        "name": "Submission",
        "description": "Runs are accepted until the end of this phase.",
        "start": platform_time(config["dates.opens"]),
        "end": platform_time(closing(track)),
        "max_submissions_per_day": config["export.codabench.max_submissions_per_day"],
        **({"max_submissions": limit} if limit else {}),
        "execution_time_limit": TIME_LIMIT,
        "hide_output": True,
        "hide_prediction_output": True,
        "hide_score_output": config["feedback.mode"] == "none",
        "tasks": [0],
    }
    return {
        "version": 2,
        "title": config["track.title"],
        "description": f"Organised with diveval {__version__}.",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "docker_image": image,
        "registration_auto_approve": False,
        "enable_detailed_results": False,
        "make_programs_available": True,
        "make_input_data_available": False,
        "can_participants_make_submissions_public": False,
        "pages": [{"title": "Task", "file": "pages/task.md"}],
        "tasks": [
            {
                "index": 0,
                "name": "Ranking",
                "description": "One run file, zipped.",
                "scoring_program": "scoring_program.zip",
                "reference_data": "reference_data.zip",
            }
        ],
        "phases": [phase],
        "leaderboards": [
            {
                "title": "Leaderboard",
                "key": "main",
                "submission_rule": config["export.codabench.submission_rule"],
                "hidden": True,
                "columns": columns,
            }
        ],
    }


def _readme(title: str) -> str:
    return (
        f"{title}: upload codabench.zip under Benchmarks, Management, Upload. The platform shows a preview on open\n"
        "topics; the leaderboard of record is that of `diveval track rank`.\n"
    )
