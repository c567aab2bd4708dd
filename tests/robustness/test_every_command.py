"""Every command on hostile collections: a result, or one error with a code; never another exception."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from diveval.cli import main
from support.hostile import draw
from support.late import late_or_skip
from support.shared import times
from support.ways_to_a_number import write_texts

for needed in ("altair", "z3"):
    late_or_skip(needed)

COLLECTIONS = times(1, 300)
COMMANDS = {
    "evaluate": "evaluate {q} {a} {b} -q -f csv -o {out}",
    "wide": "evaluate {q} {a} {b} -q -f md",
    "stop": "evaluate {q} {a} {b} --stop -m RBU@5",
    "check": "check {q} {a} {b} -v",
    "compare": "compare {q} {a} {b} -f csv",
    "compare latex": "compare {q} {a} {b} -f latex",
    "why": "why {q} {a} {b} -m RBU@5 -m P@3",
    "violations": "violations {q} {a} {b} -f json",
    "conclusions": "conclusions {q} {a} {b} -m RBU@5",
    "unjudged": "conclusions {q} {a} {b} -m ERR@10 --unjudged any",
    "choose": "choose {q} {a} {b} --task web",
    "effort": "choose effort {q} {a} {b}",
    "unanimity": "meta unanimity {q} {a} {b}",
    "power": "meta {q} {a} {b} -o {out}",
    "paper": "paper {q} {a} {b} -o {out}",
    "plot": "plot leaderboard {q} {a} {b} -o {out}.svg",
    "report": "report {q} {a} {b} -o {out}.html --conclusions none",
    "simulate": "data simulate {q} {a} {b} --grades --weights --truncate 5 -o {out}",
    "convert": "data convert run {a} {out}",
    "inspector": "plot inspector {q} {a} -o {out}.svg",
    "topics": "plot topics {q} {a} {b} -o {out}.svg",
    "answers": "evaluate {q} {a} {b} --judged-only -f latex",
    "gate": "gate {q} {a} {b} -m RBU@20 --margin 0.1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_or_refuses(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is that of a result or of a refusal, an error is one with a code, and no file is half-written."""
    for seed in range(COLLECTIONS):
        folder = tmp_path / str(seed)
        qrels, (a, b) = write_texts(draw(seed), folder / "in")
        out = folder / "out"
        words = [word.format(q=qrels, a=a, b=b, out=out) for word in COMMANDS[name].split()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = main(words)
        shown = capsys.readouterr()
        broken = name == "gate" and code == 2 and shown.out  # a verdict of its own, printed like the others
        assert code in (0, 1, 3) or broken or (code == 2 and "error[" in shown.err), (seed, words, shown.err)
        assert "internal-error" not in shown.err and "metric-failed" not in shown.err, (seed, words, shown.err)
        if code == 2:
            assert not out.is_file(), (seed, words)
