"""What pages show of the Web track of 2011 is what the commands print: the samples that need files of one's own."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from diveval.cli import main
from support.console import Command, agrees, commands

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")]
HOWTO = Path(__file__).parents[2] / "docs/howto"
FIVE = ("gdesa-repo-gdesa", "gdesa-repo-desa", "dssa-indri-baseline", "repacrr-cwindri", "gdesa-repo-ppg")


def samples(page: str) -> list[Command]:
    """The commands on TREC's files, which stand in blocks of text, with their output."""
    document = (HOWTO / page).read_text(encoding="utf-8").replace("```text\n$ ", "```console\n$ ")
    return [one for one in commands(document) if "qrels.diversity.txt" in one.text]


@pytest.fixture
def folder(realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the track, each run also beside the judgments, as a working folder of 80 columns."""
    web = realdata / "web2011"
    for path in (web / "qrels.diversity.txt", web / "topics.xml", web / "runs", *(web / "runs").iterdir()):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def words(text: str) -> list[str]:
    """A command line as arguments, files by their patterns."""
    parts = shlex.split(text.replace("\\\n", " "))[1:]
    return [name for part in parts for name in (sorted(map(str, Path().glob(part))) if "*" in part else [part])]


@pytest.mark.parametrize(
    ("page", "one"),
    [(page, one) for page in ("choose.md", "why.md") for one in samples(page)],
    ids=lambda value: value if isinstance(value, str) else str(value.line),
)
def test_a_sample_is_what_the_command_prints(
    page: str, one: Command, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines of data exactly, sentences by their facts."""
    assert main(words(one.text)) == 0
    printed = capsys.readouterr().out
    assert agrees(one.shown, printed), f"{page}:{one.line}\n{printed}"


def test_the_files_of_a_paper_are_those_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table and the paragraph on methods."""
    (one,) = samples("paper.md")
    given = one.text.replace("runs/*.run.gz", " ".join(f"{name}.run.gz" for name in FIVE))
    assert main([*words(given), "--no-figures"]) == 0
    capsys.readouterr()
    page = (HOWTO / "paper.md").read_text(encoding="utf-8")
    for name, pattern in (
        ("table.md", r"`results/table.md`:\n\n(.*?)\n\n`"),
        ("methods.tex", r"```latex\n(We .*?)```"),
    ):
        found = re.search(pattern, page, re.DOTALL)
        assert found is not None
        written = (folder / "results" / name).read_text(encoding="utf-8")
        assert agrees(found[1].splitlines(), written), f"{name}\n{written}"
