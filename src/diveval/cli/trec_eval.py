"""trec_eval's own command line: its arguments become ours, and what it prints is printed byte for byte."""

from __future__ import annotations

import getopt
import re
import sys
from collections.abc import Sequence

from diveval.errors import UsageError, quote

USAGE = """\
usage: python -m diveval.trec_eval [-q] [-n] [-c] [-l LEVEL] [-m MEASURE[.PARAMETERS]]… [-M DOCUMENTS] [-J] [-N DOCUMENTS] QRELS RUN

  -q  every topic, not only the last lines       -n  without the last lines
  -c  topics that the run lacks count as 0; without it they are left out (trec_eval 10 stops there)
  -l  the grade from which a document is relevant
  -m  a measure (P.5,10, ndcg.1=3,2=9), or official (default), set, all_trec; may be repeated
  -M  documents per topic that are scored       -J  drop unjudged documents first
  -N  documents in the collection, for utility
"""
# Letters and long names, as trec_eval gives them to getopt_long; = marks those with a value.
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "nosummary": "n",
    "complete_rel_info_wanted": "c",
    "Judged_docs_only": "J",
    "level_for_rel=": "l",
    "measure=": "m",
    "Max_retrieved_per_topic=": "M",
    "Number_docs_in_coll=": "N",
    "Rel_info_format=": "R",
    "Results_format=": "T",
}
_LETTERS = "".join(letter + (":" if name.endswith("=") else "") for name, letter in _LONG.items())
_FORMATS = {"R": "qrels", "T": "trec_results"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Translate the arguments and run `diveval evaluate -f trec`."""
    from diveval import cli

    given = list(sys.argv[1:] if arguments is None else arguments)
    return cli.run_plainly(lambda: _run(given))


def _run(given: Sequence[str]) -> int:
    from diveval import __version__, cli

    flags, values, files = _read(given)
    if "h" in flags or not given:
        sys.stdout.write(USAGE)
        return 0 if given else 2
    if "v" in flags:
        sys.stderr.write(f"trec_eval version 10.0, as diveval {__version__} computes it\n")
        return 0
    return cli.main(_translate(flags, values, files))


def _translate(flags: set[str], values: dict[str, list[str]], files: Sequence[str]) -> list[str]:
    """The arguments of `diveval evaluate` that print what trec_eval prints for these."""
    from diveval.metrics.compat.trec_names import settings_for

    settings = [f"level={_whole(values['l'][-1])}"] if values["l"] else []
    settings += [f"depth={_whole(values['M'][-1])}"] if values["M"] else []
    settings += [f"collection={_whole(values['N'][-1])}"] if values["N"] else []
    settings += ["judged_only=yes"] if "J" in flags else []
    for letter, known in _FORMATS.items():
        if values[letter] and values[letter][-1] != known:
            raise UsageError("invalid-choice", f"-{letter} {values[letter][-1]}: only {known} is supported")
    if len(files) != 2:
        raise UsageError("missing-argument", f"expected QRELS and RUN, got {len(files)} files", hint="see --help")
    out = ["evaluate", "-f", "trec", "--missing-topics", "zero" if "c" in flags else "skip"]
    out += ["--per-topic"] if "q" in flags else []
    out += ["--no-summary"] if "n" in flags else []
    for name in _measures(values["m"] or ["official"]):
        own = settings_for(name.partition(".")[0], ",".join(settings))
        out += ["-m", f"trec_eval.{name}({','.join(own)})" if own else f"trec_eval.{name}"]
    return [*out, "--", *files]


def _measures(names: Sequence[str]) -> list[str]:
    """The measures asked for; parameters given once hold for the measure within a nickname too."""
    from diveval.metrics.compat.trec_names import MEASURES, NICKNAMES

    families: dict[str, str] = {}
    for name in names:
        family, dot, parameters = name.partition(".")
        if family not in (*MEASURES, *NICKNAMES):
            raise UsageError("unknown-metric", f"no measure is called {quote(family)}", hint="see --help")
        for one in NICKNAMES.get(family, [family]):
            families[one] = families.get(one) or f"{dot}{parameters}"
    return [f"{family}{parameters}" for family, parameters in families.items()]


def _read(given: Sequence[str]) -> tuple[set[str], dict[str, list[str]], list[str]]:
    """Flags, values by letter, and files; options may stand behind files and long names be cut short, as in getopt."""
    try:
        found, files = getopt.gnu_getopt(list(given), _LETTERS, [*_LONG])
    except getopt.GetoptError as error:
        if error.msg.endswith("requires argument"):
            raise UsageError("missing-argument", error.msg, hint="see --help") from None
        fault = f"trec_eval's {quote(error.opt)} is not supported"
        raise UsageError("unknown-option", fault, hint="see --help") from None
    flags: set[str] = set()
    values: dict[str, list[str]] = {letter: [] for name, letter in _LONG.items() if name.endswith("=")}
    for option, value in found:
        letter = option[1:] if option[1] != "-" else _LONG.get(option[2:]) or _LONG[f"{option[2:]}="]
        if letter in values:
            values[letter].append(value)
        else:
            flags.add(letter)
    return flags, values, files


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise UsageError("not-a-number", f"expected a whole number, got {quote(text)}")
    return int(text)
