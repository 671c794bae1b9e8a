"""Regular expressions that are compiled when they are first used.

Above: the scanners and readers, which have more than a hundred of them. Below: nothing. Compiling them all
took half of the time of a server's first verdict, and a command such as `ls` uses a dozen. After its first
use a pattern is as fast as a compiled one: its methods are the compiled one's methods.
"""

from __future__ import annotations

import re
from typing import cast

_METHODS = ("match", "fullmatch", "search", "split", "sub", "findall", "finditer")


class _LazyPattern:
    """Stands in for a compiled pattern; the first use compiles it."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(self, name)


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for matching texts, not yet compiled."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


# A word that can stand in a rule as it is.
PLAIN_TOKEN = regex(r"[A-Za-z0-9_./:=@+,-]+\Z")

# To Windows a file on another machine: `\\host\x`, `//host/x`, also behind an option or in a list. An address
# (`https://x`) is none, and neither is a drive (`C:\\x`).
ON_ANOTHER_MACHINE = regex(
    r"(?:^|[=,;|'\"(\[{@\s]|^-[A-Za-z]+|(?<![A-Za-z0-9+.]):|(?:^|[^A-Za-z])[-/][A-Za-z]+:|::|\bfile:"
    r"|[A-Za-z0-9]{2}:(?=\\))[\\/]{2}[^\\/\s]|^[\\/]\?\?[\\/]",
    re.IGNORECASE | re.MULTILINE,
)

# To a program that asks Windows for its arguments in an old encoding these come as quotes and slashes, and at
# the beginning as dashes.
BECOMES_PLAIN = regex(
    "^[\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d]|[\u02ba\u030e\u201c-\u201f\u2033\u2036\u3003\uff02]"
    "|[\u00a5\u20a9\u2044\u2215\u2216\u2571\u29f5\u29f8\ufe68\uff0f\uff3c\uffe5\uffe6]"
)

# A class of characters in a pattern, and what follows it there: read as anything, which is never less.
IN_BRACKETS = regex(r"\[[^/]*")
_PARENT = regex(r"\.(?:\*+|\**[.?]\**)\Z")


def may_be_parent(segment: str) -> bool:
    """Whether a part of a pattern may match `..`, as `.*`, `.?` and `.[^a]` do in most shells."""
    return _PARENT.match(IN_BRACKETS.sub("*", segment)) is not None
