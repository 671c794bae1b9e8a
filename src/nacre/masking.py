"""Find secrets in bytes on their way out, as they are and as common tools encode them. Pure.

Above it: `output`, which every byte passes that leaves. It knows values, not where they come from.

A secret is found as it stands, percent-encoded, escaped for JSON or a shell (also in part), as base64 at each
of its three alignments, in both alphabets and wrapped, and as hexadecimal digits. Its bytes become asterisks,
one for one: offsets, sizes and line ends stay true. Who wants to carry a secret out on purpose can encode it
otherwise; what must not be read at all is kept away by not giving it.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Unit = tuple[bytes, ...]  # the ways to write one character
    Form = Sequence[Unit]

LINE_BYTES = 16  # a line of a longer secret that is hidden by itself, too
_JSON = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
_WRAPS = (b"", b"\n", b"\r\n", b"\\n")
_BETWEEN_DIGITS = (b"", b" ", b":", b"\n", b"\\x", b"%")
_BASE64_ALSO = {b"+": (b"-", b"%2B", b"%2b"), b"/": (b"_", b"%2F", b"%2f", b"\\/")}
_NOT_LINE_END = re.compile(rb"[^\n]")


class Mask:
    """Some secrets, and every form of them that is looked for."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        self._forms = [form for secret in secrets for part in _parts(secret) for form in _forms(part)]
        self._reversed = [[tuple(way[::-1] for way in unit) for unit in form[::-1]] for form in self._forms]
        self._pattern = re.compile(b"|".join(map(_regex, self._forms)), re.DOTALL)
        self.longest_bytes = max(sum(max(map(len, unit)) for unit in form) for form in self._forms)

    def finds(self, data: bytes) -> bool:
        """Whether a secret is in there."""
        return self._pattern.search(data) is not None

    def hide(self, data: bytes, *, cut_before: bool = False, cut_after: bool = False) -> bytes:
        """The same with asterisks in the place of secrets; also of parts of them at an end that is a cut."""
        hidden = self._pattern.sub(_asterisks, data)
        if cut_after and (start := self.waits_from(data)) < len(data):
            hidden = hidden[:start] + _starred(hidden[start:])
        if cut_before and (end := self._cut_end(data)):
            hidden = _starred(hidden[:end]) + hidden[end:]
        return hidden

    def waits_from(self, data: bytes) -> int:
        """Where the beginning of a secret stands whose rest may follow; the end, where there is none."""
        after = max((found.end() for found in self._pattern.finditer(data)), default=0)
        return _partial_from(data, after, self._forms, self.longest_bytes)

    def _cut_end(self, data: bytes) -> int:
        """Up to where the end of a secret stands whose beginning may have been before."""
        before = next((found.start() for found in self._pattern.finditer(data)), len(data))
        mirrored = data[: min(before, self.longest_bytes)][::-1]
        return len(mirrored) - _partial_from(mirrored, 0, self._reversed, self.longest_bytes)


class MaskedFile:
    """A file for reading that shows no secret, wherever a part of it begins or ends."""

    def __init__(self, file: BinaryIO, mask: Mask) -> None:
        self._file = file
        self._mask = mask

    def seek(self, offset: int) -> int:
        """Go to an offset."""
        return self._file.seek(offset)

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._file.fileno()

    def read(self, limit_bytes: int) -> bytes:
        """What follows, up to a limit: hidden as it would be in the whole file."""
        start = self._file.tell()
        before = min(start, self._mask.longest_bytes)
        self._file.seek(start - before)
        data = self._file.read(before + limit_bytes + self._mask.longest_bytes)
        part = self._mask.hide(data)[before : before + limit_bytes]
        self._file.seek(start + len(part))
        return part


def masked_file(file: BinaryIO, mask: Mask) -> BinaryIO:
    """The file behind a mask; of a file's methods it has those that readers of pages use."""
    return cast("BinaryIO", MaskedFile(file, mask))


def _starred(data: bytes) -> bytes:
    return _NOT_LINE_END.sub(b"*", data)


def _asterisks(found: re.Match[bytes]) -> bytes:
    return _starred(found[0])


# -- the forms of a secret


def _parts(secret: bytes) -> Iterator[bytes]:
    """The whole, and long lines of it: tools indent and number lines."""
    yield secret
    lines = secret.splitlines()
    if len(lines) > 1:
        yield from (line for line in map(bytes.strip, lines) if len(line) >= LINE_BYTES)


def _forms(secret: bytes) -> Iterator[Form]:
    yield [_ways(character) for character in _characters(secret)]
    for before in range(3):
        yield list(_spaced([_base64_ways(digit) for digit in _base64_core(secret, before)], _WRAPS))
    digits = [secret[at : at + 1].hex().encode() for at in range(len(secret))]
    yield list(
        _spaced(
            [(pair, pair.upper()) if pair != pair.upper() else (pair,) for pair in digits], _BETWEEN_DIGITS
        )
    )


def _characters(secret: bytes) -> list[bytes]:
    try:
        return [character.encode() for character in secret.decode()]
    except UnicodeDecodeError:
        return [secret[at : at + 1] for at in range(len(secret))]


def _ways(raw: bytes) -> Unit:
    """How one character is written: as it is, behind a backslash, percent-encoded, escaped for JSON."""
    percent = b"".join(b"%%%02X" % byte for byte in raw)
    ways = [raw, percent, percent.lower()]
    character = raw.decode("utf-8", "surrogateescape")
    if len(raw) == 1 and not character.isalnum():
        ways.append(b"\\" + raw)
    if raw == b" ":
        ways.append(b"+")
    if character in _JSON:
        ways.append(_JSON[character].encode())
    if not 0xDC80 <= ord(character) <= 0xDCFF:  # noqa: PLR2004  # a byte that is no character
        units = character.encode("utf-16-be")
        escaped = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
        ways += [
            "".join(f"\\u{unit}" for unit in escaped).encode(),
            "".join(f"\\u{unit.upper()}" for unit in escaped).encode(),
        ]
    return tuple(dict.fromkeys(ways))


def _base64_core(secret: bytes, before: int) -> list[bytes]:
    """The digits that stand for the secret alone, whatever stands around it, behind so many bytes."""
    encoded = base64.b64encode(bytes(before) + secret + bytes(-(before + len(secret)) % 3))
    core = encoded[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
    return [core[at : at + 1] for at in range(len(core))]


def _base64_ways(digit: bytes) -> Unit:
    return (digit, *_BASE64_ALSO.get(digit, ()))


def _spaced(units: list[Unit], between: Unit) -> Iterator[Unit]:
    for number, unit in enumerate(units):
        if number:
            yield between
        yield unit


def _regex(form: Form) -> bytes:
    return b"".join(_regex_of(unit) for unit in form)


def _regex_of(unit: Unit) -> bytes:
    ways = [re.escape(way) for way in sorted(unit, key=len, reverse=True)]
    return ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")"


# -- parts of a secret at the end of data


def _partial_from(data: bytes, start: int, forms: Sequence[Form], longest_bytes: int) -> int:
    """The first place from which on all that is left is the beginning of a form; the end, if none is."""
    for at in range(max(start, len(data) - longest_bytes), len(data)):
        if any(_begins(data, at, form) for form in forms):
            return at
    return len(data)


def _begins(data: bytes, at: int, form: Form) -> bool:
    """Whether the data ends inside of a form that begins there."""
    reached = {at}
    for unit in form:
        following: set[int] = set()
        for place in reached:
            rest = data[place:]
            for way in unit:
                if data.startswith(way, place):
                    following.add(place + len(way))
                elif len(rest) < len(way) and way.startswith(rest):
                    return True
        if not following:
            return False
        reached = following
    return False
