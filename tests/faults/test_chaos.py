"""Mixed calls under random faults: nothing wrong, nothing lost, nothing left, and nothing grows."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("chaos.py")
DISK_BYTES = 64 << 20
GROWTH_LIMIT_KB = 32  # for 1,000 calls; a real leak of one small object a call is more


def chaos(directory: Path, seed: int, **amounts: int) -> dict[str, Any]:
    """Run the program on a small disk of its own, which only it sees; its report."""
    argv = [sys.executable, str(PROGRAM), "--seed", str(seed)]
    argv += [f"--{name.replace('_', '-')}={amount}" for name, amount in amounts.items()]
    argv += ["--disk", str(directory), "--directory", str(directory / "tmp")]
    mount = f"mount -t tmpfs -o size={DISK_BYTES} tmpfs {shlex.quote(str(directory))}"
    user = [] if os.getuid() == 0 else ["--map-root-user"]
    ran = subprocess.run(
        ["unshare", "--mount", *user, "sh", "-c", f"{mount} && exec {shlex.join(argv)}"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(ran.stdout)
    return report


@pytest.mark.req("fault-chaos")
@pytest.mark.parametrize(
    ("calls", "faults_every", "seed"),
    [
        pytest.param(600, 30, 20_263, id="short"),
        pytest.param(
            100_000, 250, 20_264, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(3 * 3600)]
        ),
    ],
)
def test_every_call_is_answered_truly_and_nothing_is_left_whatever_breaks(
    tmp_path: Path, calls: int, faults_every: int, seed: int
) -> None:
    report = chaos(tmp_path, seed, calls=calls, faults_every=faults_every)
    print(json.dumps(report, indent=1))  # noqa: T201  # the figures of a long run
    assert report["wrong"] == []
    assert report["lost"] == []
    assert report["left"] == []
    assert report["left_files"] == []
    assert report["right"] > calls // 2
    assert sum(report["faults"].values()) > 5


@pytest.mark.req("fault-chaos")
@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_memory_and_descriptors_stay_flat_over_many_mixed_calls(tmp_path: Path) -> None:
    report = chaos(tmp_path, 20_265, calls=0, calm_calls=40_000)
    print(json.dumps(report, indent=1))  # noqa: T201  # the figures of a long run
    assert report["wrong"] == report["lost"] == report["left"] == []
    assert abs(report["descriptors_per_1000_calls"]) < 0.5
    assert report["memory_kb_per_1000_calls"] < GROWTH_LIMIT_KB
