"""Arrays with keys, of bash: `declare -A ports=([web]=80); echo "${ports[$name]}"`.

Above: `evaluation` asks whether what a text names by a key has keys for sure. Below: `values`,
`builtins`. Of a list bash evaluates what stands between the brackets, and a text such as `a[$(cmd)]` runs
a command. The scanner takes it for a key behind a declaration that surely takes place; the declaration
fails where the name is that of a list already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.builtins import array_names
from nacre.policy.command_facts import command_name, is_kept_by_shell
from nacre.policy.model import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from nacre.policy.model import Certain, Scan, SimpleCommand
    from nacre.policy.values import Context

_MOST_KEYED = 64
_DECLARING = frozenset({"declare", "typeset", "local"})
_HINT = "use a name of its own for the array, and declare it first of all: declare -A name"


def list_names(scan: Scan) -> frozenset[str]:
    """The names that may be lists from here on, for later commands of the session."""
    others = [command for command in scan.commands if not _declares_keys(command)]
    keyed = [item for item in scan.certain if item.name.endswith("[")][:_MOST_KEYED]
    found = array_names(others) | {
        item.name
        for command in others
        for item in command.assignments
        if (item.array or item.value is None)
        and not (keyed and _has_keys_at(command.start, item.name, scan, keyed))
    }
    return frozenset(name for name in found if name.isidentifier())


def _declares_keys(command: SimpleCommand) -> bool:
    words = [word.text for word in command.words[:2]]
    return words[1:] == ["-A"] and words[0] in _DECLARING


def _has_keys_at(place: int, name: str, scan: Scan, keyed: Sequence[Certain]) -> bool:
    """Whether it is in this very shell, and now, that the array has keys."""
    found = any(item.name == f"{name}[" and item.start <= place < item.end for item in keyed)
    return found and not any(item.start <= place < item.end for item in scan.definitions)


def objections_to_keys(scan: Scan, context: Context, kept: Collection[str]) -> Iterator[Refusal]:
    """The keys of arrays that may be lists, or nothing, when they are used."""
    unsets = any(command_name(command) == "unset" for command in scan.commands)
    ranges: dict[str, list[tuple[Certain, bool]]] = {}
    for item in scan.keyed:
        if item.name not in ranges:
            ranges[item.name] = _ranges_of(item.name, scan, context)
        known = not (unsets or context.is_opaque or is_kept_by_shell(item.name, context.shell))
        around = [sure for found, sure in ranges[item.name] if found.start <= item.start < found.end]
        if not known or f"@{item.name}" in kept or not around or not all(around):
            reason = (
                f"`{item.name}` may be a list, and bash evaluates what stands for the number of an element"
            )
            yield Refusal(reason, item.start, item.end, _HINT)


def _ranges_of(name: str, scan: Scan, context: Context) -> list[tuple[Certain, bool]]:
    """Where an array has keys as long as it was no list before, and whether that is sure."""
    found = [item for item in scan.certain if item.name == f"{name}["]
    if len(found) > _MOST_KEYED:
        return []
    declared = [command.start for command in scan.commands if _declares_keys(command)]
    places = [place for place in context.places_assigned(name) if place not in declared]
    return [(item, not _may_be_list(item, places, declared, scan, context)) for item in found]


def _may_be_list(
    item: Certain, places: Sequence[int], declared: Sequence[int], scan: Scan, context: Context
) -> bool:
    """Whether what is assigned at these places may be there when an array with keys is declared.

    What stands behind a declaration comes before it, too, where a loop is around both. A whole text is not
    repeated. A function makes an array of its own, each time; what others hold is nothing to it.
    """
    start = max((at for at in declared if at < item.start), default=0)
    around = [body for body in scan.definitions if body.start <= start < body.end]
    body = max(around, key=lambda body: body.start, default=None)
    if body is not None:
        places = [place for place in places if body.start <= place < body.end]
    end = len(context.source) + 1 if body is None else body.end
    return any(place < start or (item.end != end and not start <= place < item.end) for place in places)
