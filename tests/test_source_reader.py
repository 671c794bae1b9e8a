"""The checks of the architecture see every form of what they look for: shown on small sources."""

from __future__ import annotations

import pytest
from source_reader import broad_excepts, cycle_in, function_lengths, read

MODULE = "nacre.tools.shell"


@pytest.mark.req("architecture-checked")
@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import nacre.service", "nacre.service"),
        ("import nacre.service as s", "nacre.service"),
        ("import os, nacre.service", "nacre.service"),
        ("from nacre import service", "nacre.service"),
        ("from nacre import service as s", "nacre.service"),
        ("from nacre.service import Service", "nacre.service.Service"),
        ("from nacre.service import *", "nacre.service"),
        ("from . import surface", "nacre.tools.surface"),
        ("from .surface import Surface", "nacre.tools.surface.Surface"),
        ("from .. import service", "nacre.service"),
        ("from ..keeper.link import Link", "nacre.keeper.link.Link"),
        ("import nacre\nnacre.service.run()", "nacre.service.run"),
        ("import nacre as n\nn.service.run()", "nacre.service.run"),
        ("def f():\n    from nacre import service", "nacre.service"),
        ("try:\n    import nacre.service\nexcept ImportError:\n    pass", "nacre.service"),
        ("import importlib\nimportlib.import_module('nacre.service')", "nacre.service"),
        ("from importlib import import_module as load\nload('nacre.service')", "nacre.service"),
        ("import importlib as i\ni.import_module('.surface', __package__)", "nacre.tools.surface"),
        ("__import__('nacre.service')", "nacre.service"),
        ("__import__('subprocess').run(['ls'])", "subprocess.run"),
        ("sp = __import__('subprocess')\nsp.run(['ls'])", "subprocess.run"),
        ("import importlib\nsp = importlib.import_module('subprocess')\nsp.run", "subprocess.run"),
        ("import runpy\nrunpy.run_module('nacre.service')", "nacre.service"),
        (
            "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    import nacre.service",
            "nacre.service",
        ),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\nelse:\n    import nacre.service",
            "nacre.service",
        ),
        ("import mcp_types", "mcp_types"),
        ("from subprocess import Popen", "subprocess.Popen"),
        ("from subprocess import Popen as P", "subprocess.Popen"),
        ("import subprocess as sp\nsp.run(['ls'])", "subprocess.run"),
        ("import subprocess\nrun = subprocess.run\nrun(['ls'])", "subprocess.run"),
        ("import subprocess\nsp = subprocess\nsp.Popen([])", "subprocess.Popen"),
        ("from os import fork", "os.fork"),
        ("import os as o\no.posix_spawn('x', [], {})", "os.posix_spawn"),
        ("import os\ngetattr(os, 'fork')()", "os.fork"),
        ("import asyncio\nasyncio.create_subprocess_exec('ls')", "asyncio.create_subprocess_exec"),
    ],
)
def test_every_form_of_import_is_seen(source: str, name: str) -> None:
    assert name in read(source, MODULE).names


@pytest.mark.req("architecture-checked")
def test_a_relative_import_in_a_package_counts_from_the_package() -> None:
    assert "nacre.tools.surface" in read("from . import surface", "nacre.tools", is_package=True).names


@pytest.mark.req("architecture-checked")
@pytest.mark.parametrize(
    "source",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nacre.service",
        "import typing\nif typing.TYPE_CHECKING:\n    import nacre.service",
        "text = 'import nacre.service'",
        "# import nacre.service",
        "nacre = 1",
    ],
)
def test_what_never_runs_is_not_an_import(source: str) -> None:
    assert not any(name.startswith("nacre") for name in read(source, MODULE).names)


@pytest.mark.req("architecture-checked")
@pytest.mark.parametrize(
    "source",
    [
        "import importlib\nimportlib.import_module(f'nacre.{name}')",
        "from importlib import import_module\nimport_module(name)",
        "__import__('nacre.' + name)",
    ],
)
def test_a_module_name_that_is_computed_is_reported(source: str) -> None:
    assert read(source, MODULE).computed


@pytest.mark.req("architecture-checked")
def test_attributes_are_seen_on_whatever_object() -> None:
    assert "subprocess_exec" in read("loop().subprocess_exec(a, b)", MODULE).attributes


@pytest.mark.req("architecture-checked")
def test_functions_are_measured_wherever_they_are() -> None:
    source = (
        "class A:\n    @property\n    def f(self):\n        def g():\n            pass\n        return g\n"
    )
    assert function_lengths(source) == {"f:3": 4, "g:4": 2}


@pytest.mark.req("architecture-checked")
@pytest.mark.parametrize(
    ("caught", "count"),
    [
        ("except:", 1),
        ("except Exception:", 1),
        ("except BaseException as error:", 1),
        ("except (ValueError, Exception):", 1),
        ("except builtins.Exception:", 1),
        ("except ValueError:", 0),
        ("except (ValueError, OSError):", 0),
    ],
)
def test_broad_excepts_are_counted(caught: str, count: int) -> None:
    assert len(broad_excepts(f"try:\n    pass\n{caught}\n    pass\n")) == count


@pytest.mark.req("architecture-checked")
def test_suppressing_everything_is_a_broad_except() -> None:
    assert broad_excepts("with contextlib.suppress(Exception):\n    pass\n") == [1]
    assert broad_excepts("with suppress(OSError):\n    pass\n") == []


@pytest.mark.req("architecture-checked")
def test_a_circle_is_found() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle_in({"a": {"a"}}) == ["a", "a"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
