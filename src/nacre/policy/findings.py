"""The findings about a text, part by part, and the verdict that follows from them.

Above: `check` adds what it finds about one simple command, `evaluation` asks for the verdict. Below: `rules`
and `paths`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.effects import is_elsewhere_by_tilde, known_path
from nacre.policy.grammar import behind_prefixes
from nacre.policy.model import UNKNOWN, Decision, Finding, Verdict, names, strictness
from nacre.policy.paths import (
    LONGEST_PATH,
    Fence,
    OwnFiles,
    expanded,
    is_at_or_below,
    is_pattern,
    joined,
    normal,
    real,
)
from nacre.policy.patterns import regex
from nacre.policy.renames import Renames

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from nacre.filesystem import FileSystem
    from nacre.policy.effects import PathUse
    from nacre.policy.matching import Rule
    from nacre.policy.model import Scan, SimpleCommand, Word
    from nacre.policy.paths import MadePath
    from nacre.policy.rules import Policy

Span = tuple[int, int]
_MOST_DIRECTORIES = 32
_CHANGES_DIRECTORY = names("cd chdir pushd popd sl set-location push-location pop-location")

# What CDPATH does not matter to.
_SEEN_FROM_HERE = regex(r"[/~\\]|\.\.?(?:/|\Z)|[A-Za-z]:")
# One change of the directory, and a list that ends with the first command that fails; it may be made before.
_CD_FIRST = regex(
    r"\s*(?:mkdir (?:-p )?(?P<made>[\w./-]+) && )?cd (?P<first>[A-Za-z0-9_][A-Za-z0-9_./-]*) && "
    r"(?:[^;&|\n(){}`$]|&&|\|(?!\|)|2>&1|\$\(nproc\))*\Z"
)

# What can run a command more often than it stands in the text.
_REPEATS = regex(r"(?i)\b(?:for\w*|while|until|repeat|select|do|function|trap)\b|%|\(\s*\)")

WINDOWS = frozenset({"cmd", "powershell", "pwsh"})
POWERSHELL = frozenset({"powershell", "pwsh"})


def may_change_directory(commands: Iterable[SimpleCommand]) -> bool:
    """Whether any of the commands goes to another directory, or has a name that is put together."""
    for command in commands:
        called = behind_prefixes(command.words)
        name = called[0].text if called else ""
        if UNKNOWN in name or name.casefold() in _CHANGES_DIRECTORY:
            return True
    return False


def entered_apart(scan: Scan, text: str) -> frozenset[int]:
    """Where each `cd` of a text stands, if all are `(cd a && ...)`: behind the bracket it is as before."""
    if not scan.subshells or scan.definitions:
        return frozenset()
    changes = [command for command in scan.commands if may_change_directory([command])]
    for command in changes:
        around = [first for first, last in scan.subshells if first < command.start < last]
        # The first command there, and no other one: what stands before it has no words.
        alone = len(around) == 1 and not text[around[0] + 1 : command.start].strip()
        if not alone or command.words[0].text != "cd" or command.assignments:
            return frozenset()
    return frozenset(command.start for command in changes)


def _is_only_known_then(target: Word) -> bool:
    """A directory from before (`cd -`, `pushd +1`, `cd ~-`), or one in a value."""
    unknown = target.dynamic or target.several or target.text[:1] in {"-", "+"}
    return unknown or is_elsewhere_by_tilde(target)


def _stays(files: FileSystem, path: str, gone: Sequence[str]) -> bool:
    return files.is_file(path) and not any(is_at_or_below(real(files, path), other) for other in gone)


class Findings:
    """The policy, the circumstances, and everything that was found so far."""

    def __init__(  # noqa: PLR0913 - the circumstances
        self,
        policy: Policy,
        shell: str,
        cwd: str | None,
        *,
        fed: bool = False,
        typed: bool = False,
        given: str = "",
        environment: Mapping[str, str] | None = None,
        inherited: Collection[str] = (),
        kept: Collection[str] = (),
    ) -> None:
        self.policy = policy
        self.shell = shell
        self.cwd = cwd
        self.windows = shell in WINDOWS
        self.items: list[Finding] = []
        self.rememberable = True
        # Is the whole given something to read? How many commands were checked so far?
        self.fed = fed or typed
        # What that is, where the call says it.
        self.given = given
        # Does an output become what was opened under another number, perhaps to be read?
        self.outputs_moved = False
        # Is it given that while it runs, perhaps by keys?
        self.typed = typed
        self.environment: Mapping[str, str] = environment or {}
        # The variables that the text exports, beside those that programs see anyway.
        self.exports: set[str] = set()
        self._inherited = inherited
        # Functions and traps of earlier commands; those of this text.
        self.kept_before = kept
        self.kept: set[str] = set()
        self.command_count = 0
        # The whole text, and its commands: what they are given may be given on as an option.
        self.source = ""
        self.commands: Sequence[SimpleCommand] = ()
        # The texts in it that a shell reads, itself the first.
        self.texts: list[str] = []
        # Where a command may run: the working directory, and those that the text changes to. Also elsewhere?
        self.directories: list[str] = []
        # Those of them that the text enters one after another as they stand in it.
        self._in_order: list[str] = []
        # Is the one that is entered now left again before any other one is?
        self.enters_apart = False
        self.directory_is_known = True
        # The directories that the text changes to, as they are written; the one in which all else runs.
        self.entered: list[str] = []
        # Those of them in which more than one command runs.
        self.stayed_in: set[str] = set()
        # What is entered by `cd`, one after another.
        self.changed_to: list[str] = []
        # They are too many: it is refused, and paths are not looked at any more.
        self.too_many_directories = False
        self._first = ""
        # It is made before, by a command that runs where the text begins.
        self._made_first = False
        # Where git is used; what the text makes, with the names of what is put there.
        self.repositories: dict[str, None] = {}
        self.made: list[tuple[PathUse, Sequence[str]]] = []
        self.made_paths: list[tuple[MadePath, ...]] = []
        # Where it unpacks archives that can hold links.
        self.unpacked: dict[str, None] = {}
        # Other names that the text gives, and the paths that it uses.
        self.renames = Renames(policy.files)
        self.makes_links = False
        self.used: list[tuple[Callable[[Sequence[PathUse], int], None], Sequence[PathUse], int]] = []
        self.fence = Fence(policy.allowed_directories, policy.world) if policy.allowed_directories else None
        self.outputs = Fence(policy.output_directories, policy.world) if policy.output_directories else None
        self.own = OwnFiles(policy.own_files, policy.world) if policy.own_files else None
        # What cannot be resolved is denied under an allowlist and asked about otherwise.
        self.when_unknown: Decision = "deny" if policy.mode == "allowlist" else "ask"

    def add(self, finding: Finding) -> None:
        """Record what was found about one part."""
        self.items.append(finding)

    @property
    def limited(self) -> bool:
        """Whether it matters at all which files a command uses."""
        fenced = self.fence is not None or self.own is not None
        return fenced or self.policy.mode == "allowlist" or self.policy.has_places

    def is_exported(self, name: str) -> bool:
        """Tell whether programs see a variable: from before, from the call, or exported by the text."""
        return name in self.exports or name in self.environment or name in self._inherited

    def has_objection_since(self, count: int) -> bool:
        """Tell whether anything but permission was found after the first `count` findings."""
        return len(self.items) > count and any(item.decision != "allow" for item in self.items[count:])

    def check_patterns(self, text: str) -> None:
        """Regular expressions over the whole text."""
        for rule in self.policy.text_rules:
            found = rule.pattern.search(text)
            if found is not None:
                reason = rule.reason or "the text matches a pattern"
                pattern = rule.pattern.pattern
                self.add(Finding(found.group(), "", rule.decision, pattern, reason, *found.span()))

    def start_in_directory(self, text: str) -> None:
        """Look at the working directory, and at the one that the text goes to first of all."""
        # `cd build && ...`: all else runs there or not at all.
        found = _CD_FIRST.match(text) if "cd" in text else None
        if found is not None and found["made"] in {None, found["first"]} and not self.is_exported("CDPATH"):
            self._first, self._made_first = found["first"], found["made"] is not None
        start = self.cwd or "."
        if self.fence is not None and not self.fence.holds(start, start):
            reason = f"the working directory is outside of {', '.join(self.policy.allowed_directories)}"
            self.add(Finding(start, "", "deny", "allowed_directories", reason, 0, 0))
        self.directories, self._in_order = [start], [start]

    def enter_directories(self, commands: Sequence[SimpleCommand]) -> None:
        """Look at every directory that a text changes to: a loop may come back to what stands before."""
        for command in commands:
            words = behind_prefixes(command.words)
            if not words or words[0].text.casefold() not in _CHANGES_DIRECTORY:
                continue
            target = next((word for word in words[1:] if word.text not in {"--", "-P", "-L", "-e"}), None)
            if target is None and words[0].text.casefold() in {"cd", "chdir"}:
                self.enter_directory("~")
            elif target is None or _is_only_known_then(target):
                self.directory_is_known = False
            elif not _SEEN_FROM_HERE.match(target.text) and self.is_exported("CDPATH"):
                self._search_for(target)
            else:
                self.stayed_in.add(target.text)
                self.changed_to.append(target.text)
                self.enter_directory(target.text)

    def _search_for(self, target: Word) -> None:
        """With CDPATH the shell looks for a directory of this name elsewhere first."""
        self.directory_is_known = False
        if self.fence is not None:
            reason, hint = "CDPATH is set: it can be a directory elsewhere", "write ./ before it"
            span = (target.start, target.end)
            self.add(Finding(target.text, "", "deny", "allowed_directories", reason, *span, hint))

    @property
    def surely_entered(self) -> bool:
        """Everything but the first `cd` runs in the one directory that is entered."""
        return self.entered_once and not self._made_first

    @property
    def entered_once(self) -> bool:
        """The same, but for a command before it that makes this directory."""
        return bool(self._first) and set(self.entered) == {self._first} and self.directory_is_known

    def sees(self, path: str) -> bool:
        """Tell whether all places are known to which a path leads.

        What goes up leads from a directory to one above it, and a loop may enter one again and again that
        is only made then.
        """
        if path.startswith(("/", "~")):
            return True
        above = len(self.directories) > 1 and ".." in path.split("/") and not self.entered_once
        return self.directory_is_known and not (above and any(map(_REPEATS.search, self.texts)))

    def enter_directory(self, path: str) -> None:
        """From here on, paths may be seen from another directory, too."""
        if self.too_many_directories:
            return
        if path not in self.entered:
            self.entered.append(path)
        if len(self.entered) > _MOST_DIRECTORIES:
            del self.entered[1:]
            self._refuse_many(path)
        path = expanded(path, self.policy.files.home if self.policy.files is not None else "~")
        if self.fence is None and self.own is None and not self.policy.has_places:
            # Only names matter, whichever directories stand before them: `cd .vscode && cp x settings.json`.
            starts = (self.directories[0], self.directories[-1]) if self.directories else ()
            self.directories += dict.fromkeys(joined(start, path) for start in starts)
            return
        starts = self._in_order[:1] if self.enters_apart else self._in_order
        places = [joined(directory, path) for directory in starts]
        self._in_order += [place for place in dict.fromkeys(places) if place not in self._in_order]
        if not self.enters_apart:
            self._enter_again(path)
        others = [] if len(self._in_order) > _MOST_DIRECTORIES else self._in_another_order()
        self.directories = [*self._in_order, *others]
        if max(len(self._in_order), len(others)) > _MOST_DIRECTORIES:
            del self._in_order[1:]
            self.directories = self._in_order[:]
            self._refuse_many(path)

    def _refuse_many(self, path: str) -> None:
        """Every path is held against every directory: more of them would take too long."""
        reason = "it changes the directory too often"
        hint = "run it as several commands, or write `(cd a && command)` with brackets around each"
        if self.fence is not None or self.own is not None or self.policy.mode == "allowlist":
            self.add(Finding(path, "", "deny", "allowed_directories", reason, 0, 0, hint))
            self.too_many_directories = True

    def _enter_again(self, path: str) -> None:
        """A loop may enter a directory from where it has led before, as long as there is one."""
        files = self.policy.files
        if files is None or len(path) > LONGEST_PATH:
            return
        waiting = [place for place in self._in_order if len(place) <= LONGEST_PATH]
        seen = {real(files, directory) for directory in waiting}
        while waiting and len(self._in_order) <= _MOST_DIRECTORIES:
            place = joined(waiting.pop(), path)
            where = real(files, place)
            if where not in seen and len(place) <= LONGEST_PATH and files.is_directory(where):
                seen.add(where)
                self._in_order.append(place)
                waiting.append(place)

    def _as_shells_go_up(self, places: Iterable[str]) -> list[str]:
        """Where `cd link/..` leads: to a shell that is where the link stands, not where it leads to."""
        files = self.policy.files
        if files is None:
            return []
        ways = {place: normal(place) for place in places if ".." in place}
        found = [
            way
            for place, way in ways.items()
            if len(place) <= LONGEST_PATH and real(files, place) != real(files, way)
        ]
        self.entered += [way for way in found if way not in self.entered]
        self.stayed_in.update(found)
        return found

    def _in_another_order(self) -> list[str]:
        """Where else a loop comes to, which enters directories in any order, and goes up as shells do."""
        files = self.policy.files
        if files is None:
            return []
        found: list[str] = []
        steps = [expanded(path, files.home) for path in self.entered if len(path) <= LONGEST_PATH]
        waiting = [place for place in self._in_order if len(place) <= LONGEST_PATH]
        seen = {real(files, directory) for directory in waiting}
        while waiting and len(found) <= _MOST_DIRECTORIES:
            start = waiting.pop()
            places = [joined(start, step) for step in steps]
            for place in (*places, *self._as_shells_go_up(places)):
                where = real(files, place)
                if where not in seen and len(place) <= LONGEST_PATH and files.is_directory(where):
                    seen.add(where)
                    found.append(place)
                    waiting.append(place)
        return found

    def is_for_here(self, rule: Rule) -> bool:
        """Tell whether a rule is for the directories that a command may run in."""
        if not rule.cwd:
            return True
        known = self.cwd is not None and self.directory_is_known
        directories = self.directories[self.surely_entered :] if known else None
        return rule.holds_in(directories, lambda path: real(self.policy.files, path))

    def is_inside(self, path: str) -> bool:
        """Tell whether a path is below the working directory, or in a directory that is allowed."""
        files = self.policy.files
        if self.cwd is None or files is None or not self.directory_is_known:
            return False
        fence = self.fence or Fence([self.cwd], files)
        return all(fence.holds(path, directory) for directory in self._seen_from(self.cwd, files.home))

    def leads_out(self, path: str) -> bool:
        """Tell whether a link leads out of the working directory here, or may: this text makes links."""
        files = self.policy.files
        if self.cwd is None or files is None or not self.directory_is_known:
            return False
        return self.makes_links or any(
            not is_at_or_below(real(files, joined(start, path)), real(files, start))
            and not (self.fence is not None and self.fence.holds(path, start))
            for start in self._seen_from(self.cwd, files.home)
        )

    def has_files(self, lists: Sequence[Sequence[str]]) -> bool:
        """Tell whether all files of one of these lists are there, wherever the command runs."""
        files = self.policy.files
        if self.cwd is None or files is None or not self.directory_is_known:
            return False
        places = self._seen_from(self.cwd, files.home)[self.surely_entered :]
        gone = self._may_be_gone(self.cwd, files)
        return gone is not None and all(
            any(all(_stays(files, joined(place, name), gone) for name in listed) for listed in lists)
            for place in places
        )

    def _may_be_gone(self, cwd: str, files: FileSystem) -> list[str] | None:
        """What this text has removed or moved so far; None: that is not known."""
        uses = [use for use, _ in self.made if use.access in {"touch", "change"}]
        texts = [known_path(use.word) for use in uses]
        if any(text is None or is_pattern(text) for text in texts):
            return None
        starts = self._seen_from(cwd, files.home)
        return [
            real(files, joined(start, expanded(text, files.home)))
            for text in texts
            if text
            for start in starts
        ]

    def _seen_from(self, cwd: str, home: str) -> list[str]:
        """The working directory, and those that the text enters."""
        return [cwd, *(joined(cwd, expanded(entered, home)) for entered in self.entered)]

    def verdict(self, text: str) -> Verdict:
        """The strictest of all findings."""
        for check, uses, command in self.used if self.renames.given else ():
            check(uses, command)
        self.used.clear()  # they hold these findings, which then would wait for the garbage collector
        found, exported, kept = tuple(self.items), frozenset(self.exports), frozenset(self.kept)
        if not found:
            reason = "nothing in it needs a rule"
            return Verdict("allow", "nothing", reason, 0, len(text), exported=exported, kept=kept)
        worst = _strictest(found)
        if worst.decision == "allow":
            reason = worst.reason if len(found) == 1 else "every part of it is allowed"
            return Verdict("allow", worst.rule, reason, 0, len(text), "", found, exported=exported, kept=kept)
        rememberable = worst.decision == "ask" and self.rememberable
        said = (worst.decision, worst.rule, worst.reason, worst.start, worst.end, worst.hint)
        return Verdict(*said, found, rememberable, exported, kept)


def _strictest(found: Sequence[Finding]) -> Finding:
    """The first of those that nothing is stricter than."""
    worst = found[0]
    for item in found:
        if item.decision != worst.decision and strictness(item.decision) > strictness(worst.decision):
            worst = item
    return worst


class TextFindings:
    """The findings about the commands of one text, which may stand inside another."""

    def __init__(
        self, findings: Findings, text: str, place: Callable[[int, int], Span], shell: str = ""
    ) -> None:
        self.whole = findings
        self.policy = findings.policy
        self.text = text
        # The shell that reads this text: `zsh -c '...'` in a text for bash is one for zsh.
        self.shell = shell or findings.shell
        self.windows = self.shell in WINDOWS
        self._place = place

    def add(  # noqa: PLR0913 - the fields of a finding
        self,
        decision: Decision,
        rule: str,
        reason: str,
        span: Span,
        *,
        name: str = "",
        hint: str = "",
        via: tuple[str, ...] = (),
    ) -> None:
        """Record a finding, at its place in the text that the person wrote."""
        start, end = self._place(*span)
        shown = self.text[span[0] : span[1]]
        self.whole.items.append(Finding(shown, name, decision, rule, reason, start, end, hint, via))

    def add_write(self, reason: str, span: Span) -> None:
        """Record that a file is written, which needs permission."""
        if not self.policy.allow_writes:
            hint = "print the text instead, or ask a person to set allow_writes"
            self.add("deny", "allow_writes", reason, span, hint=hint)
