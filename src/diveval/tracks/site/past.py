"""The pages on what has been: leaderboards as they were, and the record of every event."""

from __future__ import annotations

from typing import Any

from diveval.tracks.record import Event
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import Markup, el, facts, joined, link, section, table
from diveval.tracks.site.pages import REASONED, event_row

FEW = 5


def history(edition: Edition) -> Markup:
    """Every scoring and edition: what changed, why, and who moved."""
    record, parts = edition.track.record, []
    released = {event["scoring"]: (n, event) for n, event in enumerate(edition.state.released, 1)}
    before, since = None, 0
    for event in edition.scored_until:
        causes = [e for e in record.events[since : event["seq"]] if e["event"] in REASONED]
        board = edition.board_at(event)
        versions = ", ".join(f"{name} {version}" for name, version in sorted(event["versions"].items()))
        shape: list[tuple[str, object]] = [
            ("Scored", event["at"]),
            ("Judgments", f"event {event['judged']}: {record.events[event['judged']]['reason']}"),
            ("Submissions", f"{len(event['submissions'])} scored, {len(event['failed'])} failed"),
            ("Versions", versions),
            ("Metrics' fingerprint", event["probe"]),
        ]
        if event["scoring"] in released:
            number, edited = released[event["scoring"]]
            shape.append(("Released", f"edition {number}, {edited['at']}: {edited['reason']}"))
        parts.append(
            section(
                f"Scoring {event['scoring']}",
                facts(shape),
                _causes(causes),
                _moves(edition, before, board) if before is not None else None,
            )
        )
        before, since = board, event["seq"] + 1
    return joined(*reversed(parts)) if parts else el("p", "Nothing is scored yet.")


def _causes(events: list[Event]) -> Markup | None:
    if not events:
        return None
    return joined(
        el("h3", "What changed before it"),
        table(["Event", "Time (UTC)", "Decision", "Reason"], map(event_row, events)),
    )


def _moves(edition: Edition, old: dict[str, Any], new: dict[str, Any]) -> Markup:
    """Rows whose rank or place on the board changed."""
    places = [{row["submission"]: row for row in board["rows"]} for board in (old, new)]
    why = {entry["submission"]: f"{entry['status']}, {entry['why']}" for entry in new["unranked"]}
    rows = []
    for name in sorted(places[0].keys() | places[1].keys()):
        was, now = (side.get(name) for side in places)
        if was and now and (was["rank"], was["position"]) == (now["rank"], now["position"]):
            continue
        rows.append([edition.run_name(name), _place(was), _place(now) if now else why.get(name, "gone")])
    if not rows:
        return el("p", "Nobody moved.")
    return joined(el("h3", "Who moved"), table(["Run", "Before", "After"], rows))


def _place(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not on the board"
    rank = "no rank" if row["rank"] is None else f"rank {row['rank']}"
    return f"{rank}, position {row['position']}"


def record(edition: Edition, *, data: bool) -> Markup:
    """The head of the record, how to verify, and every event. A record holds no name and no score."""
    known = edition.track.record
    rows = []
    for event in known.events:
        more = [
            f"{key} {event[key]}" for key in ("submission", "section", "verdict", "scoring", "newer") if key in event
        ]
        rows.append(
            [
                event["seq"],
                event["at"],
                event["event"],
                ", ".join(more),
                el("span", known.hashes[event["seq"]][:16], class_="hash"),
            ]
        )
    how = el("pre", f"diveval track verify data --head {known.head}")
    downloads = (
        el("p", link("record.jsonl", "data/record.jsonl"), " · ", link("SHA256SUMS", "data/SHA256SUMS"))
        if data
        else None
    )
    return joined(
        facts([("Head", el("span", known.head, class_="hash")), ("Events", len(known.events))]),
        downloads,
        section(
            "Verify",
            el(
                "p",
                "Every event contains the hash of the one before. To compute verdicts, scores and"
                " leaderboards again from the published files, go to the folder of this site and run",
            ),
            how,
            el("p", "A team that kept its receipt can give its hash after --head: it must be in the record."),
        ),
        section("Events", table(["Event", "Time (UTC)", "What", "About", "Hash"], rows)),
    )
