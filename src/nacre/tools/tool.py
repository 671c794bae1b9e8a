"""What a tool is, apart from any protocol library: a name, two schemas, a function, a reply.

Above it: the server, which shows tools to the SDK. Below: `arguments`, which checks what callers send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from nacre.model import record
from nacre.tools.arguments import Checker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.errors import NacreError
    from nacre.gate import Ask, AskSecret
    from nacre.tools.tasks import Tasks

    Progress = Callable[[float, str], Awaitable[None]]

quote: Callable[[str], str] = encode_basestring  # a text as JSON


class Written(dict[str, Any]):
    """An object whose JSON is known already, so that nobody has to encode it. It is not changed any more."""

    __slots__ = ("json",)
    json: str


@record
class Caller:
    """The caller: how to send progress and how to ask the person, where possible."""

    progress: Progress | None = None
    ask: Ask | None = None
    ask_secret: AskSecret | None = None
    tasks: Callable[[], Tasks] | None = None  # where a call may be answered by a task


SILENT = Caller()  # it can be sent nothing but the answer


@record
class Reply:
    """The answer to a tool call."""

    text: str
    structured: dict[str, Any] | None = None
    is_error: bool | None = False  # None: not sent
    asides: tuple[str, ...] = ()  # further blocks of text, where the first has to stay pure
    meta: dict[str, Any] | None = None  # what only programs need; not shown to the model
    job: str = ""  # the job that the call continues as; a client that knows tasks gets a task instead


class CallError(Exception):
    """A JSON-RPC error instead of a result, where the specification wants that."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Tool:
    """One entry of tools/list and what happens when it is called.

    `call` gets the checked arguments and the caller. An error that the caller can fix becomes an error result
    or, with `bad_arguments`, a JSON-RPC error of that name.
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
    # Checks the raw arguments first, where a specification has errors of its own: raises CallError.
    precheck: Callable[[dict[str, Any]], None] | None = None
    meta: dict[str, Any] | None = None  # what certain clients look for
    failed: Callable[[dict[str, Any], NacreError], Reply] | None = (
        None  # a failure in the specification's own shape
    )
    check: Callable[[dict[str, Any]], dict[str, Any]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare what every call needs."""
        object.__setattr__(self, "check", Checker(self.input_schema).check)
