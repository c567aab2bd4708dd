"""The `diveval` command as a process, which Ctrl-C ends with one line even while modules are imported."""

import signal
import sys
from typing import Any


def program() -> int:
    """Run the command line; the exit code is 130 after Ctrl-C."""
    pressed: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # `nohup` and shells may ignore the signal
        signal.signal(signal.SIGINT, interrupt)
    try:
        from diveval.cli import program as run

        return run()
    except BaseException:
        # Any error may be the consequence: compiled modules turn an interruption of their import into an ImportError.
        if not pressed:
            raise
        print("diveval: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
