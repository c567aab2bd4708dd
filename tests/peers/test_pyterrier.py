"""PyTerrier on result frames: its Experiment accepts our metrics, and our package cannot break its import."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.integrations import pyterrier as extension
from support.late import late, late_or_skip
from support.refusals import refuses, warns

late_or_skip("pyterrier")
pd = late("pandas")


@pytest.fixture(scope="module")
def pt() -> Any:
    """PyTerrier, imported as users do; it starts no Java until a search engine is used."""
    import pyterrier

    return pyterrier


@pytest.fixture(scope="module")
def collection() -> Any:
    """Topics, diversity judgments and two result frames with PyTerrier's columns."""
    rng = np.random.default_rng(5)
    topics = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["one", "two", "three"]})
    rows: list[tuple[Any, ...]] = []
    frames: tuple[list[Any], list[Any]] = ([], [])
    for qid in topics.qid:
        documents = [f"d{i:03d}" for i in rng.permutation(40)]
        for aspect in ("a", "b", "c"):
            rows += [(qid, d, int(rng.integers(0, 4)), aspect) for d in documents[:15]]
        for frame in frames:
            shuffled = rng.permutation(documents)[:30]
            frame += [(qid, d, float(30 - i), i) for i, d in enumerate(shuffled)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    results = [pd.DataFrame(frame, columns=["qid", "docno", "score", "rank"]) for frame in frames]
    return topics, qrels, results


NAMES = ["RBU(p=0.9,e=0.05)@20", "EU(alpha=0.5,e=0.01)", "Dsharp_nDCG(lam=0.5)@10"]


def test_experiment_gives_the_numbers_of_diveval(pt: Any, collection: Any) -> None:
    """pt.Experiment equals diveval.evaluate, with a measure of PyTerrier in the same call."""
    topics, qrels, results = collection
    RBU, EU, Dsharp_nDCG = pt.diveval.RBU, pt.diveval.EU, pt.diveval.Dsharp_nDCG
    table = pt.Experiment(
        [pt.Transformer.from_df(frame) for frame in results],
        topics,
        qrels,
        names=["a", "b"],
        eval_metrics=[RBU(p=0.9, e=0.05) @ 20, EU, Dsharp_nDCG @ 10, pt.diveval.alpha_nDCG @ 20, "map"],
    )
    ours = diveval.evaluate(qrels, {"a": results[0], "b": results[1]}, NAMES).mean()
    for _, row in table.iterrows():
        assert [row[name] for name in NAMES] == pytest.approx([ours[row["name"]][name] for name in NAMES], abs=1e-12)
        assert row["map"] > 0 and row["alpha_nDCG@20"] > 0


def test_per_query_and_text_names(pt: Any, collection: Any) -> None:
    """Measures can be parsed from text, and the values of each topic are the same."""
    import ir_measures

    topics, qrels, results = collection
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    table = pt.Experiment(
        [pt.Transformer.from_df(results[0])], topics, qrels, names=["a"], eval_metrics=measures, perquery=True
    )
    scores = diveval.evaluate(qrels, {"a": results[0]}, NAMES)
    for name in NAMES:
        theirs = table[table.measure == name].set_index("qid").value.to_dict()
        assert theirs == pytest.approx(scores.per_topic("a", name), abs=1e-12)


def test_subtopic_column_of_ir_datasets(pt: Any, collection: Any) -> None:
    """Qrels of ir_datasets have `subtopic_id`, with the same values."""
    topics, qrels, results = collection
    renamed = qrels.rename(columns={"iteration": "subtopic_id"})
    metric = pt.diveval.RBU(p=0.9) @ 20
    tables = [
        pt.Experiment([pt.Transformer.from_df(results[0])], topics, q, eval_metrics=[metric])[str(metric)].item()
        for q in (qrels, renamed)
    ]
    assert tables[0] == tables[1]


def test_lost_aspects_are_an_error(pt: Any, collection: Any) -> None:
    """Without the column, rows for several aspects of a document cannot be distinguished."""
    topics, qrels, results = collection
    plain = qrels.drop(columns="iteration")
    with refuses("aspects-lost"):
        pt.Experiment([pt.Transformer.from_df(results[0])], topics, plain, eval_metrics=[pt.diveval.RBU @ 20])


def test_plain_qrels_have_one_aspect(pt: Any, collection: Any) -> None:
    """Ad hoc qrels without an `iteration` column work, with a warning about one aspect per topic."""
    topics, qrels, results = collection
    ad_hoc = qrels[qrels.iteration == "a"].drop(columns="iteration")
    metric = pt.diveval.RBU(p=0.9) @ 20
    with warns("metric-needs-aspects"):
        table = pt.Experiment([pt.Transformer.from_df(results[0])], topics, ad_hoc, eval_metrics=[metric])
    ours = diveval.evaluate(ad_hoc, results[0], str(metric)).mean()["run"][str(metric)]
    assert table[str(metric)].item() == pytest.approx(ours, abs=1e-12)


def test_the_entry_point_is_declared() -> None:
    """PyTerrier finds an installed diveval without an import."""
    (entry_point,) = [e for e in metadata.entry_points(group="pyterrier.modules") if e.name == "diveval"]
    assert entry_point.load() is extension.load


def test_a_failure_of_diveval_does_not_break_pyterrier() -> None:
    """If our metrics cannot be imported, `import pyterrier` works and using them is an error."""
    program = (
        "import sys; sys.modules['diveval.scoring.scorer'] = None\n"
        "import warnings; warnings.simplefilter('error', UserWarning)\n"
        "import pyterrier as pt\n"
        "try: pt.diveval.RBU\n"
        "except RuntimeError as error: print(type(error).__name__)\n"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip() == "RuntimeError"
