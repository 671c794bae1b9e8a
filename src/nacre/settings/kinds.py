"""The kinds of values that settings have: what each is called, and how it is read from TOML or from a flag.

Above it: `table`, which names a kind for every setting. It knows no setting. A reader takes a TOML
value and raises ValueError whose text completes the sentence "the setting must be …".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_TIMEOUT_S, MOST_TIMEOUT_S = 1, 1800  # specification 004
_UNITS = {
    "": 1,
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KIB": 1024,
    "MIB": 1024**2,
    "GIB": 1024**3,
}
# A command of the list is a tool of that name.
_COMMAND_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
_RESERVED_NAMES = ("restart", "list_commands")  # tools besides the commands


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value."""

    name: str  # for the documentation
    read: Callable[[Any], Any]
    metavar: str = "VALUE"
    from_text: Callable[[str], Any] = str  # from the text after a flag to a TOML value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a text that is not empty")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("a list of texts")  # noqa: TRY004  # all readers raise the same error
    return tuple(_text(item) for item in cast("list[Any]", value))


def _seconds(value: Any) -> int:
    if type(value) is not int or not LEAST_TIMEOUT_S <= value <= MOST_TIMEOUT_S:
        raise ValueError(f"a whole number of seconds from {LEAST_TIMEOUT_S} to {MOST_TIMEOUT_S}")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError("a whole number, 1 or more")
    return value


def _count_or_never(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("a whole number, 0 for never")
    return value


def _size_bytes(value: Any) -> int:
    found = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", str(value)) if type(value) in (int, str) else None
    if found is None or found[2].upper() not in _UNITS or int(found[1]) == 0:
        raise ValueError('a size such as "10MB"')
    return int(found[1]) * _UNITS[found[2].upper()]


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004  # as above
    return value


def _when(value: Any) -> str:
    if value not in ("auto", "always", "never"):
        raise ValueError("auto, always or never")
    return str(value)


def _data(value: Any) -> str:
    if value not in ("lean", "full", "none"):
        raise ValueError("lean, full or none")
    return str(value)


def _given(value: Any) -> str:
    if value not in ("rules", "all"):
        raise ValueError("rules or all")
    return str(value)


def _inherit(value: Any) -> str:
    if value not in ("login", "all", "core", "none"):
        raise ValueError("login, all, core or none")
    return str(value)


def _variables(value: Any) -> dict[str, str]:
    """Names and values that an environment can contain."""
    wanted = 'a table of texts such as {LANG = "C.UTF-8"}'
    if not isinstance(value, dict):
        raise ValueError(wanted)  # noqa: TRY004  # as above
    given = cast("dict[str, Any]", value)
    for name, text in given.items():
        if not name or set(name) & {"=", "\0"} or not isinstance(text, str) or "\0" in text:
            raise ValueError(wanted)
    return dict(given)


def _sandbox(value: Any) -> str:
    if value not in ("off", "workspace", "read-only", "strict"):
        raise ValueError("off, workspace, read-only or strict")
    return str(value)


def _network(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return _texts(cast("list[Any]", value))
    if value not in ("on", "off"):
        raise ValueError("on, off or a list of hosts")
    return str(value)


def _network_text(text: str) -> str | list[str]:
    return text if text in {"on", "off"} else comma_list(text)


def command_lists(dialects: list[str]) -> Kind:
    """One list for every shell, or a table with a list for each dialect."""

    def read(value: Any) -> dict[str, tuple[str, ...]]:
        if not isinstance(value, dict):
            return {"": _command_names(value)}
        lists = cast("dict[str, Any]", value)
        if unknown := set(lists) - set(dialects):
            raise ValueError(f"a list, or a table of lists for {', '.join(dialects)} ({unknown})")
        return {dialect: _command_names(names) for dialect, names in lists.items()}

    shown = " and ".join(f"`{name}`" for name in dialects)
    return Kind(f"list of names, or a table of lists for {shown}", read, from_text=_list_or_table)


def _command_names(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    for name in names:
        if not _COMMAND_NAME.fullmatch(name) or name in _RESERVED_NAMES:
            raise ValueError(
                f"a list of commands by their plain names, without {' and '.join(_RESERVED_NAMES)} ({name!r})"
            )
    return tuple(dict.fromkeys(names))


def _program_table(value: Any) -> dict[str, tuple[str, ...]]:
    """Programs and their first arguments (specification 003), as the person spells them."""
    wanted = 'a table such as {npm = ["install", "test"], cat = []}, each program once, whatever its capitals'
    if not isinstance(value, dict):
        raise ValueError(wanted)  # noqa: TRY004  # as above
    programs = {str(name): _first_arguments(first) for name, first in cast("dict[Any, Any]", value).items()}
    if len({name.lower() for name in programs}) < len(programs) or not all(programs):
        raise ValueError(wanted)
    return programs


def _first_arguments(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise ValueError("a table of lists of texts")
    return tuple(cast("list[str]", value))


def _number(text: str) -> Any:
    """A whole number as in TOML; other text is returned unchanged, and is refused later."""
    return int(text) if text.isascii() and text.isdecimal() else text


def comma_list(text: str) -> list[str]:
    """The items of a list with commas."""
    return [item.strip() for item in text.split(",") if item.strip()]


def _list_or_table(text: str) -> Any:
    """A list with commas, or a table as TOML writes it: `{cmd = ["dir"]}`."""
    return _table_text(text) if text.lstrip().startswith("{") else comma_list(text)


def _table_text(text: str) -> Any:
    """A table as in TOML; other text is returned unchanged, and is refused later."""
    import tomllib  # noqa: PLC0415  # loaded only if there is such a variable

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


NAME = Kind("name", _text, "NAME")
PATH = Kind("path", _text, "PATH")
FILE = Kind("path", _text, "FILE")
TEXTS = Kind("list of texts", _texts, "LIST", comma_list)
SECONDS = Kind(f"seconds, {LEAST_TIMEOUT_S} to {MOST_TIMEOUT_S}", _seconds, "SECONDS", _number)
COUNT = Kind("number, 1 or more", _count, "N", _number)
IDLE_SECONDS = Kind("seconds, 0 for never", _count_or_never, "SECONDS", _number)
SIZE = Kind("size", _size_bytes, "SIZE")
YES_OR_NO = Kind("true or false", _yes_or_no)
WHEN = Kind("auto, always or never", _when, "WHEN")
DATA = Kind("lean, full or none", _data, "HOW")
GIVEN = Kind("rules or all", _given)
INHERIT = Kind("login, all, core or none", _inherit)
VARIABLES = Kind("table: variable = text", _variables, from_text=_table_text)
SANDBOX = Kind("level", _sandbox, "LEVEL")
NETWORK = Kind("on, off or list of hosts", _network, from_text=_network_text)
PROGRAM_TABLE = Kind("table: program = list of first arguments", _program_table)
