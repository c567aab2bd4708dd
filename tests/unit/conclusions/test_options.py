"""Conclusions match the scores of `evaluate` under the same options, and exact ties are detected."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.conclusions import conclude
from diveval.settings import Efforts, Options
from support.refusals import refuses
from support.shared import times

METRICS: dict[str, dict[str, tuple[float, float]]] = {
    "RBU(p={p},e={e})": {"p": (0.3, 1), "e": (0, 0.3)},
    "RBP(p={p})": {"p": (0.1, 0.9)},
    "RBP_IA(p={p})": {"p": (0.1, 0.9)},
    "NRBP(p={p},alpha={alpha})": {"p": (0.2, 1), "alpha": (0.1, 0.9)},
    "EU(alpha={alpha},e={e})": {"alpha": (0, 1), "e": (0, 0.3)},
    "ERR_IA": {},
    "alpha_DCG(alpha={alpha})": {"alpha": (0, 1)},
    "alpha_nDCG(alpha={alpha})": {"alpha": (0.2, 0.9)},
    "Dsharp_nDCG(lam={lam})": {"lam": (0, 1)},
    "CT(alpha={alpha},limit={limit})": {"alpha": (0, 1), "limit": (0.3, 1.5)},
}


def collection(rng: random.Random, folder: Path) -> tuple[Path, list[Path], dict[tuple[str, str], float] | None]:
    """Files of judgments with negative grades and gaps, and of runs that lack topics; weights or None."""
    topics = [str(t + 1) for t in range(rng.randint(1, 3))]
    aspects = {t: [str(a + 1) for a in range(rng.randint(1, 3))] for t in topics}
    documents = [f"d{i}" for i in range(5)]
    highest = rng.choice([1, 2, 3])
    lines = [
        f"{t} {a} {d} {rng.choice([-1, 0, *range(highest + 1)])}\n"
        for t in topics
        for a in aspects[t]
        for d in documents
        if rng.random() < 0.6
    ]
    (folder / "qrels").write_text("".join([*lines, *(f"{t} {aspects[t][0]} d9 {highest}\n" for t in topics)]))
    files = []
    for name in "abc"[: rng.choice([2, 3])]:
        covered = [t for t in topics if rng.random() < 0.85] or topics[:1]
        lists = {t: rng.sample([*documents, "d9", "u1", "u2"], rng.randint(1, 6)) for t in covered}
        text = "".join(f"{t} Q0 {d} {i} {-i} {name}\n" for t, listed in lists.items() for i, d in enumerate(listed, 1))
        files.append(folder / f"{name}.run")
        files[-1].write_text(text)
    weights = {(t, a): rng.choice([0.2, 0.5, 1.0]) for t in topics for a in aspects[t]}
    return folder / "qrels", files, weights if rng.random() < 0.4 else None


def choices(rng: random.Random) -> dict[str, Any]:
    """Random options of `evaluate`."""
    efforts = Efforts({"d0": 2.0, "u1": 0.5}, 2.0, rng.choice([0.5, 1.0])) if rng.random() < 0.3 else None
    return {
        "gain": rng.choice(["exponential", "linear", "binary"]),
        "gmax": rng.choice(["file", "per-aspect", 4.0]),
        "rel": rng.choice([None, 2]),
        "renormalise": rng.random() < 0.8,
        "empty_aspects": rng.choice(["drop", "keep"]),
        "missing_topics": rng.choice(["worst", "zero", "skip"]),
        "empty_topics": rng.choice([None, "skip"]),
        "efforts": efforts,
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(times(20, 60)))
def test_verdicts_match_the_scores_of_evaluate(tmp_path: Path, seed: int) -> None:
    """Under any options, no setting scored by `evaluate` contradicts a verdict or falls below its margin."""
    rng = random.Random(seed)
    qrels, files, weights = collection(rng, tmp_path)
    options, (text, ranges) = choices(rng), rng.choice(list(METRICS.items()))
    text += rng.choice(["", "@1", "@3"])
    metric = text.format(**{name: f"{low}..{high}" for name, (low, high) in ranges.items()})
    rows = conclude(qrels, files, metric, weights=weights, options=Options.of(**options), significance=False).rows
    points = [*itertools.product(*ranges.values())]
    points += [tuple(rng.uniform(*ends) for ends in ranges.values()) for _ in range(20)]
    settings = list(dict.fromkeys(text.format(**dict(zip(ranges, point, strict=True))) for point in points))
    scores = diveval.evaluate(qrels, files, settings, weights=weights, **options)
    reference = re.sub(r"\(.*\)", "", text)  # the defaults, which every range contains
    lead = diveval.evaluate(qrels, files, reference, weights=weights, **options).means[:, 0]
    for row in rows:
        better, worse = scores.runs.index(row.better), scores.runs.index(row.worse)
        least = float((scores.means[better] - scores.means[worse]).min())
        assert lead[better] - lead[worse] > -1e-12
        if row.verdict == "certain":
            assert 0 < row.margin <= least + 1e-9
        elif row.verdict == "flips":
            assert row.margin < 0
        else:
            assert least > -1e-9


def brute(
    folder: Path, files: list[Path], metric: str | list[str], topics: list[str], labels: tuple[int, ...]
) -> float:
    """The least lead of a over b over labels of u1 in every topic and aspect, scored by `evaluate`."""
    judged = (folder / "qrels").read_text()
    out = []
    for grades in itertools.product(labels, repeat=2 * len(topics)):
        labelled = zip(itertools.product(topics, "12"), grades, strict=True)
        (folder / "labelled").write_text(judged + "".join(f"{t} {a} u1 {g}\n" for (t, a), g in labelled))
        means = diveval.evaluate(folder / "labelled", files, metric).means
        out.append(float((means[0] - means[1]).min()))
    return min(out)


def write(folder: Path, qrels: str, **lists: str) -> tuple[Path, list[Path]]:
    """A small collection as files: `topic aspect document grade` rows and one list per run, for topic 1."""
    (folder / "qrels").write_text(qrels)
    for name, listed in lists.items():
        text = "".join(f"1 Q0 {d} {i} {-i} {name}\n" for i, d in enumerate(listed.split(), 1))
        (folder / f"{name}.run").write_text(text)
    return folder / "qrels", [folder / f"{name}.run" for name in lists]


@pytest.mark.filterwarnings("ignore")
def test_joint_bounds_allow_for_the_scale_of_rbp(tmp_path: Path) -> None:
    """(1 − p)·p^k is not monotonic in p; the joint margin over p and labels is still at most the true least lead."""
    qrels, files = write(tmp_path, "1 1 d1 1\n1 2 d2 1\n1 1 d3 0\n", a="d1 d2 u1", b="d3 d1 u1")
    rows = conclude(qrels, files, "RBP_IA(p=0.2..0.9)@3", unjudged=True, significance=False).rows
    together = next(row for row in rows if row.doubt == "all")
    settings = [f"RBP_IA(p={p})@3" for p in (0.2, 0.4, 0.6, 0.8, 0.9)]
    least = brute(tmp_path, files, settings, ["1"], (0, 1))
    assert least > 0
    assert together.verdict in ("certain", "undecided")
    assert together.margin <= least + 1e-9


@pytest.mark.filterwarnings("ignore")
def test_a_label_below_the_cutoff_can_activate_an_aspect(tmp_path: Path) -> None:
    """A relevant label beyond the cutoff makes an aspect count that had no relevant document, which halves the lead."""
    qrels, files = write(tmp_path, "1 1 d1 1\n1 1 d2 0\n1 2 d1 0\n", a="d1 d2 u1", b="d2 d1 u1")
    (row,) = conclude(qrels, files, "ERR_IA@2", unjudged=True, significance=False).rows
    least = brute(tmp_path, files, "ERR_IA@2", ["1"], (0, 1))
    assert row.verdict == "certain"
    assert least / 2 < row.margin <= least + 1e-9


@pytest.mark.parametrize("metric", ["nDCG@3", "Dsharp_nDCG(lam=0..1)@3", "alpha_nDCG(alpha=0.2..0.9)@3"])
def test_exact_ties_across_topics_are_reported(tmp_path: Path, metric: str) -> None:
    """Two systems that exchange topics tie exactly, although logarithms and ideals are irrational."""
    (tmp_path / "qrels").write_text("1 1 x 1\n1 2 y 1\n2 1 x 1\n2 2 y 1\n")
    for name, lists in (("a", ("u x y", "x u y")), ("b", ("x u y", "u x y"))):
        lines = [f"{t} Q0 {d} {i} {-i} {name}\n" for t, docs in enumerate(lists, 1) for i, d in enumerate(docs.split())]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    (row,) = conclude(tmp_path / "qrels", runs, metric, significance=False).rows
    assert (row.verdict, row.margin) == ("undecided", 0.0)
    assert row.witness


def test_contradictory_options_are_refused(tmp_path: Path) -> None:
    """unjudged excludes empty_topics="skip", and any_weights excludes renormalise=False."""
    qrels, files = write(tmp_path, "1 1 d1 1\n2 1 d1 0\n", a="d1 u1", b="u1 d1")
    for path in files:
        path.write_text(path.read_text() + path.read_text().replace("1 Q0", "2 Q0", 2))
    with refuses("conflicting-options", "empty_topics"):
        conclude(qrels, files, "ERR_IA@2", unjudged=True, options=Options.of(empty_topics="skip"))
    with refuses("conflicting-options"):
        conclude(qrels, files, "ERR_IA@2", any_weights=True, options=Options.of(renormalise=False))


@pytest.mark.parametrize(
    ("metric", "verdict"),
    [("StRecall(weights=given)@5", "flips"), ("alphabeta_nDCG@5", "undecided"), ("RBU@5", "flips")],
)
def test_every_metric_that_uses_weights_is_put_in_doubt_by_them(metric: str, verdict: str) -> None:
    """A lead that other weights reverse is never certain, whichever formula uses the weights."""
    judgments = {"1": {"a": {"d1": 1}, "b": {"d2": 1}}}
    runs = {"A": {"1": ["d1"]}, "B": {"1": ["d2", "d9"]}}
    weights = {("1", "a"): 0.7, ("1", "b"): 0.3}
    found = conclude(judgments, runs, metric, any_weights=True, weights=weights, significance=False)
    assert [row.verdict for row in found.rows] == [verdict]
