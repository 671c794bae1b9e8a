"""The arguments of a command, read by the tables: what its options and operands run, write, read or enter.

Above: `inspector` looks through wrappers down to the commands whose arguments these are. Below: `effects`,
`options`, `tables`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.argument_facts import (
    completions,
    first_operand,
    first_operands,
    is_for_script,
    may_lead_away,
    sorted_out,
    tamed,
    values_for_script,
    written_out,
)
from nacre.policy.effects import (
    ANY,
    Effect,
    Effects,
    Inspection,
    PathUse,
    Role,
    Step,
    any_beginning,
    any_end,
    from_elsewhere,
    from_place,
    is_free,
    is_system_name,
    position,
    runs,
    shown,
    unknown_at,
    unlisted,
    unproven,
    unresolved,
    without_ending,
    writes,
)
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.options import Argument, compiled, read
from nacre.policy.patterns import regex
from nacre.policy.project_runners import (
    find_command,
    find_other_reading,
    inner_command,
    inner_module,
    is_no_package,
    is_tool,
    package,
    script_words,
)
from nacre.policy.unpacking import (
    find_displaced,
    find_followed,
    find_linked_here,
    find_missing,
    find_turned,
    find_unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from nacre.policy.effects import Access
    from nacre.policy.options import Kind
    from nacre.policy.tables.schema import Options, Program
    from nacre.policy.values import Context

# How the value of an option is used as a path.
_ACCESS: dict[Kind, Access] = {
    "reads": "read",
    "places": "read",
    "writes": "write",
    "changes": "change",
    "fills": "fill",
    "enters": "enter",
    "follows": "leave",
    "unlisted": "maybe",
}
# Some options take several files, or a file behind a name: -cp a:b, -f a,b, -F name=@file.
_LISTED = regex(r"(?<!:)[,:=@]+(?!//)")
# What some programs put the value of a variable in the place of: `pytest --junitxml '$HOME/x'`.
_EXPANDED = regex(r"\$[A-Za-z_{(]|%q?\{")
_LEADS_AWAY = regex(r"[/~]|(?:.*/)?\.\.(?:/|\Z)")
# What separates the paths of a list (`-cp a:b`), or a path from its name (`-DX=a`).
_BETWEEN_PATHS = regex(r"[:;=]")
# Operands that are code, and so is what options name beside them.
_CODE_ROLES = frozenset({"own", "near"})
# A compiler looks there for processors of annotations; what it compiles may lie anywhere.
_CLASS_PATHS = frozenset({"-cp", "-classpath", "--class-path", "-p", "--module-path"})
# A path that leads away from the working directory, at least at first sight.
_IS_PATH = regex(r"(?:/|\.\./)[^@]*\Z")
# Addresses of keys and certificates that libraries open by loading a module; any address at all.
_CODE_ADDRESS = regex(r"(?i)(?:org\.openssl\.\w+|pkcs11|engine|tpmkey|tpm2tss|handle):")
_ADDRESS = regex(r"[A-Za-z][A-Za-z0-9+.-]+:")
# To gzip `x-gz` and `x_z` are names of packed files, too.
_PACKED = regex(r"(?i)[-_]g?z\Z")
# Numbers and words that are made of letters, digits, dots and dashes.
_WITHOUT_SIGNS = frozenset({"digits", "number", "token"})
_NAME_OF_GIT = "write refs/heads/ or refs/tags/ before a name, or write it out"
# What an unknown end of a word could be, to ask whether a program would refuse it.
_ENDINGS = ("", "::x", "=$(x)", "://x", "//x", "{x", "/x", ".js", ";x", "@x", "x:x", "x::x", "x://x")


class ArgumentInspector:
    """What the arguments of a command do."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found = Inspection()
        self.depth = 0
        # The name before the command that is looked at; does a program start it, which knows no builtins?
        self.outer = ""
        self.is_started = not context.shell  # without a shell, there are programs only

    def step(  # noqa: PLR0913 - the fields of a step
        self,
        words: tuple[Word, ...],
        effects: Sequence[Effect] = (),
        role: Role = "command",
        *,
        rememberable: bool = True,
        rule_words: tuple[Word, ...] = (),
        paths: Sequence[PathUse] = (),
    ) -> None:
        """Write one step down."""
        self.found.steps.append(
            Step(words, role, tuple(effects), rule_words or words, rememberable, paths=tuple(paths))
        )

    def finish(self, words: tuple[Word, ...], found: Effects, skip: int = 0) -> None:
        """Write the step of a program down; rules need not see the first `skip` arguments."""
        effects = found.effects
        if not is_system_name(words[0].text):
            # Another program of that name, which only a rule that spells it allows: the table is a guess.
            effects = [effect for effect in effects if effect.kind != "unlisted"]
        rule_words = (words[0], *words[1 + skip :]) if skip else ()
        self.step(words, effects, rule_words=rule_words, paths=found.paths)

    def vouched(self, words: Sequence[Word], found: Effects, *, harmless: bool = False) -> None:
        """Arguments that no table knows: proven ones are the rule's affair, others need `foo *` in it."""
        for word in words:
            found.uses(word, "maybe")
            if harmless or word.literal or word.number or (word.tilde and not word.dynamic) or word.known:
                continue
            if word.known_value:
                continue
            if word.glob is not None and not word.dynamic and not word.may_be_option:
                continue
            hint = "write ./ before the pattern" if word.glob is not None and not word.dynamic else ""
            reason = "this argument is only known when it runs, and nothing is known about the program"
            found.add(unresolved(word, reason, ANY, hint=hint))

    def arguments(
        self, entry: Program, words: Sequence[Word], found: Effects, outer: Program | None = None
    ) -> int:
        """What the arguments of a program do; how many words before the sub-command rules need not see."""
        return self.given_arguments(entry, read(compiled(entry, outer), words), words, found, outer)

    def given_arguments(
        self,
        entry: Program,
        given: list[Argument],
        words: Sequence[Word],
        found: Effects,
        outer: Program | None = None,
    ) -> int:
        """The same for arguments that have been read."""
        if entry.runs_module:
            given = self._before_module(entry, given, words, found)
        first = first_operand(given)
        if first is not None and (entry.commands or entry.passes or entry.other):
            given = given[: given.index(first)]
        self._options(entry, given, found)
        if entry.response_files or (outer is not None and outer.response_files):
            self._response_files(given, found)
        for item in first_operands(entry, outer, given, first) if entry.spelled else ():
            self._spelled(entry, item.word, words, found)
        if (entry.only_with or entry.asks) and (first is None or not entry.commands):
            find_missing(entry, given, words[0] if words else Word("", 0, 0), found)
        if entry.for_scripts and not entry.passes:
            self.for_scripts(entry, [item.word for item in given if is_for_script(entry, item)], found)
        if first is None:
            find_unpacked(entry, given, found)
            find_followed(entry, given, found)
            return 0
        if (entry.commands or entry.other) and not (
            entry.passes and first.word.text not in _commands_of(entry)
        ):
            self._subcommand(entry, first, words, found, entry if entry.persistent else outer)
        elif entry.passes:
            self.passed(entry, first, words, found)
        else:
            self.operands(entry, given, found)
            return 0
        harmless = all(item.kind == "option" for item in given)
        return position(words, first.word) if harmless else 0

    def _options(self, entry: Program, given: Sequence[Argument], found: Effects) -> None:
        """What the options do, as far as they do more than print; operands are looked at in their places."""
        harmless = tamed(entry, given) if entry.tamed else None
        named = bool(entry.names_with) and any(item.flag in entry.names_with.split() for item in given)
        names_files = entry.names_files or entry.suffixes
        for item in given:
            more = item.kind != "operand" and (item.kind != "option" or names_files)
            if more and item.flag == harmless:
                found.uses(item.value, "read")
            elif more and not (named and item.kind == "unproven"):
                self.option(entry, item, found)

    def _before_module(
        self, entry: Program, given: list[Argument], words: Sequence[Word], found: Effects
    ) -> list[Argument]:
        """`coverage run -m pytest -p x`: the module's own table knows what follows it."""
        value, rest, before = inner_module(entry, given, words)
        inner = tables.module(value.text) if value is not None and value.literal else None
        if inner is not None:
            self.arguments(inner, rest, found)
        else:
            self.vouched(rest, found)
        return before

    def option(self, entry: Options, item: Argument, found: Effects) -> None:
        """What one option does."""
        reason: str = getattr(entry, "reason", "")
        harmless: bool = getattr(entry, "harmless", False)
        value = item.value
        if item.kind == "runs":
            found.add(runs(item.word, f"`{shown(item.flag)}`: {reason}", item.flag, hint=item.hint))
        elif item.kind == "writes" and not is_free(value, _first_name(entry), shell=self.context.shell):
            found.add(writes(item.word, f"`{item.flag}`: {reason}", item.flag, value))
        elif item.kind == "places" and value is not None and not _is_preset(item):
            said = f"`{item.flag}` takes instructions from elsewhere: {reason}"
            found.add(from_place(item.word, said, item.flag, value))
        elif item.kind == "unlisted" and (not harmless or item.may_do_more):
            self._unlisted(item, f"{item.reason}: {reason}" if reason else item.reason, found)
        elif item.kind == "unproven" and not (harmless or _is_name(entry, item.word)):
            # Behind `--` it is no option, but where operands can do harm that is no help.
            refuses: str = getattr(entry, "refuses", "")
            helps = getattr(entry, "dashes", True) and not refuses
            pattern = pattern_of(refuses)
            below = pattern is not None and pattern.match("./../x") is not None
            said = unresolved(item.word, item.reason, hint=item.hint) if item.reason else None
            found.add(said or unproven(item.word, self.outer, helps=helps, below=below))
        self._option_paths(entry, item, found)

    def _unlisted(self, item: Argument, reason: str, found: Effects) -> None:
        """An option that is not known. `sort --outp` and `-o=x` count as what they may stand for.

        That holds without an allowlist, too, where what is not known is not refused.
        """
        spelled = item.flag.startswith("--") or item.word.text.startswith(f"{item.flag}=")
        if item.may_do_more and spelled:
            found.add(runs(item.word, reason, item.flag, hint=item.hint))
            found.add(writes(item.word, reason, item.flag))
        else:
            found.add(unlisted(item.word, reason, item.flag, hint=item.hint))

    def _option_paths(self, entry: Options, item: Argument, found: Effects) -> None:
        """The files that an option names."""
        value = item.value
        access = _ACCESS.get(item.kind)
        if item.kind in {"reads", "changes"} and value is not None:
            # `pip install -e link` is like `pip install ./link`, `java -cp link X` like `java link/X.java`.
            roles = str(getattr(entry, "operands", ""))  # of a wrapper it is a number
            listed = item.flag in _CLASS_PATHS
            if listed or not _CODE_ROLES.isdisjoint(roles.split()):
                self._own(entry, value, found, only_links=listed)
            if item.kind == "reads":
                self._address(entry, value, found)
        if access is not None and item.kind != "unlisted" and value is not None and value.literal:
            # `--emit=asm=x`, `--python_out=lite:x`: the path stands behind something else.
            # Of what is read also before it: `curl -E cert:password`.
            parts = _LISTED.split(value.text)
            for part in parts[access != "read" or len(parts) == 1 :]:
                found.uses(value.with_text(part), access)
            if _EXPANDED.search(value.text):
                found.uses(unknown_at(value), access)
        if item.kind == "follows":
            found.paths.append(PathUse(item.word, "leave"))
        elif access is not None:
            found.uses(value if item.kind != "unlisted" else item.word, access)
        if value is not None:
            self._named_files(entry, item, value, found)

    def _named_files(self, entry: Options, item: Argument, value: Word, found: Effects) -> None:
        """Files and directories of which a value is a part, or that hold more than it says."""
        names_files: str = getattr(entry, "names_files", "")
        if item.flag in names_files.split():
            found.uses(any_end(value) if item.kind == "changes" else unknown_at(value), "change")
        gathers: str = getattr(entry, "gathers", "")
        if item.flag in gathers.split():
            found.uses(value, "fill")
        suffixes: str = getattr(entry, "suffixes", "")
        if item.flag in suffixes.split():
            found.uses(any_beginning(value), "beside")

    def _response_files(self, given: Sequence[Argument], found: Effects) -> None:
        """`gcc -D @more x.c`: a file of words takes the place of one; a linker gets `-e@more`, too."""
        for value in (value for item in given for value in item.values):
            if value.text.startswith(("@", "=@")):
                reason = f"`{shown(value.text)}` is a file of further options"
                found.add(runs(value, reason, value.text if value.literal else ""))
            elif value.dynamic and not value.number and value.prefix == "":
                reason = "this value could begin with `@`, which is a file of further options"
                found.add(unresolved(value, reason, hint="write ./ before a file, or write the value out"))

    def operands(self, entry: Program, given: Sequence[Argument], found: Effects) -> None:
        """What operands do, by their places."""
        roles = entry.operands.split()
        flags, operands, uncertain, edits = sorted_out(given)
        vanishing = 0  # how many of those before may become no word (nullglob)
        roles = roles[1:] if len(roles) > 1 and flags & set(entry.texts.split()) else roles
        for index, word in enumerate(operands):
            uncertain = uncertain or word.several
            at = min(index - vanishing, len(roles) - 1)
            vanishing += word.several
            here = set(roles[at:] if uncertain else roles[at : at + 1])
            if "copy" in here:
                changed = word is operands[-1] or flags & set(entry.links.split())
                here = (here - {"copy"}) | {"change" if changed else "read"}
            if entry.refuses:
                self.refused(entry, word, found)
            for role in sorted(here):
                self._operand(entry, role, word, found)
            if "squeeze" in here:
                self._squeezed(entry, word, flags, found)
            if entry.max_operands and (index >= entry.max_operands or uncertain):
                flag = word.text if word.literal else ""
                found.add(runs(word, f"`{shown(word.text)}` can be a file of code: {entry.reason}", flag))
            if edits:
                # A text that is taken for a file because there is one of that name brings no content along.
                found.uses(word, "touch" if here == {"text"} else "alter")
        find_unpacked(entry, given, found)
        find_followed(entry, given, found)
        find_turned(entry, given, found)
        find_linked_here(entry, given, found)
        find_displaced(entry, given, found)
        if entry.after:
            self._after(entry, given, found)

    def _operand(self, entry: Program, role: str, word: Word, found: Effects) -> None:
        if role == "write":
            if not is_free(word, _first_name(entry), shell=self.context.shell):
                found.add(writes(word, f"this file is written: {entry.reason}", word.text, word))
            found.uses(word, "write")
        elif role == "near":
            found.uses(word, "read")
            said = f"instructions from elsewhere: {entry.reason}"
            found.add(from_place(word, said, word.text, word))
        elif role in {"own", "edit"}:
            found.uses(word, "maybe" if role == "own" else "alter")
            self._own(entry, word, found)
        elif role == "prefix":
            found.uses(any_end(word), "change")
        elif role in {"read", "change", "touch", "equip", "maybe", "alter", "fill"}:
            self._address(entry, word, found)
            found.uses(word, role)  # pyright: ignore[reportArgumentType]  # the test above

    def _own(self, entry: Options, word: Word, found: Effects, *, only_links: bool = False) -> None:
        """`pytest link`: a file of the project is found in the project, behind a link too."""
        if word.tilde or word.braces:
            return
        reason = f"instructions from elsewhere: {getattr(entry, 'reason', '')}"
        pattern = pattern_of(getattr(entry, "refuses", ""))
        # Where the table says which paths are refused as they are written (not `cmake ..`), only links count.
        if word.literal and pattern is not None and pattern.match("/x") is not None:
            only_links = True
        if may_lead_away(word, is_checked=pattern is not None):
            found.add(unresolved(word, f"it can lead elsewhere: {reason}", hint="write it out"))
        for place in _places_of(word) - {""}:
            if only_links and _LEADS_AWAY.match(place):
                continue
            effect = runs(word, reason, word.text if word.literal else "")
            found.add(replace(effect, place=Word(place, word.start, word.end), near=True))

    def for_scripts(self, entry: Options, words: Sequence[Word], found: Effects) -> None:
        """`npm test -- --config /tmp/x.js`: code from elsewhere for the program that a script runs."""
        self.vouched(words, found)
        for kind, word, value in script_words(written_out(words), _first_name(entry)):
            said = f"`{shown(word.text)}` is for a script of the project"
            flag = word.text
            if kind == "runs":
                found.add(runs(word, f"{said}, whose program could run it", flag))
            elif kind == "elsewhere":
                found.add(from_elsewhere(word, f"{said}: code from elsewhere", flag, value))
            else:
                found.add(writes(word, f"{said}, which writes there", flag, value))
                found.uses(value, "write")
        for word in words:
            for value in values_for_script(word):
                found.uses(value, "alter")
                if not value.text.startswith(("-", "/", "~", "http://", "https://")):
                    self._own(entry, value, found)

    def _squeezed(self, entry: Program, word: Word, flags: Collection[str], found: Effects) -> None:
        """A file that is changed, and perhaps the one that was packed into it."""
        found.uses(word, "change")
        restores = not entry.restores or any(flag in flags for flag in entry.restores.split())
        if restores and not any(flag in flags for flag in entry.looks.split()):
            found.paths.append(PathUse(without_ending(word), "change", restored=True))
            if _PACKED.search(word.text):
                made = word.with_text(_PACKED.sub("", word.text))
                found.paths.append(PathUse(made, "change", restored=True))

    def _address(self, entry: Options, word: Word, found: Effects) -> None:
        """A file that could be an address, and one that loads code: a key in an engine or on a token."""
        addresses: bool = getattr(entry, "addresses", False)
        if not addresses and (":" not in word.text or getattr(entry, "harmless", False)):
            return
        text = word.text if word.literal else word.prefix
        if _CODE_ADDRESS.match(text) or (addresses and _ADDRESS.match(text)):
            found.add(runs(word, "this address can load code", word.text if word.literal else ""))
        elif addresses and word.dynamic and "/" not in text:
            reason = "this value can turn out to be an address that loads code"
            found.add(unresolved(word, reason, hint="write ./ before it"))

    def refused(self, entry: Program, word: Word, found: Effects) -> None:
        """Operands that a program's table names by a pattern: `file://`, `SHELL=`, `ext::`."""
        pattern = pattern_of(entry.refuses)
        if pattern is None:
            return
        text, endings = word.text, ("",)
        if word.dynamic and word.glob is None and all(e.shape in _WITHOUT_SIGNS for e in word.expansions):
            text, endings = "", tuple(word.text.replace(UNKNOWN, value) for value in ("1", "-1", "a1-b.c"))
        elif word.dynamic or word.glob is not None:
            text = word.prefix
            # What a pattern finds is no way upwards.
            climbs = text.endswith("/") and any(e.kind != "file" and not e.below for e in word.expansions)
            more = [ending for ending, may_be in (("*", word.dynamic), ("../x", climbs)) if may_be]
            endings = (*_ENDINGS, *more, *completions(entry.refuses, text))
        if any(pattern.match(text + ending) for ending in endings):
            flag = word.text if word.literal else ""
            place = word if _IS_PATH.match(word.text) else None
            named = self.outer == "git" and "change" not in entry.operands  # no directory that is made
            hint = "" if word.literal else _NAME_OF_GIT if named else "write it out"
            if word.glob is not None and not word.dynamic:
                hint = "put it into quotes"
            said = f"`{shown(word.text)}`: {entry.reason}"
            found.add(from_elsewhere(word, said, flag, place, hint=hint))

    def _after(self, entry: Program, given: Sequence[Argument], found: Effects) -> None:
        """Words behind `--` that are options of another program."""
        pattern = pattern_of(entry.after)
        for item in given if pattern is not None else ():
            if item.flag == "--" and not (
                item.word.literal and pattern and pattern.fullmatch(item.word.text)
            ):
                text = item.word.text
                reason = f"`{shown(text)}` is for another program and not known to be harmless there"
                found.add(unlisted(item.word, reason, text if item.word.literal else ""))

    def _spelled(self, entry: Program, word: Word, words: Sequence[Word], found: Effects) -> None:
        """A sub-command that runs what it is told."""
        if word.text in entry.spelled.split():
            effect = runs(word, f"`{word.text}` is more than a rule for the program allows", word.text)
            found.add(replace(effect, inner=inner_command(entry, word, words)))
        elif not word.literal and any(name.startswith(word.prefix) for name in entry.spelled.split()):
            found.add(
                unresolved(word, "this value can turn out to be a sub-command", hint="write ./ before it")
            )

    def _subcommand(
        self, entry: Program, first: Argument, words: Sequence[Word], found: Effects, outer: Program | None
    ) -> None:
        """The first operand: a sub-command with a table of its own, or one that a rule must spell."""
        word = first.word
        rest = words[position(words, word) + 1 :]
        name = entry.names.split()[0]
        if not word.literal or first.reason:  # `yarn --emoji --silent exec x`: a value, or an option
            reason = first.reason or "the sub-command is only known when it runs"
            found.add(unresolved(word, reason, hint=first.hint))
            self.vouched(rest, found)
            return
        command = _commands_of(entry).get(word.text)
        scripts = pattern_of(entry.scripts)
        if command is None and scripts is not None and scripts.fullmatch(word.text):
            command = _commands_of(entry).get("run")
        command = command or entry.other
        if word.text in entry.named.split():
            found.add(runs(word, f"`{word.text}` needs a rule that spells `{name}`", name))
        if word.text in entry.spelled.split():
            command = _commands_of(entry).get(word.text)
        elif command is None:
            reason = f"the sub-command `{shown(word.text)}` of `{name}` is not known to be harmless"
            found.add(unlisted(word, f"{reason}: {entry.reason}" if entry.reason else reason, word.text))
        if command is None:
            self.vouched(rest, found)
        else:
            if command is entry.other:
                self.refused(entry, word, found)
                if command.for_scripts:
                    find_command(word, word.text, rest, found)
                if entry.operands == "own":
                    self._own(entry, word, found)
            # `yarn c8 -s mocha rm x`: what follows a tool's own name is for the tool alone.
            runs_scripts = entry.other is not None or entry.scripts != ""
            is_tool_itself = runs_scripts and tables.program(word.text) is command
            self.arguments(command, rest, found, None if is_tool_itself else outer)

    def passed(self, entry: Program, first: Argument, words: Sequence[Word], found: Effects) -> None:
        """`npx eslint ...`: another program, whose table is asked if there is one."""
        word = first.word
        rest = words[position(words, word) + 1 :]
        # `npx eslint@8`, `uvx ruff==0.4`: the same program in another version.
        full, name, scoped = package(word, scopes=entry.scopes)
        tags = entry.scopes or "dlx" in entry.names  # of the package managers of JavaScript
        if entry.packages and is_no_package(name if scoped else word.text, name, tags=tags):
            reason = f"`{shown(word.text)}` is a program of the system, or elsewhere, and no package"
            found.add(unlisted(word, reason, word.text, hint="run the program by its own name"))
        if not word.literal:
            found.add(unresolved(word, "which program it runs is only known when it runs"))
        if entry.tools and not is_tool(name, rest):
            reason = f"`{shown(word.text)}` is not known as a tool of JavaScript"
            found.add(unlisted(word, reason, word.text))
        for item in (word, *rest) if entry.for_scripts else rest:
            self.refused(entry, item, found)
        find_other_reading(entry, word, words, found)
        inner = tables.program(name)
        if inner is not None:
            self.arguments(inner, rest, found)
        elif not self.passed_code(name, rest, found):
            self.vouched(rest, found)
            if entry.for_scripts or entry.scopes:
                self._for_package(entry, word, full, rest, found)
        elif not (entry.packages or entry.for_scripts):
            # `uv run python -c x`: as `python -c x`, or for a rule that admits anything there.
            found.effects = [
                replace(effect, inner=(word, *rest), behind=entry.names)
                if effect.kind == "inline"
                else effect
                for effect in found.effects
            ]

    def _for_package(
        self, entry: Program, word: Word, name: str, rest: Sequence[Word], found: Effects
    ) -> None:
        """What a package without a table is told; a rule that names it (`npx frob`) vouches for it."""
        inner = Effects()
        self.for_scripts(entry, rest, inner)
        find_command(word, name, rest, inner, is_script=not entry.scopes)
        found.paths += inner.paths
        found.effects += [replace(e, flag=word.text) if entry.scopes else e for e in inner.effects]

    def passed_code(self, name: str, rest: Sequence[Word], found: Effects) -> bool:
        """Arguments for an interpreter, which knows code among them; False: it is none."""
        del name, rest, found
        return False


def _is_name(entry: Options, word: Word) -> bool:
    """Whether a word that is not known is a name (`docker rm $x`); `-$x` is an option, whatever it is."""
    return getattr(entry, "takes_names", False) and not word.prefix.startswith("-")


@lru_cache(maxsize=512)
def _commands_of(entry: Program) -> dict[str, Program]:
    """The sub-commands of a program by their names; the first of two with the same one counts."""
    return {name: item for item in reversed(entry.commands) for name in item.names.split()}


def _places_of(word: Word) -> set[str]:
    """The path that a word is, or the directories in which what it stands for is found."""
    if word.dynamic:
        looped = all(piece.kind == "file" for piece in word.expansions)
        places = {place for piece in word.expansions for place in piece.below}
        return places | {word.prefix.rpartition("/")[0]} if looped else places
    # Behind a colon stands a line, a test or another path, in brackets what else is wanted (`./x[dev]`);
    # before a pattern stands the directory.
    text = word.text if word.glob is None else word.prefix.rpartition("/")[0]
    return {text, text.partition("[")[0], *_BETWEEN_PATHS.split(text), *_BETWEEN_PATHS.split(word.text)}


def _is_preset(item: Argument) -> bool:
    """`cmake --build --preset x`: no directory, but one that the project's own file names."""
    value = item.value.text if item.value is not None and item.value.literal else ""
    return item.flag == "--build" and (value == "--preset" or value.startswith("--preset="))


def pattern_of(text: str) -> re.Pattern[str] | None:
    """A pattern of a table (`re` keeps what it has compiled)."""
    return re.compile(text, re.DOTALL) if text else None


def _first_name(entry: Options) -> str:
    """The program that a table is for; sub-commands are listed under their own names."""
    names: str = getattr(entry, "names", "")
    return names.partition(" ")[0]
