"""Run metadata (ir_metadata 0.1): in the comment header of a run or in a YAML file beside it (rules M01 to M03)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from diveval.errors import need, shown
from diveval.validation.rules import Findings
from diveval.validation.verdict import Statement

_TEMPLATE = re.compile(r"enter[ _]value|\bTODO\b|^\s*(\.{3}|…|<[^>]*>|\[[^\]]*\])\s*$", re.IGNORECASE)
LARGEST = 1 << 20  # characters of metadata
_BOOLEAN = {"method.automatic"}


def check_metadata(findings: Findings, header: Sequence[str], declared: Statement, tag: str) -> dict[str, Any] | None:
    """The metadata of a submission, held to what the track requires; None where there is none to hold."""
    rules = findings.admission
    if rules.metadata == "none":
        return None
    texts = [text for text in ("\n".join(header), _decoded(declared.metadata)) if text.strip()]
    if not texts:
        if rules.metadata == "required":
            findings.add("M01", "no metadata, and this track requires it", "add an ir_metadata header", last=True)
        return None
    parsed: dict[str, Any] = {}
    for text in texts:
        part = _parsed(text)
        if part is None:
            findings.add("M01", "the metadata is not a YAML table", "check its indentation", last=True)
            return None
        parsed.update(part)
    _check_fields(findings, parsed)
    _check_declared(findings, parsed, declared, tag)
    return parsed


def _decoded(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


def _parsed(text: str) -> dict[str, Any] | None:
    yaml = need("yaml", "track")
    # A header is indented by the blank after each '#'.
    lines = text.splitlines()
    if all(line.startswith(" ") or not line.strip() for line in lines):
        text = "\n".join(line[1:] for line in lines)
    try:
        # Aliases can make a small file unfold to any size, and metadata has no use for them.
        if len(text) > LARGEST or any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            return None
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and all(isinstance(key, str) for key in found) else None


def field_of(metadata: dict[str, Any], dotted: str) -> Any:
    """A field by its dotted name, None where it is absent."""
    value: Any = metadata
    for part in dotted.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _check_fields(findings: Findings, metadata: dict[str, Any]) -> None:
    for name in findings.admission.metadata_fields:
        value = field_of(metadata, name)
        if value is None or value in ("", [], {}):
            findings.add("M02", f"{name} is missing", "fill it in", last=True)
        elif name in _BOOLEAN and not isinstance(value, bool):
            findings.add("M02", f"{name} is {shown(value)}, expected true or false", "write true or false", last=True)
        elif _TEMPLATE.search(str(value)):
            findings.add("M02", f"{name} still holds the text of a template: {shown(value)}", "fill it in", last=True)


def _check_declared(findings: Findings, metadata: dict[str, Any], declared: Statement, tag: str) -> None:
    automatic = field_of(metadata, "method.automatic")
    stated = {True: "automatic", False: "manual"}.get(automatic) if isinstance(automatic, bool) else None
    for what, value, expected, whose in (
        ("actor.team", field_of(metadata, "actor.team"), declared.team, "the submission's team"),
        ("tag", metadata.get("tag"), tag or None, "the tag of the run"),
        ("the type by method.automatic", stated, declared.type, "the declared type"),
    ):
        if what.startswith("the type") and declared.type not in ("automatic", "manual"):
            continue
        if value is not None and expected is not None and str(value) != expected:
            findings.add("M03", f"{what} is {shown(value)}, {whose} is {shown(expected)}", "use one of them", last=True)
