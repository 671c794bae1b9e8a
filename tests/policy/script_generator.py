r"""A seeded generator of adversarial shell scripts.

Three kinds, mixed: scripts built by a grammar (deep, valid, with every construct the scanner reads), soups of
tokens that matter to a shell (mostly invalid, sometimes surprising), and mutations of grammar scripts (one
character away from valid). Every command name is one of `c0` .. `c9`, which no machine has, a harmless
builtin, or a program whose arguments matter. `RULES` allow all of them but `c9`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from fragments import filled, fragments

_SOUP = fragments("soup")
_PLAIN_WORDS = fragments("plain words")
_QUOTED_WORDS = fragments("quoted words")
_EXPANDED_WORDS = fragments("expanded words")
_HEREDOC_LINES = fragments("heredoc lines")
_BASH_TESTS = fragments("bash tests")
# Ways to give a variable a value, to use it, and to have it evaluated; programs whose arguments matter.
_ASSIGNED = fragments("assigned")
_USED = fragments("used")
_EVALUATED = fragments("evaluated")
_PROGRAMS = fragments("programs")
RULES = fragments("rules")


class Generator:
    """Scripts for one shell from one seed."""

    def __init__(self, seed: int, shell: str = "bash") -> None:
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self.bash = shell in {"bash", "zsh"}

    def script(self) -> str:
        """One script."""
        kind = self.random.random()
        if kind < 0.40:
            return self._list(self.random.choice((1, 2, 2, 3)))
        if kind < 0.60:
            return self._mutated(self._list(2))
        if kind < 0.68:
            return self._soup()
        if kind < 0.78:
            return self._splice()
        return self._values()

    def _values(self) -> str:
        """Values that are set, and used where they may matter."""
        parts = [self._assigned() for _ in range(self.random.choice((0, 1, 1, 2)))]
        parts.append(self._pick(*_EVALUATED) if self._maybe(0.25) else self._program(1))
        return "".join(part + self._pick("; ", "\n", " && ", "; ") for part in parts[:-1]) + parts[-1]

    def _assigned(self) -> str:
        word = self._pick("-exec", "a", "1", "-o", "'a b'", "a[1]", self._used())
        return filled(self._pick(*_ASSIGNED), {"%word%": word})

    def _used(self) -> str:
        return filled(self._pick(*_USED), {"%word%": self._pick("-exec", "a", "1", "$y")})

    def _program(self, depth: int) -> str:
        """A program whose arguments matter; its words are tricks or plain."""
        text = self._pick(*_PROGRAMS)
        while "%word%" in text:
            word = self._used() if self._maybe(0.5) else self._word(depth)
            text = text.replace("%word%", word, 1)
        return text

    def orderly(self) -> str:
        """A script by the grammar alone."""
        return self._list(2)

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    # -- disorder ------------------------------------------------------------------------------------------

    def _mutated(self, script: str) -> str:
        text = list(script)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(text) + 1)
            action = self.random.random()
            if action < 0.4 and text:
                del text[min(at, len(text) - 1)]
            elif action < 0.8:
                text.insert(at, self._pick(*"'\"\\`$(){}[]<>|&;#!=~*?\n \t-", "\\\n", "c1", "E", "\n"))
            elif text:
                text.insert(at, self.random.choice(text))
        return "".join(text)

    def _soup(self) -> str:
        tokens = [self.random.choice(_SOUP) for _ in range(self.random.randrange(2, 14))]
        return self._pick("", " ").join(tokens)

    def _splice(self) -> str:
        """A soup inside a valid script, or glued to one."""
        script = self._list(2)
        at = self.random.randrange(len(script) + 1)
        return script[:at] + self._soup() + script[at:]

    # -- lists ---------------------------------------------------------------------------------------------

    def _list(self, depth: int) -> str:
        parts = [self._and_or(depth)]
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            between = self._pick("; ", " & ", "\n", " ;\n", "\n\n", "; ", " # c9 ' \" ` $( \n")
            parts += [between, self._and_or(depth)]
        if self._maybe(0.2):
            parts.append(self._pick(";", "\n", " &", " # c8", " \\\n"))
        return "".join(parts)

    def _and_or(self, depth: int) -> str:
        text = self._pipeline(depth)
        while self._maybe(0.2):
            text += self._pick(" && ", " || ", " &&\n", "||", "&&", " || \\\n") + self._pipeline(depth)
        return text

    def _pipeline(self, depth: int) -> str:
        text = ("! " if self._maybe(0.1) else "") + self._command(depth)
        while self._maybe(0.15):
            text += self._pick(" | ", "|", " |\n", " | \\\n", " |& " if self.bash else " | ") + self._command(
                depth
            )
        return text

    def _command(self, depth: int) -> str:
        if depth <= 0 or self._maybe(0.65):
            return self._program(depth) if self._maybe(0.15) else self._simple(depth)
        compounds: list[Callable[[int], str]] = [
            *(self._group, self._subshell, self._if, self._loop, self._case, self._function),
        ]
        if self.bash:
            compounds.append(self._test)
        return self.random.choice(compounds)(depth - 1)

    # -- compounds -----------------------------------------------------------------------------------------

    def _group(self, depth: int) -> str:
        return "{ " + self._list(depth) + self._pick("; }", "\n}")

    def _subshell(self, depth: int) -> str:
        inner = self._list(depth)
        return (
            ("( " if inner.startswith("(") else self._pick("(", "( ")) + inner + self._pick(")", " )", "\n)")
        )

    def _if(self, depth: int) -> str:
        text = f"if {self._list(depth)}; then {self._list(depth)}"
        if self._maybe(0.3):
            text += f"\nelif {self._list(0)}\nthen\n{self._list(depth)}"
        if self._maybe(0.5):
            text += f"\nelse {self._list(depth)}"
        return text + self._pick("; fi", "\nfi")

    def _loop(self, depth: int) -> str:
        words = f"for x in {self._word(depth)}"
        head = self._pick("for x in a b", "for x in $(c1) 'b c'", "for x", "while false", "until true", words)
        return head + self._pick("; do ", "\ndo\n") + self._list(depth) + self._pick("; done", "\ndone")

    def _case(self, depth: int) -> str:
        arms = ""
        for _ in range(self.random.randrange(1, 3)):
            pattern = self._pick("a", "*", "b|c", "[ab]", '"x y"', "$(c2)", "a | b", "c1")
            arms += f" {self._pick('', '(')}{pattern}) {self._list(depth)} ;;" + self._pick(" ", "\n")
        return "case " + self._pick("a", '"$x"', "'b c'", "$(c1)") + f" in{arms}esac"

    def _function(self, depth: int) -> str:
        name = self._pick("f", "g", "c1")
        return f"{name}()" + self._pick(" ", "\n") + f"{self._group(depth)}\n{name}"

    def _test(self, depth: int) -> str:
        return self._pick(*_BASH_TESTS, f"[[ -n $({self._list(depth)}) ]]")

    # -- simple commands -----------------------------------------------------------------------------------

    def _name(self) -> str:
        name = f"c{self.random.randrange(9)}"
        if self._maybe(0.85):
            return name
        digit = name[1]
        return self._pick(
            f"'{name}'", f'"{name}"', f"\\{name}", f"c''{digit}", f'c""{digit}', f"c\\{digit}", f"'c'{digit}"
        )

    def _simple(self, depth: int) -> str:
        parts = [self._name()]
        if self._maybe(0.15):
            parts.insert(0, self._pick("x=", "y=1", "x='a b'", "x=$y", "x=" + self._word(depth)))
        parts += [self._word(depth) for _ in range(self.random.choice((0, 1, 1, 2)))]
        if self._maybe(0.15):
            redirection = self._pick(">f", "2>&1", "</dev/null", "> f", "2>/dev/null", ">>f", "<&0", "1>&2")
            parts.insert(self.random.randrange(len(parts) + 1), redirection)
        text = self._pick(" ", "  ", "\t", " \\\n").join(parts)
        return self._heredoc(text, depth) if self._maybe(0.08) else text

    def _heredoc(self, command: str, depth: int) -> str:
        delimiter = self._pick("E", "EOF", "E_1")
        written = delimiter
        if self._maybe(0.5):
            written = self._pick(f"'{delimiter}'", f'"{delimiter}"', f"\\{delimiter}")
        dash = self._pick("", "", "-")
        body = [self._pick(*_HEREDOC_LINES) for _ in range(self.random.randrange(4))]
        if self._maybe(0.3) and depth > 0:
            body.append("a $(" + self._list(0) + ") b")
        end = ("\t" if dash and self._maybe(0.7) else "") + delimiter
        after = self._pick("", " | c1", "; c2", " && c3", " &")
        lines = "".join(line + "\n" for line in body)
        return f"{command} <<{dash}{written}{after}\n{lines}{end}\n{self._simple(0)}"

    def _word(self, depth: int) -> str:
        return "".join(self._piece(depth) for _ in range(self.random.choice((1, 1, 1, 2))))

    def _piece(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.35:
            return self._pick(*_PLAIN_WORDS)
        if kind < 0.6:
            return self._pick(*_QUOTED_WORDS)
        if kind < 0.8 or depth <= 0:
            return self._pick(*_EXPANDED_WORDS)
        return self._nested(depth - 1)

    def _nested(self, depth: int) -> str:
        inner = self._list(depth)
        opened = "$( " if inner.startswith("(") else "$("
        choices = [
            *(
                f"{opened}{inner})",
                f'"{opened}{inner} )"',
                f"${{x:-{opened}{inner})}}",
                f'"${{x:-{opened}{inner})}}"',
            ),
            *(self._backticks(inner, quoted=False), '"' + self._backticks(inner, quoted=True) + '"'),
        ]
        if self.bash:
            choices += [
                f"<({inner})",
                f"$(( 1 + {opened}{inner}) ))",
                f"$'a\\'b'{opened}{inner})",
                f'$"{opened}{inner})"',
            ]
        return self._pick(*choices)

    def _backticks(self, inner: str, *, quoted: bool) -> str:
        escaped = inner.replace("\\", "\\\\").replace("`", "\\`")
        if self._maybe(0.5):
            escaped = escaped.replace("$", "\\$")
        if quoted:
            escaped = escaped.replace('"', '\\"')
        return f"`{escaped}`"
