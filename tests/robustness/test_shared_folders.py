"""Folders that other users can write to: links planted there are not followed, and verdicts there are not believed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from diveval.cli import main
from diveval.system.files import trusted, write_atomically
from support.refusals import is_refusal, refuses

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can make another user's link"
)
SOMEBODY = 65534


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder like /tmp: all may write, and only owners rename."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def plant(link: Path, target: Path) -> Path:
    """Another user's link."""
    link.symlink_to(target)
    os.lchown(link, SOMEBODY, SOMEBODY)
    return link


@pytest.mark.parametrize("exists", [True, False])
def test_a_planted_link_is_not_followed(shared: Path, tmp_path: Path, exists: bool) -> None:
    """Neither the target of another user's link in a shared folder nor a file in its place is written."""
    victim = tmp_path / "victim"
    if exists:
        victim.write_text("mine")
    link = plant(shared / "out.csv", victim)
    with refuses("cannot-write", str(link)):
        write_atomically(link, "theirs")
    assert link.is_symlink() and (victim.read_text() == "mine" if exists else not victim.exists())


def test_a_planted_folder_is_not_followed(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for a link to a folder, by a command."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "q").write_text("1 a d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n")
    out = plant(shared / "results", home) / "x.csv"
    assert main(["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "P@1", "-o", str(out)]) == 2
    assert is_refusal(capsys.readouterr().err, "cannot-write", str(shared / "results"))
    assert list(home.iterdir()) == []


def test_own_links_are_followed(shared: Path, tmp_path: Path) -> None:
    """One's own link, and another user's in a folder of one's own, lead to their targets."""
    own = shared / "own"
    own.symlink_to(tmp_path / "a")
    write_atomically(own, "1")
    given = plant(tmp_path / "given", tmp_path / "b")
    write_atomically(given, "2")
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("1", "2")


def test_only_folders_that_nobody_else_can_replace_are_trusted(shared: Path, tmp_path: Path) -> None:
    """A cache is believed in a folder of one's own, also within /tmp, but not where another could put theirs."""
    own = shared / "cache"
    own.mkdir(mode=0o755)
    assert trusted(own)
    own.chmod(0o775)
    assert not trusted(own)
    own.chmod(0o755)
    shared.chmod(0o777)
    assert not trusted(own)
    shared.chmod(0o1777)
    assert not trusted(plant(shared / "link", own))
    os.chown(own, SOMEBODY, SOMEBODY)
    assert not trusted(own)
