"""Python commands forked from a process that has the libraries loaded, which saves half a second per command.

`start()` returns the words to use for `python` in a command line. The forking process ends with the one that started it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import marshal
import os
import pkgutil
import re
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).with_name("warm_client.py")
LIBRARIES = ("numpy", "scipy.special", "scipy.cluster.hierarchy", "altair", "z3", "pandas", "jsonschema")
# Variables that Python and its libraries read at start: a command with other values gets a new process.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "OPENBLAS", "OMP", "COVERAGE")
_starting = threading.Lock()
_started: dict[tuple[tuple[str, str], ...], list[str]] = {}


def start(environment: dict[str, str]) -> list[str]:
    """The words for `python` in this environment; Python itself where it cannot fork or coverage is measured."""
    if not sys.platform.startswith("linux") or any(name.startswith("COVERAGE") for name in environment):
        return [sys.executable]
    with _starting:
        key = tuple(sorted(_read_at_start(environment).items()))
        if key not in _started:
            address = f"{tempfile.mkdtemp()}/socket"
            # The pipe to its standard input closes whenever this process ends.
            server = subprocess.Popen(
                [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
            assert server.stdout is not None and server.stdout.readline(), "the forking process did not start"
            atexit.register(server.communicate)
            _started[key] = [sys.executable, "-I", "-S", str(CLIENT), address, sys.executable]
        return _started[key]


def _read_at_start(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


def _load() -> None:
    import diveval

    own = (module.name for module in pkgutil.walk_packages(diveval.__path__, "diveval."))
    for name in [*LIBRARIES, *own]:
        if not re.search("bundled|integrations|__main__", name):
            with contextlib.suppress(ImportError), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(name)
    gc.freeze()  # the garbage collector would cause the parent's memory to be copied


def _serve(address: str) -> None:
    sys.path.remove(str(CLIENT.parent))
    own = _read_at_start(dict(os.environ))
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for: each sends its exit code itself
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("ready", flush=True)
        while listening.fileno() in select.select([listening.fileno(), 0], [], [])[0]:
            connection, _ = listening.accept()
            with connection:
                data, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
                while more := connection.recv(1 << 16):
                    data += more
                words, folder, environment = marshal.loads(data)
                environment = {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()}
                plain = bool(words) and (not words[0].startswith("-") or words[0] in ("-m", "-c"))
                if not plain or _read_at_start(environment) != own:
                    connection.send(b"x")
                elif os.fork() == 0:
                    listening.close()
                    _execute(words, folder, environment, streams, connection)
            for stream in streams:
                os.close(stream)
    shutil.rmtree(Path(address).parent)


def _execute(words: list[str], folder: bytes, environment: dict[str, str], streams: list[int], connection: Any) -> None:
    """Run the command in this process, and exit."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "surrogateescape")
    # As Python opens them with PYTHONUNBUFFERED and PYTHONUTF8, which the commands of pages have.
    for name, number, errors in (("stdout", 1, "surrogateescape"), ("stderr", 2, "backslashreplace")):
        raw = io.FileIO(number, "w", closefd=False)
        setattr(sys, name, io.TextIOWrapper(raw, "utf-8", errors, write_through=True))
    code = _run(words)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    connection.send(b"c" + bytes([code & 255]))
    os._exit(code & 255)


def _run(words: list[str]) -> int:
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        elif words[0] == "-c":
            sys.argv = ["-c", *words[2:]]
            sys.path.insert(0, "")
            exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = words
            sys.path.insert(0, str(Path(words[0]).resolve().parent))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001  # as Python itself does
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1])
