"""`diveval track COMMAND`: a shared task in one folder, from the first submission to a record that anyone can verify."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.track_options import add_common, add_details, register_init
from diveval.errors import DivevalError, UsageError, count_of, shown

if TYPE_CHECKING:
    import datetime

    from diveval.tracks.folder import Track

EXIT_CODES = "Exit codes: 0 done; 1 a submission was rejected or failed, or verify found a difference; 2 usage or unreadable input; 3 the record is broken; 4 inputs changed without a decision; 5 locked by another process; 130 interrupted."
Answer = tuple[int, dict[str, Any], list[str]]  # exit code, JSON, lines of text


def register(subparsers: common.Subparsers) -> None:
    """Declare the command and its verbs."""
    parser = subparsers.add_parser(
        "track",
        help="run a shared task from one folder: submissions, scores, leaderboard, site, record",
        description=f"A shared task in one folder. {EXIT_CODES}",
    )
    add_common(parser, None)
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)

    def verb(
        name: str, function: Callable[[argparse.Namespace], Answer], help: str, *, folder: bool = True
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = verbs.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        if folder:
            added.add_argument("folder", metavar="DIR", nargs="?", help="the track (default: the current folder)")
        add_common(added, argparse.SUPPRESS)
        added.set_defaults(run=run, answer=function)
        return added

    register_init(verb("init", _init, "make a new track: every key with its default, a secret, an empty record"))
    validate = verb(
        "validate",
        _validate,
        "say everything that is wrong with run files; writes nothing, needs no judgments",
        folder=False,
    )
    validate.add_argument("files", metavar="FILE", nargs="+", help="run files")
    add_details(validate, "the track's folder or its kit.zip")
    add = verb("add", _add, "take submissions: store, record, validate, print a receipt", folder=False)
    add.add_argument("files", metavar="FILE", nargs="*", help="run files")
    add_details(add, "the track's folder")
    add.add_argument("--priority", type=int, metavar="N", help="1 is the team's primary run (default: 1)")
    add.add_argument("--received", metavar="TIME", help="when it arrived, such as 2026-06-01T20:00:05Z (default: now)")
    add.add_argument("--inbox", action="store_true", help="take every file in inbox/<team>/ that is new")
    decide = verb("decide", _decide, "record a decision with its reason", folder=False)
    decide.add_argument(
        "decision", choices=["judged", "config", "withdraw", "restore", "exclude", "accept-late", "release", "note"]
    )
    decide.add_argument("submission", nargs="?", metavar="S0001", help="for decisions about a submission")
    decide.add_argument("--reason", metavar="TEXT", required=True, help="why; the site shows it")
    decide.add_argument("--erase", action="store_true", help="with withdraw: delete the bytes too")
    decide.add_argument(
        "--revalidate", action="store_true", help="with config: apply the new rules to earlier submissions"
    )
    score = verb("score", _score, "score all standing submissions against the judgments of record")
    score.add_argument("--only", metavar="S0001", nargs="+", default=[], help="preview of these, not recorded")
    rank = verb("rank", _rank, "make the leaderboard of a scoring")
    rank.add_argument("--scoring", metavar="R0001", help="default: the newest")
    site = verb(
        "site",
        _site,
        "write the static site: before release dates, rules and counts, then leaderboard, teams, runs, topics, history",
    )
    site.add_argument(
        "--private", action="store_true", help="a preview for the organisers in private/site, with scores"
    )
    export = verb("export", _export, "write the kit for participants, or a bundle for a platform", folder=False)
    export.add_argument(
        "what", metavar="WHAT", choices=["kit", "codabench", "evalai", "tira"], help="kit, codabench, evalai or tira"
    )
    export.add_argument("folder", metavar="DIR", nargs="?", help="the track (default: the current folder)")
    export.add_argument(
        "--with-held-back",
        action="store_true",
        help="with judgments of held-back topics (evalai and tira, which can hide them)",
    )
    verify = verb("verify", _verify, "recompute everything that the record names, and say what differs")
    verify.add_argument(
        "--head", metavar="HASH", help="fail unless a line of the record has this hash (from a receipt or the site)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer, as text or as JSON; errors of a track have exit codes of their own."""
    try:
        answer: Answer = arguments.answer(arguments)
    except DivevalError as error:
        code = int(getattr(error, "code", 2))
        print(f"diveval: {error}", file=sys.stderr)
        if arguments.json:
            _print_json({"schema": f"diveval.track.{arguments.verb}/1", "error": str(error), "code": code})
        return code
    code, shape, lines = answer
    if arguments.json:
        _print_json({"schema": f"diveval.track.{arguments.verb}/1", **shape})
    else:
        common.say("\n".join(lines))
    return code


def _print_json(shape: dict[str, Any]) -> None:
    common.say(json.dumps(shape, indent=1, allow_nan=False))


def _folder(arguments: argparse.Namespace) -> Path:
    given = getattr(arguments, "folder", None)
    if given and arguments.track and Path(given) != Path(arguments.track):
        raise UsageError(f"two tracks are named: {shown(given)} and {shown(arguments.track)}")
    return Path(arguments.track or given or ".")


def _track(arguments: argparse.Namespace) -> Track:
    from diveval.tracks.folder import Track

    return Track(_folder(arguments))


def _head(track: Track) -> dict[str, Any]:
    """The track and the head of its record, as every JSON answer has them."""
    record = track.record
    return {"track": track.config.id, "record": {"seq": len(record.events) - 1, "hash": record.head}}


def _time(text: str, option: str) -> datetime.datetime:
    from diveval.tracks.admissions import moment

    try:
        return moment(text)
    except ValueError:
        example = "2026-03-01T00:00:00Z"
        raise UsageError(f"{option} is a time with an offset, such as {example}, got {shown(text)}") from None


# --- one function per command -----------------------------------------------------------------------------------------


def _init(arguments: argparse.Namespace) -> Answer:
    import datetime

    from diveval.tracks.record import now
    from diveval.tracks.skeleton import init
    from diveval.tracks.submissions import read_bytes

    folder = _folder(arguments)
    opens = _time(arguments.opens, "--opens") if arguments.opens else now().replace(microsecond=0)
    closes = _time(arguments.closes, "--closes") if arguments.closes else opens + datetime.timedelta(days=90)
    name = arguments.id or folder.resolve().name
    metrics = arguments.metrics or common.DEFAULT_METRICS
    chosen = {
        "track.id": name,
        "track.title": arguments.title or name,
        "track.contact": arguments.contact,
        "dates.opens": opens,
        "dates.closes": closes,
        "data.documents": arguments.documents,
        "scoring.metrics": metrics,
        "scoring.official": metrics[0],
    }
    topics = read_bytes(Path(arguments.topics)) if arguments.topics else None
    written = init(folder, chosen, topics, wait=arguments.wait)
    from diveval.tracks.folder import Track

    track = Track(folder)
    edit = "teams.toml" if arguments.topics else "data/topics.txt and teams.toml"
    decide = "" if arguments.topics else "`diveval track decide config --reason TEXT`, "
    lines = [
        f"{folder}: {', '.join(written)}",
        f"next: edit {edit}, then {decide}`diveval track export kit` and `diveval track site`",
    ]
    return 0, {**_head(track), "written": written}, lines


def _offers(arguments: argparse.Namespace) -> list[Any]:
    from diveval.tracks.submissions import Offer

    if len(arguments.files) > 1 and (arguments.name or arguments.meta):
        raise UsageError("--name and --meta are for one file")
    meta = Path(arguments.meta) if arguments.meta else None
    priority = getattr(arguments, "priority", None)
    return [Offer(Path(f), arguments.team, arguments.name, arguments.type, priority, meta) for f in arguments.files]


def _validate(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.kit import open_rules
    from diveval.tracks.submissions import check

    with open_rules(_folder(arguments)) as (rules, head):
        verdicts = [check(rules, offer)[0] for offer in _offers(arguments)]
        track = rules.config.id
    lines = [line for verdict in verdicts for line in [*verdict.lines(), _summary(verdict)]]
    shape = {"track": track, "record": head, "verdicts": [verdict.as_json(track) for verdict in verdicts]}
    return int(any(verdict.verdict == "rejected" for verdict in verdicts)), shape, lines


def _summary(verdict: Any) -> str:
    counts = [f"{count} {kind}{'s' if count != 1 else ''}" for kind, count in verdict.counts().items() if count]
    facts = verdict.facts
    sizes = (facts.lines, "line"), (facts.topics, "topic")
    held = ", ".join(f"{n} {what}{'s' if n != 1 else ''}" for n, what in sizes)
    return f"{verdict.file}: {verdict.verdict} ({', '.join([held, *counts])})"


def _add(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.submissions import add, inbox

    track = _track(arguments)
    if arguments.inbox == bool(arguments.files):
        raise UsageError("name files, or take what is in the inbox with --inbox")
    about = [name for name in ("team", "name", "type", "meta", "priority") if getattr(arguments, name) is not None]
    if arguments.inbox and about:
        raise UsageError(f"--{about[0]} is about one file; in the inbox the folder and the file name say it")
    offers, left = inbox(track) if arguments.inbox else (_offers(arguments), [])
    received = _time(arguments.received, "--received") if arguments.received else None
    receipts = add(track, offers, received=received, wait=arguments.wait)
    lines = []
    for receipt in receipts:
        if receipt.again:
            lines.append(f"{receipt.verdict.file}: is {receipt.submission} again: nothing added")
            continue
        lines += [
            *receipt.verdict.lines(),
            f"{receipt.submission}  {_summary(receipt.verdict)}{', late' if receipt.late else ''}",
        ]
        lines.append(f"receipt: {receipt.submission} seq {receipt.seq} hash {receipt.hash}")
        lines += [f"best score told on open topics: {receipt.feedback}"] if receipt.feedback is not None else []
        lines += [f"for the organisers: {note}" for note in receipt.notes]
    shape = {**_head(track), "receipts": [receipt.as_json() for receipt in receipts], "left": left}
    new = [receipt for receipt in receipts if not receipt.again]
    return int(any(r.verdict.verdict == "rejected" for r in new)), shape, [*lines, *left] or ["nothing to take"]


def _decide(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.decisions import decide

    track = _track(arguments)
    events = decide(
        track,
        arguments.decision,
        arguments.submission,
        reason=arguments.reason,
        erase=arguments.erase,
        revalidate=arguments.revalidate,
        wait=arguments.wait,
    )
    lines = [
        f"seq {event['seq']}: {event['event']}"
        + "".join(f" {event[k]}" for k in ("submission", "section", "scoring") if k in event)
        for event in events
    ]
    shape = {**_head(track), "event": events[0] if events else None, "events": events}
    return 0, shape, lines or ["nothing changed: there was nothing to decide"]


def _score(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.scoring import preview, score

    track = _track(arguments)
    if arguments.only:
        scores, failed = preview(track, arguments.only)
        text = (
            "no open topic is judged, so there is nothing to show before release"
            if scores is None
            else scores.to_csv(per_topic=False).rstrip()
        )
        shape = {
            **_head(track),
            "scoring": None,
            "scored": [] if scores is None else list(scores.runs),
            "failed": sorted(failed),
            "means": None if scores is None else scores.mean(),
        }
        return int(bool(failed)), shape, [text, *(f"{name}: failed: {why}" for name, why in failed.items())]
    event, scoring, done = score(track, wait=arguments.wait)
    if event is None or scoring is None:
        last = track.state.scored[-1]
        shape = {
            **_head(track),
            "scoring": last["scoring"],
            "scored": last["submissions"],
            "failed": last["failed"],
            "new": False,
        }
        return 0, shape, [*done, f"nothing new to score since {last['scoring']}"]
    shape = {
        **_head(track),
        "scoring": event["scoring"],
        "scored": event["submissions"],
        "failed": event["failed"],
        "new": True,
    }
    lines = [
        *done,
        f"{event['scoring']}: {len(event['submissions'])} submissions scored",
        *(f"{name}: failed: {why}" for name, why in scoring.failed.items()),
    ]
    return int(bool(scoring.failed)), shape, lines


def _rank(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.ranking import rank

    track = _track(arguments)
    board, new = rank(track, arguments.scoring, wait=arguments.wait)
    name = board["scoring"]
    written = f"boards/{name}.json: {count_of(len(board['rows']), 'row')}, {len(board['unranked'])} without a rank" + (
        "" if new else " (unchanged)"
    )
    if track.config["data.held_back"] and not track.released:
        hidden = "not shown before release: its numbers come from held-back topics too"
        return 0, {**_head(track), "scoring": name, "leaderboard": None, "hidden": hidden}, [written, hidden]
    digits = track.config["scoring.digits"]
    lines = [
        f"{row['rank'] or '–':>4}  {row['value']:.{digits}f}  {row['group'] or '':<4}  {row['submission']}  {row['name']} ({row['team']})"
        for row in board["rows"]
    ]
    lines += [
        f"   –  {entry['submission']}  {entry['team']}: {entry['status']}, {entry['why']}"
        for entry in board["unranked"]
    ]
    return 0, {**_head(track), "scoring": name, "leaderboard": board}, [*lines, written]


def _export(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.exports import export

    track = _track(arguments)
    files = export(track, arguments.what, with_held_back=arguments.with_held_back)
    return 0, {**_head(track), "files": files}, [f"{file['sha256'][:12]}  {file['name']}" for file in files]


def _site(arguments: argparse.Namespace) -> Answer:
    from diveval.cli.track_report import report_of
    from diveval.tracks.site import site

    track = _track(arguments)
    place, pages = site(track, private=arguments.private, report=report_of if track.config["site.report"] else None)
    shape = {**_head(track), "place": place, "pages": pages}
    return 0, shape, [f"{place}: {len(pages)} pages, head {track.record.head}"]


def _verify(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.verification import verify

    head, items = verify(_folder(arguments), arguments.head)
    bad = [item for item in items if item["result"] == "differs"]
    lines = [
        f"{item['result']:<16}  {item['what']}" + (f": {item['why']}" if item.get("why") else "") for item in items
    ]
    lines.append(f"{len(items)} items, {len(bad)} differ" if bad else f"{len(items)} items, none differs")
    return int(bool(bad)), {**head, "items": items}, lines
