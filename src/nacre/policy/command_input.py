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
from nacre.policy.patterns import regex
from nacre.policy.tables.shells import GIT_READS_NO_KEYS, READS_COMMANDS, READS_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nacre.policy.model import Redirection, SimpleCommand, Word
    from nacre.policy.values import Context

# How to tell a program what to do without its input.
INSTEAD = {
    "sqlite3": "write the statements behind the database: sqlite3 db 'select 1'",
    "psql": "write the statements after -c",
    **dict.fromkeys(("mysql", "mariadb"), "write the statements after -e"),
    **dict.fromkeys(
        ("ssh", "autossh"), "write `ssh -n`, and the commands as an argument: ssh -n host 'uptime'"
    ),
    **dict.fromkeys(("redis-cli", "valkey-cli"), "write the command as arguments: redis-cli get x"),
}
# With these, pytest starts a debugger, under whatever name it is run.
_DEBUGS = frozenset({"--pdb", "--trace"})
_TESTS = frozenset({"pytest", "py.test", "tox", "nox", "hatch"})
# Programs that hand their input on to another one, which stands among their arguments.
_HANDS_ON = names(
    "npx pnpx bunx pnpm yarn yarnpkg nyc c8 uv uvx pipx poetry pdm pipenv hatch rye bundle bundler"
)
# Lines that end a statement for the shell of sqlite3, as they do for other databases.
_ENDS_STATEMENT = frozenset({"/", "go"})
# Builtins of fish that show their help with a pager.
_SHOWS_HELP = names(
    "string math contains cd pwd type exit return break continue wait jobs fg bg disown command ulimit umask "
    "random pushd popd dirs history"
)
_FEEDING = frozenset({"<", "<<", "<<-", "<<<", "<>", "<&"})


def feeds(commands: Iterable[SimpleCommand], text: str, *, windows: bool = False) -> bool:
    """Whether something in a text gives a command of it something to read.

    The scanners for Windows do not say what is piped: there, any sign for it counts.
    """
    if ">(" in text or (windows and "|" in text):
        return True
    for command in commands:
        if command.piped or (command.redirections and any(map(_feeds, command.redirections))):
            return True
    return False


def _feeds(redirection: Redirection) -> bool:
    target = redirection.target.text if redirection.target is not None else ""
    closes = redirection.operator in {"<&", ">&"} and target == "-"
    nothing = redirection.operator in {"<", "<>"} and target == "/dev/null"  # `< -` is a file of that name
    return _is_input(redirection) and not (closes or nothing)


def _is_input(redirection: Redirection) -> bool:
    """Whether it says what is read; `0>&3` does, too."""
    return redirection.operator in _FEEDING or redirection.descriptor == "0"


_FORGE = regex(
    r"git@(?:(?:ssh\.)?github\.com|(?:altssh\.)?gitlab\.com|(?:altssh\.)?bitbucket\.org|codeberg\.org)\Z"
)


def reads_commands(words: Sequence[Word]) -> str:
    """Why a program must not be fed: it would take its input for commands. Empty if it may."""
    name = base_name(words[0].text)
    texts = [word.text for word in words]
    if not _DEBUGS.isdisjoint(texts) and not _TESTS.isdisjoint(texts):
        return "the debugger of pytest takes commands from its input"
    if name in _HANDS_ON:
        inner = next((at for at, text in enumerate(texts) if at and text in READS_COMMANDS), 0)
        if inner:
            return reads_commands(words[inner:])
    if name not in READS_COMMANDS:
        return ""
    options, operands = READS_COMMANDS[name]
    given = given_to(words)
    has_command = any(_is_given(option, given) for option in options.split())
    has_command = has_command or (not given and any(word.text in options.split() for word in words[1:2]))
    first = next((item.word for item in given if item.kind == "operand"), None)
    if name == "ssh" and first is not None and first.literal and _FORGE.match(first.text):
        return ""  # `ssh -T git@github.com` says who one is there; nobody runs commands by that name
    if has_command or (operands and sum(item.kind == "operand" for item in given) >= operands):
        return ""  # what it does is among the arguments, and checked there
    return f"{name} takes commands from its input"


def document_of(command: SimpleCommand, context: Context) -> str | None:
    """The lines that a here-document or here-string of its own gives a command to read, if they are known."""
    given = [item for item in command.redirections if _is_input(item)]
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
        if name == "sqlite3" and line.strip().casefold() in _ENDS_STATEMENT:
            return False
        if not line.lstrip().startswith(sign):
            statements.append(line)
            continue
        before = "\n".join(statements).strip()
        if (before and (not before.endswith(";") or sql_actions(before, name))) or sql_actions(line, name):
            return False
        statements = []
    rest = "\n".join(statements)
    return not rest.strip() or not sql_actions(rest, name)


def reads_keys(words: Sequence[Word], shell: str) -> str:
    """Why nothing may be typed for a program: some of its keys run commands. Empty if it may."""
    name = base_name(words[0].text)
    keys = name in READS_KEYS
    if shell == "fish" and name in _SHOWS_HELP:
        keys = any(word.may_be_option and (not word.literal or "h" in word.text) for word in words[1:])
    if name == "git":  # less and vi run what is typed behind `!`
        first = next((item.word.text for item in given_to(words) if item.kind == "operand"), "version")
        keys = first not in GIT_READS_NO_KEYS
    return f"{name} runs commands that are typed" if keys else reads_commands(words)


def given_to(words: Sequence[Word]) -> list[Argument]:
    """The options and operands of a command, as far as there is a table for the program."""
    entry = tables.program(base_name(words[0].text)) if words[0].literal else None
    return read(compiled(entry), words[1:]) if entry is not None else []


def _is_given(option: str, given: Sequence[Argument]) -> bool:
    """`-c=` counts with its value only."""
    name = option.rstrip("=")
    return any(item.flag == name and (item.value is not None or name == option) for item in given)
