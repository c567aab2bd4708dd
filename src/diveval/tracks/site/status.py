"""The status of a submission in words: its place on the board, or why it has none."""

from __future__ import annotations

from typing import Any

from diveval.tracks.record import Submission
from diveval.tracks.site.edition import Edition
from diveval.tracks.submission_verdicts import recall_verdict
from diveval.validation.rules import RULES


def status_words(edition: Edition, given: Submission) -> str:
    """The rank of a run, or its status with the reason."""
    board = edition.board
    if board is None:
        late = ", late" if given.late else ""
        return (given.standing if given.accepted else "–") + late
    for row in board["rows"]:
        if row["submission"] == given.id:
            return f"rank {row['rank']}" if row["rank"] is not None else str(row["status"])
    entry = next((e for e in board["unranked"] if e["submission"] == given.id), None)
    return f"{entry['status']}: {reason_of(edition, entry)}" if entry else "after this scoring"


def reason_of(edition: Edition, entry: dict[str, Any]) -> str:
    """Why a submission has no rank. A board counts the errors of a rejected one; here they are named.

    Findings quote the file, which is not published: everyone sees the rules that were broken.
    """
    given = edition.state.submissions[entry["submission"]]
    if entry["status"] != "rejected" or given.erased:
        return str(entry["why"])
    errors = [finding for finding in recall_verdict(edition.track, given).findings if finding.severity == "error"]
    if not errors:
        return str(entry["why"])
    if edition.shows(given):
        return f"{errors[0].rule} {errors[0].message}" + (f", and {len(errors) - 1} more" if len(errors) > 1 else "")
    broken = dict.fromkeys(finding.rule for finding in errors)
    return "rules not met: " + ", ".join(f"{rule} ({RULES[rule].text.rstrip('.')})" for rule in broken)
