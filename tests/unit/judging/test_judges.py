"""`diveval.judges`: estimates by people, model and both, agreement of labels, bias, and refusals."""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.cli import main
from diveval.errors import DivevalError, InputError, UsageError
from diveval.judging.judges import Judges
from diveval.meta.correlation import kendall_tau, tau_ap
from support.judged import Labels, codes_of_warnings, make_labels, make_runs, quietly, spoil
from support.late import late

special = late("scipy.special")
HEADER = "run,against,metric,estimator,estimate,low,high,topics_people,topics_model,lambda"
METRICS = ["RBU(p=0.9,e=0.01)@5", "ERR_IA@5"]
TRUTH = make_labels(60)
MODEL = spoil(TRUTH, 0.4)
PEOPLE = {topic: TRUTH[topic] for topic in list(TRUTH)[::3]}
RUNS = make_runs(list(TRUTH))


def _judge(people: Labels = PEOPLE, model: Labels = MODEL, runs: Any = RUNS, **more: Any) -> Judges:
    return quietly(lambda: diveval.judges(people, model, runs, more.pop("metrics", METRICS), resamples=200, **more))


def _plain(y: list[float], f: list[float], rest: list[float]) -> dict[str, tuple[float, float, float]]:
    """Estimate and both ends by people, model and both, from the formulas, in plain Python."""
    n, count = len(y), len(rest)
    everything = f + rest
    covariance = sum((a - statistics.fmean(y)) * (b - statistics.fmean(f)) for a, b in zip(y, f, strict=True)) / n
    tuning = min(1.0, max(0.0, covariance / ((1 + n / count) * statistics.variance(everything))))
    corrected = [a - tuning * b for a, b in zip(y, f, strict=True)]
    both = tuning * statistics.fmean(rest) + statistics.fmean(corrected)
    error = math.sqrt(tuning**2 * statistics.variance(rest) / count + statistics.variance(corrected) / n)

    def ends(mean: float, error: float, size: int) -> tuple[float, float, float]:
        margin = float(special.stdtrit(size - 1, 0.975)) * error
        return mean, mean - margin, mean + margin

    return {
        "people": ends(statistics.fmean(y), statistics.stdev(y) / math.sqrt(n), n),
        "model": ends(statistics.fmean(everything), statistics.stdev(everything) / math.sqrt(n + count), n + count),
        "both": ends(both, error, n),
    }


def test_estimates_follow_the_formulas_from_the_scores_of_evaluate() -> None:
    """Every row equals the formulas in plain Python on the scores of `evaluate` under each judge's labels."""
    people, model = (diveval.evaluate(labels, RUNS, METRICS) for labels in (PEOPLE, MODEL))
    result = _judge()
    assert len(result.rows) == 2 * 3 * (3 + 3)
    for row in result.rows:
        own, other = (
            {
                topic: value - (scores.per_topic(row.against, row.metric)[topic] if row.against else 0.0)
                for topic, value in scores.per_topic(row.run, row.metric).items()
            }
            for scores in (people, model)
        )
        expected = _plain([*own.values()], [other[t] for t in own], [v for t, v in other.items() if t not in own])
        assert (row.estimate, row.low, row.high) == pytest.approx(expected[row.estimator], abs=1e-9)
        sizes = {"people": (20, 0), "model": (0, 60), "both": (20, 60)}
        assert (row.topics_people, row.topics_model) == sizes[row.estimator]
        assert (row.tuning is not None) == (row.estimator == "both")


def test_saved_topics_are_those_at_which_people_alone_are_as_sure() -> None:
    """With n + saved topics of the same variance the people's interval is no wider than by both; with one less it is."""
    result = _judge()
    people = diveval.evaluate(PEOPLE, RUNS, METRICS)
    for row in result.rows:
        if row.estimator != "both" or row.against:
            continue
        assert row.saved is not None and row.low is not None and row.high is not None
        sd, n = statistics.stdev(people.per_topic(row.run, row.metric).values()), 20 + row.saved
        widths = [2 * float(special.stdtrit(k - 1, 0.975)) * sd / math.sqrt(k) for k in (n, n - 1)]
        assert widths[0] <= (row.high - row.low) * (1 + 1e-9)
        assert row.saved == 0 or widths[1] > row.high - row.low


def test_the_bias_is_the_mean_difference_of_the_judges() -> None:
    """b(s) is the mean of f − y over the shared topics, and pairs are the differences of two biases."""
    result = _judge()
    people, model = (diveval.evaluate(labels, RUNS, METRICS) for labels in (PEOPLE, MODEL))
    bias = {}
    for row in result.bias.systems:
        y, f = people.per_topic(row.run, row.metric), model.per_topic(row.run, row.metric)
        bias[row.run, row.metric] = statistics.fmean(f[t] - y[t] for t in y)
        assert row.bias == pytest.approx(bias[row.run, row.metric], abs=1e-12)
    for pair in result.bias.pairs:
        assert pair.difference == pytest.approx(bias[pair.run, pair.metric] - bias[pair.other, pair.metric], abs=1e-12)
    for order in result.bias.order:
        means = [
            [statistics.fmean(s.per_topic(r, order.metric)[t] for t in people.topics) for r in RUNS]
            for s in (people, model)
        ]
        assert order.tau == pytest.approx(kendall_tau(*means)) and order.tau_ap == pytest.approx(tau_ap(*means))


def test_a_judge_who_favours_a_run_is_found() -> None:
    """A model that marks all documents of one run as relevant favours that run significantly, and turns its order."""
    ranked = {"good": {}, "bad": {}}  # type: dict[str, dict[str, list[str]]]
    truth: Labels = {}
    model: Labels = {}
    rng = np.random.default_rng(5)
    for t in range(80):
        topic = f"t{t}"
        ranked["good"][topic], ranked["bad"][topic] = ["g1", "g2", "g3"], ["b1", "b2", "b3"]
        truth[topic] = {
            "a": {
                **{f"g{i}": float(rng.random() < 0.6) for i in (1, 2, 3)},
                **{f"b{i}": float(rng.random() < 0.2) for i in (1, 2, 3)},
            }
        }
        model[topic] = {"a": {**truth[topic]["a"], "b1": 1.0, "b2": 1.0, "b3": 1.0}}
    people = {topic: truth[topic] for topic in list(truth)[:40]}
    result = _judge(people, model, ranked, metrics=["P@3"])
    (pair,) = result.bias.pairs
    assert pair.significant and pair.difference < 0 and [row.run for row in result.bias.reversed] == ["good"]
    both = result.row("good", "P@3", "bad", "both")
    assert both.significant and both.estimate is not None and both.estimate > 0


def test_labels_are_matched_by_document_where_the_aspect_is_a_constant() -> None:
    """Aspects `0` and `Q0`, one for each judge, do not keep items apart; every item left out is counted."""
    people = {t: {"0": {"d1": 1.0, "d2": 0.0, "x": 1.0}} for t in PEOPLE}
    model = {t: {"Q0": {"d1": 1.0, "d2": 1.0, "y": 0.0, "z": 0.0}} for t in TRUTH}
    with codes_of_warnings() as codes:
        (found,) = diveval.judges(people, model, RUNS, "P@5", resamples=100).agreement
    assert (found.items, found.topics, found.first_only, found.second_only) == (40, 20, 20, 40)
    assert (found.topics_first_only, found.topics_second_only) == (0, 40)
    assert found.confusion == ((0, 20), (0, 20)) and found.value("agreement") == 0.5
    assert "unpaired-labels" in codes and "constant-labels" in codes


def test_several_models_are_averaged() -> None:
    """With further models f is the mean of their scores, and the labels of every two judges are compared."""
    other = spoil(TRUTH, 0.7, seed=9)
    result = _judge(models=[other])
    scores = [diveval.evaluate(labels, RUNS, METRICS) for labels in (MODEL, other)]
    for run in RUNS:
        expected = statistics.fmean(s[run, METRICS[0]] for s in scores)
        assert result.row(run, METRICS[0], estimator="model").estimate == pytest.approx(expected)
    assert len(result.agreement) == 3 and len(result.models) == 2


def test_any_function_is_a_metric() -> None:
    """A user's function of a ranking is estimated like a metric of the catalogue."""

    def first(ranking: diveval.Ranking) -> float:
        return float(ranking.relevance[:, :1].max(initial=0) > 0)

    result = _judge(metrics=[first])
    assert {row.metric for row in result.rows} == {"first"}


@pytest.mark.parametrize(
    ("people", "model", "code"),
    [
        (PEOPLE, TRUTH, "same-judge"),
        (PEOPLE, {t: {"a": dict.fromkeys(["d0", "d1", "d2", "d3"], 1.0)} for t in TRUTH}, "constant-labels"),
        (PEOPLE, {t: {"a": MODEL[t]["a"], "b": {"d0": 1.0}} for t in TRUTH}, "unpaired-labels"),
        ({t: TRUTH[t] for t in list(TRUTH)[:3]}, MODEL, "too-few-topics"),
        (PEOPLE, {t: MODEL[t] for t in list(MODEL)[:30]}, "topics-left-out"),
        (PEOPLE, {t: MODEL[t] for t in PEOPLE}, "no-model-topic"),
        (
            PEOPLE,
            {t: {a: {d: 2 * g for d, g in by.items()} for a, by in MODEL[t].items()} for t in MODEL},
            "different-scales",
        ),
    ],
)
def test_doubtful_labels_are_warned_of(people: Labels, model: Labels, code: str) -> None:
    """Each fault of the labels gives a warning with its code, and estimates all the same."""
    with codes_of_warnings() as codes:
        result = diveval.judges(people, model, RUNS, METRICS, resamples=100)
    assert code in codes
    assert all(row.estimate is not None for row in result.rows)


def test_sound_labels_are_not_warned_of() -> None:
    """Random topics, an imperfect model, and more topics of the model: no warning."""
    with codes_of_warnings() as codes:
        diveval.judges(PEOPLE, MODEL, RUNS, METRICS, resamples=100)
    assert codes == []


def test_hand_picked_topics_are_noticed() -> None:
    """If people labelled the topics with the best scores, the sample is doubted; a sample said to be chosen is refused."""
    scores = diveval.evaluate(MODEL, RUNS, METRICS[0])
    best = sorted(scores.topics, key=lambda t: -sum(scores[run, METRICS[0], t] for run in RUNS))[:20]
    with codes_of_warnings() as codes:
        diveval.judges({t: TRUTH[t] for t in best}, MODEL, RUNS, METRICS[:1], resamples=100)
    assert "sample-not-random" in codes
    with pytest.raises(UsageError) as caught:
        _judge(sample="chosen")
    assert caught.value.code == "sample-not-random"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: _judge({"t000": TRUTH["t000"]}), "too-few-topics"),
        (lambda: _judge({"x": TRUTH["t000"], "y": TRUTH["t001"]}), "no-shared-topic"),
        (lambda: _judge(confidence=1.0), "out-of-range"),
        (lambda: _judge(sample="lucky"), "invalid-choice"),
        (lambda: _judge(metrics=["no-such"]), "unknown-metric"),
    ],
)
def test_unusable_input_is_refused(call: Callable[[], object], code: str) -> None:
    """Input from which nothing can be estimated is an error with a code."""
    with pytest.raises(DivevalError) as caught:
        call()
    assert caught.value.code == code and isinstance(caught.value, InputError | UsageError)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Both judgments and the runs as files."""
    for name, labels in (("people.txt", PEOPLE), ("model.txt", MODEL)):
        rows = [f"{t} {a} {d} {g:g}\n" for t, by in labels.items() for a, of in by.items() for d, g in of.items()]
        (tmp_path / name).write_text("".join(rows))
    for name, ranked in RUNS.items():
        rows = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    return [str(tmp_path / name) for name in ("people.txt", "model.txt", "A.run", "B.run", "C.run")]


def test_the_command_prints_what_the_function_returns(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """CSV has the documented header and the rows of `diveval.judges`; JSON has rows, agreement and bias too."""
    assert main(["judges", *files, "-m", METRICS[0], "-f", "csv"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0] == HEADER
    expected = _judge(metrics=METRICS[:1])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["run"], r["against"], r["estimator"]) for r in rows] == [
        (r.run, r.against, r.estimator) for r in expected.rows
    ]
    assert [float(r["estimate"]) for r in rows] == pytest.approx([r.estimate for r in expected.rows])
    assert main(["judges", *files, "-m", METRICS[0], "-f", "json", "--confidence", "0.9"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert {"rows", "agreement", "bias", "setup"} <= set(shape) and set(HEADER.split(",")) <= set(shape["rows"][0])
    assert shape["confidence"] == 0.9 and len(shape["bias"]["systems"]) == 3
    assert main(["judges", *files, "-m", METRICS[0], "--sample", "chosen"]) == 2


def test_every_sentence_states_the_numbers_of_its_rows() -> None:
    """Saved topics, decided pairs and the strongest bias in sentences are those of the rows."""
    result = _judge()
    for statement in result.statements:
        facts = statement.facts
        own = [row for row in result.rows if row.metric == facts.get("metric")]
        if statement.kind == "judges-saved":
            saved = [row.saved for row in own if row.estimator == "both" and not row.against]
            assert (facts["low"], facts["high"]) == (min(saved), max(saved))  # type: ignore[type-var]
        if statement.kind == "judges-decided":
            for name in ("people", "model", "both"):
                assert facts[name] == sum(bool(row.significant) for row in own if row.estimator == name and row.against)


def test_without_runs_only_the_labels_are_compared(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """PEOPLE and MODEL alone: agreement as with runs, no rows."""
    assert main(["judges", *files[:2], "-f", "json", "--resamples", "200"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert shape["rows"] == []
    with_runs = json.loads(_judge(metrics=METRICS[:1]).to_json())["agreement"]
    assert [one["coefficients"] for one in shape["agreement"]] == [one["coefficients"] for one in with_runs]
    assert main(["judges", *files[:2]]) == 0


def test_prices_say_which_labels_are_cheapest() -> None:
    """Costs are numbers of topics times prices, and the cheaper kind is named; the numbers do not depend on prices."""
    for prices in ((1.0, 1000.0), (1000.0, 0.0)):
        for one, plain in zip(_judge(prices=prices).next, _judge().next, strict=True):
            assert (one.people, one.model) == (plain.people, plain.model)
            if one.people is not None and one.model is not None:
                costs = one.people * prices[0], one.model * prices[1]
                assert (one.cost_people, one.cost_model) == costs
                assert one.cheapest == ("people" if costs[0] <= costs[1] else "model")
            elif one.people is not None:
                assert one.cheapest == "people"
    with pytest.raises(DivevalError) as caught:
        _judge(prices=(-1.0, 1.0))
    assert caught.value.code == "out-of-range"


def test_bootstrap_t_is_that_of_a_loop() -> None:
    """Intervals and p of bootstrap-t are those of resamples that are estimated one by one."""
    from diveval.stats.prediction_powered import Moments, estimate_both, studentise

    rng = np.random.default_rng(5)
    n, rest, resamples = 12, 30, 99
    y, f = rng.random((2, 2, n + rest))
    f += y
    both = np.broadcast_to(np.arange(n + rest) < n, y.shape)
    estimates = estimate_both(Moments.of(y, f, both, ~both), 0.9)
    ours = studentise(y, f, both, ~both, estimates, use_model=True, confidence=0.9, drawn=(resamples, 3))
    draws = np.random.default_rng(3)
    first = draws.multinomial(n, np.full(n, 1 / n), size=resamples)
    second = draws.multinomial(rest, np.full(rest, 1 / rest), size=resamples)
    for r in range(2):
        ts = []
        for a, b in zip(first, second, strict=True):
            chosen = np.concatenate([np.repeat(np.arange(n), a), n + np.repeat(np.arange(rest), b)])
            moments = Moments.of(y[r : r + 1, chosen], f[r : r + 1, chosen], both[:1], ~both[:1])
            again = estimate_both(moments, 0.9)
            ts.append(abs(float(again.mean[0] - estimates.mean[r])) / float(again.error[0]))
        quantile = sorted(ts)[math.ceil(0.9 * (resamples + 1)) - 1]
        margin = quantile * float(estimates.error[r])
        ends = [float(estimates.mean[r]) - margin, float(estimates.mean[r]) + margin]
        assert [ours.low[r], ours.high[r]] == pytest.approx(ends, abs=1e-9)
        observed = abs(float(estimates.mean[r])) / float(estimates.error[r])
        assert ours.p()[r] == pytest.approx((1 + sum(t >= observed for t in ts)) / (1 + resamples))


def test_bootstrap_t_is_an_option(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The option changes intervals, not estimates; the setup names the test."""
    ours, plain = _judge(interval="bootstrap-t"), _judge()
    assert [row.estimate for row in ours.rows] == [row.estimate for row in plain.rows]
    assert any(a.low != b.low for a, b in zip(ours.rows, plain.rows, strict=True) if a.estimator == "both")
    assert ours.setup.test == "bootstrap" and plain.setup.test == "t"
    assert main(["judges", *files, "-m", METRICS[0], "--interval", "bootstrap-t"]) == 0
    assert capsys.readouterr().out


def test_topics_and_items_that_are_left_out_are_named() -> None:
    """The agreement names the topics that one judge covers and counts the items that one judge labelled."""
    fewer = {t: {a: dict(list(of.items())[1:]) for a, of in by.items()} for t, by in MODEL.items() if t != "t003"}
    (one,) = _judge(PEOPLE, fewer).agreement
    assert one.topics_of_first == ("t003",)
    assert set(one.topics_of_second) == set(MODEL) - set(PEOPLE)
    assert (one.first_only, one.second_only) == (2 * (len(PEOPLE) - 1), 0)
    text = one.describe_left_out()
    assert "t003" in text and str(one.first_only) in text
    assert _judge(TRUTH, MODEL).agreement[0].describe_left_out() == ""
