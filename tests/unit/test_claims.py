"""docs/claims.md is correct: the commands it names exist, and its claims about the code and other tools hold.

test_documents.py runs the commands whose output the page shows.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import pytest

import diveval
from support.console import ROOT

CLAIMS = ROOT / "docs" / "claims.md"


def test_the_commands_named_exist() -> None:
    """Every file, folder and make target that a claim refers to exists."""
    text = CLAIMS.read_text(encoding="utf-8")
    paths = set(re.findall(r"\b((?:tests|docs)/[\w./-]+\w)", text))
    assert len(paths) > 10
    for path in paths:
        assert (ROOT / path).exists(), path
    makefiles = "".join(p.read_text(encoding="utf-8") for p in [ROOT / "Makefile", *ROOT.glob("*/*.mk")])
    for target in set(re.findall(r"`make ([a-z-]+)`", text)):
        assert re.search(rf"^{target}:", makefiles, re.MULTILINE), f"make {target}"


def _dotted(node: ast.expr) -> str:
    """The dotted name of a called function; `ast.unparse` takes ten times as long."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


CODE_IN_DATA = r"\b(c?pickle|dill|cloudpickle|joblib|marshal|shelve|yaml)\b"
CODE = r"\b(eval|exec|(?<!re\.)compile|__import__|system|popen|shell|allow_pickle|exec_module)\b"


@pytest.mark.slow
def test_the_package_runs_no_code_from_data() -> None:
    """The package uses no eval, exec, pickle or shell, and YAML only as data; it loads code only for `-m file.py:name`."""
    forbidden, loaders = [], []
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(rf"{CODE_IN_DATA}|{CODE}", text):  # parsing is slow, and most files need none
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = _dotted(node.func)
                if called in ("eval", "exec", "compile", "__import__", "os.system", "os.popen") or re.match(
                    r"yaml\.(?!safe_load$|scan$)", called
                ):
                    forbidden.append(f"{path.name}: {called}")
                # np.load and the readers of Spark and pandas accept these arguments.
                forbidden += [
                    f"{path.name}: {word.arg}=" for word in node.keywords if word.arg in ("shell", "allow_pickle")
                ]
                if called.endswith("exec_module"):
                    loaders.append(path.name)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and re.search(CODE_IN_DATA, ast.unparse(node)):
                forbidden.append(f"{path.name}: {ast.unparse(node)}")
    assert not forbidden
    assert loaders == ["names.py"]


# From docs/reference/peers.csv and docs/howto/migrate.md: another tool's metric, ours, and the options that make them equal.
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
def test_our_metric_equals_another_tools_under_the_documented_options(theirs: Any, ours: Any, options: Any) -> None:
    """Our metric gives the other tool's value on every topic under the documented options."""
    judgments, run = collection()
    scores = diveval.evaluate(judgments, {"run": run}, [theirs, ours], **options)
    values = scores.array(theirs)
    assert np.ptp(values) > 0
    np.testing.assert_allclose(scores.array(ours), values, rtol=1e-12, atol=1e-12)


def test_documented_differences_exist() -> None:
    """ndeval's ERR-IA differs from Chapelle's, whatever the gain."""
    judgments, run = collection()
    for gain in ("binary", "exponential"):
        scores = diveval.evaluate(judgments, {"run": run}, ["ndeval.ERR_IA@20", "ERR_IA@20"], gain=gain)
        assert abs(scores.array("ndeval.ERR_IA@20") - scores.array("ERR_IA@20")).max() > 0.01
