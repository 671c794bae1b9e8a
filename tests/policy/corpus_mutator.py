"""A generator that mutates labelled commands: what people and attackers write, one or a few steps away.

Above: `fuzz_sources` offers it to campaigns. The cases come from the corpora of the tests; each keeps its own
policy. A mutation changes characters, tokens or quotes, sends a word through a variable, puts the whole into
another construct, or joins two cases.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fragments import filled, fragments

_HERE = Path(__file__).resolve()
CORPORA = (
    _HERE.with_name("cases.jsonl"),
    *(_HERE.parents[3] / "shared" / "corpus" / name for name in ("policy.jsonl", "policy-2.jsonl")),
)
_MARKS = fragments("marks")
_REQUOTED = fragments("requoted")
_WRAPPED = fragments("wrapped")
_REDIRECTIONS = fragments("redirections")
_WAYS = tuple(item.split("@@") for item in fragments("ways"))
_TOKEN = re.compile(
    r"\s+|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\(\(|\$\(|\$\{|[A-Za-z0-9_./:=@%+,-]+|&&|\|\||<<-?|>>|.", re.DOTALL
)
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+,-]+\Z")


@dataclass(frozen=True)
class Case:
    """A labelled command."""

    command: str
    policy: dict[str, object]


def load(shells: Sequence[str]) -> list[Case]:
    """The cases of all corpora at hand for some shells, those under a fence aside."""
    found: list[Case] = []
    for path in CORPORA:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            case = cast("dict[str, object]", json.loads(line))
            policy = cast("dict[str, object]", case["policy"])
            if case.get("shell", "bash") in shells and "allowed_directories" not in policy:
                found.append(Case(str(case["command"]), policy))
    return found


class Mutator:
    """Mutations of cases from one seed."""

    def __init__(self, seed: int, cases: Sequence[Case]) -> None:
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self.cases = cases
        self.steps: list[tuple[Callable[[str], str], int]] = [
            (self._character, 6),
            (self._token, 6),
            (self._requoted, 6),
            (self._through_variable, 8),
            (self._wrapped, 8),
            (self._continued, 3),
            (self._redirected, 3),
            (self._joined, 4),
        ]

    def next(self) -> tuple[str, dict[str, object]]:
        """A mutated command and the policy of the case it came from."""
        case = self.random.choice(self.cases)
        text = case.command
        steps, weights = zip(*self.steps, strict=True)
        for step in self.random.choices(steps, weights, k=self.random.choice((1, 1, 2, 2, 3))):
            text = step(text)
        return text, case.policy

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _character(self, text: str) -> str:
        at = self.random.randrange(len(text) + 1)
        action = self.random.random()
        if action < 0.25 and text:
            return text[: max(at - 1, 0)] + text[at:]
        if action < 0.85:
            return text[:at] + self._pick(*_MARKS) + text[at:]
        piece = text[at : at + self.random.randrange(1, 12)]
        other = self.random.randrange(len(text) + 1)
        return text[:other] + piece + text[other:]

    def _split(self, text: str) -> tuple[list[str], int]:
        tokens = _TOKEN.findall(text) or [""]
        return tokens, self.random.randrange(len(tokens))

    def _token(self, text: str) -> str:
        tokens, at = self._split(text)
        action = self.random.random()
        if action < 0.2:
            del tokens[at]
        elif action < 0.45:
            tokens.insert(self.random.randrange(len(tokens) + 1), tokens[at])
        elif action < 0.6:
            other = self.random.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif action < 0.8:
            donor, there = self._split(self.random.choice(self.cases).command)
            tokens.insert(at, donor[there])
        else:
            tokens.insert(at, self._pick(*_MARKS))
        return "".join(tokens)

    def _word(self, text: str) -> tuple[list[str], int] | None:
        tokens, _ = self._split(text)
        plain = [at for at, token in enumerate(tokens) if _PLAIN.match(token)]
        return (tokens, self.random.choice(plain)) if plain else None

    def _requoted(self, text: str) -> str:
        found = self._word(text)
        if found is None:
            return self._character(text)
        tokens, at = found
        tokens[at] = filled(self._pick(*_REQUOTED), self._pieces(tokens[at]))
        return "".join(tokens)

    def _pieces(self, word: str) -> dict[str, str]:
        """A word, and what it falls into when it is cut somewhere."""
        cut = self.random.randrange(len(word) + 1)
        tail = word[cut:]
        return {
            "%word%": word,
            "%head%": word[:cut],
            "%tail%": tail,
            "%first%": tail[:1],
            "%others%": tail[1:],
            "%hex%": "".join(f"\\x{ord(char):02x}" for char in word),
        }

    def _through_variable(self, text: str) -> str:
        """A word as the value of a variable, which may get it in many ways."""
        found = self._word(text)
        if found is None:
            return self._character(text)
        tokens, at = found
        values = {**self._pieces(tokens[at]), "%v%": self._pick("v", "x", "_", "REPLY", "a1")}
        before, used = (filled(piece, values) for piece in self.random.choice(_WAYS))
        tokens[at] = f'"{used}"' if self.random.random() < 0.6 else used
        return before + "".join(tokens)

    def _wrapped(self, text: str) -> str:
        """The whole inside another construct."""
        escaped = text.replace("\\", "\\\\")
        values = {
            "%c%": self._pick("ls", "c1", "echo", "cat", ":", "x=", "true"),
            "%backticks%": escaped.replace("`", "\\`"),
            "%single%": text.replace("'", "'\\''"),
            "%double%": re.sub(r'(["$`])', r"\\\1", escaped),
            "%text%": text,
        }
        return filled(self._pick(*_WRAPPED), values)

    def _continued(self, text: str) -> str:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + self._pick("\\\n", "\\\n\\\n", "\\\n ", "\n", "\r\n", "\\\r\n") + text[at:]

    def _redirected(self, text: str) -> str:
        tokens, at = self._split(text)
        redirection = self._pick(*_REDIRECTIONS)
        glue = self._pick("", " ")
        tokens.insert(at, glue + redirection + self._pick("", " "))
        return "".join(tokens)

    def _joined(self, text: str) -> str:
        other = self.random.choice(self.cases).command
        if self.random.random() < 0.5:
            return text + self._pick("; ", " && ", " || ", " | ", "\n", " & ", " ") + other
        return text[: self.random.randrange(len(text) + 1)] + other[self.random.randrange(len(other) + 1) :]
