"""Canonical JSON and the sums that stand in a record: plain SHA-256 for what is public, keyed for what is not."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any, Literal

Label = Literal[
    "run",
    "meta",
    "verdict",
    "qrels",
    "weights",
    "efforts",
    "held-back",
    "scores",
    "leaderboard",
    "team",
    "teams",
    "feedback",
]
ZERO = "0" * 64


def canonical(value: Any) -> bytes:
    """Keys sorted, no blanks, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def section_sum(tables: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of some tables, defaults filled in, floats as their repr, times in ISO form."""
    return sha256(canonical(_plain(tables)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return repr(value)
    return value.isoformat() if isinstance(value, datetime.datetime) else value


@dataclass(frozen=True)
class Secret:
    """The key under which private content is summed: a short list of held-back topics could be guessed otherwise."""

    key: bytes

    def sum(self, label: Label, data: bytes) -> str:
        """HMAC-SHA256(secret, label ‖ 0x00 ‖ bytes)."""
        return hmac.new(self.key, label.encode() + b"\0" + data, hashlib.sha256).hexdigest()

    def team(self, team: str) -> str:
        """A team as the record knows it."""
        return "t-" + self.sum("team", team.encode())[:12]
