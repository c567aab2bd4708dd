"""The printouts that come with trec_eval 10.0, byte for byte, by `diveval evaluate -f trec` and by the drop-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.cli import trec_eval as drop_in

# Output, trec_eval's options, judgments and run.
PRINTED = {
    "out.test": ("", "qrels.test", "results.test"),
    "out.test.a": ("-m all_trec", "qrels.test", "results.test"),
    "out.test.aq": ("-m all_trec -q", "qrels.test", "results.test"),
    "out.test.aqc": ("-m all_trec -q -c", "qrels.test", "results.trunc"),
    "out.test.aqcM": ("-m all_trec -q -c -M100", "qrels.test", "results.trunc"),
    "out.test.aql": ("-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test"),
    "out.test.meas_params": (
        "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35"
        " -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20",
        "qrels.test",
        "results.test",
    ),
}


@pytest.fixture
def folder(realdata: Path) -> Path:
    """The files of trec_eval's own test."""
    return realdata / "trec_eval10"


@pytest.mark.parametrize("name", PRINTED)
def test_trec_eval_10_is_reproduced_byte_for_byte(
    name: str, folder: Path, compared: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """trec_eval's own arguments print its bytes: every measure of all_trec, each topic and the last lines."""
    options, judgments, run = PRINTED[name]
    assert drop_in.main([*options.split(), str(folder / judgments), str(folder / run)]) == 0
    printed = (folder / name).read_text()
    assert capsys.readouterr().out == printed
    compared["trec_eval 10"] += len(printed.splitlines())


@pytest.mark.parametrize("name", PRINTED)
def test_evaluate_prints_the_same_bytes(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`diveval evaluate -f trec` with names such as `trec_eval.P.5,7,3` prints what the drop-in prints."""
    options, judgments, run = PRINTED[name]
    level, depth = ("(level=2)" if "-l2" in options else ""), ("(depth=100)" if "-M100" in options else "")
    words = options.replace("-m ", "-m").split()
    names = [f"trec_eval.{word[2:]}{level}{depth}" for word in words if word.startswith("-m")]
    asked = [part for one in names for part in ("-m", one)]
    whole = ["evaluate", "-f", "trec", *asked, *(["-q"] if "-q" in words else [])]
    assert main([*whole, str(folder / judgments), str(folder / run)]) == 0
    assert capsys.readouterr().out == (folder / name).read_text()
