"""The check of redirections: writing a file needs permission, and the network is never a file.

Above: `check`. Below: `findings`, and `boundaries` for the directories that may be used.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from nacre.policy.effects import PathUse, is_free_target, is_fresh
from nacre.policy.model import LOOKED_AT, UNKNOWN
from nacre.policy.paths import is_file_of_a_descriptor
from nacre.policy.patterns import ON_ANOTHER_MACHINE, regex

if TYPE_CHECKING:
    from nacre.policy.boundaries import Boundaries
    from nacre.policy.findings import TextFindings
    from nacre.policy.model import Redirection, Word
    from nacre.policy.values import Context

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_NETWORK = regex(r"/+dev/+(?:tcp|udp)(?:/|\Z)")
_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")
_CONNECTIONS_BELOW = (*_CONNECTIONS, "/tcp/", "/udp/")
# On many systems sh is one of the others.
_CONNECTING_SHELLS = frozenset({"bash", "ksh", "ksh93", "sh"})
_OUTPUTS = frozenset({"1", "2", "-"})
_DESCRIPTOR = regex(r"[0-9]+-?\Z|-\Z")


class RedirectionCheck:
    """Checks the redirections of the commands of one text."""

    def __init__(self, findings: TextFindings, context: Context, boundaries: Boundaries) -> None:
        self.findings = findings
        self._context = context
        self._boundaries = boundaries

    def check(self, redirection: Redirection) -> None:
        """Writes need permission, and the network is never a file."""
        target = redirection.target
        if target is None or redirection.operator == "<<<":
            return
        if self.findings.windows and self._is_elsewhere(target):
            reason, hint = "it connects to another machine", "name a file of this machine"
            span = (redirection.start, redirection.end)
            self.findings.add("deny", "network", reason, span, hint=hint)
            return
        if redirection.operator == LOOKED_AT:
            self._boundaries.check([PathUse(target, "read")])
            return
        span = (redirection.start, redirection.end)
        if _NETWORK.match(target.text):
            self.findings.add(
                "deny", "network", "the shell opens a network connection for this file name", span
            )
            return
        if self._may_connect(target) and (self.findings.policy.mode == "allowlist" or self._names_network):
            reason = "this file name could open a network connection"
            hint = 'write ./ before the name: < ./"$file"'
            self.findings.add(self.findings.whole.when_unknown, "network", reason, span, hint=hint)
            return
        if reads_output(redirection):
            reason, hint = "what is written to this output would change the file", "leave it out"
            self.findings.add(self.findings.whole.when_unknown, "not resolvable", reason, span, hint=hint)
        duplicates = redirection.operator in {">&", "<&"} and bool(_DESCRIPTOR.match(target.text))
        if duplicates or self._is_free(target, written=redirection.operator in _WRITES):
            return
        if redirection.operator in _WRITES:
            self.findings.add_write(f"`{redirection.operator}` writes a file", span)
        if redirection.operator != "<&":
            access = "write" if redirection.operator in _WRITES else "read"
            self._boundaries.check([PathUse(target, access)])

    def _is_elsewhere(self, target: Word) -> bool:
        r"""`< \\host\x`: without an allowlist that is a file like others."""
        named = ON_ANOTHER_MACHINE.search(target.text) is not None
        return named and self.findings.policy.mode == "allowlist"

    def _is_free(self, target: Word, *, written: bool) -> bool:
        """A device that is no file; an output is none as long as it is what the text was given."""
        if (
            written
            and self.findings.whole.outputs_moved
            and is_file_of_a_descriptor(target.text, outputs=True)
        ):
            return False
        return is_free_target(target, self.findings.shell, written=written) and target.text != "-"

    @cached_property
    def _names_network(self) -> bool:
        """Whether such a name occurs anywhere in the text; searched once."""
        return _NETWORK.search(self.findings.text) is not None

    def _may_connect(self, target: Word) -> bool:
        """A name that is not proven and could become /dev/tcp/..., which some shells open as a connection."""
        if target.literal or self.findings.shell not in _CONNECTING_SHELLS or target.file_pattern is not None:
            return False
        if any(expansion.kind == "process" for expansion in target.expansions):
            return False
        if is_fresh(target) and target.text == UNKNOWN:
            return False
        # Where no such file could be made, there is nothing before the rest.
        inside = is_fresh(target) or _is_in_directory(target)
        known = target.text.removeprefix(UNKNOWN).partition(UNKNOWN)[0] if inside else target.prefix
        prefix = re.sub("/+", "/", known)
        names = _CONNECTIONS_BELOW if inside else _CONNECTIONS
        return any(name.startswith(prefix) or prefix.startswith(name) for name in names)


def _is_in_directory(target: Word) -> bool:
    """`"$PWD/log"`: below a directory that is there, which /dev/tcp is not, but /dev."""
    own = any(
        piece.kind == "variable" and piece.name == "PWD" and piece.shape == "operand"
        for piece in target.expansions[:1]
    )
    return own and target.text.startswith(f"{UNKNOWN}/") and not target.several


def reads_output(redirection: Redirection) -> bool:
    """`1< file`, `2<&3`: an output that is a file to be read."""
    if redirection.descriptor not in {"1", "2"} or redirection.target is None:
        return False
    other = redirection.operator == "<&" and redirection.target.text not in _OUTPUTS
    return other or redirection.operator == "<"


def moves_output(redirection: Redirection) -> bool:
    """`>&3`, `2>&0`: an output becomes what was opened under another number."""
    if redirection.operator != ">&" or redirection.target is None:
        return False
    return redirection.descriptor in {"", "1", "2"} and redirection.target.text not in _OUTPUTS
