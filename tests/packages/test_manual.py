"""The manual page: roff without faults, fresh, and complete."""

from __future__ import annotations

import subprocess

import pytest
from building import ROOT

from nacre.settings.table import CONTAINER_SETTINGS, SETTINGS

PAGE = ROOT / "packages" / "nacre.1"


@pytest.mark.req("packages-manual")
def test_the_manual_page_formats_without_a_warning_and_names_every_option_and_setting() -> None:
    shown = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u", str(PAGE)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert shown.stderr == ""
    assert PAGE.read_text().isascii()
    text = shown.stdout.replace("\N{MINUS SIGN}", "-").replace("\N{HYPHEN}", "-")
    for setting in SETTINGS:
        assert setting.name in text
    for flag in (flag for setting in (*SETTINGS, *CONTAINER_SETTINGS) for flag in setting.flags):
        assert flag in text
    for command in ("nacre install", "nacre policy explain", "nacre audit verify", "nacre doctor"):
        assert command in text
