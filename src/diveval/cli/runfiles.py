"""Runs as the command line names them: files, folders of files, and `NAME=file`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from diveval.errors import UsageError, shown


class Labelled(str):
    """A run's path with the name that its user gave it."""

    __slots__ = ("label",)
    label: str

    def __new__(cls, path: str, label: str) -> Labelled:
        made = super().__new__(cls, path)
        made.label = label
        return made


def spelled_out(words: Sequence[str]) -> list[str]:
    """Every run of a command line: a folder is the files in it, `NAME=file` a file with a name of its own."""
    out: list[str] = []
    labels: set[str] = set()
    for word in words:
        label, mark, path = word.partition("=")
        if mark and label and not Path(word).exists() and (path == "-" or Path(path).exists()):
            if label in labels:
                raise UsageError(f"two runs are called {shown(label)}; give each a name of its own")
            labels.add(label)
            out.append(Labelled(path, label))
        elif word != "-" and Path(word).is_dir():
            out += _files(Path(word))
        else:
            out.append(word)
    return out


def _files(folder: Path) -> list[str]:
    """The files of a folder by name, without hidden ones; what is in its subfolders is not looked at."""
    found = sorted(str(path) for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not found:
        raise UsageError(f"{folder}: contains no file; name run files, or a folder of them")
    return found
