"""diveval as a provider of ir_measures: the same values, except where those of ir_measures are wrong."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import diveval
from diveval.metrics.names import entries

ir_measures = pytest.importorskip("ir_measures")
provider_module = importlib.import_module("diveval.integrations.ir_measures")
from ir_measures import AP, ERR_IA, P_IA, Qrel, ScoredDoc, StRecall, alpha_DCG, alpha_nDCG, nDCG, nERR_IA

from support.late import late
from support.refusals import refuses, warns

pd = late("pandas")

THEIRS = ir_measures.providers.registry["pyndeval"]


def collection(seed: int = 3, topics: int = 8) -> tuple[list[Qrel], list[ScoredDoc]]:
    """Judgments of several aspects and a run with many equal scores."""
    rng = random.Random(seed)
    qrels, run = [], []
    for topic in range(1, topics + 1):
        pool = [f"d{rng.randrange(10**6):06d}" for _ in range(60)]
        for aspect in range(1, rng.randint(2, 6)):
            for document in rng.sample(pool, 20):
                qrels.append(Qrel(str(topic), document, rng.choice([-2, 0, 0, 1, 1, 2, 3]), str(aspect)))
        scores = sorted((rng.randrange(15) / 4 for _ in pool), reverse=True)
        run += [ScoredDoc(str(topic), d, s) for d, s in zip(rng.sample(pool, 60), scores, strict=True)]
    return qrels, run


def frames(qrels: Any, run: Any) -> Any:
    """The same as pandas frames."""
    return pd.DataFrame(qrels), pd.DataFrame(run)


def by_topic(metrics: Any) -> dict[tuple[str, str], float]:
    """Values by topic and measure."""
    return {(m.query_id, str(m.measure)): m.value for m in metrics}


def test_a_diveval_metric_parses_and_equals_diveval() -> None:
    """parse_measure knows RBU, and calc_aggregate gives the value of diveval.evaluate."""
    qrels, run = collection()
    measure = ir_measures.parse_measure("RBU(p=0.9,e=0.05)@20")
    assert str(measure) == "RBU(p=0.9,e=0.05)@20"
    ours = diveval.evaluate(qrels, run, "RBU(p=0.9,e=0.05)@20").mean()["run"]["RBU(p=0.9,e=0.05)@20"]
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(ours, abs=1e-15)
    assert measure.calc_aggregate(*frames(qrels, run)) == pytest.approx(ours, abs=1e-15)
    assert provider_module.RBU(p=0.9, e=0.05) @ 20 == measure


def test_every_metric_of_the_catalogue_is_registered() -> None:
    """Each entry has one name that ir_measures parses back to the same measure."""
    registered = {measure.entry.name for measure in provider_module.MEASURES.values()}
    assert registered == set(entries())
    for name, measure in provider_module.MEASURES.items():
        shown = measure @ 10 if measure.entry.cutoffs else measure
        assert ir_measures.parse_measure(str(shown)) == shown, name
        assert shown.metric().entry.name == measure.entry.name


def test_registering_twice_changes_nothing() -> None:
    """There is one provider and one measure per name, however often the module is loaded."""
    before = dict(ir_measures.measures.registry)
    providers = list(ir_measures.DefaultPipeline.providers)
    provider_module.register()
    importlib.reload(provider_module)
    assert dict(ir_measures.measures.registry) == before
    assert ir_measures.DefaultPipeline.providers == providers
    assert sum(p.NAME == "diveval" for p in providers if hasattr(p, "NAME")) == 1


SHARED = [
    ERR_IA @ 20,
    ERR_IA @ 5,
    nERR_IA @ 10,
    alpha_DCG @ 10,
    alpha_nDCG @ 20,
    alpha_nDCG(alpha=0.25) @ 20,
    alpha_nDCG(alpha=0.9) @ 3,
    alpha_nDCG(rel=2) @ 10,
    P_IA @ 20,
    P_IA(rel=2) @ 5,
    StRecall @ 10,
    ir_measures.NRBP,
    ir_measures.NRBP(alpha=0.1, beta=0.8),
    ir_measures.nNRBP,
    ir_measures.AP_IA,
]


@pytest.mark.parametrize("measure", SHARED, ids=str)
def test_shared_names_keep_their_meaning(measure: Any) -> None:
    """With one setting at a time our values equal pyndeval's, with ties."""
    qrels, run = collection()
    theirs = by_topic(THEIRS.iter_calc([measure], qrels, run))
    ours = by_topic(ir_measures.iter_calc([measure], qrels, run))
    assert ours.keys() == theirs.keys()
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert any(value > 0 for value in ours.values())


def test_several_settings_in_one_call_are_all_right() -> None:
    """pyndeval gives 0 for all settings but the first; ours gives each its value."""
    qrels, run = collection()
    measures = [alpha_nDCG(alpha=a) @ 20 for a in (0.5, 0.25, 0.75)]
    alone = {m: THEIRS.calc_aggregate([m], qrels, run)[m] for m in measures}
    together = THEIRS.calc_aggregate(measures, qrels, run)
    assert sum(together[m] == 0.0 for m in measures) == 2  # the defect of pyndeval
    ours = ir_measures.calc_aggregate(measures, qrels, run)
    assert ours == pytest.approx(alone, abs=1e-12)


def test_mixed_lists_and_repeated_use() -> None:
    """Their measures, ours and shared ones work in one call, and an evaluator can be reused."""
    qrels, run = collection()
    mixed = [
        AP,
        nDCG @ 10,
        provider_module.RBU(p=0.9) @ 20,
        alpha_nDCG @ 20,
        provider_module.EU,
        provider_module.diveval_ERR_IA @ 5,
    ]
    evaluator = ir_measures.evaluator(mixed, qrels)
    first, second = evaluator.calc_aggregate(run), evaluator.calc_aggregate(iter(run))
    assert first == second
    assert set(first) == set(mixed)
    plain = {m: ir_measures.providers.registry["pytrec_eval"].calc_aggregate([m], qrels, run)[m] for m in mixed[:2]}
    assert {m: first[m] for m in mixed[:2]} == plain
    own = diveval.evaluate(qrels, run, ["EU", "ERR_IA@5"]).mean()["run"]
    assert first[mixed[4]] == pytest.approx(own["EU(alpha=0.5,e=0.01)"])
    assert first[mixed[5]] == pytest.approx(own["ERR_IA@5"])


def test_cutoffs_beyond_20_and_judged_only() -> None:
    """pyndeval refuses a cutoff of 50 and fails on judged_only; ours supports both."""
    qrels, run = collection()
    with pytest.raises(AssertionError):
        THEIRS.calc_aggregate([alpha_nDCG @ 50], qrels, run)
    with pytest.raises(TypeError):
        THEIRS.calc_aggregate([alpha_nDCG(judged_only=True) @ 10], qrels, run)
    assert 0 < ir_measures.calc_aggregate([alpha_nDCG @ 50], qrels, run)[alpha_nDCG @ 50] <= 1
    judged = {(q.query_id, q.doc_id) for q in qrels}
    kept = [d for d in run if (d.query_id, d.doc_id) in judged]
    measure = alpha_nDCG(judged_only=True) @ 10
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(
        THEIRS.calc_aggregate([alpha_nDCG @ 10], qrels, kept)[alpha_nDCG @ 10], abs=1e-12
    )


class TrecSubQrel(NamedTuple):
    """A row as ir_datasets yields it."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def test_subtopic_ids_are_aspects() -> None:
    """ir_datasets' subtopic_id is read; ir_measures alone reads `iteration` only."""
    qrels, run = collection()
    subs = [TrecSubQrel(q.query_id, q.doc_id, q.relevance, q.iteration) for q in qrels]
    measure = alpha_nDCG @ 20
    assert ir_measures.calc_aggregate([measure], subs, run) == ir_measures.calc_aggregate([measure], qrels, run)


def test_topics_missing_from_the_run_count_as_zero() -> None:
    """As in ir_measures, a judged topic that the run lacks is 0 and an unjudged topic is left out."""
    qrels, run = collection()
    some = [d for d in run if d.query_id != "3"] + [ScoredDoc("99", "x", 1.0)]
    measures = [provider_module.RBU @ 20, alpha_nDCG @ 20]
    values = by_topic(ir_measures.iter_calc(measures, qrels, some))
    assert {topic for topic, _ in values} == {q.query_id for q in qrels}
    assert {values["3", str(m)] for m in measures} == {0.0}
    assert THEIRS.calc_aggregate([measures[1]], qrels, some)[measures[1]] == pytest.approx(
        ir_measures.calc_aggregate([measures[1]], qrels, some)[measures[1]], abs=1e-12
    )


def test_a_topic_without_relevant_documents_is_not_nan() -> None:
    """nNRBP is 0/0 there in ndeval and 0 here."""
    qrels = [Qrel("1", "a", 0, "1"), Qrel("1", "b", 0, "2"), Qrel("2", "a", 1, "1"), Qrel("2", "b", 1, "2")]
    run = [ScoredDoc("1", "a", 1.0), ScoredDoc("2", "a", 1.0)]
    values = ir_measures.calc_aggregate([ir_measures.nNRBP, provider_module.RBU], qrels, run)
    assert all(value == value for value in values.values())


def test_lost_aspects_are_errors_or_warnings() -> None:
    """A dict or a frame without aspects is an error, and one aspect per topic is a warning."""
    qrels, run = collection()
    flat = {"1": {"a": 1, "b": 2}}
    with refuses("metric-needs-aspects", "RBU"):
        ir_measures.calc_aggregate([provider_module.RBU @ 20], flat, run)
    with refuses("aspects-lost"):
        ir_measures.calc_aggregate(
            [provider_module.RBU @ 20], pd.DataFrame(qrels).drop(columns="iteration"), pd.DataFrame(run)
        )
    one = [Qrel("1", "a", 1), Qrel("1", "b", 2)]
    with warns("metric-needs-aspects"):
        ir_measures.calc_aggregate([provider_module.RBU @ 20], one, run)
    assert ir_measures.calc_aggregate([ir_measures.parse_measure("DCG@5")], flat, run)


def test_invalid_parameters_are_errors() -> None:
    """Names and ranges of parameters are checked as in diveval."""
    qrels, run = collection()
    with refuses("out-of-range", "RBU", "0", "1"):
        ir_measures.calc_aggregate([provider_module.RBU(p=2.0)], qrels, run)
    with refuses("unknown-parameter", "q"):
        ir_measures.calc_aggregate([provider_module.RBU(q=2.0)], qrels, run)
    with refuses("cutoff-needed"):
        ir_measures.calc_aggregate([alpha_nDCG], qrels, run)


def test_options_of_a_provider() -> None:
    """A provider accepts diveval's options, here linear gain."""
    qrels, run = collection()
    provider = provider_module.DivevalProvider(gain="linear")
    measure = provider_module.RBU(p=0.9) @ 20
    ours = diveval.evaluate(qrels, run, "RBU(p=0.9)@20", gain="linear").mean()["run"]["RBU(p=0.9,e=0.01)@20"]
    assert provider.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(ours, abs=1e-15)


def test_the_command_runs_ir_measures_with_our_metrics(tmp_path: Path) -> None:
    """`diveval data ir-measures QRELS RUN MEASURE … -p 6` is the command of ir_measures with our names."""
    qrels, run = collection()
    (tmp_path / "q").write_text("".join(f"{q.query_id} {q.iteration} {q.doc_id} {q.relevance}\n" for q in qrels))
    (tmp_path / "r").write_text("".join(f"{d.query_id} Q0 {d.doc_id} 1 {d.score!r} t\n" for d in run))
    command = [
        sys.executable,
        "-c",
        "import sys; from diveval.cli import main; sys.exit(main())",
        "data",
        "ir-measures",
    ]
    arguments = [str(tmp_path / "q"), str(tmp_path / "r"), "RBU(p=0.9)@20", "alpha_nDCG@30 AP", "-p", "6"]
    finished = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    lines = dict(line.split("\t") for line in finished.stdout.splitlines())
    expected = ir_measures.calc_aggregate([provider_module.RBU(p=0.9) @ 20, alpha_nDCG @ 30, AP], qrels, run)
    assert lines == {str(measure): f"{value:.6f}" for measure, value in expected.items()}
    assert subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout.startswith("usage:")


def by_own_code(measures: Any, qrels: Any, run: Any) -> Any:
    """The values by our own code, whichever provider would be used."""
    return by_topic(provider_module.DivevalEvaluator(measures, qrels, diveval.settings.Options.of()).iter_calc(run))


@pytest.mark.parametrize("seed", range(6))
def test_pyndeval_and_own_code_agree(seed: int) -> None:
    """Measures passed to pyndeval and those computed here agree: several settings, shuffled topics, integer scores."""
    qrels, run = collection(seed)
    measures = [*SHARED[:6], alpha_nDCG @ 50, P_IA(rel=2) @ 5, provider_module.RBU(p=0.9) @ 20]
    expected = by_own_code(measures, qrels, run)
    shuffled = random.Random(seed).sample(run, len(run))
    with_integers = [ScoredDoc(d.query_id, d.doc_id, int(4 * d.score)) for d in run]
    for shape in (run, iter(run), shuffled, with_integers):
        values = by_topic(ir_measures.iter_calc(measures, iter(qrels) if shape is run else qrels, shape))
        assert values == pytest.approx(expected, abs=1e-12)


def test_invalid_input_is_an_error_of_diveval() -> None:
    """A repeated document, two grades and a NaN score are errors, whichever provider computes."""
    qrels, run = collection()
    with refuses("duplicate-document"):
        ir_measures.calc_aggregate([alpha_nDCG @ 20], qrels, [*run, run[0]])
    again = Qrel(qrels[0].query_id, qrels[0].doc_id, qrels[0].relevance + 1, qrels[0].iteration)
    with refuses("conflicting-grades"):
        ir_measures.calc_aggregate([alpha_nDCG @ 20], [again, *qrels], run)
    with refuses("not-a-number"):
        ir_measures.calc_aggregate([alpha_nDCG @ 20], qrels, [ScoredDoc(run[0].query_id, "x", float("nan")), *run])


def test_shared_names_are_attributes_too() -> None:
    """`alpha_nDCG` is the measure of ir_measures; ours of that name is `diveval_alpha_nDCG`."""
    assert provider_module.alpha_nDCG is alpha_nDCG and provider_module.ERR_IA is ERR_IA and provider_module.AP is AP
    assert provider_module.diveval_alpha_nDCG is not alpha_nDCG
    with pytest.raises(AttributeError, match="alpha_nDCG"):
        _ = provider_module.alpha_nDCGG


@pytest.mark.parametrize("rows", [1, 4, None])
def test_all_methods_of_an_evaluator_agree_with_pyndeval(rows: int | None) -> None:
    """By topic, aggregated and both, with topics that the run lacks and a measure given twice."""
    qrels, run = collection()
    some = run[:rows]
    measures = [alpha_nDCG @ 20, ERR_IA @ 5, StRecall @ 10, alpha_nDCG @ 20]
    evaluator, theirs = ir_measures.evaluator(measures, qrels), THEIRS.evaluator(measures, qrels)
    expected = by_topic(theirs.iter_calc(some))
    assert by_topic(evaluator.iter_calc(some)) == pytest.approx(expected, abs=1e-12)
    assert len(list(evaluator.iter_calc(some))) == len(expected)
    assert evaluator.calc_aggregate(some) == pytest.approx(theirs.calc_aggregate(some), abs=1e-12)
    both = evaluator.calc(iter(some))
    assert both.aggregated == pytest.approx(theirs.calc(some).aggregated, abs=1e-12)
    assert by_topic(both.per_query) == pytest.approx(expected, abs=1e-12)
