"""The first verdict of a server is not slow: it loads and compiles only what its command needs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.req("policy-first-verdict")

# Tells what a verdict about a text has loaded, and how many regular expressions it has compiled.
_PROGRAM = """
import json, re, sys
from dataclasses import dataclass
compiled = []
original = re._compiler.compile
re._compiler.compile = lambda *given: compiled.append(given) or original(*given)
from nacre.policy import Policy, judge
policy = Policy.from_lists(["ls", "sed", "git log", "docker ps", "psql"])
verdict = judge(sys.argv[1], policy, shell="bash", cwd="/")
package = "nacre.policy."
loaded = sorted(name.removeprefix(package) for name in sys.modules if name.startswith(package))
print(json.dumps([verdict.decision, loaded, len(compiled)]))
"""


def _first_verdict(text: str) -> tuple[set[str], int]:
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM, text], capture_output=True, text=True, check=True, timeout=60
    )
    decision, loaded, compiled = json.loads(ran.stdout)
    assert decision == "allow"
    return set(loaded), compiled


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("ls -la", set[str]()),
        ("git log -3", {"tables.git"}),
        ("docker ps", {"tables.containers", "tables.charts"}),
        ("sed -n 1,3p x", {"tables.text", "languages.sed"}),
        ("psql -c 'select 1'", {"tables.data", "languages.sql"}),
    ],
)
def test_a_verdict_loads_only_the_tables_of_its_programs(text: str, more: set[str]) -> None:
    loaded, _ = _first_verdict(text)
    assert more <= loaded
    others = {name for name in loaded if name.startswith(("tables.", "languages."))} - more
    assert others <= {
        *("tables.schema", "tables.shells", "tables.variables", "tables.windows"),
        *("tables.archives", "tables.files"),
    }


def test_a_verdict_compiles_only_the_expressions_that_it_uses() -> None:
    _, compiled = _first_verdict("ls -la src | ls")
    assert 0 < compiled < 30
