"""Simple commands of POSIX shells: words, assignments, redirections and here-documents.

Above: `conditions` and `posix` add tests, lists, loops and functions. Below: `words` reads quotes and
expansions, `certainty` keeps what was surely assigned. This module knows where a simple command begins and
ends, and nothing about what stands between two of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nacre.policy.certainty import READ_ONLY, CertaintyScanner
from nacre.policy.grammar import GRAMMARS, behind_prefixes
from nacre.policy.model import Assignment, Redirection, SimpleCommand, Word, names
from nacre.policy.patterns import regex
from nacre.policy.pieces import Pieces
from nacre.policy.refusal import NotUnderstood

BLANKS = regex(r"(?:[ \t]|\\\n)+")
_MOST_HEREDOCS = 16
_EMPTY_LINES = regex(r"[ \t\n]+")
_COMMENT = regex(r"#[^\n]*")
# Without these, all shells leave a here-document as it is.
_FILLED_IN = regex(r"[$`\\]")
OUTSIDE = "put it before the substitution, and its result into a variable"
RESERVED_WORDS = names(
    "if then elif else fi for while until do done case esac select function time coproc { } ! [[ ]] repeat "
    "foreach end nocorrect always"
)
_PROGRAMS_TOO = names("time repeat foreach end nocorrect always")
_REDIRECTION = regex(r"([0-9]*)(<<-|<<<|<<|<&|<>|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)")
_DUPLICATED = regex(r"[ \t]*([0-9]|-)(?=[ \t\n;&|)]|\Z)")
_ASSIGNMENT = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\[)?")
_SET = regex(r"\+?=")
_KEYED = regex(r"\[(?:[A-Za-z0-9_.:/-]+|\"[A-Za-z0-9_.:/, -]+\"|'[A-Za-z0-9_.:/, -]+')\]=")
_DELIMITER = regex(
    r"(\\?)([A-Za-z_][A-Za-z0-9_]*)|'([A-Za-z_][A-Za-z0-9_ -]*)'|\"([A-Za-z_][A-Za-z0-9_ -]*)\""
)
_DECLARES = frozenset({"declare", "typeset", "local", "export", "readonly"})
# Quoted text and parameters, in which zsh finds no `=name`; where it does.
_ZSH_OPAQUE = regex(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\{[^}]*\}", re.DOTALL)
_ZSH_PATH = regex(r"[:=]=")
_ZSH_BOTH = regex(r"[0-9]+&>")
_ZSH_RANGE = regex(r"<[0-9]*-[0-9]*>")
_DESCRIPTOR_NEXT = regex(r"[0-9]+[<>]")
_AFTER_WORD = regex(r"[ \t\n;&|)]|[<>](?!\()|\Z")  # `B<(x)` is one word
_WRITE_OUT = "write the words out"
_TWO_LISTS = "use two lists with the same indices: names=(a b); values=(1 2)"
_BODY_FIRST = "write the text of the here-document into a variable or a file first"


@dataclass(frozen=True, slots=True)
class _Heredoc:
    delimiter: str
    quoted: bool
    strips_tabs: bool
    at: int


class SimpleScanner(CertaintyScanner):
    """Reads one simple command, with the here-documents that belong to its line."""

    def __init__(self, text: str, shell: str) -> None:
        super().__init__(text, GRAMMARS[shell])
        self.shell = shell
        self.pending: list[_Heredoc] = []
        self.in_heredoc = False
        self.piped = False
        self.bodies: list[tuple[int, int, int]] = []
        # Inside a substitution: has anything been read but its first command? Has a here-document ended it?
        self.alone = True
        self.ended = False

    # -- small steps ---------------------------------------------------------------------------------------

    def _blanks(self) -> None:
        if self.pos >= self.end or self.text[self.pos] not in " \t\\":
            return
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
            elif char != "\n":
                return
            elif self.pending:
                self._newline()
            else:
                found = _EMPTY_LINES.match(self.text, self.pos, self.end)
                self.pos = found.end() if found is not None else self.pos + 1

    def _comment(self) -> None:
        if self.substitutions:
            raise NotUnderstood(
                "a comment inside a substitution", self.pos, hint="put the comment before the command"
            )
        found = _COMMENT.match(self.text, self.pos, self.end)
        if found is not None:
            self.pos = found.end()

    def _newline(self) -> None:
        self.pos += 1
        if self.pending:
            waiting, self.pending = self.pending, []
            for heredoc in waiting:
                self._heredoc_body(heredoc)
            self.ended = bool(self.substitutions)

    # -- simple commands -----------------------------------------------------------------------------------

    def simple(self, start: int) -> None:
        """One simple command, from its first word or redirection to the operator after it."""
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirections: list[Redirection] = []
        while True:
            if words:
                self.plain_arguments(words)
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
                raise NotUnderstood(
                    "an unexpected parenthesis", self.pos, hint="put the text into single quotes"
                )
            elif not self._assignment(words, assignments):
                self._argument(words)
        if self.zsh:
            self._check_for_zsh(words, redirections, start)
        end = _last_end(words, assignments, redirections, start)
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
        self.assigned(words, assignments, redirected=bool(redirections))

    def _argument(self, words: list[Word]) -> None:
        start = self.pos
        found = self.words()
        if self.pending and "\n" in self.text[start : self.pos]:
            hint = "write the here-document last"
            raise NotUnderstood("a here-document begins before a word over several lines", start, hint=hint)
        if not words and len(found) > 1:
            raise NotUnderstood("braces in a command's name", start, self.pos, hint=_WRITE_OUT)
        if not words:
            self._check_name(found[0])
        elif len(found) > 1:
            self._check_braces(words, found)
        words += found

    def _check_for_zsh(self, words: list[Word], redirections: list[Redirection], start: int) -> None:
        if not words and redirections:
            raise NotUnderstood(
                "zsh runs a program of its own for a bare redirection", start, hint="write `cat < file`"
            )
        called = behind_prefixes(tuple(words))
        if called and called[0].text in _DECLARES:
            for word in called[1:]:
                self._check_no_program_path(word.start, word.end)

    def _check_no_program_path(self, start: int, end: int) -> None:
        """In what is assigned, zsh replaces `=name` also behind a colon: `x=a:=ls`, `typeset x==ls`."""
        if self.zsh and _ZSH_PATH.search(_ZSH_OPAQUE.sub("-", self.text[start:end])):
            reason = "zsh replaces =name with a program's path"
            raise NotUnderstood(reason, start, end, hint="put it into quotes")

    def _check_braces(self, words: list[Word], found: list[Word]) -> None:
        """`export x={a,b}`: only bash takes the value for two."""
        called = behind_prefixes(tuple(words))
        declares = bool(called) and called[0].text in _DECLARES and self.grammar.name != "bash"
        if declares and any("=" in word.text for word in found):
            raise NotUnderstood(
                "braces in an assignment",
                found[0].start,
                found[0].end,
                hint="put the text into single quotes",
            )

    def _check_name(self, word: Word) -> None:
        """The first word: it must not be something that only looks like a name to us."""
        if word.text in self.grammar.own_words:
            # Also in quotes: zsh knows these after it has removed them.
            reason = f"{self.grammar.name} reads `{word.text}` in its own way"
            raise NotUnderstood(reason, word.start, word.end)
        if "=" in word.text and "/" not in word.text.partition("=")[0]:
            reason = "some shells take this for an assignment, and the next word for the command"
            raise NotUnderstood(reason, word.start, word.end)
        if word.text.endswith(":") and len(word.text) > 1:
            hint = "leave out the colon"
            raise NotUnderstood("ksh takes this for a label, not for a name", word.start, word.end, hint=hint)
        if word.quoted:
            return
        if word.text in RESERVED_WORDS and word.text not in _PROGRAMS_TOO:
            hint = "put a `;` or a line's end before it, or quotes around it"
            raise NotUnderstood(
                f"the reserved word `{word.text}` is not expected here", word.start, word.end, hint=hint
            )

    def _assignment(self, words: list[Word], assignments: list[Assignment]) -> bool:
        """An assignment before the command's name, or an array among the arguments of `declare`."""
        declares = bool(words) and words[0].text in _DECLARES
        if words and not declares:
            return False
        found = _ASSIGNMENT.match(self.text, self.pos, self.end)
        if found is None:
            return False
        start, name = self.pos, found.group(1)
        if found.group(2):
            if declares:
                raise NotUnderstood(
                    "a subscript in a declaration", start, hint="assign it in a command of its own"
                )
            self._subscripted(name, found.end(), start)
        after = self.pos if found.group(2) else found.end()
        operator = _SET.match(self.text, after, self.end)
        if operator is None:
            self.pos = start
            return self._no_assignment(found, start)
        array = self.text.startswith("(", operator.end()) and operator.end() < self.end
        if declares and not array:
            self.pos = start
            return False
        self._check_operator(operator.group(), start)
        if array and any(item.name == name for item in assignments):
            raise NotUnderstood(
                "an array that is assigned twice in one command", start, hint="put a `;` before it"
            )
        self.pos = operator.end()
        keyed = self.grammar.keyed_arrays and [word.text for word in words[1:2]] == ["-A"]
        given = self._array(name, start, keyed=keyed) if array else [self._scalar(name, start)]
        if found.group(2) or operator.group() == "+=":
            appends = array and not found.group(2)
            given = [
                replace(item, value=None, appended=item.value if appends and item.listed else None)
                for item in given
            ]
        assignments.extend(given)
        if found.group(2) or name in READ_ONLY:
            self.note_abort()
        return True

    def _no_assignment(self, found: re.Match[str], start: int) -> bool:
        if found.group(2):
            raise NotUnderstood("a pattern in front of a command", start, hint="put the name into quotes")
        return False

    def _check_operator(self, operator: str, start: int) -> None:
        if operator == "+=" and not self.grammar.appends:
            raise NotUnderstood("this shell has no `+=`", start, hint='write x="$x..."')

    def _subscripted(self, name: str, at: int, start: int) -> None:
        if not self.grammar.arrays:
            raise NotUnderstood("this shell has no arrays", start, hint="use one variable for each element")
        self.pos = at
        self.element_of(name, start, assigned=True)
        self.pos += 1

    def _scalar(self, name: str, start: int) -> Assignment:
        at = self.pos
        if at >= self.end or self.text[at] in " \t\n;&|<>)":
            if self.text.startswith(("<(", ">("), at):
                raise NotUnderstood("a process substitution as a value", at, hint="use it as an argument")
            return Assignment(name, Word("", at, at, quoted=True), start, at)
        value = self.word()
        self._check_no_program_path(at - 1, self.pos)
        if self.pending and "\n" in self.text[at : self.pos]:
            raise NotUnderstood(
                "a here-document begins before a value over several lines", at, hint=_BODY_FIRST
            )
        if value.quoted and "$" in value.text:
            self.hostile = True
        return Assignment(name, value, start, self.pos)

    def _array(self, name: str, start: int, *, keyed: bool = False) -> list[Assignment]:
        if self.substitutions:
            # bash 5.2 writes them out and reads them again, without their backslashes.
            raise NotUnderstood("an array inside a substitution", start, hint=OUTSIDE)
        if not self.grammar.arrays:
            raise NotUnderstood("this shell has no arrays", start, hint="use one variable for each element")
        self.pos += 1
        elements: list[Assignment] = []
        while True:
            self._linebreaks()
            char = self._peek()
            if char == ")":
                self.pos += 1
                if not _AFTER_WORD.match(self.text, self.pos, self.end):
                    raise NotUnderstood(
                        "something directly after an array", self.pos, hint="put a blank before it"
                    )
                empty = Word("", start, self.pos, quoted=True)
                return elements or [Assignment(name, empty, start, self.pos, array=True)]
            key = _KEYED.match(self.text, self.pos, self.end) if keyed else None
            if key is not None:
                self.pos = key.end()
                value = self._scalar(name, key.start())
                elements.append(replace(value, value=None, array=True))
                continue
            if not char or char in ";&|([<>":
                hint = _TWO_LISTS if char == "[" else "write plain words in it"
                raise NotUnderstood("this array is not understood", self.pos, hint=hint)
            at = self.pos
            elements += [
                Assignment(name, value, value.start, value.end, listed=True, array=True)
                for value in self.words()
            ]
            self._check_no_program_path(at, self.pos)

    # -- redirections and here-documents -------------------------------------------------------------------

    def _redirection(self) -> Redirection | None:
        if self.zsh and _ZSH_BOTH.match(self.text, self.pos, self.end):
            hint = "put a blank before the `&`"
            raise NotUnderstood("zsh takes this number for a descriptor", self.pos, hint=hint)
        found = _REDIRECTION.match(self.text, self.pos, self.end)
        if found is None:
            return None
        start = self.pos
        self.spend(start)
        operator = found.group(2) or found.group(3)
        if len(found.group(1) or "") > 1:
            raise NotUnderstood("a descriptor of several digits", start, hint="use a descriptor from 0 to 9")
        self._check_redirection(operator, start)
        self.pos = found.end()
        if self.text.startswith("\\\n", self.pos):
            raise NotUnderstood("a redirection broken over two lines", self.pos, hint="write it on one line")
        if operator in {"<<", "<<-"}:
            self._blanks()
            return self._heredoc(operator, found.group(1), start)
        if operator in {"<&", ">&"}:
            return self._duplicated(operator, found.group(1), start)
        self._blanks()
        at = self.pos
        if _DESCRIPTOR_NEXT.match(self.text, at, self.end):
            reason = "a number that belongs to the next redirection, where a name should be"
            raise NotUnderstood(reason, at, hint="put a blank behind the number")
        target = self.word()
        if self.pending and "\n" in self.text[at : self.pos]:
            raise NotUnderstood(
                "a here-document begins before a word over several lines", at, hint=_BODY_FIRST
            )
        return Redirection(operator, found.group(1) or "", target, start, self.pos)

    def _duplicated(self, operator: str, descriptor: str, start: int) -> Redirection:
        """`2>&1`, `<&-`: one digit or a dash, and the end of the word."""
        found = _DUPLICATED.match(self.text, self.pos, self.end)
        if found is None:
            hint = "write `2>&1`, or `> file 2>&1` for a file"
            raise NotUnderstood(f"`{operator}` with something else than a descriptor", start, hint=hint)
        at = self.pos + len(found.group()) - 1
        self.pos = found.end()
        return Redirection(operator, descriptor, Word(found.group(1), at, self.pos), start, self.pos)

    def _check_redirection(self, operator: str, start: int) -> None:
        grammar = self.grammar
        if operator.startswith("&") and not grammar.ampersand_redirect:
            raise NotUnderstood("this shell reads `&>` as two operators", start, hint="write `> file 2>&1`")
        if operator == "<<<" and not grammar.here_string:
            raise NotUnderstood("this shell has no here-strings", start, hint="use printf and a pipe")
        if self.zsh:
            end = start + len(operator)
            while end < self.end and self.text[end] in "<>&|0123456789":
                end += 1
            if self.text.startswith("!", end) or _ZSH_RANGE.match(self.text, start, self.end):
                raise NotUnderstood("zsh reads this redirection in its own way", start)

    def _heredoc(self, operator: str, descriptor: str, start: int) -> Redirection:
        found = _DELIMITER.match(self.text, self.pos, self.end)
        if found is None or not _AFTER_WORD.match(self.text, found.end(), self.end):
            hint = "use a plain word, such as EOF or 'EOF'"
            raise NotUnderstood("an unusual delimiter of a here-document", self.pos, hint=hint)
        if self.in_heredoc or len(self.pending) >= _MOST_HEREDOCS:
            raise NotUnderstood(
                "a here-document inside a here-document, or too many on one line", start, hint=_BODY_FIRST
            )
        if self.substitutions and (not self.alone or self.pending):
            raise NotUnderstood(
                "a here-document among other commands in a substitution", start, hint=_BODY_FIRST
            )
        self.pos = found.end()
        quoted = found.group(2) is None or bool(found.group(1))
        delimiter = found.group(2) or found.group(3) or found.group(4)
        self.pending.append(_Heredoc(delimiter, quoted, operator == "<<-", start))
        return Redirection(operator, descriptor, None, start, self.pos)

    def _heredoc_body(self, heredoc: _Heredoc) -> None:
        start = self.pos
        while True:
            if self.pos >= self.end:
                hint = f"end it with a line that holds `{heredoc.delimiter}` and nothing else"
                raise NotUnderstood("a here-document is not closed", heredoc.at, hint=hint)
            line_start = self.pos
            line, after = self._heredoc_line(heredoc)
            if line == heredoc.delimiter:
                break
            # To bash 5.2 such a line ends it, wherever the parenthesis stands.
            if self.depth and ")" in line and line.lstrip("\t").startswith(heredoc.delimiter):
                hint = "write the parenthesis on a line of its own, or choose another delimiter"
                raise NotUnderstood(
                    "a line with a parenthesis that begins as a here-document's end", line_start, hint=hint
                )
            self.pos = after
        if heredoc.quoted:
            self.note_literal(self.text[start:line_start])
            if not heredoc.strips_tabs:
                self.bodies.append((heredoc.at, start, line_start))
        else:
            self._expand_body(start, line_start, heredoc.at)
            if not heredoc.strips_tabs and _FILLED_IN.search(self.text, start, line_start) is None:
                self.bodies.append((heredoc.at, start, line_start))
        self.pos = after

    def _heredoc_line(self, heredoc: _Heredoc) -> tuple[str, int]:
        """One line as the shell compares it with the delimiter, and where the next one begins."""
        eol = self.text.find("\n", self.pos, self.end)
        stop = eol if eol >= 0 else self.end
        line = self.text[self.pos : stop]
        if not heredoc.quoted and line.endswith("\\"):
            hint = f"quote the delimiter: <<'{heredoc.delimiter}'"
            raise NotUnderstood(
                "a backslash at the end of a line in a here-document", stop - 1, stop, hint=hint
            )
        return (line.lstrip("\t") if heredoc.strips_tabs else line), min(stop + 1, self.end)

    def _expand_body(self, start: int, end: int, at: int) -> None:
        """Find the substitutions in the body of an unquoted here-document, expanded where it was opened."""
        outer_end, outer_pending, outer_flag = self.end, self.pending, self.in_heredoc
        self.pos, self.end, self.pending, self.in_heredoc = start, end, [], True
        outer_at, self.expanded_at = self.expanded_at, at if self.expanded_at is None else self.expanded_at
        self.heredoc_run(Pieces())
        self.expanded_at = outer_at
        self.end, self.pending, self.in_heredoc = outer_end, outer_pending, outer_flag


def _last_end(
    words: list[Word], assignments: list[Assignment], redirections: list[Redirection], start: int
) -> int:
    ends = [items[-1].end for items in (words, assignments, redirections) if items]
    return max(ends, default=start)
