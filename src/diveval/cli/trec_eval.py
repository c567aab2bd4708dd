"""trec_eval's own command line: its arguments become ours, and what it prints is printed byte for byte."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from diveval.errors import UsageError, quote

USAGE = """\
usage: python -m diveval.trec_eval [-q] [-c] [-l LEVEL] [-m MEASURE[.PARAMETERS]]… [-M DOCUMENTS] [-J] [-N DOCUMENTS] QRELS RUN

  -q  every topic, not only the last lines
  -c  topics that the run lacks count as 0; without it they are left out (trec_eval 10 stops there)
  -l  the grade from which a document is relevant
  -m  a measure (P.5,10, ndcg.1=3,2=9), or official (default), set, all_trec; may be repeated
  -M  documents per topic that are scored       -J  drop unjudged documents first
  -N  documents in the collection, for utility
"""
_FLAGS, _VALUES = "qcJ", "lmMNR"


def main(arguments: Sequence[str] | None = None) -> int:
    """Translate the arguments and run `diveval evaluate -f trec`."""
    from diveval import cli

    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0 if given else 2
    try:
        translated = translate(given)
    except UsageError as error:
        sys.stderr.write(f"diveval: error[{error.code}]: {error}\n")
        return 2
    return cli.main(translated)


def translate(given: Sequence[str]) -> list[str]:
    """The arguments of `diveval evaluate` that print what trec_eval prints for these."""
    from diveval.metrics.compat.trec_names import settings_for

    flags, values, files = _read(given)
    settings = [f"level={_whole(values['l'][-1])}"] if values["l"] else []
    settings += [f"depth={_whole(values['M'][-1])}"] if values["M"] else []
    settings += [f"collection={_whole(values['N'][-1])}"] if values["N"] else []
    settings += ["judged_only=yes"] if "J" in flags else []
    if values["R"] and values["R"][-1] != "qrels":
        raise UsageError("invalid-choice", f"-R {values['R'][-1]}: only qrels is supported")
    if len(files) != 2:
        raise UsageError("missing-argument", f"expected QRELS and RUN, got {len(files)} files", hint="see --help")
    out = ["evaluate", "-f", "trec", "--missing-topics", "zero" if "c" in flags else "skip"]
    out += ["--per-topic"] if "q" in flags else []
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
    """Flags, values by letter, and files, as getopt reads them: values follow a letter directly or as the next word."""
    flags: set[str] = set()
    values: dict[str, list[str]] = {letter: [] for letter in _VALUES}
    words = list(given)
    while words and re.match(r"-[A-Za-z]", words[0]):
        word = words.pop(0)
        for at, letter in enumerate(word[1:], 1):
            if letter in _FLAGS:
                flags.add(letter)
            elif letter in _VALUES:
                rest = word[at + 1 :] or (words.pop(0) if words else "")
                values[letter].append(rest)
                break
            else:
                raise UsageError("unknown-option", f"trec_eval's -{letter} is not supported", hint="see --help")
    return flags, values, words


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise UsageError("not-a-number", f"expected a whole number, got {quote(text)}")
    return int(text)
