"""A query asked again: of the package `cvc5`, or of any program that reads SMT-LIB."""

from __future__ import annotations

import subprocess
from pathlib import Path


def ask(solver: str, path: Path, seconds: float) -> str:
    """The answer of a solver to one file."""
    if solver == "cvc5":
        printed = ask_cvc5(path, seconds)
    else:
        done = subprocess.run([solver, str(path)], capture_output=True, text=True, timeout=seconds, check=False)
        printed = done.stdout
    return (printed.split() or ["nothing"])[0]


def ask_cvc5(path: Path, seconds: float) -> str:
    import cvc5  # type: ignore[import-not-found, import-untyped, unused-ignore]

    engine, printed = cvc5.Solver(), ""
    engine.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(engine)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, path.read_text(encoding="utf-8"), path.name)
    while not (command := parser.nextCommand()).isNull():
        printed += str(command.invoke(engine, parser.getSymbolManager()))
    return printed
