"""`nacre audit ...`: the command line with which a person checks and reads audit logs. It runs no command.

Above it: the command line. Below: `audit_chain`. It only reads files.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from nacre.audit_chain import check_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.audit_chain import Checked

TAMPERED, USAGE_ERROR = 1, 2
SHOWN_PROBLEMS = 20


def parser() -> argparse.ArgumentParser:
    """The sub-commands, with their help."""
    top = argparse.ArgumentParser(
        prog="nacre audit", description="Check and read the files that --audit-log has written."
    )
    subcommands = top.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")
    verify = subcommands.add_parser(
        "verify", help="whether no record was changed, removed or moved; exit 1 if one was"
    )
    verify.add_argument("--expect", metavar="SEAL", help="a seal that was noted before, and must be there")
    show = subcommands.add_parser("show", help="the records, one on a line")
    show.add_argument("--session", metavar="NAME", help="only of this session")
    show.add_argument("--denied", action="store_true", help="only what was refused or not permitted")
    show.add_argument("--failed", action="store_true", help="only what did not end with code 0")
    show.add_argument("-n", "--last", metavar="COUNT", type=int, help="only the last so many")
    show.add_argument("--json", action="store_true", help="as they stand in the file")
    for subcommand in (verify, show):
        subcommand.add_argument("file", nargs="+", help="audit logs; those that were moved away come first")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one of the sub-commands; the exit code."""
    options = parser().parse_args(arguments)
    try:
        return verify(options) if options.subcommand == "verify" else show(options)
    except OSError as error:
        sys.stderr.write(f"nacre: {error.filename}: {error.strerror}\n")
        return USAGE_ERROR


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _checked(paths: Sequence[str]) -> Iterator[tuple[str, Checked]]:
    """All lines of some files, each file held against the end of the one before it."""
    before: str | None = None
    for path in paths:
        with open(path, "rb") as file:
            for line in check_lines(file, before):
                before = line.seal or before
                yield path, line


def verify(options: argparse.Namespace) -> int:
    """Say what is wrong with the records, and the last seal."""
    records = problems = unsealed = 0
    last, expected = "", options.expect
    for path, line in _checked(options.file):
        records += line.record is not None
        unsealed += line.record is not None and not line.seal and not line.problem
        last = line.seal or last
        if line.seal == expected:
            expected = None
        if line.problem:
            problems += 1
            if problems <= SHOWN_PROBLEMS:
                _say(f"{path}, line {line.number}: {line.problem}.")
    if expected is not None:
        problems += 1
        _say(f"The seal {expected} is not there: records are missing at the end.")
    older = f"; {unsealed} of them are older than the first seal, and prove nothing" if unsealed else ""
    _say(f"{records} records{older}. {_verdict(problems)} Last seal: {last or 'none'}")
    return TAMPERED if problems else 0


def _verdict(problems: int) -> str:
    if not problems:
        return "None was changed, removed or moved."
    return f"{problems} problem{'' if problems == 1 else 's'}."


def show(options: argparse.Namespace) -> int:
    """Print records, one on a line."""
    wanted = [
        line.record
        for _, line in _checked(options.file)
        if line.record is not None and _is_wanted(line.record, options)
    ]
    for record in wanted[-options.last :] if options.last else wanted:
        _say(json.dumps(record, ensure_ascii=False) if options.json else as_text(record))
    return 0


def _is_wanted(record: dict[str, Any], options: argparse.Namespace) -> bool:
    if options.session is not None and record.get("session") != options.session:
        return False
    if options.denied and not record.get("security_violation"):
        return False
    return not options.failed or not (record.get("exit_code") == 0 or record.get("ended") == "done")


def as_text(record: dict[str, Any]) -> str:
    """A record on one line: when, how it ended, how long it took, where, and what it was."""
    what = record.get("command") or f"{record.get('tool', '')} {record.get('path', '')}".strip()
    if record.get("missing"):
        what = f"{record['missing']} records are missing: {record.get('reason', '')}"
    code = record.get("exit_code")
    how = f"exit {code}" if code is not None else record.get("signal") or record.get("code", "")
    ended = " ".join(filter(None, [str(record.get("ended", "?")), str(how)]))
    took = f"{record['execution_time_ms']} ms" if "execution_time_ms" in record else ""
    where = record.get("working_directory", "") + (f" [{record['session']}]" if "session" in record else "")
    text = "  ".join([str(record.get("time", "?")), f"{ended:<16}", f"{took:>9}", where, what])
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
