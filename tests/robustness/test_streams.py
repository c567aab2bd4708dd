"""Commands write to and read from devices, pipes, links, closed streams, any encoding, and unusual names."""

import io
import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.system.files import write_atomically

QRELS = "1 a d1 1\n1 b d2 1\n2 a d3 2\n"
RUN = "1 Q0 d1 1 2.0 x\n1 Q0 d2 2 1.0 x\n2 Q0 d3 1 1.0 x\n"
posix = pytest.mark.skipif(sys.platform == "win32", reason="devices, pipes and links of POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A folder with judgments and a run."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(QRELS)
    Path("r").write_text(RUN)
    return tmp_path


def diveval(*words: Any, shell: str = "", **options: Any) -> Any:
    """Run the program as a process; `shell` redirects its streams."""
    environment = {**os.environ, **options.pop("env", {})}
    command = [sys.executable, "-m", "diveval", *words]
    if shell:
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", *command]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment, check=False, **options)
    assert b"Traceback" not in done.stderr
    return done


@posix
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root makes devices")
def test_a_device_is_written_to_and_stays(folder: Path) -> None:
    """Writing to a device does not replace it by a file."""
    device = folder / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"x")
    except OSError:
        pytest.skip("devices cannot be used here")
    write_atomically(device, "text")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(folder.glob(".*")) == []


@posix
def test_a_pipe_is_written_to_and_stays(folder: Path) -> None:
    """The reader of a FIFO gets the complete output, and the FIFO stays."""
    pipe, received = folder / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "α" * 100_000)
    reader.join(30)
    assert received == ["α".encode() * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@posix
def test_a_socket_is_written_to_and_stays(folder: Path) -> None:
    """The server of a socket gets the complete output, and the socket stays."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        server.listen(1)
        received = []

        def serve() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as stream:
                received.append(stream.read())

        reader = threading.Thread(target=serve)
        reader.start()
        write_atomically("socket", b"text")
        reader.join(30)
    assert received == [b"text"]
    assert stat.S_ISSOCK(Path("socket").stat().st_mode)


@posix
def test_the_target_of_a_link_is_replaced(folder: Path) -> None:
    """A link stays a link, also in a chain of links or where its target does not exist yet."""
    Path("far").mkdir()
    Path("far/old").write_text("old")
    Path("link").symlink_to("far/old")
    Path("chain").symlink_to("link")
    Path("dangling").symlink_to("far/new")
    write_atomically("chain", "new")
    write_atomically("dangling", "made")
    assert Path("chain").is_symlink() and Path("link").is_symlink() and Path("dangling").is_symlink()
    assert Path("far/old").read_text() == "new"
    assert Path("far/new").read_text() == "made"


@posix
def test_mode_and_owner_are_kept(folder: Path) -> None:
    """A replaced file keeps its mode and, when root writes, its owner."""
    target = folder / "out"
    target.write_text("old")
    target.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(target, 4321, 4322)
    write_atomically(target, "new")
    status = target.stat()
    assert stat.S_IMODE(status.st_mode) == 0o600
    assert (status.st_uid, status.st_gid) == ((4321, 4322) if os.geteuid() == 0 else (os.geteuid(), os.getegid()))
    assert target.read_text() == "new"


@posix
def test_a_name_of_255_bytes_is_written(folder: Path) -> None:
    """The name of the temporary file does not grow with that of the target."""
    name = "漢" * 84 + ".md"
    write_atomically(folder / name, "text")
    assert (folder / name).read_text() == "text"


@posix
def test_standard_output_by_its_path_is_appended(folder: Path) -> None:
    """-o /dev/stdout writes to the file that the shell has open instead of replacing it."""
    Path("out").write_text("first\n")
    done = diveval("evaluate", "q", "r", "-m", "P@5", "-f", "csv", "-o", "/dev/stdout", shell=">> out")
    assert done.returncode == 0
    assert Path("out").read_text().splitlines()[:2] == ["first", "run,metric,topic,value"]


@posix
@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/1", "link"])
def test_later_commands_do_not_overwrite_standard_output(folder: Path, path: str) -> None:
    """A file that the shell opens for several commands contains the output of each, in order."""
    Path("link").symlink_to("/dev/stdout")
    command = [sys.executable, "-m", "diveval", "evaluate", "q", "r", "-m", "P@5", "-f", "csv", "-o", path]
    subprocess.run(["sh", "-c", '(echo first; "$@"; echo last) > out', "sh", *command], timeout=120, check=True)
    lines = Path("out").read_text().splitlines()
    assert lines[:2] == ["first", "run,metric,topic,value"] and lines[-1] == "last"


@posix
def test_a_name_that_is_not_utf_8_is_escaped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every format and every message shows the escaped name; two of the commands run as processes."""
    name = os.fsdecode(b"run\xff")
    (folder / name).write_text(RUN)
    for form in ("table", "csv", "json"):
        for output in ([], ["-o", "out"]):
            assert main(["evaluate", "q", name, "-m", "P@5", "-f", form, *output]) == 0
            printed = capsys.readouterr().out
            written = Path("out").read_text(encoding="utf-8") if output else printed
            assert "run\\xff" in written or "run\\\\xff" in written
    assert main(["check", "q", name]) == 0
    packed = [os.fsdecode(b"q\xff.parquet"), os.fsdecode(b"run\xff.parquet")]
    assert main(["data", "convert", "qrels", "q", packed[0]]) == 0
    assert main(["data", "convert", "run", name, packed[1]]) == 0
    assert main(["evaluate", *packed, "-m", "P@5", "-f", "parquet", "-o", os.fsdecode(b"s\xff.parquet")]) == 0
    assert b"run\\xff" in diveval("evaluate", *packed, "-m", "P@5").stdout
    missing = diveval("evaluate", "q", b"none\xff")
    assert missing.returncode == 2
    assert b"none\\xff: " in missing.stderr


@posix
def test_closed_streams_are_one_line(folder: Path) -> None:
    """A closed standard input or output is an error only for a command that needs it: one line and code 2."""
    assert b"standard input" in diveval("evaluate", "-", "r", shell="<&-").stderr
    for words in (["evaluate", "q", "r"], ["metrics"], ["data", "convert", "qrels", "q", "-", "--to", "trec"]):
        done = diveval(*words, shell=">&-")
        assert done.returncode == 2
        assert b"standard output" in done.stderr and done.stderr.count(b"\n") == 1
    assert diveval("evaluate", "q", "r", "-o", "out", shell=">&-").returncode == 0
    silent = diveval("evaluate", "q", "none", shell="2>&-")
    assert (silent.returncode, silent.stdout) == (2, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_characters_that_an_encoding_lacks_are_escaped(
    folder: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables and CSV on standard output escape the character, JSON stays valid, and files are UTF-8."""
    Path("qu").write_text("1 α d1 1\n漢 b d2 1\n", encoding="utf-8")
    Path("ru").write_text("1 Q0 d1 1 2.0 x\n漢 Q0 d2 2 1.0 x\n", encoding="utf-8")

    def printed(*words: str) -> bytes:
        stream = io.TextIOWrapper(io.BytesIO(), encoding)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            assert main(words) == 0
        assert isinstance(stream.buffer, io.BytesIO)
        return stream.buffer.getvalue()

    words = ["evaluate", "qu", "ru", "-q", "-m", "P@5"]
    process = diveval(*words, "-f", "csv", env={"PYTHONIOENCODING": encoding})
    assert process.returncode == 0 and b"warning[unprintable-output]" in process.stderr
    assert process.stdout == printed(*words, "-f", "csv") and b"\\u6f22" in process.stdout
    assert b"\\u6f22" in printed(*words, "-f", "table")
    assert "漢" in json.loads(printed(*words, "-f", "json"))["topics"]
    assert printed(*words, "-o", "out") == b""
    assert "漢" in Path("out").read_text(encoding="utf-8")
    for other in (["check", "qu", "ru"], ["metrics"], ["metrics", "RBU"], ["evaluate", "--stop", "qu", "ru", "-q"]):
        assert printed(*other)


def test_no_command_prints_control_characters_of_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences in ids, tags and names of runs and metrics are printed escaped."""
    evil = "\x1b[31m\x9b2J"
    Path("q").write_text(f"{evil}1 {evil}a {evil}d 1\n2 a d 1\n{evil}3 a d 0\n", encoding="utf-8")
    for name in ("r", f"{evil}r"):
        Path(name).write_text(f"{evil}1 Q0 {evil}d 1 2.0 {evil}t\n2 Q0 d 1 1 t\n4{evil} Q0 d 1 1 t\n", encoding="utf-8")
    rows = [
        f"{r},{m},{t},{len(r + m) / 9}" for r in (f"{evil}A", "B") for m in (f"{evil}m", "n") for t in (f"{evil}1", "2")
    ]
    Path("s.csv").write_text("\n".join(["run,metric,topic,value", *rows]) + "\n", encoding="utf-8")
    runs = ["r", f"{evil}r"]
    for words in (
        ["evaluate", "q", *runs, "-q"],
        ["evaluate", "--stop", "q", *runs, "-q"],
        ["check", "q", *runs],
        ["compare", "q", *runs, "-m", "P@5"],
        ["meta", "unanimity", "--scores", "s.csv"],
        ["meta", "unanimity", "q", *runs, "-m", "P@5 RR", "--bootstrap", "0"],
        ["evaluate", "q", f"{evil}none"],
        ["data", "convert", "run", f"{evil}r", f"{evil}out", "--to", "evall"],
    ):
        main(words)
        printed = "".join(capsys.readouterr())
        assert printed
        assert not [c for c in printed if c not in "\n\t" and not c.isprintable()], words


def test_commands_print_through_one_function() -> None:
    """Commands print through `common.say` and `common.emit`, which escape names."""
    folder = Path(__file__).parents[2] / "src" / "diveval" / "cli"
    for path in folder.glob("*.py"):
        prints = re.findall(r"^\s*print\((.*)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        direct = [rest for rest in prints if "file=sys.stderr" not in rest and "__version__" not in rest]
        assert path.name == "common.py" or not direct, path.name
