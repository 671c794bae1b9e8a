"""git, where its table is not enough: settings, formats, and the editor that it starts for a message.

Above: `programs`. Below: `interpreters`, `inspector`, and the table of git. An editor takes commands from its
input (`:!cmd` of vi), so what makes git start one is refused, unless a message is given or the editor is
`true`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import (
    Effects,
    PathUse,
    from_place,
    position,
    runs,
    shown,
    unknown_at,
    unlisted,
    unresolved,
    writes,
)
from nacre.policy.interpreters import CodeInspector
from nacre.policy.model import UNKNOWN, names
from nacre.policy.options import compiled, read
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from nacre.policy.model import Word
    from nacre.policy.options import Argument
    from nacre.policy.tables.schema import Program

# Settings of git that neither run nor reach anything: they may be given with -c, and written by `git config`.
_HARMLESS_GIT_KEY = regex(
    r"(?i)color\.[\w.]+|user\.(?:name|email)|core\.(?:quotepath|autocrlf|abbrev|filemode|ignorecase|longpaths|eol|safecrlf|whitespace|preloadindex)"
    r"|advice\.\w+|log\.(?!showsignature)\w+|status\.\w+|column\.\w+|diff\.(?:renames|renamelimit|context|algorithm|colormoved|mnemonicprefix|noprefix|statgraphwidth)"
    r"|init\.defaultbranch|pull\.ff|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel)"
    r"|merge\.(?:conflictstyle|ff|renames)|rebase\.(?:autostash|autosquash|updaterefs)|branch\.autosetup(?:merge|rebase)|branch\.sort|tag\.sort"
    r"|branch\..+\.(?:merge|description)|rerere\.(?:enabled|autoupdate)|commit\.(?:verbose|cleanup)|gc\.auto|stash\.\w+"
)
# An interactive rebase starts an editor.
_REBASE_KEY = regex(r"(?i)pull\.rebase|branch\..+\.rebase")
_PLAIN_REBASE = regex(r"(?i)true|false|merges|yes|no|on|off|[01]")
# So does sorting by what a program says of signatures start one.
_SORT_KEY = regex(r"(?i)(?:branch|tag)\.sort")
_PLAIN_SORT = regex(r"-?(?:v(?:ersion)?:)?\*?(?!signature)[a-z][\w:.=,-]*")
_GIT_READS = frozenset(
    {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "--list", "-l"}
)
_GIT_UNSETS = frozenset({"--unset", "--unset-all"})
_GIT_LOOKS = frozenset({"get", "list"})
_GIT_VERBS = _GIT_LOOKS | {"set", "unset"}
# Signatures are checked by a program. Behind the `%` may stand what becomes of the line around it: `%+G?`.
_SIGNATURE = regex(r"%[-+ ]*G")
_SIGNATURE_FIELD = regex(r"(?i)%\(\*?signature")
# Sub-commands that look at what stands behind `--` themselves. Others hand it on to one another as it is:
# behind `git pull --`, an option is one of `git fetch`.
_KEEPS_OPERANDS = names(
    "add stage rm mv commit checkout switch restore reset clean status log whatchanged show reflog diff "
    "diff-tree diff-index diff-files shortlog format-patch blame annotate grep ls-files ls-tree rev-parse "
    "rev-list merge-base show-ref check-ignore check-attr branch tag merge rebase apply "
    "am push fetch clone ls-remote init cat-file archive config"
)
_ENDS = frozenset({"--", "--end-of-options"})
_GIT_FORMATS = frozenset({"--format", "--pretty", "--group"})
_SORTS = names("branch tag for-each-ref ls-remote")
# Options with which a sub-command starts an editor; a patch can be edited piece by piece.
_STARTS_EDITOR = {
    "commit": names("-e --edit -c --reedit-message -t --template -p --patch --interactive"),
    "tag": names("-e --edit"),
    "merge": names("-e --edit --continue"),
    "pull": names("--edit"),
    "rebase": names("--continue --skip --autosquash -i --interactive"),
    **dict.fromkeys(("cherry-pick", "revert"), names("-e --edit --continue")),
    **dict.fromkeys(("add", "stage"), names("-p --patch -i --interactive")),
    **dict.fromkeys(("checkout", "switch", "restore", "reset", "stash"), names("-p --patch")),
}
# Options with which a commit, an annotated tag and a note need none.
_GIVES_MESSAGE = names("-m --message -F --file -C --reuse-message")
_COMMITS_WITHOUT = _GIVES_MESSAGE | names("--fixup --no-edit --dry-run --short --porcelain --long -h")
# What stands before the command, so that no editor is started.
NO_EDITOR = frozenset({"GIT_EDITOR=true", "GIT_EDITOR=:"})
_WRITE_MESSAGE = "write -m 'message'"
# An address of another machine (host:path, https://host/path); all else is a directory (C:/x, too), or a
# remote's name.
_REMOTE_ADDRESS = regex(r"(?!file:|[A-Za-z]:[/\\])[^/:]+:")
_NAME_OF_REMOTE = regex(r"\.\Z|\w[^/:]*\Z")
# Sub-commands that change files by patterns of git's own: `:/x`, `:(top)x`, `:!x` (all but x), `*.py`.
# They fill a directory with files that may be links.
_BRINGS_FILES = frozenset({"clone", "worktree", "submodule"})
_CHANGES_FILES = names("rm checkout restore clean stash sparse-checkout")
_PATHSPEC = regex(r"\A:|[*?\[]")
_MAGIC = regex(r":(?:\([^)]*\)|[/!^]+:?|:)?")
_UNTRACKED = frozenset({"-u", "-a", "--include-untracked", "--all"})
_LISTS_PATTERNS = frozenset({"list", "check-rules", "-h"})
_DRY = frozenset({"-n", "--dry-run"})
_ALL_BUT = regex(r"[!^]|exclude|attr|prefix")
_WRITE_NO_EDITOR = "write GIT_EDITOR=true before the command"


class GitInspector(CodeInspector):
    """Knows git."""

    def read_git(self, words: tuple[Word, ...]) -> None:
        """Options before the sub-command, then the sub-command's own."""
        entry = tables.program("git")
        if entry is None:
            return
        found = Effects()
        given = read(compiled(entry), words[1:])
        skip = self.given_arguments(entry, given, words[1:], found)
        directory = next((item.value for item in given if item.flag == "-C"), None)
        found.uses(directory or words[0].with_text(""), "repository")
        for item in given:
            if item.flag == "-c" and item.value is not None and _is_harmless_setting(item.value):
                found.effects = [effect for effect in found.effects if effect.start != item.word.start]
            elif item.flag == "-C" and item.value is not None:
                reason = "`-C`: the configuration of another repository can run programs"
                found.add(from_place(item.word, reason, "-C", item.value))
        first = next((item.word for item in given if item.kind == "operand"), None)
        if first is not None:
            rest = words[position(words, first) + 1 :]
            self._git_command(first, rest, found)
            self._git_editor(first, rest, found)
        if first is not None and first.text in _BRINGS_FILES:
            found.paths = [
                replace(use, brings_links=True) if use.access == "change" else use for use in found.paths
            ]
        self.finish(words, found, skip)

    def _git_command(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """What the tables of sub-commands cannot say."""
        if command.text == "config":
            self._git_config(rest, found)
        elif command.text == "format-patch" and not _is_printed(rest):
            found.add(writes(command, "patches are written as files; add --stdout", "format-patch"))
        elif command.text in {"apply", "am"}:
            self._git_patched(command, rest, found)
        elif command.text in {"push", "remote"}:
            self._git_receiver(command, rest, found)
        elif command.text in {"clone", "submodule"}:
            self._git_cloned(command, rest, found)
        elif command.text in _CHANGES_FILES:
            self._git_patterns(command, rest, found)
        pushes = command.text == "stash" and any(word.text == "push" for word in rest[:1])
        if command.text not in _KEEPS_OPERANDS and not pushes:
            self._git_hands_on(rest, found)
        self._git_help(command, rest[:1], found)
        self._git_sorts(command, rest, found)
        for word in rest:
            name, _, value = word.text.partition("=")
            signed = name in _GIT_FORMATS and (_SIGNATURE.search(value) or UNKNOWN in value)
            signed = signed or (command.text == "shortlog" and _SIGNATURE.search(word.text))  # of --group
            if signed or _SIGNATURE_FIELD.search(word.text):
                found.add(runs(word, "a format with %G runs a program that checks signatures", name))

    def _git_patched(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """A patch may name any file but those in .git, below the directory of an option."""
        found.uses(command.with_text("."), "change")
        entry = next((c for c in tables.git_commands() if c.names == command.text), None)
        for item in read(compiled(entry), rest) if entry is not None else ():
            if item.flag == "--directory" and item.value is not None:
                found.uses(item.value, "change")

    def _git_receiver(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """`git push ./x`: git runs the hooks of a repository on this machine, as its configuration says."""
        entry = next((c for c in tables.git_commands() if c.names == command.text), None)
        if entry is None:
            return
        operands = _operands(entry, rest)
        addresses = operands[:1]
        if command.text == "remote":
            verb = operands[0].text if operands else ""
            inner = _operands(entry.commands[0], rest[position(rest, operands[0]) + 1 :]) if operands else []
            addresses = inner[1:] if verb in {"add", "set-url"} else []
        for word in addresses:
            text = word.text if word.literal else word.prefix
            named = word.literal and command.text == "push" and _NAME_OF_REMOTE.match(text)
            if named:
                # No remote of that name: a directory.
                found.paths.append(PathUse(word, "repository", ("remote",)))
            else:
                _find_hooks(word, found)

    def _git_patterns(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """`git rm '*.toml'`, `git restore :/x`: git itself looks for the files that it changes."""
        if command.text == "sparse-checkout":  # what its patterns leave out is taken away
            verb = rest[0].text if rest else "list"
            found.paths += [PathUse(command, "tracked", ("*",))] if verb not in _LISTS_PATTERNS else []
            return
        entry = next((c for c in tables.git_commands() if command.text in c.names.split()), None)
        if entry is not None and command.text == "stash":
            entry = next((c for c in entry.commands if "push" in c.names.split()), None)
        if entry is None:
            return
        if command.text == "checkout":
            _leave_out_tree(rest, found)
        given = read(compiled(entry), rest)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        for item in given:
            if item.flag == "--pathspec-from-file":
                found.paths.append(PathUse(item.word, "tracked", ("*",)))
        for word in operands:
            if word.literal and _PATHSPEC.search(word.text):
                magic = _MAGIC.match(word.text)
                pattern = word.text[magic.end() :] if magic is not None else word.text
                anything = magic is not None and _ALL_BUT.search(magic.group()) is not None
                found.paths.append(PathUse(word, "tracked", ("*" if anything else pattern or "*",)))
        self._git_untracked(command, given, operands, found)

    def _git_untracked(
        self, command: Word, given: Sequence[Argument], operands: Sequence[Word], found: Effects
    ) -> None:
        """`git clean`, `git stash -u`: what git does not track is taken away, unless files are named."""
        flags = {item.flag for item in given}
        # A pattern that matches nothing may be no word (nullglob).
        named = [word for word in operands if not word.several]
        if command.text == "clean" and not named and flags.isdisjoint(_DRY):
            found.uses(command.with_text("."), "change")
        # Behind `save` stands a message.
        whole = {word.text for word in named} <= {"push"} or operands[0].text == "save"
        if command.text == "stash" and whole and not flags.isdisjoint(_UNTRACKED):
            found.paths.append(PathUse(command, "tracked", ("*",)))

    def _git_hands_on(self, rest: Sequence[Word], found: Effects) -> None:
        """`git pull -- --upload-pack=x`: a word that begins with a dash is an option of another command."""
        ends = next((at for at, word in enumerate(rest) if word.text in _ENDS), len(rest))
        for word in rest[ends + 1 :]:
            if word.literal and word.text.startswith("-"):
                reason = f"`{shown(word.text)}` is handed on to another command of git as an option"
                found.add(runs(word, reason, hint="leave it out"))
            elif not word.literal and word.may_be_option:
                reason = "this value can turn out to be an option of another command of git"
                found.add(unresolved(word, reason, hint="write it out"))

    def _git_cloned(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """`git clone host:.ssh`: the directory that is made is named like the last part of the address."""
        entry = next((c for c in tables.git_commands() if c.names == command.text), None)
        if entry is not None and command.text == "submodule":
            verb = next(iter(_operands(entry, rest)), None)
            if verb is None or verb.text != "add":
                return
            rest = rest[position(rest, verb) + 1 :]
            entry = next((c for c in entry.commands if c.names == "add"), None)
        operands = _operands(entry, rest) if entry is not None else []
        for word in operands[:1]:
            _find_hooks(word, found)  # it becomes the remote of that name
        if len(operands) != 1:
            return
        address = operands[0]
        name = _repository_name(address.text)
        found.uses(address.with_text(name) if address.literal and name else unknown_at(address), "change")

    def _git_help(self, command: Word, first: Sequence[Word], found: Effects) -> None:
        """`--help` behind a sub-command, and only right behind it, shows a manual with another program."""
        for word in first:
            if word.text == "--help":
                found.add(runs(word, "`--help` shows a manual with another program; `-h` prints", "--help"))
            elif not word.literal and word.may_be_option and _may_be_help(word):
                hint = f"put `{'--verify' if command.text == 'rev-parse' else '--'}` before it"
                reason = f"this value can turn out to be `--help`, which runs another program; {hint}"
                found.add(unresolved(word, reason, hint=hint))

    def _git_sorts(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """`git branch --sort=signature`: a program is asked about the signature of each commit."""
        if command.text not in _SORTS:
            return
        entry = next((c for c in tables.git_commands() if c.names == command.text), None)
        for item in read(compiled(entry), rest) if entry is not None else ():
            if item.flag == "--sort" and item.value is not None and not _is_plain_sort(item.value):
                reason = "sorting by signatures runs a program that checks them"
                found.add(runs(item.word, reason, "--sort"))

    def _git_config(self, rest: Sequence[Word], found: Effects) -> None:
        """`git config` may read anything, and set or take away what cannot run or reach anything."""
        entry = next((c for c in tables.git_commands() if c.names == "config"), None)
        if entry is None:
            return
        given = read(compiled(entry), rest)
        flags = {item.flag for item in given}
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        verb = operands[0].text if operands and operands[0].text in _GIT_VERBS else ""
        if verb:
            operands = self._git_config_verb(verb, rest[position(rest, operands[0]) + 1 :], found)
        if flags & _GIT_READS or verb in _GIT_LOOKS:
            return
        takes_away = verb == "unset" or bool(flags & _GIT_UNSETS)
        key, value = (*operands[:2], None, None)[:2]
        # A key has a dot: another word is a verb, `edit` for one.
        asks = not verb and len(operands) == 1 and key is not None and key.literal and "." in key.text
        if not operands or (asks and not takes_away):
            return
        if not (_is_taken_away(key) if takes_away else _is_harmless_key(key, value)):
            word = operands[0]
            reason = f"the setting `{shown(word.text)}` is not known to be harmless"
            found.add(unlisted(word, reason, word.text if word.literal else ""))

    def _git_config_verb(self, verb: str, rest: Sequence[Word], found: Effects) -> list[Word]:
        """`git config set --global x y`: the options behind the verb; the operands behind them."""
        from nacre.policy.tables.git import CONFIG_VERBS  # noqa: PLC0415 - with the table of git

        entry = next(c for c in CONFIG_VERBS if verb in c.names.split())
        given = read(compiled(entry), rest)
        for item in given:
            if item.kind not in {"option", "operand"}:
                self.option(entry, item, found)
        return [item.word for item in given if item.kind in {"operand", "unproven"}]

    def _git_editor(self, command: Word, rest: Sequence[Word], found: Effects) -> None:
        """An editor is a program that takes commands from its input, too."""
        if command.text not in _STARTS_EDITOR and command.text != "notes":
            return
        entry = next((c for c in tables.git_commands() if command.text in c.names.split()), None)
        if entry is None:
            return
        given = read(compiled(entry), rest)
        operands = [item.word for item in given if item.kind == "operand"]
        inner = operands[0].text if operands else ""
        deeper = next((c for c in entry.commands if inner in c.names.split()), None)
        if deeper is not None:
            given += read(compiled(deeper), rest[position(rest, operands[0]) + 1 :])
        if command.text == "stash" and inner in {"show", "list"}:
            return
        # Where no file matches a pattern, there may be no word (nullglob).
        flags = {item.flag: item.word for item in given if item.flag and item.word.glob is None}
        starts = [word for flag, word in flags.items() if flag in _STARTS_EDITOR.get(command.text, ())]
        fixup = next((item.value for item in given if item.flag == "--fixup"), None)
        if fixup is not None and (not fixup.literal or ":" in fixup.text):  # amend:, reword:
            starts.append(fixup)
        hint = _WRITE_NO_EDITOR
        if not starts and not _has_message(command.text, inner, flags.keys()):
            starts, hint = [command], _WRITE_MESSAGE
        if starts:
            effect = runs(starts[0], "git starts an editor, which can run programs", "--edit", hint=hint)
            found.add(replace(effect, unless=NO_EDITOR))


def _find_hooks(address: Word, found: Effects) -> None:
    """`git remote add x ./y`, `git clone ./y x`: what is pushed there starts what its hooks say."""
    text = address.text if address.literal else address.prefix
    if not _REMOTE_ADDRESS.match(text):
        reason = "the hooks of a repository on this machine are run when something is pushed there"
        found.add(runs(address, reason, address.text if address.literal and ":" not in address.text else ""))


def _leave_out_tree(rest: Sequence[Word], found: Effects) -> None:
    """`git checkout HEAD -- x`: what stands before the dashes is a commit or a tree, never a file."""
    dashes = next((word for word in rest if word.literal and word.text == "--"), None)
    if dashes is not None:
        before = dashes.start
        found.paths[:] = [use for use in found.paths if use.access != "alter" or use.word.start > before]


def _is_printed(rest: Sequence[Word]) -> bool:
    entry = next((c for c in tables.git_commands() if c.names == "format-patch"), None)
    return entry is not None and any(item.flag == "--stdout" for item in read(compiled(entry), rest))


def _operands(entry: Program, words: Sequence[Word]) -> list[Word]:
    given = read(compiled(entry), words)
    return [item.word for item in given if item.kind in {"operand", "unproven"}]


def _repository_name(address: str) -> str:
    """The directory that git makes for a clone: `x` for https://host/x.git/."""
    path = re.sub(r"(?:/\.git)?/*\s*\Z", "", address)
    name = re.split(r"[/:]", path)[-1]
    return name.removesuffix(".bundle").removesuffix(".git")


def _may_be_help(word: Word) -> bool:
    return word.splits or "--help".startswith(word.prefix)


def _is_plain_sort(value: Word) -> bool:
    return value.literal and _PLAIN_SORT.fullmatch(value.text) is not None


def _is_harmless_setting(value: Word) -> bool:
    """`-c color.ui=never`."""
    name, equals, rest = value.text.partition("=")
    if not equals or UNKNOWN in name:
        return False
    if _REBASE_KEY.fullmatch(name):
        return _PLAIN_REBASE.fullmatch(rest) is not None
    if _SORT_KEY.fullmatch(name):
        return _PLAIN_SORT.fullmatch(rest) is not None
    return _HARMLESS_GIT_KEY.fullmatch(name) is not None


def _is_harmless_key(word: Word | None, value: Word | None) -> bool:
    if word is None or not word.literal:
        return False
    if _REBASE_KEY.fullmatch(word.text):
        return value is not None and value.literal and _PLAIN_REBASE.fullmatch(value.text) is not None
    if _SORT_KEY.fullmatch(word.text):
        return value is not None and _is_plain_sort(value)
    return _HARMLESS_GIT_KEY.fullmatch(word.text) is not None


def _is_taken_away(key: Word | None) -> bool:
    """Whether a setting may be removed: without the address of a remote its name is a directory."""
    if key is None or not key.literal:
        return False
    return any(known.fullmatch(key.text) for known in (_HARMLESS_GIT_KEY, _REBASE_KEY, _SORT_KEY))


def _has_message(command: str, inner: str, flags: Collection[str]) -> bool:
    """Tell whether git needs no editor for a message."""
    if command == "commit":
        return not _COMMITS_WITHOUT.isdisjoint(flags)
    if command == "tag" and not {"-a", "--annotate", "--trailer"}.isdisjoint(flags):
        return not _GIVES_MESSAGE.isdisjoint(flags)
    if command == "notes" and inner in {"add", "append"}:
        return not _GIVES_MESSAGE.isdisjoint(flags)
    return True
