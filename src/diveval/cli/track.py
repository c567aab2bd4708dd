"""`diveval track COMMAND`: a shared task in one folder, from the first submission to a record that anyone can verify."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common, track_assessment
from diveval.cli.parsing import format_error
from diveval.cli.track_parts import Answer, folder_of, head_of, make_report, open_track, refuse_task
from diveval.errors import DivevalError, UsageError, count_of, printable, quote

if TYPE_CHECKING:
    import datetime

    from diveval.validation.rules import FileVerdict

EXIT_CODES = "Exit codes: 0 done; 1 a submission was rejected or failed, or verify found a difference; 2 usage or unreadable input; 3 the record is broken; 4 inputs changed without a decision; 5 locked by another process; 130 interrupted."
DECISIONS = ["judged", "config", "withdraw", "restore", "exclude", "accept-late", "release", "note"]
EXPORTS = ["kit", "codabench", "evalai", "tira", "archive"]

ABOUT = f"A shared task in one folder. {EXIT_CODES}"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval track`."""
    _add_common(parser, None)
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)

    def verb(
        name: str, function: Callable[[argparse.Namespace], Answer], help: str, *, folder: bool = True
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = verbs.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        if folder:
            added.add_argument("folder", metavar="DIR", nargs="?", help="the track (default: the current folder)")
        _add_common(added, argparse.SUPPRESS)
        added.set_defaults(run=run, answer=function)
        return added

    _add_init(verb("init", _init, "make a new track: every key with its default, a secret, an empty record"))
    what = "list everything that is wrong with run files; writes nothing, needs no judgments"
    validate = verb("validate", _validate, what, folder=False)
    validate.add_argument("files", metavar="FILE", nargs="+", help="run files")
    _add_details(validate, "the track's folder or its kit.zip")
    add = verb("add", _add, "take submissions: store, record, validate, print a receipt", folder=False)
    add.add_argument("files", metavar="FILE", nargs="*", help="run files")
    _add_details(add, "the track's folder")
    add.add_argument("--priority", type=int, metavar="N", help="1 is the team's primary run (default: 1)")
    add.add_argument("--received", metavar="TIME", help="when it arrived, such as 2026-06-01T20:00:05Z (default: now)")
    add.add_argument("--inbox", action="store_true", help="take every file in inbox/<team>/ that is new")
    decide = verb("decide", _decide, "record a decision with its reason", folder=False)
    decide.add_argument("decision", choices=DECISIONS)
    decide.add_argument("submission", nargs="?", metavar="S0001", help="for decisions about a submission")
    decide.add_argument("--reason", metavar="TEXT", required=True, help="why; the site shows it")
    decide.add_argument("--erase", action="store_true", help="with withdraw: delete the bytes too")
    decide.add_argument(
        "--revalidate", action="store_true", help="with config: apply the new rules to earlier submissions"
    )
    track_assessment.declare(verb)
    score = verb("score", _score, "score all standing submissions against the judgments of record")
    score.add_argument("--only", metavar="S0001", nargs="+", default=[], help="preview of these, not recorded")
    rank = verb("rank", _rank, "make the leaderboard of a scoring")
    rank.add_argument("--scoring", metavar="R0001", help="default: the newest")
    site = verb(
        "site",
        _site,
        "write the static site: before release dates, rules and counts, then leaderboard, teams, runs, topics, history",
    )
    preview = "a preview for the organisers in private/site, with scores"
    site.add_argument("--private", action="store_true", help=preview)
    export = verb(
        "export",
        _export,
        "write the kit for participants, a bundle for a platform, or the archive of an edition",
        folder=False,
    )
    export.add_argument(
        "what",
        metavar="WHAT",
        choices=EXPORTS,
        help="kit, codabench, evalai, tira, or archive (the released edition for a repository that gives DOIs)",
    )
    export.add_argument("folder", metavar="DIR", nargs="?", help="the track (default: the current folder)")
    common.add_options(
        export, {"--with-held-back": "with judgments of held-back topics (evalai and tira, which can hide them)"}
    )
    verb("status", _status, "where the track is, what is due next, what is wrong, and how each team stands")
    verify = verb("verify", _verify, "recompute everything that the record names, and list what differs")
    verify.add_argument(
        "--head", metavar="HASH", help="fail unless a line of the record has this hash (from a receipt or the site)"
    )


def _add_common(parser: argparse.ArgumentParser, default: Any) -> None:
    """Options of every command. They may also precede its name: a command then must not reset them to a default."""
    add = parser.add_argument
    add("--track", metavar="DIR", default=default, help="the track (default: the current folder)")
    add("--task", metavar="TASK", default=default, help="in a track with tasks: which one, TASK or TASK/PHASE")
    add("--json", action="store_true", default=default or False, help="one JSON object on standard output")
    waiting = "how long to wait for another process that writes (default: 30)"
    add("--wait", type=float, default=default or 30.0, metavar="SECONDS", help=waiting)


def _add_init(parser: argparse.ArgumentParser) -> None:
    """What `init` writes into track.toml."""
    add = parser.add_argument
    add("--id", metavar="ID", help="default: the name of the folder")
    add("--title", metavar="TEXT", help="default: the id")
    add("--contact", metavar="ADDRESS", default="", help="contact address for participants")
    add("--opens", metavar="TIME", help="such as 2026-03-01T00:00:00Z (default: now)")
    add("--closes", metavar="TIME", help="default: in 90 days")
    add(
        "--topics",
        metavar="FILE",
        help="one id per line, JSON lines or TREC topics; copied to data/topics.txt (default: that file is yours to fill)",
    )
    add(
        "--documents",
        metavar="RULE",
        default="",
        help="pattern:REGEX, list:FILE or ir_datasets:ID (default: not checked)",
    )
    official = "the first one is official; may be repeated"
    add("-m", "--metric", dest="metrics", action="append", metavar="METRIC", default=[], help=official)


def _add_details(parser: argparse.ArgumentParser, track: str) -> None:
    """Options that describe a submitted run."""
    add = parser.add_argument
    next(action for action in parser._actions if action.dest == "track").help = f"{track} (default: the current folder)"
    add("--team", metavar="ID", help="the team, as in teams.toml")
    add("--name", metavar="NAME", help="the name of the run (default: the file name without its ending)")
    add("--type", metavar="TYPE", help="such as automatic or manual")
    add("--meta", metavar="FILE", help="metadata of the run (ir_metadata, YAML)")


def run(arguments: argparse.Namespace) -> int:
    """Answer, as text or as JSON; errors of a track have exit codes of their own."""
    try:
        code, shape, lines = arguments.answer(arguments)
    except DivevalError as error:
        code = error.exit_code
        print(format_error(error, sys.stderr), file=sys.stderr)
        shape, lines = {**error.as_json(), "exit_code": code}, []
    if arguments.json:
        shape = {"schema": f"diveval.track.{arguments.verb}/1", **shape}
        lines = json.dumps(shape, indent=1, allow_nan=False).split("\n")
    if lines:
        common.say("\n".join(map(printable, lines)))  # a file's name may have line ends
    return int(code)


def _time(text: str, option: str) -> datetime.datetime:
    from diveval.tracks.submission_verdicts import moment

    try:
        return moment(text)
    except ValueError:
        example = "2026-03-01T00:00:00Z"
        raise UsageError(
            "wrong-value", f"{option} is a time with an offset, such as {example}, got {quote(text)}"
        ) from None


# --- one function per command -----------------------------------------------------------------------------------------


def _init(arguments: argparse.Namespace) -> Answer:
    import datetime

    from diveval.reading.source import Source
    from diveval.tracks.record import now
    from diveval.tracks.skeleton import init

    refuse_task(arguments)
    folder = folder_of(arguments)
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
    topics = None
    if arguments.topics:
        with Source.of(arguments.topics).open() as opened:
            topics = opened.seekable().read()
    written = init(folder, chosen, topics, wait=arguments.wait)
    edit = "teams.toml" if arguments.topics else "data/topics.txt and teams.toml"
    decide = "" if arguments.topics else "`diveval track decide config --reason TEXT`, "
    lines = [
        f"{folder}: {', '.join(written)}",
        f"next: edit {edit}, then {decide}`diveval track export kit` and `diveval track site`",
    ]
    return 0, {**head_of(open_track(arguments)), "written": written}, lines


def _offers(arguments: argparse.Namespace) -> list[Any]:
    from diveval.tracks.submissions import Offer

    if len(arguments.files) > 1 and (arguments.name or arguments.meta):
        raise UsageError("option-not-applicable", "--name and --meta are for one file")
    meta = Path(arguments.meta) if arguments.meta else None
    priority = getattr(arguments, "priority", None)
    return [Offer(Path(f), arguments.team, arguments.name, arguments.type, priority, meta) for f in arguments.files]


def _validate(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.kit import open_rules
    from diveval.tracks.submissions import check

    with open_rules(folder_of(arguments), arguments.task or "") as (rules, head):
        verdicts = [check(rules, offer)[0] for offer in _offers(arguments)]
        track = rules.config.id
    lines = [line for verdict in verdicts for line in [*verdict.lines(), _summary(verdict)]]
    shape = {"track": track, "record": head, "verdicts": [verdict.as_json(track) for verdict in verdicts]}
    return int(any(verdict.verdict == "rejected" for verdict in verdicts)), shape, lines


def _summary(verdict: FileVerdict) -> str:
    counts = [(kind, count) for kind, count in verdict.counts().items() if count]
    numbers = [("line", verdict.facts.lines), ("topic", verdict.facts.topics), *counts]
    listed = ", ".join(f"{count} {what}{'s' if count != 1 else ''}" for what, count in numbers)
    return f"{verdict.file}: {verdict.verdict} ({listed})"


def _add(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.submissions import Taken, add, take_inbox

    track = open_track(arguments, whole=arguments.inbox)
    if arguments.inbox == bool(arguments.files):
        raise UsageError("missing-argument", "name files, or take what is in the inbox with --inbox")
    about = [name for name in ("team", "name", "type", "meta", "priority") if getattr(arguments, name) is not None]
    if arguments.inbox and about:
        raise UsageError(
            "option-not-applicable",
            f"--{about[0]} is for files named here",
            hint="in the inbox it follows from folder and file name",
        )
    received = _time(arguments.received, "--received") if arguments.received else None
    if arguments.inbox:
        taken = take_inbox(track, received=received, wait=arguments.wait)
    else:
        taken = Taken(add(track, _offers(arguments), received=received, wait=arguments.wait))
    lines = []
    for receipt in taken.receipts:
        if receipt.again:
            lines.append(f"{receipt.verdict.file}: is {receipt.submission} again: nothing added")
            continue
        lines += receipt.verdict.lines()
        lines.append(f"{receipt.submission}  {_summary(receipt.verdict)}{', late' if receipt.late else ''}")
        lines += [f"{receipt.submission} replaces {other}" for other in receipt.replaces]
        lines += [f"{other} stays: {receipt.submission} is late and does not replace it" for other in receipt.kept]
        lines.append(f"receipt: {receipt.submission} seq {receipt.seq} hash {receipt.hash}")
        lines += [f"best score on open topics so far: {receipt.feedback}"] if receipt.feedback is not None else []
        lines += [f"for the organisers: {note}" for note in receipt.notes]
    lines += taken.left + [f"refused: {why}" for why in taken.refused]
    receipts = [receipt.as_json() for receipt in taken.receipts]
    shape = {**head_of(track), "receipts": receipts, "left": taken.left, "refused": taken.refused}
    rejected = any(not r.again and r.verdict.verdict == "rejected" for r in taken.receipts)
    return int(rejected or bool(taken.refused)), shape, lines or ["nothing to take"]


def _decide(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.decisions import decide
    from diveval.tracks.submission_verdicts import list_stranded

    track = open_track(arguments, whole=arguments.decision not in ("judged", "release"))
    before = {given.id for view in track.views() for given in list_stranded(view)}
    events = decide(
        track,
        arguments.decision,
        arguments.submission,
        reason=arguments.reason,
        erase=arguments.erase,
        revalidate=arguments.revalidate,
        wait=arguments.wait,
    )
    keys = ("event", "task", "submission", "section", "scoring")
    lines = [f"seq {event['seq']}: {' '.join(event[key] for key in keys if key in event)}" for event in events]
    stranded = [given for view in track.views() for given in list_stranded(view) if given.id not in before]
    shape = {**head_of(track), "event": events[0] if events else None, "events": events}
    shape["stranded"] = [given.id for given in stranded]
    notes = [
        f"note: no run of its name stands now; {given.id}, which {given.newer} replaced, counts after `decide restore {given.id}`"
        for given in stranded
    ]
    return 0, shape, [*lines, *notes] or ["nothing changed: there was nothing to decide"]


def _score(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.scorings import preview_scores, score

    track = open_track(arguments)
    if arguments.only:
        scores, failed = preview_scores(track, arguments.only)
        shape: dict[str, Any] = {"scoring": None, "scored": [], "failed": sorted(failed), "means": None}
        lines = ["no open topic is judged, so there is nothing to show before release"]
        if scores is not None:
            shape |= {"scored": list(scores.runs), "means": scores.mean()}
            lines = scores.to_csv(per_topic=False).splitlines()
    else:
        new, failed, lines = score(track, wait=arguments.wait)
        event = new or track.state.scored[-1]
        name, scored = event["scoring"], event["submissions"]
        lines.append(f"{name}: {len(scored)} submissions scored" if new else f"nothing new to score since {name}")
        shape = {"scoring": name, "scored": scored, "failed": event["failed"], "new": new is not None}
    lines += [f"{name}: failed: {why}" for name, why in failed.items()]
    return int(bool(failed)), {**head_of(track), **shape}, lines


def _rank(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.leaderboard import rank

    track = open_track(arguments)
    board, new = rank(track, arguments.scoring, wait=arguments.wait)
    name = board["scoring"]
    written = f"boards/{name}.json: {count_of(len(board['rows']), 'row')}, {len(board['unranked'])} without a rank"
    written += "" if new else " (unchanged)"
    judged = next(event["judged"] for event in track.state.scored if event["scoring"] == name)
    if track.record.events[judged].get("held_back") and not track.has_released(name):
        hidden = "not shown before release: its numbers come from held-back topics too"
        return 0, {**head_of(track), "scoring": name, "leaderboard": None, "hidden": hidden}, [written, hidden]
    digits = track.config["scoring.digits"]
    lines = [
        f"{row['rank'] or '–':>4}  {row['value']:.{digits}f}  {row['group'] or '':<4}  {row['submission']}  {row['name']} ({row['team']})"
        for row in board["rows"]
    ]
    lines += [
        f"   –  {entry['submission']}  {entry['team']}: {entry['status']}, {entry['why']}"
        for entry in board["unranked"]
    ]
    return 0, {**head_of(track), "scoring": name, "leaderboard": board}, [*lines, written]


def _export(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.exports import export

    track = open_track(arguments, whole=True)
    files = export(track, arguments.what, with_held_back=arguments.with_held_back)
    return 0, {**head_of(track), "files": files}, [f"{file['sha256'][:12]}  {file['name']}" for file in files]


def _site(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.site import site

    refuse_task(arguments)
    track = open_track(arguments, whole=True)
    place, pages = site(track, private=arguments.private, report=make_report)
    shape = {**head_of(track), "place": place, "pages": pages}
    return 0, shape, [f"{place}: {len(pages)} pages, head {track.record.head}"]


def _status(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.status import status_of

    track = open_track(arguments, whole=True)
    found = {view.task: status_of(view) for view in track.views()}
    lines = [f"{track.config.id}: {track.config['track.title']}"]
    for task, status in found.items():
        lines += ([] if task == track.task else ["", f"task {task}"]) + status.lines()
    shape = {task: status.as_json() for task, status in found.items()}
    return 0, {**head_of(track), **shape.get(track.task, {"tasks": shape})}, lines


def _verify(arguments: argparse.Namespace) -> Answer:
    from diveval.tracks.verification import verify

    refuse_task(arguments)
    head, items = verify(folder_of(arguments), arguments.head)
    bad = [item for item in items if item["result"] == "differs"]
    lines = [
        f"{item['result']:<16}  {item['what']}" + (f": {item['why']}" if item.get("why") else "") for item in items
    ]
    lines.append(f"{len(items)} items, {len(bad)} differ" if bad else f"{len(items)} items, none differs")
    if arguments.head is None:
        lines.append("not checked: whether the end of the record was cut off; give the hash of a receipt with --head")
    return int(bool(bad)), {**head, "head_checked": arguments.head is not None, "items": items}, lines
