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
