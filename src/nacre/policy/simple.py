"""Simple commands of POSIX shells: words, assignments, redirections and here-documents.

Above: `posix` adds lists, loops and functions. Below: `words` reads quotes and expansions.
This module knows where a simple command begins and ends, and nothing about what stands between two of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nacre.policy.dialect import DIALECTS
from nacre.policy.model import Assignment, Certain, Redirection, SimpleCommand, Word, names
from nacre.policy.words import Pieces, Refused, WordScanner

BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_MOST_HEREDOCS = 64
_COMMENT = re.compile(r"#[^\n]*")
RESERVED_WORDS = names(
    "if then elif else fi for while until do done case esac select function time coproc { } ! [[ ]] repeat "
    "foreach end nocorrect always"
)
_ZSH_WORDS = names("- repeat foreach end nocorrect noglob always integer float")
_REDIRECTION = re.compile(r"([0-9]*)(<<-|<<<|<<|<&|<>|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[A-Za-z0-9_$]*\])?(\+?=)")
_SUBSCRIPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_DECLARES = frozenset({"declare", "typeset", "local", "export", "readonly"})
_EVALUATING = _DECLARES | frozenset(
    {"let", "unset", "read", "printf", "test", "[", "mapfile", "readarray", "getopts", "wait"}
)
_ZSH_RANGE = re.compile(r"<[0-9]*-[0-9]*>")


@dataclass(frozen=True, slots=True)
class _Heredoc:
    delimiter: str
    quoted: bool
    strips_tabs: bool
    at: int


class SimpleScanner(WordScanner):
    """Reads one simple command, with the here-documents that belong to its line."""

    def __init__(self, text: str, shell: str, depth: int = 0) -> None:
        super().__init__(text, DIALECTS[shell], depth)
        self.shell = shell
        self.pending: list[_Heredoc] = []
        self.in_heredoc = False
        self.piped = False
        # Variables that this text has assigned for sure, as long as their block lasts: name, since where.
        self.opened: list[tuple[str, int]] = []
        self.certain: list[Certain] = []
        self.expanded_at: int | None = None

    def close_certain(self, mark: int) -> None:
        """A block ends: what it has assigned is not certain after it."""
        for name, start in self.opened[mark:]:
            self.certain.append(Certain(name, start, self.pos))
        del self.opened[mark:]

    # -- small steps ---------------------------------------------------------------------------------------

    def _blanks(self) -> None:
        found = BLANKS.match(self.text, self.pos, self.end)
        if found is not None:
            self.pos = found.end()

    def _peek(self) -> str:
        return self.text[self.pos] if self.pos < self.end else ""

    def _linebreaks(self) -> None:
        """Skip blanks, comments and newlines; a newline reads the here-documents that wait for it."""
        while True:
            self._blanks()
            char = self._peek()
            if char == "#":
                self._comment()
            elif char == "\n":
                self._newline()
            else:
                return

    def _comment(self) -> None:
        found = _COMMENT.match(self.text, self.pos, self.end)
        if found is not None:
            self.pos = found.end()

    def _newline(self) -> None:
        self.pos += 1
        if self.pending:
            waiting, self.pending = self.pending, []
            for heredoc in waiting:
                self._heredoc_body(heredoc)

    # -- simple commands -----------------------------------------------------------------------------------

    def simple(self, start: int) -> None:
        """One simple command, from its first word or redirection to the operator after it."""
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirections: list[Redirection] = []
        while True:
            self._blanks()
            char = self._peek()
            if not char or char in "\n;|)#":
                break
            redirection = self._redirection() if char in "<>&0123456789" else None
            if redirection is not None:
                redirections.append(redirection)
            elif char == "&":
                break
            elif char == "(":
                raise Refused("an unexpected parenthesis", self.pos)
            elif not self._assignment(words, assignments):
                self._argument(words)
        if self.zsh and not words and redirections:
            raise Refused("zsh runs a program of its own for a bare redirection", start)
        end = _last_end(words, assignments, redirections, start)
        if words and words[0].text in _EVALUATING:
            self._note_builtin(words)
        # The commands of its substitutions stand before it, as they run before it.
        self.commands.append(
            SimpleCommand(
                tuple(words),
                tuple(assignments),
                tuple(redirections),
                start,
                end,
                self.piped,
                self.expanded_at,
            )
        )
        if not words or words[0].text in _DECLARES:
            self._open_certain(words, assignments)

    def _open_certain(self, words: list[Word], assignments: list[Assignment]) -> None:
        self.opened += [(item.name, self.pos) for item in assignments if item.value is not None]
        for word in words[1:]:
            found = _ASSIGNMENT.match(word.text)
            if found is not None and found.group(2) is None and found.group(3) == "=":
                self.opened.append((found.group(1), self.pos))

    def _note_builtin(self, words: list[Word]) -> None:
        """Builtins that evaluate subscripts or expressions in their arguments."""
        name = words[0].text
        for word in words[1:]:
            text = word.text
            if (
                name == "let"
                or (text.startswith("-") and "i" in text and name in _DECLARES)
                or (text == "-v" if name in {"test", "["} else "[" in text)
            ):
                self.note_evaluation(word.start)

    def _argument(self, words: list[Word]) -> None:
        start = self.pos
        word = self.word()
        words.append(word)
        if self.pending and "\n" in self.text[start : self.pos]:
            raise Refused("a here-document begins before a word over several lines", start)
        if len(words) == 1:
            self._check_name(word)

    def _check_name(self, word: Word) -> None:
        """The first word: it must not be something that only looks like a name to us."""
        raw = self.text[word.start : word.end]
        if "\\\n" in raw:
            raise Refused("a continued line inside a command's name", word.start, word.end)
        if self.zsh and word.text in _ZSH_WORDS:
            # Also in quotes: zsh knows these after it has removed them.
            raise Refused(f"zsh reads `{word.text}` in its own way", word.start, word.end)
        if word.quoted:
            return
        if word.text in RESERVED_WORDS and word.text not in {
            "time",
            "repeat",
            "foreach",
            "end",
            "nocorrect",
            "always",
        }:
            raise Refused(f"the reserved word `{word.text}` is not expected here", word.start, word.end)
        if _SUBSCRIPTED.match(raw):
            raise Refused("this array assignment is not understood", word.start, word.end)

    def _assignment(self, words: list[Word], assignments: list[Assignment]) -> bool:
        """An assignment before the command's name, or an argument of `declare` and its kin."""
        declares = bool(words) and words[0].text in _DECLARES
        if words and not declares:
            return False
        found = _ASSIGNMENT.match(self.text, self.pos, self.end)
        if found is None:
            return False
        array = self.text.startswith("(", found.end()) and found.end() < self.end
        if declares and not array:
            return False
        start = self.pos
        name = found.group(1)
        if found.group(3) == "+=" and not self.dialect.appends:
            raise Refused("this shell has no `+=`", start)
        self._subscript(found.group(2), start)
        self.pos = found.end()
        given = self._array(name, start) if array else [self._scalar(name, start)]
        if found.group(2) is not None or found.group(3) == "+=":
            given = [replace(item, value=None) for item in given]
        assignments.extend(given)
        return True

    def _subscript(self, subscript: str | None, start: int) -> None:
        if subscript is None:
            return
        if not self.dialect.arrays:
            raise Refused("this shell has no arrays", start)
        if not subscript[1:-1].isdigit():
            self.note_evaluation(start)

    def _scalar(self, name: str, start: int) -> Assignment:
        at = self.pos
        if at >= self.end or self.text[at] in " \t\n;&|<>)":
            if self.text.startswith(("<(", ">("), at):
                raise Refused("a process substitution as a value", at)
            return Assignment(name, Word("", at, at, quoted=True), start, at)
        value = self.word()
        if self.pending and "\n" in self.text[at : self.pos]:
            raise Refused("a here-document begins before a value over several lines", at)
        if value.quoted and "$" in value.text:
            self.hostile = True
        return Assignment(name, value, start, self.pos)

    def _array(self, name: str, start: int) -> list[Assignment]:
        if not self.dialect.arrays:
            raise Refused("this shell has no arrays", start)
        self.pos += 1
        elements: list[Assignment] = []
        while True:
            self._linebreaks()
            char = self._peek()
            if char == ")":
                self.pos += 1
                return elements or [Assignment(name, Word("", start, self.pos, quoted=True), start, self.pos)]
            if not char or char in ";&|([" or (char in "<>" and not self.text.startswith("(", self.pos + 1)):
                raise Refused("this array is not understood", self.pos)
            value = self.word()
            elements.append(Assignment(name, value, value.start, value.end, listed=True))

    # -- redirections and here-documents -------------------------------------------------------------------

    def _redirection(self) -> Redirection | None:
        found = _REDIRECTION.match(self.text, self.pos, self.end)
        if found is None:
            return None
        start = self.pos
        operator = found.group(2) or found.group(3)
        if len(found.group(1) or "") > 1 and self.dialect.name != "bash":
            raise Refused("only bash takes several digits for a descriptor", start)
        self._check_redirection(operator, start)
        self.pos = found.end()
        if self.text.startswith("\\\n", self.pos):
            raise Refused("a redirection broken over two lines", self.pos)
        self._blanks()
        if operator in {"<<", "<<-"}:
            return self._heredoc(operator, found.group(1), start)
        at = self.pos
        target = self.word()
        if self.pending and "\n" in self.text[at : self.pos]:
            raise Refused("a here-document begins before a word over several lines", at)
        return Redirection(operator, found.group(1) or "", target, start, self.pos)

    def _check_redirection(self, operator: str, start: int) -> None:
        dialect = self.dialect
        if operator.startswith("&") and not dialect.ampersand_redirect:
            raise Refused("this shell reads `&>` as two operators", start)
        if operator == "<<<" and not dialect.here_string:
            raise Refused("this shell has no here-strings", start)
        if self.zsh:
            end = start + len(operator)
            while end < self.end and self.text[end] in "<>&|0123456789":
                end += 1
            if self.text.startswith("!", end) or _ZSH_RANGE.match(self.text, start, self.end):
                raise Refused("zsh reads this redirection in its own way", start)

    def _heredoc(self, operator: str, descriptor: str, start: int) -> Redirection:
        word = self.word()
        raw = self.text[word.start : word.end]
        if "$" in raw or "`" in raw or "\n" in raw or word.dynamic:
            raise Refused("an unusual delimiter of a here-document", word.start, word.end)
        if self.in_heredoc or len(self.pending) >= _MOST_HEREDOCS:
            raise Refused("a here-document inside a here-document, or too many on one line", start)
        self.pending.append(_Heredoc(word.text, word.quoted, operator == "<<-", start))
        return Redirection(operator, descriptor, None, start, self.pos)

    def _heredoc_body(self, heredoc: _Heredoc) -> None:
        start = self.pos
        while True:
            if self.pos >= self.end:
                raise Refused("a here-document is not closed", heredoc.at)
            line_start = self.pos
            line, after = self._heredoc_line(heredoc)
            if line == heredoc.delimiter:
                break
            if self.depth and line.startswith(heredoc.delimiter + ")"):
                raise Refused("a here-document's end directly before a parenthesis", line_start)
            self.pos = after
        if heredoc.quoted:
            self.note_literal(self.text[start:line_start])
        else:
            self._expand_body(start, line_start, heredoc.at)
        self.pos = after

    def _heredoc_line(self, heredoc: _Heredoc) -> tuple[str, int]:
        """One line as the shell compares it with the delimiter, and where the next one begins."""
        parts: list[str] = []
        at = self.pos
        while True:
            eol = self.text.find("\n", at, self.end)
            stop = eol if eol >= 0 else self.end
            part = self.text[at:stop]
            if heredoc.quoted or eol < 0 or (len(part) - len(part.rstrip("\\"))) % 2 == 0:
                parts.append(part)
                break
            if self.dialect.name != "bash":
                raise Refused("a continued line in a here-document", at)
            parts.append(part[:-1])
            at = eol + 1
        line = "".join(parts)
        return (line.lstrip("\t") if heredoc.strips_tabs else line), min(stop + 1, self.end)

    def _expand_body(self, start: int, end: int, at: int) -> None:
        """Find the substitutions in the body of an unquoted here-document, expanded where it was opened."""
        outer_end, outer_pending, outer_flag = self.end, self.pending, self.in_heredoc
        self.pos, self.end, self.pending, self.in_heredoc = start, end, [], True
        outer_at, self.expanded_at = self.expanded_at, at
        self.heredoc_run(Pieces())
        self.expanded_at = outer_at
        self.end, self.pending, self.in_heredoc = outer_end, outer_pending, outer_flag


def _last_end(
    words: list[Word], assignments: list[Assignment], redirections: list[Redirection], start: int
) -> int:
    ends = [items[-1].end for items in (words, assignments, redirections) if items]
    return max(ends, default=start)
