"""The keeper's package says what it consists of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nacre.keeper

HERE = Path(nacre.keeper.__file__ or "").parent


@pytest.mark.req("architecture-keeper")
def test_the_package_lists_every_module_of_the_keeper() -> None:
    listed = re.findall(r"^ {4}(\w+) {2,}\S", nacre.keeper.__doc__ or "", re.MULTILINE)
    there = {path.stem for path in HERE.glob("*.py")} - {"__init__"}
    assert sorted(listed) == sorted(there)
