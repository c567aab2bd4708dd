"""`diveval completion bash|zsh|fish`: a completion script made from the same parsers that read the command line."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HOW = {
    "bash": "put it where bash looks: diveval completion bash > ~/.local/share/bash-completion/completions/diveval",
    "zsh": "put it on your $fpath: diveval completion zsh > ~/.zfunc/_diveval",
    "fish": "put it where fish looks: diveval completion fish > ~/.config/fish/completions/diveval.fish",
}


@dataclass(frozen=True)
class Command:
    """A command (`evaluate`) or subcommand (`data`, `make`) with what may follow it."""

    words: tuple[str, ...]
    help: str
    options: tuple[argparse.Action, ...]
    next_words: tuple[str, ...]  # subcommands, or the choices of a positional


ABOUT = "Print a completion script.\n\n" + "\n".join(HOW.values())
PARSER_OPTIONS = {"formatter_class": argparse.RawDescriptionHelpFormatter}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval completion`."""
    parser.add_argument("shell", choices=list(HOW))


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from diveval.metrics import entries

    script = {"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell]
    sys.stdout.write(script(list(commands()), sorted(entries())))
    return 0


# --- commands and options, read from the parsers ----------------------------------------------------------------------


def commands() -> Iterator[Command]:
    """Every command and subcommand with its options."""
    from diveval.cli.commands import SUMMARY, declare_all

    for name, parser in declare_all().items():
        below = [other.partition(" ")[2] for other in SUMMARY if other.startswith(f"{name} ")]
        yield from _walk(tuple(name.split()), parser, SUMMARY[name], below)


def _walk(
    words: tuple[str, ...], parser: argparse.ArgumentParser, help: str, below: Sequence[str] = ()
) -> Iterator[Command]:
    """A command and those below it; `below` names more of them, which have a parser of their own."""
    options, following = [], [*below]
    nested: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            nested = dict(action.choices)
            following += list(nested)
        elif action.option_strings:
            options.append(action)
        elif action.choices:
            following += [str(choice) for choice in action.choices]
    yield Command(words, help, tuple(options), tuple(following))
    for name, sub in nested.items():
        yield from _walk((*words, name), sub, "")


def _values_of(option: argparse.Action) -> str:
    """The values to offer for an option: its choices, or the script's variable with the names of metrics."""
    return " ".join(str(choice) for choice in option.choices or ()) or ("$metrics" if option.dest == "metrics" else "")


# --- the three shells -------------------------------------------------------------------------------------------------


def bash(known: list[Command], metrics: list[str]) -> str:
    """A function that looks at the command so far and the option before the cursor; files otherwise."""
    cases, values = [], []
    for command in known:
        flags = " ".join(flag for option in command.options for flag in option.option_strings)
        cases.append(f'    "{" ".join(command.words)}") words="{" ".join((*command.next_words, flags)).strip()}" ;;')
        for option in command.options:
            if offered := _values_of(option):
                pattern = "|".join(f'"{" ".join(command.words)} {flag}"' for flag in option.option_strings)
                values.append(f'    {pattern}) COMPREPLY=($(compgen -W "{offered}" -- "$current")); return ;;')
    first = " ".join(command.words[0] for command in known if len(command.words) == 1)
    longer = " ".join(sorted({"/".join(command.words) for command in known if len(command.words) > 1}))
    return _BASH.format(
        metrics=" ".join(metrics), first=first, longer=longer, cases="\n".join(cases), values="\n".join(values)
    )


_BASH = """# bash completion for diveval
_diveval() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" word
  local metrics="{metrics}" paths=" {longer} "
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
      -*) ;;
      *) if [ -z "$command" ]; then command="$word"
         elif [[ "$paths" == *" ${{command// //}}/$word "* ]]; then command="$command $word"
         else break; fi ;;
    esac
  done
  if [ -z "$command" ]; then COMPREPLY=($(compgen -W "{first} --help --version" -- "$current")); return; fi
  case "$command $previous" in
{values}
  esac
  case "$command" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _diveval diveval
"""


def zsh(known: list[Command], metrics: list[str]) -> str:
    """The same function through zsh's own bash compatibility: one logic, tested once."""
    body = bash(known, metrics).replace("# bash completion for diveval\n", "")
    return f"#compdef diveval\n# zsh completion for diveval\nautoload -U +X bashcompinit && bashcompinit\n{body}"


def fish(known: list[Command], metrics: list[str]) -> str:
    """One line for each command, option and choice."""
    lines = ["# fish completion for diveval", f'set -l metrics "{" ".join(metrics)}"']
    for command in known:
        *before, last = command.words
        seen = " ".join(command.words)
        if not before:
            lines.append(f"complete -c diveval -n __fish_use_subcommand -a {last} -d {_quote(command.help)}")
        condition = " && ".join(f"__fish_seen_subcommand_from {word}" for word in seen.split())
        if command.next_words:
            lines.append(f"complete -c diveval -n '{condition}' -a {_quote(' '.join(command.next_words))}")
        lines += [f"complete -c diveval -n '{condition}' {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: argparse.Action) -> str:
    flags = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.option_strings]
    offered = _values_of(option)
    if offered:
        flags.append(f'-x -a "{offered}"' if offered == "$metrics" else f"-x -a {_quote(offered)}")
    elif option.nargs != 0:
        flags.append("-r")
    help = "" if option.help in (None, argparse.SUPPRESS) else str(option.help).replace("%%", "%")
    short = re.split(r"[;:(]| default", help)[0].strip()
    return f"{' '.join(flags)} -d {_quote(short)}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
