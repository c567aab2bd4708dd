"""Help and errors of the command line: commands grouped by job, examples first, short messages for mistakes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from diveval.cli.terminal import terminal_width
from diveval.errors import DivevalError, UsageError, close_names, printable

EXAMPLES: dict[str, tuple[str, ...]] = {
    "evaluate": (
        "diveval evaluate qrels.txt a.run b.run",
        "diveval evaluate qrels.txt runs/ -m 'nDCG@5,10,20' -m α-nDCG@20 --sort α-nDCG@20",
        "diveval evaluate qrels.txt baseline=bm25.run ours=new.run -f md",
        "diveval evaluate qrels.txt a.run --stop -m 'RBU(p=0.9,e=0.01)'",
    ),
    "compare": ("diveval compare qrels.txt a.run b.run --baseline a -m α-nDCG@20",),
    "choose": ("diveval choose qrels.txt runs/ --task web", "diveval choose --need length --need redundancy"),
    "judges": ("diveval judges people.txt model.txt runs/ -m RBU@20",),
    "plan": ("diveval plan --sd 0.2 --difference 0.05", "diveval plan qrels.txt runs/ -m RBU@20 --difference 0.03"),
    "gate": ("diveval gate qrels.txt main.run new.run -m RBU@20 --margin 0.01",),
    "why": ("diveval why qrels.txt a.run b.run -m RBU@20 -m α-nDCG@20",),
    "choose effort": ("diveval choose effort --read 10 --worth 0.05", "diveval choose effort qrels.txt runs/"),
    "violations": ("diveval violations qrels.txt runs/ -m RBU@20 -m α-nDCG@20",),
    "report": ("diveval report qrels.txt runs/ -o report.html",),
    "paper": ("diveval paper qrels.txt runs/ --baseline bm25 -o results",),
    "check": ("diveval check qrels.txt runs/",),
    "meta unanimity": ("diveval meta unanimity qrels.txt runs/",),
    "meta": ("diveval meta qrels.txt runs/ -o meta",),
    "axioms": (
        "diveval axioms",
        "diveval axioms RBU CloseTh",
        "diveval axioms RBU@k ERR-IA@k Conf Sat -f md",
        "diveval axioms RBU --regions",
        "diveval axioms --need length,redundancy",
    ),
    "studio": ("diveval studio", "diveval studio qrels.txt a.run b.run"),
    "plot": ("diveval plot leaderboard qrels.txt runs/ -m α-nDCG@20 -o leaderboard.pdf",),
    "demo": ("diveval demo --open",),
    "data": ("diveval data make web --topics 20 --systems 8", "diveval data get trec-web-2011"),
    "data make": ("diveval data make web --topics 20 --systems 8",),
    "data get": ("diveval data get trec-web-2011",),
    "data convert": (
        "diveval data convert run a.run a.parquet",
        "diveval data convert qrels nuggets.jsonl - --to evall",
    ),
    "data simulate": ("diveval data simulate qrels.txt runs/ --grades --weights --truncate 50 -o new",),
    "data reproduce": ("diveval data reproduce table1",),
    "data ir-measures": ("diveval data ir-measures qrels.txt a.run 'diveval_RBU(p=0.9,e=0.01)@20' nDCG@10",),
    "completion": ("diveval completion bash",),
    "metrics": ("diveval metrics", "diveval metrics RBU"),
    "answers": (
        "diveval answers nuggets.jsonl assignments.run_a.jsonl assignments.run_b.jsonl",
        "diveval answers nuggets.jsonl judgments.jsonl --answers a.jsonl -m 'nuggetizer.*' -f csv",
    ),
    "conclusions": (
        "diveval conclusions qrels.txt runs/ -m 'RBU(p=0.6..0.99,e=0..0.1)@20'",
        "diveval conclusions qrels.txt runs/ --any-weights --unjudged any --budget 20",
    ),
    "recommend": (
        "diveval recommend ratings.csv a.csv b.csv --items items.csv -m nDCG@10 -m ILD@10",
        "diveval recommend ratings.csv a.csv b.csv --compare nDCG@10",
    ),
    "meta votes": ("diveval meta votes votes.csv",),
    "meta agreement": ("diveval meta agreement --preferences preferences.csv qrels.txt runs/",),
    "track": ("diveval track init web-2026 --topics topics.txt", "diveval track validate --track kit.zip my.run"),
    "track add": ("diveval track add my.run --team alpha", "diveval track add --inbox"),
    "track decide": ("diveval track decide judged --reason 'first judgments'",),
    "track export": ("diveval track export kit",),
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

    def __init__(self, prog: str, **options: Any) -> None:
        # The standard library finds the width with modules that load every kind of compression.
        super().__init__(prog, **{"width": terminal_width() - 2, **options})

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Commands below a parser: one without a description gets the line that lists it."""

    def add_parser(self, name: str, **options: Any) -> Any:
        line = options["help"]
        return super().add_parser(name, **{"description": f"{line[0].upper()}{line[1:]}.", **options})


class Parser(argparse.ArgumentParser):
    """A parser that shows examples first, and reports a mistake in three lines."""

    def __init__(self, *values: Any, **options: Any) -> None:
        add_help = options.pop("add_help", True)
        super().__init__(*values, **{"formatter_class": _Layout, **options, "add_help": False})
        self.register("action", "parsers", _Commands)
        if add_help:
            self.add_argument("-h", "--help", action=_Help, help="-h: the common options; --help: all of them")

    def format_usage(self) -> str:
        """The required arguments; the options are in the help."""
        text = super().format_usage()
        if text.count("\n") <= 2:
            return text
        needed = [_name_argument(action) for action in self._actions if not action.option_strings or action.required]
        return f"usage: {self.prog} {' '.join(needed)} [options]\n"

    def format_help(self) -> str:
        """Usage, examples, what it does, then options: the command's own before the shared ones."""
        return self._help([group for group in self._action_groups if group.title == SHARED])

    def short_help(self) -> str:
        """The same with the shared options by name only."""
        import textwrap

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
        while command and command not in EXAMPLES:
            command = command.rpartition(" ")[0]
        error = _explain(message, self)
        print(f"{self.prog}: error[{error.code}]: {printable(error)}", file=sys.stderr)
        print(f"  example: {EXAMPLES[command or 'evaluate'][0]}", file=sys.stderr)
        print(f"  `{self.prog} --help` lists all options", file=sys.stderr)
        self.exit(2)


class Program(Parser):
    """The whole command line: its help is an overview by job."""

    jobs: Mapping[str, Mapping[str, str]] = {}
    first: Sequence[str] = ()  # commands with a line of their own
    asked = ""  # the command, as far as it is known

    def error(self, message: str) -> NoReturn:
        """Leave a mistake in a command's options to the command's parser, which has its example and options."""
        own = next((a.choices for a in self._actions if isinstance(a, argparse._SubParsersAction)), {})
        if message.startswith("unrecognized arguments") and self.asked in own:
            own[self.asked].error(message)
        super().error(message)

    def short_help(self) -> str:
        """The overview: there is no longer one."""
        return self.format_help()

    def format_help(self) -> str:
        """The commands that matter most with what they do, then all by job, within a screen."""
        import textwrap

        width = _width()
        summary = self.summaries()
        lines = ["usage: diveval COMMAND …", "", str(self.description), ""]
        lines += [f"  {name:<9} {summary[name]}" for name in self.first]
        lines += ["", "All commands by job:"]
        for job, names in self.jobs.items():
            lines += textwrap.wrap(
                ", ".join(names),
                width,
                initial_indent=f"  {job:<9} ",
                subsequent_indent=" " * 12,
                break_on_hyphens=False,
            )
        return "\n".join([*lines, "", str(self.epilog), ""])

    def summaries(self) -> dict[str, str]:
        """What each command of the overview is for."""
        return {name: text for group in self.jobs.values() for name, text in group.items()}


def _width() -> int:
    return max(min(terminal_width(), 100), 40)


def _command(prog: str) -> str:
    return prog.partition(" ")[2]


def _name_argument(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if action.option_strings:
        return f"{action.option_strings[0]} {name}"
    many = {"+": f"{name} …", "*": f"[{name} …]", "?": f"[{name}]"}
    return many.get(str(action.nargs), name)


def _explain(message: str, parser: argparse.ArgumentParser) -> UsageError:
    """argparse's message in plain words, with the nearest option or command where one was misspelt."""
    if message.startswith("the following arguments are required: "):
        return UsageError("missing-argument", "needs " + " ".join(message.partition(": ")[2].split(", ")))
    if message.startswith("unrecognized arguments: "):
        words = message.partition(": ")[2].split()
        if not words[0].startswith("-"):
            hint = "an option such as -m takes one value and may be repeated"
            return UsageError("too-many-arguments", f"{words[0]} is one argument too many", hint=hint)
        known = [option for action in parser._actions for option in action.option_strings]
        hint = _did_you_mean(words[0].partition("=")[0], known)
        return UsageError("unknown-option", f"there is no option {words[0]}", hint=hint)
    if " invalid int value: " in message or " invalid float value: " in message:
        option, _, value = message.removeprefix("argument ").partition(": ")
        kind = "a whole number" if value.startswith("invalid int") else "a number"
        return UsageError("not-a-number", f"{option} takes {kind}, got {value.partition('value: ')[2]}")
    if "invalid choice: " in message and isinstance(parser, Program):
        word = message.partition("invalid choice: ")[2].partition(" (")[0].strip("'")
        asked = word in ("help", "version")
        hint = f"did you mean diveval --{word}?" if asked else _did_you_mean(word, parser.summaries())
        return UsageError("unknown-command", f"there is no command {word!r}", hint=hint)
    if "invalid choice: " in message:
        option, _, refused = message.removeprefix("argument ").partition(": invalid choice: ")
        word, _, listed = refused.partition(" (choose from ")
        choices = [choice.strip("'") for choice in listed.rstrip(")").split(", ")]
        hint = _did_you_mean(word.strip("'"), choices)
        return UsageError("invalid-choice", f"{option} is one of {', '.join(choices)}, got {word}", hint=hint)
    return UsageError("invalid-argument", message)


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = close_names(word, known, count=2)
    return f"did you mean {' or '.join(close)}?" if close else ""


def format_error(error: DivevalError, stream: IO[str]) -> str:
    """An error message: on a terminal what, where and what to do on lines of their own, else on one line."""
    head = f"diveval: error[{error.code}]:"
    if not _is_terminal(stream):
        return f"{head} {printable(error)}"
    hint = error.hint or (_remedy(error.source, error.line) if error.source else "")
    parts = {"where": error.where, "hint": hint}
    below = [f"  {name + ':':<6} {printable(part)}" for name, part in parts.items() if part]
    return "\n".join([f"{head} {printable(error.message)}", *below])


def _remedy(source: str, line: int | None) -> str:
    """What to do about an error whose message does not say: a wrong line, or a wrong path."""
    path = Path(source)
    if line:
        return "correct the line; `diveval check` lists every fault of a file"
    if path.exists():
        return ""
    folder = path.parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() and os.access(folder, os.R_OK) else []
    close = close_names(path.name, names, count=1, likeness=0.6)
    return f"did you mean {printable(folder / close[0])}?" if close else "check the path"


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False
