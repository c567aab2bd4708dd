"""What the page scores itself: the playground's rankings and the edits of what-if have the values that Python computes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from diveval.datasets import make_collection
from diveval.metrics import as_metric
from diveval.metrics.catalogue import OWN
from diveval.studio.session import Studio
from support.pages import settled
from support.shared import times
from support.studio_page import Served, go, ready

OWN_METRICS = [as_metric(entry.name).name for entry in OWN if entry.name not in ("nRBU", "Judged")]
EDITED = [
    as_metric(name).name
    for name in ("RBU(e=0.05)@20", "alpha_nDCG@10", "RBU(scale=evall)", "ERR_IA@5", "P@5", "AP_IA", "StRecall")
]
CLOSE = 1e-12

BOTH_EDITS = """async ({ edit, run, other, depth, options, metrics }) => {
  const { job, post } = await import("/api.js"), { scoreEdit } = await import("/edits.js");
  const about = { edit, run, options, ...(edit === "swap" ? { other } : {}) };
  const { result: lists } = await job("/api/jobs", { kind: "lists", ...about });
  const read = await Promise.all(metrics.map((text) => post("/api/metric", { text })));
  const { result } = await job("/api/jobs", { kind: "whatif", ...about, depth, metrics });
  return [scoreEdit(lists, edit, depth, read), result];
}"""
BOTH_PLAYS = """async ({ ranking, metrics, walk }) => {
  const { job, post } = await import("/api.js"), { playCurve, playValues } = await import("/playscore.js");
  const read = await Promise.all(metrics.map((text) => post("/api/metric", { text })));
  const here = { ...playValues(ranking, read), ...playCurve(ranking, await post("/api/metric", { text: walk })) };
  const { result } = await job("/api/playground", { metrics, rankings: [ranking], walk, wait: 20 });
  return [here, result.results[0]];
}"""


RUNS = ("perfect", "diverse", "redundant", "short-confident")


@pytest.fixture(scope="module")
def gaps(standing: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page with runs that lack topics, a topic without a relevant document, and repeated documents."""
    made = make_collection(tmp_path_factory.mktemp("gaps"), topics=5, systems=8, depth=15, seed=3)
    judged = made / "qrels.txt"
    lines = judged.read_text().splitlines()
    topics = list(dict.fromkeys(line.split()[0] for line in lines))
    judged.write_text("".join(f"{line[:-1] + '0' if line.startswith(topics[0]) else line}\n" for line in lines))
    files = [made / "runs" / f"{name}.run" for name in RUNS]
    for lacks, path in zip(([topics[1]], [topics[1], topics[2]], [], [topics[3]]), files, strict=True):
        path.write_text("".join(f"{x}\n" for x in path.read_text().splitlines() if x.split()[0] not in lacks))
    served = Served(Studio([judged, *files], weights=made / "weights.txt"))
    yield ready(standing.open(served.address))
    served.close()


@pytest.mark.parametrize("seed", range(times(8, 80)))
def test_an_edit_has_the_effect_that_python_computes(gaps: Any, seed: int) -> None:
    """For any edit and options: documents removed, means before and after, and how many topics rose and fell."""
    rng = random.Random(seed)
    run, other = rng.sample(RUNS, 2)
    edit = ("cut", "swap", "redundant", "repeated")[seed % 4]
    options = {
        "missing_topics": rng.choice(["worst", "zero", "skip"]),
        "empty_topics": rng.choice(["score", "skip"]),
        "gain": rng.choice(["exponential", "linear", "binary"]),
    }
    body = {"edit": edit, "run": run, "other": other, "depth": rng.randint(1, 15), "options": options}
    here, there = gaps.evaluate(BOTH_EDITS, {**body, "metrics": EDITED})
    assert here["removed"] == there["removed"]
    assert [one["run"] for one in here["runs"]] == [one["run"] for one in there["runs"]]
    for one, two in zip(here["runs"], there["runs"], strict=True):
        for metric in EDITED:
            assert one["metrics"][metric] == pytest.approx(two["metrics"][metric], abs=CLOSE), metric


@pytest.mark.parametrize("seed", range(times(6, 60)))
def test_a_ranking_has_the_values_that_python_computes(page: Any, seed: int) -> None:
    """Every metric, the curve of gain, effort and utility, and the best rank to stop at."""
    rng = random.Random(seed)
    aspects = rng.randint(1, 4)
    rows = [[rng.choice([0, 0, 0.25, 0.5, rng.random(), 1]) for _ in range(aspects)] for _ in range(rng.randint(0, 11))]
    kept = rng.randint(0, len(rows))
    ranking = {"relevance": rows[:kept], "bench": rows[kept:], "weights": [rng.random() + 0.01 for _ in range(aspects)]}
    walk = rng.choice(["RBU(p=0.9,e=0.1)", "EU(e=0.2)", "RBU(novelty=best)@3", "RBU(scale=evall)"])
    here, there = page.evaluate(BOTH_PLAYS, {"ranking": ranking, "metrics": OWN_METRICS, "walk": walk})
    assert here["values"] == pytest.approx(there["values"], abs=CLOSE)
    assert here["stop"] == there["stop"]
    for line in ("gain", "effort", "utility"):
        assert here["curve"][line] == pytest.approx(there["curve"][line], abs=CLOSE), line


def test_playing_and_editing_ask_the_server_for_no_score(page: Any, standing: Any) -> None:
    """A change in the playground sends nothing; what-if fetches the lists once, and another depth sends nothing."""
    go(page, "playground")
    settled(page)
    start = len(standing.requests)
    page.select_option("#preset", "Conf")
    page.wait_for_selector("#values .verdict.yes")
    before = page.inner_text("#values")
    page.fill("tr[data-where=list] td.r input >> nth=0", "0.9")
    page.wait_for_function("(before) => document.querySelector('#values').innerText !== before", arg=before)
    settled(page)
    assert standing.requests[start:] == []
    go(page, "whatif")
    page.wait_for_selector("#view table tbody tr")
    settled(page)
    start = len(standing.requests)
    page.fill("#depth", "3")
    page.press("#depth", "Enter")
    page.wait_for_function("() => document.activeElement.id !== 'x' && document.querySelector('#view .change.down')")
    settled(page)
    assert standing.requests[start:] == []
