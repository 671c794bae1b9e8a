"""What a tool is, apart from any protocol library: a name, two schemas, a function, a reply.

Above it: the server, which shows tools to the SDK. Below: `arguments`, which checks what callers send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nacre.model import record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.errors import NacreError
    from nacre.gate import Ask, AskSecret
    from nacre.tools.tasks import Tasks

    Progress = Callable[[float, str], Awaitable[None]]


@record
class Caller:
    """Who calls: how to tell them of progress and how to ask their person, where that can be done."""

    progress: Progress | None = None
    ask: Ask | None = None
    ask_secret: AskSecret | None = None
    tasks: Callable[[], Tasks] | None = None  # where a call may be answered as one of these


@record
class Reply:
    """What a tool call answers."""

    text: str
    structured: dict[str, Any] | None = None
    is_error: bool | None = False  # None: the document's replies do not say
    asides: tuple[str, ...] = ()  # further blocks of text, where the first has to stay pure
    meta: dict[str, Any] | None = None  # what only programs need: no model is shown it
    job: str = ""  # that the call goes on as: where clients know tasks, the answer is one instead


class CallError(Exception):
    """A call that is answered by a JSON-RPC error instead of a result, because its document wants that."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Tool:
    """One entry of tools/list and what happens when it is called.

    `call` gets the checked arguments and the caller. What the caller can fix is an error result that says
    so, or, with `bad_arguments`, a JSON-RPC error of that name.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    call: Callable[[dict[str, Any], Caller], Awaitable[Reply]]
    title: str | None = None  # where it says more than the name
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, bool] = field(
        default_factory=dict[str, bool]
    )  # that are not the protocol's defaults
    bad_arguments: str = ""
    # Sees the arguments before they are checked, where a document has errors of its own: raises CallError.
    precheck: Callable[[dict[str, Any]], None] | None = None
    meta: dict[str, Any] | None = None  # what certain clients look for
    failed: Callable[[dict[str, Any], NacreError], Reply] | None = (
        None  # a failure in the document's own shape
    )
