"""The check of redirections: writing a file needs permission, and the network is never a file.

Above: `check`. Below: `findings`, and `boundaries` for the directories that may be used.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from nacre.policy.effects import PathUse, is_free_target, is_fresh
from nacre.policy.model import LOOKED_AT, UNKNOWN
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from nacre.policy.boundaries import Boundaries
    from nacre.policy.findings import TextFindings
    from nacre.policy.model import Redirection, Word
    from nacre.policy.values import Context

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_NETWORK = regex(r"/+dev/+(?:tcp|udp)(?:/|\Z)")
_CONNECTING_SHELLS = frozenset({"bash", "ksh", "ksh93"})
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
        if redirection.operator == LOOKED_AT:
            self._boundaries.check([PathUse(target, "read")])
            return
        texts = self._context.candidates(target) or [target.text]
        span = (redirection.start, redirection.end)
        if any(_NETWORK.match(text) for text in texts):
            self.findings.add(
                "deny", "network", "the shell opens a network connection for this file name", span
            )
            return
        if self._may_connect(target) and (self.findings.policy.mode == "allowlist" or self._names_network):
            reason = "this file name could open a network connection"
            hint = 'write ./ before the name: < ./"$file"'
            self.findings.add(self.findings.whole.when_unknown, "network", reason, span, hint=hint)
            return
        duplicates = redirection.operator in {">&", "<&"} and all(_DESCRIPTOR.match(text) for text in texts)
        if duplicates or (is_free_target(target, self.findings.shell) and target.text != "-"):
            return
        if redirection.operator in _WRITES:
            self.findings.add_write(f"`{redirection.operator}` writes a file", span)
        if redirection.operator != "<&":
            access = "write" if redirection.operator in _WRITES else "read"
            self._boundaries.check([PathUse(target, access)])

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
        known = target.text.removeprefix(UNKNOWN) if is_fresh(target) else target.prefix
        prefix = re.sub("/+", "/", known)
        return any(name.startswith(prefix) or prefix.startswith(name) for name in ("/dev/tcp/", "/dev/udp/"))
