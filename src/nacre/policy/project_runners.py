"""Programs that run another one in a project's environment: `uv run pytest`, `bundle exec rspec`, `npx x`.

Above: `inspector`, which writes down what they amount to. Below: `options` and the tables. It knows no rule:
that the inner command needs one of its own is said by `check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from nacre.policy import tables
from nacre.policy.effects import position
from nacre.policy.model import Word, names
from nacre.policy.options import compiled, read
from nacre.policy.patterns import regex
from nacre.policy.tables.schema import OUTSIDE
from nacre.policy.tables.shells import MULTICALL, RUNNERS, SHELLS, UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.options import Argument
    from nacre.policy.tables.schema import Program

# Kinds of programs that packages can be.
_OF_PROJECTS = names("javascript python python_packages interpreters build compilers ecosystems toolchains")
# What runs scripts of the project, but installs packages, too; what fetches and runs one.
_MANAGERS = names("npm pnpm yarn yarnpkg")
_FETCHERS = names("npx pnpx bunx")
# Options of test runners, bundlers and watchers that take a command, code, or an option of the interpreter.
_COMMANDS = regex(
    r"--(?:[\w.-]*\.)?(?:on[A-Z]\w*|on-[\w-]+)\Z"
    r"|--(?:eval|exec\w*|command|cmd|shell|script-shell|print|run-under|wrapper|test-command|init-hook|pdbcls"
    r"|node-?(?:option|arg)\w*|exec-?argv|inspect[\w-]*)\Z"
)
# `-e 'require("fs")...'`, `-c 'rm x'`, `-x touch`: what could be a text of code, behind a letter.
_LETTER = regex(r"-[A-Za-z]{0,2}[ceEpx]\Z")
_CODE = regex(r"(?s:.*)[\s()\"'`;<>&|$]")
# What they write may lie anywhere that may be written to.
_WRITTEN = regex(
    r"--?(?:[a-z]+[-.]?)*?(?:out|output|cache|reports?|log|dest|dist|results?)(?:[-.]?[A-Za-z]+)*\Z|-o\Z"
)
_AWAY = regex(rf"{OUTSIDE}|(?i:(?:file|data|node|link|portal|git[\w+]*|ssh):)|\s*[\[{{]\s*[\"']")
# `-n require=/tmp/x`: a path behind another text.
_PIECES = regex(r"[=,;]|:(?!//)")
# What tests are called, and the addresses of pages.
_TEXTS = names(
    "-t -g -k --grep --fgrep --testNamePattern --test-name-pattern --name --title "
    "--base --base-href --base-url --public-path --publicPath --public-url --route --url"
)
_ADDRESS = regex(r"(?i)https?://")
# Instructions by an address: a test's page is one, too, which is no code for the program that asks for it.
_INSTRUCTIONS = regex(
    r"--?[\w.-]*(?:config|import|require|load|preset|plugin|reporter|setup|env|init|registry)"
)
_GLUED = regex(r"-[A-Za-z](?=[/~]|\.\.?/)")


class ScriptWord(NamedTuple):
    """A word for a script that does more than choose what the script does to the project."""

    kind: Literal["runs", "elsewhere", "writes"]
    word: Word
    value: Word


def script_words(words: Sequence[Word]) -> Iterator[ScriptWord]:
    """`npm test -- --config /tmp/x.js`: what the program behind a script could take from elsewhere."""
    option = ""
    for word in words:
        text = word.text
        if not text.startswith("-"):
            yield from _script_value(option, word, word)
            option = ""
            continue
        name, equals, value = text.partition("=")
        if _COMMANDS.match(name):
            yield ScriptWord("runs", word, word)
        elif equals:
            yield from _script_value(name, word, word.with_text(value))
        elif _GLUED.match(text):
            yield from _script_value(text[:2], word, word.with_text(text[2:]))
        option = "" if equals or text == "--" else name


def _script_value(option: str, word: Word, value: Word) -> Iterator[ScriptWord]:
    text = value.text
    if option in _TEXTS:
        return
    if _LETTER.match(option) and (_CODE.match(text) or (option == "-x" and text.isalnum())):
        yield ScriptWord("runs", word, value)
        return
    away = next((piece for piece in (text, *_PIECES.split(text)) if _AWAY.match(piece)), None)
    if away is not None:
        yield ScriptWord("writes" if _WRITTEN.match(option) else "elsewhere", word, value.with_text(away))
    elif _ADDRESS.match(text) and _INSTRUCTIONS.match(option):
        yield ScriptWord("elsewhere", word, value)


def inner_command(entry: Program, word: Word, words: Sequence[Word]) -> tuple[Word, ...]:
    """`uv run pytest -q`, `bundle exec rspec`: the command that is run in the project's environment."""
    command = next((item for item in entry.commands if item.passes and word.text in item.names.split()), None)
    if command is None:
        return ()
    rest = words[position(words, word) + 1 :]
    given = read(compiled(command, entry if entry.persistent else None), rest)
    first = next((item.word for item in given if item.kind in {"operand", "unproven"}), None)
    if first is None:
        return ()
    inner = tuple(rest[position(rest, first) :])
    if "://" in first.text:
        return ()  # uv fetches a script
    if any(item.flag in {"-m", "--module"} for item in given):
        return (first.with_text("python3"), first.with_text("-m"), *inner)
    return (first.with_text("python3"), *inner) if first.text.endswith(".py") else inner


def inner_module(
    entry: Program, given: list[Argument], words: Sequence[Word]
) -> tuple[Word | None, Sequence[Word], list[Argument]]:
    """`coverage run -m pytest -q`: the module, what is meant for it, and the options before it."""
    at = next((at for at, item in enumerate(given) if item.flag in entry.runs_module.split()), None)
    value = given[at].value if at is not None else None
    if at is None or value is None:
        return None, (), given
    last = given[at].word if value.start == given[at].word.start else value
    rest = words[next(i for i, word in enumerate(words) if word.start == last.start) + 1 :]
    return value, rest, given[: at + 1]


def is_tool(name: str, rest: Sequence[Word]) -> bool:
    """Whether a program is a tool of JavaScript, or runs one or a script of the project: `c8 npm test`."""
    if name in _MANAGERS or name in _FETCHERS:
        inner = rest[0].text if rest and rest[0].literal else ""
        if name in _MANAGERS:
            return inner in {"test", "t", "run"}
        return inner not in _MANAGERS | _FETCHERS and is_tool(inner, ())
    return tables.home_of(name) == "javascript" or name == "node"


def is_of_the_system(name: str) -> bool:
    """A shell, a wrapper, a tool: no package for JavaScript or Python."""
    home = tables.home_of(name)
    if home is not None:
        return home not in _OF_PROJECTS
    return "/" in name or name in SHELLS or name in MULTICALL or name in RUNNERS or name in UNRESOLVABLE
