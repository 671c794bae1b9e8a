"""Programs that need more than a table (find, xargs, tar, ssh, databases), and `inspect` for all.

Above: `check` holds what is found here against the rules. Below: `git_commands`, `interpreters`, `inspector`
and the data in `tables`. This module knows programs but no rule: it says "this option runs another program",
never "this is denied".
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import BUILTINS, SHELLS_WITH_BUILTINS
from nacre.policy.command_facts import only_looks_up
from nacre.policy.effects import (
    Effect,
    Effects,
    Inspection,
    PathUse,
    Script,
    Step,
    any_beginning,
    base_name,
    is_free,
    is_system_name,
    position,
    runs,
    shown,
    unknown_at,
    unknown_text,
    unlisted,
    unresolved,
    writes,
)
from nacre.policy.filter_versions import TEXT
from nacre.policy.find_expression import (
    FindExpression,
    fd_command,
    fd_commands,
    finds_bare_names,
    follows_links,
    for_what_is_found,
    found_below,
    found_by_fd,
    has_odd_place,
    places_below,
    printed_paths,
    removed,
    where_found,
    with_found_paths,
)
from nacre.policy.model import UNKNOWN, Expansion, Word, names
from nacre.policy.network_programs import NETWORK_READERS, NetworkInspector
from nacre.policy.options import compiled, read
from nacre.policy.outputs import is_known_output
from nacre.policy.patterns import regex
from nacre.policy.tables.archives import TAR
from nacre.policy.tables.shells import RUNNERS, UNRESOLVABLE
from nacre.policy.unpacking import tar_with_dashes
from nacre.policy.values import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.languages import Action
    from nacre.policy.options import Argument

# Modules are named at the beginning of a program; yq loads files anywhere, also by a text that it evaluates.
_JQ_READS = regex(rf"\A(?:\s|#.*\n)*(?:import|include|module|#|{UNKNOWN})|modulemeta")
_YQ_READS = regex(rf"load|eval\s*\(|\A\s*(?:import|include|module)\b|{UNKNOWN}")
# What is read (an operand, too) and what is written, by format or by the end of the name: those that name no
# files which pandoc opens by itself.
_PANDOC_SOURCES = names("-f -r --from --read --") | {""}
_PANDOC_TARGETS = names("-t -w --to --write -o --output")
_PANDOC_PLAIN = (
    r"(?:markdown(?:_\w+)?|gfm|commonmark(?:_x)?|json)(?:[+-][a-z_]+)*"
    r"|-|/dev/\w+|(?s:.*)\.(?:md|markdown|txt|json)"
)
_PANDOC_READS = regex(rf"(?:{_PANDOC_PLAIN})\Z")
_PANDOC_PDF = regex(r"(?is)(?:pdf(?:[+-].*)?|.*\.pdf)\Z")
_PANDOC_WRITES = regex(
    rf"(?:{_PANDOC_PLAIN}|(?:html[45]?|plain|native|man|asciidoc\w*)(?:[+-][a-z_]+)*|(?s:.*)\.(?:html?|adoc))\Z"
)
_TAR_READS = frozenset(
    {"-t", "--list", "-d", "--diff", "--compare", "--test-label", "-x", "--extract", "--get"}
)
_TAR_EXTRACTS = frozenset({"-x", "--extract", "--get"})
# Of rename: what is replaced, and by what.
_PIECES = 2
_ZIP_LISTS = frozenset({"-x", "-i", "--exclude", "--include"})
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


_WITHOUT_SHELL = frozenset({"-N", "-S", "--shell"})
_PLAIN_WORDS = regex(r"[\w./:=@,+% -]*\Z")
_TIMED_TEXTS = names("-s --setup -p --prepare -c --cleanup")
_WITH_ZEROS = names(
    "-0 --null -r --no-run-if-empty -n --max-args -P --max-procs -s --max-chars -I -J -i --replace "
    "-t --verbose -x --exit"
)


class ProgramInspector(NetworkInspector):
    """Knows every program that the tables alone do not describe."""

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """A program's own reader, before everything else."""
        special = _READERS.get(name)
        return (lambda words: special(self, words)) if special is not None else super().reader(name)

    def read_command(self, words: tuple[Word, ...]) -> None:
        """`command -v x` only looks a name up."""
        wrapper = tables.wrapper("command")
        of_the_shell = self.context.shell in SHELLS_WITH_BUILTINS and not self.is_started
        looks_up = only_looks_up(words, self.context.shell)
        if looks_up or wrapper is None:
            free = looks_up and of_the_shell and words[0].text == "command"
            self.found.steps.append(Step(words, "command", (), words, free=free))
            return
        self.wrapper(words, wrapper)

    def read_hyperfine(self, words: tuple[Word, ...]) -> None:
        """`hyperfine 'make' 'ninja'`: each operand is a text for a shell, and so are some values."""
        entry = tables.program("hyperfine")
        found = Effects()
        given = read(compiled(entry), words[1:]) if entry is not None else []
        by_itself = any(item.flag in _WITHOUT_SHELL for item in given)
        for item in given:
            text = item.word if item.kind == "operand" else item.value if item.flag in _TIMED_TEXTS else None
            if text is not None and by_itself and not _PLAIN_WORDS.match(text.text):
                # `-N 'tee a; echo b'` is one command, which writes three files.
                reason = "with -N or --shell it divides this text in its own way"
                found.add(unresolved(text, reason))
            if text is not None and text.literal:
                self.found.scripts.append(Script(text.text, "sh", text.start, text.end, exact=False))
            elif text is not None:
                found.add(unknown_text(text))
            elif entry is not None:
                self.option(entry, item, found)
        self.step(words, found.effects, rememberable=False, paths=found.paths)

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
        before = given if first is None else given[: given.index(first)]
        replaced = _replaced_text(before, found)
        role = "wrapper" if is_system_name(words[0].text) else "outer"
        self.step(words[:index], found.effects, role, rememberable=False, paths=found.paths)
        flags = {item.flag for item in before}
        # Others divide what is read in other places (-d), or read something else (-a).
        zeros = flags & {"-0", "--null"} and flags <= _WITH_ZEROS
        paths = self._gets_paths(words[0]) if zeros else []
        if paths:
            mark = words[0].with_text("{}")
            marked = tuple(_with_mark(word, replaced) for word in inner) if replaced else (*inner, mark)
            bare = has_odd_place([use.word for use in paths if use.access == "found"])
            fed = self.context.fed_by(words[0])
            by_links = fed is None or follows_links(fed.words)
            places = () if by_links else places_below(paths)
            found_words = with_found_paths(marked, many=not replaced, bare=bare)
            self._walk_found(tuple(found_words), paths, places, by_links=by_links)
            return
        self.walk(_with_input(inner, replaced, words[0]))

    def _gets_paths(self, xargs: Word) -> list[PathUse]:
        """`find src -print0 | xargs -0`: whole paths, each of which begins with one that is written out."""
        before = self.context.fed_by(xargs)
        return printed_paths(before.words) if before is not None else []

    def read_find(self, words: tuple[Word, ...]) -> None:
        """Where it looks, then an expression, of which every word must be known."""
        reading = FindExpression(words[1:])
        reading.read()
        here = words[0].with_text(".")
        for each in reading.removes:
            reading.found.paths += removed(reading.uses(each, here))
        self.step(words, reading.found.effects, rememberable=not reading.inner, paths=reading.found.paths)
        by_links = bool(reading.inner) and follows_links(words)
        for command, found, elsewhere in zip(reading.inner, reading.finds, reading.elsewhere, strict=True):
            if not command:
                self.step(words[:1], [unresolved(words[0], "an empty -exec")])
                continue
            before = len(self.found.steps)
            uses = reading.uses(found, here)
            places = () if elsewhere or by_links else places_below(uses)
            self._walk_found(command, uses, places, by_links=by_links)
            if elsewhere:
                self.found.steps[before:] = map(where_found, self.found.steps[before:])
        for word in reading.deleting:
            self.step((word.with_text("rm"), word.with_text("--")), (), "command")

    def _walk_found(
        self,
        command: tuple[Word, ...],
        uses: Sequence[PathUse],
        places: tuple[str, ...] = (),
        *,
        by_links: bool = False,
    ) -> None:
        """A command for what was found: where it changes that, it matters what can be found."""
        before = len(self.found.steps)
        self.walk(tuple(found_below(word, places) for word in command))
        steps = self.found.steps
        for at in range(before, len(steps)):
            steps[at] = for_what_is_found(steps[at], uses, by_links=by_links)

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
        uses, bare = found_by_fd(words, given), finds_bare_names(given)
        for option, command in commands:
            by_links = any(item.kind == "follows" for item in given)
            self._walk_found(fd_command(option, command, bare=bare), uses, by_links=by_links)

    # -- tar -----------------------------------------------------------------------------------------------

    def read_tar(self, words: tuple[Word, ...]) -> None:
        """Options in all of tar's styles; extracting and creating write files."""
        found = Effects()
        given = read(compiled(TAR), tar_with_dashes(words[1:], found))
        flags = {item.flag for item in given}
        archives = [item.value for item in given if item.flag in {"-f", "--file"}] or [None]
        for item in given:
            if item.flag not in {"-f", "--file"}:
                self.option(TAR, item, found)
        for archive in archives:  # of several, some tars take the last
            self._tar_archive(words[0], archive, flags, found)
        self._tar_extracts(words[0], given, flags, found)
        for item in given:
            if item.kind in {"operand", "unproven"}:
                # What is removed goes with all that is in it.
                found.uses(item.word, "touch" if "--remove-files" in flags else "maybe")
                # To BSD's tar `@x` is an archive, or a list of files.
                found.uses(item.word if item.word.text.startswith("@") else None, "leave")
        self.finish(words, found)

    def _tar_extracts(self, at: Word, given: Sequence[Argument], flags: set[str], found: Effects) -> None:
        """Where members are put; what stands behind the first of them holds for later ones, or for none."""
        before = {item.flag for item in itertools.takewhile(_is_option, given)}
        if not flags & _TAR_EXTRACTS or before & {"-O", "--to-stdout"}:
            return
        found.add(writes(at, "tar writes the files it extracts", "-x"))
        for item in given:
            if item.flag in {"-P", "--absolute-names"}:
                found.add(runs(item.word, "members of an archive can be put anywhere", item.flag))
        targets = [item.value for item in given if item.kind == "enters"]
        if before.isdisjoint({"-C", "--directory"}):
            targets.append(at.with_text("."))
        for target in targets:
            found.paths += [PathUse(target, "fill", brings_links=True)] if target is not None else []

    def _tar_archive(self, at: Word, archive: Word | None, flags: set[str], found: Effects) -> None:
        reads = bool(flags & _TAR_READS)
        if archive is not None:
            found.uses(archive, "read" if reads else "write")
            reason = "an archive on another machine is reached through a shell"
            if ":" in archive.text and not archive.text.startswith(("/", "./", "../")):
                found.add(runs(archive, reason, archive.text if archive.literal else ""))
            elif archive.dynamic and not archive.prefix.startswith(("/", "./")) and not archive.spelled:
                found.add(unresolved(archive, reason, hint="write ./ before it"))
            elif archive.glob is not None and "/" not in archive.prefix:
                found.add(unresolved(archive, reason, hint="write ./ before the pattern"))
        if (
            not reads
            and not flags <= {"--version", "--help", "--usage", "-?"}
            and not is_free(archive, "tar", shell=self.context.shell)
        ):
            found.add(writes(archive or at, "tar writes the archive", "-c", archive))

    def read_cmake(self, words: tuple[Word, ...]) -> None:
        """What it is asked for (`--help-...`, `--version`) it prints into a file, if one is named."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        asked = any(item.flag == "--version" or item.flag.startswith("--help") for item in given)
        for item in given if asked else ():
            if item.kind in {"operand", "unproven"}:
                found.add(writes(item.word, "what is asked for is printed into this file", "", item.word))
                found.uses(item.word, "write")
        self.finish(words, found)

    def read_rename(self, words: tuple[Word, ...]) -> None:
        """`rename x nacre x.toml`: the new name is the old one with another piece in it."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        if len(operands) > _PIECES and all(word.literal for word in operands[:_PIECES]):
            old, new = (word.text for word in operands[:_PIECES])
            for word in operands[_PIECES:]:
                if word.dynamic:  # what find has found: any name
                    found.uses(unknown_at(word), "change")
                    continue
                directory, slash, name = word.text.rpartition("/")
                found.uses(word.with_text(f"{directory}{slash}{name.replace(old, new, 1)}"), "change")
                found.uses(word.with_text(word.text.replace(old, new, 1)), "change")
        self.finish(words, found)

    def read_unzip(self, words: tuple[Word, ...]) -> None:
        """Behind the archive only -d and -x are options: `unzip a.zip x -l` unpacks x, and seeks `-l`."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        operand = {"operand", "unproven"}
        for item in itertools.takewhile(lambda item: item.kind not in operand, given):
            if item.flag == "-x":
                reason = "before the archive, some versions take the next word for a pattern"
                found.add(unresolved(item.word, reason, hint="write -x behind the archive"))
        for item in itertools.dropwhile(lambda item: item.kind not in operand, given):
            if item.kind not in operand and not item.word.text.startswith("-d") and item.word.text != "-x":
                reason = f"behind the archive `{shown(item.word.text)}` is the name of a member"
                found.add(unresolved(item.word, reason, hint="write the options before the archive"))
        self.finish(words, found)

    def read_zip(self, words: tuple[Word, ...]) -> None:
        """The archive, then files; behind -x and -i stands a list, which another option or `@` ends."""
        entry, given = self.read_table(words)
        found = Effects()
        for item in itertools.takewhile(lambda item: item.kind not in {"operand", "unproven"}, given):
            if item.flag in _ZIP_LISTS:
                reason = "what follows it is a list of patterns: which word is the archive, its end says"
                found.add(unresolved(item.word, reason, hint="write the archive first"))
        self.arguments(entry, words[1:], found)
        if any(item.flag in {"-m", "--move"} for item in given):  # a directory is removed with all in it
            for item in given:
                found.uses(item.word if item.kind in {"operand", "unproven"} else None, "touch")
        self.finish(words, found)

    def read_pandoc(self, words: tuple[Word, ...]) -> None:
        """Some documents name further files, some formats take pictures in; `--sandbox` opens none.

        But it does not hold the engine that makes a PDF, to which raw TeX in a document is code.
        """
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        said = [item.word if item.kind in {"operand", "unproven"} else item.value for item in given]
        plain = all(
            _PANDOC_READS.match(word.text)
            if item.flag in _PANDOC_SOURCES
            else _PANDOC_WRITES.match(word.text)
            for item, word in zip(given, said, strict=True)
            if word is not None and item.flag in _PANDOC_SOURCES | _PANDOC_TARGETS
        )
        targets = [item.value for item in given if item.flag in _PANDOC_TARGETS and item.value is not None]
        by_engine = next((word for word in targets if _PANDOC_PDF.match(word.text)), None)
        if by_engine is not None:
            found.paths.append(PathUse(by_engine, "leave"))
        elif not plain and not any(item.flag == "--sandbox" for item in given):
            found.paths.append(PathUse(words[0], "leave"))
        self.finish(words, found)

    def read_locate(self, words: tuple[Word, ...]) -> None:
        """Its database has the names of all files, wherever they are."""
        entry, _ = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        found.paths.append(PathUse(words[0], "leave"))
        self.finish(words, found)

    def read_jq(self, words: tuple[Word, ...]) -> None:
        """The first operand is a program, which can read other files."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
        named = {"-f", "--from-file"} & {item.flag for item in given}
        if base_name(words[0].text) == "yq":  # `yq eval 'load("x")'`, `yq --expression=...`
            pattern, programs = _YQ_READS, operands[:2]
            for word in programs:  # a first word that is the name of a file is no expression
                found.uses(word, "read")
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
        from nacre.policy.languages.perl import is_plain_perl, perl_line  # noqa: PLC0415 - when first named

        spec = tables.interpreter("perl")
        texts, edits, files = perl_line(words[1:])
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
            if word.splits:
                reason = "an unquoted value can become several operands, `of=` among them"
                found.add(unresolved(word, reason, hint="put it into double quotes"))
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

    def read_date(self, words: tuple[Word, ...]) -> None:
        """`date -j -f %Y 2024 +%s`: with BSD's -j a time is read and printed, and no clock is set."""
        entry, given = self.read_table(words)
        found = Effects()
        reads = any(item.flag == "-j" for item in given)
        self.given_arguments(replace(entry, refuses="") if reads else entry, given, words[1:], found)
        self.finish(words, found)

    def read_sqlite3(self, words: tuple[Word, ...]) -> None:
        """The database, then statements and dot-commands."""
        entry, given = self.read_table(words)
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
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        name = "psql" if base_name(words[0].text) == "psql" else "mysql"
        for item in given:
            if item.flag in {"-c", "--command", "-e", "--execute"} and item.value is not None:
                self.language([item.value], _sql_reader(name), found, item.flag)
        self.finish(words, found)


_NO_PIPE = regex(r"[\w./~+][^|<>&]*\Z")


def _is_no_pipe(word: Word) -> bool:
    """A file's name that perl does not take for a command: `ls|` would be one."""
    if word.dynamic or word.braces or word.tilde or not _NO_PIPE.match(word.text):
        return False
    return word.glob is None or (bool(word.prefix) and word.text[-1].isalnum())


def _sql_reader(client: str) -> Callable[[str], list[Action]]:
    from nacre.policy.languages.sql import sql_actions  # noqa: PLC0415 - when a client is first named

    return lambda text: sql_actions(text, client)


def _is_option(item: Argument) -> bool:
    return item.kind not in {"operand", "unproven"}


def _replaced_text(before: Sequence[Argument], found: Effects) -> str:
    """In whose place xargs puts its input, if not at the end; each word may hold one that is not known."""
    replaced = ""
    for item in before:
        if replaced and _takes_replacement_back(item):
            reason = "behind -I this takes it back, and what is read is added at the end"
            found.add(unresolved(item.word, reason, hint="leave it out"))
        if item.flag not in {"-I", "-J", "-i", "--replace"}:
            continue
        replaced = item.value.text if item.value is not None else "{}"
        if item.value is not None and not item.value.literal:
            reason = "which words the input replaces is only known when it runs"
            found.add(unresolved(item.word, reason, item.flag, hint="write it out: -I {}"))
    return replaced


def _takes_replacement_back(item: Argument) -> bool:
    """`xargs -I{} -L1`: the last of them counts, but -n 1 is passed over."""
    if item.flag in {"-n", "--max-args"}:
        return item.value is None or item.value.text != "1"
    return item.flag in {"-L", "-l", "--max-lines"}


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


_READERS: dict[str, Callable[[ProgramInspector, tuple[Word, ...]], None]] = {
    "command": ProgramInspector.read_command,
    "hyperfine": ProgramInspector.read_hyperfine,
    **dict.fromkeys(("xargs", "gxargs"), ProgramInspector.read_xargs),
    **dict.fromkeys(("find", "gfind"), ProgramInspector.read_find),
    **dict.fromkeys(("fd", "fdfind"), ProgramInspector.read_fd),
    **dict.fromkeys(("sed", "gsed"), ProgramInspector.read_sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "bawk", "goawk"), ProgramInspector.read_awk),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), ProgramInspector.read_tar),
    **dict.fromkeys(("psql", "mysql", "mariadb"), ProgramInspector.read_sql),
    **dict.fromkeys(("dd", "gdd"), ProgramInspector.read_dd),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq"), ProgramInspector.read_jq),
    "pandoc": ProgramInspector.read_pandoc,
    **dict.fromkeys(("locate", "plocate", "mlocate"), ProgramInspector.read_locate),
    **dict.fromkeys(("perl", "perl5"), ProgramInspector.read_perl),
    "git": ProgramInspector.read_git,
    **dict.fromkeys(("rename", "prename", "file-rename"), ProgramInspector.read_rename),
    "unzip": ProgramInspector.read_unzip,
    "zip": ProgramInspector.read_zip,
    **dict.fromkeys(("cmake", "ctest", "cpack"), ProgramInspector.read_cmake),
    "sqlite3": ProgramInspector.read_sqlite3,
    "date": ProgramInspector.read_date,
    **NETWORK_READERS,
}
__all__ = ["TEXT", "ProgramInspector", "has_meaning", "inspect"]
