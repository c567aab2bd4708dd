"""The synthetic collection: realistic in shape, reproducible, and with systems that differ as intended."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from diveval.collection.scenarios import generator
from diveval.datasets.population import SystemHabits, make_topic, rank
from diveval.datasets.synthetic import Synthetic, _pool, make_collection, synthesize
from support.refusals import refuses

LINE = re.compile(r"\d+ Q0 clueweb09-en\d{4}-\d{2}-\d{5} \d+ \d{2}\.\d{4} \S+")


@pytest.fixture(scope="module")
def synthetic() -> Synthetic:
    """A collection large enough for stable averages."""
    return synthesize(topics=30, systems=20, depth=300, seed=1)


def digest(folder: Path) -> dict[str, str]:
    """The checksum of every file in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_arguments_write_the_same_bytes(tmp_path: Path) -> None:
    """The same seed gives the same bytes; another seed gives the same file names with other content."""
    first = digest(make_collection(tmp_path / "a", topics=3, systems=7, depth=40, seed=5))
    again = digest(make_collection(tmp_path / "b", topics=3, systems=7, depth=40, seed=5))
    other = digest(make_collection(tmp_path / "c", topics=3, systems=7, depth=40, seed=6))
    assert first == again
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first if name.endswith((".run", "qrels.txt", "weights.txt")))


def test_a_topic_does_not_depend_on_the_number_of_topics() -> None:
    """Adding topics or systems leaves the existing rankings unchanged."""
    small = synthesize(topics=2, systems=6, depth=50, seed=3)
    large = synthesize(topics=4, systems=9, depth=50, seed=3)
    for system in ("diverse", "random", "sys06"):
        rankings = large.run(system)
        assert small.run(system) == {topic: rankings[topic] for topic in ("101", "102")}


def test_files_equal_the_collection_in_memory(tmp_path: Path) -> None:
    """Judgments, weights and runs read back from the files equal those in memory."""
    folder = make_collection(tmp_path, topics=3, systems=6, depth=120, seed=2)
    synthetic = synthesize(topics=3, systems=6, depth=120, seed=2)
    rows = [line.split(" ") for line in (folder / "qrels.txt").read_text().splitlines()]
    assert [(topic, aspect, doc, int(grade)) for topic, aspect, doc, grade in rows] == list(synthetic.judgments())
    weights: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "weights.txt").read_text().splitlines():
        topic, aspect, weight = line.split(" ")
        weights[topic][aspect] = float(weight)
    assert weights == synthetic.weights
    assert {path.stem for path in (folder / "runs").glob("*.run")} == set(synthetic.runs)
    for system, run in synthetic.runs.items():
        lines = (folder / "runs" / f"{system}.run").read_text().splitlines()
        expected = [
            f"{topic} Q0 {doc} {rank} {score:.4f} {system}"
            for topic, ranking in run.items()
            for rank, (doc, score) in enumerate(ranking, 1)
        ]
        assert lines == expected
        assert all(LINE.fullmatch(line) for line in lines)


def test_rank_and_score_agree(synthetic: Synthetic) -> None:
    """Scores decrease strictly and no document is repeated, so every order rule reads the same ranking."""
    for run in synthetic.runs.values():
        for ranking in run.values():
            scores = [score for _, score in ranking]
            assert all(above > below for above, below in itertools.pairwise(scores))
            assert scores[-1] >= 10 and scores[0] < 100
            assert len({doc for doc, _ in ranking}) == len(ranking)


def test_topics_have_weighted_aspects_and_a_pool(synthetic: Synthetic) -> None:
    """3 to 6 aspects with weights that sum to 1, 200 to 500 judged documents, one relevant to each aspect."""
    judged: dict[str, set[str]] = defaultdict(set)
    covered: dict[str, set[str]] = defaultdict(set)
    grades: Counter[int] = Counter()
    for topic, aspect, doc, grade in synthetic.judgments():
        judged[topic].add(doc)
        grades[grade] += 1
        if grade > 0:
            covered[topic].add(aspect)
    assert set(judged) == set(synthetic.weights)
    for topic, weights in synthetic.weights.items():
        assert 3 <= len(weights) <= 6
        assert sum(weights.values()) == pytest.approx(1, abs=1e-12)
        assert min(weights.values()) >= 0.05
        assert 200 <= len(judged[topic]) <= 500
        assert covered[topic] == set(weights)
    assert {len(weights) for weights in synthetic.weights.values()} == {3, 4, 5, 6}
    assert set(grades) == {0, 1, 2, 3, 4}
    assert grades[0] > 0.8 * grades.total()
    assert grades[1] > grades[2] > grades[3] > grades[4]


def test_pooling_judges_the_top_of_the_rankings(synthetic: Synthetic) -> None:
    """Documents at the top of a ranking are judged, those further down mostly are not."""
    judged = {(topic, doc) for topic, _, doc, _ in synthetic.judgments()}
    tops, tails = [], []
    for run in synthetic.runs.values():
        for topic, ranking in run.items():
            tops += [(topic, doc) in judged for doc, _ in ranking[:5]]
            tails += [(topic, doc) in judged for doc, _ in ranking[100:]]
    assert sum(tops) > 0.95 * len(tops)
    assert sum(tails) < 0.5 * len(tails)


def test_named_systems_behave_as_their_names_say(synthetic: Synthetic) -> None:
    """Precision, coverage and length order the named systems as their names suggest."""
    grades: dict[tuple[str, str], set[str]] = defaultdict(set)
    for topic, aspect, doc, grade in synthetic.judgments():
        if grade > 0:
            grades[topic, doc].add(aspect)

    def precision(system: str) -> float:
        return sum(
            bool(grades[topic, doc]) for topic, ranking in synthetic.run(system).items() for doc, _ in ranking[:10]
        ) / (10 * len(synthetic.topics))

    def coverage(system: str) -> float:
        return sum(
            len(set().union(*(grades[topic, doc] for doc, _ in ranking[:10]))) / len(synthetic.weights[topic])
            for topic, ranking in synthetic.run(system).items()
        ) / len(synthetic.topics)

    assert precision("perfect") == 1
    assert precision("random") < 0.1 < precision("diverse")
    assert coverage("perfect") > coverage("diverse") > coverage("redundant") > coverage("random")
    assert precision("redundant") > 0.3
    assert all(len(ranking) <= 25 for ranking in synthetic.run("short-confident").values())
    lengths = {len(ranking) for run in synthetic.runs.values() for ranking in run.values()}
    assert min(lengths) < 30 and max(lengths) == 300


def test_the_diversity_setting_spreads_aspects() -> None:
    """Of two systems that differ only in diversity, the diverse one covers more aspects in its first ten."""
    plain = SystemHabits("plain", 1.5, 0.0, 0.2, 50)
    topics = [make_topic(str(number), 50, generator(1, str(number))) for number in range(100)]

    def covered_aspects(system: SystemHabits) -> int:
        tops = ((topic, rank(system, topic, generator(2, topic.name))[0][:10]) for topic in topics)
        return sum(int((topic.grades_of_all(rows) > 0).any(axis=0).sum()) for topic, rows in tops)

    assert covered_aspects(replace(plain, diversity=4.0)) > 1.05 * covered_aspects(plain)


def test_every_aspect_has_a_judged_relevant_document() -> None:
    """A document that no system returns is judged if it is the only one relevant to an aspect."""
    topic = make_topic("1", 1, generator(1, "1"))
    aspects = topic.grades.shape[1]
    single = np.zeros_like(topic.grades)
    single[np.arange(aspects) + 50, np.arange(aspects)] = 1
    pools = [_pool(replace(topic, grades=single), [], generator(seed)) for seed in range(5)]
    assert all(set(range(50, 50 + aspects)) <= set(pool.tolist()) for pool in pools)


def test_full_fills_every_list_to_the_depth() -> None:
    """With `full`, the collection has systems × topics × depth lines."""
    synthetic = synthesize(topics=3, systems=8, depth=250, full=True)
    assert {len(ranking) for run in synthetic.runs.values() for ranking in run.values()} == {250}


def test_topics_file_names_every_aspect(tmp_path: Path) -> None:
    """topics.xml is well formed and has one subtopic for each weighted aspect, and no query twice."""
    folder = make_collection(tmp_path, topics=60, systems=1, depth=5)
    topics = ElementTree.parse(folder / "topics.xml").getroot().findall("topic")
    weights = synthesize(topics=60, systems=1, depth=5).weights
    assert {topic.get("number"): len(topic.findall("subtopic")) for topic in topics} == {
        topic: len(aspects) for topic, aspects in weights.items()
    }
    queries = [topic.findtext("query") for topic in topics]
    assert len(set(queries)) == 60


def test_a_folder_with_other_runs_is_refused(tmp_path: Path) -> None:
    """Runs of another collection would be evaluated with the new ones, so the folder is refused."""
    make_collection(tmp_path, topics=1, systems=6, depth=5)
    with refuses("folder-not-empty", "sys06.run"):
        make_collection(tmp_path, topics=1, systems=5, depth=5)
    assert make_collection(tmp_path, topics=1, systems=6, depth=5) == tmp_path


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"topics": 0}, ("out-of-range", "0", "1")),
        ({"systems": -1}, ("out-of-range",)),
        ({"depth": 2.5}, ("out-of-range",)),
        ({"depth": 100_001}, ("out-of-range", "100000")),
        ({"seed": True}, ("out-of-range",)),
    ],
)
def test_impossible_sizes_are_refused(arguments: dict[str, Any], refusal: tuple[str, ...]) -> None:
    """The error for an invalid size names it and the allowed values."""
    with refuses(*refusal):
        synthesize(**arguments)


def test_the_error_for_an_unknown_system_lists_the_known_ones() -> None:
    """Asking for an unknown system is an error that lists the known ones."""
    with refuses("unknown-run", "nobody"):
        synthesize(topics=1, systems=2, depth=5).run("nobody")


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    """A file in place of the folder is an error."""
    (tmp_path / "taken").write_text("")
    with refuses("cannot-write"):
        make_collection(tmp_path / "taken", topics=1, systems=1, depth=1)
