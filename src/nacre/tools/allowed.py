"""The tool `allowed`: what may run here, so that an agent need not find out by being refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.policy import Policy
    from nacre.service import Service
    from nacre.tools.tool import Caller


def allowed_tool(service: Service) -> Tool:
    """The tool as this server offers it. Only a server with rules has it."""

    async def call(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        shown = describe(service.config.policy) if service.config.policy else {}
        why = service.place.open_execution
        wide = (f"Files that can be executed are not limited to a list: {why}.",) if why else ()
        if service.settings_note:
            shown["settings"] = [service.settings_note]
        shown["sandbox"] = [service.held_by or "off", *wide, *service.place.warnings]
        return Reply("\n".join(f"{name}: {_words(value)}" for name, value in shown.items()), shown)

    return Tool(
        name="allowed",
        description="The rules for commands here: what is allowed, asked about and denied.",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        annotations={"readOnlyHint": True, "openWorldHint": False},
        call=call,
    )


def describe(policy: Policy) -> dict[str, Any]:
    """The rules as data, in the words of the configuration."""
    shown: dict[str, Any] = {
        "allow": [rule.text for rule in policy.allows] or ["everything that is not denied"],
        "ask": [rule.text for rule in policy.asks],
        "deny": [rule.text for rule in policy.denies],
        "deny_patterns": [rule.pattern.pattern for rule in policy.text_rules if rule.decision == "deny"],
        "ask_patterns": [rule.pattern.pattern for rule in policy.text_rules if rule.decision == "ask"],
        "allow_writes": policy.allow_writes,
        "allowed_directories": list(policy.allowed_directories),
    }
    return {name: value for name, value in shown.items() if value not in ([], ())}


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value)
