"""Calling a tool for a client: arguments are checked, failures reported, the result is ready to be sent.

Above it: the fast path and the SDK's side, which both end here. Below: the tools. It knows no message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from nacre.errors import NacreError, RequestError
from nacre.protocol.results import NeedsAnswer, call_result, named_error
from nacre.stderr import log
from nacre.tools.tool import CallError, Reply

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from nacre.tools.tool import Caller, Tool


class Tracer(Protocol):
    """Records calls."""

    async def traced(
        self, tool: str, answering: Coroutine[Any, Any, dict[str, Any]], meta: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Let a call be answered, and note how long that took; its `_meta` may say what it is a part of."""
        ...


tracer: Tracer | None = None  # set if the person wants spans


async def answer(
    tool: Tool, arguments: dict[str, Any], caller: Caller, meta: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Call a tool; what the caller can fix, or the policy forbids, is an error result that says so.

    With the `meta` of the call there is a span, if the person wants them. CallError: a JSON-RPC error.
    """
    if tracer is not None and meta is not None:
        return await tracer.traced(tool.name, answer(tool, arguments, caller), meta)
    try:
        if tool.precheck is not None:
            tool.precheck(arguments)
        reply = await tool.call(tool.check(arguments), caller)
    except (NeedsAnswer, CallError):
        raise
    except NacreError as error:
        if tool.bad_arguments and isinstance(error, RequestError):
            raise named_error(tool.bad_arguments, str(error)) from None
        reply = Reply(str(error), is_error=True) if tool.failed is None else tool.failed(arguments, error)
    except Exception:  # noqa: BLE001  # the SDK would send the exception's own text, which may hold secrets
        log.exception("the tool %s failed; please report this", tool.name)
        reply = Reply(
            f"nacre failed inside {tool.name}; its log has the details. The command may have run.",
            is_error=True,
        )
    if reply.job and caller.tasks is not None:
        return {"resultType": "task", **caller.tasks().state(reply.job)}
    return call_result(reply)
