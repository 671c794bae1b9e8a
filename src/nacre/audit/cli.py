"""`nacre audit ...`: the command line with which a person checks and reads audit logs. It runs no command.

Above it: the command line. Below: `reading`, `report`. It reads logs, and writes reports only.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

from nacre.argument_parser import Parser, add_command
from nacre.audit.reading import (
    NO_END,
    Wanted,
    checked_lines,
    commands,
    follow,
    how_of,
    in_order,
    moment,
    what_of,
)
from nacre.errors import NacreError, RequestError
from nacre.model import Ended

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TAMPERED, USAGE_ERROR = 1, 2
SHOWN_PROBLEMS = 20
SHOWN_CHARACTERS = 100  # of a record that has one
ENDS = (
    *(Ended.EXITED, Ended.SIGNALED, Ended.TIMED_OUT, Ended.CANCELLED, Ended.STOPPED, Ended.SHELL_DIED),
    *("done", "not run", "crashed", "not recorded", NO_END),
)
LOOK_S = 0.25  # how often a log that is followed is looked at
COLUMNS = (("TIME", 24), ("ENDED", 18), ("TOOK", 10), ("CLIENT", 14), ("SESSION", 10), ("DIRECTORY", 24))


def parser() -> argparse.ArgumentParser:
    """The sub-commands, with their help."""
    top = Parser(prog="nacre audit", description="Check and read the files that --audit-log has written.")
    commands = top.add_commands()
    verify = add_command(
        commands, "verify", "check that no record was changed, removed or moved; exit code 1 if one was"
    )
    verify.add_argument("--expect", metavar="SEAL", help="a seal that was noted before, and must be there")
    show = add_command(commands, "show", "list the commands, one per line")
    _add_filters(show)
    show.add_argument("-n", "--last", metavar="COUNT", type=_count, help="only the last COUNT")
    show.add_argument("-f", "--follow", action="store_true", help="then print what is recorded from now on")
    show.add_argument("--starts", action="store_true", help="also the records of starts")
    show.add_argument("--json", action="store_true", help="as they stand in the file")
    report = add_command(commands, "report", "write a page to read in a browser")
    _add_filters(report)
    report.add_argument("--html", metavar="PAGE", required=True, help="the file that the page is written to")
    for subcommand in (verify, show, report):
        subcommand.add_argument(
            "file",
            nargs="*",
            metavar="LOG",
            help="audit logs, with those moved aside, in any order (default: the audit_log of your settings)",
        )
    return top


def _add_filters(to: argparse.ArgumentParser) -> None:
    when = "2026-11-17, 2026-11-17T08:30 (local, or with Z), or how long ago: 90m, 2h, 7d"
    to.add_argument("--session", metavar="NAME", help="only of this session")
    to.add_argument("--client", metavar="NAME", help="only of clients with this in their name")
    to.add_argument("--since", metavar="TIME", type=_moment, help=f"only from then on: {when}")
    to.add_argument("--until", metavar="TIME", type=_moment, help="only before then")
    to.add_argument(
        "--ended",
        metavar="HOW",
        type=_ended,
        help='only what ended like this: exited, timed_out, cancelled, stopped, "not run", "no end"',
    )
    to.add_argument("--text", metavar="TEXT", help="only with this in the command, in any case")
    to.add_argument("--denied", action="store_true", help="only what was refused or not permitted")
    to.add_argument("--failed", action="store_true", help="only what did not end with code 0")


def _moment(text: str) -> float:
    try:
        return moment(text)
    except ValueError:
        wrong = f"not a time: '{text}'; try 2026-11-17, 2026-11-17T08:30 or 2h"
        raise argparse.ArgumentTypeError(wrong) from None


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"no number of records: '{text}'; try 20")
    return int(text)


def _ended(text: str) -> str:
    if text not in ENDS:
        raise argparse.ArgumentTypeError(f"nothing ends as '{text}'; there are: {', '.join(ENDS)}")
    return text


def main(arguments: Sequence[str]) -> int:
    """Run one of the sub-commands; the exit code."""
    options = parser().parse_args(arguments)
    try:
        options.file = options.file or [_own_log()]
        return {"verify": verify, "show": show, "report": report}[options.subcommand](options)
    except BrokenPipeError:  # is about the terminal, and not about a log: `run_subcommand` deals with it
        raise
    except OSError as error:
        sys.stderr.write(f"nacre audit: {error.filename}: {error.strerror}\n")
        return USAGE_ERROR
    except NacreError as error:
        sys.stderr.write(f"nacre audit: {error}\n")
        return USAGE_ERROR


def _own_log() -> str:
    """The log that the person's settings name."""
    from nacre.settings import configuration, layers  # noqa: PLC0415  # needed only where no log is named

    log = configuration.configure(layers.load(None).table).audit_log
    if log is None:
        raise RequestError(
            "Your settings name no audit log.",
            hint="Name the file after the command, or set audit_log (`nacre config show`).",
        )
    return log


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def verify(options: argparse.Namespace) -> int:
    """Say what is wrong with the records, and the last seal."""
    records = problems = unsealed = 0
    last, expected = "", options.expect
    for path, line in checked_lines(options.file):
        records += line.record is not None
        unsealed += line.record is not None and not line.seal and not line.problem
        last = line.seal or last
        if line.seal == expected:
            expected = None
        if line.problem:
            problems += 1
            if problems <= SHOWN_PROBLEMS:
                _say(f"{path}, line {line.number}{_named(line.record)}: {line.problem}.")
    if expected is not None:
        problems += 1
        _say(f"The seal {expected} is not there: records are missing at the end.")
    older = f"; {unsealed} of them are older than the first seal, and prove nothing" if unsealed else ""
    _say(f"{records} records{older}. {_verdict(problems)} Last seal: {last or 'none'}")
    return TAMPERED if problems else 0


def _named(record: dict[str, Any] | None) -> str:
    """Which record it is, by its own account."""
    if record is None:
        return ""
    text = f"{record.get('time', '?')}, {what_of(record)}"
    shown = text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
    return f" ({printable(shown)})"


def _verdict(problems: int) -> str:
    if not problems:
        return "None was changed, removed or moved."
    return f"{problems} problem{'' if problems == 1 else 's'}."


def _wanted(options: argparse.Namespace) -> Wanted:
    names = ("session", "client", "since", "until", "ended", "text", "denied", "failed")
    return Wanted(**{name: getattr(options, name) for name in names})


def _records(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    return (line.record for _, line in checked_lines(paths) if line.record is not None)


def show(options: argparse.Namespace) -> int:
    """Print records, one on a line."""
    wanted = _wanted(options)
    *older, last = in_order(options.file)
    if options.follow:
        stream = follow(last)
        now = takewhile(lambda record: record is not None, stream)
        records = chain(_records(older), filter(None, now))
    else:
        stream, records = iter(()), _records(options.file)
    found = [each for each in (records if options.starts else commands(records)) if wanted.holds(each)]
    if not options.json:
        _say("  ".join(name.ljust(width) for name, width in COLUMNS) + "  COMMAND")
    for record in found[-options.last :] if options.last else found:
        _say(_shown(record, options))
    for record in stream:
        if record is None:
            sys.stdout.flush()
            time.sleep(LOOK_S)
        elif (options.starts or record.get("event") != "started") and wanted.holds(record):
            _say(_shown(record, options))
    return 0


def _shown(record: dict[str, Any], options: argparse.Namespace) -> str:
    return json.dumps(record, ensure_ascii=False) if options.json else as_text(record)


def as_text(record: dict[str, Any]) -> str:
    """A record on one line: when, how it ended, how long it took, who, where, and what it was."""
    started = record.get("event") == "started" and "ended" not in record
    took = f"{record['execution_time_ms']} ms" if "execution_time_ms" in record else ""
    values = (
        str(record.get("time", "?")),
        "started" if started else how_of(record),
        took.rjust(COLUMNS[2][1]),
        str(record.get("client", "")),
        str(record.get("session", "")),
        str(record.get("working_directory", "")),
    )
    cells = [text.ljust(width) for text, (_, width) in zip(values, COLUMNS, strict=True)]
    return printable("  ".join([*cells, what_of(record)]))


def printable(text: str) -> str:
    """Without what a terminal would obey."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def report(options: argparse.Namespace) -> int:
    """Write a page about the records."""
    from nacre.audit.report import page  # noqa: PLC0415  # only a report needs it

    wanted = _wanted(options)
    problems = 0

    def records() -> Iterator[dict[str, Any]]:
        nonlocal problems
        for _, line in checked_lines(options.file):
            problems += bool(line.problem)
            if line.record is not None:
                yield line.record

    found = [record for record in commands(records()) if wanted.holds(record)]
    with open(options.html, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(page(found, options.file, problems))
    _say(f"{options.html}: {len(found)} commands and other records.")
    if problems:
        _say(f"The logs have {problems} problems: `nacre audit verify` says which.")
    return 0
