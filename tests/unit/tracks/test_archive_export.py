"""The archive of an edition: complete for a reader, with metadata for a repository, and without withdrawn material."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

from support.refusals import is_refusal
from support.tracks import answer, edit, filled, run_text, scored, send, track

LICENCE = ('licence = ""', 'licence = "CC-BY-4.0"')


def archived(place: Path, target: Path) -> dict[str, bytes]:
    """Export the archive, unpack it, and return its files."""
    track("export", "archive", place)
    (packed,) = (place / "export/archive").glob("*.zip")
    with zipfile.ZipFile(io.BytesIO(packed.read_bytes())) as archive:
        archive.extractall(target)
        return {name: archive.read(name) for name in archive.namelist()}


def release(place: Path) -> None:
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")


def test_an_edition_is_computed_again_from_its_archive(tmp_path: Path) -> None:
    """The unpacked data verifies with the head that the README names, and every file has its sum."""
    place = filled(tmp_path, LICENCE)
    release(place)
    files = archived(place, tmp_path / "out")
    head = answer("status", place)["record"]["hash"]
    assert head in files["README.md"].decode()
    items = answer("verify", tmp_path / "out/data", "--head", head)["items"]
    assert {item["result"] for item in items} <= {"same", "not published"}
    results = {item["what"]: item["result"] for item in items}
    assert results["scores/R0001/scores.csv"] == results["boards/R0001.json"] == "same"
    for line in files["SHA256SUMS"].decode().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256(files[name]).hexdigest() == digest
    metadata = json.loads((place / "export/archive/datacite.json").read_bytes())
    required = {"titles", "creators", "publisher", "publicationYear", "types", "schemaVersion"}
    assert required <= metadata.keys()
    assert metadata["rightsList"] == [{"rights": "CC-BY-4.0"}]
    assert json.loads((place / "export/archive/.zenodo.json").read_bytes())["license"] == "CC-BY-4.0"


def test_nothing_of_a_withdrawn_run_is_in_the_archive(tmp_path: Path) -> None:
    """Not its bytes, name, verdict or score, also not from an edition in which it was ranked; the rest still verifies."""
    place = filled(tmp_path, LICENCE)
    send(place, "gamma", "regretted", run_text("regretted", shift=2))
    release(place)
    value = next(line for line in (place / "scores/R0001/scores.csv").read_text().splitlines() if "S0005" in line)
    track("decide", "withdraw", "S0005", "--track", place, "--reason", "the team asked")
    assert is_refusal(track("export", "archive", place, code=2), "scoring-outdated")
    release(place)
    files = archived(place, tmp_path / "out")
    for name, data in files.items():
        assert b"regretted" not in data, name
        assert value.encode() not in data, name
        assert b"S0005" not in data or name in ("data/record.jsonl", "data/boards/R0002.json"), name
    items = answer("verify", tmp_path / "out/data")["items"]
    assert {item["result"] for item in items} <= {"same", "not published"}
    results = {item["what"]: item["result"] for item in items}
    assert results["boards/R0002.json"] == "same"


def test_an_archive_needs_a_release_and_a_licence(tmp_path: Path) -> None:
    """Before release there is none, and a repository asks for a licence."""
    place = filled(tmp_path)
    assert is_refusal(track("export", "archive", place, code=2), "step-not-done")
    release(place)
    assert is_refusal(track("export", "archive", place, code=2), "missing-key", "track.licence")
    edit(place, LICENCE, reason="a licence")
    track("export", "archive", place)
    first = next((place / "export/archive").glob("*.zip")).read_bytes()
    track("export", "archive", place)
    assert next((place / "export/archive").glob("*.zip")).read_bytes() == first
