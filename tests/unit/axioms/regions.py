"""Parses printed regions into conditions that can be evaluated, independently of the engine."""

from __future__ import annotations

import re
from fractions import Fraction as F
from typing import Any

from unit.axioms.plain import inverse_log2

POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
NAMES = {"α": "alpha", "λ": "lam", "r_c": "r", "·": "*", "−": "-", "≥": ">=", "≤": "<=", "β": "beta"}


def expression(text: Any) -> Any:
    """A printed polynomial condition as a Python expression; None if it contains sums."""
    if "Σ" in text or "some m" in text or "some n" in text:
        return None
    text = re.sub("([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda match: "**" + match[1].translate(POWERS), text)
    for printed, python in NAMES.items():
        text = text.replace(printed, python)
    text = text.replace(" = ", " == ")
    text = re.sub(r"1/log₂(\d+)", r"L(\1)", text)
    return re.sub(r"(?<![\w*(])(\d+)/(\d+)", r"F(\1, \2)", re.sub(r"(?<![\w.])(\d+)(?![\w.]|\*\*)", r"\1", text))


def admits(text: Any, values: Any) -> Any:
    """Whether a region contains these values; None if its text is not a polynomial condition."""
    code = expression(text)
    if code is None:
        return None
    if values is None:
        return True
    return bool(eval(code, {"__builtins__": {}, "F": F, "L": inverse_log2}, dict(values)))


def parse_line(text: Any) -> Any:
    """One printed line as (name, inside, given values, cutoffs); inside(x) is None where x is too close to an end."""
    text, _, at = text.partition(" at ")
    cutoffs = []
    cut = re.match(r"k (=|≥) (\d+)(?:–(\d+))?: ", text)
    if cut:
        text = text[cut.end() :]
        cutoffs = [int(cut[2]), int(cut[3] or cut[2])] if cut[1] == "=" else [int(cut[2]), int(cut[2]) + 7]
    at = at.split(" (m ≤")[0]
    given = {NAMES.get(name, name): F(x) for name, x in re.findall(r"(\S+) = ([\d/.]+)", at)}
    plain = re.sub(r"(?:, )?\[[^\]]*\]", "", text.split(" (m ≤")[0]).strip()
    ends = re.fullmatch(r"(?:([\d./]+) < )?(\S+?)(?: ([<>]) ([\d./]+)|: nowhere)?", plain)
    if plain.startswith("every "):
        return NAMES.get(plain[6:], plain[6:]), lambda x: True, given, cutoffs
    if ends is None:
        return None
    low, name, sign, border = ends.groups()
    factor = re.fullmatch(r"\(([\d/]+)\)·(\S+)", name)  # (1/3)·r_c < 0.2564 bounds r_c
    times, name = (F(factor[1]), factor[2]) if factor else (F(1), name)
    between = [F(low) if low else F(0), F(border) if border else F(0)] if sign != ">" else [F(border), F(10**6)]

    def inside(x: Any) -> Any:
        x = x * times
        if any(abs(x - end) < F(1, 10**4) for end in between):
            return None
        return between[0] < x < between[1] and sign is not None

    return NAMES.get(name, name), inside, given, cutoffs
