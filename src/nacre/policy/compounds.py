"""Compound commands of POSIX shells: groups, conditions, loops, `case` and functions.

Above: `posix` reads the lists inside them. Below: `conditions` reads tests, `simple` one command. What a
compound command assigns is certain after it only where every way through it assigns it.
"""

from __future__ import annotations

from nacre.policy.conditions import ConditionScanner
from nacre.policy.model import Assignment, Definition, Redirection, SimpleCommand, Word
from nacre.policy.patterns import regex
from nacre.policy.refusal import NotUnderstood
from nacre.policy.simple import BLANKS, OUTSIDE, RESERVED_WORDS

QUOTES = "put the text into single quotes"
_WORD_LOOKAHEAD = r"(?=[ \t\n;&|()]|[<>](?!\()|\Z)"
_RESERVED = regex(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|\{|\}|!|\[\[)"
    + _WORD_LOOKAHEAD
)
_FUNCTION_KEYWORD = regex(r"[ \t]+([A-Za-z_][A-Za-z0-9_.:+-]*)(?:[ \t]*\(\)|(?=[ \t\n]))")
_LOOP_NAME = regex(r"[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?=[ \t\n;])")
_IN = regex(r"in(?=[ \t\n;])")
_OPERATOR_AFTER_JOIN = regex(r"(?:\\\n)+[&|<>;(!-]")


class CompoundScanner(ConditionScanner):
    """Reads a compound command at `pos`; the lists inside it are read by the scanner above."""

    def __init__(self, text: str, shell: str) -> None:
        super().__init__(text, shell)
        # Inside anything that may not run in this very shell, a function definition is not certain.
        self.uncertain = 0
        self.defined: str | None = None
        self.definitions: list[Definition] = []
        # What the group or condition that is being read has assigned whichever way it goes.
        self.survivors: set[str] = set()
        # Where each `( ... )` begins and ends.
        self.subshells: list[tuple[int, int]] = []
        # The place at which a reserved word was looked for last, and the word.
        self._looked_at = (-1, -1)
        self._word_there = ""

    def _reserved(self) -> str:
        """The reserved word at this position; cached, because reading a list needs it more than once."""
        here = (self.pos, self.end)
        if here != self._looked_at:
            found = _RESERVED.match(self.text, self.pos, self.end)
            self._looked_at = here
            self._word_there = found[0] if found is not None else ""
        return self._word_there

    def _expect(self, keyword: str, opened_at: int) -> None:
        if self._reserved() != keyword:
            raise NotUnderstood(
                f"`{keyword}` is missing", opened_at, hint=f"write `; {keyword}` where it belongs"
            )
        self.pos += len(keyword)

    def _take_operator(self, length: int) -> None:
        """Step over an operator that must not be continued by what a joined line would put after it."""
        self.pos += length
        if self.text.startswith("\\\n", self.pos) and _OPERATOR_AFTER_JOIN.match(
            self.text, self.pos, self.end
        ):
            raise NotUnderstood("an operator is broken over two lines", self.pos, hint="write it on one line")
        if self.substitutions:
            if self.pending:
                raise NotUnderstood(
                    "a here-document among other commands in a substitution", self.pos, hint=OUTSIDE
                )
            self.alone = False

    def _list(self, until: frozenset[str], closer: str) -> bool:
        """Commands up to a word of `until` or to `closer` (the part of the scanner for lists)."""
        raise NotImplementedError

    def _compound(self, start: int) -> None:
        """A group, loop, test or definition, and the redirections after it."""
        keyword = self._reserved() or self._peek()
        reader = _COMPOUNDS.get(keyword)
        if reader is None:
            hint = "run the command by itself" if keyword == "coproc" else QUOTES
            raise NotUnderstood(f"`{keyword}` is not expected here", start, hint=hint)
        if self.substitutions and keyword in {"case", "function", "select"}:
            # bash prints what it has parsed and parses that again, not always the same.
            raise NotUnderstood(f"`{keyword}` inside a substitution", start, hint=OUTSIDE)
        self.alone = False
        self.descend(start)
        if keyword != "function":
            self.uncertain += 1
        defined = self.defined
        mark = len(self.opened)
        outer, self.survivors = self.survivors, set()
        reader(self, start)
        survivors, self.survivors = self.survivors, outer
        self.close_certain(mark)
        if keyword != "function":
            self.uncertain -= 1
            self.defined = defined
        self.depth -= 1
        # Where a redirection fails, nothing of what it belongs to is run.
        if not self._trailing_redirections():
            self.opened += [(name, self.pos) for name in sorted(survivors)]

    def _trailing_redirections(self) -> bool:
        """Read what is behind a closed command; True if there were redirections."""
        redirections: list[Redirection] = []
        start = self.pos
        while True:
            self._blanks()
            found = self._redirection()
            if found is None:
                break
            redirections.append(found)
        if redirections:
            self.commands.append(
                SimpleCommand(
                    (), (), tuple(redirections), redirections[0].start, self.pos, expanded_at=self.expanded_at
                )
            )
        char = self._peek()
        if char and char not in "\n;&|)#":
            raise NotUnderstood("something follows a closed command", self.pos, hint="put a `;` before it")
        if char == "#" and self.pos == start:
            raise NotUnderstood(
                "a hash directly after a closed command", self.pos, hint="put a blank before it"
            )
        return bool(redirections)

    def read_subshell(self, start: int) -> None:
        """`( ... )`, or arithmetic in `(( ... ))`."""
        if self.text.startswith("((", start):
            if not self.grammar.arithmetic_command:
                raise NotUnderstood(
                    "this shell has no `((...))`", start, hint="write `x=$((...))` or `[ ... ]`"
                )
            self.pos = start + 2
            first = self.parenthesised(start)
            self.report_nothing(start)
            self.survivors.update(name for name, _ in first)
            return
        self.pos = start
        self._take_operator(1)
        if not self._list(frozenset(), ")"):
            raise NotUnderstood("an empty subshell", start, hint=QUOTES)
        if self._peek() != ")":
            raise NotUnderstood("a subshell is not closed", start, hint="close it with `)`")
        self.pos += 1
        self.subshells.append((start, self.pos))

    def read_group(self, start: int) -> None:
        """`{ ...; }`."""
        self.pos = start + 1
        mark = len(self.opened)
        self._body(start, frozenset({"}"}))
        self.survivors = {name for name, _ in self.opened[mark:]}
        self._expect("}", start)

    def _body(self, opened_at: int, until: frozenset[str]) -> None:
        """A list that must hold at least one command."""
        if not self._list(until, ""):
            raise NotUnderstood(
                "an empty list of commands", opened_at, hint="write `:` where nothing is to be done"
            )

    def _branch(self, opened_at: int, until: frozenset[str]) -> set[str]:
        """A list that may not run; the variables that it assigns if it does."""
        mark = len(self.opened)
        self._body(opened_at, until)
        names = {name for name, _ in self.opened[mark:]}
        self.close_certain(mark)
        return names

    def read_if(self, start: int) -> None:
        """`if`, with any number of `elif`."""
        self.pos = start + 2
        branches: list[set[str]] = []
        while True:
            self._body(start, frozenset({"then"}))
            self._expect("then", start)
            branches.append(self._branch(start, frozenset({"elif", "else", "fi"})))
            if self._reserved() != "elif":
                break
            self.pos += 4
        if self._reserved() == "else":
            self.pos += 4
            branches.append(self._branch(start, frozenset({"fi"})))
            self.survivors = _in_all(branches)
        self._expect("fi", start)

    def read_while(self, start: int) -> None:
        """`while` and `until`."""
        self.pos = start + 5  # `while` and `until` are of one length
        self._body(start, frozenset({"do"}))
        self._do_done(start)

    def _do_done(self, start: int) -> None:
        self._expect("do", start)
        self._body(start, frozenset({"done"}))
        self._expect("done", start)

    def read_for(self, start: int) -> None:
        """`for` and `select`."""
        self.pos = start + (3 if self.text.startswith("for", start) else 6)
        blank = BLANKS.match(self.text, self.pos, self.end)
        after = blank.end() if blank is not None else self.pos
        if self.text.startswith("((", after):
            if not self.grammar.arithmetic_command or not self.text.startswith("for", start):
                raise NotUnderstood("this shell has no `for ((...))`", start, hint="write `for i in 1 2 3`")
            self.pos = after + 2
            first = self.parenthesised(start, semicolons=True)
            self.opened += first
            self._loop_separator()
        else:
            self._for_words(start)
        self._do_done(start)

    def _for_words(self, start: int) -> None:
        name = _LOOP_NAME.match(self.text, self.pos, self.end)
        if name is None:
            raise NotUnderstood(
                "a loop without a plain variable", start, hint="write `for x in ...; do ...; done`"
            )
        self.pos = name.end()
        self._linebreaks()
        words: list[Word] = []
        if _IN.match(self.text, self.pos, self.end):
            self.pos += 2
            self._blanks()
            while self._peek() and self._peek() not in "\n;&|()<>#":
                words += self.words()
                self._blanks()
        self._assign_all(name.group(1), words, start)
        self._loop_separator()

    def _assign_all(self, name: str, words: list[Word], start: int) -> None:
        """Report what a loop or array may assign; no words at all means values from elsewhere."""
        if words:
            values = tuple(Assignment(name, word, word.start, word.end, listed=True) for word in words)
        else:
            values = (Assignment(name, None, start, self.pos),)
        self.commands.append(SimpleCommand((), values, (), start, self.pos, expanded_at=self.expanded_at))
        self.opened.append((name, self.pos))

    def _loop_separator(self) -> None:
        self._blanks()
        if self._peek() == ";":
            self._take_operator(1)
        self._linebreaks()

    def read_case(self, start: int) -> None:
        """`case ... esac`."""
        self.pos = start + 4
        self._blanks()
        self.word()
        self._linebreaks()
        if not _IN.match(self.text, self.pos, self.end):
            raise NotUnderstood("`case` without `in`", start, hint="write `case x in a) ...;; esac`")
        self.pos += 2
        branches: list[set[str]] = []
        complete = False
        while True:
            self._linebreaks()
            if self._reserved() == "esac":
                self.pos += 4
                break
            mark = len(self.opened)
            complete = self._case_arm(start) or complete
            branches.append({name for name, _ in self.opened[mark:]})
            self.close_certain(mark)
        if complete:
            self.survivors = _in_all(branches)

    def _case_arm(self, start: int) -> bool:
        """One arm; True if its pattern takes everything."""
        if self._peek() == "(":
            self.pos += 1
        everything = False
        while True:
            self._blanks()
            pattern = self.word()
            if not pattern.quoted and pattern.text in RESERVED_WORDS:
                # bash prints such a pattern without its parenthesis, which then ends the `case`.
                raise NotUnderstood(
                    f"the reserved word `{pattern.text}` as a pattern", pattern.start, hint=QUOTES
                )
            everything = everything or (pattern.text == "*" and not pattern.quoted)
            self._blanks()
            if self._peek() != "|" or self.text.startswith("||", self.pos):
                break
            self.pos += 1
        if self._peek() != ")":
            raise NotUnderstood("a pattern of `case` is not closed", self.pos, hint="write `pattern)`")
        self.pos += 1
        self._list(frozenset({"esac"}), "")
        for end in (";;&", ";;", ";&"):
            if self.text.startswith(end, self.pos):
                if end != ";;":
                    raise NotUnderstood(f"`{end}` after an arm of `case`", self.pos, hint="write `;;`")
                self._take_operator(len(end))
                return everything
        if self._reserved() != "esac":
            raise NotUnderstood("`case` is not closed", start, hint="close it with `esac`")
        return everything

    def read_function_keyword(self, start: int) -> None:
        """`function name { ...; }`."""
        if not self.grammar.function_keyword:
            raise NotUnderstood(
                "this shell reads `function` in its own way", start, hint="write `name() { ...; }`"
            )
        found = _FUNCTION_KEYWORD.match(self.text, start + 8, self.end)
        if found is None:
            raise NotUnderstood("a function without a plain name", start, hint="write `name() { ...; }`")
        self.pos = found.end()
        self._function_body(found.group(1), start)

    def _function_body(self, name: str, start: int) -> None:
        if name in RESERVED_WORDS:
            raise NotUnderstood("a reserved word as a function's name", start, hint="give it another name")
        if self.substitutions:
            raise NotUnderstood("a function inside a substitution", start, hint=OUTSIDE)
        head_end, place = self.pos, len(self.definitions)
        self._linebreaks()
        keyword = self._reserved() or self._peek().replace("{", "")  # `{ls` is the name of a command
        if keyword not in {"{", "("} or (keyword == "(" and self.text.startswith("((", self.pos)):
            raise NotUnderstood(
                "a function whose body is not a group", self.pos, hint="write `name() { ...; }`"
            )
        before = self.enter_body()
        self._compound(self.pos)
        self.leave_body(before)
        self.definitions.insert(place, Definition(name, start, head_end, self.pos))
        self.defined = name


_COMPOUNDS = {
    "(": CompoundScanner.read_subshell,
    "{": CompoundScanner.read_group,
    "if": CompoundScanner.read_if,
    "while": CompoundScanner.read_while,
    "until": CompoundScanner.read_while,
    "for": CompoundScanner.read_for,
    "case": CompoundScanner.read_case,
    "function": CompoundScanner.read_function_keyword,
    "[[": CompoundScanner.read_test,
}


def _in_all(branches: list[set[str]]) -> set[str]:
    return {name for name in branches[0] if all(name in branch for branch in branches)}
