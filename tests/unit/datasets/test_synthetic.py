"""The synthetic collection: real in shape, the same bytes for the same seed, and systems that differ as they should."""

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

from diveval.datasets.population import SystemHabits, make_topic, rank
from diveval.datasets.synthetic import Synthetic, _pool, make_collection, synthesize
from diveval.errors import UsageError
from diveval.scenarios import generator
from support.wording import wording

LINE = re.compile(r"\d+ Q0 clueweb09-en\d{4}-\d{2}-\d{5} \d+ \d{2}\.\d{4} \S+")


@pytest.fixture(scope="module")
def made() -> Synthetic:
    """A collection large enough for its averages to mean something."""
    return synthesize(topics=30, systems=20, depth=300, seed=1)


def digest(folder: Path) -> dict[str, str]:
    """The sum of every file under a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_arguments_write_the_same_bytes(tmp_path: Path) -> None:
    """A seed decides every byte, and another seed changes every file but the shape."""
    first = digest(make_collection(tmp_path / "a", topics=3, systems=7, depth=40, seed=5))
    again = digest(make_collection(tmp_path / "b", topics=3, systems=7, depth=40, seed=5))
    other = digest(make_collection(tmp_path / "c", topics=3, systems=7, depth=40, seed=6))
    assert first == again
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first if name.endswith((".run", "qrels.txt", "weights.txt")))


def test_a_topic_does_not_depend_on_how_many_others_there_are() -> None:
    """Adding topics or systems leaves the rankings that were already there untouched."""
    small = synthesize(topics=2, systems=6, depth=50, seed=3)
    large = synthesize(topics=4, systems=9, depth=50, seed=3)
    for system in ("diverse", "random", "sys06"):
        wide = large.run(system)
        assert small.run(system) == {topic: wide[topic] for topic in ("101", "102")}


def test_files_say_what_the_collection_in_memory_says(tmp_path: Path) -> None:
    """Writing loses nothing: judgments, weights and runs read back line by line are the ones in memory."""
    folder = make_collection(tmp_path, topics=3, systems=6, depth=120, seed=2)
    made = synthesize(topics=3, systems=6, depth=120, seed=2)
    rows = [line.split(" ") for line in (folder / "qrels.txt").read_text().splitlines()]
    assert [(topic, aspect, doc, int(grade)) for topic, aspect, doc, grade in rows] == list(made.judgments())
    weights: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "weights.txt").read_text().splitlines():
        topic, aspect, weight = line.split(" ")
        weights[topic][aspect] = float(weight)
    assert weights == made.weights
    assert {path.stem for path in (folder / "runs").glob("*.run")} == set(made.runs)
    for system, run in made.runs.items():
        lines = (folder / "runs" / f"{system}.run").read_text().splitlines()
        expected = [
            f"{topic} Q0 {doc} {rank} {score:.4f} {system}"
            for topic, ranking in run.items()
            for rank, (doc, score) in enumerate(ranking, 1)
        ]
        assert lines == expected
        assert all(LINE.fullmatch(line) for line in lines)


def test_rank_and_score_never_contradict(made: Synthetic) -> None:
    """Scores fall strictly and no document comes twice, so every order rule reads the same ranking."""
    for run in made.runs.values():
        for ranking in run.values():
            scores = [score for _, score in ranking]
            assert all(above > below for above, below in itertools.pairwise(scores))
            assert scores[-1] >= 10 and scores[0] < 100
            assert len({doc for doc, _ in ranking}) == len(ranking)


def test_topics_have_weighted_aspects_and_a_pool(made: Synthetic) -> None:
    """3 to 6 aspects whose weights sum to 1, 200 to 500 judged documents, a relevant one for each aspect."""
    judged: dict[str, set[str]] = defaultdict(set)
    covered: dict[str, set[str]] = defaultdict(set)
    grades: Counter[int] = Counter()
    for topic, aspect, doc, grade in made.judgments():
        judged[topic].add(doc)
        grades[grade] += 1
        if grade > 0:
            covered[topic].add(aspect)
    assert set(judged) == set(made.weights)
    for topic, weights in made.weights.items():
        assert 3 <= len(weights) <= 6
        assert sum(weights.values()) == pytest.approx(1, abs=1e-12)
        assert min(weights.values()) >= 0.05
        assert 200 <= len(judged[topic]) <= 500
        assert covered[topic] == set(weights)
    assert {len(weights) for weights in made.weights.values()} == {3, 4, 5, 6}
    assert set(grades) == {0, 1, 2, 3, 4}
    assert grades[0] > 0.8 * grades.total()
    assert grades[1] > grades[2] > grades[3] > grades[4]


def test_pooling_judges_the_top_and_leaves_the_rest(made: Synthetic) -> None:
    """What systems rank first is judged, what they rank last mostly is not."""
    judged = {(topic, doc) for topic, _, doc, _ in made.judgments()}
    tops, tails = [], []
    for run in made.runs.values():
        for topic, ranking in run.items():
            tops += [(topic, doc) in judged for doc, _ in ranking[:5]]
            tails += [(topic, doc) in judged for doc, _ in ranking[100:]]
    assert sum(tops) > 0.95 * len(tops)
    assert sum(tails) < 0.5 * len(tails)


def test_named_systems_are_what_their_names_say(made: Synthetic) -> None:
    """Precision, coverage and length order the named systems as a reader of their names expects."""
    grades: dict[tuple[str, str], set[str]] = defaultdict(set)
    for topic, aspect, doc, grade in made.judgments():
        if grade > 0:
            grades[topic, doc].add(aspect)

    def precision(system: str) -> float:
        return sum(
            bool(grades[topic, doc]) for topic, ranking in made.run(system).items() for doc, _ in ranking[:10]
        ) / (10 * len(made.topics))

    def coverage(system: str) -> float:
        return sum(
            len(set().union(*(grades[topic, doc] for doc, _ in ranking[:10]))) / len(made.weights[topic])
            for topic, ranking in made.run(system).items()
        ) / len(made.topics)

    assert precision("perfect") == 1
    assert precision("random") < 0.1 < precision("diverse")
    assert coverage("perfect") > coverage("diverse") > coverage("redundant") > coverage("random")
    assert precision("redundant") > 0.3
    assert all(len(ranking) <= 25 for ranking in made.run("short-confident").values())
    lengths = {len(ranking) for run in made.runs.values() for ranking in run.values()}
    assert min(lengths) < 30 and max(lengths) == 300


def test_diversity_is_what_spreads_aspects() -> None:
    """Two systems that differ in nothing but diversity: the diverse one shows more aspects in its first ten."""
    plain = SystemHabits("plain", 1.5, 0.0, 0.2, 50)
    topics = [make_topic(str(number), 50, generator(1, str(number))) for number in range(100)]

    def shown_aspects(system: SystemHabits) -> int:
        tops = ((topic, rank(system, topic, generator(2, topic.name))[0][:10]) for topic in topics)
        return sum(int((topic.grades_of_all(rows) > 0).any(axis=0).sum()) for topic, rows in tops)

    assert shown_aspects(replace(plain, diversity=4.0)) > 1.05 * shown_aspects(plain)


def test_every_aspect_is_judged_relevant_somewhere() -> None:
    """Even a document that no system finds is judged if it is the only one that serves an aspect."""
    topic = make_topic("1", 1, generator(1, "1"))
    aspects = topic.grades.shape[1]
    lonely = np.zeros_like(topic.grades)
    lonely[np.arange(aspects) + 50, np.arange(aspects)] = 1
    pools = [_pool(replace(topic, grades=lonely), [], generator(seed)) for seed in range(5)]
    assert all(set(range(50, 50 + aspects)) <= set(pool.tolist()) for pool in pools)


def test_full_takes_every_list_to_the_depth() -> None:
    """The workload of the speed benchmark has systems × topics × depth lines, no fewer."""
    made = synthesize(topics=3, systems=8, depth=250, full=True)
    assert {len(ranking) for run in made.runs.values() for ranking in run.values()} == {250}


def test_topics_file_names_every_aspect(tmp_path: Path) -> None:
    """topics.xml is well formed and has one subtopic for each weighted aspect."""
    folder = make_collection(tmp_path, topics=60, systems=1, depth=5)
    topics = ElementTree.parse(folder / "topics.xml").getroot().findall("topic")
    weights = synthesize(topics=60, systems=1, depth=5).weights
    assert {topic.get("number"): len(topic.findall("subtopic")) for topic in topics} == {
        topic: len(aspects) for topic, aspects in weights.items()
    }
    queries = [topic.findtext("query") for topic in topics]
    assert len(set(queries)) == 60


def test_a_stranger_in_the_folder_is_not_mixed_in(tmp_path: Path) -> None:
    """Runs of another collection would be evaluated along with ours, so the folder is refused."""
    make_collection(tmp_path, topics=1, systems=6, depth=5)
    with pytest.raises(UsageError, match=wording(r"sys06\.run.*give another folder")):
        make_collection(tmp_path, topics=1, systems=5, depth=5)
    assert make_collection(tmp_path, topics=1, systems=6, depth=5) == tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topics": 0}, "topics must be a whole number of at least 1, not '0'"),
        ({"systems": -1}, "systems must be"),
        ({"depth": 2.5}, "depth must be"),
        ({"depth": 100_001}, "depth must be at most 100000"),
        ({"seed": True}, "seed must be"),
    ],
)
def test_impossible_sizes_are_refused(arguments: dict[str, Any], message: str) -> None:
    """A size that cannot be is named, with what would do."""
    with pytest.raises(UsageError, match=wording(message)):
        synthesize(**arguments)


def test_an_unknown_system_is_told_the_known_ones() -> None:
    """Asking for a system that is not there lists those that are."""
    with pytest.raises(UsageError, match=wording("no system 'nobody'; it has diverse, redundant")):
        synthesize(topics=1, systems=2, depth=5).run("nobody")


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    """A file in the place of the folder is said in one line."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match=wording("cannot be created")):
        make_collection(tmp_path / "taken", topics=1, systems=1, depth=1)
