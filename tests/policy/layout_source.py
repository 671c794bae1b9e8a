r"""Scripts whose layout is odd: the same commands with every break, blank, comment and quote that fits there.

Above: `fuzz_sources` runs them in campaigns. A script is made as tokens, with places between them where a
shell takes a blank, a line's end, a joined line or a comment; which one stands there is drawn for each place.
Words are spelled in pieces with other quotes, letters that are not ASCII, and escapes; here-documents nest,
several begin on one line, and their ends look alike. Patterns of `case` and numbers before redirections are
written next to what they could be taken for.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from script_generator import RULES

from nacre.policy import Policy

_POLICY = Policy.from_lists(RULES, allow_writes=False)
_BLANKS = (" ", " ", " ", "  ", "\t", " \\\n", "\\\n ", " \\\n\t", "\\\n")
_BREAKS = ("\n", "\n", "\n\n", " \n", "\n\t", " # c9 '\n", '\n# " ` $( c9\n', " \\\n\n", "\n \\\n")
_ENDS = (";", ";", " ;", "; ", "\n", "\n", " ;\n", ";\n", "\n\n", " # c9\n", "; # c9 ( ' \n", " &", "&\n")
_WORDS = (
    "a",
    "-x",
    "--y=z",
    "c9",
    "in",
    "do",
    "done",
    "esac",
    "fi",
    "then",
    "}",
    "{",
    "a=b",
    "2",
    "1",
    "if",
    "é",
    "-",
    "#",
    "!",
)
_TARGETS = ("/dev/null", "f", "&1", "&2", "&-")
_PATTERNS = (
    *(
        "a",
        "*",
        "a*",
        "[ab]",
        "[!a]",
        "a|b",
        '"a b"',
        "'c9)'",
        "esac",
        "in",
        "@(a|b)",
        "!(a)",
        "+([0-9])",
        "?(a)c9",
    ),
    *(
        "*(a|b)|c",
        "[[:alpha:]]",
        "a\\)",
        "(a)",
        "<1-3>",
        "a ) c9",
        "$x",
        '"$x"',
        "$(c1)",
        "a\\\n",
        "~",
        "{a,b}",
        "-exec",
    ),
)
_DELIMITERS = ("E", "EOF", "E1", "F")
_LINES = (
    *(
        "a",
        "c9",
        "E ",
        " E",
        "EE",
        "E)",
        "it's",
        'a "b',
        "$x",
        "$(c1)",
        "`c2`",
        "\\$(c9)",
        "a\\",
        "\\",
        "#",
        "$((1+1))",
    ),
    *(
        "${x:-a}",
        "${x:-'c9'}",
        '${x:-"c9"}',
        "$'a'",
        '$"a"',
        "\t",
        "\tE",
        "$(c1 'a)b')",
        "${x#\\}}",
        "é",
        "EOF",
        "F",
        "~",
    ),
)


class LayoutSource:
    """Scripts for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"layout/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.large = shell in {"bash", "zsh", "ksh", "mksh"}
        # How often an odd layout is drawn: most scripts have one oddity, a few have many.
        self.odd = 0.1
        # Bodies of here-documents that wait for the end of their line.
        self.bodies: list[str] = []

    def next(self) -> tuple[list[str], Policy]:
        """One script; sometimes two of one session."""
        self.odd = self.random.choice((0.04, 0.1, 0.1, 0.3))
        self.bodies = []
        make = self._fish if self.shell == "fish" else self._list
        texts = [make(self.random.choice((1, 2, 2))) for _ in range(self.random.choice((1, 1, 1, 1, 2)))]
        return [text + self._lines_end("") for text in texts], _POLICY

    # -- layout --------------------------------------------------------------------------------------------

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def _odd(self) -> bool:
        return self.random.random() < self.odd

    def _blank(self) -> str:
        return self._pick(*_BLANKS) if self._odd() else " "

    def _no_blank(self) -> str:
        """A place where none is needed."""
        return self._blank() if self._odd() else self._pick("", " ")

    def _lines_end(self, text: str) -> str:
        """A line's end, behind which the here-documents of the line stand."""
        bodies, self.bodies = self.bodies, []
        if not bodies:
            return text
        head, _, rest = text.partition("\n")
        return head + "\n" + "".join(bodies) + rest

    def _break(self) -> str:
        return self._lines_end(self._pick(*_BREAKS) if self._odd() else "\n")

    def _end(self) -> str:
        """The end of a command that another one follows."""
        if self.bodies:
            return self._break()
        return self._pick(*_ENDS) if self._odd() else self._pick("; ", "\n")

    # -- words ---------------------------------------------------------------------------------------------

    def _spelled(self, word: str) -> str:
        """The same word in other quotes."""
        if not self._odd():
            return word
        pieces: list[str] = []
        for letter in word:
            odd = [f"'{letter}'", f'"{letter}"', f"\\{letter}", f"''{letter}", f'{letter}""', f"\\\n{letter}"]
            if self.large:
                odd += [f"$'{letter}'", f"$'\\x{ord(letter):02x}'", f"$'\\{ord(letter):03o}'", f'$"{letter}"']
            pieces.append(self._pick(*odd) if self._odd() or self._maybe(0.3) else letter)
        return "".join(pieces)

    def _word(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.5 or depth <= 0:
            return (
                self._spelled(self._pick(*_WORDS))
                if self._maybe(0.7)
                else self._pick("'a b'", '"a b"', "''", '""')
            )
        if kind < 0.75:
            return self._pick(
                "$x", '"$x"', "${x}", '"${x:-a}"', "${x#a}", '"${x%%b}"', "$?", "$#", '"$@"', "$1", "$((1+1))"
            )
        return self._substitution(depth - 1)

    def _substitution(self, depth: int) -> str:
        outer, self.bodies = self.bodies, []
        inner = self._list(depth) + self._no_blank()
        inner += self._break() if self.bodies else ""
        self.bodies = outer
        opened = "( " if inner.startswith("(") else "("
        forms = [f"${opened}{inner})", f'"${opened}{inner})"', f"`{inner}`", f'"a${opened}{inner})b"']
        if self.large:
            forms += [f"<{opened}{inner})", f"$(({self._no_blank()}1 + ${opened}{inner})))"]
        return self._pick(*forms[:2], *forms)

    # -- commands ------------------------------------------------------------------------------------------

    def _list(self, depth: int) -> str:
        text = self._and_or(depth)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            text += self._end() + self._and_or(depth)
        return text

    def _and_or(self, depth: int) -> str:
        text = self._pipeline(depth)
        while self._maybe(0.2):
            after = self._break() if self._odd() else self._no_blank()
            text += self._no_blank() + self._pick("&&", "||") + after + self._pipeline(depth)
        return text

    def _pipeline(self, depth: int) -> str:
        text = ("!" + self._blank() if self._maybe(0.07) else "") + self._command(depth)
        while self._maybe(0.15):
            operator = self._pick("|", "|", "|", "|&" if self.large else "|")
            after = self._break() if self._odd() else self._no_blank()
            text += self._no_blank() + operator + after + self._command(depth)
        return text

    def _command(self, depth: int) -> str:
        if depth <= 0 or self._maybe(0.6):
            return self._simple(depth)
        makers: list[Callable[[int], str]] = [
            self._group,
            self._if,
            self._loop,
            self._case,
            self._case,
            self._function,
        ]
        text = self.random.choice(makers)(depth - 1)
        return text + (self._no_blank() + self._redirection(depth) if self._maybe(0.2) else "")

    def _simple(self, depth: int) -> str:
        parts = [self._spelled(f"c{self.random.randrange(9)}")]
        if self._maybe(0.1):
            parts.insert(0, f"x={self._word(0)}")
        parts += [self._word(depth) for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
        text = parts[0]
        for part in parts[1:]:
            text += self._blank() + part
        if self._maybe(0.25):
            redirection = self._redirection(depth)
            text = (
                redirection + self._blank() + text
                if self._maybe(0.2)
                else text + self._no_blank() + redirection
            )
        return text

    def _redirection(self, depth: int) -> str:
        if self._maybe(0.4):
            return self._heredoc(depth)
        number = (
            self._pick("", "", "2", "1", "3")
            if self._maybe(0.7)
            else self._pick("12", "\\2", "'2'", "{v}", "2 ")
        )
        operator = self._pick("<", ">", ">>", ">|", "<>", "&>", ">&", "<<<" if self.large else "<")
        target = self._pick(*_TARGETS)
        return number + operator + (self._no_blank() if target[0] != "&" else "") + target

    def _heredoc(self, depth: int) -> str:
        delimiter = self._pick(*_DELIMITERS)
        written = delimiter
        if self._maybe(0.5):
            written = self._pick(
                f"'{delimiter}'", f'"{delimiter}"', f"\\{delimiter}", f"{delimiter[0]}''{delimiter[1:]}"
            )
        dash = self._pick("", "", "-")
        outer, self.bodies = self.bodies, []
        lines = [self._pick(*_LINES) for _ in range(self.random.randrange(4))]
        if self._maybe(0.2) and depth > 0:
            lines.insert(
                self.random.randrange(len(lines) + 1), f"a $({self._list(depth - 1)}{self._lines_end('')}) b"
            )
        self.bodies = outer
        end = ("\t" if dash and self._maybe(0.5) else "") + delimiter
        self.bodies.append("".join(line + "\n" for line in lines) + end + "\n")
        return f"<<{dash}{self._no_blank() if not dash else ''}{written}"

    # -- compounds -----------------------------------------------------------------------------------------

    def _inside(self, depth: int) -> str:
        """Commands and the end before a reserved word."""
        text = self._list(depth)
        return text + (
            self._break() if self.bodies or self._maybe(0.5) else self._no_blank() + ";" + self._no_blank()
        )

    def _gap(self) -> str:
        """Behind a reserved word."""
        return self._break() if self._maybe(0.3) else self._blank()

    def _group(self, depth: int) -> str:
        if self._maybe(0.5):
            return "{" + self._gap() + self._inside(depth) + "}"
        inner = self._list(depth)
        inner += self._break() if self.bodies else self._no_blank()
        return "(" + (" " if inner.startswith("(") else self._no_blank()) + inner + ")"

    def _if(self, depth: int) -> str:
        text = "if" + self._gap() + self._inside(0) + "then" + self._gap() + self._inside(depth)
        if self._maybe(0.4):
            text += self._pick(
                "else" + self._gap(), "elif" + self._gap() + self._inside(0) + "then" + self._gap()
            ) + self._inside(depth)
        return text + "fi"

    def _loop(self, depth: int) -> str:
        head = self._pick(
            f"for{self._blank()}x{self._blank()}in{self._blank()}{self._word(0)}{self._blank()}{self._word(0)}",
            f"for{self._blank()}x",
            f"while{self._gap()}{self._simple(0)}",
            f"until{self._gap()}true",
            *(
                [f"for{self._no_blank()}(({self._no_blank()}i=0;i<2;{self._no_blank()}i++))"]
                if self.large
                else []
            ),
        )
        end = self._break() if self.bodies else self._pick(";", "\n", " ;") + self._no_blank()
        return head + end + "do" + self._gap() + self._inside(depth) + "done"

    def _case(self, depth: int) -> str:
        text = f"case{self._blank()}{self._word(0)}{self._blank()}in{self._gap()}"
        for _ in range(self.random.randrange(1, 4)):
            pattern = self._pick(*_PATTERNS)
            body = self._list(depth) if self._maybe(0.85) else ""
            body += self._break() if self.bodies else self._no_blank()
            closing = self._pick(
                ";;", ";;", ";;", ";&" if self.large else ";;", ";;&" if self.shell == "bash" else ";;"
            )
            text += (
                self._pick("", "", "(") + self._no_blank() + pattern + self._no_blank() + ")" + self._gap()
            )
            text += body + closing + self._gap()
        return text + "esac"

    def _function(self, depth: int) -> str:
        name = self._pick("f", "g", "c1")
        head = self._pick(
            f"{name}{self._no_blank()}({self._no_blank()})",
            f"{name}()",
            f"function {name}" if self.large else f"{name}()",
        )
        return (
            head
            + self._gap()
            + "{"
            + self._gap()
            + self._inside(depth)
            + "}"
            + self._end()
            + name
            + self._blank()
            + self._word(0)
        )

    # -- fish ----------------------------------------------------------------------------------------------

    def _fish(self, depth: int) -> str:
        return self._end().join(self._fish_command(depth) for _ in range(self.random.choice((1, 2, 3))))

    def _fish_command(self, depth: int) -> str:
        simple = self._blank().join(
            [
                self._fish_spelled(f"c{self.random.randrange(9)}"),
                *(self._fish_word(depth) for _ in range(self.random.choice((0, 1, 2)))),
            ]
        )
        if depth <= 0 or self._maybe(0.6):
            return simple + self._pick(
                "", "", "", " >/dev/null", " 2>&1", " </dev/null", " &", " | c2", " &| c2", " >? f", " ^f"
            )
        inner = self._fish(depth - 1)
        end = self._pick("; end", "\nend")
        return self._pick(
            *(
                f"begin{self._gap()}{inner}{end}",
                f"if {simple}{self._end()}{inner}{end}",
                f"not {inner}",
                f"{simple}; and {inner}",
            ),
            *(
                f"for x in {self._fish_word(0)}{self._end()}{inner}{end}",
                f"while false{self._end()}{inner}{end}",
                f"{simple} && {inner}",
            ),
            *(
                f"switch {self._fish_word(0)}\ncase {self._fish_word(0)}\n{inner}{end}",
                f"{{ {inner} }}",
                f"! {inner}",
                f"{simple} || {inner}",
            ),
        )

    def _fish_spelled(self, word: str) -> str:
        if not self._odd():
            return word
        return "".join(
            self._pick(
                f"'{letter}'",
                f'"{letter}"',
                f"\\x{ord(letter):02x}",
                f"\\u{ord(letter):04x}",
                f"\\{ord(letter):o}",
                letter,
                f"\\\n{letter}",
            )
            for letter in word
        )

    def _fish_word(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.5 or depth <= 0:
            return (
                self._fish_spelled(self._pick(*_WORDS[:16]))
                if self._maybe(0.7)
                else self._pick("'a b'", '"a b"', "''", "a\\ b", "'\\''", '"\\$x"')
            )
        if kind < 0.8:
            return self._pick(
                "$x",
                '"$x"',
                "$x[1]",
                "{a,b}",
                "*",
                "~",
                "a*",
                "$$x",
                "?",
                "{$x,a}",
                "(c1)[1]",
                '"$(c1)"',
                "$status",
                "%self",
                "a^b",
                "#",
                "a#b",
            )
        inner = self._fish(depth - 1)
        return self._pick(f"({inner})", f"$({inner})", f'"$({inner})"', f"(({inner}))", f"a({inner})b")
