"""The codes of errors, found in the source, with what each means: the table of docs/errors.md.

A code that this table does not know, or that the source no longer has, fails.
"""

from __future__ import annotations

import ast
from pathlib import Path

from nacre import errors

SOURCE = Path(__file__).parents[1] / "src" / "nacre"
KINDS = ("NacreError", "RequestError", "Refused", "Asking", "PlaceError", "InternalError")
MEANINGS = {
    "asking": "the person is being asked; the client sends the same call again with the answer",
    "bad_request": "an argument or a setting is wrong; the text names it and what it should be",
    "broken_settings": "a client's settings file cannot be parsed; it is left alone, and the line is named",
    "busy": "the session runs another command, and the call asked not to wait",
    "declined": "the person was asked to type something and did not",
    "denied": "the rules do not allow it, or the person said no; the text names the rule",
    "error": "the root of all the others; it is never sent",
    "internal": "a bug in nacre; the traceback is on stderr",
    "job_ended": "the job has ended, so it takes no input and no signal",
    "keeper_late": "the keeper did not start in time; the next command starts a new one",
    "keeper_lost": "the keeper died while the command ran; everything it had started was ended",
    "no_audit": "the audit log cannot be written, and `audit_required` is set",
    "no_directory": "the working directory does not exist, is not a directory, or may not be entered",
    "no_elicitation": "the client cannot ask its person, so nobody can type a password",
    "no_file": "the path is not a file that the file tools can read or write",
    "no_input": "the command takes no input: it was not started in the background",
    "no_job": "there is no job with this id",
    "no_output": "there is no output with this id, or it is no longer kept",
    "no_place": "there is no place of this name to run commands in",
    "no_sandbox": "the sandbox that the settings ask for does not work here; the server does not start",
    "no_secret": "the value of a secret cannot be read",
    "no_session": "there is no session of this name",
    "no_shell": "the shell was not found, or cannot be used",
    "not_found": "the program of a preset without a shell was not found",
    "not_hidden": "the program does not wait for a password: its terminal would show it",
    "not_judged": "the rules cannot judge what would be sent to the job, so it is not sent",
    "not_read": "a file cannot be read",
    "not_resized": "the terminal cannot have another size (an old Windows, wine)",
    "not_written": "a file cannot be written",
    "place_failed": "the place failed, not the command",
    "session_closed": "the session was closed while the command waited for it",
    "spool_lost": "the output file cannot be made or was lost",
    "too_many_jobs": "as many jobs run as `max_jobs` allows",
    "too_many_sessions": "as many sessions are open as `max_sessions` allows",
    "too_slow": "the regular expression takes too long on this output",
    "unknown_client": "`nacre install` does not know the client",
}


def codes() -> dict[str, str]:
    """Each code with the kind of the errors that carry it."""
    found = {getattr(errors, kind).code: kind for kind in KINDS}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and (kind := _name(node.func)) in KINDS:
                found |= {
                    keyword.value.value: kind
                    for keyword in node.keywords
                    if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
                }
    return found


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def errors_table() -> str:
    """The table, by code."""
    found = codes()
    if odd := sorted(found.keys() ^ MEANINGS.keys()):
        raise SystemExit(f"scripts/error_codes.py and the source differ about these codes: {odd}")
    rows = [f"| `{code}` | `{found[code]}` | {MEANINGS[code]} |" for code in sorted(found)]
    return "\n".join(["| code | kind | when |", "|---|---|---|", *rows, ""])
