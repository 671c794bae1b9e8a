"""What a command touches: its paths, against the allowed directories and nacre's own files.

Above: `redirection_check` and `check`, which hand over paths. Below: `findings` keeps what was
found, `paths` resolves. With a fence every argument that is not known to be no path must be inside, and a
path that is only known when the command runs is refused.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.arrivals import OF_ITS_OWN, Arrivals, held
from nacre.policy.effects import (
    Access,
    PathUse,
    as_pattern,
    behind_tilde,
    gets_others,
    is_elsewhere_by_tilde,
    is_file_of_loop,
    is_free_target,
    is_fresh,
    is_process,
    known_path,
    looks_for_files,
)
from nacre.policy.findings import WINDOWS
from nacre.policy.hidden_files import (
    is_environment,
    is_expanded_when_activated,
    is_followed_at_home,
    is_hidden_elsewhere,
    is_of_the_system,
    is_unknown_hidden_file,
)
from nacre.policy.link_check import LinkCheck
from nacre.policy.model import UNKNOWN, Word, names
from nacre.policy.paths import (
    LONGEST_PATH,
    MadePath,
    entered_again,
    expanded,
    has_repository,
    is_at_or_below,
    is_file_of_a_descriptor,
    is_link_of_a_process,
    is_of_a_process,
    is_other_repository,
    joined,
    makes_repository,
    may_be_run,
    may_take_the_place,
    may_tell_what_runs,
    normal,
    paths_in,
    real,
    seen_by_git,
    tells_what_runs,
    work_tree,
)
from nacre.policy.patterns import regex
from nacre.policy.windows_paths import as_windows_reads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from nacre.policy.findings import Span, TextFindings
    from nacre.policy.matching import Rule
    from nacre.policy.model import SimpleCommand

_CHANGES: frozenset[Access] = frozenset({"write", "change", "touch", "equip", "alter", "fill", "beside"})
# Where all directories are allowed, these uses are no matter.
_ONLY_FENCED: frozenset[Access] = frozenset({"read", "maybe", "leave", "tree", "pattern"})
# Shells to which `**` never means more than `*`; to others it does with an option (globstar).
_PLAIN_STARS = frozenset({"dash", "ash", "busybox", "mksh", "", *WINDOWS})
_WHO_ASKS = "where this path leads depends on the program that opens it"
_FIND_LESS = "say what is to be found: -name '*.py', -not -path '*/.*', or start in a directory below"
# What runs or prints what was found, and how it finds no links; else an option is better left out.
_WITHOUT_LINKS = (
    (names("-exec -execdir -ok -okdir -print0"), "write `-type f` first among the tests"),
    (names("-x --exec -X --exec-batch"), "write `-t f` before it"),
    (names("pandoc"), "add `--sandbox`"),
    (names("locate plocate mlocate"), "use `find` in a directory that is allowed"),
)
_NOT_UPWARDS = "write `(cd a && command) && (cd b && command)`, or the path from the root"
# Paths that are held against directories: more would take too long.
_MOST_PAIRS = 20_000
_MOST_CHANGES, _MOST_STEPS = 2_000, 8  # in one command
_GIT_ELSEWHERE = "a person can allow it with a rule that spells it: `git -C *`, or run git there"
# What mktemp makes, as far as its name matters.
_FRESH = "/tmp/tmp.0123456789"  # noqa: S108 - no file of ours
# What leads up from a directory that is not known leads to another one that is not known.
_ABOVE = regex(r"(?:\.\.?(?:/+|\Z))+")
_WRITTEN_OUT = "write the name of the file out, or loop over a pattern: for f in src/*.txt"
_FOUND_INSIDE = "say where: `find src -type f -print0 | xargs -0 command`"
_FOUND_BELOW = "say where: `grep -rlZ x src | xargs -0 command`, or `find src -print0 | xargs -0 command`"


class Boundaries:
    """The allowed directories and own files, for the commands of one text."""

    def __init__(self, found: TextFindings) -> None:
        self.findings = found.whole
        self.add = found.add
        self.shell, self._text = found.shell, found.text
        self._links = LinkCheck(found)
        self._arrivals = Arrivals(found)
        # Of one step: whether something in it takes the place of own files that are kept in a directory.
        self._coming: tuple[Sequence[PathUse], dict[tuple[str, ...], bool]] = ((), {})

    def check(self, uses: Sequence[PathUse], rules: Sequence[Rule] = (), name: str = "") -> None:
        """Hold the paths of one step against the limits; `rules` speak for it, `name` is the program."""
        findings = self.findings
        if not findings.limited or self._changes_too_many(uses):
            return
        uses = [*uses, *as_windows_reads(uses, self.shell, name)] if self.shell in WINDOWS else uses
        # A directory that is entered changes what the others mean, wherever it stands.
        for use in sorted(uses, key=lambda item: item.access != "enter") if len(uses) > 1 else uses:
            if findings.fence is None and use.access in _ONLY_FENCED:
                continue
            if findings.too_many_directories or (self._is_no_file(use) and use.access != "leave"):
                continue
            if use.access == "repository":
                if not any(rule.spells("-C") for rule in rules):  # else a person trusts others, too
                    self._in_repository(use)
            elif use.access == "found":
                self._found(use)
            elif use.access == "tracked":
                self._tracked(use)
            elif use.access != "link":
                self._path(use, uses)
        self._links.check(uses)
        self._arrivals.keep(uses)

    def _changes_too_many(self, uses: Sequence[PathUse]) -> bool:
        """Each of them, and what is copied there, is held against every limit: more would take too long."""
        changed = [use.access for use in uses if use.access in _CHANGES] if len(uses) > _MOST_CHANGES else ()
        if len(changed) <= _MOST_CHANGES and "change" not in changed:
            return False
        reason, hint = f"it changes more than {_MOST_CHANGES} files", "run it as several commands"
        self.add("deny", "own files", reason, _span(uses[0].word), hint=hint)
        return True

    def _is_no_file(self, use: PathUse) -> bool:
        """Pipes to commands, what find has found below where it started, and devices that are no files."""
        word, written = use.word, use.access in _CHANGES
        if is_process(word) or (word.text == "./" + UNKNOWN and word.expansions[0].name == "{}"):
            return True
        if written and self.findings.outputs_moved and is_file_of_a_descriptor(word.text, outputs=True):
            return False
        return is_free_target(word, self.shell, written=written)

    def _path(self, use: PathUse, uses: Sequence[PathUse]) -> None:
        """A path that is entered, read or changed."""
        if use.access == "enter":
            self._entered(use.word, uses)
        if self.findings.fence is not None and use.access != "beside":
            self._fenced(use)
        if use.access in _CHANGES:
            self._changed(use, uses)
            self._arrivals.check(use, uses, () if _is_moved_there(use, uses) else _put_there(use, uses))

    def check_patterns(self, command: SimpleCommand) -> None:
        """The shell itself looks for the files that a pattern matches: `echo /etc/*` shows what is there."""
        if self.findings.fence is None:
            return
        listed = [item.value for item in command.assignments if item.listed and item.value is not None]
        words = [word for word in (*command.words, *listed) if looks_for_files(word, self._text)]
        self.check([PathUse(word, "pattern") for word in words])

    def _entered(self, word: Word, uses: Sequence[PathUse]) -> None:
        """Paths may be seen from this directory, too."""
        known = known_path(word)
        # `tar -x -C build` is there for itself alone.
        if known is not None and not any(use.access == "fill" and use.word is word for use in uses):
            self.findings.stayed_in.add(known)
        if known is None or word.glob is not None or word.braces or is_elsewhere_by_tilde(word):
            self.findings.directory_is_known = False
        else:
            self.findings.enter_directory(known)

    # -- the fence -----------------------------------------------------------------------------------------

    def _fenced(self, use: PathUse) -> None:
        known = known_path(use.word)
        if use.access == "leave" and known is not None:
            reason = f"`{use.word.text}` can follow links or lists out of {self._roots()}"
            hints = (hint for words, hint in _WITHOUT_LINKS if use.word.text in words)
            hint = next(hints, "leave the option out")
            self.add("deny", "allowed_directories", reason, _span(use.word), hint=hint)
            return
        if known is None:
            self._unknown(use)
            return
        if self._is_output(use, known):
            return
        texts = list(paths_in(known)) if use.access in {"maybe", "alter"} else [known]
        if not all(self._holds(text, use.word, use.access) for text in texts):
            reason, hint = f"this path is outside of {self._roots()}", f"stay inside {self._roots()}"
            if self._goes_up(known):
                reason = f"where `..` leads depends on where the command runs; allowed: {self._roots()}"
                hint = _NOT_UPWARDS
            elif use.access == "tree":
                reason = f"a link in it leads out of {self._roots()}, or there is too much in it to know"
            elif use.access == "pattern":
                hint += ", or put it into quotes if it is no pattern for files"
            self.add("deny", "allowed_directories", reason, _span(use.word), hint=hint)
        elif use.access == "enter" and (use.word.glob is not None or use.word.braces):
            reason = "the directory is only known when it runs"
            self.add(
                "deny", "allowed_directories", reason, _span(use.word), hint="write the directory's name out"
            )

    def _is_output(self, use: PathUse, known: str) -> bool:
        """Whether a file is only read in which nacre keeps what a command has printed."""
        outputs = self.findings.outputs
        plain = not (use.word.glob is not None or use.word.braces or use.word.dynamic)
        if outputs is None or not plain or use.access not in {"read", "maybe"} or not known.startswith("/"):
            return False
        return outputs.holds(known, "/")

    def _unknown(self, use: PathUse) -> None:
        if use.access in {"maybe", "pattern"} and self.findings.policy.mode != "allowlist":
            return
        reason = f"this path is only known when it runs; allowed: {self._roots()}"
        hint = "write the path out, or loop over a pattern: for f in *.txt"
        if any(piece.name == "{}" for piece in use.word.expansions):
            hint = _FOUND_INSIDE
        elif use.access == "enter":
            hint = _NOT_UPWARDS
        if use.access == "leave":
            reason, hint = "this value can turn out to be an option that reads a file", "put `--` before it"
        self.add(self.findings.when_unknown, "allowed_directories", reason, _span(use.word), hint=hint)

    def _holds(self, text: str, word: Word, access: Access) -> bool:
        fence, directories = self.findings.fence, self.findings.directories
        if fence is None:
            return True
        if len(directories) > 1 and ".." in text.split("/"):
            # Behind `cd build &&` it is clear from where; else the shell may be in any of them.
            if access == "enter" or not self.findings.entered_once:
                return False
            directories = directories[1:]
        holds = fence.holds_tree if access == "tree" else fence.holds
        if word.glob is not None or word.braces or word.dynamic:
            deep = self.shell not in _PLAIN_STARS or access == "tree"
            holds = functools.partial(fence.holds_pattern, deep=deep, opened=access != "pattern")
        return all(holds(reading, directory) for directory in directories for reading in _tilde(text, word))

    def _goes_up(self, text: str) -> bool:
        """Whether a path leads up, or is seen from a directory to which the text goes up."""
        findings = self.findings
        unclear = len(findings.directories) > 1 and not findings.entered_once
        return unclear and any(".." in way.split("/") for way in (text, *findings.entered))

    def _roots(self) -> str:
        return ", ".join(self.findings.policy.allowed_directories)

    # -- nacre's own files ---------------------------------------------------------------------------------

    def _changed(self, use: PathUse, uses: Sequence[PathUse]) -> None:
        """A file that is written, changed or removed."""
        word = use.word
        rest = word.text.removeprefix(UNKNOWN)
        # Where no such file could be made, there is nothing before the rest.
        fresh = {_FRESH + rest, rest or _FRESH} if is_fresh(word) else ()
        meant = (
            behind_tilde(word) if is_elsewhere_by_tilde(word) else [word.with_text(path) for path in fresh]
        )
        if meant:
            others = [item for item in uses if item is not use]
            for reading in meant:
                self._changed(replace(use, word=reading), others)
            return
        text = known_path(word) or as_pattern(word)
        if self._depends_on_who_asks(text, [other.word for other in uses if other.access == "read"]):
            self.add("deny", "own files", _WHO_ASKS, _span(word), hint="write the path itself")
        if self.findings.policy.mode == "allowlist":
            self._changed_under_allowlist(use, text, uses)
        own = self.findings.own
        if own is None:
            return
        # Some programs empty the directory that they write to: `pytest --basetemp=.`, `pdm build -d .`.
        within = use.access in {"write", "change", "touch", "equip", "fill"}
        exact = held(own, use, _put_there(use, uses)) if within else own.is_one
        known = word.literal or (word.tilde and not word.dynamic)
        # A relative path means a file of that name anywhere, where the directory is not known.
        known = known and self.findings.sees(text)
        sure = self.findings.surely_entered and use.access != "enter"
        for directory in self.findings.directories[sure:]:
            if known:
                hit = any(exact(reading, directory) for reading in _tilde(text, word))
                hit = hit or self._receives(use, uses, directory)
            else:
                below = self.findings.directory_is_known and not word.text.startswith((UNKNOWN, "/", "~"))
                start = directory if below else ""
                hit = own.may_be(text) or (within and own.may_hold(text, start))
            if hit:
                reason = f"{'' if known else 'it is, or could be, '}a file of nacre itself"
                hint = "leave it to a person" if known else _WRITTEN_OUT
                self.add("deny", "own files", reason, _span(word), hint=hint)
                return

    def _depends_on_who_asks(self, text: str, copied: Sequence[Word]) -> bool:
        """Whether a path that is changed, or a link that is copied there, is of the program that opens it."""
        files, starts = self.findings.policy.files, self.findings.directories
        sources = [known for word in copied if (known := known_path(word))]
        moved = self.findings.outputs_moved
        if any(is_file_of_a_descriptor(joined(start, text), outputs=moved) for start in starts):
            return True
        return any(is_of_a_process(joined(start, text), files) for start in starts) or any(
            is_link_of_a_process(joined(start, source), files) for start in starts for source in sources
        )

    def _changed_under_allowlist(self, use: PathUse, text: str, uses: Sequence[PathUse]) -> None:
        """A file that may tell git or a shell what to run, or a repository, must not be made by a command."""
        word = use.word
        if use.access != "beside":
            self._made(use, uses)
        if self._reaches_what_runs(use, text, uses):
            reason = "programs run what stands there, or may take their instructions from it"
            hint = "leave it to a person" if word.literal or word.tilde else _WRITTEN_OUT
            if not word.literal and not word.tilde:
                reason = "it could be a file that tells programs what to run (.git/config, ~/.profile)"
            if any(expansion.name == "{}" for expansion in word.expansions):
                hint = _FOUND_BELOW
            self.add("deny", "own files", reason, _span(word), hint=hint)
        elif use.access == "fill" and self._is_run_from(text):
            reason = "what is put there can be what git or a shell runs (.git/hooks, .git/config, ~/.profile)"
            hint = "put `--` before the first name" if use.turned else OF_ITS_OWN
            self.add("deny", "own files", reason, _span(word), hint=hint)

    def _made(self, use: PathUse, uses: Sequence[PathUse]) -> None:
        """Write down what this text makes: git must not take it for a repository."""
        findings = self.findings
        # `git clone x y` and `git init y` make repositories with a configuration of git's own.
        accesses = [other.access for other in uses]
        if "repository" in accesses and accesses.count("change") == 1:
            return
        put = _put_there(use, uses)
        findings.made.append((use, put))
        if findings.repositories and self._is_made_here(findings.repositories, len(findings.made) - 1):
            reason = "what git is used in becomes another repository here: its configuration can run programs"
            self.add("deny", "other repository", reason, _span(use.word), hint=_GIT_ELSEWHERE)

    def _found(self, use: PathUse) -> None:
        """Files below a directory are changed, whichever are found: nacre's own, or what git runs."""
        findings, word = self.findings, use.word
        text = known_path(word) or as_pattern(word)
        if self._depends_on_who_asks(text, ()):
            self.add("deny", "own files", _WHO_ASKS, _span(word), hint="write the path itself")
        patterns = use.names or ("*",)
        own = findings.own
        start = findings.cwd or "."
        if own is not None and any(own.may_be(each) or own.may_hold(each, start) for each in patterns):
            known = word.literal and findings.directory_is_known
            if not known or any(own.is_within(text, directory) for directory in findings.directories):
                reason = "a file of nacre itself can be among what is found there"
                self.add("deny", "own files", reason, _span(word), hint=_FIND_LESS)
                return
        if findings.policy.mode != "allowlist":
            return
        inside = self._tells_what_runs(joined(text, "x"), "change")
        git, home = self._holds_what_runs(text, use)
        if inside or may_be_run(patterns, git=git, home=home) or self._arrivals.finds_hidden(use, text):
            reason = "a file that says what runs (.git/config, ~/.profile) can be among what is found"
            self.add("deny", "own files", reason, _span(word), hint=_FIND_LESS)

    def _tracked(self, use: PathUse) -> None:
        """git changes what a pattern of its own matches, anywhere in its work tree."""
        findings = self.findings
        own, files = findings.own, findings.policy.files
        if own is None or files is None:
            return
        tops = [work_tree(files, real(files, directory)) for directory in findings.directories]
        if any(
            top
            and own.is_within(top, top)
            and any(own.may_be(each) or own.may_hold(each, top) for each in use.names)
            for top in tops
        ):
            reason = "a file of nacre itself can be among what git finds by this pattern"
            self.add("deny", "own files", reason, _span(use.word), hint=_WRITTEN_OUT)

    def _holds_what_runs(self, text: str, use: PathUse) -> tuple[bool, bool]:
        """Whether a repository that can be found, and a person's home, are at a place or below it."""
        findings = self.findings
        files = findings.policy.files
        if findings.cwd is None or files is None:
            return False, False
        if not findings.directory_is_known or "*" in text or len(text) > LONGEST_PATH:
            return not use.without_git, True
        here, home = real(files, findings.cwd), real(files, files.home)
        places = [real(files, joined(start, expanded(text, files.home))) for start in findings.directories]
        marks = [joined(place, ".git") for place in places]
        git = any(map(files.is_directory, marks)) or any(is_at_or_below(here, place) for place in places)
        git = (use.with_mark and any(map(files.is_file, marks))) if use.without_git else git
        return git, any(is_at_or_below(home, place) for place in places)

    def _tells_what_runs(self, text: str, access: Access) -> bool:
        """`cd .git && cp x config`: the directory is part of the name."""
        directories = [self.findings.cwd or ".", *self.findings.entered]
        places = [text, *(joined(directory, text) for directory in directories)]
        led_to = self._without_links(text)
        places += led_to
        if any(tells_what_runs(place, gets_content=access != "touch") for place in places):
            return True
        if access == "touch":
            return False
        if access == "equip" and any(
            map(is_expanded_when_activated, (text, *led_to, *self.findings.entered))
        ):
            return True
        if self.findings.cwd is None and not led_to:
            if text.startswith("/"):
                return is_of_the_system(text) or is_hidden_elsewhere(text)
            return is_unknown_hidden_file(text) and not (access == "equip" and is_environment(text))
        return any(self._may_hold_instructions(place, access) for place in led_to)

    def _may_hold_instructions(self, place: str, access: Access) -> bool:
        """A file with a dot before its name, or one of the system, that is not known to be harmless."""
        findings, files = self.findings, self.findings.policy.files
        if files is None:
            return False
        home = real(files, files.home)
        start = findings.policy.start_directory or findings.cwd
        roots = [real(files, start)] if start is not None else []
        roots += findings.fence.roots if findings.fence is not None else ()
        # Who is to work in ~/.dotfiles or /usr/src/app is to write there.
        inside = [root for root in roots if is_at_or_below(place, root) and not is_at_or_below(home, root)]
        if inside:
            below = place[len(max(inside, key=len)) :]
            return is_unknown_hidden_file(below) and not (access == "equip" and is_environment(below))
        if is_at_or_below(place, home):
            below = place[len(home) :].lstrip("/")
            return is_followed_at_home(below) or is_unknown_hidden_file(below)
        return is_of_the_system(place) or is_hidden_elsewhere(place)

    def _without_links(self, text: str) -> list[str]:
        """Where a path really leads: a link can have any name."""
        findings = self.findings
        files = findings.policy.files
        if files is None or len(text) > LONGEST_PATH:
            return []
        path = expanded(text, files.home)
        if findings.cwd is None:  # only what does not depend on it is known
            return [real(files, path)] if path.startswith("/") else []
        return [real(files, joined(directory, path)) for directory in findings.directories]

    def _reaches_what_runs(self, use: PathUse, text: str, uses: Sequence[PathUse]) -> bool:
        """The path itself, or what is put there under its own name: `cp -r x/.git .`."""
        if self._tells_what_runs(text, use.access) or (
            use.access != "touch" and self._may_tell(use.word, use.access)
        ):
            return True
        put = _put_there(use, uses)
        if not self.findings.directory_is_known and use.access != "touch" and not text.startswith(("/", "~")):
            # `cd "$d" && cp x config`: it may be .git that was entered.
            names = [_ABOVE.sub("", name) for name in (text, *(joined(text, name) for name in put))]
            return any(may_tell_what_runs(joined(UNKNOWN, name)) for name in names if name)
        return any(self._tells_what_runs(joined(text, name), use.access) for name in put)

    def _may_tell(self, word: Word, access: Access) -> bool:
        """A path that is not fully known and could be such a file."""
        if word.literal:
            return False
        if word.spelled:
            # A number or the like is a part of a name: whichever it is, it is none of these names.
            return self._tells_what_runs(word.text.replace(UNKNOWN, "0"), access)
        # The name of a file in a loop is one that its pattern matches: `for d in .g*; do cp x "$d/config"`.
        text = (known_path(word) or word.text) if is_file_of_loop(word) else word.text
        return may_tell_what_runs(joined(self.findings.cwd or ".", text))

    def _is_run_from(self, text: str) -> bool:
        """A directory with a repository in it, or a person's home, or one that is not known."""
        findings = self.findings
        files = findings.policy.files
        if findings.cwd is None or files is None:
            return False
        absolute = text.startswith("/")
        if "*" in text or not (findings.directory_is_known or absolute):
            return True
        entered = [expanded(directory, files.home) for directory in findings.entered]
        start = [findings.cwd, *(joined(findings.cwd, directory) for directory in entered)]
        if findings.surely_entered and not absolute:
            start = start[1:]  # what follows `cd build &&` runs there or not at all
        if len(text) > LONGEST_PATH:
            return True
        places = {real(files, joined(directory, expanded(text, files.home))) for directory in start}
        return real(files, files.home) in places or any(has_repository(files, place) for place in places)

    def _in_repository(self, use: PathUse) -> None:
        """git, in the working directory, in those that the text changes to, and in the one it is told."""
        findings, files, word = self.findings, self.findings.policy.files, use.word
        if findings.policy.mode != "allowlist" or files is None or findings.cwd is None:
            return
        here = real(files, findings.cwd)
        named = [word.text] if word.literal and word.text else []
        stayed = [item for item in findings.entered if item in findings.stayed_in]
        places = self._places_of_git(here, [*findings.entered, *named])
        staying = [*self._places_of_git(here, [*stayed, *named]), *seen_by_git(files, here)]
        new = dict.fromkeys(place for place in staying if place not in findings.repositories)
        findings.repositories.update(new)
        other = any(is_other_repository(files, place, here) for place in places) or self._is_made_here(new)
        if other or self._arrivals.comes_along(here, () if use.names else named):
            reason = "another repository is there, or what looks like one: its configuration can run programs"
            self.add("deny", "other repository", reason, _span(word), hint=_GIT_ELSEWHERE)

    def _places_of_git(self, here: str, entered: Sequence[str]) -> list[str]:
        """The working directory, and those that are entered from there, or from one another."""
        files = self.findings.policy.files
        if files is None:
            return []
        steps = [expanded(item, files.home) for item in dict.fromkeys(entered) if len(item) <= LONGEST_PATH]
        deeper = itertools.accumulate(steps, joined)
        pairs = (
            (joined(*pair) for pair in itertools.permutations(steps, 2)) if len(steps) <= _MOST_STEPS else ()
        )
        again = (place for step in steps for place in entered_again(files, here, step))
        ways = [joined(self.findings.cwd or here, path) for path in (*steps, *deeper, *pairs)]
        # A shell goes up from where a link stands, a program from where it leads to.
        ways += [normal(way) for way in ways if ".." in way]
        places = (real(files, path) for path in (*ways, *again))
        return list(dict.fromkeys([here, *places]))

    def _is_made_here(self, places: Collection[str], already: int = 0) -> bool:
        """Whether a directory in which git is used becomes a repository by what this very text makes."""
        findings = self.findings
        if findings.policy.files is None or not places:
            return False
        for use, put in findings.made[len(findings.made_paths) :]:
            findings.made_paths.append(tuple(self._made_paths(use, put)))
        found = [path for made in findings.made_paths[already:] for path in made]
        if len(found) * len(places) > _MOST_PAIRS:
            return True
        return any(makes_repository(path, place) for path in found for place in places)

    def _made_paths(self, use: PathUse, put: Sequence[str]) -> Iterator[MadePath]:
        files = self.findings.policy.files
        text = known_path(use.word) or as_pattern(use.word)
        if files is None or len(text) > LONGEST_PATH:
            return
        for start in self.findings.directories:
            there = real(files, joined(start, expanded(text, files.home)))
            # What is put into a directory that is there has a name; what comes into another one is not known.
            inside = files.is_directory(there) and use.access != "fill"
            yield MadePath(there, unseen=not inside and use.access != "touch")
            if inside:
                yield from (MadePath(joined(there, name), unseen=use.access != "touch") for name in put)

    def _receives(self, use: PathUse, uses: Sequence[PathUse], directory: str) -> bool:
        """`cp x/nacre.toml .`: what is put into a directory has a name there."""
        own = self.findings.own
        if own is None or (use.access == "change" and not gets_others(use, uses)):
            return False
        kept = own.kept_in(use.word.text, directory)
        if not kept:  # nearly always
            return False
        if self._coming[0] is not uses:
            self._coming = (uses, {})
        found = self._coming[1]
        if kept not in found:
            coming = dict.fromkeys(
                name for other in uses if other.access != "leave" for name in _names_there(other.word)
            )
            found[kept] = any(may_take_the_place(name, kept) for name in coming)
        return found[kept]


def _put_there(use: PathUse, uses: Sequence[PathUse]) -> list[str]:
    """The names of what is put into a directory, if it is one: `cp a/b c` makes c/b."""
    if not gets_others(use, uses):
        return []
    others = [other.word for other in uses if other is not use and other.access in {"read", "change"}]
    return [name for other in others for name in _names_there(other)]


def _is_moved_there(use: PathUse, uses: Sequence[PathUse]) -> bool:
    """Whether what is put there replaces a link of its name (`mv a/b c`), instead of writing through it."""
    moves = len(uses) > 1 and use is uses[-1] and all(other.access == "change" for other in uses)
    return moves or use.access != "change"


def _names_there(word: Word) -> list[str]:
    """The name of a file where it is put; of `host:file` also what stands behind the host."""
    name = as_pattern(word).rstrip("/").rpartition("/")[2]
    _, colon, rest = name.rpartition(":")
    return [name, rest] if colon and rest else [name]


def _span(word: Word) -> Span:
    return (word.start, word.end)


def _tilde(text: str, word: Word) -> tuple[str, ...]:
    """In quotes, a tilde is the name of a directory to most shells, and still a home to some programs."""
    return (text, f"./{text}") if text.startswith("~") and not word.tilde else (text,)
