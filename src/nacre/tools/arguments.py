"""Check a caller's arguments against a tool's input schema, and say clearly what is wrong. Pure.

It knows the part of JSON Schema that our tools use: object, string, integer, number, boolean, array,
required, minLength, minimum, maximum, enum, additionalProperties. Nothing is converted: "1" is not 1. Many
clients send null for arguments that they do not set: for an optional argument, null means absent.
"""

from __future__ import annotations

from typing import Any

from nacre.errors import RequestError

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


_SAYS_LITTLE = {"type", "description", "default", "minLength"}  # of a value that has the right type


class Checker:
    """Checks the arguments of one tool; ordinary ones by a look at their types."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._required = frozenset[str](schema.get("required", ()))
        self._plain: dict[str, type] = {
            name: _TYPES[wanted["type"]][0]
            for name, wanted in schema.get("properties", {}).items()
            if _is_plain(wanted)
        }

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The given arguments; raises a RequestError that names the first one that is wrong."""
        for name, value in arguments.items():
            if not value or value.__class__ is not self._plain.get(name):
                return check(arguments, self._schema)
        return arguments if arguments.keys() >= self._required else check(arguments, self._schema)


def _is_plain(schema: dict[str, Any]) -> bool:
    """Whether everything of its type is allowed, unless it is empty."""
    return (
        schema.keys() <= _SAYS_LITTLE and schema.get("minLength", 0) <= 1 and len(_TYPES[schema["type"]]) == 1
    )


def check(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The given arguments; raises a RequestError that names the first one that is wrong."""
    known: dict[str, Any] = schema["properties"]
    required: list[str] = schema.get("required", [])
    for name in required:
        if name not in arguments:
            raise RequestError(f"Missing argument: {name}.", hint=_takes(known))
    for name, value in arguments.items():
        if name not in known:
            raise RequestError(f"Unknown argument: {name}.", hint=_takes(known))
        if value is not None or name in required:
            _check_value(name, value, known[name])
    if None not in arguments.values():
        return arguments
    return {name: value for name, value in arguments.items() if value is not None}


def _takes(known: dict[str, Any]) -> str:
    return f"This tool takes: {', '.join(known)}."


def _check_value(name: str, value: Any, schema: dict[str, Any]) -> None:
    wanted = schema["type"]
    if type(value) not in _TYPES[wanted]:  # exactly: to Python, True is an integer
        raise RequestError(f"{name} must be {_article(wanted)}, not {_kind(value)}.")
    if "enum" in schema and value not in schema["enum"]:
        raise RequestError(f"{name} must be one of: {', '.join(schema['enum'])}.")
    if wanted == "string" and len(value) < schema.get("minLength", 0):
        raise RequestError(f"{name} must not be empty.")
    if "minimum" in schema and value < schema["minimum"]:
        raise RequestError(f"{name} must be at least {schema['minimum']}, not {value}.")
    if "maximum" in schema and value > schema["maximum"]:
        raise RequestError(f"{name} must be at most {schema['maximum']}, not {value}.")
    if wanted == "object" and "additionalProperties" in schema:
        for key, item in value.items():
            _check_value(f"{name}.{key}", item, schema["additionalProperties"])
    if wanted == "array" and "items" in schema:
        for index, item in enumerate(value):
            _check_value(f"{name}[{index}]", item, schema["items"])


def _article(wanted: str) -> str:
    return f"an {wanted}" if wanted[0] in "aeiou" else f"a {wanted}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    name = next((n for n, types in _TYPES.items() if type(value) in types), type(value).__name__)
    return _article(name)
