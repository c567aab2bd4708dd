"""The drawings as geometry: what stands where is recomputed from the order of the systems and from the scores."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from diveval import as_judgments, conclude, evaluate
from diveval.conclusions.drawings import BETTER, WORSE, layers, reduce_order, svg, write_borders
from diveval.settings import Options
from support.shared import times

NS = "{http://www.w3.org/2000/svg}"
JUDGED = {str(t): {a: {f"d{t}{a}{i}": 1 + (i + t) % 2 for i in range(3)} for a in "ab"} for t in (1, 2)}
DOUBTFUL = {
    "one": {t: [d for rows in own.values() for d in rows][:2] for t, own in JUDGED.items()},
    "two": {t: ["x", *(d for rows in own.values() for d in list(rows)[::-1])] for t, own in JUDGED.items()},
}


def numbers(element: ElementTree.Element, *names: str) -> Iterator[float]:
    """Attributes as numbers."""
    return (float(element.attrib[name]) for name in names)


def order(seed: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Systems, one with a long name, and a random partial order of them."""
    rng = random.Random(seed)
    systems = [f"s{i}" for i in range(rng.randint(1, 7))] + ["a very long name & <one> that is shortened"]
    rng.shuffle(systems)
    places = {system: rng.random() for system in systems}
    pairs = [(a, b) for a, b in combinations(systems, 2) if rng.random() < 0.5]
    edges = {(a, b) if places[a] > places[b] else (b, a) for a, b in pairs}
    while more := {(a, d) for a, b in edges for c, d in edges if b == c} - edges:
        edges |= more
    return systems, sorted(edges)


@pytest.mark.parametrize("seed", range(times(20, 300)))
def test_the_order_of_systems_is_drawn_from_top_to_bottom(seed: int) -> None:
    """A box per system within the drawing, none over another, rows in the middle; lines lead from box to lower box."""
    systems, edges = order(seed)
    rows = layers(systems, edges)
    longest = dict.fromkeys(systems, 0)
    for a, b in edges * len(systems):
        longest[b] = max(longest[b], longest[a] + 1)
    assert rows == [[s for s in systems if longest[s] == d] for d in range(max(longest.values()) + 1)]
    root = ElementTree.fromstring(svg(systems, edges, "a title & more"))
    width, height = numbers(root, "width", "height")
    assert root.attrib["viewBox"].split() == ["0", "0", root.attrib["width"], root.attrib["height"]]
    assert root.attrib["role"] == "img" and {"font-family", "font-size"} <= set(root.attrib)
    boxes: dict[str, tuple[float, float, float, float]] = {}
    for group in root.iter(f"{NS}g"):
        name, rect, text = (group.find(f"{NS}{tag}") for tag in ("title", "rect", "text"))
        assert name is not None and rect is not None and text is not None
        x, y, w, h = numbers(rect, "x", "y", "width", "height")
        boxes[str(name.text)] = (x, y, w, h)
        assert x >= 0 and x + w <= width and y >= 0 and y + h <= height
        at, base = numbers(text, "x", "y")
        assert at == pytest.approx(x + w / 2, abs=0.1) and y + h / 2 < base < y + h
        shown, own = str(text.text), str(name.text)
        assert shown == own if len(own) <= 26 else own.startswith(shown.partition("…")[0]) and len(shown) == 25
        assert len(own) <= 26 or own.endswith(shown.partition("…")[2])
    assert sorted(boxes) == sorted(systems)
    for (x, y, w, h), (u, v, _, _) in combinations(boxes.values(), 2):
        assert abs(x - u) >= w or abs(y - v) >= h
    for row in rows:
        centres = [boxes[s][0] + boxes[s][2] / 2 for s in row]
        assert sum(centres) / len(centres) == pytest.approx(width / 2, abs=0.1)
        assert len({boxes[s][1] for s in row}) == 1 and centres == sorted(centres)
    assert all(boxes[a[0]][1] < boxes[b[0]][1] for a, b in pairwise(rows))
    drawn = set()
    for path in root.iter(f"{NS}path"):
        points = [tuple(map(float, pair.split())) for pair in re.findall(r"[\d.]+ [\d.]+", path.attrib["d"])]
        (x, y), (u, v) = points[0], points[-1]
        (a,) = (s for s, (p, q, w, h) in boxes.items() if abs(p + w / 2 - x) < 0.2 and q + h == y)
        (b,) = (s for s, (p, q, w, h) in boxes.items() if abs(p + w / 2 - u) < 0.2 and q == v)
        drawn.add((a, b))
        heights = [point[1] for point in points]
        assert heights == sorted(heights)
    assert drawn == set(reduce_order(edges))
    direct = {(a, b) for a, b in edges if not any((a, c) in edges and (c, b) in edges for c in systems)}
    assert drawn == direct


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("metric", ["RBU(p=0.3..0.95,e=0..0.3)@5", "RBU(p=0.8,e=0..0.3)@5"])
def test_borders_show_who_leads_where(metric: str, tmp_path: Path) -> None:
    """Every field has the colour of the leader at its middle; both marks stand where their settings are."""
    result = conclude(JUDGED, DOUBTFUL, metric, significance=False)
    (row,) = (row for row in result.rows if row.doubt == "parameters")
    assert row.verdict == "flips"
    (path,) = write_borders(as_judgments(JUDGED), DOUBTFUL, result, Options(), str(tmp_path / "new"))
    root = ElementTree.fromstring(path.read_text())
    assert path.read_text().endswith("</svg>\n")
    wide, tall = map(float, root.attrib["viewBox"].split()[2:])
    rects = list(root.iter(f"{NS}rect"))
    fields = [tuple(numbers(rect, "x", "y", "width", "height")) for rect in rects]
    left, top = (min(f[i] for f in fields) for i in (0, 1))
    right, bottom = (max(f[i] + f[i + 2] for f in fields) for i in (0, 1))
    assert 0 < left < right <= wide and 0 < top < bottom <= tall
    e_only = "p=0.8" in metric
    area = sum(w * h for _, _, w, h in fields)
    assert area == pytest.approx((right - left) * (bottom - top), rel=0.08)
    rng = random.Random(1)
    for n in rng.sample(range(len(fields)), 25):
        (x, y, w, h), fill = fields[n], rects[n].attrib["fill"]
        across, up = (x + w / 2 - left) / (right - left), 1 - (y + h / 2 - top) / (bottom - top)
        p, e = (0.8, 0.3 * across) if e_only else (0.3 + 0.65 * across, 0.3 * up)
        means = evaluate(JUDGED, DOUBTFUL, f"RBU(p={p},e={e})@5").mean()
        lead = next(iter(means[row.better].values())) - next(iter(means[row.worse].values()))
        assert abs(lead) < 2e-2 or fill == (BETTER if lead > 0 else WORSE)
    marks = {c.attrib["fill"]: c for c in root.iter(f"{NS}circle")}
    for colour in (BETTER, WORSE):
        mark = marks[colour]
        title = mark.find(f"{NS}title")
        assert title is not None
        setting = {name: float(value) for name, _, value in (p.partition("=") for p in str(title.text).split(", "))}
        x, y = numbers(mark, "cx", "cy")
        across, up = (x - left) / (right - left), 1 - (y - top) / (bottom - top)
        if e_only:
            assert across == pytest.approx(setting["e"] / 0.3, abs=0.01) and up == pytest.approx(0.5, abs=0.02)
        else:
            assert across == pytest.approx((setting["p"] - 0.3) / 0.65, abs=0.01)
            assert up == pytest.approx(setting["e"] / 0.3, abs=0.01)
    ends = [str(text.text) for text in root.iter(f"{NS}text")]
    wanted = ["0", "0.3", "e"] if e_only else ["0.3", "0.95", "p", "0", "0.3", "e"]
    assert ends[2:] == wanted
    for text in list(root.iter(f"{NS}text"))[2:]:
        x, y = numbers(text, "x", "y")
        assert 0 <= x <= wide and 0 <= y <= tall and (x < left or y > bottom - 1)
