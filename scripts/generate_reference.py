"""Write what docs/ says about the program from the program itself, and from its tests.

reference.md shows the tools; cli.md and packages/nacre.1, the manual page, the options of all commands;
errors.md the codes of errors; configuration.md has a table of all settings between two marks; reliability.md
has the faults that the tests in tests/faults inject, with what must come of each.
`--check` writes nothing and fails where a page is not what would be written; a test does that.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nacre import presets
from nacre.settings.table import TABLES, default_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from command_parsers import Command

    from nacre.settings.table import Setting

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from command_parsers import commands, server  # noqa: E402  # a script beside this one
from error_codes import errors_table  # noqa: E402  # the same
from manual_page import manual_page  # noqa: E402  # the same
from requirements import REQUIREMENTS  # noqa: E402  # the tests' own table

DOCS = ROOT / "docs"
REFERENCE, CONFIGURATION, COMMANDS = DOCS / "reference.md", DOCS / "configuration.md", DOCS / "cli.md"
RELIABILITY, ERRORS = DOCS / "reliability.md", DOCS / "errors.md"
MANUAL = ROOT / "packages" / "nacre.1"
BEGIN, END = "<!-- written by scripts/generate_reference.py -->", "<!-- end of what is written -->"
WRITTEN = "<!-- Written by scripts/generate_reference.py; a test keeps it true. -->\n"
FAULT_ID = re.compile(r'mark\.req\("(fault-[^"]+)"\)')
# What each field of a tool's data means: in the schema every client would have to pay for it.
MEANINGS = {
    "shell": {
        "stdout": "its standard output; long output keeps its beginning and end",
        "stderr": "the same for stderr",
        "exit_code": "absent when a signal or a time limit ended it",
        "ended": "when it did not just exit: `signaled`, `timed_out`, `stopped` (by the person), "
        "`shell_died` (a session's shell ended)",
        "signal": "the name of the signal that ended it",
        "timeout_seconds": "of a timeout: the limit that it had",
        "partial_stdout": "of a timeout: what it had printed, instead of `stdout`",
        "partial_stderr": "the same for stderr",
        "working_directory": "the session's directory, when the session is new or its directory has changed",
        "session": "`name`, `shell` (`new`, `reborn`, `lost`) and `note`, when there is something to say",
        "truncated": "true when less is shown than was printed",
        "output_id": "with it the tool `output` reads all of it, including what is printed later",
        "left_running": "processes that still run: `pid` and `command`",
        "job": "when it keeps running (`ended` is `running`) or left processes behind: for the tool `job`",
        "news": "what has happened to earlier work since the last reply",
        "limit": "the limit that it exceeded: `memory`, `cpu`, `processes`, `open_files`, `file_size`,"
        " `output`, `tmp`",
        "hints": "what to do about a failure",
    },
    "job": {
        "jobs": "of `list`: each with the fields below",
        "reason": "why a wait is over: `ended`, `matched`, `port`, `silent`, `input`, `time`",
        "waiting_for_input": "true when a process waits to read what `send` gives, by the kernel (Linux)",
        "line": "the one that matches, or the last one where it waits for input",
        "job": "its id, which is also that of its output",
        "command": "what runs",
        "state": "`running`, `ended`, `failed` (nacre could not run it), `left running`",
        "seconds": "how long it has been running, or ran",
        "exit_code": "and `ended`, `signal`: how it ended, as for `shell`",
        "processes": "what a command has left behind: `pid`, `command`, and how each ended",
        "stdout": "what is new since it was shown last; also `stderr`",
        "screen": "of a terminal: `lines`, or `changed` by row; `cursor`, `title`, `alternate`",
        "others": "of a wait for several: the other jobs",
    },
    "output": {
        "output": "the part, or the matching lines with their numbers",
        "output_id": "whose output it is",
        "offset": "where the part begins, in bytes",
        "next_offset": "where the next part begins",
        "total_bytes": "printed so far",
        "line": "the number of its first line",
        "encoding": "`base64`, or `binary` for what is described instead of shown",
        "matches": "of a search: how many lines match from `offset` on, also those that are not shown",
        "not_kept_bytes": "how many bytes before it were not kept, being too many",
        "goes_on": "true when more may be printed",
    },
    "session": {"sessions": "all sessions: name, state, shell, directory, commands, idle_seconds"},
}
METADATA = """
For programs the result's `_meta` has `metadata`, always with `command`, `ended` (also `exited`), `exit_code`,
`signal` (both may be null), `execution_time_ms` (wall time), `timeout_seconds`, `working_directory`,
`truncated`, `output_id`, `spool` (the name of its files, without `.out` and `.err`; null: it has none, or
the rules hide them), `left_running`, `cpu_ms` (user and system time), `max_rss_bytes` (the largest
process; null: too little to be measured), and `session`, whose `shell` may be `kept`. With
`structured = "full"` all of it is data.
"""
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "reference", "version": "1"},
}


def commands_page() -> str:
    """All that can be typed."""
    first = server()
    opening = first.about[0].partition("\n\n")[0]  # behind it is a list of what follows here
    sections = [
        f"## `{first.name}`\n\n{opening} The server runs until its client ends the conversation.\n",
        *arguments_table(first),
        *(line for command in commands() for line in command_section(command)),
    ]
    return f"# Command line\n\n{WRITTEN}\n" + "\n".join(sections)


def command_section(command: Command) -> Iterator[str]:
    """One command, below its heading."""
    yield f"## `{command.name}`\n"
    yield f"```text\n{command.usage}\n```\n"
    yield from (f"{prose(text if text.endswith('.') else text + '.')}\n" for text in command.about)
    yield from arguments_table(command)


def prose(text: str) -> str:
    """Help as Markdown shows it unchanged: outside of code, no character has a meaning of its own."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*<|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def arguments_table(command: Command) -> Iterator[str]:
    """Its options and arguments."""
    if not command.arguments:
        return
    yield "| argument | |\n|---|---|"
    for argument in command.arguments:
        shown = " ".join(filter(None, [", ".join(argument.flags), argument.value]))
        yield f"| `{shown}` | {prose(argument.help)} |"
    yield ""


def tools() -> list[dict[str, Any]]:
    """What a client of the default server is shown."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    answered = subprocess.run(
        [sys.executable, "-m", "nacre", "--shell", "bash", "--working-dir", "/tmp"],  # noqa: S108  # shown in the page
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=True,
    )
    last = json.loads(answered.stdout.splitlines()[-1])
    return last["result"]["tools"]


def tool_section(tool: dict[str, Any]) -> str:
    """One tool with its arguments and the fields of its result."""
    required = tool["inputSchema"].get("required", [])
    rows = [
        f"| `{name}` | {schema['type']} | {'yes' if name in required else 'no'} | {notes(schema)} |"
        for name, schema in tool["inputSchema"]["properties"].items()
    ]
    meanings = MEANINGS[tool["name"]]
    published = tool.get("outputSchema", {}).get("properties", meanings)  # small tools publish no schema
    fields = [f"| `{name}` | {meanings[name]} |" for name in published]
    table = "\n".join(["| argument | type | required | |", "|---|---|---|---|", *rows])
    data = "\n".join(["| data | |", "|---|---|", *fields])
    shown = f"### `{tool['name']}`\n\n{tool['description']}\n\n{table}\n\n{data}\n"
    return shown + (METADATA if tool["name"] == "shell" else "")


def notes(schema: dict[str, Any]) -> str:
    """An argument's description and limits."""
    limits = [
        f"{key} {schema[key]}" for key in ("minLength", "minimum", "maximum", "default") if key in schema
    ]
    return prose("; ".join([*filter(None, [schema.get("description")]), *limits]))


def settings_tables() -> str:
    """Every setting: where it is written, its kind, its default, what it does."""
    parts: list[str] = []
    for name, settings in TABLES.items():
        parts.append(f"### `[{name}]`\n" if name else "### At the top of the file\n")
        parts += ["| setting | flag | kind | default | |", "|---|---|---|---|---|"]
        parts += [setting_row(setting) for setting in settings]
        parts.append("")
    return "\n".join(parts)


def setting_row(setting: Setting) -> str:
    """One line of such a table."""
    flags = ", ".join(f"`{flag}`" for flag in setting.flags)
    meaning = prose(setting.help.format(presets=", ".join(presets.names())))
    default = prose(default_text(setting))
    return f"| `{setting.name}` | {flags} | {setting.kind.name} | {default} | {meaning} |"


def fault_tables() -> str:
    """Every fault that a test injects, and the outcome it asserts: a table for each family of faults."""
    parts: list[str] = []
    for path in sorted((ROOT / "tests" / "faults").glob("test_*.py")):
        text = path.read_text()
        family = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0].partition(":")[0].rstrip(".")
        parts += [f"### {family}\n", "| when | then |", "|---|---|"]
        for name in dict.fromkeys(FAULT_ID.findall(text)):
            fault, _, outcome = REQUIREMENTS[name].sentence.removesuffix(".").partition(": ")
            parts.append(f"| {fault} | {outcome} |")
        parts.append("")
    return "\n".join(parts)


def with_tables(page: Path, tables: str) -> str:
    """The page as it stands, with what is between its marks made anew."""
    before, _, rest = page.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables}\n{END}{rest.partition(END)[2]}"


def reference_page() -> str:
    """The tools of the default preset."""
    sections = "\n".join(tool_section(tool) for tool in tools())
    text = (
        f"# Tools\n\n{WRITTEN}\n"
        "These are the tools of the default preset, `agent`; those of the others are described with them"
        f" ([presets.md](presets.md)). The command line: [cli.md](cli.md).\n\n{sections}"
    )
    return re.sub(r"\n{3,}", "\n\n", text).replace("\n### ", "\n## ")


def main() -> int:
    """Write the pages, or check them."""
    pages = {
        REFERENCE: reference_page(),
        COMMANDS: commands_page(),
        MANUAL: manual_page(),
        ERRORS: with_tables(ERRORS, errors_table()),
        CONFIGURATION: with_tables(CONFIGURATION, settings_tables()),
        RELIABILITY: with_tables(RELIABILITY, fault_tables()),
    }
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path} is stale; run: {sys.executable} {__file__}")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
