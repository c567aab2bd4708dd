"""A Codabench bundle (schema version 2), checked against what Codabench's own unpacker accepts and refuses."""

from __future__ import annotations

import datetime
import re
import zipfile
from typing import Any

from diveval import __version__
from diveval.errors import UsageError, quote
from diveval.tracks.exports import bundles
from diveval.tracks.exports.bundles import Checked, labels, platform_time, value_of, yaml_text
from diveval.tracks.folder import Track
from diveval.tracks.keys import BY_NAME
from diveval.tracks.kit import pack, unpack
from diveval.validation.rules import json_bytes

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
        raise UsageError(
            "option-not-applicable",
            "Codabench cannot hide judgments from its workers: --with-held-back is for evalai and tira",
        )
    image, files = bundles.need_image(track, "Codabench"), bundles.reference(track, held_back=False)[0]
    names = labels(track)
    files["columns.json"] = json_bytes(column_keys(names))
    metadata = {
        "command": "python3 /app/program/score.py /app/input /app/output",
        "description": f"Validates and scores one run with diveval {__version__}",
    }
    program = {
        "metadata.yaml": yaml_text(metadata).encode(),
        "score.py": bundles.program("codabench.py"),
        "requirements.txt": bundles.requirements(),
    }
    bundle = {
        "competition.yaml": yaml_text(_competition(track, image, names)).encode(),
        "logo.png": bundles.logo(),
        "pages/task.md": bundles.task_page(track).encode(),
        "pages/terms.md": bundles.terms_page(track).encode(),
        "scoring_program.zip": pack(program),
        "reference_data.zip": pack(files),
    }
    data = pack(bundle)
    check_codabench(data)
    readme = (
        f"{track.config['track.title']}: upload codabench.zip under Benchmarks, Management, Upload. The platform shows a"
        " preview on open\ntopics; the leaderboard of record is that of `diveval track rank`.\n"
    )
    return {"codabench.zip": data, "README.txt": readme.encode()}


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
    task = {
        "index": 0,
        "name": "Ranking",
        "description": "One run file, zipped.",
        "scoring_program": "scoring_program.zip",
        "reference_data": "reference_data.zip",
    }
    board = {
        "title": "Leaderboard",
        "key": "main",
        "submission_rule": config["export.codabench.submission_rule"],
        "hidden": True,
        "columns": columns,
    }
    limit = config["submission.max_runs_per_team"]
    phase = {
        "index": 0,
        "name": "Submission",
        "description": "Runs are accepted until the end of this phase.",
        "start": platform_time(config["dates.opens"]),
        "end": platform_time(track.config.closing),
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
        "tasks": [task],
        "phases": [phase],
        "leaderboards": [board],
    }


def check_codabench(data: bytes) -> None:
    """Refuse a bundle that Codabench's unpacker, serializers or worker would not take."""
    bundle = Checked("Codabench", unpack(data))
    found = bundle.yaml(bundle.files.get("competition.yaml"), "competition.yaml")
    bundle.need(found.get("version") == 2, "version is 2; without it another unpacker reads the bundle")
    bundle.text(found, "the competition", "title", most=256)
    bundle.file(found, "the competition", "image", "terms")
    bundle.need(bundle.files.get(str(found.get("terms")), b"x").strip(), "the terms are not empty")
    bundle.text(found, "the competition", "docker_image", most=128)
    for page in bundle.rows(found, "pages"):
        bundle.text(page, "a page", "title")
        bundle.file(page, "a page", "file")
    for task in bundle.rows(found, "tasks"):
        bundle.whole(task, "a task", "index")
        bundle.text(task, "a task", "name")
        bundle.file(task, "a task", "scoring_program")
        _codabench_program(bundle, task)
    _codabench_phases(bundle, bundle.rows(found, "phases"))
    for board in bundle.rows(found, "leaderboards"):
        _codabench_board(bundle, board)
    bundle.finish()


def _codabench_program(bundle: Checked, task: Any) -> None:
    data = bundle.files.get(value_of(task, "scoring_program") or "")
    if data is None:
        return
    try:
        program = unpack(data)
    except zipfile.BadZipFile:
        bundle.faults.append("the scoring program is a zip archive")
        return
    bundle.text(bundle.yaml(program.get("metadata.yaml"), "metadata.yaml"), "metadata.yaml", "command")


def _codabench_phases(bundle: Checked, phases: list[Any]) -> None:
    before: datetime.datetime | None = None
    for number, phase in enumerate(phases):
        bundle.text(phase, "a phase", "name")
        start = bundle.time(phase, "start", "a phase")
        end = bundle.time(phase, "end", "a phase") if "end" in phase or number < len(phases) - 1 else None
        bundle.rows(phase, "tasks", "a phase")
        bundle.need(not (start and end) or start < end, "a phase ends after it starts")
        bundle.need(not (before and start) or start > before, "a phase starts after the one before it ends")
        before = end


def _codabench_board(bundle: Checked, board: Any) -> None:
    bundle.text(board, "a leaderboard", "title", most=64)
    bundle.text(board, "a leaderboard", "key", most=36)
    rule = value_of(board, "submission_rule")
    known = BY_NAME["export.codabench.submission_rule"].choices
    bundle.need(rule in known, f"submission_rule is one of {', '.join(known)}, got {quote(rule)}")
    columns = bundle.rows(board, "columns", "a leaderboard")
    for column in columns:
        bundle.text(column, "a column", "title", "key", most=36)
        bundle.whole(column, "a column", "index", "precision")
        sorting = column.get("sorting")
        bundle.need(sorting in ("asc", "desc"), f"sorting of a column is asc or desc, got {quote(sorting)}")
    bundle.unique(columns, "key", "keys of columns")
    bundle.unique(columns, "index", "indexes of columns")
    bundle.need(any(column.get("index") == 0 for column in columns), "one column has the index 0: the primary one")
