"""A strict lexer for cmd.exe.

Above: `evaluation` asks for the simple commands of a text. Below: `model`. cmd.exe replaces `%name%` before
it looks at anything else, so a text with such a pair can become any other text: it is refused, and so are
`!name!`, `for`, and `if` but for `if exist name`. What remains (carets, quotes, operators, groups) is read
exactly; names are plain or in one pair of quotes, and arguments are divided by blanks.
"""

from __future__ import annotations

import re

from nacre.policy.model import Assignment, Redirection, Refusal, Scan, SimpleCommand, Word, names
from nacre.policy.patterns import BECOMES_PLAIN, regex
from nacre.policy.refusal import NotUnderstood
from nacre.policy.tables.windows import DIVIDED_AS_ON_WINDOWS, READS_ALL_LETTERS

MAX_DEPTH = 6
MAX_TEXT = 32_767  # the longest command line of Windows
_CONTROL = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# cmd.exe takes a space that does not break for a plain one; others look like one.
_ODD_SPACE = regex("[\u00a0\u1680\u180e\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]")
_EXPANSION = regex(r"![^!\n]*!|%[~*0-9]")
# What may stand in a variable's name; `%h - %` is no variable, and stays as it is.
_PAIR = regex(r"%(?=(=?[A-Za-z0-9_().#$@-]+)(?::[^%\n]*)?%)")
_READS = regex(r'[A-Za-z_][A-Za-z0-9_]*|"[A-Za-z_][A-Za-z0-9_]*"')  # `set NAME` lists what begins so
_SETS = regex(
    r'"?[A-Za-z_][A-Za-z0-9_]*=|/[pP][ \t]+"?[A-Za-z_][A-Za-z0-9_]*=|/[aA][A-Za-z0-9_ \t=+*/(),"-]*\Z'
)
# In a file of commands, as which nacre gives cmd.exe several lines or long ones, a variable has any name,
# and is nothing if it is not set: what is between two signs goes, and the quotes in it. In the value of an
# option that changes nothing but the value.
_IN_VALUE = regex(r'(?:[^%"]|"[^%"]*")*[ \t]-[^\s"%]*[=:]"[^"]*"[^%]*\Z')
_REDIRECTION = regex(r"([0-9]?)(>>|>&|<&|>|<)")
_HANDLE = regex(r"[ \t]*[0-9](?=[ \t\n&|)<>]|\Z)")
# cmd.exe passes these over like blanks, where it does not hand them on to a program.
_OTHER_DELIMITERS = ",;="
# Commands of cmd.exe itself: their name ends where letters end (`cd..`, `echo.text`, `del/q`).
_INTERNAL = names(
    "assoc break call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md "
    "mkdir mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start time "
    "title type ver verify vol"
)
# Those of them whose arguments are names of files: they end at these, too.
_NAMES_FILES = names("type copy del erase dir move ren rename md mkdir rd rmdir mklink pushd")
_BETWEEN_FILES = regex(r"[,;=]")
_BETWEEN_COPIED = regex(r"[,;=+]")
_QUOTED = regex(r'"[^"]*"')
# Quotes that cmd.exe and a program count in different ways.
_DISPUTED_QUOTE = regex(r'\\"|\^"|"".')
# A program may be a script of cmd.exe, which reads its arguments once more, then without the caret.
_ESCAPED_OPERATOR = regex(r"\^[&|<>()%!]")
_VARIABLE = regex(r"[^\W\d]\w*")
_INTERNAL_NAME = regex(r"([A-Za-z]+)(?=[./\\:+\[\]()]|\Z)")
# What may stand right behind the name: `dir/s/b`, `echo.`, `cd..`. But `dir.bat` and `dir\x` are programs.
_GLUED = regex(r"(?i)(?:[a-z]+(?:/[a-z?][\w:?-]*)+|echo\.|(?:cd|chdir)(?:\.\.|\\))\Z")
_AROUND = regex(r"/\.\.(?:[\\/]|\Z)")
_IN_QUOTES = "use double quotes in place of carets"
_ONE_BY_ONE = "run the commands one by one"
_PLAIN_IF = "write `if exist name command`, with a plain name, and without `else`"
# What may stand before a command, which then runs or not: a plain name of a file below the directory.
_IF_EXISTS = regex(
    r"(?i)if[ \t]+(?:not[ \t]+)?exist[ \t]+(?!\S*\.\.)[A-Za-z0-9_.][A-Za-z0-9_.\\-]*[ \t]+(?=[A-Za-z(])"
)
_REFUSED_NAMES = frozenset({"for", "if", "else", "do", "in", "goto"})


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.groups = 0
        self.pipe = self.caret = -1
        # Whether something stands before the next operator, and whether the last one wants more after it.
        self.filled = self.open = False
        self.commands: list[SimpleCommand] = []

    def read(self) -> None:
        while self.pos < len(self.text):
            self._command()
            self._operator()
        if self.open and not self.filled:
            raise NotUnderstood("no command after the operator", len(self.text) - 1)
        if self.pipe >= 0 and self.caret >= 0:
            # Each side of a pipe is read once more, by a shell of its own, and then without the caret.
            raise NotUnderstood("a caret does not hold beside a pipe", self.caret, hint=_IN_QUOTES)
        if self.groups:
            raise NotUnderstood(
                "a parenthesis is not closed", len(self.text) - 1, hint="close it, or put ^ before it"
            )

    def _skip(self, characters: str) -> None:
        while self.pos < len(self.text) and self.text[self.pos] in characters:
            self.pos += 1

    def _operator(self) -> None:
        """What stands between two commands."""
        text = self.text
        char = text[self.pos : self.pos + 1]
        if not self.filled and (self.open or char in {"&", "|"}):
            raise NotUnderstood("no command beside the operator", min(self.pos, len(text) - 1))
        if not char:
            return
        double = text.startswith(("&&", "||"), self.pos)
        self.open, self.filled = double or char == "|", char == ")"
        if double:
            self.pos += 2
        elif text[self.pos] in "&|\n":
            self.pipe = self.pos if text[self.pos] == "|" else self.pipe
            self.pos += 1
        elif text[self.pos] == ")" and self.groups:
            self.groups -= 1
            self.pos += 1
            self._skip(" \t")
            if self.pos < len(text) and text[self.pos] not in "&|\n)<>":
                is_else = text[self.pos : self.pos + 4].casefold() == "else"
                hint = _PLAIN_IF if is_else else "put & before it"
                raise NotUnderstood("something follows a closed group", self.pos, hint=hint)
        else:
            raise NotUnderstood(f"{text[self.pos]!r} is not expected here", self.pos)

    def _command(self) -> None:
        self._skip(" \t@\n")
        self._skip_conditions()
        while self.pos < len(self.text) and self.text[self.pos] == "(":
            self.groups += 1
            self.pos += 1
            self._skip(" \t@\n")
            self._skip_conditions()
        start = self.pos
        words: list[Word] = []
        redirections: list[Redirection] = []
        while self.pos < len(self.text):
            self._skip(" \t")
            if (
                self.pos >= len(self.text)
                or self.text[self.pos] in "&|\n"
                or (self.text[self.pos] == ")" and self.groups)
            ):
                break
            redirection = _REDIRECTION.match(self.text, self.pos)
            if redirection is not None:
                redirections.append(self._redirection(redirection))
            else:
                self._check_delimiter()
                words.append(self._word(first=not words))
        if words:
            words[0:1] = self._name(words[0])
        if words or redirections:
            self.filled = True
            self._emit(words, redirections, start)

    def _skip_conditions(self) -> None:
        while (found := _IF_EXISTS.match(self.text, self.pos)) is not None:
            self.pos = found.end()

    def _check_delimiter(self) -> None:
        if self.text[self.pos] in _OTHER_DELIMITERS:
            reason = "cmd.exe takes this for a blank, and a program for an argument or a part of one"
            raise NotUnderstood(reason, self.pos, hint="use a blank, or double quotes")

    def _emit(self, words: list[Word], redirections: list[Redirection], start: int) -> None:
        is_set = bool(words) and words[0].text.casefold() == "set"
        given = self.text[words[1].start : words[-1].end] if is_set and len(words) > 1 else ""
        if "=" in given and _SETS.match(given) is None:
            raise NotUnderstood(
                "a variable whose name is not a plain word", start, hint="write set NAME=value"
            )
        self._check_arguments(words)
        reads = is_set and _READS.fullmatch(self.text[words[0].end : self.pos].strip()) is not None
        assignments = _assignments(words[1:], self.text) if is_set and not reads else []
        self.commands.append(
            SimpleCommand(tuple(words), tuple(assignments), tuple(redirections), start, self.pos)
        )

    def _check_arguments(self, words: list[Word]) -> None:
        """A program gets its arguments as one text, and divides it in its own way; some commands do, too."""
        name = words[0].text.casefold() if words else ""
        between = _BETWEEN_COPIED if name == "copy" else _BETWEEN_FILES
        for word in words:
            raw = self.text[word.start : word.end]
            if name not in _INTERNAL and _DISPUTED_QUOTE.search(raw):
                reason = "cmd.exe and the program disagree where this quoted text ends"
                hint = "leave out quotes inside of quotes, and a backslash or a caret before a quote"
                raise NotUnderstood(reason, word.start, word.end, hint=hint)
            if name not in _INTERNAL and _ESCAPED_OPERATOR.search(_QUOTED.sub("", raw)):
                reason, hint = "a caret does not hold where a program is a script", _IN_QUOTES
                raise NotUnderstood(reason, word.start, word.end, hint=hint)
            wide = name in _INTERNAL or name.removesuffix(".exe") in READS_ALL_LETTERS
            if not wide and BECOMES_PLAIN.search(word.text):
                reason = "a program may be given a plain quote, dash or slash in the place of this letter"
                raise NotUnderstood(
                    reason, word.start, word.end, hint="write plain quotes, dashes and slashes"
                )
            bare = _QUOTED.sub("", raw)
            if name in _NAMES_FILES and word.start != words[0].start and between.search(bare):
                reason = f"`{name}` takes this for several names"
                raise NotUnderstood(reason, word.start, word.end, hint="put each name into double quotes")
            if name in _NAMES_FILES and word.start != words[0].start and "/" in bare and bare[0] != "/":
                reason = f"to `{name}` a slash begins a switch"
                raise NotUnderstood(reason, word.start, word.end, hint="write the path with backslashes")
            divided = name not in _INTERNAL and name.removesuffix(".exe") not in DIVIDED_AS_ON_WINDOWS
            if divided and word is not words[0] and ("'" in bare or raw.startswith(("@", '"@'))):
                reason = "to cmd.exe this is text, to some programs quotes, or a file of arguments"
                raise NotUnderstood(reason, word.start, word.end, hint="use double quotes")

    def _name(self, word: Word) -> list[Word]:
        """The command's name, apart from what cmd.exe lets stand directly behind it."""
        if word.text.startswith(":"):
            raise NotUnderstood("a label", word.start, hint="leave it out")
        raw = self.text[word.start : word.end]
        quoted = '"' in raw and (_QUOTED.fullmatch(raw) is None or "/" in raw)
        if quoted or "^" in raw or raw.startswith("("):
            hint = "write the name without quotes and carets, and a blank behind it"
            raise NotUnderstood("a name in pieces", word.start, word.end, hint=hint)
        found = _INTERNAL_NAME.match(word.text)
        name, rest = word.text, ""
        if found is not None and found.group(1).casefold() in _INTERNAL:
            name, rest = found.group(1), word.text[found.end() :]
        if name.casefold() in _REFUSED_NAMES:
            hint = _PLAIN_IF if name.casefold() in {"if", "else"} else _ONE_BY_ONE
            raise NotUnderstood(f"`{name}` reads what follows in its own way", word.start, hint=hint)
        internal = name.casefold() in _INTERNAL and _GLUED.match(word.text) is not None
        if (rest or "/" in word.text) and not internal:
            reason = "cmd.exe can take this for the path of another program"
            raise NotUnderstood(reason, word.start, hint="put a blank behind the command's name")
        first = word.with_text(name)
        return [first, word.with_text(rest)] if rest else [first]

    def _word(self, *, first: bool = False) -> Word:
        start = self.pos
        parts: list[str] = []
        while self.pos < len(self.text):
            char = self.text[self.pos]
            if char in " \t,;=&|<>\n" or (char == ")" and self.groups):
                if char in ",;=" and not first:
                    # Inside an argument these are part of it for most programs; only a name ends there.
                    parts.append(char)
                    self.pos += 1
                    continue
                break
            self.pos += 1
            if char == '"':
                closing = self.text.find('"', self.pos)
                newline = self.text.find("\n", self.pos)
                if closing < 0 or 0 <= newline < closing:
                    raise NotUnderstood("a quote is not closed", start, hint="close it")
                parts.append(self.text[self.pos : closing])
                self.pos = closing + 1
            elif char == "^":
                parts.append(self._escaped())
            else:
                parts.append(char)
        word = "".join(parts)
        if _AROUND.search(word):
            reason = "cmd.exe can take what follows `/..` for the path of another program"
            raise NotUnderstood(reason, start, hint="write the path with backslashes")
        return Word(word, start, self.pos, quoted=True)

    def _escaped(self) -> str:
        if self.pos >= len(self.text) or self.text[self.pos] == "\n":
            raise NotUnderstood("a caret at the end of a line", self.pos - 1, hint="write it on one line")
        self.caret = self.pos - 1
        self.pos += 1
        return self.text[self.pos - 1]

    def _redirection(self, found: re.Match[str]) -> Redirection:
        start = self.pos
        self.pos = found.end()
        if found.group(2).endswith("&") and _HANDLE.match(self.text, self.pos) is None:
            raise NotUnderstood("a redirection that is not understood", start, hint="write 2>&1 and a blank")
        self._skip(" \t")
        if self.pos >= len(self.text) or self.text[self.pos] in "&|<>\n()":
            raise NotUnderstood("a redirection without a target", start, hint="name a file after it")
        self._check_delimiter()
        target = self._word()
        if _BETWEEN_FILES.search(_QUOTED.sub("", self.text[target.start : target.end])):
            reason = "the name of the file ends there, and what follows is an argument"
            raise NotUnderstood(reason, target.start, target.end, hint="put the name into double quotes")
        if target.text.casefold() in {"nul", "nul:"}:
            target = target.with_text("nul")
        return Redirection(found.group(2), found.group(1), target, start, self.pos)


def scan(text: str, depth: int = 0) -> Scan:
    """Every simple command of a text for cmd.exe, or a refusal. Never raises."""
    if len(text) > MAX_TEXT:
        hint = "run it as several calls"
        return Scan((), Refusal(f"the command is longer than {MAX_TEXT} characters", 0, len(text), hint))
    plain = text.replace("\r\n", " \n")  # same length, so offsets stay true
    control = _CONTROL.search(plain) or _ODD_SPACE.search(plain) or re.search("\r", plain)
    if control is not None:
        return Scan((), Refusal("a control character", control.start(), control.end(), "leave it out"))
    expansion = _EXPANSION.search(plain) or _PAIR.search(plain)
    if expansion is not None:
        reason = "cmd.exe replaces this before it reads the rest"
        hint = "leave variables out; between two percent signs of a format, put a blank"
        return Scan((), Refusal(reason, expansion.start(), expansion.end(), hint))
    for line in plain.strip("\n").replace("%%", "\x01\x01").split("\n"):
        several = line.count("%") > 1
        if several and ("\n" in plain.strip("\n") or not _IN_VALUE.match(line)):
            reason = "what stands between two percent signs may be left out, and quotes with it"
            at = plain.index("%")
            hint = 'write them into the value of one option, on one line: --format="%h %s"'
            return Scan((), Refusal(reason, at, at + 1, hint))
    lexer = _Lexer(plain)
    refusal = None
    try:
        lexer.read()
    except NotUnderstood as error:
        refusal = error.refusal
    commands = list(lexer.commands)
    for command in lexer.commands:
        inner = _inner(command, depth)
        commands += inner.commands
        refusal = refusal or inner.refusal
    return Scan(tuple(commands), refusal)


def _inner(command: SimpleCommand, depth: int) -> Scan:
    """The command inside `cmd /c ...`, `call ...` and `start ...`."""
    words = command.words
    name = words[0].text.casefold().rpartition("\\")[2].removesuffix(".exe") if words else ""
    if name not in {"cmd", "call", "start"} or depth >= MAX_DEPTH:
        return Scan(())
    rest = list(words[1:])
    while rest and rest[0].text.startswith("/"):
        rest.pop(0)
    if not rest:
        return Scan(())
    found = scan(" ".join(word.text for word in rest), depth + 1)
    start, end = rest[0].start, rest[-1].end
    moved = tuple(
        SimpleCommand(
            tuple(Word(w.text, start, end, quoted=True) for w in c.words), (), c.redirections, start, end
        )
        for c in found.commands
    )
    refusal = None if found.refusal is None else Refusal(found.refusal.reason, start, end)
    return Scan(moved, refusal)


def _assignments(words: list[Word], text: str) -> list[Assignment]:
    """What `set` sets. The arithmetic of `/a` may set several names: each that it mentions gets a number."""
    values = [word for word in words if not word.text.startswith("/")]  # not `/a`, `/p`
    if any(word.text.casefold().startswith("/a") for word in words):
        return [
            Assignment(name.upper(), word.with_text("0"), word.start, word.end, exported=True)
            for word in words
            for name in _VARIABLE.findall(word.text.removeprefix("/a").removeprefix("/A"))
        ]
    if not values:
        return []
    # The value goes on to the end, over blanks; quotes around it all are no part of it.
    first, start, end = values[0], values[0].start, values[-1].end
    around = len(values) == 1 and text[start:end] == f'"{first.text}"'
    name = first.text.partition("=")[0].upper()
    return [Assignment(name, None, start + around, end - around, exported=True)]
