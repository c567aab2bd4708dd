"""NTCIREVAL: its own example to every printed digit, and three years of TREC Web runs."""

from __future__ import annotations

import csv
import re
from typing import Any

import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.metrics import parse
from diveval.reading import read_judgments

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
OURS = {
    "MSnDCG": "D_nDCG",
    "nDCG": "D_nDCG_JK",
    "Q": "D_Q",
    "AP": "D_AP",
    "ERR": "D_ERR",
    "nERR": "D_nERR",
    "EBR": "D_EBR",
    "RBP": "D_RBP",
    "I-rec": "I_rec",
    "D#-nDCG": "Dsharp_nDCG",
    "D#-Q": "Dsharp_Q",
    "D#-ERR": "Dsharp_ERR",
    "D#-EBR": "Dsharp_EBR",
    "D#-RBP": "Dsharp_RBP",
    "IA-ERR": "IA_ERR",
    "IA-nERR": "IA_nERR",
    "IA-MSnDCG": "IA_nDCG",
}
LEFT_OUT = {"P", "Hit"}


@pytest.mark.parametrize("printout", ["l10.Dnev", "l10b.Dnev", "l10.nevIA"])
@pytest.mark.parametrize("run", ["TRECRUN", "TRECRUN2"])
def test_the_example_of_ntcireval_is_reproduced_digit_for_digit(
    realdata: Any, compared: Any, run: str, printout: str
) -> None:
    """All measures at the cutoff of the output, with graded intents and their probabilities."""
    folder = realdata / "ntcir-example"
    judgments = read_judgments(folder / "Dtest.Dqrels", weights=folder / "Dtest.Iprob")
    patience = {"l10b.Dnev": "(p=0.99)"}.get(printout, "")
    line = re.compile(r"(?P<topic>\d+) (?:SUMp= \S+ )?(?P<measure>\S+)@(?P<k>\d+)=\s+(?P<value>\S+)")
    lines = [m for m in map(line.fullmatch, (folder / f"{run}.{printout}").read_text().splitlines()) if m]
    rows = [m for m in lines if m["measure"] not in LEFT_OUT]
    assert len(rows) >= 9
    for row in rows:
        setting = patience if "RBP" in row["measure"] else ""
        name = f"ntcireval.{OURS[row['measure']]}{setting}@{int(row['k'])}"
        value = evaluate(judgments, folder / run, name).per_topic(run)[row["topic"]]
        assert f"{value:.4f}" == row["value"], row.group()
    compared["NTCIREVAL"] += len(rows)


AD_HOC = {"O-measure": "O", "P-measure": "P_measure", "P-plus": "P_plus", "Q-measure": "Q", "NCUrb,P": "NCU_P"}
AD_HOC |= {"NCUrb,BR": "NCU_BR"} | {
    name: name for name in ["RR", "AP", "RBP", "ERR", "EBR", "Q", "nDCG", "MSnDCG", "P", "nERR", "Hit"]
}


@pytest.mark.parametrize("run", ["TRECRUN", "TRECRUN2"])
def test_ad_hoc_measures_are_reproduced_digit_for_digit(realdata: Any, compared: Any, run: str) -> None:
    """Every ad hoc measure that the example prints for one intent, of the whole list (cut at ten) and at ten."""
    folder = realdata / "ntcir-example"
    rows = list(read_judgments(folder / "Dtest.Dqrels").rows())
    cut: dict[str, list[str]] = {}
    for line in (folder / run).read_text().splitlines():
        cut.setdefault(line.split()[0], []).append(line.split()[2])
    listed = {"run": {topic: documents[:10] for topic, documents in cut.items()}}
    printed = re.compile(r"(\d+) (\d+) \S+ (\S+?)(?:@(\d+))?=\s+(\S+)")
    found = [m.groups() for m in map(printed.fullmatch, (folder / f"{run}.l10.nevIA").read_text().splitlines()) if m]
    for intent in {row[1] for row in found}:
        judged = Judgments.from_rows([(t, "0", d, grade) for t, aspect, d, grade in rows if aspect == intent])
        for topic, _, measure, cutoff, value in (row for row in found if row[1] == intent):
            name = f"ntcireval.{AD_HOC[measure]}" + (f"@{int(cutoff)}" if cutoff else "")
            assert f"{evaluate(judged, listed, name).per_topic('run')[topic]:.4f}" == value, (topic, intent, name)
            compared["NTCIREVAL"] += 1


ORDERED = "M-RATINGS,R-HINDEX,T-FOLLOWERS,Y-SUBSCS"


def test_gfr_is_reproduced_digit_for_digit(realdata: Any, compared: Any) -> None:
    """GFR with both measures of relevance and both divergences of ordered groups, for each run and set of attributes."""
    folder = realdata / "gfr"
    runs = [folder / f"run.{name}-depThre6" for name in ("bm25", "qld", "qljm")]
    topics = {"R": "P001", "M": "P002", "T": "P003", "Y": "P004"}
    files = sorted((folder / "expected").glob("*.tsm"))
    assert len(files) == 16
    for path in files:
        _, task, _, measure, _ = path.name.split(".")
        relevance, ordinal, *_ = measure.removeprefix("GFR-").split("+")
        name = f"ntcireval.GFR(relevance={relevance},ordinal={ordinal})@20"
        qrels = folder / "fairweb1pilot.qrels"
        scores = evaluate(qrels, runs, name, document_groups=folder, ordinal_groups=ORDERED)
        ours = [f"{scores.per_topic(run)[topics[task]]:.4f}" for run in scores.runs]
        assert ours == path.read_text().split(), path.name
        compared["NTCIREVAL"] += 3


@pytest.mark.parametrize("divergence", ["JSD", "NMD", "RNOD"])
def test_group_fairness_is_reproduced_digit_for_digit(realdata: Any, compared: Any, divergence: str) -> None:
    """GF by each attribute and divergence, and at a cutoff beyond the list."""
    folder = realdata / "gfr"
    rows = list(read_judgments(folder / "fairweb1pilot.qrels").rows())
    files = sorted((folder / "expected").glob("*.GFRnev"))
    assert len(files) == 18
    for path in files:
        run, attribute = path.stem.rsplit(".", 1)
        lines = [line.split() for line in path.read_text().splitlines() if f"GF-{divergence}@" in line]
        judged = Judgments.from_rows([row for row in rows if row[0] == lines[0][0]])
        groups = folder / f"fairweb1pilot.{attribute}.gmemb"
        cut = evaluate(judged, folder / run, f"ntcireval.GF(divergence={divergence},top=2)@20", document_groups=groups)
        assert f"{cut.per_topic(run)[lines[0][0]]:.4f}" == lines[0][2], (path.name, divergence)
        compared["NTCIREVAL"] += 1


@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_d_measures_on_web_runs_are_within_the_rounding_of_the_labels(
    collection: Any, compared: Any, year: int
) -> None:
    """I-rec is the same to the last digit; D-nDCG in both forms, D-Q and D#-nDCG within 2e-4."""
    data = collection(year)
    columns = {
        "I-rec": "I_rec",
        "D-nDCG(MSnDCG)": "D_nDCG",
        "D-nDCG(JK)": "D_nDCG_JK",
        "D-Q": "D_Q",
        "D#-nDCG": "Dsharp_nDCG",
    }
    names = [f"ntcireval.{ours}@{k}" for ours in columns.values() for k in (10, 20)]
    scores = evaluate(data.diversity, data.runs, names)
    for run in data.runs:
        values = {name: scores.per_topic(run.name, name) for name in names}
        for row in _rows(data.expected / "ntcireval" / f"{run.name}.D.tsv"):
            for theirs, ours in columns.items():
                value = values[f"ntcireval.{ours}@{row['cutoff']}"][row["topic"]]
                if ours == "I_rec":
                    assert f"{value:.4f}" == row[theirs]
                else:
                    assert abs(value - float(row[theirs])) <= 2e-4
                compared["NTCIREVAL"] += 1


@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_irbu_and_err_per_intent_are_reproduced_digit_for_digit(collection: Any, compared: Any, year: int) -> None:
    """iRBU and ERR of each intent, with the gains 1:3:7:15, are the same to the last digit."""
    data = collection(year)
    gains = "gain=exponential,top=4"
    for aspect, rows in _by_aspect(data).items():
        judgments = Judgments.from_rows(row for row in data.diversity.rows() if row[1] == aspect)
        irbu = {(p, k): parse(f"ntcireval.iRBU(p={p},{gains})@{k}").name for p in ("0.8", "0.99") for k in (10, 20, 50)}
        err = {k: f"ntcireval.D_ERR({gains})@{k}" for k in (10, 20)}
        scores = evaluate(judgments, data.runs, [*irbu.values(), *err.values()])
        values = {(run, name): scores.per_topic(run, name) for run in scores.runs for name in scores.metrics}
        for run, row in rows:
            for k in (10, 20, 50):
                assert f"{values[run, irbu[row['p'], k]][row['topic']]:.4f}" == row[f"iRBU@{k}"]
            for k in (10, 20):
                assert f"{values[run, err[k]][row['topic']]:.4f}" == row[f"ERR@{k}"]
        compared["NTCIREVAL"] += 5 * len(rows)


def _rows(path: Any) -> Any:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def _by_aspect(data: Any) -> dict[str, list[tuple[str, dict[str, str]]]]:
    rows: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for run in data.runs:
        for row in _rows(data.expected / "ntcireval" / f"{run.name}.iRBU.tsv"):
            rows.setdefault(row["aspect"], []).append((run.name, row))
    return rows
