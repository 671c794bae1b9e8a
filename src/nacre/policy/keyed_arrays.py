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
    return [word.text for word in command.words[1:2]] == ["-A"]


def _has_keys_at(place: int, name: str, scan: Scan, keyed: Sequence[Certain]) -> bool:
    """Whether it is in this very shell, and now, that the array has keys."""
    found = any(item.name == f"{name}[" and item.start <= place < item.end for item in keyed)
    return found and not any(item.start <= place < item.end for item in scan.definitions)


def objections_to_keys(scan: Scan, context: Context, kept: Collection[str]) -> Iterator[Refusal]:
    """The keys of arrays that may be lists, or nothing, when they are used."""
    unsets = any(command_name(command) == "unset" for command in scan.commands)
    given_before: dict[str, bool] = {}
    for item in scan.keyed:
        if item.name not in given_before:
            given_before[item.name] = _is_given_before(item.name, scan, context)
        known = not (unsets or context.is_opaque or is_kept_by_shell(item.name, context.shell))
        if not known or f"@{item.name}" in kept or given_before[item.name]:
            reason = (
                f"`{item.name}` may be a list, and bash evaluates what stands for the number of an element"
            )
            yield Refusal(reason, item.start, item.end, _HINT)


def _is_given_before(name: str, scan: Scan, context: Context) -> bool:
    """Whether the text assigns to a name before it is declared as an array with keys."""
    declared = [
        command.start
        for command in scan.commands
        if _declares_keys(command)
        and name in {*(word.text for word in command.words), *(item.name for item in command.assignments)}
    ]
    return not declared or context.assigns_before(name, min(declared))
