"""One question, one answer: what every command, the report, the studio and a track say of the Web track of 2011."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from diveval.analysis.choose import choose
from diveval.axioms import check
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_of
from diveval.axioms.specification.constraints import AXIOMS
from diveval.conclusions import conclude
from diveval.meta.discriminative import discriminative
from diveval.metrics.names import as_metrics
from diveval.publishing.results_table import results_table
from diveval.report.axiom_section import AxiomSection
from diveval.scoring.evaluate import rank_all, score_runs
from diveval.settings import Options, RelevanceRule
from diveval.stats import compare
from diveval.stats.tests import Significance, describe_test
from diveval.studio import constraint_jobs
from diveval.studio.session import Studio
from diveval.tracks.leaderboard import share_a_letter
from diveval.views.board import MetricQuality, leaderboard
from diveval.views.survival import Doubts, survival
from support import plain_statements as plain
from support import tracks
from support.shared import THOROUGH
from support.studio_client import Client

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")]
RBU = "RBU(p=0.9,e=0.01)@20"
RANGED = "RBU(p=0.8..0.95,e=0..0.02)@20"


@pytest.fixture(scope="module")
def web2011(collection: Any) -> Any:
    """Judgments and runs."""
    found = collection(2011)
    return found.diversity, list(found.runs)


@pytest.fixture(scope="module")
def studio(realdata: Path) -> Iterator[Client]:
    """The studio with the same files, asked as its page asks."""
    folder = realdata / "web2011"
    own = Studio([folder / "qrels.diversity.txt", *sorted((folder / "runs").iterdir())])
    client = Client(own)
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    yield client
    own.close()


@pytest.fixture(scope="module")
def board(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The leaderboard of a track with the same judgments, to which one team submits all the runs."""
    folder = tmp_path_factory.mktemp("web2011")
    place, qrels, topics = folder / "track", realdata / "web2011/qrels.diversity.txt", folder / "topics.txt"
    topics.write_text("".join(f"{t}\n" for t in sorted({row.split()[0] for row in qrels.read_text().splitlines()})))
    times = ("--opens", "2026-03-01T00:00:00Z", "--closes", "2026-06-01T00:00:00Z")
    tracks.track("init", place, "--id", "web", "--topics", topics, *times, "-m", "RBU@20")
    (place / "teams.toml").write_text(tracks.TEAMS)
    tracks.edit(
        place,
        ('missing_topics = "reject"', 'missing_topics = "warn"'),
        ("max_runs_per_team = 5", "max_runs_per_team = 0"),
        ('per_team = "primary"', 'per_team = "all"'),
        ('tag = "[A-Za-z0-9][A-Za-z0-9._-]{0,19}"', 'tag = "[A-Za-z0-9][A-Za-z0-9._-]{0,39}"'),
        reason="all runs are of one team",
    )
    for name, rows in plain.read(realdata / "web2011", most=100).runs.items():
        lines = (f"{topic} Q0 {document} {n} {21 - n} {name}\n" for topic, document, n, _ in rows)
        tracks.send(place, "alpha", name, "".join(lines))
    (place / "private/qrels.txt").write_text(qrels.read_text())
    tracks.edit(place, ('qrels = ""', 'qrels = "private/qrels.txt"'), reason="judgments are there")
    tracks.track("decide", "judged", "--track", place, "--reason", "first judgments")
    scored: dict[str, Any] = tracks.scored(place)
    return scored


def test_do_two_runs_differ_by_rbu(web2011: Any, studio: Client, board: Any) -> None:
    """compare, its letters, the table of a paper, discriminative power, the report, choose, conclusions, the studio and
    the leaderboard of a track name the same pairs."""
    judgments, runs = web2011
    scores = score_runs(judgments, runs, as_metrics([RBU]), Options())
    compared = compare(scores, "RBU@20")  # bare RBU is the same metric
    answer = {frozenset((row.run, row.other)) for row in compared.rows if row.significant}
    assert compared.metric == RBU and 0 < len(answer) < len(compared.rows)
    pairs = len(compared.rows)
    letters = {run.run: set(run.letters or "") for run in compared.runs}
    table = results_table(scores)
    marks = {run: set(cells[0].mark) for run, cells in zip(table.runs, table.cells, strict=True)}
    for shared in (letters, marks):
        apart = {frozenset((a, b)) for a, b in combinations(shared, 2) if not shared[a] & shared[b]}
        assert apart == answer
    power = discriminative(scores)
    shown = MetricQuality.of(scores).power
    assert shown is not None
    for one in (power, shown):
        decided = {frozenset(p) for p, level in zip(one.pairs, one.asl[0], strict=True) if level < one.alpha}
        assert decided == answer
    concluded = conclude(judgments, runs, RANGED).rows
    assert {frozenset((row.better, row.worse)) for row in concluded if row.significant} == answer
    (candidate,) = [
        one for one in choose(judgments, runs, need=["length"], metrics=[RBU, "P@20"]).candidates if one.metric == RBU
    ]
    assert candidate.power == pytest.approx(len(answer) / pairs)
    asked = studio.job("/api/jobs", {"kind": "leaderboard", "metric": "RBU@20"})["result"]
    names = studio.get("/api/session").json()["collection"]["runs"]
    told = {
        frozenset((names[a], names[b])) for a, b in combinations(range(len(names)), 2) if b not in asked["alike"][a]
    }
    assert told == answer
    assert board["metric"] == RBU and len(board["rows"]) == len(runs)
    rows = combinations(board["rows"], 2)
    assert {frozenset((a["name"], b["name"])) for a, b in rows if not share_a_letter(a, b)} == answer


TESTS: list[dict[str, Any]] = [
    {"test": "tukey", "resamples": 200},
    {"test": "wilcoxon"},
    {"test": "sign", "confidence": 0.9},
    {"correction": "bh"},
    {"correction": "none"},
    {},
]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"gain": "binary"},
    {"gain": "linear"},
    {"rel": 2},
    {"missing_topics": "skip"},
    {"missing_topics": "zero"},
    {"judged_only": True},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: "-".join(map(str, one.values())) or "default")
@pytest.mark.parametrize("testing", TESTS, ids=lambda one: "-".join(map(str, one.values())) or "default")
@pytest.mark.parametrize("year", [2009, 2011])
def test_one_answer_whatever_the_settings(
    collection: Any, year: int, setting: dict[str, Any], testing: dict[str, Any]
) -> None:
    """With other gains, missing topics, removed documents, tests and corrections, compare, the table of a paper, choose,
    conclusions and the report name the same pairs, ranks and judged shares."""
    place = SETTINGS.index(setting) * len(TESTS) + TESTS.index(testing) + year
    if not THOROUGH and place % 5:
        pytest.skip("a fifth of the settings; all in `make thorough`")
    if setting.get("rel") and year == 2009:
        pytest.skip("grades are 0 and 1")
    found = collection(year)
    judgments, runs, options = found.diversity, list(found.runs)[:9], Options.of(**setting)
    how = Significance(**testing)
    scores = score_runs(judgments, runs, as_metrics([RBU, "P@20"]), options)
    compared = compare(scores, RBU, **asdict(how))
    answer = {frozenset((row.run, row.other)) for row in compared.rows if row.significant}
    table = results_table(scores, **asdict(how))
    marks = {run: set(cells[0].mark) for run, cells in zip(table.runs, table.cells, strict=True)}
    assert {frozenset(pair) for pair in combinations(marks, 2) if not marks[pair[0]] & marks[pair[1]]} == answer
    quality = MetricQuality.of(scores, how=how)
    board = leaderboard(scores, quality.power, how)
    column, names = board["columns"][0], scores.runs
    told = {
        frozenset((names[a], names[b])) for a, b in combinations(range(len(names)), 2) if b not in column["alike"][a]
    }
    assert told == answer and board["test"]["words"] == describe_test(compared.setup)
    ranks = dict(zip(names, map(tuple, column["ranks"]), strict=True))
    assert ranks == {run.run: run.ranks for run in compared.runs}
    concluded = conclude(judgments, runs, "RBU(p=0.89..0.9,e=0.01)@20", significance=how, options=options)
    directed = {(r.run, r.other) if r.direction > 0 else (r.other, r.run) for r in compared.rows if r.significant}
    leads = {(row.better, row.worse) for row in concluded.rows}
    assert {(row.better, row.worse) for row in concluded.rows if row.significant} == directed & leads
    chosen = choose(judgments, runs, need=["length"], metrics=[RBU, "P@20"], significance=how, options=options)
    (candidate,) = [one for one in chosen.candidates if one.metric == RBU]
    assert candidate.power == pytest.approx(len(answer) / len(compared.rows))
    assert scores.setup.judged == {run.run: run.judged for run in compared.runs} == chosen.setup.judged


def test_does_rbu_satisfy_deepth_here(web2011: Any, studio: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds for grades 2 and 3 and fails for grade 1: axioms, the matrices of the report and of the studio, choose and
    why's decisions agree."""
    judgments, runs = web2011
    verdict = check(RBU, "DeepTh")
    assert verdict.verdict == "region"
    metrics = as_metrics([RBU])
    with AxiomSection(metrics) as section:
        cells = section.finish(seconds=60.0)["rows"][0]["cells"]
    assert cells[list(AXIOMS).index("DeepTh")]["verdict"] == "region"
    monkeypatch.setattr(constraint_jobs, "SECONDS", 120.0)  # of the machine's time, which other tests share
    matrix = studio.job("/api/axioms", {"metrics": ["RBU@20"]})["result"]
    place = [axiom["name"] for axiom in matrix["axioms"]].index("DeepTh")
    shown = {key: part for key, part in matrix["rows"][0]["cells"][place].items() if key != "situation"}
    assert matrix["rows"][0]["metric"] == RBU and shown == cells[place]  # the same example, which the page can replay
    here = decide_in_data(metrics, ["DeepTh"], {RBU: levels_of(judgments, RelevanceRule())}, time_limit=30.0)[
        RBU, "DeepTh"
    ]
    assert {level.grade: answer for level, answer in here.answers} == {1.0: "fails", 2.0: "holds", 3.0: "holds"}
    found = choose(judgments, runs, need=["DeepTh"], metrics=[RBU, "P@20"])
    (candidate,) = [one for one in found.candidates if one.metric == RBU]
    assert candidate.partly == ("DeepTh",) and "DeepTh" not in (candidate.satisfied or ())
    (said,) = [one for one in found.statements if one.kind == "verdict-here"]
    assert said.facts["grades"] == {"fails": [1.0], "holds": [2.0, 3.0]}


def test_how_many_pairs_are_certain(web2011: Any, studio: Client) -> None:
    """conclusions, the report and the studio count the same pairs, and as many of them as significant."""
    judgments, runs = web2011
    found = conclude(judgments, runs, RANGED)
    options = Options()
    rankings = rank_all(judgments, runs, as_metrics([RBU]), options, keep_documents=True)
    shown = survival(judgments, rankings, options, Doubts(RANGED, None))
    assert shown["certain"] == len(found.surviving()) == found.statements[0].facts["surviving"]
    assert shown["significant"] == found.statements[0].facts["significant"]
    ends = {"p": [0.8, 0.95], "e": [0, 0.02]}
    told = studio.job("/api/jobs", {"kind": "conclusions", "metric": "RBU@20", **ends})["result"]
    assert [told[name] for name in ("certain", "significant", "rows")] == [
        shown[name] for name in ("certain", "significant", "rows")
    ]
