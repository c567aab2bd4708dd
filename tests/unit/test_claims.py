"""docs/claims.md is true: its cheap commands run here, and the others at least exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from support.console import ROOT, complaints

CLAIMS = ROOT / "docs" / "claims.md"


@pytest.mark.slow
def test_the_commands_shown_print_what_the_page_shows(tmp_path: Path) -> None:
    """Every claim with its output is checked as a reader would check it."""
    pytest.importorskip("z3")
    wrong = complaints(CLAIMS, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_the_commands_named_exist() -> None:
    """A test file, a make target or a folder that a claim points to is there."""
    text = CLAIMS.read_text(encoding="utf-8")
    paths = set(re.findall(r"\b((?:tests|docs)/[\w./-]+\w)", text))
    assert len(paths) > 10
    for path in paths:
        assert (ROOT / path).exists(), path
    made = "".join(p.read_text(encoding="utf-8") for p in [ROOT / "Makefile", *ROOT.glob("*/*.mk")])
    for target in set(re.findall(r"`make ([a-z-]+)`", text)):
        assert re.search(rf"^{target}:", made, re.MULTILINE), f"make {target}"


CODE_IN_DATA = r"\b(c?pickle|dill|cloudpickle|joblib|marshal|shelve|yaml)\b"
# Every word that is looked for, in any part of a file.
SUSPECT = (
    rf"{CODE_IN_DATA}|(?<![.\w])(eval|exec|compile|__import__)\b|\b(exec_module|popen|shell|allow_pickle)\b|os.system"
)


def _dotted(node: ast.expr) -> str:
    """`os.system`; what is called or indexed on the way has no name."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.slow
def test_no_code_runs_but_what_is_asked_for() -> None:
    """No eval, exec, pickle or shell in the package, YAML only as plain data; code is loaded only for `-m file.py:name`."""
    forbidden, loaders = [], []
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(SUSPECT, text):  # no need to parse it
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = _dotted(node.func)
                if called in ("eval", "exec", "compile", "__import__", "os.system", "os.popen") or re.match(
                    r"yaml\.(?!safe_load$|scan$)", called
                ):
                    forbidden.append(f"{path.name}: {called}")
                # np.load and Spark's or pandas' readers take these words; none may be given.
                forbidden += [
                    f"{path.name}: {word.arg}=" for word in node.keywords if word.arg in ("shell", "allow_pickle")
                ]
                if called.endswith("exec_module"):
                    loaders.append(path.name)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and re.search(CODE_IN_DATA, ast.unparse(node)):
                forbidden.append(f"{path.name}: {ast.unparse(node)}")
    assert not forbidden
    assert loaders == ["names.py"]


# What docs/reference/peers.csv and docs/howto/migrate.md say: their metric, ours, and the options that make them one.
SAME = [
    ("ndeval.alpha_nDCG@20", "alpha_nDCG@20", {"gain": "binary"}),
    ("ndeval.strec@20", "StRecall@20", {}),
    ("ndeval.P_IA@20", "P_IA@20", {}),
    ("ndeval.MAP_IA", "AP_IA", {}),
    ("trec_eval.P_10", "P@10", {}),
    ("trec_eval.map", "AP", {}),
    ("trec_eval.recip_rank", "RR", {}),
    ("trec_eval.ndcg", "nDCG", {"gain": "linear"}),
    ("trec_eval.ndcg_cut_10", "nDCG@10", {"gain": "linear"}),
    ("gdeval.ERR@20", "ERR@20", {"gmax": 4}),
    ("gdeval.nDCG@20", "nDCG@20", {}),
    ("evall.RBU(p=0.8,e=0.03)", "RBU(p=0.8,e=0.03,scale=evall)", {"gmax": "per-aspect", "order": "file"}),
    ("ntcireval.I_rec@10", "StRecall@10", {"order": "file"}),
]


def collection(seed: int = 5) -> tuple[dict[str, dict[str, dict[str, int]]], dict[str, dict[str, float]]]:
    """Graded judgments of three aspects for four topics, and a ranking of distinct scores for each."""
    draws = np.random.default_rng(seed)
    judgments, run = {}, {}
    for topic in "1234":
        documents = [f"d{i:03}" for i in draws.permutation(60)]
        judgments[topic] = {
            aspect: {d: int(draws.integers(1, 4)) if draws.random() < 0.3 else 0 for d in documents[:40]}
            for aspect in "abc"
        }
        listed = [documents[i] for i in draws.permutation(60)[:45]]
        run[topic] = {d: float(100 - i) for i, d in enumerate(listed)}
    return judgments, run


@pytest.mark.parametrize(("theirs", "ours", "options"), SAME, ids=[row[0] for row in SAME])
def test_under_these_options_our_metric_is_theirs(theirs: Any, ours: Any, options: Any) -> None:
    """A metric of ours gives another tool's number on every topic, under the options the documents name."""
    judgments, run = collection()
    scores = diveval.evaluate(judgments, {"run": run}, [theirs, ours], **options)
    values = scores.array(theirs)
    assert np.ptp(values) > 0
    np.testing.assert_allclose(scores.array(ours), values, rtol=1e-12, atol=1e-12)


def test_where_the_documents_say_that_numbers_differ_they_do() -> None:
    """ndeval's ERR-IA is another metric than Chapelle's, whatever the gain."""
    judgments, run = collection()
    for gain in ("binary", "exponential"):
        scores = diveval.evaluate(judgments, {"run": run}, ["ndeval.ERR_IA@20", "ERR_IA@20"], gain=gain)
        assert abs(scores.array("ndeval.ERR_IA@20") - scores.array("ERR_IA@20")).max() > 0.01
