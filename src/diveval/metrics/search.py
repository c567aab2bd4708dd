"""Metrics by what people look for: "recall at 100", "hit rate", "fair to groups", "novelty"."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

from diveval.metrics.metric import Entry

# What people write, and words that the catalogue has.
SYNONYMS = {
    "mrr": "reciprocal rank first relevant",
    "map": "average precision",
    "hit": "success relevant among first",
    "coverage": "share aspects covered",
    "subtopic": "aspects",
    "intent": "aspects",
    "facet": "aspects",
    "diversity": "aspects",
    "diverse": "aspects",
    "novelty": "repetition seen aspect",
    "redundancy": "repetition seen aspect",
    "fairness": "group fairness",
    "fair": "group fairness",
    "bias": "group fairness",
    "unjudged": "judged unjudged",
    "incomplete": "judged sample inferred unjudged",
    "effort": "effort document utility",
    "cost": "effort document",
    "cascade": "cascade user stops",
    "patience": "patience probability going",
    "user": "user gain",
    "overlap": "overlap ideal",
    "similarity": "overlap ideal",
    "graded": "graded relevance discounted",
}
# Words for metrics whose own description has others.
KEYWORDS = {
    "RR": "mean reciprocal rank first",
    "P": "precision",
    "R": "recall found",
    "AP": "mean average precision",
    "nDCG": "normalised normalized discounted cumulative gain",
    "DCG": "discounted cumulative gain",
    "ERR": "expected reciprocal rank cascade",
    "RBP": "rank biased precision patience",
    "StRecall": "subtopic aspect recall coverage",
    "alpha_nDCG": "diversity novelty redundancy",
    "RBU": "diversity utility effort redundancy",
    "SetF": "f1 f measure",
    "Judged": "judged coverage",
    "ntcireval.Q": "graded average precision",
    "INST": "goal user model",
}
STOP = {
    *[
        "a",
        "an",
        "at",
        "of",
        "the",
        "in",
        "for",
        "to",
        "and",
        "or",
        "is",
        "by",
        "k",
        "how",
        "many",
        "much",
        "top",
        "first",
        "with",
        "on",
        "what",
        "metric",
        "measure",
        "rate",
    ]
}
MOST = 8


def _stem(word: str) -> str:
    return re.sub(r"(ies|es|s|ing|ed|ity)$", "", word) if len(word) > 4 else word


def _words(text: str) -> list[str]:
    return [_stem(word) for word in re.findall(r"[a-zαβ]+[0-9]*", text.lower()) if word not in STOP]


def _index(known: Mapping[str, Entry]) -> tuple[dict[str, Counter[str]], dict[str, float]]:
    """The weighted words of each metric, and how rare each word is."""
    index: dict[str, Counter[str]] = {}
    for entry in known.values():
        words: Counter[str] = Counter()
        plain = entry.name.rpartition(".")[2]
        for weight, text in (
            (4, f"{plain} {' '.join(entry.aliases)}"),
            (3, KEYWORDS.get(entry.name, "")),
            (2, entry.meaning),
            (1, entry.reference),
        ):
            for word in {*_words(text), *_words(text.replace("_", " ").replace("-", " "))}:
                words[word] += weight
        index[entry.name] = words
    seen = Counter(word for words in index.values() for word in words)
    return index, {word: math.log(1 + len(index) / count) for word, count in seen.items()}


def search_metrics(text: str, known: Mapping[str, Entry]) -> list[tuple[Entry, str]]:
    """The metrics that fit a description best, and how each is written with the cutoff that the text names."""
    index, rarity = _index(known)
    cutoff = re.search(r"(?<![\w.])([1-9][0-9]{0,5})(?![\w.])", text)
    asked = Counter(_words(text))
    for word in list(asked):
        for other in _words(SYNONYMS.get(word, "")):
            asked[other] = max(asked[other], 1)
    scored = []
    for name, words in index.items():
        score = sum(rarity[word] * words[word] * count for word, count in asked.items() if word in words)
        matched = sum(word in words for word in asked)
        own = 1.0 if "." not in name else 0.6  # ours first: one rule for all
        if score:
            scored.append((-score * own * (0.5 + matched / len(asked)), name))
    out = []
    for _, name in sorted(scored)[:MOST]:
        entry = known[name]
        depth = int(cutoff[1]) if cutoff and entry.cutoffs else 20 if entry.cutoffs == "needed" else None
        out.append((entry, entry.metric({}, depth).name))
    return out
