"""Run one tool on files and write its scores per topic; bench.py starts this program and measures it from outside.

python benchmarks/tools.py TOOL QRELS OUTPUT RUN...     (OUTPUT `-` writes nothing)
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

Table = dict[str, dict[str, dict[str, float]]]  # run → metric → topic → value

SIX = ["alpha-nDCG@20", "ERR-IA@20", "NRBP", "strec@20", "P-IA@20", "MAP-IA"]
OURS = {
    "alpha-nDCG@20": "ndeval.alpha_nDCG@20",
    "ERR-IA@20": "ndeval.ERR_IA@20",
    "NRBP": "ndeval.NRBP",
    "strec@20": "ndeval.strec@20",
    "P-IA@20": "ndeval.P_IA@20",
    "MAP-IA": "ndeval.MAP_IA",
}
SIX_OF_IR_MEASURES = ["alpha_nDCG@20", "ERR_IA@20", "NRBP", "StRecall@20", "P_IA@20", "AP_IA"]
AD_HOC = {"map": "trec_eval.map", "P_20": "trec_eval.P_20", "recip_rank": "trec_eval.recip_rank"}
RANX = {"map": "map", "P_20": "precision@20", "recip_rank": "mrr"}


def variants() -> list[str]:
    """A hundred variants as in the paper's first experiment: metrics × cutoffs × parameters."""
    ranks = (10, 20, 50, 100, 1000)
    out = ["AP", "RR", "AP_IA", "RR_IA"]
    for k in ranks:
        out += [f"P@{k}", f"ERR@{k}", f"DCG@{k}", f"P_IA@{k}", f"ERR_IA@{k}", f"DCG_IA@{k}", f"StRecall@{k}"]
    out += [f"RBP(p={p})" for p in (0.8, 0.9, 0.99)]
    out += [f"NRBP(p={p},alpha={a})" for p in (0.8, 0.9, 0.99) for a in (0.1, 0.25, 0.5, 0.75)]
    out += [f"alpha_DCG(alpha={a})@{k}" for a in (0.1, 0.25, 0.5, 0.75) for k in ranks]
    out += [f"EU(alpha={a},e={e})" for a in (0.1, 0.5) for e in (0, 0.001, 0.05, 0.1, 0.5)]
    out += [f"RBU(p={p},e={e})" for p in (0.8, 0.9, 0.99) for e in (0, 0.001, 0.05, 0.1, 0.5)]
    out += ["alpha_nDCG(alpha=0.5)@20"]
    assert len(out) == 100
    return out


# --- diveval ----------------------------------------------------------------------------------------------------------


def _diveval(qrels: str, runs: list[str], metrics: list[str], jobs: int) -> Table:
    from diveval import evaluate

    scores = evaluate(qrels, runs, metrics, jobs=jobs)
    return {
        run: {
            metric: dict(zip(scores.topics, scores.values[r, m].tolist(), strict=True))
            for m, metric in enumerate(scores.metrics)
        }
        for r, run in enumerate(scores.runs)
    }


def _renamed(table: Table, names: dict[str, str]) -> Table:
    short = {ours: theirs for theirs, ours in names.items()}
    return {
        run: {short[metric.replace("(alpha=0.5,beta=0.5)", "")]: values for metric, values in metrics.items()}
        for run, metrics in table.items()
    }


def diveval(qrels: str, runs: list[str]) -> Table:
    return _renamed(_diveval(qrels, runs, list(OURS.values()), 1), OURS)


def diveval_100(qrels: str, runs: list[str]) -> Table:
    return _diveval(qrels, runs, variants(), 1)


def diveval_ad_hoc(qrels: str, runs: list[str]) -> Table:
    return _renamed(_diveval(qrels, runs, list(AD_HOC.values()), 1), AD_HOC)


# --- the others -------------------------------------------------------------------------------------------------------


def _rows(qrels: str) -> Iterator[tuple[str, str, str, int]]:
    with Path(qrels).open() as lines:
        for line in lines:
            topic, aspect, document, grade = line.split()
            yield topic, aspect, document, int(grade)


def _lines(run: str) -> Iterator[tuple[str, str, float]]:
    with Path(run).open() as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            yield topic, document, float(score)


def _flat(qrels: str) -> dict[str, dict[str, int]]:
    """Judgments for metrics without aspects: relevant if relevant to any aspect."""
    out: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in _rows(qrels):
        seen = out.setdefault(topic, {})
        seen[document] = max(seen.get(document, 0), int(grade > 0))
    return out


def _by_metric(by_topic: dict[str, dict[str, float]], metrics: list[str]) -> dict[str, dict[str, float]]:
    return {metric: {topic: values[metric] for topic, values in by_topic.items()} for metric in metrics}


def pyndeval(qrels: str, runs: list[str]) -> Table:
    import pyndeval

    evaluator = pyndeval.RelevanceEvaluator(_rows(qrels), SIX)
    return {Path(run).stem: _by_metric(evaluator.evaluate(_lines(run)), SIX) for run in runs}


def ir_measures(qrels: str, runs: list[str]) -> Table:
    import ir_measures

    names = SIX_OF_IR_MEASURES
    theirs = dict(zip(map(str, map(ir_measures.parse_measure, names)), SIX, strict=True))
    evaluator = ir_measures.evaluator(list(map(ir_measures.parse_measure, names)), ir_measures.read_trec_qrels(qrels))
    out: Table = {}
    for run in runs:
        found = out.setdefault(Path(run).stem, {})
        for value in evaluator.iter_calc(ir_measures.read_trec_run(run)):
            found.setdefault(theirs[str(value.measure)], {})[value.query_id] = value.value
    return out


def pytrec_eval(qrels: str, runs: list[str]) -> Table:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(_flat(qrels), {"map", "P_20", "recip_rank"})
    out = {}
    for run in runs:
        with Path(run).open() as lines:
            out[Path(run).stem] = _by_metric(evaluator.evaluate(pytrec_eval.parse_run(lines)), list(AD_HOC))
    return out


def pytrec_eval_fast(qrels: str, runs: list[str]) -> Table:
    """pytrec_eval with a plain loop as reader, which is faster than its own readers."""
    import pytrec_eval

    measures = ["ndcg_cut_20", "map", "recip_rank"]
    evaluator = pytrec_eval.RelevanceEvaluator(_flat(qrels), {"ndcg_cut.20", "map", "recip_rank"})
    out = {}
    for run in runs:
        read: dict[str, dict[str, float]] = {}
        with Path(run).open() as lines:
            for line in lines:
                topic, _, document, _, score, _ = line.split()
                read.setdefault(topic, {})[document] = float(score)
        out[Path(run).stem] = _by_metric(evaluator.evaluate(read), measures)
    return out


def ranx(qrels: str, runs: list[str]) -> Table:
    import ranx

    truth = ranx.Qrels(_flat(qrels))
    out: Table = {}
    for run in runs:
        loaded = ranx.Run.from_file(run, kind="trec")
        ranx.evaluate(truth, loaded, list(RANX.values()))
        out[Path(run).stem] = {name: dict(loaded.scores[theirs]) for name, theirs in RANX.items()}
    return out


# Measures of ir_measures that its installed providers compute, and our names of the same things.
OF_IR_MEASURES = {
    **{
        f"{name}@{k}": f"{ours}{k}"
        for k in (5, 10, 20)
        for name, ours in (
            ("P", "trec_eval.P_"),
            ("R", "trec_eval.recall_"),
            ("AP", "trec_eval.map_cut_"),
            ("nDCG", "trec_eval.ndcg_cut_"),
            ("Success", "trec_eval.success_"),
            ("Judged", "Judged@"),
            ("RR", "RR@"),
        )
    },
    "AP": "trec_eval.map",
    "RR": "trec_eval.recip_rank",
    "Rprec": "trec_eval.Rprec",
    "Bpref": "trec_eval.bpref",
    "infAP": "trec_eval.infAP",
    "nDCG": "trec_eval.ndcg",
    "IPrec@0.1": "trec_eval9.iprec_at_recall(recall=0.1)",
    "SetP": "trec_eval.set_P",
    "SetR": "trec_eval.set_recall",
    "SetF": "trec_eval.set_F",
    "SetAP": "trec_eval.set_map",
    "SetRelP": "trec_eval.set_relative_P",
    "NumQ": "trec_eval.num_q",
    "NumRet": "trec_eval.num_ret",
    "NumRel": "trec_eval.num_rel",
    "NumRet(rel=1)": "trec_eval.num_rel_ret",
    "Compat": "ir_measures.Compat",
    "Accuracy": "ir_measures.Accuracy",  # with a cutoff its own provider divides by zero where all of the first k are relevant
    "ERR@20": "gdeval.ERR@20",
    "nDCG(dcg='exp-log2')@20": "gdeval.nDCG@20",
}
OF_CWL = {
    "RBP(rel=1)": "RBP(p=0.8)",
    "BPM(max_rel=3)@10": "BPM@10",
    "SDCG(max_rel=3)@10": "SDCG@10",
    "NERR8(max_rel=3)@10": "NERR8@10",
    "NERR9(max_rel=3)@10": "NERR9@10",
    "NERR10(max_rel=3)": "NERR10",
    "NERR11(max_rel=3)": "NERR11",
    "INST(max_rel=3)": "INST",
    "INSQ(max_rel=3)": "INSQ",
}


def all_measures() -> dict[str, str]:
    """Those that ir_measures can compute here: cwl_eval and Perl may be missing."""
    from importlib.util import find_spec
    from shutil import which

    ours = {**OF_IR_MEASURES, **(OF_CWL if find_spec("cwl") else {})}
    return {name: metric for name, metric in ours.items() if which("perl") or not metric.startswith("gdeval.")}


def diveval_measures(qrels: str, runs: list[str]) -> Table:
    return _diveval(qrels, runs, list(all_measures().values()), 1)


def ir_measures_all(qrels: str, runs: list[str]) -> Table:
    import ir_measures as irm

    measures = [irm.parse_measure(name) for name in all_measures()]
    evaluator = irm.evaluator(measures, list(irm.read_trec_qrels(qrels)))
    out: Table = {}
    for run in runs:
        of_run = out.setdefault(Path(run).stem, {})
        for metric in evaluator.iter_calc(list(irm.read_trec_run(run))):
            of_run.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    return out


TOOLS: dict[str, Callable[[str, list[str]], Table]] = {
    "diveval": diveval,
    "diveval-100": diveval_100,
    "diveval-ad-hoc": diveval_ad_hoc,
    "pyndeval": pyndeval,
    "ir_measures": ir_measures,
    "pytrec_eval": pytrec_eval,
    "pytrec_eval-fast": pytrec_eval_fast,
    "ranx": ranx,
    "diveval-measures": diveval_measures,
    "ir_measures-all": ir_measures_all,
}


def main() -> None:
    tool, qrels, output, *runs = sys.argv[1:]
    table = TOOLS[tool](qrels, runs)
    if output.endswith(".csv"):
        rows = (
            (run, m, t, v) for run, found in table.items() for m, topics in found.items() for t, v in topics.items()
        )
        Path(output).write_text("run,metric,topic,value\n" + "".join(f"{r},{m},{t},{v!r}\n" for r, m, t, v in rows))
    elif output != "-":
        Path(output).write_text(json.dumps(table, default=float))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
