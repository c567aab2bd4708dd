"""Arguments beyond any bound, the numbers they rest on, and verdicts kept on disk."""

import json
from dataclasses import replace

import arguments
import pytest

from diveval.axioms import AS_WRITTEN, CHARITABLE, Bounds, Verdict, cache, check
from diveval.axioms.subjects import subject


def test_arguments_are_those_written_down():
    """Claims, what the solver is asked, where a lemma applies, borders and signs."""
    assert arguments.text().splitlines() == arguments.ARGUMENTS.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept" / "axioms"


def test_a_verdict_is_kept_and_found_again(folder):
    """As it was, in one file named after its key; anything damaged is not believed."""
    verdict = check("RBU", "Conf", reading="charitable")
    name = cache.key(subject("RBU"), "Conf", CHARITABLE, Bounds())
    assert cache.load(name) is None
    cache.store(name, verdict)
    assert cache.load(name) == verdict
    (path,) = folder.iterdir()
    assert path.name == f"{name}.json"
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert sorted(kept) == ["key", "sum", "verdict"] and kept["verdict"] == verdict.as_dict()
    changed = json.loads(json.dumps(kept).replace('"holds"', '"fails"'))
    for damaged in ({**kept, "key": "other"}, {**kept, "sum": "0"}, changed, {"key": name}, [], None):
        path.write_text(json.dumps(damaged), encoding="utf-8")
        assert cache.load(name) is None


def test_what_time_may_change_is_not_kept(folder):
    """`unknown` is decided again; a folder that cannot be made is no error."""
    cache.store("x", Verdict("RBU", "Conf", "charitable", "unknown"))
    assert not folder.exists()
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be", encoding="utf-8")
    cache.store("x", Verdict("RBU", "Conf", "charitable", "holds"))
    assert cache.load("x") is None


def test_a_key_is_all_that_a_verdict_depends_on(tmp_path):
    """Metric, constraint, reading, bounds and the text of a person's file; a function in memory has none."""
    path = tmp_path / "mine.py"
    path.write_text("def score(ranking):\n    return 0\n", encoding="utf-8")
    mine = subject(f"{path}:score")
    asked = [
        (subject("RBU"), "Conf", CHARITABLE, Bounds()), (subject("RBU(p=0.8)"), "Conf", CHARITABLE, Bounds()),
        (subject("RBU"), "Pri", CHARITABLE, Bounds()), (subject("RBU"), "Conf", AS_WRITTEN, Bounds()),
        (subject("RBU"), "Conf", CHARITABLE, Bounds(longest=5)), (mine, "Conf", CHARITABLE, Bounds()),
        (subject("RBU"), "Conf", replace(CHARITABLE, swap="any"), Bounds()),
    ]  # fmt: skip
    keys = [cache.key(*question) for question in asked]
    assert len(set(keys)) == len(keys) and all(len(key) == 64 for key in keys)
    assert keys == [cache.key(*question) for question in asked]
    path.write_text("def score(ranking):\n    return 1\n", encoding="utf-8")
    assert cache.key(mine, "Conf", CHARITABLE, Bounds()) != keys[5]
    assert cache.key(subject(lambda ranking: 0), "Conf", CHARITABLE, Bounds()) is None
