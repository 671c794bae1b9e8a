"""Keys by name, as a terminal sends them. Pure.

Above it: `control`. Names are words of one string: `esc`, `enter`, `ctrl-c`, `alt-x`, `up`, `f1`.
"""

from __future__ import annotations

from nacre.errors import RequestError

_PLAIN = {
    "enter": "\r",
    "tab": "\t",
    "esc": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "insert": "\x1b[2~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "shift-tab": "\x1b[Z",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
}
_FUNCTION = {
    f"f{number}": f"\x1b[{code}~"
    for number, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)
}
_CURSOR = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_NAMED = {**_PLAIN, **_FUNCTION}
_CONTROL = 0x1F


def bytes_of(names: str, *, application_cursor: bool = False) -> bytes:
    """The bytes of some keys. RequestError names an unknown one."""
    return "".join(_key(name, application_cursor=application_cursor) for name in names.split()).encode()


def _key(name: str, *, application_cursor: bool) -> str:
    known = name.lower()
    if known in _NAMED:
        return _NAMED[known]
    if known in _CURSOR:
        return ("\x1bO" if application_cursor else "\x1b[") + _CURSOR[known]
    modifier, _, rest = known.partition("-")
    if modifier == "ctrl" and len(rest) == 1 and ("a" <= rest <= "z" or rest in "[\\]^_@"):
        return chr(ord(rest.upper()) & _CONTROL)
    if modifier == "alt" and len(name) > len("alt-"):
        rest = name[len("alt-") :]
        return "\x1b" + (rest if len(rest) == 1 else _key(rest, application_cursor=application_cursor))
    if len(name) == 1:
        return name
    raise RequestError(
        f"There is no key {name!r}.",
        hint=f"There are: single characters, ctrl-x, alt-x, {', '.join([*_NAMED, *_CURSOR])}.",
    )
