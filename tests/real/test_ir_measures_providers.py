"""Our provider in the place of each of ir_measures' providers, on every real collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from diveval.collection.judgments import Judgments
from diveval.integrations.ir_measures import DivevalProvider
from diveval.reading import read_judgments, read_run
from support.late import late
from support.shared import THOROUGH

ir_measures = pytest.importorskip("ir_measures")
pandas = late("pandas")
pytestmark = pytest.mark.filterwarnings(
    "ignore::diveval.errors.DivevalWarning", "ignore:The 'future.infer_string' option"
)
MEASURES = {
    "pytrec_eval": "P@10 RR Rprec AP AP@20 nDCG nDCG@20 R@100 Bpref NumRet NumRet(rel=1) SetAP SetF SetP SetR Success@5"
    " IPrec@0.3 infAP P(judged_only=True)@10 AP(rel=2)",
    "msmarco": "RR@10",
    "judged": "Judged@10 Judged",
    "accuracy": "Accuracy Accuracy@20",
    "compat": "Compat Compat(p=0.8,normalize=False)",
    "cwl_eval": "AP P@10 RR RBP(rel=1) BPM(max_rel=4)@10 SDCG(max_rel=4)@10 NERR8(max_rel=4)@10 NERR9(max_rel=4)@10"
    " NERR10(max_rel=4) NERR11(max_rel=4) INST(max_rel=4) INSQ(max_rel=4)",
    "ranx": "P@10 RR Rprec AP nDCG@20 nDCG(dcg='exp-log2')@20 R@100 Success@5 SetP SetR",
    "gdeval": "ERR@20 nDCG(dcg='exp-log2')@20",
    "pyndeval": "ERR_IA@20 nERR_IA@20 alpha_DCG@20 alpha_nDCG@20 NRBP AP_IA P_IA@20 StRecall@20",
}
SLOW = ("ranx", "gdeval", "accuracy", "compat", "cwl_eval")


def _web(year: int) -> Callable[[Path], tuple[Judgments, list[Any]]]:
    def read(folder: Path) -> tuple[Judgments, list[Any]]:
        runs = sorted((folder / f"web{year}" / "runs").iterdir())
        return read_judgments(folder / f"web{year}" / "qrels.diversity.txt"), list(map(read_run, runs[:2]))

    return read


def _labels(folder: Path) -> tuple[Judgments, list[Any]]:
    """The judge's labels as a ranking, scored by those of people."""
    ranked: dict[str, list[tuple[float, str]]] = {}
    for topic, _, document, grade in read_judgments(folder / "rag25" / "qrels.rag25.test-umbrela2.txt.gz").rows():
        ranked.setdefault(topic, []).append((-grade, document))
    run = {topic: [document for _, document in sorted(rows)] for topic, rows in ranked.items()}
    return read_judgments(folder / "rag25" / "qrels.rag25.test.txt.gz"), [run]


COLLECTIONS: dict[str, Callable[[Path], tuple[Judgments, list[Any]]]] = {
    "web2009": _web(2009),
    "web2010": _web(2010),
    "web2011": _web(2011),
    "dlmia": lambda folder: (
        read_judgments(folder / "dlmia" / "qrels.txt"),
        [read_run(path) for path in sorted((folder / "dlmia" / "runs").iterdir())],
    ),
    "dd2016": lambda folder: (
        read_judgments(folder / "dd2016" / "qrels.txt.gz"),
        [read_run(folder / "dd2016" / "sample.run")],
    ),
    "rag25": _labels,
    "trec_eval10": lambda folder: (
        read_judgments(folder / "trec_eval10" / "qrels.test"),
        [read_run(folder / "trec_eval10" / "results.test")],
    ),
    "gfr": lambda folder: (
        read_judgments(folder / "gfr" / "fairweb1pilot.qrels"),
        [read_run(folder / "gfr" / f"run.{name}-depThre6") for name in ("bm25", "qld", "qljm")],
    ),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("collection_name", COLLECTIONS)
def test_our_provider_agrees_on_real_collections(
    collection_name: str, name: str, realdata: Path, compared: Any
) -> None:
    """The same topics and values, to twelve digits, of runs in which no two scores are equal."""
    if not THOROUGH and (name in SLOW or collection_name != "web2011"):
        pytest.skip("with DIVEVAL_THOROUGH=1 only")
    peer = ir_measures.providers.registry[name]
    if not peer.is_available():
        pytest.skip(f"{name} is not installed")
    judgments, runs = COLLECTIONS[collection_name](realdata)
    numbers = {topic: str(number) for number, topic in enumerate(judgments.topics, 1)}  # gdeval knows numbers only
    rows = list(_judged(judgments, numbers, aspects=name == "pyndeval"))
    measures = list(map(ir_measures.parse_measure, MEASURES[name].split()))
    ours = DivevalProvider(name)
    for run in runs:
        scored = list(_scored(run, numbers))
        listed = {row.query_id for row in scored}
        qrels = [row for row in rows if row.query_id in listed]  # ranx refuses topics that the run lacks
        try:
            with pandas.option_context("future.infer_string", False):  # ranx takes columns of Python's strings only
                theirs = {(m.query_id, str(m.measure)): m.value for m in peer.iter_calc(measures, qrels, scored)}
        except ZeroDivisionError:  # ir_measures' Accuracy of a list of relevant documents only
            continue
        found = {(m.query_id, str(m.measure)): m.value for m in ours.iter_calc(measures, qrels, scored)}
        expected = {key: value for key, value in theirs.items() if not math.isnan(value)}
        assert {key: found.get(key) for key in expected} == pytest.approx(expected, rel=1e-12, abs=1e-14)
        assert found.keys() == theirs.keys()
        compared[f"ir_measures' {name}"] += len(expected)


def _judged(judgments: Judgments, numbers: dict[str, str], *, aspects: bool) -> Iterable[Any]:
    """Rows of ir_measures: by aspect, or a document with its best grade."""
    best: dict[tuple[str, str, str], int] = {}
    for topic, aspect, document, grade in judgments.rows():
        key = (numbers[topic], document, aspect if aspects else "0")
        best[key] = max(int(grade), best.get(key, int(grade)))
    for (topic, document, aspect), grade in best.items():
        yield ir_measures.Qrel(topic, document, grade, aspect)


def _scored(run: Any, numbers: dict[str, str]) -> Iterable[Any]:
    """The lists in their order, with scores that fall from the first rank on."""
    lists = run if isinstance(run, dict) else {topic: listed.documents for topic, listed in run.topics.items()}
    for topic, documents in lists.items():
        if topic not in numbers:
            continue
        unique = list(dict.fromkeys(documents))
        for rank, document in enumerate(unique):
            yield ir_measures.ScoredDoc(numbers[topic], str(document), float(len(unique) - rank))
