"""Programs that connect: ssh, wget and curl, and the files that they save; gh and its requests; images.

Above: `programs`, with the other programs that need more than a table. Below: `git_commands`, `options`,
`tables`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import (
    Effects,
    Script,
    base_name,
    is_free_target,
    position,
    runs,
    unknown_at,
    unresolved,
    writes,
)
from nacre.policy.git_commands import GitInspector
from nacre.policy.model import Word, names
from nacre.policy.options import Argument, compiled, read
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.tables.schema import Program

# Blanks before a name are passed over.
_FORM_FILE = regex(r"[^=]*=[@<]([^;,\"\s][^;,\"]*)(?:;(?:type|filename)=[\w./+-]+)*")
_FORM_READS = regex(r"=[@<]")
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
_SLASHES = regex(r"[/\\]")
_DOTS_IN_PATH = regex(r"(?i)/(?:\.|%2e){1,2}(?:/|\Z)")
_WGET_SAVES_TREES = names(
    "-r -m -p -x --recursive --mirror --page-requisites --force-directories --protocol-directories"
)
# What `gh api` may change by a rule for gh alone: issues and pull requests, their comments and labels.
_GH_CHANGES = regex(
    r"(?!.*\.\.)(?:https://api\.github\.com)?/?repos/[\w.{}:-]+/[\w.{}:-]+/(?:issues|pulls)(?:/[\w/-]*)?"
)
_GH_SENDS = names("-f --raw-field -F --field --input")
_GH_METHODS = names("-X --method")
_GH_QUERY = regex(r"query=(?!@)(?!.*mutation)|(?!query)\w+=", re.DOTALL)


class NetworkInspector(GitInspector):
    """What commands of these programs do."""

    def read_table(self, words: tuple[Word, ...]) -> tuple[Program, list[Argument]]:
        """The table of a program, and its arguments as that says."""
        entry = tables.program(base_name(words[0].text))
        if entry is None:
            raise LookupError(words[0].text)  # pragma: no cover - readers are for programs with a table
        return entry, read(compiled(entry), words[1:])

    def read_ssh(self, words: tuple[Word, ...]) -> None:
        """Local options, and the command for the other machine."""
        entry, given = self.read_table(words)
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

    def read_gh(self, words: tuple[Word, ...]) -> None:
        """`gh api -X DELETE repos/x/y` does what `gh repo delete` does, which a rule must spell."""
        entry, given = self.read_table(words)
        found = Effects()
        skip = self.given_arguments(entry, given, words[1:], found)
        first = next((item.word for item in given if item.kind == "operand"), None)
        command = next((c for c in entry.commands if c.names == "api"), None)
        if first is not None and first.text == "api" and command is not None:
            rest = words[position(words, first) + 1 :]
            request = read(compiled(command), rest)
            if not _only_asks(request):
                reason = "this request changes more than a rule for `gh` allows"
                found.add(runs(first, reason, "api"))
        self.finish(words, found, skip)

    def read_engine(self, words: tuple[Word, ...]) -> None:
        """`podman build -t dir:out .`: to podman that is no name, but a directory that is written."""
        from nacre.policy.tables.containers import TAGS  # noqa: PLC0415 - with the table of these programs

        entry, given = self.read_table(words)
        found = Effects()
        skip = self.given_arguments(entry, given, words[1:], found)
        build = next((at for at, word in enumerate(words) if word.text == "build" and word.literal), None)
        for item in read(compiled(TAGS), words[build + 1 :]) if build is not None else ():
            if item.flag in {"-t", "--tag"} and item.value is not None:
                self.refused(TAGS, item.value, found)
        self.finish(words, found, skip)

    def read_wget(self, words: tuple[Word, ...]) -> None:
        """Saves what it fetches, unless it is told to print it."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        printed = any(
            item.flag in {"-O", "--output-document"}
            and item.value is not None
            and is_free_target(item.value, self.context.shell, written=True)
            for item in given
        )
        flags = {item.flag for item in given}
        # To look at a whole tree it saves the pages that it looks at, for a while.
        looks = {"--spider"} if not flags & _WGET_SAVES_TREES else set[str]()
        if not printed and not flags & (looks | {"--version", "--help", "-V", "-h"}):
            found.add(writes(words[0], "wget saves what it fetches; add `-O -`", "wget"))
            if not flags & {"-O", "--output-document"}:
                self._wget_saved(words[0], given, found)
        self.finish(words, found)

    def _wget_saved(self, at: Word, given: Sequence[Argument], found: Effects) -> None:
        """Under which names wget saves: those of the addresses, or of the server's choice."""
        prefixes = [item.value for item in given if item.flag in {"-P", "--directory-prefix"}]
        directory = prefixes[-1] if prefixes else None
        if _is_recursive(given) or {"--content-disposition", "--trust-server-names"} & {
            i.flag for i in given
        }:
            found.uses(directory or at.with_text("."), "fill")
        for item in given:
            if item.kind in {"operand", "unproven"}:
                found.uses(_remote_name(item.word, directory, globbed=False), "write")
            elif item.flag == "--default-page":  # the name of what an address without one is saved as
                found.uses(item.value, "write")

    def read_httpie(self, words: tuple[Word, ...]) -> None:
        """`http --download`: the server says how the file is called, unless the command does."""
        entry, given = self.read_table(words)
        found = Effects()
        self.arguments(entry, words[1:], found)
        flags = {item.flag for item in given}
        if flags & {"-d", "--download"} and not flags & {"-o", "--output"}:
            found.uses(words[0].with_text("."), "fill")
        self.finish(words, found)

    def read_curl(self, words: tuple[Word, ...]) -> None:
        """Addresses in options, files that are sent, and formats that name a file."""
        entry, given = self.read_table(words)
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
            elif item.flag in {"-b", "--cookie"} and (value.text[:1] == "@" or "=" not in value.text):
                found.uses(value.with_text(value.text.removeprefix("@")) if value.literal else value, "read")
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
        # Each is for some of the addresses, or takes the place of another one.
        directories = [item.value for item in given if item.flag == "--output-dir"]
        for directory in directories:
            for item in given:
                if item.flag in {"-o", "--output"} and item.value is not None:
                    found.uses(_below(directory, item.value), "write")
        if not flags & {"-O", "--remote-name", "--remote-name-all"}:
            return
        globbed = not flags & {"-g", "--globoff"}
        for directory in directories or [None]:
            if flags & {"-J", "--remote-header-name"}:
                found.uses(directory or at.with_text("."), "fill")
            for item in given:
                address = item.value if item.flag == "--url" else item.word
                if item.kind in {"operand", "unproven"} or item.flag == "--url":
                    for each in _as_curl_divides(address or item.word):
                        found.uses(_remote_name(each, directory, globbed=globbed), "write")

    def _curl_form(self, value: Word, found: Effects) -> None:
        """`name=@file;type=x`: anything more can name further files."""
        plain = _FORM_FILE.fullmatch(value.text) if value.literal else None
        if plain is not None:
            found.uses(value.with_text(plain.group(1)), "read")
        elif not value.literal or _FORM_READS.search(value.text):
            found.uses(unknown_at(value), "read")


def _only_asks(request: Sequence[Argument]) -> bool:
    """Whether a request to GitHub looks, or changes what is discussed there: issues and pull requests."""
    methods = [item.value for item in request if item.flag in _GH_METHODS]
    method = methods[-1].text.upper() if methods and methods[-1] is not None else ""
    sent = [item for item in request if item.flag in _GH_SENDS]
    if method in {"GET", "HEAD"} or not (method or sent):
        return True
    paths = [item.word for item in request if item.kind in {"operand", "unproven"}]
    if method not in {"", "POST", "PATCH"} or not all(path.literal for path in paths):
        return False
    if [path.text.removeprefix("/") for path in paths] == ["graphql"]:
        return all(item.value is not None and _is_question(item) for item in sent)
    return all(_GH_CHANGES.fullmatch(path.text) for path in paths)


def _is_question(item: Argument) -> bool:
    """A field of a request in GraphQL that changes nothing."""
    if item.flag == "--input" or item.value is None:
        return False
    known = item.value.text if item.value.literal else item.value.prefix
    return _GH_QUERY.match(known) is not None and (item.value.literal or not known.startswith("query"))


def _is_recursive(given: Sequence[Argument]) -> bool:
    """wget saves under paths that the server tells, and not below a directory of the server's name."""
    flags = {item.flag for item in given}
    without = {letter for item in given if item.flag == "-n" and item.value for letter in item.value.text}
    here = bool(without & {"H", "d"} or flags & {"--no-host-directories", "--no-directories"})
    return here and bool(flags & _WGET_SAVES_TREES)


def _below(directory: Word | None, file: Word) -> Word:
    """The file that is written where a directory is put before its name: `sub` and `../x` are `x`."""
    if directory is None or not (directory.literal and file.literal):
        return unknown_at(file)
    return file.with_text(f"{directory.text}/{file.text}")


def _as_curl_divides(address: Word) -> Iterator[Word]:
    """The address, and others that some version of curl saves under the same name.

    A backslash is a slash before a name; older versions find the name behind a `?`, too, and newer ones
    take the last directory where there is none.
    """
    yield address
    if not address.literal:
        return
    path = address.text.partition("#")[0].partition("?")[0]
    if _DOTS_IN_PATH.search(path):  # which are taken out first
        yield unknown_at(address)
    for each in (path, path.rstrip("/"), address.text):
        yield address.with_text("http://host/" + _SLASHES.split(each)[-1])


def _remote_name(address: Word, directory: Word | None, *, globbed: bool) -> Word:
    """The file that an address is saved as: the last part of its path."""
    # curl puts texts in braces together, wget takes `%2E` for a dot.
    odd = bool({"{", "["} & set(address.text)) if globbed else "%" in address.text
    if odd or not address.literal or not (directory or address).literal:
        return unknown_at(address)
    path = address.text.partition("#")[0].partition("?")[0].rpartition("://")[2]
    name = path.partition("/")[2].rpartition("/")[2] or "index.html"
    return address.with_text(f"{directory.text}/{name}" if directory else name)


def _is_harmless_ssh(value: Word) -> bool:
    from nacre.policy.tables.network import SSH_SETTING  # noqa: PLC0415 - with the table of these programs

    return value.literal and re.fullmatch(SSH_SETTING, value.text) is not None
