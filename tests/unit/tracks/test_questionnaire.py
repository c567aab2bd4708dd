"""Questions about each run: asked in the configuration, answered in the metadata, shown with the run."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from diveval.validation import parse_metadata
from support.refusals import is_refusal
from support.tracks import answer, edit, judge, run_text, scored, send, small, track

QUESTIONS = """[submission.questionnaire]
gpu = "Did you use a GPU? | yes | no"
training = "What was it trained on?"

[scoring]"""


def asking(folder: Path) -> Path:
    """A track with two questions, one of them with choices."""
    place = small(folder)
    edit(place, ("[scoring]", QUESTIONS), reason="two questions")
    return place


def with_header(name: str, answers: str) -> str:
    lines = "".join(f"# {line}\n" for line in ["questionnaire:", *(f"  {one}" for one in answers.split(";") if one)])
    return f"# ir_metadata.start\n{lines}# ir_metadata.end\n{run_text(name)}"


@pytest.mark.parametrize(
    ("answers", "code", "faults"),
    [
        ("gpu: yes;training: MS MARCO", 0, []),
        ("gpu: 'no';training: nothing", 0, []),
        ("gpu: maybe;training: x", 1, ["gpu", "maybe"]),
        ("gpu: yes", 1, ["training"]),
        ("gpu: yes;training: TODO", 1, ["training"]),
        ("", 1, ["gpu"]),
    ],
)
def test_every_question_needs_an_answer_of_its_choices(
    tmp_path: Path, answers: str, code: int, faults: list[str]
) -> None:
    """A missing answer, a template's text or an answer that is no choice rejects the run, at home as on arrival."""
    place = asking(tmp_path)
    send(place, "alpha", "alpha-1", with_header("alpha-1", answers), code=code)
    track("export", "kit", place)
    path = tmp_path / "alpha-1.txt"
    (verdict,) = answer("validate", path, "--track", place / "export/kit/kit.zip", "--team", "alpha", code=code)[
        "verdicts"
    ]
    wrong = [finding["message"] for finding in verdict["findings"] if finding["severity"] == "error"]
    assert all(any(fault in message for message in wrong) for fault in faults)
    assert bool(wrong) == bool(code)
    track("verify", place)


def test_a_run_without_metadata_answers_nothing(tmp_path: Path) -> None:
    """Where questions are asked, metadata is required; the kit has a file to fill in, which is not yet an answer."""
    place = asking(tmp_path)
    send(place, "alpha", "alpha-1", run_text("alpha-1"), code=1)
    track("export", "kit", place)
    with zipfile.ZipFile(place / "export/kit/kit.zip") as archive:
        template = archive.read("questionnaire.yml").decode()
    meta = tmp_path / "alpha-1.yml"
    meta.write_text(template)
    send(place, "alpha", "alpha-1", run_text("alpha-1"), "--meta", str(meta), code=1)
    meta.write_text(template.replace("gpu:", "gpu: no").replace("training:", "training: the web"))
    assert send(place, "alpha", "alpha-1", run_text("alpha-1"), "--meta", str(meta))["verdict"] == "accepted"


def test_answers_are_on_the_page_of_the_run_after_release(tmp_path: Path) -> None:
    """Questions are public with the rules, answers with the run."""
    place = asking(tmp_path)
    send(place, "alpha", "alpha-1", with_header("alpha-1", "gpu: no;training: GRAPHS-OF-1999"))
    judge(place)
    scored(place)
    track("site", place)
    assert "Did you use a GPU?" in (place / "site/rules.html").read_text()
    assert not [p for p in (place / "site").rglob("*") if p.is_file() and b"GRAPHS-OF-1999" in p.read_bytes()]
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    page = (place / "site/run/S0001.html").read_text()
    assert "<td>What was it trained on?</td><td>GRAPHS-OF-1999</td>" in page
    assert "<td>Did you use a GPU?</td><td>no</td>" in page
    track("verify", place / "site/data")


@pytest.mark.parametrize("text", ["Gpu = 'x'", "gpu = 'x | '", "gpu = 3", "'a b' = 'x'"])
def test_a_question_that_cannot_be_answered_is_refused(tmp_path: Path, text: str) -> None:
    """Ids are names, choices are not empty."""
    place = small(tmp_path)
    edit(place, ("[scoring]", f"[submission.questionnaire]\n{text}\n\n[scoring]"))
    said = track("decide", "config", "--track", place, "--reason", "x", code=2)
    assert is_refusal(said, "wrong-value") or is_refusal(said, "wrong-type")


def test_tracks_without_questions_keep_their_sums(tmp_path: Path) -> None:
    """The key is absent by default, so the sums of sections in earlier records stay what they were."""
    place = small(tmp_path)
    assert "# [submission.questionnaire]" in (place / "track.toml").read_text()
    text = (place / "track.toml").read_text()
    (place / "track.toml").write_text(
        "\n".join(line for line in text.splitlines() if "questionnaire" not in line) + "\n"
    )
    assert [item for item in answer("status", place)["wrong"] if "admission" in item] == []


@pytest.mark.parametrize("text", ["[" * 60_000, "a: &a [" + "x,\n" * 40_000 + "]", "{a: " * 15_000, "- " * 30_000])
def test_metadata_that_would_take_minutes_are_refused(text: str) -> None:
    """Brackets within brackets, and metadata of a size that nobody writes."""
    assert parse_metadata(text) is None
