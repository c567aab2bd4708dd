"""Arguments beyond any bound, the numbers they rest on, and verdicts kept on disk."""

import json
from dataclasses import replace
from fractions import Fraction as F

import arguments
import pytest

from diveval.axioms import AS_WRITTEN, CHARITABLE, Bounds, Verdict, cache, check, matrix
from diveval.axioms.layout import FORMATS
from diveval.axioms.paths import explore
from diveval.axioms.polynomials import Term
from diveval.axioms.solver import Solver
from diveval.axioms.subjects import subject
from diveval.errors import UsageError


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


def test_a_matrix_is_the_same_from_one_process_from_two_and_from_disk(folder):
    """Progress counts up to all cells; what was kept is not decided again."""
    asked = {"axioms": ["Conf", "Pri", "DeepTh"]}
    seen = []
    first = matrix(["RR", "P@3"], jobs=2, progress=lambda *step: seen.append(step), **asked)
    assert [v.verdict for v in first] == ["fails"] * 4 + ["holds", "holds"] + ["fails"] * 4 + ["holds", "fails"]
    assert [step[:2] for step in seen] == [(number, 12) for number in range(1, 13)]
    assert {step[2] for step in seen} == set(first) and len(first) == len(list(folder.iterdir())) == 12
    again = matrix(["RR", "P@3"], progress=lambda *step: seen.append(step), **asked)
    assert again == first == matrix(["RR", "P@3"], jobs=1, cached=False, **asked) and len(seen) == 24
    assert (first.metrics, first.axioms) == (["RR", "P@3"], ["Conf", "Pri", "DeepTh"])
    assert first.readings == ["as-written", "charitable"]
    assert str(first) == FORMATS["table"](first)
    assert first.cell("P@3", "Pri", "charitable") is first.verdicts[9]
    with pytest.raises(UsageError, match="the matrix has no cell P@3, Sat, charitable"):
        first.cell("P@3", "Sat", "charitable")


def test_a_function_in_memory_is_asked_in_this_process(folder):
    """It cannot be sent to another one, and is not kept; metrics beside it are."""

    def first(ranking):
        return ranking.relevance[0][0]

    found = matrix([first, "RR"], axioms=["Conf"], readings=["as-written"], jobs=2)
    assert [(v.metric, v.verdict) for v in found] == [("first", "fails"), ("RR", "fails")]
    assert len(list(folder.iterdir())) == 1


def test_answers_to_one_question_never_contradict_each_other():
    """On each way through, a comparison and its opposite have opposite answers, and ways that cannot be are not taken."""
    p = Term.symbol("p")
    solver = Solver({"p": [p > 0, p < 1]})

    def compared():
        return bool(p < F(1, 2)), bool(p >= F(1, 2)), bool(p > F(1, 2)), bool(p + 1 > 2)

    ways = {path.result: path.conditions for path in explore(compared, solver)}
    assert sorted(ways) == [(False, True, False, False), (False, True, True, False), (True, False, False, False)]


def test_without_an_answer_nothing_is_claimed():
    """A solver that never knows, or has no time, proves nothing: the verdict is `unknown`."""
    for metric, axiom in (
        ("RBP", "Deep"),
        ("RR", "Conf"),
        ("NRBP", "MRed"),
        ("ERR-IA@k", "AspRel"),
        ("RBP", "CloseTh"),
    ):
        verdict = check(metric, axiom, reading="charitable", time_limit=1e-9)
        assert verdict.verdict == "unknown", (metric, axiom)
    one, two = Term.symbol("a"), Term.symbol("b")
    late = Solver(deadline=0.0)
    assert late.ask([one < two]) == ("unknown", {}) and late.timeouts == 1
    assert not late.proves(one < two + 1, [one < two])
    solver = Solver()
    assert solver.ask([one < two, two < one])[0] == "unsat" and solver.proves(one < two + 1, [one < two])
    assert not solver.proves(one < two, [one <= two])
    assert solver.timeouts == 0
