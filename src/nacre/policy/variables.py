"""Whether a variable may be given a value: by whom it is seen, and what is known about it.

Above: `assignments` asks about every assignment of a text, the gate about a call's `environment`. Below: the
tables of variables. Under an allowlist a variable that programs see is known to be harmless, with a value
that is, or a person has named it in `allowed_variables`. One that only the shell sees is refused where it
changes the shell, or where a program would see it if it were exported after all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import BUILTINS
from nacre.policy.matching import WILDCARD, glob_matches
from nacre.policy.model import names
from nacre.policy.tables.shells import MULTICALL, RUNNERS, UNRESOLVABLE
from nacre.policy.tables.variables import (
    ALSO_READS_LISTED,
    COMMON_WORDS,
    CREDENTIAL,
    DANGEROUS_VARIABLE,
    EVALUATED_BY_BASH,
    EVALUATED_ELSEWHERE,
    FETCHES,
    GIVES_MEANING,
    HARMLESS,
    LOCALE_VARIABLE,
    NEVER_BY_END,
    PLAIN_FOR_MAKE,
    PLAIN_LOCALE,
    READS_LISTED,
    RUNS_PROJECTS,
    SEEN_BY_ALL,
    SEES_NO_OTHERS,
    SWITCH,
    SWITCHES_ARE_LISTED,
    TOOLS,
    ZSH_TIED,
)

if TYPE_CHECKING:
    from nacre.policy.rules import Policy

_Row = tuple[str, frozenset[str]]  # a pattern for values, and the programs to which they are harmless
_MAKE = frozenset({"make", "gmake"})
_OF_THE_DIRECTORY = frozenset({"PWD", "OLDPWD"})
_ANYTHING = "(?s:.*)"
# Shells in which few variables are numbers.
_PLAIN_SHELLS = frozenset({"", "bash", "dash", "ash", "fish"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable gets a value, for some programs or for all that run from now on."""

    name: str
    # None: it is only known when the command runs.
    value: str | None
    # Programs see it: it stands before a command, is exported, or was in the environment before.
    exported: bool = True
    # The programs that see it; None: any.
    programs: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a variable may not be given this value, and what to do instead."""

    reason: str
    hint: str


def is_dangerous_variable(name: str) -> bool:
    """Tell whether a variable changes what runs, or which code or configuration is loaded."""
    # `re` keeps what it has compiled; compiling this at import time would cost every start of the server.
    return re.match(DANGEROUS_VARIABLE + r"\Z", name) is not None


def gives_meaning(name: str, shell: str) -> bool:
    """An array by which a shell gives names another meaning."""
    return name in GIVES_MEANING and (shell == "zsh" or name.isupper())


def is_evaluated(setting: Setting, shell: str) -> bool:
    """A number of the shell's own gets something that is none: the shell evaluates it."""
    name = setting.name
    if name not in EVALUATED_BY_BASH and (name not in EVALUATED_ELSEWHERE or shell in _PLAIN_SHELLS):
        return False
    return setting.value is None or not re.fullmatch("-?[0-9]*", setting.value)


def object_to(setting: Setting, policy: Policy, shell: str = "") -> Objection | None:
    """What speaks against a variable under these rules; None: nothing."""
    name = setting.name
    locale = re.fullmatch(LOCALE_VARIABLE, name) is not None
    if locale:
        plain = setting.value is not None and re.fullmatch(PLAIN_LOCALE, setting.value)
        return None if plain else _refused("another encoding decides how a shell reads a text")
    read_by_others = (
        _object_to_directory(setting)
        or _object_to_evaluation(setting, shell)
        or _object_for_make(setting, policy)
    )
    if read_by_others is not None:
        return read_by_others
    if name in policy.allowed_variables or _is_harmless(setting, policy):
        return None
    tied = shell == "zsh" and name in ZSH_TIED
    if is_dangerous_variable(name) or tied or gives_meaning(name, shell):
        hint = f'leave the assignment out, or ask a person to name it: allowed_variables = ["{name}"]'
        return Objection(f"the variable {name} changes what runs or how", hint)
    if policy.mode != "allowlist" or not setting.exported or _is_text(setting, policy):
        return None
    known = f"this value of {name}" if name in _rows() else f"the variable {name}"
    reason = f"{known} is not known to be harmless to the programs that see it"
    hint = f'leave it out, or ask a person to name it in the policy: allowed_variables = ["{name}"]'
    return Objection(reason, hint)


def _object_to_directory(setting: Setting) -> Objection | None:
    if setting.name not in _OF_THE_DIRECTORY or setting.programs is not None:
        return None
    return _refused(f"a shell says by {setting.name} where it is, and later commands are judged for there")


def _object_to_evaluation(setting: Setting, shell: str) -> Objection | None:
    if not is_evaluated(setting, shell):
        return None
    reason = f"the shell evaluates what {setting.name} is given as arithmetic"
    return Objection(reason, "give it a number that is written out")


def _refused(reason: str) -> Objection:
    return Objection(reason, "leave the assignment out")


def _object_for_make(setting: Setting, policy: Policy) -> Objection | None:
    """make expands the values of variables, and puts them into texts for a shell."""
    if policy.mode != "allowlist" or not setting.exported:
        return None
    value = setting.value
    if setting.programs is None and policy.admits_make and (value is None or "$" in value):
        return _refused("make expands the values of variables, and this one may hold an expansion")
    # What a person has named is for all programs, whatever it holds.
    by_all = policy.admits_make and setting.name not in policy.allowed_variables
    seen = by_all if setting.programs is None else bool(_MAKE & setting.programs)
    if not seen or (value is not None and re.fullmatch(PLAIN_FOR_MAKE, value)):
        return None
    reason = "make puts the values of variables into texts for a shell"
    return Objection(reason, "use letters, digits and . , : / only")


def _is_harmless(setting: Setting, policy: Policy) -> bool:
    """A row of the table knows this variable, this value, and the programs that see it."""
    name = setting.name
    for pattern, programs in _rows().get(name, ()) or _by_beginning(name) or _by_end(setting, policy):
        if setting.value is None and pattern != _ANYTHING:
            continue
        if programs and not (setting.programs and setting.programs <= programs | SEES_NO_OTHERS):
            continue
        if setting.value is None or re.fullmatch(pattern, setting.value):
            return True
    return False


def _is_text(setting: Setting, policy: Policy) -> bool:
    """Nothing that sees it makes more of it than a text."""
    if any(WILDCARD.search(item) and glob_matches(item, setting.name) for item in policy.allowed_variables):
        return True
    programs = setting.programs if setting.programs is not None else _allowed_programs(policy)
    if (
        setting.value is not None
        and re.fullmatch(SWITCH, setting.value)
        and all(map(_reads_switches, programs))
    ):
        return True
    return programs <= SEES_NO_OTHERS | BUILTINS and re.fullmatch(SEEN_BY_ALL, setting.name) is None


def _allowed_programs(policy: Policy) -> frozenset[str]:
    """The names of all programs that may ever run under these rules; a pattern is none that is known."""
    return frozenset(rule.name for rule in (*policy.allows, *policy.asks))


@cache
def _rows() -> dict[str, tuple[_Row, ...]]:
    """The table of harmless variables, by name."""
    found: dict[str, tuple[_Row, ...]] = {}
    for listed, pattern, programs in HARMLESS:
        for name in listed.split():
            found[name] = (*found.get(name, ()), (pattern, names(programs)))
    return found


def _by_beginning(name: str) -> tuple[_Row, ...]:
    """The rows whose name ends in a star."""
    return tuple(row for start, listed in _beginnings() if name.startswith(start) for row in listed)


@cache
def _beginnings() -> tuple[tuple[str, tuple[_Row, ...]], ...]:
    return tuple((part[:-1], listed) for part, listed in _rows().items() if part.endswith("*"))


@cache
def _ends() -> tuple[tuple[str, tuple[_Row, ...]], ...]:
    return tuple((part[1:], listed) for part, listed in _rows().items() if part.startswith("*"))


def _by_end(setting: Setting, policy: Policy) -> tuple[_Row, ...]:
    """The rows whose name begins with a star, where the variable can only be the project's own."""
    name = setting.name
    found = [listed for end, listed in _ends() if name.endswith(end)]
    if not found or re.fullmatch(FETCHES, name) or is_dangerous_variable(name) or _is_of_a_tool(name):
        return ()
    programs = setting.programs if setting.programs is not None else _allowed_programs(policy)
    return tuple(row for listed in found for row in listed) if all(map(_reads_by_end, programs)) else ()


def _reads_by_end(program: str) -> bool:
    """Whether a variable that is known by its end is nothing but a setting of the project to a program."""
    if program in NEVER_BY_END:
        return False
    home = tables.home_of(program)
    if home is None:
        return program not in RUNNERS and program not in UNRESOLVABLE and program not in MULTICALL
    known = program in SEES_NO_OTHERS or program in ALSO_READS_LISTED or program in BUILTINS
    return known or home in RUNS_PROJECTS | READS_LISTED


def _reads_switches(program: str) -> bool:
    """Whether a switch under a name that is not listed means to a program what the project says, if anything.

    To others a `1` can be a directory of the project with code in it: `IP_LIB_DIR=1 ip link`.
    """
    return program in SWITCHES_ARE_LISTED or program in BUILTINS or _reads_by_end(program)


def _is_of_a_tool(name: str) -> bool:
    """`JEST_JUNIT_OUTPUT_NAME`: a name that begins like a known program is that program's."""
    if re.fullmatch(CREDENTIAL, name):
        return False
    parts = name.split("_")
    return any("_".join(parts[:count]) in _tools() for count in range(1, len(parts)))


@cache
def _tools() -> frozenset[str]:
    """What the variables of known programs begin with."""
    known = {name for listed in tables.NAMES.values() for name in listed.split()} | TOOLS
    return frozenset(
        re.sub("[^A-Z0-9]", "_", name.upper()) for name in known - COMMON_WORDS - SEES_NO_OTHERS - BUILTINS
    )
