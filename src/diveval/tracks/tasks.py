"""Tasks and phases in `track.toml`: each is the settings of the track with those that it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diveval.errors import InputError, quote, suggestion
from diveval.tracks.keys import BY_NAME, OF_THE_TRACK, TABLES

TASK_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


def split_tasks(whole: dict[str, Any], source: str) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Take `[tasks.NAME]` and `[phases.NAME]` out of a configuration: names, the task of a phase, and what each changes.

    A phase of the whole track is one of every task. A task changes settings of the track, a phase those of its task, and a
    task with phases takes submissions to its phases only.
    """
    common = _take_tables(whole, "phases", "", source)
    tasks = _take_tables(whole, "tasks", "", source) or {"": {}}
    for task, table in tasks.items():
        prefix = f"tasks.{task}." if task else ""
        own = _take_tables(table, "phases", prefix, source)
        changed = _flatten_changes(table, prefix, source)
        if not (common or own):
            if task:
                yield task, None, changed
            continue
        for phase in dict.fromkeys((*common, *own)):
            shared = _flatten_changes(common.get(phase, {}), f"phases.{phase}.", source)
            more = _flatten_changes(own.get(phase, {}), f"{prefix}phases.{phase}.", source)
            yield f"{task}/{phase}".lstrip("/"), task, {**changed, **shared, **more}


def _take_tables(table: dict[str, Any], name: str, prefix: str, source: str) -> dict[str, dict[str, Any]]:
    """The tables `[NAME.ID]` of a table, which lacks them afterwards."""
    found = table.pop(name, {})
    if not isinstance(found, dict) or not all(isinstance(inner, dict) for inner in found.values()):
        raise InputError("wrong-type", f"{prefix}{name}: expected tables [{prefix}{name}.ID]", source=source)
    for wrong in (one for one in found if TASK_ID.fullmatch(one) is None):
        what = f"{prefix}{name}: an id matches {TASK_ID.pattern}, got {quote(wrong)}"
        raise InputError("wrong-value", what, source=source)
    return found


def _flatten_changes(table: Mapping[str, Any], prefix: str, source: str) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    flatten(table, "", changed, f"{source}: [{prefix.rstrip('.')}]" if prefix else source)
    for name in OF_THE_TRACK.intersection(changed):
        what = f"{prefix}{name}: {name} is one for the whole track"
        raise InputError("wrong-value", what, source=source)
    return changed


def flatten(table: Mapping[str, Any], prefix: str, into: dict[str, Any], source: str) -> None:
    """Add the keys of a table by their dotted names; an unknown one is an error."""
    for name, value in table.items():
        dotted = f"{prefix}{name}"
        if dotted in BY_NAME:
            into[dotted] = value
        elif isinstance(value, dict) and dotted in TABLES:
            flatten(value, f"{dotted}.", into, source)
        else:
            raise InputError(
                "unknown-option", f"unknown key {quote(dotted)}", hint=suggestion(dotted, BY_NAME), source=source
            )
