"""Programs that run another one in a project's environment: `uv run pytest`, `bundle exec rspec`, `npx x`.

Above: `inspector`, which writes down what they amount to. Below: `options` and the tables. It knows no rule:
that the inner command needs one of its own is said by `check`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from nacre.policy import tables
from nacre.policy.effects import position, runs, shown, unlisted, writes
from nacre.policy.model import Word, names
from nacre.policy.options import compiled, read
from nacre.policy.patterns import regex
from nacre.policy.tables.schema import EXPANDED_OUTSIDE, OUTSIDE
from nacre.policy.tables.shells import MULTICALL, RUNNERS, SHELLS, UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.effects import Effects
    from nacre.policy.options import Argument
    from nacre.policy.tables.javascript_packages import Package
    from nacre.policy.tables.schema import Interpreter, Program

# Kinds of programs that packages can be.
_OF_PROJECTS = names(
    "javascript python python_packages interpreters build compilers dotnet ecosystems toolchains"
)
# What runs scripts of the project, but installs packages, too; what fetches and runs one.
_MANAGERS = names("npm pnpm yarn yarnpkg")
_FETCHERS = names("npx pnpx bunx")
# Options of test runners, bundlers and watchers that take a command, code, or an option of the interpreter.
_COMMANDS = regex(
    r"--(?:[\w.-]*\.)?(?:on[A-Z]\w*|on-[\w-]+|checker)\Z|--(?:[\w-]+\.)*(?:hooks?|scripts?)\.[\w.:-]+\Z"
    r"|--(?:eval|exec\w*|command|cmd|shell|script-shell|print|run-under|wrapper|test-command|init-hook|pdbcls"
    r"|node-?(?:option|arg)\w*|exec-?argv|inspect[\w-]*|open-app[\w-]*)\Z"
)
# `-e 'require("fs")...'`, `-c 'rm x'`, `-x touch`: what could be a text of code, behind a letter.
_LETTER = regex(r"-[A-Za-z]{0,2}[ceEpx]\Z")
_PATH = regex(r"[/*]")
# With what a page is opened: `prisma studio --browser touch`.
_OPENERS = names("--browser --open")
_BROWSER = regex(
    r"(?i)true|false|none|no|default|system|electron|(?:google[- ]?)?chrom(?:e|ium)[\w:.-]*|firefox[\w:.-]*"
    r"|(?:ms)?edge[\w:.-]*|webkit|safari|brave|opera"
)
_CODE = regex(r"(?s:.*)[\s()\"'`;<>&|$]")
# What they write may lie anywhere that may be written to.
_WRITTEN = regex(
    r"--?(?:[a-z]+[-.]?)*?(?:out|output|cache|reports?|log|dest|dist|results?)(?:[-.]?[A-Za-z]+)*\Z|-o\Z"
)
_AWAY = regex(rf"{OUTSIDE}|(?i:(?:file|data|node|link|portal|git[\w+]*|ssh):)|\s*[\[{{]\s*[\"']")
# Patterns of files that lead there.
_EXPANDED_AWAY = regex(EXPANDED_OUTSIDE)
# `-n require=/tmp/x`, `--rule '{x: ["/tmp/y"]}'`: a path behind another text.
_PIECES = regex(r"[=,;\s\[{(\"'`!?]+|:(?!//)")
# What these hand on is for pytest by custom, and for a formatter or git's hooks; some take it for a command.
_HAND_ON = names("tox nox")
_FOR_CHECKERS = names(
    "--fix --unsafe-fixes --check --diff --all-files --show-diff-on-failure --strict --statistics "
    "--preview --clean --watch --no-watch"
)
# What tests are called, and the addresses of pages.
_TEXTS = names(
    "-t -g -k -m --message --grep --fgrep --testNamePattern --test-name-pattern --name --title "
    "--coverageThreshold --collectCoverageFrom "
    "--base --base-href --base-url --public-path --publicPath --public-url --route --url"
)
_ADDRESS = regex(r"(?i)https?://")
# Instructions by an address: a test's page is one, too, which is no code for the program that asks for it.
_INSTRUCTIONS = regex(
    r"--?[\w.-]*(?:config|import|require|load|preset|plugin|reporter|setup|env|init|registry|template|example)"
)
# What these hand on are parameters of a recipe, which can be texts: `just commit 'fix it'`.
_RECIPES = names("just task")
# Values of switches, which npm takes from the next word.
_SWITCHED = names("true false null always")
# Names of files, tests and modules.
_NAMES = regex(
    r"--?[\w.-]*(?:reporter|[Pp]attern|[Mm]atch|filter|project|workspace|scope|include|exclude|ignore|env|mode)"
)
# A package of a registry, and which version of it: behind `@` a directory could stand, too (`ruff@..`); to
# the package managers of JavaScript also a tag.
_PACKAGE = regex(
    r"[A-Za-z0-9_][\w.-]*(?:\[[\w, -]*\])?"
    r"(?:@(?!.*\.t(?:gz|ar))([~^]?[0-9][\w.+-]*|[A-Za-z][A-Za-z0-9-]*)"
    r"| ?(?:[=<>~!]=|[<>]) ?[0-9][\w.*,<>=!~ ]*)?"
)
# To uv and pipx all but these is a directory.
_VERSION = regex(r"latest|[0-9]+(?:\.[0-9]+)*(?:\.?(?:a|b|rc|post|dev)[0-9]+)*")
_GLUED = regex(r"-[A-Za-z]+(?=[/~]|\.\.?/)")

# Names of scripts that are usual.
_SCRIPTS = names(
    "test start build dev develop serve preview lint format typecheck type-check check check-types coverage "
    "e2e unit integration clean generate codegen release migrate seed prepare postinstall compile "
    "bundle docs deploy test-unit test-e2e test-ci build-storybook ci"
)
# These are commands of some packages, which run what follows: `firebase emulators:exec`, `sst shell`.
_STARTS = regex(r"(?:[\w-]+:)?(?:exec|shell|dlx)\Z")
# What they are told by an address, or by the name of another registry, is code.
_FETCHING = names("shadcn")
# Words for a package that is known: files of the project, names, numbers, addresses of this machine.
_PLAIN = regex(r"\^?[\w@.*/][\w@.*/:,{}()\[\]!+^~%=-]*")
_NUMBER = regex(r"-?\d+")
# Files that are left out: `#node_modules`.
_LEFT_OUT = regex(r"[#!][\w./*@-]+")
_LOCAL = regex(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?:[:/][\w./:-]*)?")
_FILES = regex(r"[\w@*-]*[./*](?s:.*)")
_DIRECTORIES = names(
    "src lib dist build app apps packages test tests docs scripts public static coverage e2e components "
    "pages server client out node_modules"
)
_WITHOUT_COMMANDS = frozenset({".", "*"})
# With these alone a program shows what it is.
_SHOWING = names("-h -V -v --help --version")
# What a project is made from: `--template user/repo` is a repository elsewhere.
_TEMPLATES = regex(r"--(?:template|example|preset|starter|remote|repo)\Z")
# What a tool is told to do, and where: no program that could do harm is called so.
_USUAL = names(
    "add all analyze app apps bootstrap build check ci clean compile components debug default "
    "develop dev enable "
    "diff dist docs fix force format generate info init json latest lib lint list local ls main major "
    "migrate minor newest none packages plan pretty preview print prod production pull report "
    "reset run schema scripts seed src staging start static status stop synth test tests text true false "
    "node_modules unit up update upgrade validate verbose verify version web"
)
# What a package that nobody knows does with these reaches others: a script of that name is the project's own.
_PUBLISHES = names("deploy destroy push release")
_OF_FILES = (
    "[cm]?[jt]sx?|json5?|ya?ml|mdx?|css|s[ac]ss|less|html?|vue|svelte|astro|prisma|graphql|gql|sql|txt|toml"
    "|svg|png|jpe?g|webp|csv|xml|proto"
)
_REPOSITORY = regex(rf"(?!\.{{1,2}}/)(?!.*\.(?:{_OF_FILES})\Z)[\w.@-]+/[\w./#@-]+")
# Files and patterns of the project, numbers, versions, names of scopes and of tasks: the name of no program.
_NO_COMMAND = regex(
    rf"\.{{1,2}}/?|\d[\d.]*%?|[\w*.-]+\.(?:{_OF_FILES})(?::\d+)*|(?:\./)?[\w*@.-]+/[\w*@./,:{{}}-]*|\*+"
    r"|HEAD(?:[~^]\d*)*|@[\w./-]+|[a-z][\w-]*:[\w:*-]+|\.[\w.,]+"
)

# `@biomejs/biome@1.9`: a package of the registry. Behind the second `@` stands no file and no address.
_SCOPED = regex(r"@[a-z0-9][a-z0-9_.-]*/[a-z0-9][a-z0-9_-]*(?:@(?:[~^]?[0-9]+(?:\.(?:[0-9]+|x))*|[a-z]+))?")
# What their programs are called, where that is not the end of the package's name.
_SCOPED_TOOLS = {
    "@angular/cli": "ng",
    "@babel/cli": "babel",
    "@expo/cli": "expo",
    "@lerna/cli": "lerna",
    "@nrwl/cli": "nx",
    "@nuxt/cli": "nuxi",
    "@playwright/test": "playwright",
    "@sveltejs/kit": "svelte-kit",
    "@swc/cli": "swc",
}
# Commands of deno, some of bun, too, that write.
_WRITING = names("fmt pack transpile bump-version")
# Words that may follow some commands of bun and deno: what `bun pm` only shows, but for its cache.
_WORDS_OF = {
    "pm": names(
        "ls list bin hash hash-string hash-print untrusted default-trusted cache whoami view why pkg "
        "bump-version pack"
    ),
    "pm pkg": names("get"),
    **dict.fromkeys(("audit", "ci", "types", "clean"), names("")),
}
# What they run by its name is a file of code; bun runs files of other kinds, too.
_NO_NAME = regex(r"[./]")
_CODE_FILE = regex(r".*\.(?:[cm]?[jt]sx?|html)")
# What a shell takes as it is; behind a blank no option and no path of its own begins.
_SAME_TO_SHELLS = regex(r"(?:[\w./@:=,+%#-]| (?![-/.]))*\Z")
# Commands for which --parallel says how many tests run at a time.
_TESTING = names("test bench")
# Commands of bun and deno themselves, which read patterns.
_OWN_COMMANDS = names("test build")
# What is the name of no command, of bun's or of another program.
_NO_WORD_OF_BUN = regex(r"\d+\Z|[a-z]*[*@./]")
# What bun and deno have commands for.
_OF_BUN_AND_DENO = names(
    "run test install i ci add a remove rm uninstall update up link unlink pm build outdated audit why "
    "info fmt lint check task bench cache doc coverage types clean pack transpile bump-version dedupe prune"
)
# Code that is fetched: by its address, or by the name of a package.
FETCHED = regex(r"(?:https?|npm|jsr|data|blob|file):")
# The version of a package behind its name.
_BEHIND_NAME = regex(r"(?<=.)(?:@|[=<>~!]=?|\[).*\Z")
# Options that npx of npm 6 does not know: it takes the next word for their value.
_NOT_OF_NPX = names("-y --yes --no")
# Options that early versions of c8 and nyc do not know.
_NOT_OF_ALL = names("--all --skip-full")
# What stands for a longer option is replaced by it, and the value comes as a word of its own.
_GLUED_SWITCH = regex(r"-[a-z]=")


class ScriptWord(NamedTuple):
    """A word for a script that does more than choose what the script does to the project."""

    kind: Literal["runs", "elsewhere", "writes"]
    word: Word
    value: Word


def script_words(words: Sequence[Word], runner: str) -> Iterator[ScriptWord]:
    """`npm test -- --config /tmp/x.js`: what the program behind a script could take from elsewhere."""
    at = next((at for at, word in enumerate(words) if word.text not in _SWITCHED), len(words))
    if runner == "run" and at < len(words) - 1 and words[at].text == "env":
        # To npm it is the system's program, if the project has no such script: `npm run env touch x`.
        yield ScriptWord("runs", words[at + 1], words[at + 1])
    if runner in _HAND_ON:
        yield from _handed_on(words)
    option = ""
    for word in words:
        text = word.text
        if not text.startswith("-"):
            if not option and " " in text and runner not in _RECIPES:
                yield ScriptWord("runs", word, word)  # `npm run dev -- 'touch x'`, if it runs concurrently
            yield from _script_value(option, word, word)
            option = ""
            continue
        name, equals, value = text.partition("=")
        if _COMMANDS.match(name) and not (text == "--print" and word is words[-1]):
            yield ScriptWord("runs", word, word)
        elif equals:
            yield from _script_value(name, word, word.with_text(value))
        elif (glued := _GLUED.match(text)) is not None:
            letter = f"-{text[glued.end() - 1]}"
            yield from _script_value(letter, word, word.with_text(text[glued.end() :]))
        option = "" if equals or text == "--" else name


def _handed_on(words: Sequence[Word]) -> Iterator[ScriptWord]:
    """`tox -- rm x`, `nox -- -o addopts=-px`: a command, and what is more than a choice of tests."""
    pytest = tables.program("pytest")
    for item in read(compiled(pytest), words) if pytest is not None else ():
        word, text = item.word, item.word.text
        if item.kind in {"operand", "unproven"}:
            named = "/" not in text and text not in _USUAL
            if named and (tables.has_entry(text) or is_of_the_system(text)):
                yield ScriptWord("runs", word, word)
        elif item.kind == "writes":
            yield ScriptWord("writes", word, item.value or word)
        elif item.kind in {"runs", "unlisted"} and text not in _FOR_CHECKERS:
            yield ScriptWord("runs", word, word)


def _script_value(option: str, word: Word, value: Word) -> Iterator[ScriptWord]:
    text = value.text
    if option in _TEXTS and (option.startswith("--") or " " in text or not _AWAY.match(text)):
        return  # `jscodeshift -t /tmp/x.js` is no text
    if option in _OPENERS and not _BROWSER.fullmatch(text):
        yield ScriptWord("runs", word, value)
        return
    if _LETTER.match(option) and (_CODE.match(text) or (option == "-x" and not _PATH.search(text))):
        yield ScriptWord("runs", word, value)
        return
    if _may_be_line(option, text):
        yield ScriptWord("runs", word, value)
        return
    away = next((piece for piece in (text, *_PIECES.split(text)) if _AWAY.match(piece)), None)
    if away is not None:
        yield ScriptWord("writes" if _WRITTEN.match(option) else "elsewhere", word, value.with_text(away))
    elif _EXPANDED_AWAY.match(text):
        yield ScriptWord("runs", word, value)
    elif _ADDRESS.match(text) and _INSTRUCTIONS.match(option):
        yield ScriptWord("elsewhere", word, value)


def _may_be_line(option: str, text: str) -> bool:
    """`--doctorTest 'touch x'`, `--npm-client touch`: a value that could be a command."""
    program, blank, _ = text.partition(" ")
    if blank:
        return option != "" and (tables.has_entry(program) or is_of_the_system(program))
    is_name = not option or text in _USUAL or "/" in text or text == "." or _NAMES.match(option) is not None
    return not is_name and is_of_the_system(text)


def package(word: Word, *, scopes: bool) -> tuple[str, str, bool]:
    """A package without its version, the name of its program, and whether it belongs to a scope."""
    full = _BEHIND_NAME.sub("", word.text) if word.literal else ""
    if not (scopes and _SCOPED.fullmatch(word.text)):
        return full, full, False
    tool = _SCOPED_TOOLS.get(full)
    return tool or full, tool or full.rpartition("/")[2], True


def find_command(
    word: Word, name: str, words: Sequence[Word], found: Effects, *, is_script: bool = True
) -> None:
    """`yarn frob touch x`: nobody knows what such a program or script does with its words."""
    if name in _reaching() and not (words and all(item.text in _SHOWING for item in words)):
        reason = f"`{shown(name)}` publishes, reaches other machines or ends programs"
        found.add(unlisted(word, reason, word.text))
        return
    command = _for_command(name, words, is_script=is_script)
    if command is not None:
        known = f"what `{shown(name)}` does with `{shown(command.text)}` is not known"
        unknown = f"nothing is known about `{shown(name)}`, which could run `{shown(command.text)}`"
        reason = known if _package_of(name) is not None else unknown
        found.add(unlisted(word, reason, word.text))


def _reaching() -> frozenset[str]:
    from nacre.policy.tables.javascript_packages import REACHING  # noqa: PLC0415 - when a package is named

    return REACHING


def _package_of(name: str) -> Package | None:
    from nacre.policy.tables.javascript_packages import package_of  # noqa: PLC0415 - when a package is named

    return package_of(name)


def _for_command(name: str, words: Sequence[Word], *, is_script: bool) -> Word | None:
    """The first word that could be the name of a program, or a text for a shell."""
    if is_script and (":" in name or name in _SCRIPTS):
        return None
    known = _package_of(name)
    if known is not None:
        return _not_of_package(name, known, words)
    option = ""
    for word in words:
        text = word.text
        if _STARTS.match(text) or (not is_script and text in _PUBLISHES):
            return word
        if text.startswith("-"):
            option, equals, text = text.partition("=")
            if not equals:
                if option[1:2] != "-" and tables.has_entry(option[2:]):
                    return word
                continue
        is_elsewhere = _TEMPLATES.match(option) and _REPOSITORY.fullmatch(text)
        if is_elsewhere or (option not in _TEXTS and text not in _USUAL and not _is_no_command(text)):
            return word
        option = ""
    return None


def _is_no_command(text: str) -> bool:
    """Files of the project, names of tasks, pages of this machine; what lies elsewhere could be code."""
    return _NO_COMMAND.fullmatch(text) is not None or _LOCAL.fullmatch(text) is not None


def _not_of_package(name: str, known: Package, words: Sequence[Word]) -> Word | None:
    """The first word that is none of a package's everyday options and commands."""
    option, operands = "", list[Word]()  # the option whose value is next
    for word in words:
        flag, equals, value = word.text.partition("=")
        early = not operands and not known.commands & _WITHOUT_COMMANDS
        if not flag.startswith("-"):
            if not option:
                operands.append(word)
            fine = (
                _is_value(known, option, word, early=early) if option else _is_operand(name, known, operands)
            )
            option = ""
        elif not equals and flag[:2] in known.valued and _NUMBER.fullmatch(flag[2:]):
            fine, option = True, ""  # `http-server -c-1`
        elif flag in known.valued:
            fine = not equals or _is_value(known, flag, word.with_text(value), early=early)
            option = "" if equals else flag
        else:
            fine = flag in known.flags and value in {"", "true", "false"}
            option = ""
        if not fine:
            return word
    first = operands[0].text if operands else ""
    if f"{first}?" in known.commands and not _only_tries(words):
        return words[0] if words else Word(name, 0, 0)  # it publishes
    return None


def _only_tries(words: Sequence[Word]) -> bool:
    """`wrangler deploy --dry-run`, but not `--dry-run false`, nor what takes it back later."""
    if words and all(word.text in _SHOWING for word in words):
        return True
    tries = any(word.text in {"--dry-run", "--help"} for word in words)
    return tries and not any(re.fullmatch("(?i)(?:--?[a-z-]+=)?false", word.text) for word in words)


def _is_value(known: Package, option: str, word: Word, *, early: bool) -> bool:
    """A plain value; before the command of a package, only a number is one in every version."""
    if early:
        return word.text.isdecimal()
    check = known.checks.get(option)
    if check is not None:
        return word.literal and re.fullmatch(check, word.text) is not None
    return option in _TEXTS or _is_plain(word)


def _is_operand(name: str, known: Package, operands: Sequence[Word]) -> bool:
    """A command that is known, or a file or a name behind it."""
    word = operands[-1]
    of_files = "." in known.commands
    if of_files and word.literal and _LEFT_OUT.fullmatch(word.text):
        return True
    if not _is_plain(word) or (name in _FETCHING and not word.text.replace("-", "").isalnum()):
        return False
    if known.words and re.fullmatch(known.words, word.text) is None:
        return False
    if of_files:
        parts = word.text.split(":")  # `sass src:dist`
        return _LOCAL.match(word.text) is not None or all(map(_is_file, parts)) or not word.literal
    return "*" in known.commands or _is_own_command(known, operands)


def _is_own_command(known: Package, operands: Sequence[Word]) -> bool:
    word = operands[-1]
    path = "/".join(item.text for item in operands[:2])
    own = known.commands & {word.text, f"{word.text}?"}
    if len(operands) == 1:
        return bool(own) or any(item.startswith(f"{word.text}/") for item in known.commands)
    is_group = any(item.startswith(f"{operands[0].text}/") for item in known.commands)
    return len(operands) > 2 or not is_group or path in known.commands  # noqa: PLR2004 - a group and its command


def _is_file(text: str) -> bool:
    return _FILES.match(text) is not None or text in _DIRECTORIES


def _is_plain(word: Word) -> bool:
    """`$PORT` has been looked at as a value that is only known when it runs."""
    if not word.literal:
        return not word.may_be_option
    text = word.text
    return _LOCAL.fullmatch(text) is not None or ("://" not in text and _PLAIN.fullmatch(text) is not None)


def find_own_command(word: Word, before: list[str], words: Sequence[Word], found: Effects) -> None:
    """`deno fmt`, `bun pm trust x`: what a command of bun or deno does itself."""
    options = [item.text for item in words]
    options = options[: options.index("--")] if "--" in options else options
    if before in ([], ["pm"]) and word.text in _WRITING and "--check" not in options:
        found.add(writes(word, f"`{word.text}` writes files", word.text))
    known = _WORDS_OF.get(" ".join(before))
    is_file = not before and _NO_NAME.search(word.text) and not _CODE_FILE.fullmatch(word.text)
    if is_file or (known is not None and word.text not in known):
        reason = f"`{shown(' '.join((*before, word.text)))}` is not known to be harmless"
        found.add(unlisted(word, reason, word.text if word.literal else ""))


def find_read_again(
    script: Word, before: list[str], spec: Interpreter, after: Sequence[Word], found: Effects
) -> None:
    """`bun run test 'a;id'`: older versions put words behind a script's text, which a shell reads."""
    runs_script = before[-1:] == [spec.hands_on] or not before
    own = not before and script.text in {*_OWN_COMMANDS, *spec.installs.split(), spec.hands_on}
    if not runs_script or own or _CODE_FILE.fullmatch(script.text):
        return
    for word in after:
        if not _SAME_TO_SHELLS.match(word.text):
            reason = f"a shell could read `{shown(word.text)}` again"
            found.add(runs(word, reason, word.text if word.literal else ""))


def find_side_by_side(given: Sequence[Argument], spec: Interpreter, found: Effects) -> None:
    """`bun run --parallel build 'touch x'`: each word is a script, or a command for a shell."""
    words = [item.word for item in given if item.kind in {"operand", "unproven"}]
    if not spec.hands_on or not any(item.flag == "--parallel" for item in given):
        return
    if words and words[0].text in _TESTING:
        return
    for word in words[1:] if words and words[0].text == spec.hands_on else words:
        if not word.literal or re.fullmatch(spec.scripts, word.text) is None:
            reason = f"with --parallel `{shown(word.text)}` could be a command, and no script"
            found.add(unlisted(word, reason, word.text if word.literal else ""))


def find_taken_for_command(item: Argument, before: list[str], spec: Interpreter, found: Effects) -> None:
    """`bun --filter exec 'rm x'`: to bun the first word without a dash is its command, if it knows one."""
    value = item.value
    if not spec.hands_on or before or value is None or value.start == item.word.start:
        return
    if not _NO_WORD_OF_BUN.match(value.text):
        reason = f"`{shown(value.text)}` could be taken for a command"
        hint = "write the value attached to its option, after `=`"
        found.add(unlisted(value, reason, value.text if value.literal else "", hint=hint))


def may_be_package(word: Word, spec: Interpreter) -> bool:
    """`bun c8 mocha`, `bun frob x`: no file, and no command of bun or deno itself."""
    name = word.text
    own = name in _OF_BUN_AND_DENO or name in f"{spec.inline} {spec.installs} {spec.hands_on}".split()
    return word.literal and not own and name != "-" and not (_NO_NAME.search(name) or FETCHED.match(name))


def find_other_reading(entry: Program, word: Word, words: Sequence[Word], found: Effects) -> None:
    """`npx -y eslint touch x`, `yarn run -T eslint x`: older versions do not know the option.

    They take eslint for its value, and what follows for the program or the script: early versions of c8, too.
    """
    at = position(words, word)
    glued = next((item for item in words[:at] if _GLUED_SWITCH.match(item.text)), None)
    if entry.scopes and glued is not None:
        reason = f"npx takes `{shown(glued.text.partition('=')[2])}` for the program"
        found.add(unlisted(glued, reason, glued.text, hint="leave the value of that option out"))
    elif entry.scopes and any(item.text in _NOT_OF_NPX for item in words[:at]):
        _find_program(words[at + 1 :], found)
    elif entry.tools and any(item.text in _NOT_OF_ALL for item in words[:at]):
        _find_no_file(words[at + 1 :], found)
    elif entry.for_scripts and at:
        find_command(word, f"run {word.text}", words[at + 1 :], found)


def _find_program(words: Sequence[Word], found: Effects) -> None:
    for word in words:
        named = word.text != "." and "/" not in word.text
        if named and (tables.has_entry(word.text) or is_of_the_system(word.text)):
            entry = tables.program(word.text)
            if entry is not None and entry.harmless and entry.operands == "read":
                continue
            reason = f"an older npx could take `{shown(word.text)}` for the program"
            hint = "write --yes=true, or leave the option out"
            found.add(unlisted(word, reason, word.text, hint=hint))
            return


def _find_no_file(words: Sequence[Word], found: Effects) -> None:
    """`c8 --all mocha touch x`: early versions take mocha for a value, and run what follows."""
    for word in words:
        fine = word.text in _USUAL or word.text.startswith("-") or _is_no_command(word.text)
        if word.literal and not fine:
            reason = f"an early version could take `{shown(word.text)}` for the program"
            found.add(
                unlisted(word, reason, word.text, hint="write `=true` behind the option before the program")
            )
            return


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


def is_no_package(text: str, name: str, *, tags: bool) -> bool:
    """`uvx ruff@..`, `npx eslint@..`, `npx bash`: code from elsewhere, or a program of the system."""
    known = _PACKAGE.fullmatch(text)
    version = known.group(1) if known is not None else ""
    by_path = version is not None and not tags and not _VERSION.fullmatch(version)
    return known is None or by_path or is_of_the_system(name) or is_of_the_system(text)


def is_of_the_system(name: str) -> bool:
    """A shell, a wrapper, a tool: no package for JavaScript or Python."""
    home = tables.home_of(name)
    if home is not None:
        return home not in _OF_PROJECTS
    return "/" in name or name in SHELLS or name in MULTICALL or name in RUNNERS or name in UNRESOLVABLE
