"""Every sentence that a report or its page generates opens the facts and rows that it follows from."""

from __future__ import annotations

from typing import Any

import numpy as np

from diveval.scoring.study import Evaluation
from support.pages import settled

OPEN = """() => [...document.querySelectorAll('details.evidence-of')].map((one) => {
  for (let up = one; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
  return one.dataset.kinds;
})"""
READ = """() => [...document.querySelectorAll('details.evidence-of')].map((one) => [...one.querySelectorAll('.said')].map((said) => {
  const parts = [];
  for (let next = said.nextElementSibling; next && !next.matches('.said'); next = next.nextElementSibling) parts.push(next);
  const facts = parts.find((part) => part.matches('dl')), table = parts.find((part) => part.querySelector('table'));
  return {
    kind: said.dataset.kind,
    text: said.textContent,
    facts: Object.fromEntries([...facts.querySelectorAll('dt')].map((name) => [name.textContent, name.nextSibling.textContent])),
    rows: table ? table.querySelectorAll('tbody tr').length : 0,
    head: table ? [...table.querySelectorAll('th')].map((cell) => cell.textContent) : [],
    cells: table ? [...table.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)) : [],
    shown: one.offsetParent !== null && one.getBoundingClientRect().height > 20,
  };
}))"""
# Text with a number or the name of a system that is neither in a sentence with evidence nor static help, data or settings.
BARE = """(names) => {
  const data = 'table, svg, dl, .evidence-of, #made, .what, .key, .controls, .notes, .topic-text, .evidence, output, code, #summary, #pair-order details';
  const found = [];
  for (const one of document.querySelectorAll('main p, main li, main h2')) {
    if (one.closest(data) || one.closest('.told') || one.querySelector('p, .told, .behind')) continue;
    if (one.tagName === 'H2' && one.nextElementSibling?.matches('.evidence-of')) continue;
    const text = one.textContent;
    if (/[0-9]/.test(text) || names.some((name) => text.includes(name))) found.push([one.tagName, text.slice(0, 160)]);
  }
  return found;
}"""


def opened(page: Any) -> list[dict[str, Any]]:
    """Every statement of the page with what its evidence shows."""
    settled(page)
    page.evaluate(OPEN)
    settled(page)
    return [one for listed in page.evaluate(READ) for one in listed]


def choose(page: Any, study: Evaluation) -> None:
    """Let the page compute its own sentences: about two systems and, in the view on conclusions, about one."""
    page.locator("#board tbody th button").first.click()
    run, other = study.scores.runs[0], study.scores.runs[2]
    page.select_option("#inspect-left", run)
    settled(page)
    page.select_option("#inspect-right", other)
    settled(page)


def test_each_sentence_opens_its_evidence(report: Any, study: Evaluation) -> None:
    """A click shows kind, facts and rows of each; no sentence about systems or numbers is without."""
    choose(report, study)
    told = opened(report)
    kinds = {one["kind"] for one in told}
    views = {"best-mean", "first-system", "pool-effect", "topics-apart", "document-gap", "best-stop", "surely-beats"}
    assert views | {"conclusions-counted", "alike", "conclusions-hold"} <= kinds and len(told) > 20
    for one in told:
        assert one["shown"] and one["text"] and one["facts"] and one["rows"], one
    bare = report.evaluate(BARE, list(study.scores.runs))
    assert bare == [], "\n".join(map(str, bare))


def test_sentences_of_the_page_are_true(report: Any, study: Evaluation) -> None:
    """What the page computes itself is recomputed from the scores: who is alike, the topics two metrics part on, gaps."""
    choose(report, study)
    scores = study.scores
    by = {one["kind"]: one for one in opened(report)}
    facts, cells = by["topics-apart"]["facts"], by["topics-apart"]["cells"]
    a, b = (scores.runs.index(facts[name]) for name in ("run", "beside"))
    gaps = [scores.array(facts[name]) for name in ("metric", "other")]
    one, two = (gap[a] - gap[b] for gap in gaps)
    for topic, first, second in cells:
        t = scores.topics.index(topic)
        assert np.allclose((one[t], two[t]), (float(first), float(second)), atol=1e-4)
    opposite = [topic for t, topic in enumerate(scores.topics) if one[t] > 0 > two[t]]
    apart = one / one.std() - two / two.std()
    order = [scores.topics[t] for t in np.argsort(-apart, kind="stable") if apart[t] > 0]
    named = [topic for topic in order if topic in opposite] if opposite else order
    assert facts["opposite"] == str(bool(opposite)).lower()
    assert facts["topics"] == str(named[:5]).replace("'", '"').replace(", ", ",")
    gap = by["document-gap"]["facts"]
    topic = report.locator("#inspect-topic").input_value()
    t = scores.topics.index(topic)
    values = scores.array(gap["metric"])[:, t]
    for name, end in (("run", "to"), ("other", "from")):
        assert abs(values[scores.runs.index(gap[name])] - float(gap[end])) < 1e-3
    parts = sum(float(row[-1]) for row in by["document-gap"]["cells"])
    assert abs(parts - float(gap["to"]) + float(gap["from"])) < 2e-3
