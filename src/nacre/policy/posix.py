"""A strict scanner for POSIX shells: every simple command of a text, or a refusal.

Above: `evaluation` asks `scan(text, shell)` what a text would run. Below: `compounds` reads groups, loops and
definitions, `conditions` tests, `simple` one command, `words` its words. The scanner walks the grammar as the
shell does and reports simple commands in the order of the text, wherever they are nested. It knows no rule
and no program. It fails closed: what it does not fully understand is a refusal with an offset and a hint,
and it never changes or re-quotes the text.
"""

from __future__ import annotations

from nacre.policy.compounds import QUOTES, CompoundScanner
from nacre.policy.grammar import GRAMMARS
from nacre.policy.model import Refusal, Scan
from nacre.policy.patterns import regex
from nacre.policy.plain import scan_plain
from nacre.policy.refusal import NotUnderstood
from nacre.policy.simple import OUTSIDE

# A text beyond these bounds is refused, never cut: judging it would keep the server busy.
MAX_TEXT = 1_000_000
MAX_COMMANDS = 1_000

# Control characters other than tab and newline (shells do not take a carriage return for a line's end), and
# lone surrogates, whose bytes depend on the encoder.
CONTROL = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# What can put a dollar sign or a backtick together with what stands elsewhere: `'a[$'`, `printf '\\44'`.
_MAKES_LIVE = regex(r"\\(?:0?44|0?140|x24|x60|[uU]0*(?:24|60))|\$(?=['\"\s;&|)]|\Z)")
# zsh takes `( )` for a pattern.
_FUNCTION = regex(r"([A-Za-z_][A-Za-z0-9_.:+-]*)[ \t]*\(\)")
_END_OF_LIST = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})


class Scanner(CompoundScanner):
    """One walk over one text."""

    # -- lists and pipelines -------------------------------------------------------------------------------

    def script(self) -> None:
        """The whole text."""
        self._list(frozenset(), "")
        if self.pos < self.end:
            raise NotUnderstood(f"{self.text[self.pos]!r} is not expected here", self.pos, hint=QUOTES)
        if self.pending:
            raise _no_body(self.pending[0].at)

    def nested(self, closer: str, opened_at: int) -> None:
        """The commands of a substitution, up to its closing parenthesis (or the end, for backticks)."""
        outer, self.pending = self.pending, []
        alone, self.alone = self.alone, True
        ended, self.ended = self.ended, False
        self.uncertain += 1
        defined = self.defined
        piped, self.piped = self.piped, False
        mark = len(self.opened)
        self._list(frozenset(), closer)
        self.close_certain(mark)
        self.piped = piped
        if self.pending:
            raise _no_body(self.pending[0].at)
        if closer:
            if self._peek() != closer:
                raise NotUnderstood("a substitution is not closed", opened_at, hint="close it with `)`")
            self.pos += 1
        elif self.pos < self.end:
            raise NotUnderstood(f"{self.text[self.pos]!r} is not expected here", self.pos, hint=QUOTES)
        self.uncertain -= 1
        self.defined = defined
        self.pending, self.alone, self.ended = outer, alone, ended
        if outer and "\n" in self.text[opened_at : self.pos]:
            raise NotUnderstood(
                "a here-document begins before a substitution over several lines", opened_at, hint=OUTSIDE
            )

    def _list(self, until: frozenset[str], closer: str) -> bool:
        """Commands up to a word of `until`, to `closer`, `;;` or the end; False if there was none."""
        found = False
        while True:
            self._line_ends()
            char = self._peek()
            if not char or char == ")" or self.text.startswith((";;", ";&"), self.pos):
                break
            reserved = self._reserved()
            if reserved in until or (reserved in _END_OF_LIST and reserved):
                break
            mark = len(self.opened)
            self._and_or()
            found = True
            if not self._separator(mark):
                break
        char = self._peek()
        if char == ")" and closer != ")":
            raise NotUnderstood("a closing parenthesis without an opening one", self.pos, hint=QUOTES)
        return found

    def _line_ends(self) -> None:
        """Line breaks before a command; behind a `;`, the first of them ends what bash runs as one."""
        start, pending = self.pos, self.pending
        self._linebreaks()
        # A joined line goes on; that a comment does not is no matter, since a line too long is only stricter.
        if self.pos > start and not self.depth and "\n" in self.text[start : self.pos].replace("\\\n", ""):
            self.end_line(expands=any(not heredoc.quoted for heredoc in pending))

    def _separator(self, mark: int) -> bool:
        """Step over `;`, `&` or a newline after a command; False when none is there."""
        self._blanks()
        char = self._peek()
        if char == "#":
            self._comment()
            char = self._peek()
        if char == "\n":
            self._commit_function()
            if not self.depth:
                self.end_line(expands=any(not heredoc.quoted for heredoc in self.pending))
            if not self.pending:
                self.alone = False
            return True
        if char == ";" and not self.text.startswith((";;", ";&"), self.pos):
            self._commit_function()
            self._take_operator(1)
            return True
        if char == "&":
            self.defined = None
            if self.text.startswith("&&", self.pos):
                raise NotUnderstood("`&&` without a command before it", self.pos, hint="leave it out")
            if self.text.startswith(("&!", "&|"), self.pos):
                raise NotUnderstood(
                    "zsh reads this as one operator", self.pos, hint="put a blank after the `&`"
                )
            self.close_certain(mark)
            self._take_operator(1)
            self.opened.append(("!", self.pos))  # `$!` is the number of this very job
            return True
        self._commit_function()
        return False

    def _commit_function(self) -> None:
        if self.defined is not None and not self.uncertain:
            self.functions.append((self.defined, len(self.commands)))
        self.defined = None

    def _and_or(self) -> None:
        self._pipeline()
        mark = len(self.opened)
        while True:
            self._blanks()
            if not self.text.startswith(("&&", "||"), self.pos):
                self.close_certain(mark)
                return
            self.defined = None
            either = self.text.startswith("||", self.pos)
            if either:
                self.close_certain(mark)
            self._take_operator(2)
            self._linebreaks()
            self.uncertain += 1
            self._pipeline()
            if either:
                self.close_certain(mark)
            self.uncertain -= 1
            self.defined = None

    def _pipeline(self) -> None:
        mark = len(self.opened)
        timed = self._prefixes()
        self._command()
        if timed:
            self.close_certain(mark)  # zsh runs what it measures in a shell of its own
            self.defined = None
        while True:
            self._blanks()
            if not self.text.startswith("|", self.pos) or self.text.startswith("||", self.pos):
                return
            self.close_certain(mark)
            self.defined = None
            length = 1
            if self.text.startswith("|&", self.pos):
                if not self.grammar.ampersand_redirect:
                    raise NotUnderstood("this shell has no `|&`", self.pos, hint="write `2>&1 |`")
                length = 2
            self._take_operator(length)
            self._linebreaks()
            self.uncertain += 1
            outer, self.piped = self.piped, True
            self._command()
            self.close_certain(mark)
            self.piped = outer
            self.uncertain -= 1
            self.defined = None

    def _prefixes(self) -> bool:
        """`!` and `time` before a pipeline; True if it is measured."""
        timed = False
        while True:
            self._blanks()
            reserved = self._reserved()
            if reserved == "!":
                if self.text.startswith("!(", self.pos):
                    raise NotUnderstood("`!(` may be a pattern", self.pos, hint="put a blank after the `!`")
                self.pos += 1
                self._blanks()
                if self._reserved() in {"!", "time"}:
                    raise NotUnderstood("`!` before another prefix", self.pos, hint="write one of them only")
            elif reserved == "time" and self.grammar.name in {"bash", "zsh"}:
                timed = True
                self.pos += 4
                self._blanks()
                if not self.zsh:
                    self._time_options()
                elif self._reserved() in {"time", "!"}:
                    raise NotUnderstood("zsh reads this word as a command after `time`", self.pos)
                if not self._peek() or self._peek() in "\n;&|)" or self._reserved() == "time":
                    raise NotUnderstood("`time` without a command", self.pos, hint="write `time command`")
            else:
                return timed

    def _time_options(self) -> None:
        for option in ("-p", "--"):
            if self.text.startswith(option, self.pos) and self.text[self.pos + 2 : self.pos + 3] in {
                " ",
                "\t",
            }:
                self.pos += 2
                self._blanks()

    def _command(self) -> None:
        self._blanks()
        start = self.pos
        char = self._peek()
        if not char or (char in "\n;&|)" and not self.text.startswith("&>", start)):
            raise NotUnderstood(
                "a command is missing here", start, hint="write a command, or leave the operator out"
            )
        if len(self.commands) > MAX_COMMANDS:
            raise NotUnderstood(f"more than {MAX_COMMANDS} commands", start, hint="run it as several calls")
        if self.ended:
            raise NotUnderstood("a command after a here-document in a substitution", start, hint=OUTSIDE)
        if char == "(" or self._reserved():
            self._compound(start)
            return
        function = _FUNCTION.match(self.text, start, self.end)
        if function is not None:
            self.pos = function.end()
            self._function_body(function.group(1), start)
            return
        self.simple(start)


def _no_body(at: int) -> NotUnderstood:
    return NotUnderstood(
        "a here-document has no body", at, hint="write its lines below the command, then the delimiter"
    )


def scan(text: str, shell: str = "bash") -> Scan:
    """Every simple command of a text for one of the POSIX shells, or a refusal. Never raises."""
    if shell not in GRAMMARS:
        return Scan((), Refusal(f"no scanner for the shell {shell!r}", 0, len(text)))
    if len(text) > MAX_TEXT:
        hint = "give large data as `stdin`, or write it to a file"
        return Scan((), Refusal(f"the command is longer than {MAX_TEXT} characters", 0, len(text), hint))
    control = CONTROL.search(text)
    if control is not None:
        reason = f"the control character U+{ord(control.group()):04X}"
        hint = "leave it out, or write it as an escape in $'...'"
        return Scan((), Refusal(reason, control.start(), control.end(), hint))
    return scan_plain(text) or walk(text, shell)


def walk(text: str, shell: str) -> Scan:
    """The commands of a text by a walk over the grammar."""
    scanner = Scanner(text, shell)
    refusal = None
    try:
        scanner.script()
    except NotUnderstood as error:
        refusal = error.refusal
    scanner.pos = len(text) + 1
    scanner.close_certain(0)
    return Scan(
        tuple(scanner.commands),
        refusal,
        tuple(scanner.functions),
        tuple(scanner.definitions),
        tuple(scanner.certain),
        tuple(scanner.bodies),
        tuple(scanner.evaluated),
        tuple(scanner.keyed),
        tuple(scanner.unresolved),
        tuple(scanner.subshells),
        hostile=scanner.hostile or (bool(scanner.evaluated) and _MAKES_LIVE.search(text) is not None),
    )
