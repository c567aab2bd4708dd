"""Generate examples of the file formats and of the JSON output by running the program."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import tempfile
from pathlib import Path
from typing import Any

from generate_text import fence

from diveval.cli import main
from diveval.collection.judgments import Judgments
from diveval.reading.objects import as_judgments, as_run
from diveval.writing import JUDGMENT_TARGETS, RUN_TARGETS, judgments_content, runs_content

LINES = 6
MEANING = {
    "trec": "spaces or tabs; the judgments' second column is the aspect",
    "evall": "tabs; the lines of a run are its ranking; judgments carry the aspects' weights",
    "ntcir": "intents with grades `L0`, `L1`, …; the probabilities of intents come with `--weights`",
    "dynamic-domain": "judgments by passage, runs in rounds",
    "parquet": "columnar, for large collections",
}
COLLECTION = "c/qrels.txt c/runs/diverse.run c/runs/redundant.run --weights c/weights.txt"
SHAPES = {
    "evaluate": f"evaluate {COLLECTION} -m RBU@20 -m StRecall@10 -q -f json",
    "evaluate --stop": f"evaluate {COLLECTION} --stop -f json",
    "compare": f"compare {COLLECTION} -m alpha_nDCG@10 -f json",
    "meta unanimity": f"meta unanimity {COLLECTION} --set usual --bootstrap 50 -f json",
    "metrics": "metrics RBU -f json",
    "axioms METRIC AXIOM": "axioms 'RBU(p=0.8,e=0.05)' CloseTh -f json",
}


def pages() -> dict[str, str]:
    """`formats.md` and `json.md`."""
    return {"formats.md": _formats(), "json.md": _json()}


def _formats() -> str:
    judgments = as_judgments({"101": {"history": {"d1": 2, "d2": 0}, "prices": {"d1": 0, "d2": 1}}})
    run = as_run({"101": {"d2": 7.5, "d9": 6.0, "d1": 5.25}}, name="example")
    parts = ["# Formats\n", "How files are recognised, and which options apply: [reading](../reading.md).\n"]
    parts.append("## Judgments\n\nA document d1 of grade 2 for the aspect `history`, and d2 of grade 1 for `prices`:\n")
    parts += [_sample(name, _judgment_text(judgments, name)) for name in JUDGMENT_TARGETS]
    parts.append("## Runs\n")
    parts += [_sample(name, runs_content([run], name).content) for name in RUN_TARGETS]
    return "\n".join(parts)


def _judgment_text(judgments: Judgments, name: str) -> str | bytes:
    return judgments_content(judgments, name).content


def _sample(name: str, content: str | bytes) -> str:
    description = MEANING.get(name, "")
    title = f"### {name}\n\n" + (f"{description[0].upper()}{description[1:]}.\n\n" if description else "")
    return title + ("" if isinstance(content, bytes) else fence("\n".join(content.splitlines()[:LINES])))


def _json() -> str:
    parts = ["# JSON\n", "What `-f json` writes, on a small collection; long lists are cut at `…`.\n"]
    with tempfile.TemporaryDirectory() as folder, _inside(Path(folder)):
        _output("data make c --topics 6 --systems 4 --depth 30")
        for name, command in SHAPES.items():
            parts += [f"## diveval {name}\n", fence(f"$ diveval {command}", "console")]
            shown = _short(json.loads(_output(command)))
            parts.append(fence(json.dumps(shown, indent=1, ensure_ascii=False), "text"))
    return "\n".join(parts)


@contextlib.contextmanager
def _inside(folder: Path) -> Any:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _output(command: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(shlex.split(command))
    if code != 0:
        raise RuntimeError(f"diveval {command} ended with {code}")
    return out.getvalue()


def _short(value: Any) -> Any:
    """The same data with lists and long mappings shortened."""
    if isinstance(value, dict):
        kept = {key: _short(below) for key, below in list(value.items())[:16]}
        return {**kept, **({"…": "…"} if len(value) > 16 else {})}
    if isinstance(value, list):
        return [_short(below) for below in value[:2]] + (["…"] if len(value) > 2 else [])
    return round(value, 6) if isinstance(value, float) else value
