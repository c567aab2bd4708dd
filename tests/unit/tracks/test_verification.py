"""`verify` names what was changed: one byte flipped in any file of a track, or of what it published."""

from __future__ import annotations

import io
import json
import random
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from diveval.cli import main
from support.shared import THOROUGH, times
from support.tracks import answer, filled, judge, ranked, run_text, send, small, track

# What the record does not speak of: the ignore file, and the inbox, whose files were copied when they were taken.
PLACES = (0.0, 0.37, 0.999)
FREE = (".gitignore", "inbox/")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A released track with two scorings, a site, a preview, pages for teams and every export; tests change copies."""
    folder = tmp_path_factory.mktemp("everything")
    image = ('image = ""', 'image = "registry.example.org/diveval:2"')
    place = filled(folder, image, ('baseline_link = ""', 'baseline_link = "https://example.org/baseline"'))
    track("score", place)
    track("rank", place)
    track("site", place)
    send(place, "gamma", "gamma-2", run_text("gamma-2", shift=5))
    track("score", place)
    track("rank", place)
    track("decide", "release", "--track", place, "--reason", "done")
    for what in ("kit", "codabench", "evalai", "tira"):
        track("export", what, place)
    track("site", place)
    track("site", place, "--private")
    return place


def files(place: Path) -> list[str]:
    found = (path.relative_to(place).as_posix() for path in sorted(place.rglob("*")) if path.is_file())
    return [name for name in found if not name.startswith(FREE)]


def verified(place: Path) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(["track", "verify", str(place), "--json"])
    return code, out.getvalue()


def flipped(path: Path, at: float) -> None:
    """Change one bit of one byte."""
    data = bytearray(path.read_bytes())
    place = min(len(data) - 1, int(at * len(data)))
    data[place] ^= 1
    path.chmod(0o644)
    path.write_bytes(bytes(data))


@pytest.mark.slow
def test_a_flipped_byte_anywhere_is_named(made: Path, tmp_path: Path) -> None:
    """Whatever file it is in, the exit code is 1 (3 for the record) and the file is named.

    Every twelfth file, with its first, middle or last byte; `make thorough` tries all three in every file.
    """
    place = Path(shutil.copytree(made, tmp_path / "track"))
    code, text = verified(place)
    assert code == 0, text
    names = files(place)
    assert len(names) > 80
    turns = [(name, at) for name in names for at in PLACES]
    if not THOROUGH:
        turns = random.sample(turns, len(names) // 12)
    for name, at in turns:
        path = place / name
        before = path.read_bytes()
        if not before:  # the lock: a byte in it is named too
            path.write_bytes(b"x")
        else:
            flipped(path, at)
        code, text = verified(place)
        assert code in (1, 2, 3), name
        assert _named(name, place, text), (name, text)
        path.chmod(0o644)
        path.write_bytes(before)
    assert verified(place)[0] == 0


def _named(name: str, place: Path, text: str) -> bool:
    """The path, or for a note about a submission what it is about."""
    answered = json.loads(text[text.index("{") :]) if "{" in text else {}
    bad = [item for item in answered.get("items", []) if item["result"] == "differs"]
    places = " ".join(f"{item['what']} {item.get('why', '')}" for item in bad) + answered.get("error", "")
    kept = {"private/judged": "of event", "private/secret": "secret"}
    known = next((what for start, what in kept.items() if name.startswith(start)), name)
    return name in places or known in places or str(place / name) in places


@pytest.mark.slow
def test_a_flipped_byte_in_published_data_is_named(made: Path, tmp_path: Path) -> None:
    """The same for a copy of site/data: every sixth file, in `make thorough` all."""
    copy = Path(shutil.copytree(made / "site/data", tmp_path / "copy"))
    assert verified(copy)[0] == 0
    names = files(copy)
    for name in random.sample(names, times(len(names) // 6, len(names))):
        before = (copy / name).read_bytes()
        flipped(copy / name, 0.5)
        code, text = verified(copy)
        assert code in (1, 2, 3), name
        assert name in text, (name, text)
        (copy / name).write_bytes(before)


def test_what_is_deleted_or_erased_is_told_apart(tmp_path: Path) -> None:
    """Derived files may be deleted; a run may not, unless its team withdrew it with --erase."""
    place = filled(tmp_path)
    track("score", place)
    shutil.rmtree(place / "verdicts")
    assert {item["result"] for item in answer("verify", place)["items"]} == {"same"}
    track("decide", "withdraw", "S0002", "--erase", "--track", place, "--reason", "personal data")
    results = {item["what"]: item["result"] for item in answer("verify", place)["items"]}
    assert results["run of S0002"] == "erased"


def test_an_erased_run_leaves_a_track_that_can_be_published_and_rebuilt(tmp_path: Path) -> None:
    """Its name stays known, since later verdicts depend on it; a scoring with it cannot be rebuilt, the others can."""
    place = ranked(tmp_path)
    track("decide", "withdraw", "S0002", "--erase", "--track", place, "--reason", "personal data")
    track("score", place)
    track("rank", place)
    track("decide", "release", "--track", place, "--reason", "the workshop is over")
    track("site", place)
    track("verify", place / "site/data")
    for name in ("verdicts", "scores", "boards", "site"):
        shutil.rmtree(place / name)
    track("score", place)
    track("rank", place)
    track("site", place)
    for copy in (place, place / "site/data"):
        results = {item["what"]: item["result"] for item in answer("verify", copy)["items"]}
        assert results["scores/R0001/scores.csv"] == results["boards/R0001.json"] == "erased"
        assert results["scores/R0002/scores.csv"] == results["boards/R0002.json"] == "same"


def test_a_cut_end_is_found_by_the_head_of_a_receipt(tmp_path: Path) -> None:
    """A chain cannot show that its end is gone; a receipt can."""
    place = small(tmp_path)
    receipt = send(place, "alpha", "one", run_text("one"))
    judge(place)
    lines = (place / "record.jsonl").read_bytes().splitlines(keepends=True)
    track("verify", place, "--head", receipt["hash"])
    (place / "record.jsonl").write_bytes(b"".join(lines[:2]))
    assert receipt["hash"] in track("verify", place, "--head", receipt["hash"], code=1)
