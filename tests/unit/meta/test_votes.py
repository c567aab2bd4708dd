"""Bradley–Terry with ties against statsmodels, scipy and simulation; spam weights; votes on answers; axioms as predictors."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

from diveval.cli import main
from diveval.meta import rank_by_votes
from diveval.meta.preference_agreement import people_agreement
from diveval.meta.votes import Votes
from diveval.reading.preferences import Preference, read_preferences
from diveval.results.scores import Scores
from diveval.stats.bradley_terry import fit
from support.judged import quietly
from support.late import late_or_skip
from support.refusals import refuses, warns
from support.shared import times

discrete = late_or_skip("statsmodels.discrete.discrete_model")
optimize = late_or_skip("scipy.optimize")
PLACES = np.array([(a, b) for a in range(4) for b in range(a)], dtype=np.intp)


@pytest.mark.parametrize("seed", range(times(10, 300)))
def test_without_ties_strengths_are_those_of_a_logistic_regression(seed: int) -> None:
    """θ equals statsmodels' logit of the winner on the two systems, up to the constant that is set to sum 0."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (len(PLACES), 3)).astype(float)
    counts[:, 2] = 0
    found = fit(PLACES[:, 0], PLACES[:, 1], counts, 4)
    design = np.zeros((2 * len(PLACES), 4))
    for i, (a, b) in enumerate(PLACES):
        design[[i, len(PLACES) + i], a], design[[i, len(PLACES) + i], b] = 1, -1
    repeats = counts[:, :2].T.ravel().astype(int)
    rows = np.repeat(design[:, 1:], repeats, axis=0)
    won = np.repeat([1.0] * len(PLACES) + [0.0] * len(PLACES), repeats)
    theirs = np.concatenate([[0.0], discrete.Logit(won, rows).fit(disp=0, tol=1e-14, maxiter=200).params])
    assert found.theta == pytest.approx(theirs - theirs.mean(), abs=1e-9)
    assert found.tie == -math.inf


@pytest.mark.parametrize("seed", range(times(5, 50)))
def test_with_ties_no_other_parameters_are_more_likely(seed: int) -> None:
    """The likelihood of Davidson's model, written out, has its maximum where scipy's search ends too."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (len(PLACES), 3)).astype(float)

    def loss(x: np.ndarray) -> float:
        a, b = np.exp(x[PLACES[:, 0]]), np.exp(x[PLACES[:, 1]])
        parts = np.stack([a, b, math.exp(x[4]) * np.sqrt(a * b)], axis=1)
        return -float((counts * np.log(parts / parts.sum(axis=1, keepdims=True))).sum())

    found = fit(PLACES[:, 0], PLACES[:, 1], counts, 4)
    theirs = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    assert found.theta == pytest.approx(theirs.x[:4] - theirs.x[:4].mean(), abs=1e-5)
    assert found.tie == pytest.approx(theirs.x[4], abs=1e-5)
    assert loss(np.append(found.theta, found.tie)) <= theirs.fun + 1e-9


TRUE = {"A": 0.8, "B": 0.2, "C": -1.0}


def _vote(seed: int, *, topics: int = 60, spam: bool = False) -> list[Preference]:
    """Votes of two voters by Davidson's model with ν = 1, and of one who votes at random."""
    rng = np.random.default_rng(seed)
    out = []
    for t in range(topics):
        for a, b in (("A", "B"), ("A", "C"), ("B", "C")):
            weights = np.exp([TRUE[a], TRUE[b], (TRUE[a] + TRUE[b]) / 2])
            for voter in ("x", "y", *(["spam"] if spam else [])):
                chances = np.full(3, 1 / 3) if voter == "spam" else weights / weights.sum()
                out.append(Preference(f"t{t}", a, b, int(rng.choice([1, -1, 0], p=chances)), voter))
    return out


def test_true_strengths_are_within_their_intervals() -> None:
    """In simulated votes 90 % intervals cover the strengths that votes were drawn with in about that many draws."""
    covered = []
    for seed in range(times(8, 200)):
        result = rank_by_votes(_vote(seed, topics=40), resamples=100, confidence=0.9)
        covered += [row.low <= TRUE[row.run] <= row.high for row in result.rows if row.low is not None and row.high]
    assert 0.8 <= np.mean(covered) <= 1.0


def test_a_voter_who_votes_at_random_gets_little_weight() -> None:
    """The spammer has the lowest weight, and the strengths move towards those of earnest votes alone."""
    votes = _vote(1, topics=80, spam=True)
    weighed, plain = rank_by_votes(votes, weigh_voters=True, resamples=100), rank_by_votes(votes, resamples=100)
    clean = rank_by_votes([p for p in votes if p.assessor != "spam"], resamples=100)
    assert weighed.voters[0].voter == "spam" and weighed.voters[0].weight < 0.5 < weighed.voters[1].weight

    def apart(result: Votes) -> float:
        truth = {row.run: row.strength for row in clean.rows}
        return sum(abs(row.strength - truth[row.run]) for row in result.rows)

    assert apart(weighed) < apart(plain)


def test_a_weight_counts_as_that_many_votes() -> None:
    """A vote of weight 2 is two votes; one of weight 0 is none."""
    votes = _vote(2, topics=10)
    doubled = [Preference(p.topic, p.first, p.second, p.preferred, p.assessor, 2.0) for p in votes]
    none = Preference("t0", "C", "A", 1, "x", 0.0)
    strengths = [
        {r.run: r.strength for r in rank_by_votes(v, resamples=100).rows} for v in (votes, doubled, [*votes, none])
    ]
    assert strengths[0] == pytest.approx(strengths[1]) and strengths[0] == pytest.approx(strengths[2])


def test_faults_of_votes() -> None:
    """Runs that nobody compared are refused; one that always wins is warned of and stays finite; one topic: no interval."""
    with refuses("no-shared-run"):
        rank_by_votes([Preference("1", "A", "B", 1), Preference("1", "C", "D", 1)])
    with warns("unbounded-strength"):
        result = rank_by_votes([Preference(str(t), "A", "B", 1) for t in range(9)], resamples=100)
    assert result.rows[0].run == "A" and math.isfinite(result.rows[0].strength)
    with warns("too-few-topics"):
        result = rank_by_votes([Preference("1", "A", "B", 1), Preference("1", "B", "A", 1)], resamples=100)
    assert result.rows[0].low is None
    with refuses("missing-value"):
        rank_by_votes([Preference("1", "A", "B", 1), Preference("1", "B", "A", 1)], weigh_voters=True)
    with refuses("empty-input"):
        rank_by_votes([])


def test_the_command_reads_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`meta votes` prints the rows of the function; an invalid weight is an error with its line."""
    votes = _vote(3, topics=20)
    word = {1: "a", -1: "b", 0: "tie"}
    lines = [f"{p.topic},{p.first},{p.second},{word[p.preferred]},{p.assessor},0.5\n" for p in votes]
    (tmp_path / "v.csv").write_text("topic,a,b,preferred,voter,weight\n" + "".join(lines))
    assert main(["meta", "votes", str(tmp_path / "v.csv"), "-f", "csv", "--weigh-voters", "--resamples", "100"]) == 0
    printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = rank_by_votes(read_preferences(tmp_path / "v.csv").rows, weigh_voters=True, resamples=100)
    assert [float(row["strength"]) for row in printed] == [row.strength for row in expected.rows]
    assert main(["meta", "votes", str(tmp_path / "v.csv"), "--resamples", "100"]) == 0
    (tmp_path / "bad.csv").write_text("topic,a,b,preferred,weight\n1,A,B,a,-2\n")
    with refuses("invalid-weight", "-2"):
        read_preferences(tmp_path / "bad.csv")


def test_axioms_predict_as_their_metrics_agree() -> None:
    """The row of an axiom is the mean agreement of metrics that satisfy it, less that of metrics that fail it."""
    rng = np.random.default_rng(0)
    topics = [f"t{t}" for t in range(12)]
    scores = Scores.of(rng.random((2, 3, 12)), runs=["A", "B"], metrics=["m", "n", "o"], topics=topics)
    votes = [Preference(t, "A", "B", int(rng.choice([-1, 1]))) for t in topics]
    verdicts = {"m": {"Sat": True, "Red": True}, "n": {"Sat": True, "Red": True}, "o": {"Sat": False, "Red": True}}
    result = people_agreement(scores, votes, verdicts=verdicts, resamples=200)
    agreement = {row.metric: row.agreement or 0.0 for row in result.rows}
    (row,) = result.axioms
    assert (row.axiom, row.satisfying, row.failing) == ("Sat", 2, 1)
    assert row.difference == pytest.approx((agreement["m"] + agreement["n"]) / 2 - agreement["o"])
    assert row.low is not None and row.high is not None and row.low <= row.difference <= row.high


def test_agreement_with_people_on_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`meta agreement` takes files of answers where it takes rankings: here people prefer what covers more nuggets."""
    labels = {"good": "support", "bad": "not_support"}
    for run, label in labels.items():
        lines = [
            {"qid": f"q{q}", "run_id": run, "answer_text": "x", "nuggets": [
                {"text": "n", "importance": "vital", "assignment": label},
                {"text": "o", "importance": "okay", "assignment": "support"}]}
            for q in range(5)
        ]  # fmt: skip
        (tmp_path / f"{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    votes = "".join(f"q{q},good,bad,a\n" for q in range(5))
    (tmp_path / "v.csv").write_text("topic,a,b,preferred\n" + votes)
    words = [str(tmp_path / "good.jsonl"), str(tmp_path / "bad.jsonl"), "--preferences", str(tmp_path / "v.csv")]
    assert main(["meta", "agreement", *words, "-m", "Coverage", "-f", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["metric"], float(row["agreement"])) == ("Coverage", 1.0)
    assert main(["meta", "agreement", *words, "-m", "Coverage", "--axioms"]) == 2
    assert quietly(lambda: main(["meta", "agreement", *words])) == 0
