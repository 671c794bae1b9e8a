"""The architecture: imports go down the floors of ARCHITECTURE.md, one place starts processes, short code."""

from __future__ import annotations

import ast
import functools
import re
import sys
from pathlib import Path

import pytest
from source_reader import Reading, broad_excepts, cycle_in, function_lengths, parse, read, sleeps

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SOURCE = ROOT / "src" / "nacre"
# Only these may start a process.
STARTERS = {
    *("keeper.posix.starting", "keeper.windows.starting", "keeper.windows.process_tree"),
    *("keeper.launch", "keeper.guardian", "keeper.processes", "keeper.win32.processes"),
    "cli.stdio_client",  # no part of a server: it starts one, as every client does
}
STARTING_NAMES = re.compile(
    r"(subprocess|multiprocessing|pty|_posixsubprocess|_winapi)\.(?!TimeoutExpired).*"
    r"|os\.(fork|forkpty|posix_spawnp?|exec\w+|spawn\w+|system|popen|startfile)"
    r"|asyncio\.(subprocess|create_subprocess_\w+)(\..*)?"
    r"|concurrent\.futures\.(process|ProcessPoolExecutor)(\..*)?"
)
STARTING_ATTRIBUTES = {  # of whatever object: an event loop, a C library, our own calls of Windows
    *("subprocess_exec", "subprocess_shell", "create_subprocess_exec", "create_subprocess_shell"),
    *("fork", "vfork", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execvpe", "fexecve"),
    *("CreateProcessA", "CreateProcessW", "ShellExecuteW", "create_process"),
}
# Modules that load others by a computed name, and what they may reach by it.
COMPUTED = {
    "policy": "policy",  # records, when they are first named
    "policy.evaluation": "policy",  # scanners, by the shell's name
    "policy.tables": "policy",  # tables, by the program's name
}
MCP = {"mcp", "mcp_types", "pydantic"}
THIRD_PARTY = {
    "protocol.sdk": MCP,
    "patterns": {"regex"},
    "jobs.screen": {"pyte"},
    "watch.app": {"rich", "textual"},
}  # each is loaded where it is needed, and only there
# What may be asked of the package itself; everything else in it stands for a module above.
LIGHT_NAMES = {"nacre", "nacre.__version__"}


def drawing() -> list[list[str]]:
    """The floors in ARCHITECTURE.md, from the top."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = text.split("## The floors\n")[1].split("```\n")[1]
    return [line.partition("#")[0].split() for line in block.splitlines()]


FLOORS = list(reversed(drawing()))


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    """The module's name below `nacre`; empty for the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for path in modules()}


@functools.cache
def reading(path: Path) -> Reading:
    full_name = f"nacre.{name_of(path)}".removesuffix(".")
    return read(path.read_text(), full_name, is_package=path.name == "__init__.py")


def place_of(name: str) -> tuple[int, str]:
    """The floor of a module and the name it stands there by: its own, or that of a package it is in."""
    places = [
        (entry == name, len(entry), number, entry)
        for number, floor in enumerate(FLOORS)
        for entry in floor
        if name == entry or (entry.endswith("/") and f"{name}/".replace(".", "/").startswith(entry))
    ]
    assert places, f"nacre.{name} stands on no floor: add it to the drawing in ARCHITECTURE.md"
    _, _, number, entry = max(places)
    return number, entry


def imports_of(path: Path) -> set[str]:
    """The modules of nacre that a file imports, in whatever way, when it runs."""
    found: set[str] = set()
    for name in reading(path).names - LIGHT_NAMES:
        inner = name.removeprefix("nacre.")
        if inner != name:
            while inner and inner not in NAMES:
                inner = inner.rpartition(".")[0]
            found.add(inner or "api")  # `nacre.Session` loads it
    own = name_of(path)
    return {name for name in found if name != own}


@pytest.mark.req("architecture-floors")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_go_down_only(path: Path) -> None:
    name, imported = name_of(path), imports_of(path)
    if not name:  # the package itself loads its one public class when that is named
        assert imported <= {"api"}
        return
    floor, entry = place_of(name)
    for other in sorted(imported):
        other_floor, other_entry = place_of(other)
        inside = entry.endswith("/") and entry == other_entry
        assert inside or other_floor < floor, f"nacre.{name} imports nacre.{other}, which is not below it"


@pytest.mark.req("architecture-floors")
def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycle_in({name_of(path): imports_of(path) for path in modules() if name_of(path)}) == []


@pytest.mark.req("architecture-floors")
def test_modules_that_load_others_by_computed_names_are_known() -> None:
    computing = {name_of(path) for path in modules() if reading(path).computed}
    assert computing == set(COMPUTED)
    for name, reached in COMPUTED.items():
        assert not reached or place_of(name)[1] == place_of(reached)[1]


@pytest.mark.req("architecture-floors")
def test_the_drawing_names_every_module_once_and_no_other() -> None:
    drawn = [entry for floor in FLOORS for entry in floor]
    assert len(drawn) == len(set(drawn))
    for entry in drawn:
        if entry.endswith("/"):
            assert (SOURCE / entry / "__init__.py").is_file(), entry
        else:
            assert entry in NAMES, entry


def ways_to_start(found: Reading) -> set[str]:
    """What a module names that starts processes."""
    return {name for name in found.names if STARTING_NAMES.fullmatch(name)} | (
        found.attributes & STARTING_ATTRIBUTES
    )


@pytest.mark.req("architecture-one-road")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_the_keeper_and_its_launcher_start_processes(path: Path) -> None:
    if name_of(path) in STARTERS:
        return
    assert ways_to_start(reading(path)) == set()


@pytest.mark.req("architecture-one-road")
def test_every_module_that_may_start_processes_does() -> None:
    for name in STARTERS:
        found = reading(SOURCE / f"{name.replace('.', '/')}.py")
        assert ways_to_start(found), f"{name} starts nothing"


@pytest.mark.req("architecture-one-road")
def test_tools_reach_processes_through_the_service_only() -> None:
    graph = {name_of(path): imports_of(path) for path in modules()}

    def reaches_keeper(name: str, seen: set[str]) -> bool:
        seen.add(name)
        leads_on = (reaches_keeper(other, seen) for other in graph.get(name, set()) - seen)
        return name in {"keeper.link", "keeper.running", *STARTERS} or any(leads_on)

    executions = {"executions.once", "executions.turn", "executions.sessions"}
    assert {name for name in executions if reaches_keeper(name, set())} == executions
    for path in sorted((SOURCE / "tools").glob("*.py")):
        imported = {name for name in imports_of(path) if not name.startswith("tools") and name != "service"}
        past = {name for name in imported if name.startswith("keeper") or reaches_keeper(name, set())}
        assert past == set(), f"{path.name} goes past the service: {past}"


@pytest.mark.req("architecture-floors")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_what_is_not_in_the_standard_library_is_imported_by_one_module_each(path: Path) -> None:
    imported = {name.partition(".")[0] for name in reading(path).imported}
    third_party = imported - set(sys.stdlib_module_names) - {"nacre"}
    assert third_party <= THIRD_PARTY.get(name_of(path), set())


def test_every_module_says_what_it_is() -> None:
    for path in modules():
        assert ast.get_docstring(parse(path.read_text())), f"{path} has no docstring"


@pytest.mark.req("architecture-floors")
@pytest.mark.parametrize(
    "package",
    [
        *("keeper", "keeper/posix", "keeper/windows", "keeper/win32"),
        *("audit", "executions", "install", "jobs", "places", "policy", "sandbox", "settings", "watch"),
    ],
)
def test_a_package_that_lists_its_modules_lists_all_of_them(package: str) -> None:
    home = SOURCE / package
    text = ast.get_docstring(ast.parse((home / "__init__.py").read_text())) or ""
    listed = set(re.findall(r"\w+", text))
    there = {path.stem for path in home.glob("*.py")} | {
        path.parent.name for path in home.glob("*/__init__.py")
    }
    assert there - {"__init__"} - listed == set(), f"add it to the list in {package}/__init__.py"


@pytest.mark.req("architecture-short")
def test_nine_functions_of_ten_have_at_most_18_lines_and_none_more_than_75() -> None:
    lengths = {
        f"{name_of(path)}.{name}": length
        for path in modules()
        for name, length in function_lengths(path.read_text()).items()
    }
    assert sorted(lengths.values())[len(lengths) * 9 // 10] <= 18
    assert {name: length for name, length in lengths.items() if length > 75} == {}


@pytest.mark.req("architecture-short")
def test_at_most_one_broad_except_in_two_thousand_lines_and_each_says_why() -> None:
    sources = {name_of(path): path.read_text() for path in modules()}
    found = [(name, line) for name, source in sources.items() for line in broad_excepts(source)]
    assert len(found) * 2000 <= sum(len(source.splitlines()) for source in sources.values()), found
    unexplained = [
        (name, line)
        for name, line in found
        if "# " not in re.sub(r"# noqa: \w+", "", sources[name].splitlines()[line - 1])
    ]
    assert unexplained == []


@pytest.mark.req("tests-no-sleep")
@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_no_test_sleeps_to_wait(path: Path) -> None:
    """`asyncio.sleep(0)` only lets others have their turn."""
    assert sleeps(path.read_text()) == []


@pytest.mark.req("tests-no-sleep")
@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(1)",
        "import time as t\nt.sleep(1)",
        "from time import sleep\nwait = sleep\nwait(1)",
        "import asyncio\nasyncio.sleep(0.1)",
        "import asyncio as a\na.sleep(delay_s)",
        "from asyncio import sleep\nsleep(1)",
        "from asyncio import sleep as pause\npause(delay=1)",
        "import asyncio\npause = asyncio.sleep\npause(1)",
        "import anyio\nanyio.sleep(0)",
        "import select\nselect.select([], [], [], 1)",
        "import threading\nthreading.Event().wait(1)",
    ],
)
def test_every_way_to_sleep_is_seen(source: str) -> None:
    assert sleeps(source)
    assert not sleeps("import asyncio\nasyncio.sleep(0)")
