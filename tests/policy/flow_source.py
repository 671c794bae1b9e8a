"""Scripts in which values flow: through branches, loops, functions and subshells, to where they matter.

Above: `fuzz_sources` runs them in campaigns. `FlowSource` writes programs as people and agents do, statement
by statement, and asks again and again whether a value is still what the policy believes it to be: after `||`,
in a pipe, behind `break`, in a function that was never called. `ExportSource` gives a variable a value in
every way that a shell knows, and then runs a program that prints it, if it was exported.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from claims import Miss
from fragments import filled, fragments
from oracle_driver import SECRET
from script_generator import RULES
from shell_oracle import Observation

from nacre.policy import Policy

_FLOW = Policy.from_lists(RULES, allow_writes=False)
_NAMES = ("x", "y", "f", "n")
_SESSION = 0.15


class FlowSource:
    """Programs of a dozen statements."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"flow/{seed}")  # noqa: S311 - reproducible, not secret
        self.large = shell in {"bash", "zsh", "mksh", "ksh"}
        self.functions = 0

    def next(self) -> tuple[list[str], Policy]:
        """One program; sometimes as the commands of one session."""
        self.functions = 0
        parts = [self._statement(2) for _ in range(self.random.randrange(2, 6))] + [self._use()]
        if self.random.random() < _SESSION:
            at = self.random.randrange(1, len(parts))
            return ["\n".join(parts[:at]), "\n".join(parts[at:])], _FLOW
        return [self._pick("\n", "; ", "\n").join(parts)], _FLOW

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _piece(self, section: str) -> str:
        """A piece of a section; a large shell knows more of them."""
        large = fragments(f"{section} of large shells") if self.large else ()
        return filled(self._pick(*fragments(section), *large), {"%name%": self._pick(*_NAMES)})

    def _value(self) -> str:
        if self.random.random() < 0.4:
            return self._pick(*fragments("flow values"))
        return self._piece("flow expansions")

    def _use(self) -> str:
        name = self._pick(*_NAMES)
        forms = (f"${name}", f"${name}", f"${{{name}}}", f"${{{name}:-a}}", f"${{{name}#-}}", f"./${name}")
        return filled(self._pick(*fragments("flow uses")), {"%v%": self._pick(*forms)})

    def _assignment(self) -> str:
        return filled(self._piece("flow assignments"), {"%value%": self._value()})

    def _statement(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.45:
            return self._pick(self._assignment(), self._assignment(), self._use(), "c1", "true", "false")
        makers: Sequence[Callable[[int], str]] = (
            *(self._choice, self._if, self._loop, self._group, self._pipe, self._case),
            *(self._function, self._control),
        )
        return self.random.choice(makers)(depth - 1)

    def _body(self, depth: int) -> str:
        return "; ".join(self._statement(depth) for _ in range(self.random.choice((1, 1, 2))))

    def _choice(self, depth: int) -> str:
        return f"{self._statement(depth)} {self._pick('&&', '||')} {self._statement(depth)}"

    def _if(self, depth: int) -> str:
        test = self._pick("c1", "true", "false", self._statement(0), '[ -n "$x" ]')
        other = f"; else {self._body(depth)}" if self.random.random() < 0.4 else ""
        return f"if {test}; then {self._body(depth)}{other}; fi"

    def _loop(self, depth: int) -> str:
        loops = fragments("flow loops")
        head = filled(self._pick(*loops), {"%name%": self._pick(*_NAMES), "%value%": self._value()})
        end = self._pick("; break", "; break", "", "; continue")
        tail = self._pick("", " < f", " < /dev/null", " <<< a" if self.large else "")
        return f"{head}; do {self._body(depth)}{end}; done{tail}"

    def _group(self, depth: int) -> str:
        body = self._body(depth)
        return self._pick(f"({body})", f"{{ {body}; }}", f"{{ {body}; }} &", f"{{ {body}; }} | cat")

    def _pipe(self, depth: int) -> str:
        return f"{self._statement(depth)} | {self._statement(depth)}"

    def _case(self, depth: int) -> str:
        other = f" *) {self._body(depth)};;" if self.random.random() < 0.5 else ""
        return f"case {self._value()} in a|-*) {self._body(depth)};;{other} esac"

    def _function(self, depth: int) -> str:
        self.functions += 1
        name = f"g{self.functions}"
        local = self._pick("", "local x=-o; ", "local y; ") if self.large else ""
        call = self._pick("", f"; {name}", f"; {name} -exec", f"; {name} a || {name} -o", f"; $({name})")
        return f"{name}() {{ {local}{self._body(depth)}; }}{call}"

    def _control(self, depth: int) -> str:
        return f"{self._pick(*fragments('flow controls'))}; {self._statement(depth)}"


# -- exported or not -----------------------------------------------------------------------------------------

# The driver looks for a secret, which only this program can put together.
_HEAD, _TAIL = SECRET.split("-")
_PRINT = f'awk \'BEGIN {{print "{_HEAD}-" tolower(ENVIRON["ZQ"])}}\''
_BUILTINS = ["export", "declare", "typeset", "local", "readonly", "read", "printf", "set", "unset", "mapfile"]
_EXPORT = Policy.from_lists([*_BUILTINS, "awk", "env", "nice", "bash", "sh"])


class ExportSource:
    """Ways to give a variable a value, ways to export it, and a program that would print it."""

    def __init__(self, seed: int, shell: str) -> None:
        del shell
        self.random = random.Random(f"export/{seed}")  # noqa: S311 - reproducible, not secret

    def next(self) -> tuple[list[str], Policy]:
        """A few statements; sometimes as several commands of one session."""
        parts = [self._part() for _ in range(self.random.randrange(1, 5))]
        parts.append(_PRINT)
        if self.random.random() < 0.5:
            return parts, _EXPORT
        return [self.random.choice(("; ", "\n", " && ")).join(parts)], _EXPORT

    def _part(self) -> str:
        if self.random.random() < 0.4:
            return self.random.choice(fragments("exported"))
        return filled(self.random.choice(fragments("given")), {"%secret%": _TAIL.upper(), "%print%": _PRINT})


def exported(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """A program has seen the value."""
    del texts, policy, shell
    return [Miss("exported", "a program saw the variable")] if "secret" in seen.notes else []
