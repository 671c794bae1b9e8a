"""A small lexer for fish, and a smaller one for nushell: plain commands only, the rest is refused.

Above: `evaluation`. Below: `model` and `refusal`. Both shells have languages of their own; what is read here
is the part that looks the same everywhere: words, quotes without escapes, pipes, lists, and redirections with
blanks around them. Expansions and keywords are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.model import Assignment, Redirection, Refusal, Scan, SimpleCommand, Word, names
from nacre.policy.patterns import regex
from nacre.policy.refusal import NotUnderstood

if TYPE_CHECKING:
    import re

MAX_TEXT = 1_000_000
_MAX_WORDS = 10_000
_MAX_COMMANDS = 1_000
_CONTROL = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Letters of other alphabets, but no spaces, and not the private characters that fish uses for itself.
_OTHER = (
    "[^\x00-\x7f\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ue000-\uf8ff\ufdd0-\ufdef\ufeff"
    "\U000f0000-\U0010ffff]"
)
_PIECE = rf"[A-Za-z0-9_./:=@%+,~*-]|{_OTHER}|'[^'\\]*'|\"[^\"\\$]*\""
_END = r"(?=[ \t\n;|]|&&|\Z)"
_TOKEN = regex(
    rf"(?P<blank>[ \t]+)|(?P<comment>\#[^\n]*)"
    rf"|(?P<operator>\n|(?:&&|\|\||[;|])(?![&|<>;])|(?<=[ \t])&(?=[ \t\n]|\Z))"
    rf"|(?P<duplicate>[012]?>&[012]){_END}|(?P<redirection>[012]?(?:>>|>)|<)(?=[ \t])"
    rf"|(?P<word>(?!%)(?:{_PIECE})(?:#|{_PIECE})*){_END}"
)
_ASSIGNED = regex(r"([A-Za-z_][A-Za-z0-9_]*)=")
_QUOTED = regex(r"'([^']*)'|\"([^\"]*)\"")
_FIXED = regex(r"(?:'[^']*'|\"[^\"]*\"|[^*'\"])*")
_JOINING = frozenset({"and", "or", "not"})
_KEYWORDS = names(
    "if else switch case for in while function begin end return break continue builtin command "
    "exec eval source . alias abbr time set string read bind complete functions emit status trap math "
    "argparse block breakpoint cdh commandline edit_command_buffer export fish_add_path fish_config funced "
    "funcsave nextd prevd psub setenv vared"
)
_NU_KEYWORDS = names(
    "def let mut const if match for while loop do use export source overlay run-external exec alias module "
    "extern hide try catch error where each"
)
_SPLITTING = names("kill bg fg wait disown")
_PLAIN = "write plain words, quotes, pipes and redirections with blanks around them"


def scan(text: str) -> Scan:
    """Every simple command of a text for fish, or a refusal. Never raises."""
    return _scan(text, _KEYWORDS, nushell=False)


def scan_nu(text: str) -> Scan:
    """The same for nushell, whose operators mean other things: pipelines of plain words only."""
    return _scan(text, _NU_KEYWORDS, nushell=True)


def _scan(text: str, keywords: frozenset[str], *, nushell: bool) -> Scan:
    control = _CONTROL.search(text)
    if control is not None:
        return Scan((), Refusal("a control character", control.start(), control.end(), "leave it out"))
    if len(text) > MAX_TEXT:
        hint = "give large data as `stdin`, or write it to a file"
        return Scan((), Refusal(f"the command is longer than {MAX_TEXT} characters", 0, len(text), hint))
    lexer = _Lexer(text, keywords, nushell=nushell)
    refusal = None
    try:
        lexer.read()
    except NotUnderstood as error:
        refusal = error.refusal
    return Scan(tuple(lexer.commands), refusal)


def _unquoted(raw: str) -> str:
    return _QUOTED.sub(lambda found: found.group(1) or found.group(2) or "", raw)


class _Lexer:
    """One walk over one text."""

    def __init__(self, text: str, keywords: frozenset[str], *, nushell: bool) -> None:
        self.text = text
        self.keywords = keywords
        self.nushell = nushell
        self.commands: list[SimpleCommand] = []
        self.assignments: list[Assignment] = []
        self.words: list[Word] = []
        self.redirections: list[Redirection] = []
        self.waiting: re.Match[str] | None = None
        self.joined: Word | None = None
        self.piped = False

    def read(self) -> None:
        pos = count = 0
        while pos < len(self.text):
            token = _TOKEN.match(self.text, pos)
            count += 1
            if count > 2 * _MAX_WORDS or len(self.commands) > _MAX_COMMANDS:
                reason = f"more than {_MAX_WORDS} words or {_MAX_COMMANDS} commands"
                raise NotUnderstood(reason, pos, hint="run it as several commands")
            if token is None or not self._take(token, token.lastgroup or ""):
                raise NotUnderstood("this is not understood for this shell", pos, hint=_PLAIN)
            pos = token.end()
        self._close(piped=False)

    def _take(self, token: re.Match[str], kind: str) -> bool:
        if self.nushell and (
            kind in {"redirection", "duplicate", "comment"} or token.group() in {"&", "&&", "||"}
        ):
            return False
        if kind == "word":
            self._word(token)
        elif self.waiting is not None and kind != "blank":
            return False
        elif kind == "redirection":
            self.waiting = token
        elif kind == "operator":
            self._close(piped=token.group() == "|")
        return True

    def _word(self, token: re.Match[str]) -> None:
        raw = token.group()
        fixed = _FIXED.match(raw)
        glob = len(_unquoted(fixed.group())) if fixed is not None and fixed.end() < len(raw) else None
        text = _unquoted(raw)
        word = Word(text, token.start(), token.end(), quoted=True, glob=glob, tilde=raw.startswith("~"))
        if self.waiting is not None:
            operator = self.waiting.group().lstrip("0123456789")
            self.redirections.append(Redirection(operator, "", word, self.waiting.start(), word.end))
            self.waiting = None
            return
        assigned = _ASSIGNED.match(raw) if not self.words else None
        if assigned is not None:
            self.assignments.append(Assignment(assigned.group(1), None, token.start(), token.end()))
            return
        if not self.words and raw in _JOINING and not self.nushell:
            self.joined = word  # `and`, `or`, `not` before a command
            return
        if not self.words and word.text in self.keywords:
            raise NotUnderstood(
                f"`{word.text}` is not understood for this shell", word.start, word.end, hint=_PLAIN
            )
        self.words.append(word)

    def _check_lines(self) -> None:
        """A function of fish stands before some commands, and makes every line of an argument a word."""
        word = next((word for word in self.words if "\n" in word.text), None)
        if word is not None:
            raise NotUnderstood(
                f"fish splits the lines of this word before `{self.words[0].text}` gets it",
                word.start,
                word.end,
            )

    def _close(self, *, piped: bool) -> None:
        if self.waiting is not None:
            raise NotUnderstood(
                "a redirection without a target", *self.waiting.span(), hint="name a file after it"
            )
        if self.joined is not None and not self.words:
            reason = f"`{self.joined.text}` without a command on its line"
            raise NotUnderstood(reason, self.joined.start, self.joined.end, hint=_PLAIN)
        if self.words and self.words[0].text in _SPLITTING and "\n" in self.text:
            self._check_lines()
        items = [*self.assignments, *self.words, *self.redirections]
        if items:
            start, end = min(item.start for item in items), max(item.end for item in items)
            self.commands.append(
                SimpleCommand(
                    tuple(self.words),
                    tuple(self.assignments),
                    tuple(self.redirections),
                    start,
                    end,
                    self.piped,
                )
            )
        self.piped = piped
        self.joined = None
        self.assignments, self.words, self.redirections = [], [], []
