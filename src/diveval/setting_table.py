"""Every option once: its name, values, default, meaning and flag, from which all entry points take it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike
from typing import Any, Literal, get_args

from diveval.errors import UsageError, quote, suggestion

Gain = Literal["exponential", "linear", "binary", "identity"]
Gmax = Literal["file", "per-aspect"]
Aspects = Literal["drop", "keep"]
Order = Literal["score", "rank", "file"]
Ties = Literal["docno-desc", "docno-asc", "file"]
MissingTopics = Literal["worst", "zero", "skip"]
EmptyTopics = Literal["score", "skip"]
RunDuplicates = Literal["error", "first", "blank"]
Duplicates = Literal["error", "max", "first", "last"]
Unit = Literal["mean"]
LARGEST_TOPIC = 25_000_000  # aspects × relevant documents of one topic: about 0.8 GB


@dataclass(frozen=True)
class Setting:
    """One option. `words` and `kind` say what it may be; None always stands for the default."""

    name: str
    default: Any
    help: str
    words: tuple[str, ...] = ()  # texts that it takes
    kind: Literal["", "number", "whole", "bool", "path", "format", "costs", "groups", "names"] = ""  # what it takes besides
    low: float = -math.inf  # of a number
    above: float = -math.inf
    high: float = math.inf
    usual: str = ""  # what happens without it, where the default is None
    label: str = ""  # in the studio's form; empty: not in the studio
    flag: str = ""  # at the command line; empty: none
    metavar: str = "N"
    tracks: bool = False  # whether a track's [scoring] has it

    @property
    def expected(self) -> str:
        """The values it takes, for messages and tables."""
        words = f"one of {', '.join(self.words)}" if len(self.words) > 2 or not self.kind else ", ".join(self.words)
        return " or ".join(filter(None, [words if self.words else "", self.values]))

    @property
    def values(self) -> str:
        """What it takes besides words, with bounds."""
        bounds = [f"above {self.above:g}"] if math.isfinite(self.above) else []
        bounds += [f"of at least {self.low:g}"] if math.isfinite(self.low) else []
        bounds += [f"at most {self.high:g}"] if math.isfinite(self.high) else []
        noun = {
            "number": "a number",
            "whole": "a whole number",
            "bool": "True or False",
            "path": "a path",
            "format": "the name of a format",
            "costs": "a dict of costs or Efforts",
            "groups": "a path, rows or a frame",
            "names": "names separated by commas",
        }.get(self.kind, "")
        return " ".join(filter(None, [noun, " and ".join(bounds)]))

    def check(self, value: Any, called: str = "") -> Any:
        """The value, or the default for None; a value that it cannot have is an error, also in a message as `called`."""
        if value is None:
            return self.default
        if (isinstance(value, str) and value in self.words) or (self.kind and _KINDS[self.kind](self, value)):
            return value
        raise UsageError(self._fault(value), f"{called or self.name} is {self.expected}, got {quote(value)}")

    def parse(self, text: str) -> Any:
        """The value that a text of the command line stands for."""
        if self.kind not in ("number", "whole") or text in self.words:
            return self.check(text, self.flag)
        try:
            number = int(text) if self.kind == "whole" else float(text)
        except ValueError:
            raise UsageError("not-a-number", f"{self.flag} is {self.expected}, got {quote(text)}") from None
        return self.check(number, self.flag)

    def _fault(self, value: Any) -> str:
        """The code of the error for a value that it cannot have."""
        if self.kind in ("number", "whole"):
            return "out-of-range" if isinstance(value, Real) and not isinstance(value, bool) else "not-a-number"
        return "wrong-type" if self.kind else "invalid-choice"

    def _holds(self, value: Any, kind: type) -> bool:
        """Whether a value is a finite number of this kind within the bounds."""
        number = isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)  # type: ignore[arg-type]
        return number and self.low <= value <= self.high and value > self.above


_KINDS: dict[str, Callable[[Setting, Any], bool]] = {
    "number": lambda setting, value: setting._holds(value, Real),
    "whole": lambda setting, value: setting._holds(value, Integral),
    "bool": lambda _, value: type(value).__name__ in ("bool", "bool_"),  # numpy's too
    "path": lambda _, value: isinstance(value, str | PathLike),
    "format": lambda _, value: isinstance(value, str),  # reading has the names
    "costs": lambda _, value: isinstance(value, Mapping),
    "groups": lambda _, value: not isinstance(value, int | float),  # reading says what is wrong with it
    "names": lambda _, value: isinstance(value, str | list | tuple),
}
SETTINGS: tuple[Setting, ...] = (
    Setting("gain", "exponential", "grade to relevance: (2^g−1)/2^gmax, g/gmax, [g>0], or the judgments hold relevance already",
            get_args(Gain), label="Gain of a grade", flag="--gain", tracks=True),
    Setting("gmax", "file", "the highest possible grade: that of the whole file, of each topic and aspect, or a number",
            get_args(Gmax), "number", above=0, high=1000, label="Highest grade", flag="--gmax", metavar="G", tracks=True),
    Setting("rel", None, "the lowest grade that counts: grades below it are 0", (), "number", above=0,
            usual="every grade above 0", label="Lowest grade", flag="--rel", metavar="T", tracks=True),
    Setting("renormalise", True, "scale the weights of the aspects that count to a sum of 1", (), "bool",
            label="Weights sum to 1", flag="--no-renormalise", tracks=True),
    Setting("empty_aspects", "drop", "aspects without a relevant document: leave them out or keep them",
            get_args(Aspects), label="Empty aspects", flag="--empty-aspects", tracks=True),
    Setting("order", None,
            "what orders a run: score descending, the rank column, or the file; also overrides other tools' own rule",
            get_args(Order), usual="score; other tools' metrics: the tool's rule", label="Order of a run", flag="--order",
            tracks=True),
    Setting("ties", None, "order of equal scores, where scores order a run: by document id (bytes), or as in the file",
            get_args(Ties), usual="docno-desc, as trec_eval and ndeval -traditional", label="Equal scores", flag="--ties",
            tracks=True),
    Setting("missing_topics", "worst",
            "judged topics that a run lacks: score like a list of non-relevant documents down to the cutoff (other tools'"
            " metrics: the tool's rule), score 0, or leave out of its mean",
            get_args(MissingTopics), label="Missing topics", flag="--missing-topics", tracks=True),
    Setting("empty_topics", None, "topics without a relevant document: score like others or leave out",
            get_args(EmptyTopics), usual="score; gdeval's metrics: skip", label="Empty topics", flag="--empty-topics",
            tracks=True),
    Setting("duplicates", None,
            "a document twice in a ranking: error, keep the first, or keep both places but count the second as not relevant",
            get_args(RunDuplicates), usual="error; Dynamic Domain: blank", label="Repeated docs", flag="--duplicates"),
    Setting("judgment_duplicates", "error", "a document judged twice with different grades: error, or the grade that counts",
            get_args(Duplicates), label="Judged twice", flag="--judgment-duplicates", tracks=True),
    Setting("judged_only", False,
            "remove unjudged documents from every list before it is scored, so that ranks count judged documents only",
            (), "bool", label="Judged only", flag="--judged-only", tracks=True),
    Setting("judgment_format", None, "format of the judgments", (), "format", usual="detected from the content",
            flag="--qrels-format"),
    Setting("run_format", None, "format of the runs", (), "format", usual="detected from the content", flag="--run-format"),
    Setting("effort_file", None, "`document cost` lines: the effort of each document as a multiple of e (for RBU, EU)",
            (), "path", usual="every document costs e", flag="--effort-file", metavar="FILE"),
    Setting("effort_unit", 1.0, "divide costs by this number, or by their mean (so that an average document costs e)",
            get_args(Unit), "number", above=0, flag="--effort-unit", metavar="U"),
    Setting("effort_default", 1.0, "multiple of e for documents without a cost", (), "number", low=0,
            flag="--effort-default", metavar="C"),
    Setting("efforts", None, "the costs as a dict instead of a file, or `Efforts`", (), "costs", usual="none"),
    Setting("document_groups", None,
            "groups of documents, for GFR: a table of topic, document, attribute, group and share (document *: the target),"
            " or NTCIR's .gmemb file, or a folder of them",
            (), "groups", usual="none", flag="--document-groups", metavar="FILE"),
    Setting("ordinal_groups", None, "attributes of these groups whose groups have an order, in the order of the file",
            (), "names", usual="none", flag="--ordinal-groups", metavar="A,B"),
    Setting("largest_topic", LARGEST_TOPIC,
            "aspects × relevant documents that one topic may have; more is an error (25000000 take about 0.8 GB)",
            (), "whole", low=1, flag="--largest-topic", metavar="CELLS"),
    Setting("jobs", None, "files read at once, or processes where all files are parquet", (), "whole", low=1,
            usual="the number of cores", flag="--jobs"),
)
TABLE: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


def refuse_unknown(given: Iterable[str], known: Iterable[str] = TABLE) -> None:
    """Raise an error for the first name that is not known, with the closest one that is."""
    names = list(known)
    for name in given:
        if name not in names:
            raise UsageError("unknown-option", f"no option is called {name}", hint=suggestion(name, names))
