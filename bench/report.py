"""A run as a record and as JSON: every sample, who took part, on which machine. The only form that is kept.

Tables, plot and page are made from it; whoever reads one gets exactly what was measured, or an error.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from bench.figures import FIGURES
from bench.model import Kind, Outcome
from bench.workloads import NAMES
from bench.workloads.behaviour import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from pathlib import Path

    from bench.run import Rounds

FORMAT = 1
Item = TypeVar("Item")
_DIGITS = 6  # microseconds; bytes are whole


class BadReport(ValueError):  # noqa: N818  # reads better where it is caught
    """A file that is no report, and why."""


@dataclass(frozen=True)
class Participant:
    """Who took part."""

    kind: Kind
    title: str
    version: str


@dataclass(frozen=True)
class Report:
    """A run, whole."""

    date: str
    commit: str
    quick: bool
    machine: Mapping[str, str]
    servers: Mapping[str, Participant]
    left_out: Mapping[str, str]  # server -> why
    figures: Mapping[str, Mapping[str, Rounds]]
    failures: Mapping[str, Mapping[str, str]]  # server -> workload -> why
    behaviours: Mapping[str, Mapping[str, Outcome]]

    def rounds(self, figure: str, server: str) -> Rounds:
        """The samples of a server; none where it was not measured."""
        return self.figures.get(figure, {}).get(server, [])


def write(report: Report, path: Path) -> None:
    """The report as JSON, a line for each server's figure: small changes make small differences."""
    table = {"format": FORMAT, **asdict(report)}
    table["figures"] = {
        figure: {server: _rounded(rounds) for server, rounds in servers.items()}
        for figure, servers in report.figures.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_lines(table) + "\n")


def _rounded(rounds: Rounds) -> Rounds:
    return [[round(sample, _DIGITS) for sample in block] for block in rounds]


def _lines(value: Any, depth: int = 0) -> str:
    if not isinstance(value, dict) or depth > 2 or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    inner = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(key)}: {_lines(item, depth + 1)}"
        for key, item in cast("dict[str, Any]", value).items()
    )
    return f"{{\n{inner}\n{' ' * depth}}}"


def read(path: Path) -> Report:
    """The report in a file; BadReport where it is none."""
    try:
        return parse(json.loads(path.read_text()))
    except (OSError, ValueError) as error:
        raise BadReport(f"{path}: {error}") from None


def parse(value: Any) -> Report:
    """A report, every part of it checked."""
    table = _table(value, "the report")
    if table.get("format") != FORMAT:
        raise BadReport(f"format is {table.get('format')!r}, not {FORMAT}")
    quick = table.get("quick")
    if not isinstance(quick, bool):
        raise BadReport("quick is not true or false")
    servers = {name: _participant(item, name) for name, item in _part(table, "servers").items()}
    figures = _named(_part(table, "figures"), FIGURES, "figure")
    behaviours = _named(_part(table, "behaviours"), ROWS, "behaviour")
    failures = _named(_part(table, "failures"), servers, "server")
    return Report(
        date=_text(table.get("date"), "date"),
        commit=_text(table.get("commit"), "commit"),
        quick=quick,
        machine=_texts(table.get("machine"), "machine"),
        servers=servers,
        left_out=_texts(table.get("left_out"), "left_out"),
        figures={name: _of_servers(item, servers, name, _rounds) for name, item in figures.items()},
        failures={
            name: _texts(_named(_table(item, name), NAMES, "workload"), name)
            for name, item in failures.items()
        },
        behaviours={name: _of_servers(item, servers, name, _outcome) for name, item in behaviours.items()},
    )


def _table(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadReport(f"{what} is no table")
    return cast("dict[str, Any]", value)


def _part(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    return _table(table.get(name), name)


def _named(table: dict[str, Any], known: Container[str], what: str) -> dict[str, Any]:
    for name in table:
        if name not in known:
            raise BadReport(f"there is no {what} {name!r}")
    return table


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise BadReport(f"{what} is no text")
    return value


def _texts(value: Any, what: str) -> dict[str, str]:
    return {name: _text(item, f"{what}.{name}") for name, item in _table(value, what).items()}


def _participant(value: Any, name: str) -> Participant:
    texts = _texts(value, name)
    if set(texts) != {"kind", "title", "version"} or texts["kind"] not in get_args(Kind):
        raise BadReport(f"{name} is not told by kind, title and version")
    return Participant(cast("Kind", texts["kind"]), texts["title"], texts["version"])


def _of_servers(
    value: Any, servers: Container[str], what: str, read_one: Callable[[Any, str], Item]
) -> dict[str, Item]:
    table = _named(_table(value, what), servers, "server")
    return {name: read_one(item, f"{what} of {name}") for name, item in table.items()}


def _rounds(value: Any, what: str) -> Rounds:
    for block in _list(value, what):
        for sample in _list(block, what):
            if type(sample) not in (int, float) or not math.isfinite(sample) or sample < 0:
                raise BadReport(f"{what}: {sample!r} is no sample")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadReport(f"{what} is no list")
    return cast("list[Any]", value)


def _outcome(value: Any, what: str) -> Outcome:
    table = _table(value, what)
    if set(table) != {"says", "good"} or not isinstance(table["good"], bool):
        raise BadReport(f"{what} is no outcome")
    return Outcome(_text(table["says"], what), table["good"])
