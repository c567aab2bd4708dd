"""A user's metric is decided in its own process: it may loop, exit or keep a state, and is stopped at the time limit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from diveval.axioms.proof.subjects import Subject, subject
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.cases import Bounds
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.table1 import printed
from diveval.errors import DivevalError, UsageError

GRACE = 3.0  # seconds beyond the limit, for a process to start and to end by itself
_inside = False  # True in the process that was started here


Decide = Callable[[Subject, Axiom, Reading, Bounds, float], Verdict]


def apart(decide: Decide, who: Subject, what: Axiom, how: Reading, bounds: Bounds, time_limit: float) -> Verdict:
    """The verdict of `decide` from another process; where none can be started, from this one."""
    method = _method(who, what)
    if method is None:
        return decide(who, what, how, bounds, time_limit)
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    metric, axiom = (who, what) if method == "fork" else (who.source, what.name)
    process = context.Process(target=_serve, args=(sender, decide, metric, axiom, how, bounds, time_limit), daemon=True)  # type: ignore[attr-defined]
    process.start()
    sender.close()
    try:
        if receiver.poll(time_limit + GRACE):
            kind, answer = receiver.recv()
        else:
            kind, answer = "late", ""
    except EOFError:
        kind, answer = "gone", ""
    finally:
        _end(process)
        receiver.close()
    if kind == "verdict":
        return Verdict.from_dict(answer)
    if kind == "late":
        note = f"no answer within {time_limit:g} s: the metric, or what it compares, takes longer and was ended"
        return Verdict(
            who.name,
            what.name,
            how.name,
            "unknown",
            printed(who.entry, what.name),
            note=note,
            title=what.title,
            says=what.says,
            why=what.why,
        )
    raise UsageError(answer or f"the metric {who.name} ended its process without a value")


def _end(process: BaseProcess) -> None:
    """End the process and what it started, which is in its group."""
    try:
        if process.pid:  # 0 would be this process's own group
            os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # no groups here, or it has not made its own yet
        process.kill()
    process.join()


def _method(who: Subject, what: Axiom) -> str | None:
    """How a process can be started that has the metric: a copy of this one, or a new one that loads its file."""
    if _inside or multiprocessing.current_process().daemon:
        return None
    named = isinstance(who.source, str) and AXIOMS.get(what.name) is what
    if sys.platform == "linux" and (threading.active_count() == 1 or not named):
        return "fork"
    return "spawn" if named else None


def _serve(
    sender: Connection, decide: Decide, metric: Any, axiom: Axiom | str, how: Reading, bounds: Bounds, time_limit: float
) -> None:
    """In the other process: decide, and send what was found or what went wrong."""
    global _inside  # noqa: PLW0603 - true of the whole process from here on
    _inside = True
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # what it starts is ended with it
    try:
        what = AXIOMS[axiom] if isinstance(axiom, str) else axiom
        verdict = decide(subject(metric), what, how, bounds, time_limit)
        sender.send(("verdict", verdict.as_dict()))
    except DivevalError as error:
        sender.send(("error", str(error)))
    except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything; the other side waits for word
        sender.send(("error", f"the metric failed: {type(error).__name__}: {error}"))
