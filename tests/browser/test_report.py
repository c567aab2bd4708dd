"""The report in a real browser: opened from disk without a network, used as a reader would, each value the library's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="the report needs altair")
pytest.importorskip("vl_convert", reason="the report needs vl-convert")

from diveval.datasets import synthesize
from diveval.evaluation import rank_all
from diveval.judgments import Judgments
from diveval.meta import unanimity
from diveval.metrics import as_metrics
from diveval.options import Options
from diveval.report import Study, contents, listening, needed, page
from diveval.report.judging import Parameters
from diveval.runs import Run
from diveval.stats import compare
from diveval.stopping import stopping_points

RBU = "RBU(p=0.99,e=0.05)@20"
METRICS = [RBU, "ERR_IA@20", "StRecall@20"]  # each decided by the axiom engine in a second or two
HOSTILE = {
    "run": "</script><script>hacked=1</script>",
    "topic": "<img src=x onerror=hacked=2>",
    "document": '"><img src=x onerror="hacked=3">',
    "aspect": "<svg onload=hacked=4>",
}
OFFLINE = {"offline": True}


@pytest.fixture(scope="session")
def study() -> Study:
    """A small collection in which a run, a topic, a document and an aspect have hostile names."""
    made = synthesize(topics=5, systems=6, depth=60, seed=3)
    names = list(made.rankings)
    first = made.topics[0].name
    top = made.run(names[0])[first][0][0]
    changed = {names[1]: HOSTILE["run"], first: HOSTILE["topic"], top: HOSTILE["document"]}

    def new(text: str) -> str:
        return changed.get(text, text)

    def aspect(topic: str, text: str) -> str:
        return HOSTILE["aspect"] if (topic, text) == (first, "1") else text

    rows = [(new(t), aspect(t, a), new(d), float(g)) for t, a, d, g in made.judgments()]
    weights = {(new(t), aspect(t, a)): w for t, given in made.weights.items() for a, w in given.items()}
    judgments = Judgments.from_rows(rows, weights=weights)
    runs = [
        Run.from_rows([(new(t), new(d), s) for t, listed in made.run(name).items() for d, s in listed], name=new(name))
        for name in names
    ]
    metrics = as_metrics(METRICS)
    options = Options.of()
    rankings = rank_all(judgments, runs, needed(metrics), options, keep_documents=True)
    return Study.of(judgments, rankings, metrics, options)


@pytest.fixture(scope="session")
def address(study: Study, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of that collection, on disk."""
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    data = contents(study, title="A <b>bold</b> title", command=["diveval", "report"], axiom_seconds=60)
    path.write_text(page(data), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def report(watched: Any, address: str) -> Any:
    """The report open on a desk, with the network refused and its charts drawn."""
    opened = watched.open(address, **OFFLINE)
    opened.wait_for_selector("#chart-ranges svg")
    opened.wait_for_selector("#panels .curve svg")
    return opened


def shown(page: Any, selector: str) -> list[str]:
    """The text of everything that matches."""
    texts: list[str] = page.locator(selector).all_inner_texts()
    return texts


def table(page: Any, name: str) -> list[list[str]]:
    """The body of a table as text."""
    script = "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText.trim()))"
    rows: list[list[str]] = page.locator(f"#{name}").evaluate(script)
    return rows


def test_opens_from_disk_and_asks_for_nothing(report: Any, watched: Any, address: str) -> None:
    """The only request is for the file itself, and the policy allows no eval and no other script."""
    assert watched.requests == [address]
    policy = report.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert report.locator("section").count() == 7


def test_the_policy_refuses_eval_and_foreign_scripts(browser: Any, address: str) -> None:
    """Text that becomes code is refused by the page itself."""
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto(address)
    opened.evaluate("() => { const s = document.createElement('script'); s.textContent = 'hacked=5'; document.body.append(s) }")
    assert opened.evaluate("typeof hacked") == "undefined"
    context.close()


def test_leaderboard_shows_the_means_and_sorts(report: Any, study: Study) -> None:
    """Each number is the library's mean; a heading sorts by its metric, and once more the other way round."""
    mean = study.scores.mean()
    for column, metric in enumerate(study.scores.metrics):
        best = sorted(mean, key=lambda run: -mean[run][metric])
        if column:
            report.locator("#board thead button").nth(column + 1).click()
        assert shown(report, "#board tbody th") == best
        values = shown(report, f"#board tbody td:nth-child({column + 2}) .value")
        assert values == [f"{mean[run][metric]:.4f}" for run in best]
    report.locator("#board thead button").nth(1).click()
    report.locator("#board thead button").nth(1).click()
    assert report.locator("#board thead th").nth(1).get_attribute("aria-sort") == "ascending"
    assert shown(report, "#board tbody th") == sorted(mean, key=lambda run: mean[run][RBU])


def test_leaderboard_tells_what_is_not_significantly_different(report: Any, study: Study) -> None:
    """Choosing a system names exactly those that the library's Tukey test does not tell from it."""
    with listening() as notes:
        found = compare(study.scores, RBU, test="tukey", resamples=1000)
    assert notes[0] in shown(report, "#leaderboard-notes p")
    run = found.runs[0].run
    alike = [r.run for r in found.runs if any({row.run, row.other} == {run, r.run} and not row.significant for row in found.rows)]
    report.locator("#board tbody th button").first.click()
    assert report.locator("#told").inner_text() == (
        f"By {RBU}, not significantly different from {run}: {', '.join(alike) or 'none'}."
    )
    assert shown(report, "#board tbody tr.alike th") == alike
    letters = {r.run: r.letters for r in found.runs}
    assert shown(report, "#board tbody td:nth-child(2) sup") == [letters[r.run] for r in found.runs]


def test_a_topic_cell_opens_its_ranking(report: Any, study: Study) -> None:
    """The inspector follows the cell; score, stop, documents and curve values are the library's."""
    scores = study.scores
    run, topic = scores.runs[3], scores.topics[2]
    cell = report.locator('#heat td[data-topic="2"][data-run="3"]')
    assert cell.get_attribute("aria-label") == f"topic {topic}, {run}: {scores.values[3, 0, 2]:.4f}"
    cell.click()
    panel = report.locator("#panels .panel").first
    assert panel.locator("h3").inner_text() == run
    assert report.locator("#inspect-topic option:checked").inner_text() == topic
    assert panel.locator(".reached").inner_text() == f"{scores.values[3, 0, 2]:.4f}"
    stops = stopping_points(study.judgments, study.rankings, as_metrics("RBU(p=0.99,e=0.05)")[0], study.options)
    stop = next(s for s in stops if (s.run, s.topic) == (run, topic))
    assert f"rank {stop.rank}, utility {stop.utility:.4f}" in panel.locator(".sum").inner_text()
    documents = study.listed()[3].topics[topic].documents
    assert documents is not None
    assert tuple(shown(report, "#panels .panel:first-child td.doc")) == documents[:20]
    report.locator("#more").click()
    assert tuple(shown(report, "#panels .panel:first-child td.doc")) == documents[:50]


def test_the_topics_can_be_walked_with_the_keyboard(report: Any, study: Study) -> None:
    """Arrow keys move over the grid, and Enter opens the ranking."""
    order = sorted(study.scores.runs, key=lambda run: -study.scores.mean()[run][RBU])
    report.locator('#heat td[tabindex="0"]').focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        report.keyboard.press(key)
    assert report.locator("#panels .panel h3").first.inner_text() == order[2]
    assert report.locator("#inspect-topic option:checked").inner_text() == study.scores.topics[1]


def test_another_metric_colours_the_topics(report: Any, study: Study) -> None:
    """The choice of a metric changes every cell to that metric's values."""
    report.locator("#topic-metric").select_option("1")
    label = report.locator('#heat td[data-topic="1"][data-run="2"]').get_attribute("aria-label")
    assert label.endswith(f"{study.scores.values[2, 1, 1]:.4f}")


@pytest.mark.parametrize("topic", [HOSTILE["topic"], "103"])
def test_the_curve_runs_beside_its_ranks(report: Any, topic: str) -> None:
    """Whatever the length of the aspects' names, the curve starts where the first rank does."""
    report.locator("#inspect-topic").select_option(label=topic)
    report.wait_for_selector(".panel:first-child .curve svg")
    top = "e => e.getBoundingClientRect().top"
    first = report.locator(".panel").first.locator("tbody tr").first.evaluate(top)
    head = report.locator("#panels").evaluate("e => parseFloat(getComputedStyle(e).getPropertyValue('--head'))")
    assert abs(report.locator(".panel:first-child .curve svg").evaluate(top) + head - first) <= 1.5


def test_two_systems_stand_side_by_side(report: Any, study: Study) -> None:
    """Each panel shows its own system; `none` leaves one."""
    report.locator("#inspect-left").select_option("0")
    report.locator("#inspect-right").select_option("4")
    report.locator("#inspect-topic").select_option("3")
    scores = study.scores
    assert shown(report, ".panel h3") == [scores.runs[0], scores.runs[4]]
    assert shown(report, ".panel .reached") == [f"{scores.values[r, 0, 3]:.4f}" for r in (0, 4)]
    report.wait_for_selector(".panel:nth-child(2) .curve svg")
    report.locator("#inspect-right").select_option("-1")
    assert report.locator(".panel").count() == 1


def test_a_rank_tells_gain_effort_and_utility(report: Any, study: Study) -> None:
    """The line at a rank holds RBU cut there: what the library gives at that cutoff."""
    report.locator("#inspect-left").select_option("2")
    report.locator("#inspect-topic").select_option("1")
    report.locator(".panel").first.locator("tbody tr").nth(6).hover()
    metric = as_metrics("RBU(p=0.99,e=0.05)@7")
    at_seven = Study.of(study.judgments, study.rankings, metric, study.options).scores.values[2, 0, 1]
    text = report.locator("#inspect-readout").inner_text()
    assert text.startswith("rank 7: gain ")
    assert text.endswith(f"utility {at_seven:.4f}")


def test_the_tables_of_metrics_are_the_librarys(report: Any, study: Study) -> None:
    """Unanimity and the parameter grids show the values that the library computes."""
    groups = unanimity(study.scores, bootstrap=1000).grouped(best=False)
    expected = [[g.label, f"{g.mu:.3f}", f"{g.low:.3f} … {g.high:.3f}"] for g in groups]
    assert table(report, "unanimity") == expected
    found = Parameters.of(study)
    assert [row[1:] for row in table(report, "grid")] == [[f"{v:.3f}" for v in row] for row in found.means[0]]
    assert found.sensitivity is not None
    taus = iter(found.sensitivity.rows)
    assert [row[1:] for row in table(report, "grid-tau")] == [[f"{next(taus).value:.2f}" for _ in found.e] for _ in found.p]


def test_an_axiom_opens_its_evidence(report: Any) -> None:
    """A failing cell shows two rankings and the scores the metric gives them; a holding one shows its proof."""
    axioms = pytest.importorskip("diveval.axioms")
    pytest.importorskip("z3", reason="the axioms need z3")
    verdict = axioms.check("ERR_IA@20", "Conf", reading="charitable")
    assert verdict.verdict == "fails"
    report.get_by_role("button", name="ERR_IA@20, Confidence: fails").click()
    assert report.locator("#evidence h3").inner_text() == "Confidence: ERR_IA@20 fails"
    assert tuple(shown(report, "#evidence .score")) == verdict.counterexample.decimals
    better, worse = report.locator("#evidence .side table").all()
    for table, rows in ((better, verdict.counterexample.better), (worse, verdict.counterexample.worse)):
        assert table.locator("td").all_text_contents() == [str(r) for row in rows for r in row]
    report.get_by_role("button", name=f"{RBU}, Priority: holds").press("Enter")
    assert "z3 excludes" in report.locator("#evidence").inner_text()


def test_without_the_solver_the_page_says_how_to_get_it(
    study: Study, watched: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No z3: the section holds one clear line, and everything else stands."""
    monkeypatch.setitem(sys.modules, "z3", None)
    path = tmp_path / "plain.html"
    path.write_text(page(contents(study)), encoding="utf-8")
    opened = watched.open(path.as_uri(), **OFFLINE)
    opened.wait_for_selector("#chart-ranges svg")
    assert "diveval[axioms]" in opened.locator("#axioms-notes").inner_text()
    assert opened.locator("#matrix button").count() == 0


def test_hostile_ids_are_text(report: Any, study: Study) -> None:
    """Ids that look like markup are shown as they are, and nothing of them runs."""
    report.locator("#inspect-topic").select_option(label=HOSTILE["topic"])
    report.locator("#inspect-left").select_option("0")
    assert report.locator("h1").inner_text() == "A <b>bold</b> title"
    assert HOSTILE["run"] in shown(report, "#board tbody th")
    assert HOSTILE["topic"] in shown(report, "#heat tbody th")
    assert HOSTILE["aspect"] in report.locator(".ranking thead th b").all_text_contents()
    assert HOSTILE["document"] in shown(report, "#panels .panel:first-child td.doc")
    assert HOSTILE["run"] in report.locator("#chart-ranges svg text").all_text_contents()
    assert report.evaluate("typeof hacked") == "undefined"
    assert report.locator("img").count() == 0


def test_numbers_are_copied_as_csv_and_latex(watched: Any, address: str, study: Study) -> None:
    """What lands in the clipboard is the library's own export."""
    opened = watched.open(address, offline=True, permissions=["clipboard-read", "clipboard-write"])
    for form, text in (("csv", study.scores.to_csv(per_topic=False)), ("latex", study.scores.to_latex())):
        opened.locator(f"button[data-copy={form}]").click()
        opened.wait_for_function("() => document.getElementById('copied').textContent !== ''")
        assert opened.evaluate("navigator.clipboard.readText()") == text
        opened.evaluate("document.getElementById('copied').textContent = ''")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(watched: Any, address: str, scheme: str) -> None:
    """WCAG AA: every piece of text has a contrast of 4.5 or more with what stands behind it."""
    opened = watched.open(address, offline=True, color_scheme=scheme)
    opened.wait_for_selector("#chart-ranges svg")
    assert opened.locator("html").get_attribute("data-theme") == scheme
    assert opened.evaluate(CONTRAST) == []


def test_the_button_switches_light_and_dark(report: Any) -> None:
    """The button overrules the system's choice, charts included."""
    before = report.evaluate("getComputedStyle(document.querySelector('#chart-ranges svg text')).fill")
    report.locator("#theme").click()
    assert report.locator("html").get_attribute("data-theme") == "dark"
    assert report.evaluate("getComputedStyle(document.querySelector('#chart-ranges svg text')).fill") != before


def test_a_phone_scrolls_only_down(watched: Any, address: str) -> None:
    """At 390 pixels the page is as wide as the screen, and wide tables scroll by themselves."""
    opened = watched.open(address, offline=True, viewport={"width": 390, "height": 844})
    opened.wait_for_selector("#chart-ranges svg")
    assert opened.evaluate("document.documentElement.scrollWidth") == 390
    wide = "[...document.querySelectorAll('section')].filter(s => s.getBoundingClientRect().right > 390).length"
    assert opened.evaluate(wide) == 0


def test_paper_is_light_and_whole(report: Any) -> None:
    """In print there is no navigation, nothing scrolls, and dark colours turn light."""
    report.locator("#theme").click()
    report.emulate_media(media="print")
    assert not report.locator("header.top").is_visible()
    assert report.evaluate("getComputedStyle(document.getElementById('heat-scroll')).overflow") == "visible"
    assert report.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')").strip() == "#fdfdfc"


def test_one_run_and_one_metric_make_a_report(watched: Any, study: Study, tmp_path: Path) -> None:
    """Where nothing can be compared, the page says so and the rest stands."""
    alone = {order: listed[:1] for order, listed in study.rankings.items()}
    metrics = as_metrics("ERR_IA@20")
    single = Study.of(study.judgments, alone, metrics, study.options)
    path = tmp_path / "one.html"
    path.write_text(page(contents(single, axiom_seconds=0)), encoding="utf-8")
    opened = watched.open(path.as_uri(), offline=True)
    opened.wait_for_selector("#panels .curve svg")
    assert shown(opened, "#board tbody .value") == [f"{single.scores.means[0, 0]:.4f}"]
    assert "at least two runs" in opened.locator("#metrics-notes").inner_text()


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
