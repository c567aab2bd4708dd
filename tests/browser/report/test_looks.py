"""The layout of the report: geometry, contrast, phone, print, and many runs and metrics."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from diveval.metrics.names import labels as label_all
from diveval.scoring.study import Evaluation
from support.pages import PHONE, cleared, settled

from .conftest import LACKING, MANY, RBU, TWENTY, opened, shown

WIDE = {"width": 1400, "height": 900}


@pytest.fixture(scope="module")
def large_desk(standing: Any, large: str) -> Any:
    """The report of many runs on a desktop screen, shared by tests."""
    return opened(standing, large, viewport=WIDE)


@pytest.fixture
def big(large_desk: Any, quiet: None) -> Any:
    """The report of many runs in its initial state, for one test."""
    return cleared(large_desk, WIDE)


def test_the_stop_line_is_at_the_bottom_of_its_row(report: Any, phone: Any, study: Evaluation) -> None:
    """The line is at the bottom of the row of the stopping rank, and the curve starts at the top of the first row, also
    after the window is resized."""
    every, some = study.scores.topics, study.scores.topics[:2]
    for page, widths in ((report, ((1280, every), (860, some))), (phone, ((400, some),))):
        for width, topics in widths:
            page.set_viewport_size({"width": width, "height": 900})
            checked = 0
            for topic in topics:
                page.locator("#inspect-topic").select_option(topic)
                for position in settled(page).evaluate(STOPS):
                    line, row, details = position["line"], position["row"], (width, topic, position)
                    assert line is None or abs(line - row) <= 1.5, details
                    assert abs(position["start"] - position["first"]) <= 1.5, details
                    checked += line is not None
            assert checked >= 2


STOPS = """() => [...document.querySelectorAll('#panels .panel')].filter((p) => p.querySelector('.curve svg')).map((panel) => {
  const svg = panel.querySelector('.curve svg').getBoundingClientRect(), line = panel.querySelector('.curve line.stop');
  const row = panel.querySelector('tr.stop'), first = panel.querySelector('tbody tr');
  const start = panel.querySelector('.curve path.gain').getAttribute('d').match(/M[-\\d.]+,([-\\d.]+)/)[1];
  return { line: line && row ? svg.top + Number(line.getAttribute('y1')) + 1 : null, row: row && row.getBoundingClientRect().bottom,
           start: svg.top + Number(start), first: first.getBoundingClientRect().top };
})"""


def test_a_missing_topic_is_hatched_and_its_run_badged(report: Any, study: Evaluation) -> None:
    """A topic that a run lacks is hatched instead of coloured, and the run has a badge and is in the headline."""
    run = study.scores.runs[-1]
    cell = report.locator(f'#heat td[data-topic="{LACKING}"][data-run="{run}"]')
    assert "repeating-linear-gradient" in cell.evaluate("e => getComputedStyle(e).backgroundImage")
    assert cell.get_attribute("aria-label").endswith("no result")
    badges = report.locator(f'#board tr[data-run="{run}"] .badge, #heat th[data-value="{run}"] .badge')
    assert badges.all_inner_texts() == ["4/5", "4/5"]
    assert f"{run} 4/5" in report.locator(".headline").inner_text()


def test_a_run_that_lacks_a_topic_is_marked_in_every_view(report: Any, study: Evaluation) -> None:
    """Pictures, rankings and menus show the number of topics for an incomplete run only."""
    run, other = study.scores.runs[-1], study.scores.runs[0]
    for picture in ("#bump .system", "#order .node"):
        assert all("(4/5)" in text for text in labels(report, f'{picture}[data-run="{run}"] .label'))
        assert all("(" not in text for text in labels(report, f'{picture}[data-run="{other}"] .label'))
    for names in ("#map-ranking td:nth-child(2)", "#chart-ranges .label"):
        assert [text for text in labels(report, names) if "4/5" in text] == [f"{run} (4/5)"]
    for choice in ("bump-run", "order-run", "inspect-left", "inspect-right"):
        assert labels(report, f'#{choice} option[value="{run}"]') == [f"{run} (4/5)"]


def labels(page: Any, selector: str) -> list[str]:
    texts = page.locator(selector).all_text_contents()
    assert texts, selector
    return list(texts)


def test_the_headline_links_its_evidence(report: Any, study: Evaluation) -> None:
    """The headline is above the views and names the leader, and its links have tooltips and lead to views."""
    means = study.scores.mean()
    best = [max(means, key=lambda run: means[run][metric]) for metric in study.scores.metrics]
    assert max(best, key=best.count) in report.locator(".headline p").first.inner_text()
    assert report.locator(".headline").bounding_box()["y"] < report.locator("#leaderboard h2").bounding_box()["y"]
    links = report.locator(".headline a")
    assert links.count() >= 3
    assert all(link.get_attribute("data-view") for link in links.all())
    link = report.locator(".headline a[data-view=inspector]").first
    link.hover()
    assert report.locator("#tip").inner_text() == link.get_attribute("data-tip")
    link.click()
    report.wait_for_function("() => Math.abs(document.getElementById('inspector').getBoundingClientRect().top) < 120")


def test_many_runs_keep_the_header_and_first_column_visible(big: Any) -> None:
    """After scrolling, the names of metrics and systems are visible and not covered."""
    frame = big.locator(".scroll.board")
    frame.scroll_into_view_if_needed()
    assert frame.evaluate("e => e.getBoundingClientRect().height <= innerHeight")
    frame.evaluate("e => { e.scrollTop = 2000; e.scrollLeft = 500; }")
    position = big.evaluate("""() => {
      const frame = document.querySelector('.scroll.board').getBoundingClientRect();
      const at = (x, y) => document.elementFromPoint(x, y)?.closest('th, td');
      const name = at(frame.left + 90, frame.top + 300), edge = name.getBoundingClientRect().right;
      const head = [...document.querySelectorAll('#board thead th')].filter((th) => { const b = th.getBoundingClientRect(); return b.left >= edge && b.right <= frame.right; });
      return { top: at(frame.left + 600, frame.top + 20)?.tagName, row: name?.tagName, left: name?.getBoundingClientRect().left - frame.left,
               covered: head.filter((th) => { const b = th.getBoundingClientRect(); return at(b.left + 4, b.bottom - 4) !== th; }).length };
    }""")
    assert (position["top"], position["row"], position["covered"]) == ("TH", "TH", 0)
    assert position["left"] < 60
    frame.evaluate("e => { e.scrollTop = 0; e.scrollLeft = 0; }")
    assert big.locator("#board tbody tr").count() == MANY


def test_most_of_twenty_metrics_are_visible_at_once(big: Any) -> None:
    """At 1400 pixels at least 15 of 20 columns are visible; filter, columns, pins and groups work."""
    visible = """() => { const f = document.querySelector('.scroll.board').getBoundingClientRect();
      return [...document.querySelectorAll('#board thead th')].filter((th) => th.getBoundingClientRect().right <= f.right + 1).length - 2; }"""
    assert big.evaluate(visible) >= 15
    assert not [text for text in shown(big, "#board sup") if "…" in text]
    big.fill("#filter", "sys03")
    assert all("sys03" in run for run in shown(big, "#board tbody th"))
    big.fill("#filter", "")
    big.locator("details.columns > summary").click()
    big.locator("[aria-label='Pin RR@20']").click()
    assert big.locator("#board thead th:nth-child(3) button").get_attribute("data-metric") == "RR@20"
    big.locator("details.columns button:has-text('Only the chosen')").click()
    assert big.locator("#board thead th").count() == 4
    assert "2 of 20" in big.locator("details.columns > summary").inner_text()
    big.locator("details.columns button:has-text('All')").click()
    big.locator("[aria-label='Unpin RR@20']").click()
    big.locator("details.columns > summary").click()
    big.locator("#board-grouped").check()
    assert big.locator("#board tr.group").count() >= 1
    big.locator("#board-grouped").uncheck()


def test_no_metric_or_system_is_left_out(big: Any) -> None:
    """Every chart of metrics has all metrics and every view all systems; undecided metrics are named."""
    assert big.locator("#chart-power .share").count() == len(TWENTY)
    assert big.locator("#power tbody tr").count() == len(TWENTY)
    assert big.locator("#agreement tbody td").count() == len(TWENTY) ** 2
    assert big.locator("#bump .system").count() == MANY
    assert big.locator("#heat tbody tr").first.locator("td").count() == MANY
    assert big.locator("#chart-ranges g[data-tip]").count() == MANY
    decided = big.locator("#matrix tbody tr").count()
    note = big.locator("#undecided").inner_text()
    assert decided + sum(f"{name.split('@')[0]}" in note for name in TWENTY) >= len(TWENTY)


def test_a_frame_shows_at_which_edge_it_scrolls(big: Any) -> None:
    """The shadows at the bottom and right edge disappear at the end; the header has the number of systems."""
    assert str(MANY) in big.locator("#board thead th").nth(1).inner_text()
    frame, shadows = big.locator(".scroll.board"), big.locator(".cued:has(#board) > .cue")
    assert [shadow.is_visible() for shadow in shadows.all()] == [True, True]
    frame.evaluate("e => { e.scrollTop = e.scrollHeight; e.scrollLeft = e.scrollWidth; }")
    for shadow in shadows.all():  # wait_for_function needs eval, which the page's policy refuses
        shadow.wait_for(state="hidden")
    frame.evaluate("e => { e.scrollTop = 0; e.scrollLeft = 0; }")


def test_a_phone_shows_complete_ranks_and_the_end_of_ids(phone: Any, study: Evaluation) -> None:
    """Few metrics fit without scrolling; the label of a document keeps its ranks and the end of its id."""
    page = phone
    assert page.locator("#bump .scroll").evaluate("e => e.scrollWidth <= e.clientWidth")
    rows = page.evaluate("""() => [...document.querySelectorAll('.waterfall g[data-tip]')].map((g) =>
      [g.dataset.tip.replace(/: [^:]*$/, ''), g.querySelector('.label').textContent])""")
    documents = [(tip, label) for tip, label in rows if tip.endswith(")")]
    assert documents
    for tip, label in documents:
        (name, ranks), (short, kept) = tip.rsplit(" (", 1), label.rsplit(" (", 1)
        assert kept == ranks and short[-4:] == name[-4:]
    widths = page.evaluate("() => [...document.querySelectorAll('.ranking tbody td.doc')].map((e) => e.clientWidth)")
    assert widths and min(widths) >= 80
    page.locator("#inspect-topic").select_option(next(name for name in study.scores.topics if "<img" in name))
    page.locator("#inspect-left").select_option(study.scores.runs[0])
    page.locator(".ranking .titled").first.wait_for()
    directions = """() => [...document.querySelectorAll('.ranking td.doc')].map((e) =>
      [Boolean(e.querySelector('.titled')), getComputedStyle(e).direction])"""
    assert {tuple(pair) for pair in page.evaluate(directions)} == {(True, "ltr"), (False, "rtl")}


@pytest.mark.parametrize("width", [400, 1400])
def test_names_in_pictures_are_not_covered(watched: Any, alike: str, width: int) -> None:
    """Long names that differ only in the middle are neither cut off nor covered by lines or numbers."""
    page = opened(watched, alike, viewport={"width": width, "height": 900})
    assert page.evaluate(ROOM) == {"cut": [], "heads": [], "order": [], "under": []}


ROOM = """() => {
  const box = (e) => e.getBoundingClientRect(), names = (all) => [...all].map((e) => e.textContent);
  const ranks = document.querySelector('#bump svg'), labels = [...ranks.querySelectorAll('.system .label')], heads = [...ranks.querySelectorAll('g:not(.system) > .label')];
  const nodes = [...document.querySelectorAll('#order .node')];
  const cells = Math.min(...[...document.querySelectorAll('#order rect.cell')].map((e) => box(e).left));
  return { cut: names(labels.filter((e) => box(e).left < box(ranks).left - 1 || box(e).right > box(ranks).right + 1)), heads: names(heads.filter((e) => box(e).right > box(ranks).right + 1)),
           order: names(nodes.filter((n) => n.querySelector('.relation') && box(n.querySelector('.label')).right > box(n.querySelector('.relation')).left + 1)),
           under: names([...document.querySelectorAll('#order .node text')].filter((e) => box(e).right > cells + 1)) };
}"""


def test_the_dots_use_the_width_of_their_column(report: Any) -> None:
    """The worst and the best mean of each metric are far apart, and dots follow the order of means."""
    spread = """() => [...document.querySelectorAll('#board thead button[data-metric]')].map((head) => {
      const dots = [...document.querySelectorAll('#board td')].filter((td) => td.dataset.metric === head.dataset.metric).map((td) => td.querySelector('.point').getBoundingClientRect().left);
      return Math.max(...dots) - Math.min(...dots);
    })"""
    assert min(report.evaluate(spread)) > 25
    order = report.locator(f"#board td[data-metric='{RBU}'] .point").evaluate_all(
        "all => all.map((dot) => dot.getBoundingClientRect().left)"
    )
    assert order == sorted(order, reverse=True)


def test_topics_are_coloured_and_can_be_sorted(report: Any, study: Evaluation) -> None:
    """Cells have many colours and names are unique; topics can be sorted by difficulty and compared with a baseline."""
    colours = report.locator("#heat td").evaluate_all("all => new Set(all.map((td) => td.style.background)).size")
    assert colours > 10
    names = shown(report, "#heat thead th .id")
    assert len(set(names)) == len(names)
    report.locator("#topic-order").select_option("difficulty")
    means = {topic: study.scores.values[:, 0, t].mean() for t, topic in enumerate(study.scores.topics)}
    rows = report.locator("#heat tbody th").evaluate_all("all => all.map((th) => th.dataset.value)")
    assert rows == sorted(means, key=lambda topic: means[topic])
    report.locator("#topic-colour").select_option("baseline")
    base = study.scores.runs[2]
    report.locator("#topic-baseline").select_option(base)
    labels = report.locator(f"#heat td[data-run='{base}']").evaluate_all(
        "all => all.map((td) => td.getAttribute('aria-label'))"
    )
    assert all(label.endswith("(difference 0.0000)") for label in labels)


def test_colours_are_symmetric_around_zero(report: Any) -> None:
    """The ends of the legend are opposite numbers where values have both signs."""
    report.locator("#topic-colour").select_option("mean")
    low, high = re.findall(r"-?\d+\.\d+", report.locator("#heat-key").inner_text())[:2]
    assert float(low) == -float(high)
    kinds = shown(report, "#inspector .key.states .id")
    assert len(kinds) == 3  # the legend of grey and italic ids


def test_evidence_opens_in_the_visible_area(report: Any, phone: Any) -> None:
    """The evidence of any cell is visible beside the matrix on a desktop screen and below it on a phone."""
    for page, width in ((report, 1400), (phone, 400)):
        page.set_viewport_size({"width": width, "height": 800})
        page.locator("#matrix tbody tr:last-child td:last-child button").click()
        page.wait_for_function(  # it scrolls smoothly
            "(width) => { const b = document.querySelector('#evidence').getBoundingClientRect(); return b.top >= 0 && b.top < 790 && b.left >= 0 && b.right <= width; }",
            arg=width,
        )


def test_text_has_enough_contrast(report: Any) -> None:
    """All text has a contrast of at least 4.5 with its background (WCAG AA), in the light and the dark theme."""
    for scheme in ("dark", "light"):
        report.emulate_media(color_scheme=scheme)
        report.wait_for_selector(f"html[data-theme={scheme}]", state="attached")
        assert settled(report).evaluate(CONTRAST) == [], scheme


def test_a_phone_scrolls_only_vertically(phone: Any, watched: Any, large: str) -> None:
    """At 400 pixels pages of few and of many systems are as wide as the screen, and names do not overlap."""
    many = opened(watched, large, viewport=PHONE)
    for page in (phone, many):
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        wide = "[...document.querySelectorAll('section')].filter(s => s.getBoundingClientRect().right > 400).length"
        assert page.evaluate(wide) == 0
    expect_no_overlap(many)


def test_names_of_many_systems_do_not_overlap(big: Any) -> None:
    """Every system has its own row with its name beside the drawing."""
    expect_no_overlap(big)


def expect_no_overlap(page: Any) -> None:
    assert page.locator("#order .node").count() == MANY
    boxes = page.locator("#order .node .label").evaluate_all(
        "all => all.map((one) => { const b = one.getBoundingClientRect(); return [b.top, b.bottom, b.left, b.right] })"
    )
    tops = sorted(box[0] for box in boxes)
    assert min(b - a for a, b in pairwise(tops)) >= 14
    cells = page.locator("#order rect.cell").evaluate_all("all => all.map((one) => one.getBoundingClientRect().left)")
    assert all(box[3] <= min(cells) + 1 for box in boxes)


def test_a_printed_report_is_light_and_complete(big: Any, tmp_path: Path) -> None:
    """The printed leaderboard has every metric and every system, and its header on every sheet."""
    reader = pytest.importorskip("pypdf", reason="pypdf reads what was printed")
    big.emulate_media(color_scheme="dark")
    big.wait_for_selector("html[data-theme=dark]", state="attached")
    sheets = "1-10"  # the leaderboard, and the start of the next view
    settled(big).pdf(
        path=tmp_path / "report.pdf", format="A4", landscape=True, print_background=True, page_ranges=sheets
    )
    big.emulate_media(media="print")
    assert not big.locator("header.top").is_visible()
    next_view = re.sub(r"\s+", "", big.locator("#bump p.what").inner_text())[:20]
    big.emulate_media(media="screen", color_scheme="light")
    board = ""
    for sheet in reader.PdfReader(tmp_path / "report.pdf").pages:  # reading a sheet takes long
        board += re.sub(r"\s+", "", sheet.extract_text())
        if next_view in board:
            break
    board = board[: board.index(next_view)]
    for name in label_all(TWENTY):
        assert name.partition("@")[0] in board, name
    # Seven columns fit on a sheet, so each system is on three sheets.
    assert all(board.count(f"sys{i}") >= 3 for i in range(10, 25))
    # The header is repeated on the second page of a table.
    assert len(re.findall(r"S-Recall", board)) >= 2


CONTRAST = """() => {
  const channels = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const unit = text.startsWith('color(') ? 255 : 1;
    return [numbers[0] * unit, numbers[1] * unit, numbers[2] * unit, numbers.length > 3 ? numbers[3] : 1];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [255, 255, 255, 1];
  };
  const weak = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest('svg, script, noscript, .skip') || !element.getClientRects().length) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) weak.push(`${element.tagName}.${element.className} ${contrast.toFixed(2)} ${element.textContent.slice(0, 30)}`);
  }
  return weak;
}"""
