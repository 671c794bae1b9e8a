"""Scripts in which something comes between a value and its use: any builtin with any options, anywhere.

Above: `fuzz_sources` runs them in campaigns. The victim is plain: a variable is given a value that the text
proves, and is used where another value would show (arguments, options, numbers, names of commands and of
files). What interferes is not: a builtin of any shell, with letters of options that are drawn one by one and
put together as shells take them, and with operands of every sort (names, values, numbers, signals, texts,
subscripts), behind a prefix, in a pipe, a function, a loop, a substitution, or an earlier command of the
session. Letters and operands that are always refused are drawn seldom.
"""

from __future__ import annotations

import random

from claims import accepted
from crossing_source import Learned, own_sections
from fragments import filled, fragments
from script_generator import RULES

from nacre.policy import Policy

_LETTERS = tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIKLMNOPRSTUWXZ")
_ALL_SHELLS = ("bash", "zsh", "dash", "mksh", "ksh")
_BUILTINS = tuple(
    dict.fromkeys(entry.split()[0] for shell in _ALL_SHELLS for entry in own_sections("builtins", shell))
)
_POLICY = Policy.from_mapping(
    {
        "allow": [*RULES, *_BUILTINS, "g1 *", "g9 *"],
        "allow_writes": False,
        "allowed_variables": ["x", "y", "n"],
    }
)
_NAMES = ("x", "x", "x", "x", "y", "n")
_TRIES = 20


class InterferenceSource:
    """Victims and what interferes, for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"interference/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        self.builtins = own_sections("builtins", shell)
        self.operands = own_sections("interfering operands", shell)
        self.places = own_sections("interfering places", shell)
        self.given = own_sections("victims given", shell)
        self.used = own_sections("victims used", shell)

    def next(self) -> tuple[list[str], Policy]:
        """An accepted session, or the last of some that were not."""
        texts: list[str] = []
        for _ in range(_TRIES):
            texts = self._session()
            taken = accepted(texts, _POLICY, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return texts, _POLICY

    def _session(self) -> list[str]:
        # Without a victim's value, what a builtin seems to assign is the only one.
        given = self._pieces(self.given, (0, 1, 1, 2))
        used = self._pieces(self.used, (1, 2, 2, 3))
        between = [self._interference() for _ in range(self.random.choice((1, 1, 1, 2)))]
        parts = [*given, *between, *used]
        if self.random.random() < 0.25:  # in a loop, what comes behind the use comes before the next one
            body = "\n".join([*used, *between])
            parts = [*given, f"for k in 1 2; do\n{body}\ndone"]
        elif self.random.random() < 0.2:
            parts = [*between, *given, *used]
        if self.random.random() < 0.25 and len(parts) > 1:
            at = self.random.randrange(1, len(parts))
            return ["\n".join(parts[:at]), "\n".join(parts[at:])]
        return [self.random.choice(("\n", "; ", "\n")).join(parts)]

    def _pieces(self, section: tuple[str, ...], numbers: tuple[int, ...]) -> list[str]:
        number = self.random.choice(numbers)
        return [self._named(self.learned.pick(section)) for _ in range(number)]

    def _named(self, text: str) -> str:
        return filled(text, {"%name%": self.random.choice(_NAMES)})

    def _interference(self) -> str:
        """A builtin in its place."""
        place = self._named(self.learned.pick(self.places))
        return place.replace("%builtin%", self._builtin()).replace("%other%", self._builtin())

    def _builtin(self) -> str:
        name, _, letters = self.learned.pick(self.builtins).partition(" ")
        words = [name, *(self._options(name, letters) for _ in range(self.random.choice((0, 0, 1, 1, 1, 2))))]
        words += [self._operand() for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3)))]
        if self.random.random() < 0.25:
            prefixes = own_sections("interfering prefixes", self.shell)
            words[:0] = [self.learned.pick(prefixes) for _ in range(self.random.choice((1, 1, 2, 3)))]
        return " ".join(words)

    def _operand(self) -> str:
        if self.random.random() < 0.2:
            return self.random.choice(fragments("meaningful names"))
        return filled(
            self._named(self.learned.pick(self.operands)),
            {"%meaningful%": self.random.choice(fragments("meaningful names"))},
        )

    def _options(self, name: str, own: str) -> str:
        """Letters behind one sign, mostly those that the builtin has; a name may be glued to the last one."""
        letters = own if own and self.random.random() < 0.85 else _LETTERS
        known = [f"{name} -{letter}" for letter in letters]
        drawn = "".join(self.learned.pick(known)[-1] for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))))
        glued = self._operand() if self.random.random() < 0.1 else ""
        return self.random.choice("----+") + drawn + glued
