"""The labelled commands that must not run, with the scanner of texts switched off: the kernel stops them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from replay import replay

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NAMES = ("policy.jsonl", "policy-2.jsonl")
ENOUGH = 120  # of them do something on any machine; the others need programs or files that are not there


@pytest.mark.req("exec-replay")
def test_the_kernel_alone_stops_what_the_scanner_would_have_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if not all((CORPUS / name).exists() for name in NAMES):
        pytest.skip("the corpus is not beside this checkout")
    monkeypatch.setenv("HOME", "/")  # each replay has its own, and this one comes back
    replayed = replay(line for name in NAMES for line in (CORPUS / name).read_text().splitlines())
    with_effect = [each for each in replayed if each.effect]
    left = [each for each in with_effect if not each.stopped]
    assert len(with_effect) >= ENOUGH
    assert len(left) <= 0.02 * len(with_effect), left
