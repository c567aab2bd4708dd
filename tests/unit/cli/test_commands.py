"""The command line: outputs, exit codes and error messages."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.cli.commands import JOBS, RENAMED, SUMMARY
from diveval.cli.completion import commands
from support.refusals import is_refusal

QRELS = "1 1 da 2\n1 2 db 1\n2 1 dc 1\n"
RUN_A = "1 Q0 da 1 2 A\n1 Q0 db 2 1 A\n2 Q0 x 1 1 A\n"
RUN_B = "1 Q0 x 1 2 B\n1 Q0 db 2 1 B\n2 Q0 dc 1 1 B\n"


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Judgments and two runs."""
    for name, text in (("qrels", QRELS), ("A.run", RUN_A), ("B.run", RUN_B)):
        (tmp_path / name).write_text(text)
    return [str(tmp_path / "qrels"), str(tmp_path / "A.run"), str(tmp_path / "B.run")]


def test_every_command_has_a_summary_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`diveval` lists every command of a job and no command of version 2, and each command has a help text."""
    assert main([]) == 0
    listed = set(re.findall(r"[\w-]+", capsys.readouterr().out.partition("by job")[2].partition("`")[0]))
    assert {command for job in JOBS.values() for command in job} <= listed
    assert not listed & set(RENAMED)
    words = [command.words for command in commands()]
    assert {tuple(name.split()) for name in SUMMARY} < set(words)
    for command in words:
        if command != ("data", "ir-measures"):  # its help is that of ir_measures
            with pytest.raises(SystemExit) as exit_info:
                main([*command, "--help"])
            assert exit_info.value.code == 0
            assert f"usage: diveval {' '.join(command)}" in capsys.readouterr().out


WAS_AND_IS = [
    ("cutoff q A.run B.run -m RBU@5 -q", "evaluate q A.run B.run -m RBU@5 -q --stop"),
    ("explain P@k Pri", "axioms P@k Pri"),
    ("explain P@k Pri -f text", "axioms P@k pri"),
    ("regions P@k --axiom Pri", "axioms P@k --axiom Pri --regions"),
    ("advise --need Pri,Conf --grades -f json", "axioms --need Pri,Conf --grades -f json"),
    ("unanimity q A.run B.run -m P@2 -m RR", "meta unanimity q A.run B.run -m P@2 -m RR"),
    ("agreement q A.run B.run -m P@2 --preferences p", "meta agreement q A.run B.run -m P@2 --preferences p"),
    ("convert qrels q -", "data convert qrels q -"),
    ("reproduce table2 --seeds 0", "data reproduce table2 --seeds 0"),
    ("simulate q A.run -o s", "data simulate q A.run -o s"),
    ("ir-measures q A.run P@2", "data ir-measures q A.run P@2"),
    ("effort --read 10", "choose effort --read 10"),
]


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize(("was", "now"), WAS_AND_IS)
def test_commands_of_version_2_work_and_name_the_new_one(
    files: Any, was: str, now: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The old command has the exit code and output of the new one, after a line on standard error that names it."""
    folder = Path(files[0]).parent
    monkeypatch.chdir(folder)
    (folder / "qrels").rename("q")
    (folder / "p").write_text("topic,a,b,preferred,assessor\n1,A,B,a,x\n")
    code = main(was.split())
    old = capfd.readouterr()
    assert code == main(now.split())
    new = capfd.readouterr()
    line, _, rest = old.err.partition("\n")
    assert f"diveval {' '.join(RENAMED[was.split(maxsplit=1)[0]])} " in line
    assert (old.out, rest) == (new.out, new.err)


def test_every_renamed_command_is_tested() -> None:
    """The list above covers all names of version 2, and none of them is a command now."""
    assert {was.split()[0] for was, _ in WAS_AND_IS} == set(RENAMED)
    assert not set(RENAMED) & set(SUMMARY)


@pytest.mark.parametrize(
    "words",
    [["--sort", "RBU"], ["--wide"], ["--keep-going"], ["--residuals"], ["--topics", "t"], ["-f", "trec"]],
)
def test_stop_refuses_options_about_scores(files: Any, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An option that `--stop` would ignore is an error."""
    assert main(["evaluate", *files, "--stop", *words]) == 2
    assert "--stop" in capsys.readouterr().err


def test_csv_has_the_documented_header_and_full_doubles(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The header is run,metric,topic,value; `all` is the mean; topics are listed only with -q."""
    assert main(["evaluate", *files, "-m", "RR", "-m", "α-nDCG@20", "-q", "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["run", "metric", "topic", "value"]
    assert [r for r in rows if r["run"] == "A" and r["metric"] == "RR"] == [
        {"run": "A", "metric": "RR", "topic": t, "value": v} for t, v in (("1", "1.0"), ("2", "0.0"), ("all", "0.5"))
    ]
    assert main(["evaluate", *files, "-m", "RR", "-f", "csv"]) == 0
    assert {r["topic"] for r in csv.DictReader(io.StringIO(capsys.readouterr().out))} == {"all"}


def test_the_table_fits_80_columns_and_marks_the_best(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is at most 80 columns wide, and `*` marks the best value of a column."""
    many = [
        word
        for name in ("RBU", "α-nDCG@20", "ERR-IA@20", "D#-nDCG@10", "AP-IA", "S-RR@100%", "RR")
        for word in ("-m", name)
    ]
    assert main(["evaluate", *files, *many]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "0.7500*" in out


@pytest.mark.parametrize(
    ("format", "shown"), [("table", "-3.0000e+12"), ("latex", "-3.0000e+12"), ("csv", "-2999999999999.75")]
)
def test_very_large_numbers_are_in_scientific_notation(
    files: Any, capsys: pytest.CaptureFixture[str], format: str, shown: str
) -> None:
    """Tables use scientific notation for very large numbers, and CSV keeps every digit."""
    assert main(["evaluate", *files, "-m", "RBU(p=1,e=2e12)@20", "-f", format]) == 0
    assert shown in capsys.readouterr().out


def test_json_tsv_latex_and_output_files(files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other formats have the same numbers; -o writes the file and prints nothing."""
    assert main(["evaluate", *files, "-m", "RR", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"]["B"]["RR"] == 0.75
    target = tmp_path / "out.tsv"
    assert main(["evaluate", *files, "-m", "RR", "-f", "tsv", "-o", str(target)]) == 0
    assert capsys.readouterr().out == "" and target.read_text().startswith("run\tmetric\ttopic\tvalue\n")
    assert main(["evaluate", *files, "-m", "RR", "-f", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["-m", "RUB"], ("unknown-metric", "RBU")),
        (["-m", "RBU(p=7)"], ("out-of-range", "0", "1")),
        (["--gmax", "x"], ("not-a-number", "--gmax")),
        (["--jobs", "0"], ("out-of-range", "--jobs")),
        (["-o", "/nonexistent/x"], ("cannot-write", "/nonexistent/x")),
        (["--weights", "/nonexistent"], ("cannot-read",)),
        (["--residuals", "-m", "ndeval.MAP_IA"], ("metric-of-another-tool",)),
        (["--effort-file", "/nonexistent"], ("cannot-read",)),
    ],
)
def test_invalid_options_exit_2_with_one_line(
    files: Any, capsys: pytest.CaptureFixture[str], words: list[str], refusal: tuple[str, ...]
) -> None:
    """The error is one line that names the option, and nothing goes to standard output."""
    assert main(["evaluate", *files, *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and is_refusal(err, *refusal) and err.count("\n") == 1 and err.startswith("diveval: ")


def test_unknown_options_exit_2(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown option or choice exits with 2."""
    for words in (["--order", "random"], ["--nonsense"]):
        with pytest.raises(SystemExit) as exit_info:
            main(["evaluate", *files, *words])
        assert exit_info.value.code == 2
    capsys.readouterr()


def test_cutoff_lists_the_best_rank(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate --stop` lists the best rank of each topic, and refuses a metric without effort."""
    assert main(["evaluate", "--stop", *files, "-m", "RBU(p=0.9,e=0.1)", "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["run"], r["topic"], r["rank"]) for r in rows if r["topic"] != "all"] == [
        ("A", "1", "2"),
        ("A", "2", "0"),
        ("B", "1", "0"),
        ("B", "2", "1"),
    ]
    assert main(["evaluate", "--stop", *files, "-m", "AP"]) == 2
    assert is_refusal(capsys.readouterr().err, "metric-needs-effort")


def test_metrics_lists_and_explains(capsys: pytest.CaptureFixture[str]) -> None:
    """`metrics` lists all metrics, those of a tool, or the details of one; JSON lists them too."""
    assert main(["metrics"]) == 0
    listed = capsys.readouterr().out
    assert " RBU(p=0.9,e=0.01)@20" in listed and len(listed.splitlines()) < 60
    assert main(["metrics", "ndeval"]) == 0
    assert "ndeval.ERR_IA@20" in capsys.readouterr().out
    assert main(["metrics", "RBU"]) == 0
    assert "in [0, ∞)" in capsys.readouterr().out
    assert main(["metrics", "α-nDCG"]) == 0
    assert "Clarke et al. 2008" in capsys.readouterr().out
    assert main(["metrics", "-f", "json"]) == 0
    assert any(row["name"] == "RBU" for row in json.loads(capsys.readouterr().out))
    assert main(["metrics", "XYZ"]) == 2


def test_a_metric_from_a_file_and_a_residual(files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-m file.py:name runs that file, and --residuals adds a column for each of our metrics."""
    (tmp_path / "mine.py").write_text("def length(ranking):\n    return len(ranking)\n")
    assert main(["evaluate", *files, "-m", f"{tmp_path}/mine.py:length", "-m", "P@2", "--residuals", "-f", "csv"]) == 0
    rows = {(r["run"], r["metric"]): float(r["value"]) for r in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows["A", "length"] == 1.5 and rows["B", "P@2+residual"] == pytest.approx(0.25)


def test_data_make_writes_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate` reads a synthetic collection, and `data list` lists the known ones."""
    assert main(["data", "make", str(tmp_path / "c"), "--topics", "3", "--systems", "5", "--depth", "40"]) == 0
    assert (
        main(
            ["evaluate", str(tmp_path / "c" / "qrels.txt"), *map(str, sorted((tmp_path / "c" / "runs").glob("*.run")))]
        )
        == 0
    )
    capsys.readouterr()
    assert main(["data", "list"]) == 0
    assert "trec-web-2014" in capsys.readouterr().out


def test_a_closed_pipe_is_not_an_error(files: Any) -> None:
    """`diveval … | head` exits with 0 and prints no error."""
    command = f"{sys.executable} -m diveval metrics | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""


def test_standard_input_once_only(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Using standard input for two files is refused."""
    assert main(["evaluate", "-", "-", "-m", "RR"]) == 2
    assert is_refusal(capsys.readouterr().err, "stdin-twice")


def test_check_continues_after_a_bad_run(files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused run causes exit code 1 but the others are still checked; -v adds details."""
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d\n")
    assert main(["check", files[0], str(bad), files[1]]) == 1
    out = capsys.readouterr().out
    table = out[out.index(str(bad)) : out.index("2 runs:")]
    assert re.findall(r"\b(refused|fine)\b", table) == ["refused", "fine"]
    assert "2 runs: 1 fine, 1 refused" in out
    assert main(["check", files[0], str(bad), files[1], "-v"]) == 1
    out = capsys.readouterr().out
    assert "50.0 %, 50.0 %" in out  # all of one topic, none of the other
    assert re.search(r"bad\.run:1\b.*\bL01\b", out)
    assert main(["check", *files]) == 0


def test_check_finds_identical_runs_duplicates_and_unknown_documents(
    files: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` reports identical rankings, repeated documents and ids outside the collection, in JSON and CSV."""
    copy, twice, known = tmp_path / "copy.run", tmp_path / "twice.run", tmp_path / "documents.txt"
    text = Path(files[1]).read_text()
    copy.write_text("".join(" ".join([*line.split()[:5], "other"]) + "\n" for line in text.splitlines()))
    first = text.splitlines()[0].split()
    twice.write_text(text + " ".join([*first[:3], "99", "-1", first[5]]) + "\n")
    words = ["check", *files, str(copy), str(twice)]
    assert main([*words, "-f", "json"]) == 1
    runs = {run["run"]: run for run in json.loads(capsys.readouterr().out)["runs"]}
    assert runs[files[1]]["same_rankings_as"] == [str(copy)]
    assert runs[str(copy)]["verdict"] == "warned"
    assert [f["rule"] for f in runs[str(twice)]["findings"] if f["severity"] == "error"] == ["D01"]
    assert main([*words, "--duplicates", "first"]) == 0
    capsys.readouterr()
    ids = {line.split()[2] for line in text.splitlines()}
    known.write_text("".join(f"{name}\n" for name in sorted(ids, reverse=True)))
    assert main(["check", *files[:2], "--documents", str(known)]) == 0
    known.write_text("".join(f"{name}\n" for name in sorted(ids)[1:]))
    capsys.readouterr()
    assert main(["check", *files[:2], "--documents", str(known), "-f", "csv"]) == 1
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["verdict"], row["rules"]) for row in rows] == [("refused", "D02:1")]


def test_timing_goes_to_standard_error(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """--timing lists the stages on standard error and leaves standard output unchanged."""
    assert main(["evaluate", *files, "-m", "RR", "-f", "csv"]) == 0
    plain = capsys.readouterr().out
    assert main(["evaluate", *files, "-m", "RR", "-f", "csv", "--timing"]) == 0
    out, err = capsys.readouterr()
    assert out == plain
    assert [line.split()[0] for line in err.splitlines()] == [
        "reading",
        "matching",
        "scoring",
        "writing",
        "wall",
        "reader",
    ]
