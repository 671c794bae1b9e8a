"""A small lexer for fish, and a smaller one for nushell; what is not plain is refused.

Above: `evaluation`. Below: `model` and `refusal`. Both shells have languages of their own. Of fish's are read
words, quotes, plain braces, pipes, lists, redirections, variables, command substitutions, `set`, `read`,
and the blocks of `if`, `while`, `for`, `begin` and `switch`; of nushell's, pipelines of plain words.
"""

from __future__ import annotations

import re
from dataclasses import replace

from nacre.policy.model import (
    UNKNOWN,
    Assignment,
    Certain,
    Expansion,
    Redirection,
    Refusal,
    Scan,
    SimpleCommand,
    Word,
    names,
)
from nacre.policy.patterns import regex
from nacre.policy.refusal import NotUnderstood

MAX_TEXT = 1_000_000
_MAX_WORDS = 10_000
_MAX_COMMANDS = 1_000
_CONTROL = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Letters of other alphabets, but no spaces, and not the private characters that fish uses for itself.
_OTHER = (
    "[^\x00-\x7f\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ue000-\uf8ff\ufdd0-\ufdef\ufeff"
    "\U000f0000-\U0010ffff]"
)
_PLAIN_CHARACTERS = rf"(?:[A-Za-z0-9_./:=@%+,~*-]|{_OTHER})+"
_END = r"(?=[ \t\n;|)]|&&|\Z)"
_AFTER_WORD = regex(_END)
_TOKEN = regex(
    rf"(?P<blank>[ \t]+)|(?P<comment>\#[^\n]*)"
    rf"|(?P<operator>\n|(?:&&|\|\||[;|])(?![&|<>;])|(?<=[ \t])&(?=[ \t\n]|\Z))"
    rf"|(?P<duplicate>[012]?>&[012]){_END}|(?<=[ \t])(?P<redirection>[012]?(?:>>|>)|<)(?=[ \tA-Za-z_./~'\"$])"
)
# Pieces of a word: plain characters, quotes, a variable, the beginning of a substitution.
_RUN = regex(_PLAIN_CHARACTERS)
_RUN_INSIDE = regex(rf"(?:#|{_PLAIN_CHARACTERS})+")
# Backslashes stand before what would mean something; before all else in quotes they are themselves. Outside
# of quotes a letter behind one is another character (`\\n`), and so is a line: these are not read.
_SINGLE_QUOTED = regex(r"'((?:[^'\\]|\\[^\n])*)'")
_ESCAPE_IN_SINGLE_QUOTES = regex(r"\\(['\\])")
_IN_DOUBLE_QUOTES = regex(r'(?:[^"\\$]|\\[^\n])*')
_ESCAPE_IN_DOUBLE_QUOTES = regex(r'\\(["\\$])')
_ESCAPED = regex(r"""\\([$*?~#(){}\[\]<>&|;"' \\])""")
_RAW_SINGLE_QUOTED = regex(r"'([^'\\]*)'")
_RAW_IN_DOUBLE_QUOTES = regex(r'[^"\\$]*')
# A name goes on with letters of any alphabet; an index would choose some of its elements.
_VARIABLE = regex(r"\$([A-Za-z_][A-Za-z0-9_]*)(?![\[$A-Za-z0-9_]|[^\x00-\x7f])")
_SYMBOL = regex(rf"(?:\[|\]|!=?){_END}")
# `src/{a,b}.py`: plain letters around and inside, no variable, no pattern, no quotes.
_BRACED = regex(rf"([A-Za-z0-9_./-]*)\{{([A-Za-z0-9_.-]+(?:,[A-Za-z0-9_.-]+)+)\}}([A-Za-z0-9_./-]*){_END}")
_ASSIGNED = regex(r"([A-Za-z_][A-Za-z0-9_]*)=")
_JOINING = frozenset({"and", "or", "not", "!"})
# Words that are no commands but begin, divide and end blocks.
_STRUCTURE = names("if else while for begin end switch case")
_KEYWORDS = names(
    "in function return builtin "
    "exec eval source . alias abbr time bind complete functions emit status trap "
    "argparse block breakpoint cdh commandline edit_command_buffer export fish_add_path fish_config funced "
    "funcsave nextd prevd psub setenv vared"
)
_NU_KEYWORDS = names(
    "def let mut const if match for while loop do use export source overlay run-external exec alias module "
    "extern hide try catch error where each"
)
_SPLITTING = names("kill bg fg wait disown")
_DEEPEST = 20
_SET_FLAGS = regex(r"-[lgfxqea]+\Z|--(?:local|global|function|export|query|erase|append)\Z")
_READ_FLAGS = regex(r"-[lgfs]+\Z|--(?:local|global|function|silent)\Z")
_LONG = {"--export": "x"}  # the others begin with their letter
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Variables by which fish itself, or a function of it, decides what to run.
_OF_FISH = regex(r"(?i:_*fish)")
# Variables that fish sets, or reads as a list: what a text gives them may not be what they hold.
_SPECIAL = regex(
    r".*PATH\Z|(?:_|argv|history|status|pipestatus|umask|version|hostname|last_pid|PWD|OLDPWD|SHLVL|HOME|USER"
    r"|EUID|COLUMNS|LINES|CMD_DURATION|dirprev|dirnext|__.*)\Z"
)
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
    return Scan(tuple(lexer.commands), refusal, certain=tuple(lexer.certain))


def _as_lines(word: Word) -> Word:
    """Each line of what is filled in becomes a word, in quotes, too."""
    pieces = tuple(replace(piece, quoted=False, each=True) for piece in word.expansions)
    return replace(word, expansions=pieces) if pieces else word


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
        # The operators before and after what is being read.
        self.before = self.after = ""
        # Whether an operator still wants a command after it.
        self.open = False
        # The word of a block that stands before what is being read: its words are no command.
        self.head = ""
        # Open blocks: what they are, whether they get piped input, the variable of a loop, since where.
        self.blocks: list[tuple[str, bool, str, int]] = []
        self.certain: list[Certain] = []
        self.depth = 0

    def read(self, pos: int = 0, closer: str = "") -> int:
        """Everything up to the end, or to the parenthesis that closes a substitution; where that is."""
        count = 0
        while pos < len(self.text) and not (closer and self.text.startswith(closer, pos)):
            token = _TOKEN.match(self.text, pos)
            count += 1
            if count > 2 * _MAX_WORDS or len(self.commands) > _MAX_COMMANDS:
                reason = f"more than {_MAX_WORDS} words or {_MAX_COMMANDS} commands"
                raise NotUnderstood(reason, pos, hint="run it as several commands")
            if token is None:
                pos = self._word(pos)
            elif self._take(token, token.lastgroup or "") and not (closer and token.group() == "\n"):
                pos = token.end()
            else:
                raise NotUnderstood("this is not understood for this shell", pos, hint=_PLAIN)
        if self.open and not self._filled():
            raise NotUnderstood("no command after the operator", min(pos, len(self.text) - 1))
        self._close(piped=False)
        if self.blocks or (closer and pos >= len(self.text)):
            raise NotUnderstood("a block or a parenthesis is not closed", len(self.text), hint="close it")
        return pos

    def _take(self, token: re.Match[str], kind: str) -> bool:
        if self.nushell and (
            kind in {"redirection", "duplicate", "comment"} or token.group() in {"&", "&&", "||"}
        ):
            return False
        if kind == "comment" and self.depth:
            return False
        if self.waiting is not None and kind != "blank":
            return False
        if kind == "redirection":
            self.waiting = token
        elif kind == "operator":
            self.after = token.group()
            if not self._filled() and (self.after not in {";", "\n"} or (self.open and self.after == ";")):
                return False
            self.open = self.after in {"|", "&&", "||"} or (self.open and not self._filled())
            self._close(piped=self.after == "|")
            self.before, self.after = self.after, ""
        return True

    def _filled(self) -> bool:
        return bool(self.words or self.head or self.assignments or self.redirections)

    # -- words ---------------------------------------------------------------------------------------------

    def _word(self, start: int) -> int:
        """The word that begins here; where it ends."""
        braced = _BRACED.match(self.text, start) if self._takes_braces() else None
        if braced is not None:
            before, choices, behind = braced.groups()
            for choice in choices.split(","):
                self.words.append(Word(before + choice + behind, start, braced.end(), quoted=True))
            return braced.end()
        text: list[str] = []
        expansions: list[Expansion] = []
        glob: int | None = None
        pos = start
        symbol = _SYMBOL.match(self.text, start) if not self.nushell else None
        while symbol is None and pos < len(self.text):
            run = (_RUN_INSIDE if pos > start else _RUN).match(self.text, pos)
            if run is not None:
                if glob is None and "*" in run.group():
                    glob = len("".join(text)) + run.group().index("*")
                text.append(run.group())
                pos = run.end()
                continue
            after = self._piece(pos, text, expansions)
            if after == pos:
                break
            pos = after
        if symbol is not None:
            text, pos = [symbol.group()], symbol.end()
        if pos == start or self.text[start] == "%" or not _AFTER_WORD.match(self.text, pos):
            raise NotUnderstood("this is not understood for this shell", pos, hint=_PLAIN)
        tilde = self.text[start] == "~"
        word = Word(
            "".join(text), start, pos, quoted=True, glob=glob, tilde=tilde, expansions=tuple(expansions)
        )
        self._add(word, self.text[start:pos])
        return pos

    def _takes_braces(self) -> bool:
        """Whether words with braces may follow: behind a command, but not behind one that assigns."""
        plain = bool(self.words) and not self.head and self.waiting is None and not self.nushell
        return plain and self.words[0].text not in {"set", "read"}

    def _piece(self, pos: int, text: list[str], expansions: list[Expansion]) -> int:
        """Quotes, a variable or a substitution; where it ends, or the same place if there is none."""
        char = self.text[pos]
        escaped = _ESCAPED.match(self.text, pos) if not self.nushell else None
        if escaped is not None and not (self.depth and escaped.group(1) in "()"):
            text.append(escaped.group(1))
            return escaped.end()
        single = (_RAW_SINGLE_QUOTED if self.nushell else _SINGLE_QUOTED).match(self.text, pos)
        if single is not None and not (self.depth and {"(", ")"} & set(single.group())):
            text.append(_ESCAPE_IN_SINGLE_QUOTES.sub(r"\1", single.group(1)))
            return single.end()
        if char == '"':
            return self._double_quotes(pos + 1, text, expansions)
        if char in "$(" and not self.nushell:
            return self._expansion(pos, text, expansions, quoted=False)
        return pos

    def _double_quotes(self, pos: int, text: list[str], expansions: list[Expansion]) -> int:
        while True:
            plain = (_RAW_IN_DOUBLE_QUOTES if self.nushell else _IN_DOUBLE_QUOTES).match(self.text, pos)
            content = plain.group() if plain is not None else ""
            text.append(_ESCAPE_IN_DOUBLE_QUOTES.sub(r"\1", content))
            pos += len(content)
            if self.depth and {"(", ")"} & set(content):
                raise NotUnderstood("a parenthesis in quotes in a substitution", pos, hint=_PLAIN)
            if self.text.startswith('"', pos):
                return pos + 1
            if not self.text.startswith("$", pos) or self.nushell:
                raise NotUnderstood("this is not understood for this shell", pos, hint=_PLAIN)
            pos = self._expansion(pos, text, expansions, quoted=True)

    def _expansion(self, pos: int, text: list[str], expansions: list[Expansion], *, quoted: bool) -> int:
        """`$x`, `(cmd)`, `$(cmd)`."""
        variable = _VARIABLE.match(self.text, pos)
        if variable is not None:
            name = variable.group(1)
            one = quoted or name == "status" or name in {block[2] for block in self.blocks}
            expansion = Expansion("variable", "?" if name == "status" else name, quoted=one)
            end = variable.end()
        elif self.text.startswith(("(", "$("), pos):
            first = len(self.commands)
            end = self._substitution(pos + 1 + (self.text[pos] == "$"))
            expansion = Expansion("command", "", quoted=quoted, first=first, last=len(self.commands))
        else:
            raise NotUnderstood("this is not understood for this shell", pos, hint=_PLAIN)
        text.append(UNKNOWN)
        expansions.append(expansion)
        return end

    def _substitution(self, pos: int) -> int:
        """The commands of a substitution stand before the one that they are a part of."""
        inner = _Lexer(self.text, self.keywords, nushell=False)
        inner.commands, inner.certain, inner.depth = self.commands, self.certain, self.depth + 1
        if inner.depth > _DEEPEST:
            raise NotUnderstood(
                "too many substitutions in each other", pos, hint="run it as several commands"
            )
        end = inner.read(pos, ")") + 1
        if self.text.startswith("[", end):
            raise NotUnderstood("an index behind a substitution", end, hint=_PLAIN)
        return end

    def _add(self, word: Word, raw: str) -> None:
        """A word has been read: what it is to the command that it belongs to."""
        if self.waiting is not None:
            operator = self.waiting.group().lstrip("0123456789")
            self.redirections.append(Redirection(operator, "", word, self.waiting.start(), word.end))
            self.waiting = None
            return
        assigned = _ASSIGNED.match(raw)
        if self.words or self.head:
            self._argument(word, raw)
        elif assigned is not None:
            if _OF_FISH.match(raw):
                raise NotUnderstood("a variable that fish itself may use", word.start, word.end, hint=_PLAIN)
            self.assignments.append(Assignment(assigned.group(1), None, word.start, word.end))
        elif "=" in raw and "/" not in raw.partition("=")[0]:
            # Names of variables hold letters of any alphabet, and begin with a digit, too.
            raise NotUnderstood("fish may take this for an assignment", word.start, word.end, hint=_PLAIN)
        elif self.nushell:
            self._argument(word, raw)
        elif raw in _JOINING:
            self.joined = word  # before a command
        elif word.text in _STRUCTURE and not self.assignments:
            if raw != word.text:
                raise NotUnderstood(f"`{word.text}` in quotes", word.start, word.end, hint=_PLAIN)
            self._begin(word)
        else:
            self._argument(word, raw)

    def _argument(self, word: Word, raw: str) -> None:
        if self.head in {"end", "begin", "else"}:
            raise NotUnderstood(
                f"a word after `{self.head}`", word.start, word.end, hint="put a `;` before it"
            )
        named = not self.words and not self.head
        if named and (word.text in self.keywords or (word.text in _STRUCTURE and not self.nushell)):
            raise NotUnderstood(
                f"`{word.text}` is not understood for this shell", word.start, word.end, hint=_PLAIN
            )
        if named and not self.nushell and word.text in {"set", "read"} and raw != word.text:
            # What a loop's variable may be given is looked for in the text as it is written.
            raise NotUnderstood(f"`{word.text}` in quotes", word.start, word.end, hint=_PLAIN)
        self.words.append(word)

    # -- blocks --------------------------------------------------------------------------------------------

    def _begin(self, word: Word) -> None:
        """A word that begins, divides or ends a block."""
        kind = word.text
        top = self.blocks[-1][0] if self.blocks else ""
        needed = {"else": "if", "case": "switch", "end": top or "-"}.get(kind, top)
        if top != needed or (self.joined is not None and kind in {"else", "case", "end"}):
            raise NotUnderstood(f"`{kind}` is not expected here", word.start, word.end, hint=_PLAIN)
        if kind in {"if", "while"}:
            self.blocks.append((kind, self.piped, "", word.end))
            self.joined = word  # a command follows
        elif kind == "else":
            self.head = "if" if self.text.startswith(" if ", word.end) else "else"
            if self.head == "if":
                self.head = ""
                self.blocks.pop()
        elif kind == "end":
            _, _, name, start = self.blocks.pop()
            if name:
                self.certain.append(Certain(name, start, word.start))
            self.head = kind
        else:
            if kind in {"begin", "switch"}:
                self.blocks.append((kind, self.piped, "", word.end))
            self.head = kind

    def _end_head(self, end: int) -> None:
        """The words behind `for`, `switch` and `case`."""
        words, self.words = self.words, []
        if self.head != "for":
            return
        if [word.text for word in words[1:2]] != ["in"]:
            raise NotUnderstood("this `for` is not understood", end, hint="write `for x in ...; ...; end`")
        name = words[0].text
        self._check_name(words[0])
        self.assignments = [Assignment(name, word, word.start, word.end, listed=True) for word in words[2:]]
        # What else sets it may give it any number of values (`x=(cmd) ls $x`), and so may fish itself.
        again = re.search(rf"\b(?:set|read)\b[^\n;]*\b{name}\b|\b{name}=", self.text) is not None
        self.blocks.append(("for", self.piped, "" if again or _SPECIAL.match(name) else name, end))

    # -- builtins ------------------------------------------------------------------------------------------

    def _check_name(self, word: Word) -> None:
        if not _NAME.match(word.text) or not word.literal or _OF_FISH.match(word.text):
            raise NotUnderstood("a variable that fish itself may use", word.start, word.end, hint=_PLAIN)

    def _flags(self, pattern: re.Pattern[str]) -> set[str]:
        """The options at the beginning of a builtin's arguments, which are dropped."""
        found: set[str] = set()
        while len(self.words) > 1 and self.words[1].text.startswith("-"):
            word = self.words.pop(1)
            if not word.literal or not pattern.match(word.text):
                raise NotUnderstood(f"`{word.text}` is not understood", word.start, word.end, hint=_PLAIN)
            long = word.text.startswith("--")
            found |= {_LONG.get(word.text, word.text[2:3])} if long else set(word.text[1:])
        return found

    def _set(self) -> None:
        """`set x a b`, `set -gx x a`, `set -q x`, `set -e x`: variables as assignments."""
        flags = self._flags(_SET_FLAGS)
        given, self.words = self.words[1:], []
        if not given or "q" in flags:
            return
        values = given[1:] if "e" not in flags else []
        for name in given if "e" in flags else given[:1]:
            self._check_name(name)
            # Several values, and files that match a pattern, are a list.
            one = len(values) == 1 and values[0].literal and not flags & {"a", "e"}
            end = values[-1].end if values else name.end
            value = values[0] if one else None
            self.assignments.append(Assignment(name.text, value, name.start, end, exported="x" in flags))
            # A variable of another scope may hide a global one; with several scopes nothing is set.
            sure = self._is_surely_run() and not flags & {"g", "f"} and not self.redirections
            if one and sure and not _SPECIAL.match(name.text):
                self.certain.append(Certain(name.text, end, len(self.text)))

    def _is_surely_run(self) -> bool:
        """It stands in no block and no substitution, and no other command decides about it."""
        alone = self.before not in {"&&", "||", "|"} and self.after not in {"|", "&"}
        return alone and not self.depth and not self.blocks and self.joined is None

    def _read_line(self) -> None:
        """`read -l line`: as in other shells, without the options that are fish's own."""
        self._flags(_READ_FLAGS)
        for word in self.words[1:]:
            self._check_name(word)

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
        if self.words and self.words[0].text in _SPLITTING:
            self._check_lines()
            self.words = [_as_lines(word) for word in self.words]
        if self.head:
            self._end_head(self.words[-1].end if self.words else len(self.text))
        elif self.words and not self.nushell and self.words[0].text in {"set", "read"}:
            self._set() if self.words[0].text == "set" else self._read_line()
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
                    self.piped or any(block[1] for block in self.blocks),
                )
            )
        self.piped = piped
        self.joined = None
        self.head = ""
        self.assignments, self.words, self.redirections = [], [], []
