"""The example track, whose hashes, verdicts, scores and board were made without this code, is reproduced byte for byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from diveval.tracks.config import Config
from diveval.tracks.record import Record, Secret, canonical
from support.present import present
from support.tracks import EXAMPLE, answer, example, track

DERIVED = ("verdicts", "scores", "boards")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_derived_files_are_rebuilt_byte_for_byte(tmp_path: Path) -> None:
    """Deleted verdicts, scores and boards are rebuilt unchanged, and the record stays the same."""
    folder = example(tmp_path)
    for name in DERIVED:
        shutil.rmtree(folder / name)
    track("score", folder)
    track("rank", folder)
    for name in DERIVED:
        assert contents(folder / name) == contents(EXAMPLE / name)
    assert (folder / "record.jsonl").read_bytes() == (EXAMPLE / "record.jsonl").read_bytes()


def test_hashes_in_the_record_match_the_files() -> None:
    """Every hash in the example's record is that of its file, by our canonical JSON and keyed hashes."""
    record = Record.read(EXAMPLE / "record.jsonl")
    secret = Secret(bytes.fromhex((EXAMPLE / "private/secret").read_text().strip()))
    config = Config.parse((EXAMPLE / "track.toml").read_bytes())
    opened = record.events[0]
    assert opened["config"] == config.sum
    for section in ("admission", "scoring", "ranking"):
        assert opened[section] == config.section(section)
    judged = present(record.last("judged"))
    files = {"qrels": "qrels.txt", "weights": "weights.txt"}
    for kind, file in files.items():
        assert judged[kind] == secret.sum(kind, (EXAMPLE / "private" / file).read_bytes())
    assert record.events[1]["team"] == secret.team("organiser")
    for line, event in zip((EXAMPLE / "record.jsonl").read_bytes().splitlines(), record.events, strict=True):
        assert canonical(event) == line


@pytest.mark.parametrize("name", ["S0001", "S0002", "S0003", "S0004"])
def test_validation_gives_the_recorded_verdicts(name: str) -> None:
    """`validate` on the file in the inbox gives the recorded verdict, except for the id of the submission."""
    expected = json.loads((EXAMPLE / "verdicts" / f"{name}.json").read_text())
    path = EXAMPLE / "inbox" / expected["team"] / expected["file"]["name"]
    code = int(expected["verdict"] == "rejected")
    got = answer("validate", path, "--track", EXAMPLE, "--team", expected["team"], code=code)["verdicts"][0]
    assert got == {**expected, "submission": None}


def test_the_example_verifies() -> None:
    """Nothing differs; `--head` accepts a hash of the record and refuses any other."""
    record = Record.read(EXAMPLE / "record.jsonl")
    items = answer("verify", EXAMPLE, "--head", record.hashes[3])["items"]
    assert {item["result"] for item in items} == {"same"}
    track("verify", EXAMPLE, "--head", "0" * 64, code=1)


def test_the_same_steps_give_the_same_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Receiving the four files of the example at their times, under its version, gives its first nine events."""
    import diveval.tracks.record as module

    folder = example(tmp_path)
    lines = (EXAMPLE / "record.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "record.jsonl").write_bytes(lines[0])
    monkeypatch.setattr(module, "__version__", "1.1.0")
    for event in Record.read(EXAMPLE / "record.jsonl").where("received"):
        verdict = json.loads((EXAMPLE / "verdicts" / f"{event['submission']}.json").read_text())
        monkeypatch.setattr(module, "utc", lambda _, at=event["at"]: at)
        path = EXAMPLE / "inbox" / verdict["team"] / verdict["file"]["name"]
        track(
            "add",
            path,
            "--team",
            verdict["team"],
            "--track",
            folder,
            "--received",
            event["at"],
            code=int(verdict["verdict"] == "rejected"),
        )
    assert (folder / "record.jsonl").read_bytes() == b"".join(lines[:9])
