"""The site: what it shows before and after release, that it needs no other files, and that its data verifies."""

from __future__ import annotations

import csv
import json
import re
import shutil
import statistics
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diveval.tracks.site.details import topics
from support.reports import leave_axioms_out
from support.tracks import (
    EXAMPLE,
    answer,
    board,
    edit,
    filled,
    judge,
    ranked,
    released,
    run_text,
    scored,
    send,
    small,
    track,
)

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out


class _Page(HTMLParser):
    """The tags, links and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: Any, attrs: Any) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: Any) -> None:
        self.words.append(data)


def pages(folder: Path) -> dict[str, _Page]:
    return {p.relative_to(folder).as_posix(): _Page(p.read_text("utf-8")) for p in sorted(folder.rglob("*.html"))}


def text_of(page: _Page) -> str:
    return " ".join(page.words)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A released track with its site."""
    return released(tmp_path_factory.mktemp("site"))


def test_before_release_the_site_names_no_team_and_no_run(tmp_path: Path) -> None:
    """The site has the rules, the kit and the record, but no leaderboard; pages for teams are in private/."""
    place = ranked(tmp_path)
    assert answer("site", place)["pages"] == ["index.html", "record.html", "rules.html", "topics.html"]
    site_text = " ".join(text_of(page) for page in pages(place / "site").values())
    for secret in ("alpha-1", "University", "Beta", "Gamma"):
        assert secret not in site_text
    assert "Received" in site_text
    assert (place / "site/data/kit.zip").exists()
    assert sorted(p.name for p in (place / "private/pages/run").iterdir()) == [f"S000{n}.html" for n in range(1, 5)]
    assert "University of Alpha" in (place / "private/pages/team/alpha.html").read_text()
    assert "T01" in (place / "private/pages/run/S0004.html").read_text()
    items = answer("verify", place / "site/data")["items"]
    assert {item["result"] for item in items} == {"same", "not published"}


def test_the_preview_uses_pseudonyms_and_stays_private(tmp_path: Path) -> None:
    """`site --private` shows the leaderboard before release, under pseudonyms, in private/site."""
    place = filled(tmp_path)
    track("score", place)
    shown = answer("site", place, "--private")
    assert shown["place"] == "private/site"
    index = text_of(pages(place / "private/site")["index.html"])
    assert re.search(r"\b[0-9a-f]{4}-1\b", index)
    assert "alpha-1" not in index and "Beta" not in index
    assert not (place / "site").exists()


def test_after_release_every_page_exists(published: Any) -> None:
    """The site has leaderboard, rules, topics, history, record, and a page per team, run and topic."""
    written = pages(published / "site")
    assert {"index.html", "rules.html", "topics.html", "history.html", "record.html"} <= set(written)
    assert {f"team/{t}.html" for t in ("alpha", "beta", "gamma", "organiser")} <= set(written)
    assert {f"run/S000{n}.html" for n in range(1, 5)} <= set(written)
    assert {f"topic/{n}.html" for n in range(1, 5)} <= set(written)
    index = text_of(written["index.html"])
    for word in ("Beta <Labs>", "baseline", "rejected", "4/4"):
        assert word in index
    assert "the workshop is over" in text_of(written["history.html"])
    assert "first judgments" in text_of(written["rules.html"])
    assert "T01" in text_of(written["run/S0004.html"])


def test_pages_need_no_script_and_no_network(published: Any) -> None:
    """No page has a script, image or frame; every link leads to a file of the site; every page has a strict policy."""
    root = published / "site"
    for name, page in pages(root).items():
        assert not {"script", "img", "iframe", "object", "embed", "link", "form"} & set(page.tags), name
        for target in page.links:
            if not target.startswith("#"):
                assert not re.match(r"[a-z]+:", target), target
                assert ((root / name).parent / target).resolve().is_file(), (name, target)
        text = (root / name).read_text()
        assert "default-src 'none'; style-src 'sha256-" in text.replace("&#x27;", "'")
        assert " style=" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_names_cannot_become_markup(published: Any) -> None:
    """A team called `Beta <Labs>` is text on every page."""
    for path in (published / "site").rglob("*.html"):
        assert "<Labs>" not in path.read_text()


def test_a_copy_of_the_published_data_verifies(published: Any, tmp_path: Path) -> None:
    """Verdicts, scores and board are recomputed from a copy of site/data and match; the copy has no contact address."""
    copy = shutil.copytree(published / "site/data", tmp_path / "copy")
    answered = answer("verify", copy)
    results = {item["what"]: item["result"] for item in answered["items"]}
    assert results.pop("run of S0004") == "not published"  # it was rejected
    assert set(results.values()) == {"same"}
    assert {"scores/R0001/scores.csv", "boards/R0001.json", "verdicts/S0003.json", "private/secret"} <= set(results)
    track("verify", copy, "--head", answered["record"]["hash"])
    track("verify", copy, "--head", "0" * 64, code=1)
    assert b"contact" not in (copy / "teams.toml").read_bytes()


def test_the_site_depends_on_the_track_folder_alone(published: Any, tmp_path: Path) -> None:
    """The same folder gives the same site byte for byte, even after every derived file is deleted."""
    again = shutil.copytree(published, tmp_path / "again")
    for name in ("site", "verdicts", "scores", "boards"):
        shutil.rmtree(again / name)
    track("site", again)
    first, second = (
        {p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()}
        for f in (published / "site", again / "site")
    )
    assert first == second


def test_a_change_after_release_is_a_new_edition_with_a_history(tmp_path: Path) -> None:
    """A withdrawn run is not on the next leaderboard, is listed with its reason, and the history shows the change."""
    place = released(tmp_path)
    track("decide", "withdraw", "S0002", "--track", place, "--reason", "a fault in the system")
    before = (place / "site/index.html").read_bytes()
    track("site", place)
    assert b"edition 1" in before and b"edition 1" in (place / "site/index.html").read_bytes()
    scored(place)
    track("decide", "release", "--track", place, "--reason", "without the withdrawn run")
    track("site", place)
    written = pages(place / "site")
    assert "edition 2" in text_of(written["index.html"])
    assert "a fault in the system" in text_of(written["index.html"])
    history = text_of(written["history.html"])
    assert "withdrawn" in history and "a fault in the system" in history
    results = {item["what"]: item["result"] for item in answer("verify", place / "site/data")["items"]}
    assert results["scores/R0002/scores.csv"] == results["boards/R0001.json"] == "same"
    assert set(results.values()) == {"same", "not published"}  # the withdrawn and the rejected run


def test_teams_may_stay_anonymous(tmp_path: Path) -> None:
    """With names.after_release = "team-choice" an anonymous team appears under a pseudonym on the site and in its data."""
    place = filled(tmp_path, ('after_release = "public"', 'after_release = "team-choice"'))
    teams = (place / "teams.toml").read_text()
    (place / "teams.toml").write_text(teams.replace('id = "alpha"', 'id = "alpha"\nanonymous = true'))
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    for path in (place / "site").rglob("*"):
        if path.is_file():
            assert b"alpha-1" not in path.read_bytes(), path
            assert b"University of Alpha" not in path.read_bytes(), path
    assert "differs" not in {item["result"] for item in answer("verify", place / "site/data")["items"]}


def test_nothing_set_to_never_is_published(tmp_path: Path) -> None:
    """`never` for topics, judgments and runs keeps them out of pages and data; the rest still verifies."""
    never = [(f'{name} = "after-release"', f'{name} = "never"') for name in ("per_topic", "judgments", "runs")]
    place = released(tmp_path, *never)
    assert not (place / "site/topic").exists()
    data = place / "site/data"
    assert (
        not (data / "store").exists() and not (data / "scores").exists() and not (data / "private/qrels.txt").exists()
    )
    results = {item["result"] for item in answer("verify", data)["items"]}
    assert "differs" not in results and "not published" in results


def test_a_site_with_undecided_changes_is_refused(tmp_path: Path) -> None:
    """A change without a decision stops `site` and `export` with code 4."""
    place = filled(tmp_path)
    edit(place, ("digits = 4", "digits = 3"))
    track("site", place, code=4)
    track("export", "kit", place, code=4)
    assert not (place / "site").exists()


def test_a_late_run_is_listed_until_it_is_accepted(tmp_path: Path) -> None:
    """A late run is listed without a rank and with the reason; once accepted, it is ranked."""
    place = filled(tmp_path)
    path = tmp_path / "late.txt"
    path.write_text(run_text("late", shift=2))
    receipt = answer("add", path, "--team", "gamma", "--track", place, "--received", "2026-06-01T00:00:01Z")[
        "receipts"
    ][0]
    assert receipt["late"]
    scored(place)
    track("site", place, "--private")
    (late,) = [entry for entry in board(place)["unranked"] if entry["status"] == "late"]
    assert late["why"] in text_of(pages(place / "private/site")["index.html"])
    track("decide", "accept-late", receipt["submission"], "--track", place, "--reason", "our server was down")
    scored(place)
    track("site", place, "--private")
    assert late["why"] not in text_of(pages(place / "private/site")["index.html"])


def test_the_example_has_a_site(tmp_path: Path) -> None:
    """`site` works on the track of the specification before release, and the preview shows its best mean."""
    place = Path(shutil.copytree(EXAMPLE, tmp_path / "example"))
    track("site", place)
    track("site", place, "--private")
    assert "0.7167" in text_of(pages(place / "private/site")["index.html"])


@pytest.mark.slow
def test_a_report_is_part_of_the_site_if_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`site.report = true` adds the page of `diveval report` for the runs on the board, and a link to it."""
    pytest.importorskip("scipy")
    leave_axioms_out(monkeypatch)
    place = released(tmp_path, ("report = false", "report = true"))
    text = (place / "site/report.html").read_text("utf-8")
    assert "alpha-1" in text
    assert 'href="report.html"' in (place / "site/index.html").read_text()
    track("verify", place)
    send(place, "gamma", "gamma-2", run_text("gamma-2", shift=5))
    assert {item["result"] for item in answer("verify", place)["items"]} <= {"same", "earlier"}


def test_the_board_names_the_leader_and_whether_the_lead_is_significant(published: Path) -> None:
    """The first sentence names the leader and says whether its lead over the others is significant."""
    first, second = [row for row in board(published)["rows"] if row["rank"] is not None]
    words = pages(published / "site")["index.html"].words
    sentence = next(text for text in words if text.startswith(f"{first['name']} ") and "significant" in text)
    assert bool(re.search(r"\b(no|none|not)\b", sentence)) == bool(set(first["group"]) & set(second["group"]))


def test_a_board_without_rows_lists_the_topics() -> None:
    """The page of topics lists them even where no run is ranked."""
    edition: Any = SimpleNamespace(
        per_topic=True, board={"rows": [], "metric": "P@5"}, scores=object(), queries={"1": "jaguar"}
    )
    assert "jaguar" in str(topics(edition))


def table_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_result_sheets_are_best_median_and_worst_of_the_board(published: Any) -> None:
    """Per metric and topic a run's own value and the extremes and median of the rows, computed from the scores again."""
    rows = [row["submission"] for row in board(published)["rows"]]
    values = {
        (r["run"], r["metric"], r["topic"]): float(r["value"]) for r in table_of(published / "scores/R0001/scores.csv")
    }
    for run in rows:
        sheet = table_of(published / f"site/run/{run}.csv")
        assert len(sheet) == 8
        for line in sheet:
            others = sorted(values[name, line["metric"], line["topic"]] for name in rows)
            expected = [values[run, line["metric"], line["topic"]], others[-1], statistics.median(others), others[0]]
            assert [float(line[name]) for name in ("value", "best", "median", "worst")] == expected


def test_every_run_is_listed_with_what_can_be_downloaded(published: Any) -> None:
    """The tables of results have every submission; links lead to files of the site; a rejected run has no number."""
    results = {row["submission"]: row for row in table_of(published / "site/results.csv")}
    assert list(results) == ["S0001", "S0002", "S0003", "S0004"]
    means = {row["submission"]: row["value"] for row in board(published)["rows"]}
    metric = board(published)["metric"]
    assert {name: float(results[name][metric]) for name in means} == means
    assert (results["S0004"][metric], results["S0004"]["rank"]) == ("", "")
    listed = json.loads((published / "site/results.json").read_text())["runs"]
    assert [run["submission"] for run in listed] == list(results)
    links = pages(published / "site")["runs.html"].links
    wanted = {
        "results.csv",
        "results.json",
        "data/scores/R0001/scores.csv",
        "data/boards/R0001.json",
        "data/private/qrels.txt",
    }
    assert wanted <= set(links)


def test_a_run_that_is_not_selected_shows_its_score_on_its_teams_page(tmp_path: Path) -> None:
    """The second run of a team has no rank, and its score is on the page of the team."""
    place = filled(tmp_path)
    send(place, "alpha", "alpha-2", run_text("alpha-2", shift=2), "--priority", "2")
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    metric = board(place)["metric"]
    value = next(row[metric] for row in table_of(place / "site/results.csv") if row["submission"] == "S0005")
    assert f"{float(value):.4f}" in text_of(pages(place / "site")["team/alpha.html"])
    assert next(row["status"] for row in board(place)["unranked"] if row["submission"] == "S0005") == "not selected"


def test_judgments_are_counted_on_topics_and_covered_per_run(published: Any) -> None:
    """A topic's page has its aspects with their judgments, and the page of judgments every scored run."""
    lines = [line.split() for line in (published / "private/qrels.txt").read_text().splitlines()]
    text = text_of(pages(published / "site")["topic/1.html"])
    for aspect in {line[1] for line in lines if line[0] == "1"}:
        mine = [line for line in lines if line[:2] == ["1", aspect]]
        counts = [len(mine), *(sum(line[3] == label for line in mine) for label in "012")]
        assert f"uniform {' '.join(map(str, counts))}" in " ".join(text.split())
    covered = text_of(pages(published / "site")["judgments.html"])
    assert all(name in covered for name in ("base", "alpha-1", "beta-1"))
    assert "%" in covered


def test_unpublished_judgments_are_not_counted(tmp_path: Path) -> None:
    """With site.judgments = never the site says nothing about their number or coverage."""
    place = released(tmp_path, ('judgments = "after-release"', 'judgments = "never"'))
    assert "judgments.html" not in pages(place / "site")
    assert "Aspect" not in text_of(pages(place / "site")["topic/1.html"])


def test_a_rejected_run_names_the_rule_and_quotes_nothing(published: Any) -> None:
    """Everyone sees which rules a rejected run broke; what the file says stays with its team."""
    for page in ("index.html", "runs.html", "team/gamma.html"):
        text = text_of(pages(published / "site")[page])
        assert "T01" in text or page == "team/gamma.html"
        assert "1 error" not in text


@pytest.mark.parametrize("attack", ["copied", "one line dropped", "withdrawn"])
def test_nearly_the_same_runs_are_named_to_organisers_only(tmp_path: Path, attack: str) -> None:
    """One dropped line hides a copy from the comparison of whole rankings, not from this one; nothing of it is public."""
    place = filled(tmp_path)
    lines = (EXAMPLE / "inbox/alpha/alpha-1.txt").read_text().replace("alpha-1", "sly").splitlines(keepends=True)
    text = "".join(lines[:-1] if attack == "one line dropped" else lines)
    send(place, "gamma", "sly", text)
    if attack == "withdrawn":
        track("decide", "withdraw", "S0005", "--track", place, "--reason", "by mistake")
    scored(place)
    track("site", place, "--private")
    (row,) = re.findall(r"<tbody>(.*?)</tbody>", (place / "private/site/overlap.html").read_text())
    assert all(name in row for name in ("alpha-1 (alpha)", "sly (gamma)"))
    assert "beta" not in row
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    assert not (place / "site/overlap.html").exists()
    assert not any("overlap.html" in page.links for page in pages(place / "site").values())


def test_no_name_in_a_table_is_a_formula(tmp_path: Path) -> None:
    """Participants choose names of runs, and readers open the tables in a spreadsheet; JSON has the names themselves."""
    anything = ('tag = "[A-Za-z0-9][A-Za-z0-9._-]{0,19}"', 'tag = ".*"')
    place = small(tmp_path, anything, ('name = "[A-Za-z0-9._-]{1,64}"', 'name = ".*"'))
    send(place, "alpha", "=1+1", run_text("=1+1"))
    send(place, "beta", "-b", run_text("-b", shift=1))
    judge(place)
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    with (place / "site/results.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["run"] for row in rows] == ["'=1+1", "'-b"]
    assert [run["run"] for run in json.loads((place / "site/results.json").read_text())["runs"]] == ["=1+1", "-b"]
