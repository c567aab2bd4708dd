"""Help and errors of the command line: commands grouped by job, examples first, short messages for mistakes."""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from diveval.errors import DivevalError, InputError, close_names, printable

# Commands by job; the help lists the five most important ones first, with a line each.
FIRST = ("evaluate", "compare", "choose", "report", "demo")
JOBS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "answers", "cutoff", "check", "metrics", "track"),
    "decide": ("choose", "why", "compare", "effort", "violations", "unanimity", "agreement", "meta", "conclusions"),
    "axioms": ("axioms", "explain", "regions", "advise"),
    "show": ("report", "studio", "plot", "paper", "demo"),
    "data": ("data", "convert", "simulate", "reproduce", "ir-measures", "completion"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "evaluate": (
        "diveval evaluate qrels.txt a.run b.run",
        "diveval evaluate qrels.txt runs/ -m 'nDCG@5,10,20' -m α-nDCG@20 --sort α-nDCG@20",
        "diveval evaluate qrels.txt baseline=bm25.run ours=new.run -f md",
    ),
    "compare": ("diveval compare qrels.txt a.run b.run --baseline a -m α-nDCG@20",),
    "choose": ("diveval choose qrels.txt runs/ --task web", "diveval choose --need length --need redundancy"),
    "why": ("diveval why qrels.txt a.run b.run -m RBU@20 -m α-nDCG@20",),
    "effort": ("diveval effort --read 10 --worth 0.05", "diveval effort qrels.txt runs/"),
    "violations": ("diveval violations qrels.txt runs/ -m RBU@20 -m α-nDCG@20",),
    "report": ("diveval report qrels.txt runs/ -o report.html",),
    "paper": ("diveval paper qrels.txt runs/ --baseline bm25 -o results",),
    "check": ("diveval check qrels.txt runs/",),
    "cutoff": ("diveval cutoff qrels.txt a.run -m 'RBU(p=0.9,e=0.01)'",),
    "unanimity": ("diveval unanimity qrels.txt runs/",),
    "meta": ("diveval meta qrels.txt runs/ -o meta",),
    "axioms": ("diveval axioms", "diveval axioms RBU@k ERR-IA@k --axiom Conf -f md"),
    "explain": ("diveval explain RBU CloseTh",),
    "regions": ("diveval regions RBU",),
    "advise": ("diveval advise --need length,redundancy",),
    "studio": ("diveval studio", "diveval studio qrels.txt a.run b.run"),
    "plot": ("diveval plot leaderboard qrels.txt runs/ -m α-nDCG@20 -o leaderboard.pdf",),
    "demo": ("diveval demo --open",),
    "data": ("diveval data make web --topics 20 --systems 8", "diveval data get trec-web-2011"),
    "data make": ("diveval data make web --topics 20 --systems 8",),
    "data get": ("diveval data get trec-web-2011",),
    "simulate": ("diveval simulate qrels.txt runs/ --grades --weights --truncate 50 -o scenario",),
    "reproduce": ("diveval reproduce table1",),
    "ir-measures": ("diveval ir-measures qrels.txt a.run 'diveval_RBU(p=0.9,e=0.01)@20' nDCG@10",),
    "completion": ("diveval completion bash",),
    "metrics": ("diveval metrics", "diveval metrics RBU"),
    "answers": (
        "diveval answers nuggets.jsonl assignments.run_a.jsonl assignments.run_b.jsonl",
        "diveval answers nuggets.jsonl judgments.jsonl --answers run_a.jsonl -m 'nuggetizer.*' -q -f csv",
    ),
    "conclusions": (
        "diveval conclusions qrels.txt runs/ -m 'RBU(p=0.6..0.99,e=0..0.1)@20'",
        "diveval conclusions qrels.txt runs/ --any-weights --unjudged any --budget 20",
    ),
    "agreement": ("diveval agreement --preferences preferences.csv qrels.txt runs/",),
    "track": ("diveval track init web-2026 --topics topics.txt", "diveval track validate --track kit.zip my.run"),
    "track add": ("diveval track add my.run --team alpha", "diveval track add --inbox"),
    "track decide": ("diveval track decide judged --reason 'first judgments'",),
    "track export": ("diveval track export kit",),
    "convert": ("diveval convert run a.run a.parquet", "diveval convert qrels nuggets.jsonl - --to evall"),
}


SHARED = "reading"  # the group of options that all commands with QRELS RUN … share


class _Help(argparse.Action):
    """`-h` prints what is used most, `--help` everything."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, **more)

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: object, option: str | None = None
    ) -> None:
        """Print it and end."""
        assert isinstance(parser, Parser)
        sys.stdout.write(parser.short_help() if option == "-h" else parser.format_help())
        parser.exit()


class _Layout(argparse.HelpFormatter):
    """`-m, --metric METRIC`: an option's value is named once, as newer versions of Python do."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """A parser that shows examples first, and reports a mistake in three lines."""

    def __init__(self, *values: Any, **options: Any) -> None:
        add_help = options.pop("add_help", True)
        super().__init__(*values, **{"formatter_class": _Layout, **options, "add_help": False})
        if add_help:
            self.add_argument("-h", "--help", action=_Help, help="-h: the common options; --help: all of them")

    def format_usage(self) -> str:
        """The required arguments; the options are in the help."""
        text = super().format_usage()
        if text.count("\n") <= 2:
            return text
        needed = [_needed(action) for action in self._actions if not action.option_strings or action.required]
        return f"usage: {self.prog} {' '.join(needed)} [options]\n"

    def format_help(self) -> str:
        """Usage, examples, what it does, then options: the command's own before the shared ones."""
        return self._help([group for group in self._action_groups if group.title == SHARED])

    def short_help(self) -> str:
        """The same with the shared options by name only."""
        shared = [
            action.option_strings[-1]
            for group in self._action_groups
            if group.title == SHARED
            for action in group._group_actions
        ]
        text = self._help([])
        if shared:
            named = textwrap.fill(
                ", ".join(shared), _width(), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
            )
            text += f"\n{SHARED} (--help explains them):\n{named}\n"
        return text

    def _help(self, shared: Sequence[argparse._ArgumentGroup]) -> str:
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        own = [group for group in self._action_groups if group.title != SHARED]
        for group in [*own, *shared]:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        examples = "".join(f"  {line}\n" for line in EXAMPLES.get(_command(self.prog), ()))
        return self.format_usage() + (f"\nexamples:\n{examples}" if examples else "") + "\n" + formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """What is wrong, an example, and how to get help."""
        command = _command(self.prog)
        examples = EXAMPLES.get(command) or EXAMPLES.get(command.partition(" ")[0], ())
        print(f"{self.prog}: {printable(_hinted(message, self))}", file=sys.stderr)
        print(f"  example: {(examples or EXAMPLES['evaluate'])[0]}", file=sys.stderr)
        print(f"  `{self.prog} --help` lists all options", file=sys.stderr)
        self.exit(2)


def described(parser: argparse.ArgumentParser) -> None:
    """Give every command below a parser that has no description the line that lists it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for listed in action._choices_actions:
                command = action.choices[listed.dest]
                if not command.description and listed.help:
                    command.description = f"{listed.help[0].upper()}{listed.help[1:]}."
                described(command)


class Program(Parser):
    """The whole command line: its help is an overview by job."""

    summary: Mapping[str, str] = {}
    asked = ""  # the command, as far as it is known

    def error(self, message: str) -> NoReturn:
        """Leave a mistake in a command's options to the command's parser, which has its example and options."""
        own = next((a.choices for a in self._actions if isinstance(a, argparse._SubParsersAction)), {})
        if message.startswith("unrecognized arguments") and self.asked in own:
            own[self.asked].error(message)
        super().error(message)

    def short_help(self) -> str:
        """The same as the long help."""
        return self.format_help()

    def format_help(self) -> str:
        """The five commands that matter, then all by job, within a screen."""
        width = _width()
        lines = ["usage: diveval COMMAND …", "", str(self.description), ""]
        lines += [f"  {name:<9} {self.summary[name]}" for name in FIRST]
        lines += ["", "All commands by job:"]
        for job, names in JOBS.items():
            lines += textwrap.wrap(
                ", ".join(names),
                width,
                initial_indent=f"  {job:<9} ",
                subsequent_indent=" " * 12,
                break_on_hyphens=False,
            )
        return "\n".join([*lines, "", str(self.epilog), ""])


def _width() -> int:
    return max(min(shutil.get_terminal_size().columns, 100), 40)


def _command(prog: str) -> str:
    return prog.partition(" ")[2]


def _needed(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if action.option_strings:
        return f"{action.option_strings[0]} {name}"
    many = {"+": f"{name} …", "*": f"[{name} …]", "?": f"[{name}]"}
    return many.get(str(action.nargs), name)


def _hinted(message: str, parser: argparse.ArgumentParser) -> str:
    """argparse's message in plain words, with the nearest option or command where one was misspelt."""
    if message.startswith("the following arguments are required: "):
        return "needs " + " ".join(message.partition(": ")[2].split(", "))
    if message.startswith("unrecognized arguments: "):
        words = message.partition(": ")[2].split()
        if not words[0].startswith("-"):
            return f"{words[0]} is one argument too many; an option such as -m takes one value and may be repeated"
        known = [option for action in parser._actions for option in action.option_strings]
        return f"there is no option {words[0]}{_did_you_mean(words[0].partition('=')[0], known)}"
    if " invalid int value: " in message or " invalid float value: " in message:
        option, _, value = message.removeprefix("argument ").partition(": ")
        kind = "a whole number" if value.startswith("invalid int") else "a number"
        return f"{option} takes {kind}, got {value.partition('value: ')[2]}"
    if "invalid choice: " in message and isinstance(parser, Program):
        word = message.partition("invalid choice: ")[2].partition(" (")[0].strip("'")
        if word in ("help", "version"):
            return f"there is no command {word!r}; did you mean diveval --{word}?"
        return f"there is no command {word!r}{_did_you_mean(word, parser.summary)}"
    if "invalid choice: " in message:
        option, _, refused = message.removeprefix("argument ").partition(": invalid choice: ")
        word, _, listed = refused.partition(" (choose from ")
        choices = [choice.strip("'") for choice in listed.rstrip(")").split(", ")]
        return f"{option} is one of {', '.join(choices)}, got {word}{_did_you_mean(word.strip(chr(39)), choices)}"
    return message


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = close_names(word, known, count=2)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def shown_error(error: DivevalError, stream: IO[str]) -> str:
    """An error message: on a terminal what, where and what to do on lines of their own, else on one line."""
    text = printable(error)
    if not _is_terminal(stream):
        return f"diveval: {text}"
    where = ""
    source, line = (error.source, error.line) if isinstance(error, InputError) else ("", None)
    if source:
        where = printable(source + (f":{line}" if line else ""))
        text = text.removeprefix(f"{where}: ")
    # Messages put what to do behind their last semicolon.
    what, mark, remedy = text.rpartition("; ")
    if not mark:
        what, remedy = text, _remedy(source, line) if source else ""
    lines = [f"diveval: {what}", *([f"  where: {where}"] if where else []), *([f"  hint:  {remedy}"] if remedy else [])]
    return "\n".join(lines)


def _remedy(source: str, line: int | None) -> str:
    """What to do about an error whose message does not say: a wrong line, or a wrong path."""
    path = Path(source)
    if line:
        return "correct the line; `diveval check` lists every fault of a file"
    if path.exists():
        return ""
    folder = path.parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() and os.access(folder, os.R_OK) else []
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"did you mean {printable(folder / close[0])}?" if close else "check the path"


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False
