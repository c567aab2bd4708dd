"""trec_eval's own names: `P.5,7,3`, `ndcg.1=3,2=9`, `all_trec` as our metrics, and our metrics as it prints them.

Under `trec_eval.` every name is accepted as trec_eval's -m takes it: a nickname, a measure with several cutoffs, or a
measure with parameters after a dot. Settings in parentheses apply to all of them: `trec_eval.all_trec(level=2)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from diveval.errors import UsageError, quote, suggestion
from diveval.metrics.compat import entries_of

_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
# By measure, in the order in which trec_eval prints: how parameters are read, the parameter of ours, and the defaults.
# `cut`: one metric per whole cutoff; `share`: one per number; `list`: one with a list; `pairs`: p and gains.
MEASURES: dict[str, tuple[str, str, str]] = {
    "runid": ("text", "", ""),
    "num_q": ("plain", "", ""),
    "num_ret": ("plain", "", ""),
    "num_rel": ("plain", "", ""),
    "num_rel_ret": ("plain", "", ""),
    "map": ("plain", "", ""),
    "gm_map": ("plain", "", ""),
    "Rprec": ("plain", "", ""),
    "bpref": ("plain", "", ""),
    "recip_rank": ("plain", "", ""),
    "iprec_at_recall": ("share", "recall", "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"),
    "P": ("cut", "", _CUTOFFS),
    "relstring": ("text", "", ""),
    "recall": ("cut", "", _CUTOFFS),
    "infAP": ("plain", "", ""),
    "gm_bpref": ("plain", "", ""),
    "Rprec_mult": ("share", "multiple", ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"),
    "utility": ("list", "worth", ""),
    "11pt_avg": ("list", "recalls", ""),
    "binG": ("plain", "", ""),
    "G": ("list", "gains", ""),
    "ndcg": ("list", "gains", ""),
    "ndcg_rel": ("list", "gains", ""),
    "Rndcg": ("list", "gains", ""),
    "ndcg_cut": ("cut", "", _CUTOFFS),
    "map_cut": ("cut", "", _CUTOFFS),
    "relative_P": ("cut", "", _CUTOFFS),
    "success": ("cut", "", "1,5,10"),
    "set_P": ("plain", "", ""),
    "set_relative_P": ("plain", "", ""),
    "set_recall": ("plain", "", ""),
    "set_map": ("plain", "", ""),
    "set_F": ("list", "beta", ""),
    "num_nonrel_judged_ret": ("plain", "", ""),
    "rbp": ("pairs", "gains", ""),
    "rbp_resid": ("plain", "", ""),
    "unj": ("cut", "", "5,10,20"),
}
_RANK = {name: i for i, name in enumerate(MEASURES)}
NICKNAMES = {
    "official": [*MEASURES][: _RANK["P"] + 1],
    "all_trec": [*MEASURES],
    "set": [
        "runid",
        "num_q",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "utility",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
    ],
}
_SHAPE = re.compile(
    r"(?P<tool>trec_eval9?)\.(?P<name>[A-Za-z0-9][A-Za-z0-9_]*)(?:\.(?P<given>[-+.0-9=,a-z:e]*))?(?:\((?P<settings>[^()]*)\))?"
)
_PRINTED = re.compile(r"(?P<name>iprec_at_recall|Rprec_mult)_(?P<share>[0-9]*\.?[0-9]+)")


class TextMeasure(NamedTuple):
    """A measure of trec_eval whose value is text: `runid`, or `relstring` with its length."""

    name: str
    given: str = ""
    depth: int = 0  # trec_eval's -M
    judged_only: bool = False  # trec_eval's -J

    @property
    def length(self) -> int:
        """How many documents a `relstring` shows."""
        return int(float(self.given or "10"))

    @property
    def label(self) -> str:
        """As trec_eval prints it."""
        return f"{self.name}_{self.given}" if self.given else self.name


def is_spec(text: str) -> bool:
    """Whether a text has the form of a measure of trec_eval with parameters, to which a list of numbers belongs."""
    shape = _SHAPE.fullmatch(text)
    return shape is not None and bool(shape["given"])


def expand(text: str) -> list[str] | None:
    """Our names of the metrics that a name of trec_eval's stands for; None if it is one name of ours, or none at all."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return None
    printed = _PRINTED.fullmatch(text.partition(".")[2].partition("(")[0])
    if printed is not None:
        return _write(shape["tool"], printed["name"], printed["share"], shape["settings"])
    if shape["name"] not in (*MEASURES, *NICKNAMES):
        return None
    if shape["name"] in NICKNAMES:
        if shape["given"] is not None:
            raise UsageError("metric-syntax", f"{shape['name']} stands for several measures and takes no parameters")
        every = (_write(shape["tool"], name, None, shape["settings"]) for name in NICKNAMES[shape["name"]])
        return [name for names in every for name in names]
    kind, parameter, _ = MEASURES[shape["name"]]
    one = kind in ("plain", "list", "pairs") or (kind == "share" and f"{parameter}=" in (shape["settings"] or ""))
    if shape["given"] is None and one:
        return None
    return _write(shape["tool"], shape["name"], shape["given"], shape["settings"])


def text_measures(text: str) -> list[TextMeasure]:
    """The measures with text values that a name of trec_eval's stands for."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return []
    names = NICKNAMES.get(shape["name"], [shape["name"]])
    settings = dict(piece.split("=", 1) for piece in (shape["settings"] or "").split(",") if "=" in piece)
    depth, judged_only = int(_number(settings.get("depth", "0"), "relstring")), settings.get("judged_only") == "yes"
    texts = [name for name in names if MEASURES.get(name, ("",))[0] == "text"]
    given = shape["given"] or ""
    if given and "runid" in texts:
        raise UsageError("unknown-parameter", f"trec_eval.runid takes no parameters after a dot, got {quote(given)}")
    if given and texts:
        _whole(given, "relstring")
    return [TextMeasure(name, given, depth, judged_only) for name in texts]


def _write(tool: str, name: str, given: str | None, settings: str | None) -> list[str]:
    """Our names of one measure; none for a measure whose value is text."""
    kind, parameter, usual = MEASURES[name]
    pieces = [piece for piece in (usual if given is None else given).split(",") if piece]
    own = settings_for(name, settings, tool)
    if kind == "text":
        return []
    if kind == "plain" and given:
        raise UsageError("unknown-parameter", f"{tool}.{name} takes no parameters after a dot, got {quote(given)}")
    if kind == "cut":
        cutoffs = sorted({_whole(piece, name) for piece in pieces})
        return [f"{tool}.{name}_{cutoff}{_brackets(own)}" for cutoff in cutoffs]
    if kind == "share":
        shares = sorted({_number(piece, name) for piece in pieces})
        return [f"{tool}.{name}{_brackets([*own, f'{parameter}={share:.15g}'])}" for share in shares]
    if not given:
        return [f"{tool}.{name}{_brackets(own)}"]
    if kind == "pairs":
        own += [piece for piece in pieces if piece.startswith("p=")]
        pieces = [piece for piece in pieces if not piece.startswith("p=")]
    listed = ";".join(pieces).replace("=", ":")
    return [f"{tool}.{name}{_brackets([*own, *([f'{parameter}={listed}'] if listed else [])])}"]


def settings_for(name: str, settings: str | None, tool: str = "trec_eval") -> list[str]:
    """Of settings given to several measures, those that this one takes."""
    given = [piece for piece in (settings or "").split(",") if piece.strip()]
    entry = next((entry for entry in entries_of(tool) if entry.name == f"{tool}.{name}"), None)
    if entry is None:
        if MEASURES[name][0] == "text":
            return [piece for piece in given if piece.startswith(("depth=", "judged_only="))]
        known = [entry.name for entry in entries_of(tool)]
        raise UsageError("unknown-metric", f"no metric is called {tool}.{name}", hint=suggestion(name, known))
    takes = {parameter.name for parameter in entry.parameters}
    everywhere = {"level", "depth", "judged_only", "collection"}
    return [p for p in given if (key := p.partition("=")[0].strip()) in takes or key not in everywhere]


def _brackets(settings: Sequence[str]) -> str:
    return f"({','.join(settings)})" if settings else ""


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError("not-a-number", f"trec_eval.{name}: expected numbers, got {quote(text)}")
    return value


def _whole(text: str, name: str) -> int:
    """A cutoff; trec_eval cuts off decimals."""
    value = int(_number(text, name))
    if value < 1:
        raise UsageError("invalid-cutoff", f"trec_eval.{name}: a cutoff is at least 1, got {quote(text)}")
    return value


# --- how trec_eval prints -----------------------------------------------------------------------------------------------


def spell(metric: str) -> str:
    """A metric's name in trec_eval's first column; a metric that is not trec_eval's keeps its own."""
    whole, _, settings = metric.removesuffix(")").partition("(")
    tool, _, name = whole.partition(".")
    if tool not in ("trec_eval", "trec_eval9"):
        return metric
    values = dict(piece.split("=", 1) for piece in settings.split(",") if piece)
    kind, parameter, _ = MEASURES.get(name, ("plain", "", ""))
    if kind == "share":
        return f"{name}_{float(values.get(parameter, 'nan')):.2f}"
    given = [f"p={values['p']}"] if kind == "pairs" and "p" in values else []
    given += [values[parameter].replace(";", ",").replace(":", "=")] if parameter in values else []
    return f"{name}_{','.join(given)}" if given else name


def place(metric: str) -> float:
    """Where trec_eval prints a measure; other metrics come after all of them."""
    family = re.split(r"[(.]", metric.partition(".")[2])[0]
    tool = metric.partition(".")[0]
    if tool not in ("trec_eval", "trec_eval9"):
        return float("inf")
    return _RANK.get(family, _RANK.get(re.sub(r"_[0-9.]+$", "", family), float("inf")))
