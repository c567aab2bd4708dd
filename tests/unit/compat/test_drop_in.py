"""`python -m diveval.trec_eval`: trec_eval's letters, long names and words in any order; every fault is one error."""

from __future__ import annotations

from pathlib import Path

import pytest

from diveval.cli import trec_eval as drop_in
from support.refusals import is_refusal

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
FILES = {
    "qrels": "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d 0\n",
    "run": "1 Q0 b 1 3 r\n1 Q0 a 2 2 r\n1 Q0 x 3 1 r\n2 Q0 d 1 2 r\n2 Q0 a 2 1 r\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments and a run in the working folder."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def _print(capsys: pytest.CaptureFixture[str], *words: str) -> list[list[str]]:
    assert drop_in.main(words) == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("-q -m map qrels run", "-qm map qrels run"),
        ("-q -m map qrels run", "qrels run -q -mmap"),
        ("-q -m map qrels run", "-q -m map -- qrels run"),
        ("-q -m map qrels run", "--query_eval_wanted --measure map qrels run"),
        ("-l 2 -M 2 -m map qrels run", "--level=2 --Max_ret 2 --measure=map qrels run"),
        ("-J -N 9 -m utility qrels run", "--Judged_docs_only --Number_docs_in_coll 9 -m utility qrels run"),
        ("-m map qrels run", "-R qrels -T trec_results -m map qrels run"),
    ],
)
def test_words_are_read_as_getopt_reads_them(words: str, same: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Letters together, long names cut short, options behind files."""
    printed = _print(capsys, *words.split())
    assert printed and _print(capsys, *same.split()) == printed


def test_n_leaves_out_the_last_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """With -q the topics alone, without it nothing."""
    words = ["-m", "all_trec", "qrels", "run"]
    whole = _print(capsys, "-q", *words)
    assert _print(capsys, "-q", "-n", *words) == [line for line in whole if line[1] != "all"] != whole
    assert _print(capsys, "-n", *words) == []


def test_measures_of_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """`runid` and `relstring` need no measure beside them."""
    assert _print(capsys, "-m", "runid", "qrels", "run") == [["runid", "all", "r"]]
    assert _print(capsys, "-q", "-m", "relstring.2", "qrels", "run") == [
        ["relstring_2", "1", "'01'"],
        ["relstring_2", "2", "'01'"],
    ]


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Both end with code 0; no arguments at all with 2 and the usage."""
    assert drop_in.main(["-v"]) == drop_in.main(["-h"]) == 0
    usage = capsys.readouterr().out
    assert drop_in.main([]) == 2 and capsys.readouterr().out == usage


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("-m map qrels nowhere", "cannot-read"),
        ("-m map qrels", "missing-argument"),
        ("-m map qrels run run", "missing-argument"),
        ("qrels run -l", "missing-argument"),
        ("-D 1 qrels run", "unknown-option"),
        ("--nowhere qrels run", "unknown-option"),
        ("-R prefs qrels run", "invalid-choice"),
        ("-T other qrels run", "invalid-choice"),
        ("-l x qrels run", "not-a-number"),
        ("-m nowhere qrels run", "unknown-metric"),
        ("-m P.0 qrels run", "invalid-cutoff"),
        ("-m P.inf qrels run", "not-a-number"),
        ("-m success.nan qrels run", "not-a-number"),
        ("-m relstring.x qrels run", "not-a-number"),
        ("-m relstring.5,3 qrels run", "not-a-number"),
        ("-m relstring.0 qrels run", "invalid-cutoff"),
        ("-m runid.5 qrels run", "unknown-parameter"),
        ("-m map.5 qrels run", "unknown-parameter"),
        ("-m utility.1 qrels run", "wrong-shape"),
        ("-m utility.1,2,3,4,5 qrels run", "wrong-shape"),
        ("-m 11pt_avg.-1,2 qrels run", "out-of-range"),
        ("-m ndcg.1=3,1=4 qrels run", "duplicate-parameter"),
        ("-m rbp.p=2 qrels run", "out-of-range"),
    ],
)
def test_faults_are_errors(words: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one message, nothing printed."""
    assert drop_in.main(words.split()) == 2
    shown = capsys.readouterr()
    assert not shown.out and is_refusal(shown.err, code)
