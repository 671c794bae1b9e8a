"""The surface: everything that one client is shown, collected before the connection is served.

Above it: the server. Below: `tool`. It changes only through `offer_tools`, which calls its listeners, so that
the client can be notified.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.errors import NacreError
    from nacre.tools.resources import Resources
    from nacre.tools.tasks import Tasks
    from nacre.tools.tool import Caller, Reply, Tool

Method = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One entry of prompts/list, without arguments; its text is made on request."""

    name: str
    title: str
    description: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Deviations:
    """Where a preset's specification departs from MCP; mostly nowhere."""

    announcement: dict[str, Any] | None = None  # a message that is sent before anything is read
    # JSON-RPC methods outside MCP, which need no handshake; they raise CallError.
    methods: Mapping[str, Method] = field(default_factory=dict[str, Method])
    arguments_key: str | None = None  # another name for the arguments of a call, besides MCP's own
    takes_bare_lines: bool = False  # whether a line without `jsonrpc` is a request
    unknown_tool: str = ""  # the name of its error for an unknown tool
    bad_call: str = ""  # the same for a call without a tool's name, or with arguments that are not an object


@dataclass
class Surface:
    """Everything that a client is shown."""

    name: str
    version: str
    instructions: str
    has_data: bool = True  # whether replies have structured content, and tools an output schema
    tools: dict[str, Tool] = field(default_factory=dict[str, "Tool"])
    prompts: dict[str, Prompt] = field(default_factory=dict[str, Prompt])
    deviations: Deviations = field(default_factory=Deviations)
    tools_change: bool = False  # whether clients are notified of changes
    is_fixed: bool = False  # whether the handshake of its specification cannot announce changes
    # Coroutines that run as long as the client is connected.
    background_tasks: list[Callable[[], Awaitable[None]]] = field(
        default_factory=list[Callable[[], Awaitable[None]]]
    )
    starts_at_root: bool = True  # whether commands should start at the client's first root
    listeners: list[Callable[[], Awaitable[None]]] = field(
        default_factory=list[Callable[[], Awaitable[None]]]
    )  # called when the tools have changed

    resources: Callable[[], Resources] | None = None  # loads the resources
    tasks: Callable[[], Tasks] | None = None  # loads the tasks
    resource_listeners: list[Callable[[], None]] = field(
        default_factory=list[Callable[[], None]]
    )  # called when there are others

    def add(self, *tools: Tool) -> None:
        """Show more tools."""
        shown = tools if self.has_data else map(text_only, tools)
        self.tools.update((tool.name, tool) for tool in shown)

    def tell_resources_changed(self) -> None:
        """Notify the client of an added or removed resource."""
        for listener in self.resource_listeners:
            listener()

    async def offer_tools(self, tools: list[Tool]) -> None:
        """Replace the tools with these, in this order, and notify the client."""
        self.tools.clear()
        self.add(*tools)
        for listener in self.listeners:
            await listener()


def text_only(tool: Tool) -> Tool:
    """The same tool, with replies of text only."""

    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        return replace(await tool.call(arguments, caller), structured=None)

    describe_failure = tool.failed
    if describe_failure is None:
        return replace(tool, call=call, output_schema=None)

    def failed(arguments: dict[str, Any], error: NacreError) -> Reply:
        return replace(describe_failure(arguments, error), structured=None)

    return replace(tool, call=call, output_schema=None, failed=failed)
