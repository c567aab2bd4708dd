"""What commands print for people fits a terminal of 80 columns, on a real collection with long names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from support.shared import THOROUGH

METRICS = ("RBU@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20")
RUNS = ("gdesa-repo-mdpdiv-original", "gdesa-repo-ppg", "reinfo-cknrm_allanchor", "dssa-indri-baseline")
CHOSEN = [word for metric in METRICS for word in ("-m", metric)]
ONE = CHOSEN[:2]
# Each command with Q for the judgments, R for the runs, and P for the first two of them.
COMMANDS = [
    ["evaluate", "Q", "R", *CHOSEN],
    ["evaluate", "Q", "R", *CHOSEN, "--per-topic"],
    ["compare", "Q", "R", *CHOSEN],
    ["compare", "Q", "R", *CHOSEN, "--baseline", "dssa-indri-baseline"],
    ["compare", "Q", "R", *ONE],
    ["compare", "Q", "R", *ONE, "--baseline", "dssa-indri-baseline"],
    ["conclusions", "Q", "R", "-m", "RBU(p=0.8..0.9,e=0..0.05)@10"],
    ["violations", "Q", "R", *CHOSEN],
    ["why", "Q", "P", "-m", "RBU@20", "-m", "ERR_IA@20"],
    ["axioms", "ERR-IA@k"],
    ["axioms", "P@k", "--reading", "both"],
    ["metrics"],
    ["metrics", "RBU"],
    ["metrics", "ndeval"],
]
SLOW = [
    ["choose", "Q", "R", *CHOSEN],
    ["meta", "Q", "R", *CHOSEN, "-o", "OUT"],
    ["axioms"],
    ["unanimity", "Q", "R", *CHOSEN],
]


@pytest.mark.parametrize("words", [*COMMANDS, *(SLOW if THOROUGH else [])], ids=" ".join)
def test_no_line_is_wider_than_the_terminal(
    words: list[str], realdata: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line has more than 80 columns but commands to copy; whole names of runs are in it, also in a pipe."""
    monkeypatch.setenv("COLUMNS", "80")
    runs = [str(realdata / "web2011" / "runs" / f"{name}.run.gz") for name in RUNS]
    known = {"Q": [str(realdata / "web2011" / "qrels.diversity.txt")], "R": runs, "P": runs[:2], "OUT": [str(tmp_path)]}
    assert main([part for word in words for part in known.get(word, [word])]) == 0
    printed = capsys.readouterr().out
    wide = [line for line in printed.splitlines() if len(line) > 80 and not line.strip().startswith("diveval ")]
    assert wide == []
    if "R" in words and words[0] != "violations":
        assert all(name in printed for name in RUNS)
