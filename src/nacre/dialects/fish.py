"""fish: it reads all of its input before it runs anything, so it runs a loop that reads records. Pure."""

from __future__ import annotations

import re

from nacre.dialects.dialect import Dialect, Ending, TurnRequest, WithChannel
from nacre.keeper.wire import SCRIPT_MARK

CONTROL = 3
# One record: marker, stdin, stdout, stderr, the code of the command before, each on a line, then the command,
# up to a NUL. Words of fish's own are called as builtins: functions of those names are the person's.
# The code is proven by a pipe: where none can be made (`ulimit -n 5`), no record can be taken apart.
# `for` catches a stray `break`. What fish itself has to say (syntax errors) goes to its own stderr,
# which the keeper attributes to the current turn.
LOOP = r"""
function __nacre_status
  return $argv[1]
end
while builtin read --null --local __nacre
  builtin set --local __nacre (builtin string split --max 5 \n -- $__nacre)
  for __nacre_once in 1
    __nacre_status $__nacre[5]
    builtin eval $__nacre[6] <$__nacre[2] >$__nacre[3] 2>$__nacre[4] 3>&-
  end
  builtin set --local __nacre_code $status (builtin echo proven)
  builtin printf '%s %s %s %s\n' $__nacre[1] "$__nacre_code" $PWD $__nacre[1] >&3
end"""


class FishShell(WithChannel):
    """fish, kept alive."""

    control = CONTROL
    adds_output = False
    silent = (1,)
    interrupts = ()  # without a terminal it would end; and when its child is ended, it runs the next command

    @property
    def environment(self) -> dict[str, str]:
        """The same as for its commands."""
        return {}

    def init(self, ready: str) -> str:  # noqa: ARG002  # it shows no prompt of ours
        """Nothing."""
        return ""

    def argv(self, name: str) -> list[str]:
        """Its command line."""
        return [name, "--no-config", "--private", "-c", LOOP]

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """One record."""
        record = [
            request.marker,
            request.input,
            request.out,
            request.err,
            str(request.last_code),
            _before(request) + request.text,
        ]
        return "\n".join(record) + "\0", {}

    def report(self, request: TurnRequest) -> str:  # noqa: ARG002  # the loop reports by itself
        """Empty: the report cannot get lost."""
        return ""

    def read(self, record: str) -> Ending | None:
        """As it was reported, if fish could make a pipe."""
        code, proven, directory = (*record.split(" ", 2), "", "")[:3]
        return Ending(int(code), directory) if proven == "proven" and code.isdecimal() else None

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # nothing is different
        """Nothing."""
        return ""

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:  # noqa: ARG002  # nothing to take away
        """fish adds nothing."""
        return data


def quote(text: str) -> str:
    """A text as one word."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _before(request: TurnRequest) -> str:
    before = "".join(
        f"set --global --export {name} {quote(value)}; " for name, value in request.environment.items()
    )
    if request.directory is not None:
        before += f"builtin cd {quote(request.directory)}; or return 1; "
    return before


PERSISTENT = FishShell()
DIALECT = Dialect(
    name="fish",
    programs=("fish",),
    examples=("fish",),
    flags=("-c",),
    source=f"source '{SCRIPT_MARK}'",
    persistent=lambda _: PERSISTENT,
    login_flags=("-l", "-i", "-c"),
    missing=(re.compile(r"Unknown command: '?(?P<name>[^\s']+)'?", re.MULTILINE),),
    language="fish",
)
