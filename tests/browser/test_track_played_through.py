"""One track from `init` to the archive, with the programs of a built wheel in an environment of its own: submissions, a
pool, two assessors in a browser, a correction after the release, a withdrawal, and a copy that anyone can verify.
"""

from __future__ import annotations

import contextlib
import csv
import json
import zipfile
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from support.late import late_or_skip
from support.pages import PATIENCE
from support.wheel import build_both, install, run

late_or_skip("setuptools")
late_or_skip("yaml")
pytestmark = pytest.mark.slow(seconds=30)
TEAMS = ("alpha", "beta", "gamma")
OPEN, LATE = "2026-04-01T00:00:00Z", "2026-06-03T00:00:00Z"
QUESTION = '\n[submission.questionnaire]\ngpu = "Did you use a GPU? | yes | no"\n'
Label = tuple[str, str, str]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return install(
        build_both(folder / "sources")[1], folder / "env", "numpy", "PyYAML", "scipy"
    )  # what the extra asks for


class Organiser:
    """Runs `diveval track` of the wheel in the folder of a track."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.program, self.folder, self.place = programs / "diveval", folder, folder / "track"

    def diveval(self, *words: str | Path) -> str:
        return run(self.program, *words, cwd=self.folder).stdout

    def __call__(self, *words: str | Path) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.diveval("track", *words, "--track", self.place, "--json"))
        return answer

    def edit(self, old: str, new: str) -> None:
        path = self.place / "track.toml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))
        self("decide", "config", "--reason", "set up")


def set_up(programs: Path, folder: Path) -> Organiser:
    """A track with aspects, three teams and a question about each run; the kit is there before the first run."""
    organiser = Organiser(programs, folder)
    organiser.diveval("data", "make", "web", "--topics", "4", "--systems", "4", "--depth", "15")
    dates = ("--opens", "2026-03-01T00:00:00Z", "--closes", "2026-06-01T00:00:00Z")
    topics = ("--topics", "web/topics.xml", "-m", "alpha_nDCG@10", "-m", "StRecall@10")
    organiser.diveval("track", "init", "track", "--id", "played", "--contact", "x@example.org", *dates, *topics)
    with (organiser.place / "track.toml").open("a") as stream:
        stream.write(QUESTION)
    teams = [f'[[team]]\nid = "{name}"\nname = "Team {name}"\ncontact = "{name}@mail.example"\n' for name in TEAMS]
    (organiser.place / "teams.toml").write_text("\n".join(teams))
    organiser.edit('licence = ""', 'licence = "CC-BY-4.0"')
    organiser("export", "kit")
    return organiser


def send(organiser: Organiser, team: str, run_file: Path, at: str = OPEN) -> dict[str, Any]:
    """Check a run with the kit, as its team does, and submit it with its answers."""
    meta = organiser.folder / f"{run_file.stem}.yml"
    meta.write_text("questionnaire:\n  gpu: no\n")
    kit = organiser.place / "export/kit/kit.zip"
    words = ("--team", team, "--meta", meta)
    tried = json.loads(organiser.diveval("track", "validate", run_file, "--track", kit, *words, "--json"))
    receipt: dict[str, Any] = organiser("add", run_file, *words, "--received", at)["receipts"][0]
    assert tried["verdicts"][0]["verdict"] == receipt["verdict"] != "rejected"
    return receipt


def assess(browser: Any, page_file: Path, target: Path, truth: set[Label], *, wrong: set[Label]) -> dict[Label, int]:
    """Label everything on the page of an assessor with keys, as the truth says but for some, and export it."""
    context = browser.new_context(offline=True, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    given: dict[Label, int] = {}
    with contextlib.closing(context):
        page = context.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(page_file.as_uri())
        for topic in json.loads(page.locator("#data").inner_text())["topics"]:
            for document in topic["documents"]:
                for aspect in topic["aspects"]:
                    item = (topic["id"], aspect["id"], document["id"])
                    given[item] = int((item in truth) != (item in wrong))
                    page.keyboard.press(str(given[item]))
        assert page.locator("#count").inner_text().startswith(f"{len(given)} of {len(given)}")
        with page.expect_download() as started:
            page.locator("#export").click()
        started.value.save_as(target)
        assert not complaints
    with target.open(newline="") as stream:
        rows = {(row["topic"], row["aspect"], row["document"]): int(row["label"]) for row in csv.DictReader(stream)}
    assert rows == given
    return given


def kappa(one: dict[Label, int], two: dict[Label, int]) -> float:
    """Cohen's κ of two assessors who labelled the same items 0 or 1."""
    shares = mean(one.values()), mean(two.values())
    expected = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return (mean(one[item] == two[item] for item in one) - expected) / (1 - expected)


def release(organiser: Organiser) -> str:
    """Judge, score, rank and release; the new scoring."""
    organiser("decide", "judged", "--reason", "labels of both assessors")
    scoring = str(organiser("score")["scoring"])
    organiser("rank")
    organiser("decide", "release", "--reason", "presented")
    organiser("site")
    organiser("verify")
    return scoring


def test_a_track_is_played_from_init_to_the_archive(browser: Any, programs: Path, tmp_path: Path) -> None:
    """Every number at the end is computed again: by `evaluate`, by plain Python, and from the archive alone."""
    organiser = set_up(programs, tmp_path)
    place, runs = organiser.place, sorted((tmp_path / "web/runs").glob("*.run"))[:4]
    for team, path in zip(TEAMS, runs, strict=False):
        send(organiser, team, path)
    assert send(organiser, "gamma", runs[3], LATE)["late"]
    organiser("site")
    assert organiser("status")["phase"] == "closed"
    public = b"".join(p.read_bytes() for p in (place / "site").rglob("*") if p.is_file())
    assert not any(text in public for text in (b"Team alpha", b"<subtopic", runs[0].stem.encode()))

    pooled = organiser("pool", "--depth", "4", "--assessors", "anna", "ben")
    assert pooled["runs"] == ["S0001", "S0002", "S0003"] and list(pooled["left_out"]) == ["S0004"]
    rows = [line.split() for line in (tmp_path / "web/qrels.txt").read_text().splitlines()]
    truth = {(topic, aspect, document) for topic, aspect, document, grade in rows if float(grade) > 0}
    pages = place / "private/pool"
    anna = assess(browser, pages / "anna.html", tmp_path / "anna.csv", truth, wrong=set())
    hard = {item for number, item in enumerate(sorted(anna)) if number % 9 == 0}
    ben = assess(browser, pages / "ben.html", tmp_path / "ben.csv", truth, wrong=hard)
    organiser("labels", tmp_path / "anna.csv", "--assessor", "anna")
    report = organiser("labels", tmp_path / "ben.csv", "--assessor", "ben", "--merge", "highest")
    assert [one["missing"] for one in report["assessors"]] == [0, 0]
    assert report["agreement"][0]["coefficients"]["kappa"]["value"] == pytest.approx(kappa(anna, ben))
    assert report["disputed"] == len(hard)
    merged = place / "private/qrels-from-labels.txt"
    assert {tuple(line.split()[:3]) for line in merged.read_text().splitlines() if line.endswith(" 1")} == {
        item for item in anna if anna[item] or ben[item]
    }

    organiser.edit('qrels = ""', 'qrels = "private/qrels-from-labels.txt"')
    assert release(organiser) == "R0001"
    corrected = tmp_path / "ben-again.csv"
    lines = (tmp_path / "ben.csv").read_text().splitlines()
    right = [f"{line[:-1]}{anna[tuple(next(csv.reader([line]))[1:4])]}" for line in lines[1:]]  # type: ignore[index]
    corrected.write_text("\n".join([lines[0], *right]) + "\n")
    report = organiser("labels", corrected, "--assessor", "ben", "--merge", "highest")
    assert report["changed"] == {str(corrected): len(hard)} and report["disputed"] == 0
    organiser("decide", "withdraw", "S0002", "--reason", "a fault in the index")
    assert release(organiser) == "R0002"
    check_results(organiser, runs, merged)
    check_archive(organiser, tmp_path)


def check_results(organiser: Organiser, runs: list[Path], merged: Path) -> None:
    """The published means are those of `evaluate` with the judgments that the assessors made."""
    with (organiser.place / "site/results.csv").open(newline="") as stream:
        published = {row["submission"]: row for row in csv.DictReader(stream)}
    assert set(published) == {"S0001", "S0002", "S0003", "S0004"}
    words = ["-m", "alpha_nDCG@10", "-m", "StRecall@10", "-f", "csv", "--order", "score", "--ties", "docno-desc"]
    table = organiser.diveval("evaluate", merged, *runs, *words)
    values = {(row[0], row[1]): float(row[3]) for row in csv.reader(table.splitlines()[1:])}
    metrics = {metric for _, metric in values}
    assert len(metrics) == 2
    for submission, path in zip(("S0001", "S0003", "S0004"), (runs[0], runs[2], runs[3]), strict=True):
        for metric in metrics:
            assert float(published[submission][metric]) == values[path.stem, metric]
    assert not any(published["S0002"][metric] for metric in metrics)


def check_archive(organiser: Organiser, folder: Path) -> None:
    """It verifies by itself with the announced head, and has nothing of the run that was withdrawn, nor of assessors."""
    organiser("export", "archive")
    (packed,) = (organiser.place / "export/archive").glob("*.zip")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder / "copy")
    head = organiser("status")["record"]["hash"]
    told = organiser.diveval("track", "verify", folder / "copy/data", "--head", head, "--json")
    items = {item["what"]: item["result"] for item in json.loads(told)["items"]}
    assert items["scores/R0002/scores.csv"] == items["boards/R0002.json"] == "same"
    withdrawn = json.loads((organiser.place / "private/received/S0002.json").read_text())
    for path in (path for path in (folder / "copy").rglob("*") if path.is_file()):
        content = path.read_bytes()
        for text in (
            f'"{withdrawn["name"]}"',
            f" {withdrawn['name']}\n",
            withdrawn["sha256"],
            "anna",
            "ben,",
            "mail.example",
        ):
            assert text.encode() not in content, (path.name, text)
