"""Programs that take commands from their input, and whether a command is given some.

Above: `evaluation` asks whether anything in a text is fed, `check` asks about each program. Below: `options`
and the tables. What is fed to one command of a text may be read by another (`{ sqlite3 db; } < x`, a loop, a
function): so every such program of that text counts as fed, unless its own arguments say what it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import base_name
from nacre.policy.model import names
from nacre.policy.options import Argument, compiled, read
from nacre.policy.tables.shells import READS_COMMANDS, READS_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nacre.policy.model import Redirection, SimpleCommand, Word
    from nacre.policy.values import Context

# How to tell a program what to do without its input.
INSTEAD = {
    "sqlite3": "write the statements behind the database: sqlite3 db 'select 1'",
    "psql": "write the statements after -c",
    **dict.fromkeys(("mysql", "mariadb"), "write the statements after -e"),
    **dict.fromkeys(("ssh", "autossh"), "write `ssh -n`"),
    **dict.fromkeys(("redis-cli", "valkey-cli"), "write the command as arguments: redis-cli get x"),
}
# With these, pytest starts a debugger, under whatever name it is run.
_DEBUGS = frozenset({"--pdb", "--trace"})
_TESTS = frozenset({"pytest", "py.test", "tox", "nox", "hatch"})
# Programs that hand their input on to another one, which stands among their arguments.
_HANDS_ON = names(
    "npx pnpx bunx pnpm yarn yarnpkg nyc c8 uv uvx pipx poetry pdm pipenv hatch rye bundle bundler"
)
_FEEDING = frozenset({"<", "<<", "<<-", "<<<", "<>", "<&"})


def feeds(commands: Iterable[SimpleCommand], text: str) -> bool:
    """Whether something in a text gives a command of it something to read."""
    return ">(" in text or any(
        command.piped
        or (command.redirections and any(_feeds(redirection) for redirection in command.redirections))
        for command in commands
    )


def _feeds(redirection: Redirection) -> bool:
    nothing = redirection.target is not None and redirection.target.text in {"/dev/null", "-"}
    return redirection.operator in _FEEDING and not nothing


def reads_commands(words: Sequence[Word]) -> str:
    """Why a program must not be fed: it would take its input for commands. Empty if it may."""
    name = base_name(words[0].text)
    texts = {word.text for word in words}
    if texts & _DEBUGS and texts & _TESTS:
        return "the debugger of pytest takes commands from its input"
    inner = next((at for at, word in enumerate(words) if at and word.text in READS_COMMANDS), 0)
    if name in _HANDS_ON and inner:
        return reads_commands(words[inner:])
    if name not in READS_COMMANDS:
        return ""
    options, operands = READS_COMMANDS[name]
    given = given_to(words)
    has_command = any(_is_given(option, given) for option in options.split())
    has_command = has_command or (not given and any(word.text in options.split() for word in words[1:2]))
    if has_command or (operands and sum(item.kind == "operand" for item in given) >= operands):
        return ""  # what it does is among the arguments, and checked there
    return f"{name} takes commands from its input"


def document_of(command: SimpleCommand, context: Context) -> str | None:
    """The lines that a here-document or here-string of its own gives a command to read, if they are known."""
    given = [item for item in command.redirections if item.operator in _FEEDING]
    # zsh reads both, what is piped and what is written there.
    if len(given) != 1 or command.piped or given[0].descriptor not in {"", "0"}:
        return None
    target = given[0].target
    if given[0].operator == "<<<":
        return target.text if target is not None and target.literal else None
    return context.body_of(given[0])


def is_plain_input(name: str, document: str) -> bool:
    """Whether what a database's client reads only queries and changes tables, or shows something."""
    sign = {"sqlite3": ".", "psql": "\\"}.get(name)
    if sign is None:
        return False
    from nacre.policy.languages.sql import sql_actions  # noqa: PLC0415 - when a client is first given something

    # Inside of a statement such a line is a part of it: so each text before one must be whole.
    statements: list[str] = []
    for line in document.split("\n"):
        if not line.lstrip().startswith(sign):
            statements.append(line)
            continue
        before = "\n".join(statements).strip()
        if (before and (not before.endswith(";") or sql_actions(before, name))) or sql_actions(line, name):
            return False
        statements = []
    rest = "\n".join(statements)
    return not rest.strip() or not sql_actions(rest, name)


def reads_keys(words: Sequence[Word]) -> str:
    """Why nothing may be typed for a program: some of its keys run commands. Empty if it may."""
    name = base_name(words[0].text)
    return f"{name} runs commands that are typed" if name in READS_KEYS else reads_commands(words)


def given_to(words: Sequence[Word]) -> list[Argument]:
    """The options and operands of a command, as far as there is a table for the program."""
    entry = tables.program(base_name(words[0].text)) if words[0].literal else None
    return read(compiled(entry), words[1:]) if entry is not None else []


def _is_given(option: str, given: Sequence[Argument]) -> bool:
    """`-c=` counts with its value only."""
    name = option.rstrip("=")
    return any(item.flag == name and (item.value is not None or name == option) for item in given)
