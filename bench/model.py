"""The records of the benchmark: who is measured, what a call came to, how a probe ended.

Everything here is plain data; nothing starts a process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["floor", "nacre", "peer"]
Arguments = Mapping[str, Any]
Samples = dict[str, list[float]]  # figure -> what one block measured, in seconds or bytes

ECHO = "echo hi"


class Failed(Exception):  # noqa: N818  # what happened to a server, not a fault of the benchmark
    """A server did not do what a workload asked; the text says what."""


class Gone(Failed):
    """The server closed its streams."""


@dataclass(frozen=True)
class Step:
    """A request that a server wants before its first command."""

    method: str
    params: Arguments
    capture: Mapping[str, str] = field(default_factory=dict[str, str])  # name -> pattern, found in the reply


@dataclass(frozen=True)
class ShortTimeout:
    """How to ask a server for a timeout of one second."""

    arguments: Arguments = field(default_factory=dict[str, Any])
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Server:
    """One participant: a server over stdio, or a floor that runs inside the benchmark.

    `{command}`, `{directory}` and what a step has captured are filled in wherever texts hold them.
    """

    name: str
    kind: Kind
    title: str
    version: str = ""
    argv: Sequence[str] = ()  # empty: a floor inside the benchmark
    tool: str = ""
    arguments: Arguments = field(default_factory=dict[str, Any])
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])  # under the server's own home
    text: str = ""  # the key of the output, where the text of a reply is JSON
    setup: Sequence[Step] = ()
    timeout: ShortTimeout | None = None
    runs_commands: bool = True  # False: answers without running anything
    workloads: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reply:
    """What a call came to."""

    seconds: float
    text: str
    is_error: bool = False
    failure: str = ""  # "no answer", "gone", "refused"; empty: a result

    def says(self, *words: str) -> bool:
        """Whether it is a plain result that has these words."""
        return not self.failure and not self.is_error and all(word in self.text for word in words)


@dataclass(frozen=True)
class Outcome:
    """How a probe of behaviour ended."""

    says: str
    good: bool
