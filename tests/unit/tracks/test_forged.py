"""Records and files whose sums are right and which make no sense: whoever has the key, or a release published it, can
write them. Whatever they hold, `verify` ends with a documented exit code.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from diveval.tracks.record import ZERO, Secret, canonical, sha256
from support.refusals import is_refusal
from support.shared import times
from support.tracks import _copied, _new, events, released, run_text, send, track

pytestmark = pytest.mark.slow(seconds=0.5)
NONSENSE: list[Any] = [
    None, True, 0, -1, 10**30, 1.5, "", "x", "S0001", "S9999", "R0001", "\0", "é" * 3, "../../private/secret", "/etc/passwd",
    [], {}, [[]], [{}], {"a": [1]}, ["S0001", 5], "0" * 64, "f" * 63, "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:59",
    "config", "metrics", "participant", "deep/test",
]  # fmt: skip
KEYED = ("run", "meta", "verdict", "qrels", "weights", "held-back", "scores", "leaderboard", "teams", "labels")


def full(folder: Path) -> Path:
    """A released track with every kind of event about submissions, a pool and labels."""
    return _copied(_full(), folder)


@cache
def _full() -> Path:
    folder = _new("full-")
    place, meta = released(folder), folder / "m.yml"
    lines = (place / "private/qrels.txt").read_text().splitlines(keepends=True)
    (place / "private/qrels.txt").write_text("".join(line for line in lines if line.split()[2][-1] not in "45"))
    track("decide", "judged", "--track", place, "--reason", "corrected")
    meta.write_text("actor: {team: alpha}\n")
    send(place, "alpha", "meta", run_text("meta", shift=2), "--meta", str(meta))
    track("pool", place, "--depth", "6", "--assessors", "zoe")
    for table in sorted((place / "private/pool/zoe").glob("*.csv")):
        head, *rows = table.read_text().splitlines()
        (folder / "labels.csv").write_text("\n".join([head, *(f"{row}1" for row in rows)]) + "\n")
        track("labels", folder / "labels.csv", "--track", place)
    track("decide", "withdraw", "S0005", "--track", place, "--reason", "a fault")
    for command in ("score", "rank"):
        track(command, place)
    track("decide", "release", "--track", place, "--reason", "again")
    track("site", place)
    return folder


def chained(listed: list[dict[str, Any]]) -> bytes:
    """The events as a record whose numbers and hashes are right."""
    previous, lines = ZERO, []
    for number, event in enumerate(listed):
        line = canonical({**event, "seq": number, "prev": previous})
        previous = sha256(line)
        lines.append(line + b"\n")
    return b"".join(lines)


def ends(*words: str | Path) -> None:
    """A command ends with one of its codes; anything else is raised here."""
    for code in (0, 1, 2, 3, 4):
        try:
            track(*words, code=code)
        except AssertionError as error:
            if not str(error).startswith("exit code"):
                raise
        else:
            return
    raise AssertionError(f"{words} ended with another code")


@pytest.mark.parametrize("seed", range(times(4, 60)))
def test_a_record_of_nonsense_ends_with_a_code(tmp_path: Path, seed: int) -> None:
    """Changed, absent, further and repeated fields and events, in any order."""
    place, draws = full(tmp_path), random.Random(seed)
    before = events(place)
    for _ in range(8):
        listed = copy.deepcopy(before)
        for _ in range(draws.choice([1, 1, 2])):
            event, what = draws.choice(listed), draws.randrange(5)
            if what < 2:
                name = draws.choice([*event, "task", "meta", "section", "erased", "newer", "late"])
                event[name] = draws.choice([value for value in NONSENSE if not isinstance(value, float)])
            elif what == 2:
                event.pop(draws.choice(list(event)), None)
            elif what == 3:
                listed.insert(draws.randrange(len(listed)), copy.deepcopy(event))
            else:
                draws.shuffle(listed)
        (place / "record.jsonl").write_bytes(chained(listed))
        ends("verify", place)
        ends("status", place)


def _nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _nodes(inner)


def _spoil(data: bytes, draws: random.Random) -> bytes:
    """Another value somewhere in JSON, other bytes anywhere, nothing, or brackets within brackets."""
    try:
        shape = json.loads(data)
    except ValueError:
        shape = None
    kinds = ["deep", "empty", "bytes", "bytes"] + ["value"] * (4 if isinstance(shape, dict) else 0)
    kind = draws.choice(kinds)
    if kind == "deep":
        return b"[" * 100_000 + b"]" * 100_000
    if kind == "empty":
        return b""
    if kind == "value":
        node = draws.choice(list(_nodes(shape)))
        node[draws.choice(list(node) if isinstance(node, dict) else range(len(node)))] = draws.choice(NONSENSE)
        return json.dumps(shape).encode() + b"\n"
    spoilt = bytearray(data or b"x")
    for _ in range(draws.choice([1, 5, 50])):
        spoilt[draws.randrange(len(spoilt))] = draws.choice(b'\x00\xff\n ,"{}[]9-e')
    return bytes(spoilt)


def _sign(place: Path, name: str, data: bytes, old: bytes) -> None:
    """Write a file, and the sums that name it into a record that is chained again."""
    secret = Secret(bytes.fromhex((place / "private/secret").read_text().strip()))
    record = (place / "record.jsonl").read_text()
    pool = [
        b"".join(
            [(place / "private/pool/pool.json").read_bytes(), b"\0", (place / "private/pool/pool.csv").read_bytes()]
        )
    ]
    (place / name).chmod(0o644)
    (place / name).write_bytes(data)
    pool += [
        b"".join(
            [(place / "private/pool/pool.json").read_bytes(), b"\0", (place / "private/pool/pool.csv").read_bytes()]
        )
    ]
    if name != "private/secret":
        for label in KEYED:
            record = record.replace(secret.sum(label, old), secret.sum(label, data))
        record = record.replace(secret.sum("pool", pool[0]), secret.sum("pool", pool[1]))
    record = record.replace(sha256(old), sha256(data))
    (place / "record.jsonl").write_bytes(chained([json.loads(line) for line in record.splitlines()]))


FILES = ("private", "verdicts", "scores", "boards", "data", "store", "teams.toml", "track.toml")


@pytest.mark.parametrize("seed", range(times(12, 300)))
def test_signed_files_of_nonsense_end_with_a_code(tmp_path: Path, seed: int) -> None:
    """Of the folder, and of a published copy with sums of its own."""
    place, draws = full(tmp_path), random.Random(seed)
    names = [p.relative_to(place).as_posix() for p in sorted(place.rglob("*")) if p.is_file()]
    name = draws.choice([name for name in names if name.startswith(FILES)])
    data = (place / name).read_bytes()
    spoilt = _spoil(data, draws)
    _sign(place, name, spoilt, data)
    ends("verify", place)
    for words in (("status", place), ("labels", "--track", place), ("site", place), ("site", "--private", place)):
        ends(*words)
    copied = place / "site/data"
    if (copied / name).is_file():
        (copied / name).write_bytes(spoilt)
        (copied / "record.jsonl").write_bytes((place / "record.jsonl").read_bytes())
        sums = "".join(
            f"{sha256(p.read_bytes())}  {p.relative_to(copied).as_posix()}\n"
            for p in sorted(copied.rglob("*"))
            if p.is_file() and p.name != "SHA256SUMS"
        )
        (copied / "SHA256SUMS").write_text(sums)
        ends("verify", copied)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "zeros": lambda data: data + b"\0" * 50 + b"\n",
    "blank line": lambda data: data + b"\n",
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "another encoding": lambda data: data + b'{"a":"\xe9"}\n',
    "no object": lambda data: data + b'"x"\n',
    "no number": lambda data: data + b'{"seq":NaN}\n',
    "a large number": lambda data: data + b'{"seq":' + b"9" * 6000 + b"}\n",
    "half a character": lambda data: data + b'{"a":"\\ud800"}\n',
    "a key twice": lambda data: data.replace(b'"late":false', b'"late":false,"late":true', 1),
    "no first line": lambda data: data.partition(b"\n")[2],
    "opened twice": lambda data: chained([json.loads(line) for line in data.splitlines() for _ in range(2)][:2]),
    "another field": lambda data: chained([{**json.loads(line), "more": 1} for line in data.splitlines()]),
    "another leaderboard": lambda data: chained(
        [{**e, "leaderboard": "0" * 64} if e["event"] == "released" else e for e in map(json.loads, data.splitlines())]
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", BROKEN)
def test_a_record_in_another_form_is_broken(tmp_path: Path, how: str) -> None:
    """Exit code 3, for every command."""
    place = full(tmp_path)
    path = place / "record.jsonl"
    path.write_bytes(BROKEN[how](path.read_bytes()))
    for words in (("verify", place), ("status", place), ("score", place)):
        assert is_refusal(track(*words, code=3), "record-broken")


@pytest.mark.parametrize(("event", "change"), [("received", {"bytes": 7}), ("verdict", {"warnings": 7})])
def test_numbers_of_the_record_are_computed_again(tmp_path: Path, event: str, change: dict[str, int]) -> None:
    """A record that says something else of a run than its bytes do differs."""
    place = full(tmp_path)
    listed = events(place)
    next(one for one in listed if one["event"] == event).update(change)
    (place / "record.jsonl").write_bytes(chained(listed))
    assert "differs" in track("verify", place, code=1)
