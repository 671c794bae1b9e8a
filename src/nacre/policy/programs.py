"""Programs that need more than a table (find, xargs, tar, git, ssh, some builtins), and `inspect` for all.

Above: `court` holds what is found here against the rules. Below: `interpreters`, `inspector`, and the data
in `tables`. This module knows programs but no rule: it says "this option runs another program", never "this
is denied".
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import BUILTINS
from nacre.policy.effects import (
    FREE_TARGETS,
    PROGRAMS,
    WRAPPERS,
    Effect,
    Inspection,
    Script,
    base_name,
    is_free,
    is_system_name,
    option_effect,
    position,
    runs,
    unresolved,
    writes,
)
from nacre.policy.interpreters import CodeInspector
from nacre.policy.model import UNKNOWN, Expansion, Word, names
from nacre.policy.options import compiled, read_options
from nacre.policy.values import Context, is_known_output

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_HARMLESS_GIT_KEY = re.compile(
    r"(?i)(?:color\..*|user\.(?:name|email)|core\.(?:quotepath|autocrlf|abbrev)|advice\..*|log\.\w+|diff\.\w*(?:renames|context|algorithm)|column\..*)="
)
_DANGEROUS_GIT_KEY = re.compile(
    r"(?i)alias\.|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|worktree|attributesfile)|.*\.(?:command|cmd|process|textconv|driver|helper|program|path|clean|smudge|external|proxy|templatedir|packobjectshook|update)\Z|pager\.|sequence\.|include|url\.|protocol\.|remote\..*\.(?:url|vcs|uploadpack|receivepack)|browser\.|man\.|gpg\.|init\.|submodule\.|trailer\.|web\."
)
_HARMLESS_SSH_OPTION = re.compile(
    r"(?i)(?:connecttimeout|batchmode|serveralive\w+|loglevel|stricthostkeychecking|connectionattempts|requesttty"
    r"|port|user|addressfamily|compression|identitiesonly)[ =]"
)
_LOCAL_OPTIONS = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}
)
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_FIND_VALUES = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size "
    "-mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -maxdepth "
    "-mindepth -printf -inum -links -fstype -samefile -used -context -regextype"
)
_XARGS_OPTION = re.compile(
    r"(?:-(?:[0rtpxo]+|-null|-no-run-if-empty|-verbose|-interactive|-exit|-open-tty|-show-limits|-version|-help)"
    r"|(?P<value>-[0rtpxo]*(?:[nPLsdEIaJR])|--max-args|--max-procs|--max-lines|--max-chars|--delimiter|--eof|--arg-file|--process-slot-var)"
    r"|-[ile]|--replace)(?P<rest>(?<=[nPLsdEIaJRile]).*|=.*)?\Z",
    re.DOTALL,
)
_TAR_CREATES = frozenset(
    {"-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete"}
)


def inspect(words: Sequence[Word], context: Context) -> Inspection:
    """Look through one simple command."""
    inspector = ProgramInspector(context)
    inspector.walk(tuple(words))
    return inspector.found


def has_meaning(name: str) -> bool:
    """Tell whether a name means something to the policy: a builtin, a wrapper, a program that it knows."""
    if name in BUILTINS or name in PROGRAMS or name in tables.FILE_PROGRAMS:
        return True
    if name in tables.UNRESOLVABLE or name in tables.RUNNERS or name in tables.BUILTIN_FLAGS:
        return True
    return is_known_output(name) or ProgramInspector(Context()).reader(base_name(name)) is not None


class ProgramInspector(CodeInspector):
    """Knows every program that the tables alone do not describe."""

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """A program's own reader, before everything else."""
        special = _READERS.get(name)
        return (lambda words: special(self, words)) if special is not None else super().reader(name)

    def read_command(self, words: tuple[Word, ...]) -> None:
        """`command -v x` only looks a name up."""
        looked_up = words[2:] if len(words) > 1 and words[1].text in {"-v", "-V"} else ()
        if looked_up and not any(word.may_be_option for word in looked_up):
            self.step(words)
            return
        self.wrapper(words, WRAPPERS["command"])

    def read_xargs(self, words: tuple[Word, ...]) -> None:
        """`xargs cmd`: its input becomes arguments."""
        effects: list[Effect] = []
        index, replaced = 1, ""
        while index < len(words) and words[index].text.startswith("-") and len(words[index].text) > 1:
            text = words[index].text
            if words[index].splits:
                break
            index += 1
            if text == "--":
                break
            option = _XARGS_OPTION.match(text)
            if option is None:
                effects.append(unresolved(words[index - 1], "this option of xargs is not understood", text))
                continue
            takes_next = option.group("value") is not None and not option.group("rest")
            if text.startswith(("-I", "--replace", "-i", "-J")):
                replaced = option.group("rest").lstrip("=") or (
                    words[index].text if takes_next and index < len(words) else "{}"
                )
            index += takes_next
        inner = words[index:]
        at = words[0]
        if not inner:
            inner = (at.with_text("echo"),)
        role = "wrapper" if is_system_name(words[0].text) else "outer"
        self.step(words[:index], effects, role, remembers=False)
        self.walk(_with_input(inner, replaced, at))

    def read_find(self, words: tuple[Word, ...]) -> None:
        """The commands of -exec and its kin; -delete counts as rm."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        inner: list[tuple[Word, ...]] = []
        index = 0
        while index < len(arguments):
            word = arguments[index]
            text = word.text
            index += 1
            if text in _FIND_EXEC:
                end = _find_end(arguments, index)
                inner.append(tuple(_with_found_path(item) for item in arguments[index:end]))
                index = end + 1
            elif text == "-delete":
                effects.append(writes(word, "`-delete` removes files", text))
                inner.append((word.with_text("rm"), word.with_text("--")))
            elif text in _FIND_WRITES:
                target = arguments[index] if index < len(arguments) else word
                effects.append(writes(word, f"`{text}` writes a file", text, target))
                index += 1
            elif text in _FIND_VALUES:
                index += 1
        self.step(words, effects, remembers=not inner)
        for command in inner:
            if not command:
                self.step(words[:1], [unresolved(words[0], "an empty -exec")])
            elif command[0].text == "rm" and command[-1].text == "--":
                self.step(command, (), "command")
            else:
                self.walk(command)

    def read_fd(self, words: tuple[Word, ...]) -> None:
        """The command after -x or -X."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        for index, word in enumerate(arguments):
            if word.text in {"-x", "--exec", "-X", "--exec-batch"}:
                self.step(words, effects, remembers=False)
                inner = tuple(
                    _with_found_path(item) for item in arguments[index + 1 :] if item.text not in {";", "\\;"}
                )
                if inner:
                    self.walk(inner)
                return
            if re.match(r"--exec|-[A-Za-z]*[xX]", word.text):
                effects.append(runs(word, "fd runs a program for each hit", word.text))
        self.step(words, effects)

    def read_tar(self, words: tuple[Word, ...]) -> None:
        """Options in all of tar's styles; extracting and creating write files."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        if arguments and not arguments[0].text.startswith("-"):
            # The old style: letters without a dash, their values are the next words.
            arguments[0] = arguments[0].with_text("-" + arguments[0].text)
            arguments = _old_style(arguments)
        effects += self.table_effects(tables.TAR, arguments)
        given = {o.flag: o for o in read_options(tables.TAR, arguments)}
        archive = next((given[f].value for f in ("-f", "--file") if f in given), None)
        if archive is not None and ":" in archive.text and not archive.text.startswith(("/", "./")):
            effects.append(
                runs(archive, "an archive on another machine is reached through a shell", archive.text)
            )
        to_output = archive is not None and archive.text == "-"
        for flag, option in given.items():
            if flag in {"-x", "--extract", "--get"} and not ({"-O", "--to-stdout"} & given.keys()):
                effects.append(writes(option.word, "tar writes the files it extracts", option.word.text))
            elif flag in _TAR_CREATES and not to_output:
                effects.append(writes(option.word, "tar writes the archive", option.word.text, archive))
        for word in words[1:]:
            if word.pattern and word.text[:1] in "*?[":
                effects.append(unresolved(word, "a file's name could be an option of tar; write ./*"))
        self.step(words, effects)

    def read_git(self, words: tuple[Word, ...]) -> None:
        """Options before the sub-command, then the sub-command's own."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects, trusted=True)
        found = self.table_effects(PROGRAMS["git"], arguments)
        effects += [item for item in found if not self._harmless_git(item, arguments)]
        skip = 1
        while skip < len(words) and words[skip].text in _LOCAL_OPTIONS:
            skip += 1
        subcommand = words[skip].text if skip < len(words) else ""
        if subcommand == "config":
            effects += _git_config(words[skip + 1 :])
        elif subcommand == "remote" and any(
            word.text.startswith("-") and "exec" in word.text for word in words
        ):
            effects.append(runs(words[skip], "the other side's program is an option", "remote"))
        self.step(words, effects, rule_words=(words[0], *words[skip:]))

    def _harmless_git(self, effect: Effect, arguments: Sequence[Word]) -> bool:
        if effect.flag != "-c":
            return False
        following = next((b for a, b in itertools.pairwise(arguments) if a.start == effect.start), None)
        return following is not None and following.literal and bool(_HARMLESS_GIT_KEY.match(following.text))

    def read_ssh(self, words: tuple[Word, ...]) -> None:
        """Local options, and the command for the other machine."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        remote: list[Word] = []
        for option in read_options(PROGRAMS["ssh"], arguments):
            if remote or option.kind == "operand":
                remote = list(arguments[position(arguments, option.word) :])
                break
            if option.flag == "-o" and (
                option.value is None or not _HARMLESS_SSH_OPTION.match(option.value.text)
            ):
                effects.append(runs(option.word, "options of ssh can run local commands", "-o"))
            effect = option_effect(PROGRAMS["ssh"], option.kind, option.flag, option.word, option.value)
            if effect is not None:
                effects.append(effect)
        remote = remote[1:]
        if remote and remote[0].text.startswith("-"):
            effects.append(unresolved(remote[0], "an option after the host's name", remote[0].text))
        if any(word.dynamic for word in remote):
            effects.append(unresolved(remote[0], "the remote command is only known when it runs"))
        elif remote:
            text = " ".join(word.text for word in remote)
            self.found.scripts.append(Script(text, "sh", remote[0].start, remote[-1].end, exact=False))
        self.step(words, effects, "outer", remembers=False)

    def read_wget(self, words: tuple[Word, ...]) -> None:
        """Saves what it fetches, unless it is told to print it."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects, trusted=True)
        effects += self.table_effects(PROGRAMS["wget"], arguments)
        given = list(read_options(PROGRAMS["wget"], arguments))
        printed = any(
            option.flag in {"-O", "--output-document"}
            and option.value is not None
            and option.value.text in FREE_TARGETS
            for option in given
        )
        if not printed and not any(option.flag in {"--spider", "--version", "--help"} for option in given):
            effects.append(writes(words[0], "wget saves what it fetches; add `-O -`"))
        self.step(words, effects)

    def read_curl(self, words: tuple[Word, ...]) -> None:
        """The format of -w can name a file too."""
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects, trusted=True)
        effects += self.table_effects(PROGRAMS["curl"], arguments)
        effects += [
            writes(word, "`%output{}` writes a file") for word in arguments if "%output{" in word.text
        ]
        self.step(words, effects)

    def read_writes_operands(self, words: tuple[Word, ...]) -> None:
        """Tee writes every operand, uniq and xxd the second, dd the file after `of=`."""
        name = base_name(words[0].text)
        effects: list[Effect] = []
        program = PROGRAMS[name]
        arguments = self.plain_arguments(words[1:], effects)
        operands = [o.word for o in read_options(program, arguments) if o.kind == "operand"]
        if name == "dd":
            targets = [
                word.with_text(word.text[3:])
                for word in operands
                if word.text.startswith("of=") or word.text[:1] == UNKNOWN
            ]
        elif name in {"uniq", "xxd"}:
            targets = operands[1:]
        else:
            targets = [word for word in operands if not _is_process(word)]
        effects += [writes(word, f"{name} writes this file", word.text, word) for word in targets]
        self.step(words, [e for e in effects if not is_free(e)])


def _is_process(word: Word) -> bool:
    return len(word.expansions) == 1 and word.expansions[0].kind == "process" and word.text == UNKNOWN


def _with_input(inner: tuple[Word, ...], replaced: str, at: Word) -> tuple[Word, ...]:
    """The command that xargs will start: its input is put in, or added at the end."""
    if not replaced:
        added = Word(UNKNOWN, at.start, at.end, expansions=(Expansion("variable", "{}", quoted=False),))
        return (*inner, added)
    mark = Expansion("variable", "{}", quoted=True)
    return tuple(
        replace(word, text=word.text.replace(replaced, UNKNOWN), expansions=(*word.expansions, mark))
        if replaced in word.text
        else word
        for word in inner
    )


def _with_found_path(word: Word) -> Word:
    """`{}` becomes a path that find prints: it begins where find started, never with a dash."""
    if "{}" not in word.text:
        return word
    if word.text == "{}":
        return replace(
            word, text="./" + UNKNOWN, expansions=(Expansion("variable", "{}", quoted=True),), braces=False
        )
    return replace(
        word,
        text=word.text.replace("{}", UNKNOWN),
        expansions=(Expansion("variable", "{}", quoted=True),),
        braces=False,
    )


def _find_end(arguments: Sequence[Word], index: int) -> int:
    """Where the command of an -exec ends."""
    for at in range(index, len(arguments)):
        text = arguments[at].text
        if text == ";" or (text == "+" and at > index and arguments[at - 1].text == "{}"):
            return at
    return len(arguments)


def _git_config(arguments: Sequence[Word]) -> list[Effect]:
    """`git config` may read anything and set what cannot run a program."""
    operands = [word for word in arguments if not word.text.startswith("-")]
    if operands and operands[0].text in {"set", "get", "list", "unset"}:
        operands = operands[1:]
    if any(word.dynamic and word.text.startswith(UNKNOWN) for word in operands[:1]):
        return [unresolved(operands[0], "the setting is only known when it runs")]
    if len(operands) > 1 and _DANGEROUS_GIT_KEY.match(operands[0].text):
        return [runs(operands[0], "this setting makes git run a program", operands[0].text)]
    return []


def _old_style(arguments: list[Word]) -> list[Word]:
    """`tar xfC a.tar dir` as `tar -x -f a.tar -C dir`."""
    first, rest = arguments[0], list(arguments[1:])
    table = compiled(tables.TAR)
    result: list[Word] = []
    for letter in first.text[1:]:
        flag = "-" + letter
        result.append(first.with_text(flag))
        if table.exact.get(flag) in {"value", "writes", "runs"} and rest:
            result.append(rest.pop(0))
    return result + rest


_READERS: dict[str, Callable[[ProgramInspector, tuple[Word, ...]], None]] = {
    "command": ProgramInspector.read_command,
    "xargs": ProgramInspector.read_xargs,
    "gxargs": ProgramInspector.read_xargs,
    "find": ProgramInspector.read_find,
    "gfind": ProgramInspector.read_find,
    "fd": ProgramInspector.read_fd,
    "fdfind": ProgramInspector.read_fd,
    "sed": ProgramInspector.read_sed,
    "gsed": ProgramInspector.read_sed,
    "awk": ProgramInspector.read_awk,
    "gawk": ProgramInspector.read_awk,
    "mawk": ProgramInspector.read_awk,
    "nawk": ProgramInspector.read_awk,
    "tar": ProgramInspector.read_tar,
    "gtar": ProgramInspector.read_tar,
    "bsdtar": ProgramInspector.read_tar,
    "git": ProgramInspector.read_git,
    "ssh": ProgramInspector.read_ssh,
    "wget": ProgramInspector.read_wget,
    "curl": ProgramInspector.read_curl,
    "tee": ProgramInspector.read_writes_operands,
    "sponge": ProgramInspector.read_writes_operands,
    "uniq": ProgramInspector.read_writes_operands,
    "xxd": ProgramInspector.read_writes_operands,
    "dd": ProgramInspector.read_writes_operands,
}
