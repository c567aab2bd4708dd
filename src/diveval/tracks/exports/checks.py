"""What the platforms' own code accepts and refuses, as checks of a finished bundle.

Each rule was seen by running the platform's code (Codabench c7dbc756, EvalAI 0f040392, TIRA client 0.0.207). Where a
platform accepts something that goes wrong later (a time without quotes, no image), the rule here is stricter.
"""

from __future__ import annotations

import datetime
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from diveval.errors import DivevalError, need, shown
from diveval.tracks.packing import unpack

CODABENCH_RULES = (
    "Add",
    "Add_And_Delete",
    "Add_And_Delete_Multiple",
    "Force_Last",
    "Force_Latest_Multiple",
    "Force_Best",
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


class _Bundle:
    """The files of a bundle, and the faults found in them."""

    def __init__(self, platform: str, files: Mapping[str, bytes]) -> None:
        self.platform, self.files, self.faults = platform, files, list[str]()

    def need(self, holds: object, fault: str) -> None:
        if not holds:
            self.faults.append(fault)

    def text(self, table: Any, key: str, where: str, most: int | None = None) -> None:
        value = table.get(key) if isinstance(table, dict) else None
        self.need(isinstance(value, str) and value, f"{where} needs {key}")
        if most is not None and isinstance(value, str):
            self.need(len(value) <= most, f"{key} of {where} has at most {most} characters, got {len(value)}")

    def file(self, table: Any, key: str, where: str, endings: tuple[str, ...] = ()) -> None:
        name = table.get(key) if isinstance(table, dict) else None
        self.need(isinstance(name, str) and name in self.files, f"{where} needs {key}, a file of the bundle")
        if isinstance(name, str) and endings:
            self.need(name.endswith(endings), f"{key} of {where} ends in {' or '.join(endings)}, got {shown(name)}")

    def time(self, table: Any, key: str, where: str) -> datetime.datetime | None:
        """A time is text without an offset: the platforms lose the hour of one without quotes, and drop an offset."""
        value = table.get(key) if isinstance(table, dict) else None
        right = isinstance(value, str) and _TIME.fullmatch(value)
        self.need(right, f"{key} of {where} is a quoted UTC time such as 2026-03-01 00:00:00, got {shown(value)}")
        return datetime.datetime.fromisoformat(str(value)) if right else None

    def rows(self, table: Any, key: str, where: str = "the bundle") -> list[Any]:
        found = table.get(key) if isinstance(table, dict) else None
        self.need(isinstance(found, list) and found, f"{where} needs {key}, at least one")
        return found if isinstance(found, list) else []

    def whole(self, table: Any, key: str, where: str) -> None:
        value = table.get(key) if isinstance(table, dict) else None
        self.need(isinstance(value, int) and not isinstance(value, bool), f"{where} needs {key}, a whole number")

    def unique(self, values: Iterable[Any], what: str) -> None:
        listed = list(values)
        self.need(len(set(map(repr, listed))) == len(listed), f"{what} must differ")

    def finish(self) -> None:
        if self.faults:
            raise DivevalError(f"{self.platform} would refuse this bundle: {'; '.join(self.faults)}")


def _yaml(data: bytes | None, name: str, bundle: _Bundle) -> dict[str, Any]:
    """A YAML file of a bundle, as the platform reads it."""
    yaml = need("yaml", "track")
    try:
        found = yaml.safe_load(data.decode("utf-8")) if data is not None else None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        bundle.faults.append(f"{name} is not YAML: {error}")
        return {}
    bundle.need(isinstance(found, dict), f"{name} is missing at the root of the bundle, or holds no table")
    return found if isinstance(found, dict) else {}


def check_codabench(data: bytes) -> None:
    """Refuse a bundle that Codabench's unpacker, serializers or worker would not take."""
    bundle = _Bundle("Codabench", unpack(data))
    found = _yaml(bundle.files.get("competition.yaml"), "competition.yaml", bundle)
    bundle.need(found.get("version") == 2, "version is 2; without it another unpacker reads the bundle")
    bundle.text(found, "title", "the competition", 256)
    bundle.file(found, "image", "the competition")
    bundle.file(found, "terms", "the competition")
    bundle.need(bundle.files.get(str(found.get("terms")), b"x").strip(), "the terms are not empty")
    bundle.text(found, "docker_image", "the competition", 128)
    for page in bundle.rows(found, "pages"):
        bundle.text(page, "title", "a page")
        bundle.file(page, "file", "a page")
    for task in bundle.rows(found, "tasks"):
        bundle.whole(task, "index", "a task")
        bundle.text(task, "name", "a task")
        bundle.file(task, "scoring_program", "a task")
        _codabench_program(bundle, task)
    _codabench_phases(bundle, bundle.rows(found, "phases"))
    for board in bundle.rows(found, "leaderboards"):
        _codabench_board(bundle, board)
    bundle.finish()


def _codabench_program(bundle: _Bundle, task: Any) -> None:
    data = bundle.files.get(task.get("scoring_program", "")) if isinstance(task, dict) else None
    if data is None:
        return
    try:
        program = unpack(data)
    except zipfile.BadZipFile:
        bundle.faults.append("the scoring program is a zip archive")
        return
    bundle.text(_yaml(program.get("metadata.yaml"), "metadata.yaml", bundle), "command", "metadata.yaml")


def _codabench_phases(bundle: _Bundle, phases: list[Any]) -> None:
    before: datetime.datetime | None = None
    for number, phase in enumerate(phases):
        bundle.text(phase, "name", "a phase")
        start = bundle.time(phase, "start", "a phase")
        end = bundle.time(phase, "end", "a phase") if "end" in phase or number < len(phases) - 1 else None
        bundle.rows(phase, "tasks", "a phase")
        bundle.need(not (start and end) or start < end, "a phase ends after it starts")
        bundle.need(not (before and start) or start > before, "a phase starts after the one before it ends")
        before = end


def _codabench_board(bundle: _Bundle, board: Any) -> None:
    bundle.text(board, "title", "a leaderboard", 64)
    bundle.text(board, "key", "a leaderboard", 36)
    rule = board.get("submission_rule") if isinstance(board, dict) else None
    bundle.need(rule in CODABENCH_RULES, f"submission_rule is one of {', '.join(CODABENCH_RULES)}, got {shown(rule)}")
    columns = bundle.rows(board, "columns", "a leaderboard")
    for column in columns:
        bundle.text(column, "title", "a column", 36)
        bundle.text(column, "key", "a column", 36)
        bundle.whole(column, "index", "a column")
        bundle.whole(column, "precision", "a column")
        sorting = column.get("sorting")
        bundle.need(sorting in ("asc", "desc"), f"sorting of a column is asc or desc, got {shown(sorting)}")
    bundle.unique((column.get("key") for column in columns), "keys of columns")
    bundle.unique((column.get("index") for column in columns), "indexes of columns")
    bundle.need(any(column.get("index") == 0 for column in columns), "one column has the index 0: the primary one")


_EVALAI_PAGES = ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines")


def check_evalai(data: bytes) -> None:
    """Refuse a challenge that EvalAI's validator or worker would not take."""
    bundle = _Bundle("EvalAI", unpack(data))
    found = _yaml(bundle.files.get("challenge_config.yaml"), "challenge_config.yaml", bundle)
    bundle.text(found, "title", "the challenge", 100)
    for page in _EVALAI_PAGES:
        bundle.file(found, page, "the challenge", (".html",))
    bundle.file(found, "evaluation_script", "the challenge", (".zip",))
    _evalai_script(bundle, found)
    start, end = bundle.time(found, "start_date", "the challenge"), bundle.time(found, "end_date", "the challenge")
    bundle.need(not (start and end) or start <= end, "the challenge ends after it starts")
    bundle.need(len(found.get("tags") or []) <= 4, "at most 4 tags")
    _evalai_boards(bundle, found)
    phases, splits = bundle.rows(found, "challenge_phases"), bundle.rows(found, "dataset_splits")
    for phase in phases:
        bundle.whole(phase, "id", "a phase")
        bundle.text(phase, "name", "a phase")
        bundle.text(phase, "codename", "a phase")
        bundle.file(phase, "description", "a phase", (".html",))
        first, last = bundle.time(phase, "start_date", "a phase"), bundle.time(phase, "end_date", "a phase")
        bundle.need(not (first and last) or first <= last, "a phase ends after it starts")
    for split in splits:
        bundle.whole(split, "id", "a split")
        bundle.text(split, "name", "a split")
        bundle.text(split, "codename", "a split")
    _evalai_phase_splits(bundle, found)
    bundle.finish()


def _evalai_script(bundle: _Bundle, found: dict[str, Any]) -> None:
    data = bundle.files.get(str(found.get("evaluation_script")))
    if data is not None:
        bundle.need("__init__.py" in unpack(data), "the evaluation script has __init__.py at its root")


def _evalai_boards(bundle: _Bundle, found: dict[str, Any]) -> None:
    for board in bundle.rows(found, "leaderboard"):
        bundle.whole(board, "id", "a leaderboard")
        schema = board.get("schema") if isinstance(board, dict) else None
        names = bundle.rows(schema, "labels", "a leaderboard")
        order = schema.get("default_order_by") if isinstance(schema, dict) else None
        bundle.need(order in names, f"default_order_by is one of the labels, got {shown(order)}")


def _evalai_phase_splits(bundle: _Bundle, found: dict[str, Any]) -> None:
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
        bundle.whole(row, "leaderboard_decimal_precision", "a phase split")
        descending = row.get("is_leaderboard_order_descending")
        bundle.need(isinstance(descending, bool), "a phase split needs is_leaderboard_order_descending")


def check_tira(files: Mapping[str, bytes]) -> None:
    """Refuse a dataset folder that TIRA's client would not take."""
    bundle = _Bundle("TIRA", files)
    card = files.get("README.md", b"").decode("utf-8")
    bundle.need(card.startswith("---\n") and card.count("---\n") >= 2, "README.md has front matter")
    parts = card.split("---\n", 2)
    found = _yaml(parts[1].encode() if len(parts) == 3 else None, "the card", bundle)
    names = []
    for config in bundle.rows(found, "configs"):
        names.append(config.get("config_name"))
        for part in bundle.rows(config, "data_files", "a config"):
            bundle.text(part, "split", "data files")
            for path in bundle.rows(part, "path", "data files"):
                bundle.need(path in files, f"{shown(path)} is a file of the folder")
    bundle.need({"inputs", "truths"} <= set(names), "configs are inputs and truths")
    settings = found.get("tira_configs")
    for key in ("resolve_inputs_to", "resolve_truths_to", "default_upload_name"):
        bundle.text(settings, key, "tira_configs")
    table = settings if isinstance(settings, dict) else {}
    for key in ("input_format", "truth_format"):
        bundle.text(table.get(key), "name", key)
    bundle.need(
        (table.get("truth_format") or {}).get("name") != "qrels.txt",
        "truth_format is arbitrary: qrels.txt refuses a document judged for two aspects",
    )
    for key in ("image", "command"):
        bundle.text(table.get("evaluator"), key, "evaluator")
    for key in ("link", "command"):
        bundle.text(table.get("baseline"), key, "baseline")
    for line in files.get("system-inputs/queries.jsonl", b"").decode("utf-8").splitlines():
        row = json.loads(line)
        bundle.need(row.get("qid") and row.get("query"), "a query has qid and query")
    bundle.finish()
