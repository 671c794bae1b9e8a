"""Programs that need more than a table (find, xargs, tar, ssh, databases), and `inspect` for all.

Above: `check` holds what is found here against the rules. Below: `git_commands`, `interpreters`, `inspector`
and the data in `tables`. This module knows programs but no rule: it says "this option runs another program",
never "this is denied".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import BUILTINS
from nacre.policy.effects import (
    FREE_TARGETS,
    Effect,
    Effects,
    Inspection,
    PathUse,
    Script,
    any_beginning,
    base_name,
    is_free,
    is_system_name,
    position,
    runs,
    shown,
    unknown_at,
    unlisted,
    unresolved,
    writes,
)
from nacre.policy.find_expression import (
    FindExpression,
    fd_commands,
    prints_whole_paths,
    with_found_paths,
)
from nacre.policy.git_commands import GitInspector
from nacre.policy.interpreters import TEXT
from nacre.policy.model import UNKNOWN, Expansion, Word, names
from nacre.policy.options import Argument, compiled, read
from nacre.policy.outputs import is_known_output
from nacre.policy.patterns import regex
from nacre.policy.tables.archives import TAR
from nacre.policy.tables.shells import RUNNERS, UNRESOLVABLE
from nacre.policy.values import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.languages import Action
    from nacre.policy.tables.schema import Program

_FORM_FILE = regex(r"[^=]*=[@<]([^;,\"]+)(?:;(?:type|filename)=[\w./+-]+)*")
_FORM_READS = regex(r"=[@<]")
# Modules are named at the beginning of a program; yq loads files anywhere.
_JQ_READS = regex(rf"\A(?:\s|#.*\n)*(?:import|include|module|#|{UNKNOWN})")
_YQ_READS = regex(rf"load|{UNKNOWN}")
_OUTPUT = regex(r".*%output\{", re.DOTALL)
_SENT_FILE = regex(r"(?:[^=@<]*=)?[@<](.+)|[^=@]*@(.+)", re.DOTALL)
_CURL_SENDS = frozenset(
    [
        "-d",
        "--data",
        "--data-ascii",
        "--data-binary",
        "--data-urlencode",
        "--json",
        "-F",
        "--form",
        "-H",
        "--header",
        "--proxy-header",
        "-w",
        "--write-out",
        "--variable",
        "--url-query",
    ]
)
_TAR_READS = frozenset(
    {"-t", "--list", "-d", "--diff", "--compare", "--test-label", "-x", "--extract", "--get"}
)
_MOST_LETTERS = 32
_CHANGES_FOUND = frozenset({"write", "change", "alter", "fill"})
_TAR_EXTRACTS = frozenset({"-x", "--extract", "--get"})
_DD_OPERAND = regex(r"(bs|cbs|conv|count|ibs|iflag|iseek|obs|oflag|oseek|seek|skip|status)=")


def inspect(words: Sequence[Word], context: Context) -> Inspection:
    """Look through one simple command."""
    inspector = ProgramInspector(context)
    inspector.walk(tuple(words))
    return inspector.found


def has_meaning(name: str) -> bool:
    """Tell whether a name means something to the policy: a builtin, a wrapper, a program that it knows."""
    if name in BUILTINS or tables.has_entry(name) or name in UNRESOLVABLE or name in RUNNERS:
        return True
    return is_known_output(name) or ProgramInspector(Context()).reader(base_name(name)) is not None


class ProgramInspector(GitInspector):
    """Knows every program that the tables alone do not describe."""

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """A program's own reader, before everything else."""
        special = _READERS.get(name)
        return (lambda words: special(self, words)) if special is not None else super().reader(name)

    def read_command(self, words: tuple[Word, ...]) -> None:
        """`command -v x` only looks a name up."""
        wrapper = tables.wrapper("command")
        looked_up = words[2:] if len(words) > 1 and words[1].text in {"-v", "-V"} else ()
        if (looked_up and not any(word.may_be_option for word in looked_up)) or wrapper is None:
            self.step(words)
            return
        self.wrapper(words, wrapper)

    def _table(self, words: tuple[Word, ...]) -> tuple[Program, list[Argument]]:
        entry = tables.program(base_name(words[0].text))
        if entry is None:
            raise LookupError(words[0].text)  # pragma: no cover - readers are for programs with a table
        return entry, read(compiled(entry), words[1:])

    # -- find, fd, xargs -----------------------------------------------------------------------------------

    def read_xargs(self, words: tuple[Word, ...]) -> None:
        """`xargs cmd`: its input becomes arguments."""
        wrapper = tables.wrapper("xargs")
        if wrapper is None:
            return
        found = Effects()
        given = read(compiled(wrapper), words[1:])
        self.wrapper_options(given, wrapper, found)
        first = next((item for item in given if item.kind == "operand"), None)
        index = position(words, first.word) if first is not None else len(words)
        inner = words[index:] or (words[0].with_text("echo"),)
        replaced = ""
        for item in given:
            if item.flag in {"-I", "-J"} and item.value is not None:
                replaced = item.value.text if item.value.literal else UNKNOWN
            elif item.flag in {"-i", "--replace"}:
                replaced = item.value.text if item.value is not None else "{}"
        role = "wrapper" if is_system_name(words[0].text) else "outer"
        self.step(words[:index], found.effects, role, rememberable=False, paths=found.paths)
        flags = {item.flag for item in given}
        if flags & {"-0", "--null"} and not flags & {"-a", "--arg-file"} and self._gets_paths(words[0]):
            mark = words[0].with_text("{}")
            marked = tuple(_with_mark(word, replaced) for word in inner) if replaced else (*inner, mark)
            self.walk(tuple(with_found_paths(marked, many=not replaced)))
            return
        self.walk(_with_input(inner, replaced, words[0]))

    def _gets_paths(self, xargs: Word) -> bool:
        """`find src -print0 | xargs -0`: whole paths, each of which begins with one that is written out."""
        before = self.context.fed_by(xargs)
        return before is not None and prints_whole_paths(before.words)

    def read_find(self, words: tuple[Word, ...]) -> None:
        """Where it looks, then an expression, of which every word must be known."""
        reading = FindExpression(words[1:])
        reading.read()
        places = reading.places or [words[0].with_text(".")]
        for patterns in reading.removes:
            reading.found.paths += [PathUse(place, "found", patterns, without_git=True) for place in places]
        self.step(words, reading.found.effects, rememberable=not reading.inner, paths=reading.found.paths)
        for command, (patterns, without_git) in zip(reading.inner, reading.finds, strict=True):
            if not command:
                self.step(words[:1], [unresolved(words[0], "an empty -exec")])
            else:
                self._walk_found(
                    command, [PathUse(place, "found", patterns, without_git) for place in places]
                )
        for word in reading.deleting:
            self.step((word.with_text("rm"), word.with_text("--")), (), "command")

    def _walk_found(self, command: tuple[Word, ...], uses: Sequence[PathUse]) -> None:
        """A command for what was found: where it changes that, it matters what can be found."""
        before = len(self.found.steps)
        self.walk(command)
        steps = self.found.steps
        for at in range(before, len(steps)):
            if any(use.access in _CHANGES_FOUND and _is_found(use.word) for use in steps[at].paths):
                steps[at] = replace(steps[at], paths=(*steps[at].paths, *uses))

    def read_fd(self, words: tuple[Word, ...]) -> None:
        """The command after -x or -X is run for each hit."""
        entry = tables.program("fd")
        if entry is None:
            return
        found = Effects()
        own, commands = fd_commands(words[1:])
        self.arguments(entry, own, found)
        self.step(words, found.effects, rememberable=not commands, paths=found.paths)
        given = read(compiled(entry), own)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        places = [
            *operands[1:],
            *(item.value for item in given if item.flag == "--search-path" and item.value),
        ]
        ends = [item.value.text for item in given if item.flag in {"-e", "--extension"} and item.value]
        hidden = bool({"-H", "--hidden", "-u", "--unrestricted"} & {item.flag for item in given})
        uses = [
            PathUse(place, "found", tuple(f"*.{end}" for end in ends), not hidden)
            for place in places or [words[0].with_text(".")]
        ]
        for command in commands:
            self._walk_found(command, uses)

    # -- tar -----------------------------------------------------------------------------------------------

    def read_tar(self, words: tuple[Word, ...]) -> None:
        """Options in all of tar's styles; extracting and creating write files."""
        found = Effects()
        given = read(compiled(TAR), _with_dashes(words[1:], found))
        flags = {item.flag for item in given}
        archive = next((item.value for item in given if item.flag in {"-f", "--file"}), None)
        for item in given:
            if item.flag not in {"-f", "--file"}:
                self.option(TAR, item, found)
        self._tar_archive(words[0], archive, flags, found)
        extracts = bool(flags & _TAR_EXTRACTS) and not flags & {"-O", "--to-stdout"}
        if extracts:
            found.add(writes(words[0], "tar writes the files it extracts", "-x"))
            for item in given:
                if item.flag in {"-P", "--absolute-names"}:
                    found.add(runs(item.word, "members of an archive can be put anywhere", item.flag))
            targets = [item.value for item in given if item.kind == "enters"]
            for target in targets or [words[0].with_text(".")]:
                found.uses(target, "fill")
        for item in given:
            if item.kind in {"operand", "unproven"}:
                found.uses(item.word, "maybe")
        self.finish(words, found)

    def _tar_archive(self, at: Word, archive: Word | None, flags: set[str], found: Effects) -> None:
        reads = bool(flags & _TAR_READS)
        if archive is not None:
            found.uses(archive, "read" if reads else "write")
            reason = "an archive on another machine is reached through a shell"
            if ":" in archive.text and not archive.text.startswith(("/", "./", "../")):
                found.add(runs(archive, reason, archive.text if archive.literal else ""))
            elif archive.dynamic and not archive.prefix.startswith(("/", "./")) and not archive.spelled:
                found.add(unresolved(archive, reason, hint="write ./ before it"))
        if (
            not reads
            and not flags <= {"--version", "--help", "--usage", "-?"}
            and not is_free(archive, "tar")
        ):
            found.add(writes(archive or at, "tar writes the archive", "-c", archive))

    # -- the network ---------------------------------------------------------------------------------------

    def read_ssh(self, words: tuple[Word, ...]) -> None:
        """Local options, and the command for the other machine."""
        entry, given = self._table(words)
        found = Effects()
        for item in given:
            if item.flag == "-o" and item.value is not None and _is_harmless_ssh(item.value):
                continue
            if item.kind != "operand":
                self.option(entry, item, found)
        first = next((item.word for item in given if item.kind == "operand"), None)
        if first is not None:
            self.refused(entry, first, found)
        remote = list(words[position(words, first) + 1 :]) if first is not None else []
        if remote and remote[0].text.startswith("-"):
            found.add(unresolved(remote[0], "an option after the host's name", remote[0].text))
        if not all(word.literal for word in remote):
            found.add(unresolved(remote[0], "the remote command is only known when it runs"))
        elif remote:
            text = " ".join(word.text for word in remote)
            self.found.scripts.append(Script(text, "sh", remote[0].start, remote[-1].end, exact=False))
        self.step(words, found.effects, "outer", rememberable=False, paths=found.paths)

    def read_wget(self, words: tuple[Word, ...]) -> None:
        """Saves what it fetches, unless it is told to print it."""
        entry, given = self._table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        printed = any(
            item.flag in {"-O", "--output-document"}
            and item.value is not None
            and item.value.text in FREE_TARGETS
            for item in given
        )
        if not printed and not any(
            item.flag in {"--spider", "--version", "--help", "-V", "-h"} for item in given
        ):
            found.add(writes(words[0], "wget saves what it fetches; add `-O -`", "wget"))
            if not any(item.flag in {"-O", "--output-document"} for item in given):
                self._wget_saved(words[0], given, found)
        self.finish(words, found)

    def _wget_saved(self, at: Word, given: Sequence[Argument], found: Effects) -> None:
        """Under which names wget saves: those of the addresses, or of the server's choice."""
        directory = next((item.value for item in given if item.flag in {"-P", "--directory-prefix"}), None)
        if _is_recursive(given) or {"--content-disposition", "--trust-server-names"} & {
            i.flag for i in given
        }:
            found.uses(directory or at.with_text("."), "fill")
        for item in given:
            if item.kind in {"operand", "unproven"}:
                found.uses(_remote_name(item.word, directory, globbed=False), "write")
            elif item.flag == "--default-page":  # the name of what an address without one is saved as
                found.uses(item.value, "write")

    def read_curl(self, words: tuple[Word, ...]) -> None:
        """Addresses in options, files that are sent, and formats that name a file."""
        entry, given = self._table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        for item in given:
            value = item.value
            if value is None:
                continue
            if item.flag == "--url":
                self.operands(entry, [Argument("operand", "", value)], found)
            elif item.flag in {"-F", "--form"}:
                self._curl_form(value, found)
            elif item.flag in _CURL_SENDS:
                sent = _SENT_FILE.match(value.text)
                if sent is not None:
                    found.uses(
                        value.with_text(sent.group(1) or sent.group(2)) if value.literal else value, "read"
                    )
            if item.flag in {"-w", "--write-out"} and (value.dynamic or value.text.startswith("@")):
                reason = "`%output{}` writes a file, and what this format says is only known when it runs"
                found.add(
                    unresolved(value, reason, item.flag, hint="write the format out: -w '%{http_code}'")
                )
                found.uses(unknown_at(value), "write")
            elif item.flag in {"-w", "--write-out"} and _OUTPUT.match(value.text):
                found.add(
                    writes(value, "`%output{}` writes a file, and a format may be in a file", item.flag)
                )
                found.uses(unknown_at(value), "write")
            elif item.flag in {"-b", "--cookie"} and "=" not in value.text:
                found.uses(value, "read")
        self._curl_names(given, found)
        self._curl_saved(words[0], given, found)
        self.finish(words, found)

    def _curl_names(self, given: Sequence[Argument], found: Effects) -> None:
        """Names that curl puts together: of braces and brackets, and of pieces of the address (`#1`)."""
        for item in given:
            text = item.value.text if item.value is not None else ""
            if item.value is not None and item.flag in {"-T", "--upload-file"} and {"{", "["} & set(text):
                found.uses(unknown_at(item.value), "read")
            elif item.value is not None and item.flag in {"-o", "--output"} and "#" in text:
                found.uses(unknown_at(item.value), "write")

    def _curl_saved(self, at: Word, given: Sequence[Argument], found: Effects) -> None:
        """`curl -O`: the file is named like the address, or as the server says."""
        flags = {item.flag for item in given}
        if not flags & {"-O", "--remote-name", "--remote-name-all"}:
            return
        directory = next((item.value for item in given if item.flag == "--output-dir"), None)
        if flags & {"-J", "--remote-header-name"}:
            found.uses(directory or at.with_text("."), "fill")
        globbed = not flags & {"-g", "--globoff"}
        for item in given:
            address = item.value if item.flag == "--url" else item.word
            if item.kind in {"operand", "unproven"} or item.flag == "--url":
                found.uses(_remote_name(address or item.word, directory, globbed=globbed), "write")

    def _curl_form(self, value: Word, found: Effects) -> None:
        """`name=@file;type=x`: anything more can name further files."""
        plain = _FORM_FILE.fullmatch(value.text) if value.literal else None
        if plain is not None:
            found.uses(value.with_text(plain.group(1)), "read")
        elif not value.literal or _FORM_READS.search(value.text):
            found.uses(unknown_at(value), "read")

    def read_jq(self, words: tuple[Word, ...]) -> None:
        """The first operand is a program, which can read other files."""
        entry, given = self._table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        named = {"-f", "--from-file"} & {item.flag for item in given}
        if base_name(words[0].text) == "yq":  # `yq eval 'load("x")'`, `yq --expression=...`
            pattern, programs = _YQ_READS, operands[:2]
            programs += [item.value for item in given if item.flag == "--expression" and item.value]
        else:
            pattern, programs = _JQ_READS, [] if named else operands[:1]
        for program in programs:
            known = program.text if program.literal else program.prefix + UNKNOWN
            if pattern.search(known):
                found.uses(unknown_at(program), "read")
        self.finish(words, found)

    # -- files and data ------------------------------------------------------------------------------------

    def read_perl(self, words: tuple[Word, ...]) -> None:
        """`perl -pe 's/a/b/' file`, where the text does what sed could do; all else is code."""
        from nacre.policy.languages.perl import is_plain_perl  # noqa: PLC0415 - when it is first named

        spec = tables.interpreter("perl")
        texts, edits, files = _perl_line(words[1:])
        copies = [word for word in words[1:] if edits and "i." in word.text and word.text.startswith("-")]
        plain = bool(texts) and is_plain_perl("\n".join(texts)) and all(map(_is_no_pipe, files))
        if spec is None:
            return
        if not plain:
            self.interpreter(words, spec)
            return
        found = Effects()
        found.add(Effect("inline", spec.reason, "-e", words[0].start, words[0].end, plain=True))
        if edits:
            found.add(writes(words[0], "perl edits the file in place", "-i"))
        for word in files:
            found.uses(word, "change" if edits else "read")
        for word in copies:
            found.uses(any_beginning(word.with_text(word.text.partition("i")[2])), "beside")
        self.step(words, found.effects, rememberable=False, paths=found.paths)

    def read_dd(self, words: tuple[Word, ...]) -> None:
        """`if=` is read, `of=` is written, the rest are numbers and switches."""
        found = Effects()
        for word in words[1:]:
            name, _, value = word.text.partition("=")
            target = word.with_text(value) if word.literal else unknown_at(word)
            if name == "if":
                found.uses(target, "read")
            elif name == "of":
                found.uses(target, "write")
                if not is_free(target):
                    found.add(writes(word, "dd writes this file", "of=", target))
            elif not _DD_OPERAND.match(word.text) and word.text not in {"--help", "--version"}:
                reason = f"the operand `{shown(word.text)}` of dd is not known"
                found.add(unlisted(word, reason, word.text if word.literal else ""))
        self.finish(words, found)

    def read_sqlite3(self, words: tuple[Word, ...]) -> None:
        """The database, then statements and dot-commands."""
        entry, given = self._table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        if operands and operands[0].several:
            reason = "it can become several words, of which the second is a statement"
            found.add(unresolved(operands[0], reason, hint="name one database"))
        for word in operands[1:]:
            self.language([word], _sql_reader("sqlite3"), found)
        if operands and operands[0].text.casefold().startswith("file:"):
            found.add(
                unlisted(operands[0], "an address of a database can name other files", operands[0].text)
            )
        self.finish(words, found)

    def read_sql(self, words: tuple[Word, ...]) -> None:
        """`psql -c`, `mysql -e`: the statements."""
        entry, given = self._table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        name = "psql" if base_name(words[0].text) == "psql" else "mysql"
        for item in given:
            if item.flag in {"-c", "--command", "-e", "--execute"} and item.value is not None:
                self.language([item.value], _sql_reader(name), found, item.flag)
        self.finish(words, found)


# Options of perl before its text; the last letter takes the next word, or the end of a name for copies.
_PERL_OPTION = regex(r"-[pnwl0-7]*(?:(e)|(i)(?:\.\w+)?)?")
_NO_PIPE = regex(r"[\w./~+][^|<>&]*\Z")


def _perl_line(words: Sequence[Word]) -> tuple[list[str], bool, Sequence[Word]]:
    """The texts after -e, whether files are edited, and the files; no texts: it is written in another way."""
    texts: list[str] = []
    edits, at = False, 0
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "-":
        found = _PERL_OPTION.fullmatch(words[at].text) if words[at].literal else None
        text = words[at + 1] if found is not None and found.group(1) and at + 1 < len(words) else None
        if found is None or (found.group(1) and (text is None or not text.literal)):
            return [], False, ()
        if text is not None:
            texts.append(text.text)
        edits = edits or found.group(2) is not None
        at += 1 if text is None else 2
    return texts, edits, words[at:]


def _is_found(word: Word) -> bool:
    return any(expansion.name == "{}" for expansion in word.expansions)


def _is_no_pipe(word: Word) -> bool:
    """A file's name that perl does not take for a command: `ls|` would be one."""
    if word.dynamic or word.braces or word.tilde or not _NO_PIPE.match(word.text):
        return False
    return word.glob is None or (bool(word.prefix) and word.text[-1].isalnum())


def _sql_reader(client: str) -> Callable[[str], list[Action]]:
    from nacre.policy.languages.sql import sql_actions  # noqa: PLC0415 - when a client is first named

    return lambda text: sql_actions(text, client)


_WGET_SAVES_TREES = names(
    "-r -m -p -x --recursive --mirror --page-requisites --force-directories --protocol-directories"
)


def _is_recursive(given: Sequence[Argument]) -> bool:
    """wget saves under paths that the server tells, and not below a directory of the server's name."""
    flags = {item.flag for item in given}
    without = {letter for item in given if item.flag == "-n" and item.value for letter in item.value.text}
    here = bool(without & {"H", "d"} or flags & {"--no-host-directories", "--no-directories"})
    return here and bool(flags & _WGET_SAVES_TREES)


def _remote_name(address: Word, directory: Word | None, *, globbed: bool) -> Word:
    """The file that an address is saved as: the last part of its path."""
    # curl puts texts in braces together, wget takes `%2E` for a dot.
    odd = bool({"{", "["} & set(address.text)) if globbed else "%" in address.text
    if odd or not address.literal or not (directory or address).literal:
        return unknown_at(address)
    path = address.text.partition("#")[0].partition("?")[0].rpartition("://")[2]
    name = path.partition("/")[2].rpartition("/")[2] or "index.html"
    return address.with_text(f"{directory.text}/{name}" if directory else name)


def _with_mark(word: Word, replaced: str) -> Word:
    return replace(word, text=word.text.replace(replaced, "{}")) if replaced in word.text else word


def _with_input(inner: tuple[Word, ...], replaced: str, at: Word) -> tuple[Word, ...]:
    """The command that xargs will start: its input is put in, or added at the end."""
    if not replaced:
        added = Word(UNKNOWN, at.start, at.end, expansions=(Expansion("variable", "{}", quoted=False),))
        return (*inner, added)
    mark = Expansion("variable", "", quoted=True)  # any text, `../x` too
    return tuple(
        replace(word, text=word.text.replace(replaced, UNKNOWN), expansions=(*word.expansions, mark))
        if replaced in word.text
        else word
        for word in inner
    )


def _is_harmless_ssh(value: Word) -> bool:
    from nacre.policy.tables.network import SSH_SETTING  # noqa: PLC0415 - with the table of these programs

    return value.literal and re.fullmatch(SSH_SETTING, value.text) is not None


def _with_dashes(arguments: Sequence[Word], found: Effects) -> list[Word]:
    """`tar xfC a.tar dir` as `tar -x -f a.tar -C dir`."""
    if not arguments or arguments[0].text.startswith("-"):
        return list(arguments)
    first, rest = arguments[0], list(arguments[1:])
    if not first.literal or len(first.text) > _MOST_LETTERS:
        hint = "write the options first, with a dash"
        found.add(unresolved(first, "tar takes the first word for letters of options", hint=hint))
        return list(arguments)
    specs = compiled(TAR).specs
    result: list[Word] = []
    for letter in first.text:
        flag = "-" + letter
        result.append(first.with_text(flag))
        spec = specs.get(flag)
        if spec is not None and spec.arity == "=" and rest:
            result.append(rest.pop(0))
    return result + rest


_READERS: dict[str, Callable[[ProgramInspector, tuple[Word, ...]], None]] = {
    "command": ProgramInspector.read_command,
    **dict.fromkeys(("xargs", "gxargs"), ProgramInspector.read_xargs),
    **dict.fromkeys(("find", "gfind"), ProgramInspector.read_find),
    **dict.fromkeys(("fd", "fdfind"), ProgramInspector.read_fd),
    **dict.fromkeys(("sed", "gsed"), ProgramInspector.read_sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "bawk", "goawk"), ProgramInspector.read_awk),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), ProgramInspector.read_tar),
    **dict.fromkeys(("ssh", "autossh"), ProgramInspector.read_ssh),
    **dict.fromkeys(("psql", "mysql", "mariadb"), ProgramInspector.read_sql),
    **dict.fromkeys(("dd", "gdd"), ProgramInspector.read_dd),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq"), ProgramInspector.read_jq),
    **dict.fromkeys(("perl", "perl5"), ProgramInspector.read_perl),
    "git": ProgramInspector.read_git,
    "wget": ProgramInspector.read_wget,
    "curl": ProgramInspector.read_curl,
    "sqlite3": ProgramInspector.read_sqlite3,
}
__all__ = ["TEXT", "ProgramInspector", "has_meaning", "inspect"]
