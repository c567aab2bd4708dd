"""Our checks of exports refuse and accept what the platforms' own code refused and accepted: one change per case."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from diveval.tracks.exports.codabench import check_codabench
from diveval.tracks.exports.evalai import check_evalai
from diveval.tracks.exports.tira import check_tira
from diveval.tracks.kit import pack, unpack
from support.refusals import refuses
from support.tracks import EXAMPLE

pytestmark = pytest.mark.slow(seconds=0.05)  # together: `make check` leaves the file out

# libyaml, where installed, is several times as fast.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def changed(data: bytes, name: str, change: Any) -> bytes:
    """The archive with one change in a YAML file."""
    files = unpack(data)
    table = yaml.load(files[name], LOADER)
    change(table, files)
    files[name] = yaml.dump(table, Dumper=DUMPER, sort_keys=False).encode()
    return pack(files)


def without(*path: Any) -> Any:
    """Remove a key."""

    def change(table: Any, _: Any) -> None:
        for key in path[:-1]:
            table = table[key]
        del table[path[-1]]

    return change


def put(value: Any, *path: Any) -> Any:
    """Set a key."""

    def change(table: Any, _: Any) -> None:
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = value

    return change


def second_phase(start: Any) -> Any:
    """A later phase."""

    def change(table: Any, _: Any) -> None:
        table["phases"].append({**table["phases"][0], "start": start, "end": "2026-08-01 00:00:00"})

    return change


BOARD, COLUMN = ("leaderboards", 0), ("leaderboards", 0, "columns", 0)
# Changes after which Codabench's own unpacker or serializers refused the bundle, or lost data silently.
CODABENCH_REFUSED = {
    "no terms": without("terms"),
    "no image": without("image"),
    "no pages": without("pages"),
    "no tasks": without("tasks"),
    "no leaderboards": without("leaderboards"),
    "no phases": without("phases"),
    "no title": without("title"),
    "no version": without("version"),
    "no docker_image": without("docker_image"),
    "task without name": without("tasks", 0, "name"),
    "task without index": without("tasks", 0, "index"),
    "task without program": without("tasks", 0, "scoring_program"),
    "phase without name": without("phases", 0, "name"),
    "phase without start": without("phases", 0, "start"),
    "phase without tasks": without("phases", 0, "tasks"),
    "unquoted end": put(datetime.datetime(2026, 6, 2, 11, 59, 59), "phases", 0, "end"),
    "end as a date": put(datetime.date(2026, 6, 2), "phases", 0, "end"),
    "end with offset": put("2026-06-01 23:59:59-12:00", "phases", 0, "end"),
    "board without title": without(*BOARD, "title"),
    "board without key": without(*BOARD, "key"),
    "board without columns": without(*BOARD, "columns"),
    "no columns": put([], *BOARD, "columns"),
    "rule with blanks": put("Force Last", *BOARD, "submission_rule"),
    "no rule": without(*BOARD, "submission_rule"),
    "column without title": without(*COLUMN, "title"),
    "column without key": without(*COLUMN, "key"),
    "column without index": without(*COLUMN, "index"),
    "column key of 37": put("k" * 37, *COLUMN, "key"),
    "column title of 37": put("k" * 37, *COLUMN, "title"),
    "two columns of one key": put("alpha_ndcg_20", *COLUMN, "key"),
    "two columns of one index": put(1, *COLUMN, "index"),
    "column sorting down": put("down", *COLUMN, "sorting"),
    "no precision": without(*COLUMN, "precision"),
    "no column of index 0": put(5, *COLUMN, "index"),
    "page file absent": put("pages/no.md", "pages", 0, "file"),
    "docker image of 129": put("x" * 129, "docker_image"),
    "page without title": without("pages", 0, "title"),
    "title of 257": put("x" * 257, "title"),
    "board title of 65": put("x" * 65, *BOARD, "title"),
    "second phase too early": second_phase("2026-06-02 11:59:59"),
}
CODABENCH_ACCEPTED = {
    "no description": without("description"),
    "task without description": without("tasks", 0, "description"),
    "phase without end": without("phases", 0, "end"),
    "unknown key": put(1, "more"),
    "second phase later": second_phase("2026-06-02 12:00:00"),
}
PHASE, SPLIT, BOTH = ("challenge_phases", 0), ("dataset_splits", 0), ("challenge_phase_splits", 0)
EVALAI_REFUSED = {
    **{
        f"without {key}": without(key)
        for key in (
            "title",
            "description",
            "evaluation_details",
            "terms_and_conditions",
            "submission_guidelines",
            "evaluation_script",
            "start_date",
            "end_date",
            "leaderboard",
            "challenge_phases",
            "dataset_splits",
            "challenge_phase_splits",
        )
    },
    **{
        f"phase without {key}": without(*PHASE, key)
        for key in ("id", "name", "codename", "description", "start_date", "end_date")
    },
    **{f"split without {key}": without(*SPLIT, key) for key in ("id", "name", "codename")},
    **{
        f"phase split without {key}": without(*BOTH, key)
        for key in (
            "challenge_phase_id",
            "leaderboard_id",
            "dataset_split_id",
            "visibility",
            "leaderboard_decimal_precision",
            "is_leaderboard_order_descending",
        )
    },
    "script a folder": put("evaluation_script", "evaluation_script"),
    "script absent": put("no.zip", "evaluation_script"),
    "order not a label": put("x", "leaderboard", 0, "schema", "default_order_by"),
    "no labels": put([], "leaderboard", 0, "schema", "labels"),
    "description a .md": put("x.md", "description"),
    "five tags": put(list("abcde"), "tags"),
    "visibility 9": put(9, *BOTH, "visibility"),
    "end before start": put("2020-01-01 00:00:00", "end_date"),
    "title of 101": put("x" * 101, "title"),
    "phase description not a file": put("templates/no.html", *PHASE, "description"),
}
EVALAI_ACCEPTED = {
    **{
        f"without {key}": without(key)
        for key in ("short_description", "image", "published", "remote_evaluation", "tags", "leaderboard_description")
    },
    **{
        f"phase without {key}": without(*PHASE, key)
        for key in (
            "test_annotation_file",
            "is_public",
            "leaderboard_public",
            "max_submissions",
            "max_submissions_per_day",
            "max_submissions_per_month",
            "allowed_submission_file_types",
        )
    },
    "unknown key": put(1, "more"),
}


@pytest.mark.parametrize("change", CODABENCH_REFUSED.values(), ids=CODABENCH_REFUSED)
def test_what_codabench_refuses_is_refused(exported: Any, change: Any) -> None:
    """A change that Codabench's own code refused is refused before the upload."""
    data = (exported / "export/codabench/codabench.zip").read_bytes()
    with refuses("bundle-invalid"):
        check_codabench(changed(data, "competition.yaml", change))


@pytest.mark.parametrize("change", CODABENCH_ACCEPTED.values(), ids=CODABENCH_ACCEPTED)
def test_what_codabench_accepts_is_accepted(exported: Any, change: Any) -> None:
    """A change that Codabench's own code accepted is accepted."""
    check_codabench(changed((exported / "export/codabench/codabench.zip").read_bytes(), "competition.yaml", change))


@pytest.mark.parametrize("change", EVALAI_REFUSED.values(), ids=EVALAI_REFUSED)
def test_what_evalai_refuses_is_refused(exported: Any, change: Any) -> None:
    """A change that EvalAI's own code refused is refused before the upload."""
    data = (exported / "export/evalai/evalai.zip").read_bytes()
    with refuses("bundle-invalid", "EvalAI"):
        check_evalai(changed(data, "challenge_config.yaml", change))


@pytest.mark.parametrize("change", EVALAI_ACCEPTED.values(), ids=EVALAI_ACCEPTED)
def test_what_evalai_accepts_is_accepted(exported: Any, change: Any) -> None:
    """A change that EvalAI's own code accepted is accepted."""
    check_evalai(changed((exported / "export/evalai/evalai.zip").read_bytes(), "challenge_config.yaml", change))


def test_exported_times_are_in_utc(exported: Any) -> None:
    """The end of the track, given in the time zone UTC-12, is exported as text in UTC."""
    table = yaml.safe_load(unpack((exported / "export/codabench/codabench.zip").read_bytes())["competition.yaml"])
    assert table["phases"][0]["start"] == "2026-03-01 00:00:00"
    assert table["phases"][0]["end"] == "2026-06-02 11:59:59"
    challenge = yaml.safe_load(unpack((exported / "export/evalai/evalai.zip").read_bytes())["challenge_config.yaml"])
    assert (challenge["start_date"], challenge["end_date"]) == ("2026-03-01 00:00:00", "2026-09-01 00:00:00")


def test_the_tira_client_accepts_the_folder(exported: Any, tmp_path: Path) -> None:
    """The client's own checks accept inputs, truths and a run."""
    check = pytest.importorskip("tira.check_format")
    folder = exported / "export/tira"
    card = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])["tira_configs"]
    ok = check.FormatMsgType.OK if hasattr(check, "FormatMsgType") else check._fmt.OK
    config = card["input_format"]["config"]
    assert check.check_format(folder / card["resolve_inputs_to"], card["input_format"]["name"], config)[0] == ok
    assert check.check_format(folder / card["resolve_truths_to"], card["truth_format"]["name"])[0] == ok
    (tmp_path / "run.txt").write_bytes((EXAMPLE / "inbox/alpha/alpha-1.txt").read_bytes())
    assert check.check_format(tmp_path, card["baseline"]["format"]["name"])[0] == ok


def test_a_tira_card_without_a_part_is_refused(exported: Any) -> None:
    """A card that lacks a field which the client reads is refused before the upload."""
    folder = exported / "export/tira"
    files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    check_tira(files)
    for line in (
        b"default_upload_name",
        b'name: "arbitrary"',
        b"evaluator:",
        b"resolve_truths_to",
        b'config_name: "truths"',
    ):
        card = b"\n".join(row for row in files["README.md"].split(b"\n") if line not in row)
        with refuses("bundle-invalid", "TIRA"):
            check_tira({**files, "README.md": card})
