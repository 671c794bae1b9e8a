"""The surface: all that one client is shown, gathered before the conversation begins.

Above it: the server, which puts it on the wire. Below: `tool`. It changes only by `offer_tools`, and then
whoever listens is told, so that a client can be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.errors import NacreError
    from nacre.tools.tool import Caller, Reply, Tool

Method = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One entry of prompts/list, without arguments; its text is made when it is asked for."""

    name: str
    title: str
    description: str
    text: Callable[[], str]


@dataclass
class Surface:
    """What a client sees."""

    name: str
    version: str
    instructions: str
    has_data: bool = True  # whether replies have data beside their text, and tools a schema for it
    tools: dict[str, Tool] = field(default_factory=dict[str, "Tool"])
    prompts: dict[str, Prompt] = field(default_factory=dict[str, Prompt])
    # JSON-RPC methods outside MCP, which need no handshake; they raise CallError.
    methods: dict[str, Method] = field(default_factory=dict[str, Method])
    announcement: dict[str, Any] | None = None  # said before anything is read
    unknown_tool: str = ""  # the name that a document gives this error
    bad_call: str = ""  # and this one: a call without a tool's name, or whose arguments are no object
    takes_bare_lines: bool = False  # whether a line without `jsonrpc` is a request
    arguments_key: str | None = None  # what a document calls a call's arguments, beside MCP's own word
    tools_change: bool = False  # whether clients are promised news of changes
    # Runs beside the conversation, from its beginning to its end.
    beside: list[Callable[[], Awaitable[None]]] = field(default_factory=list[Callable[[], Awaitable[None]]])
    starts_at_root: bool = True  # whether commands should start at the client's first root
    listeners: list[Callable[[], Awaitable[None]]] = field(
        default_factory=list[Callable[[], Awaitable[None]]]
    )  # told when the tools have changed

    def add(self, *tools: Tool) -> None:
        """Show more tools."""
        shown = tools if self.has_data else map(text_only, tools)
        self.tools.update((tool.name, tool) for tool in shown)

    async def offer_tools(self, tools: list[Tool]) -> None:
        """Show these tools from now on, in this order, and let the client know."""
        self.tools.clear()
        self.add(*tools)
        for listener in self.listeners:
            await listener()


def text_only(tool: Tool) -> Tool:
    """The same tool, whose replies are text alone."""

    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        return replace(await tool.call(arguments, caller), structured=None)

    told = tool.failed
    if told is None:
        return replace(tool, call=call, output_schema=None)

    def failed(arguments: dict[str, Any], error: NacreError) -> Reply:
        return replace(told(arguments, error), structured=None)

    return replace(tool, call=call, output_schema=None, failed=failed)
