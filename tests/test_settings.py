"""One table of settings: what a person writes in a file or behind a flag, and what is said of mistakes."""

from __future__ import annotations

import dataclasses
import subprocess

import pytest
from wire_client import NACRE

from nacre.config import Config, ContainerConfig
from nacre.errors import RequestError
from nacre.settings import configuration
from nacre.settings.table import CONTAINER_SETTINGS, NOTHING, SETTINGS, SHELL_TOOL_SETTINGS, Setting

EVERY = (*SETTINGS, *SHELL_TOOL_SETTINGS, *CONTAINER_SETTINGS)
WITH_FLAG = [setting for setting in EVERY if setting.flags]


def fields_of(record: type) -> set[str]:
    return {field.name for field in dataclasses.fields(record)}


@pytest.mark.req("settings-table")
def test_every_setting_fills_a_field_or_is_taken_by_name() -> None:
    plain = {setting.field for setting in (*SETTINGS, *SHELL_TOOL_SETTINGS)} - {""}
    assert plain <= fields_of(Config)
    assert {setting.field for setting in CONTAINER_SETTINGS} == fields_of(ContainerConfig) - {"write_files"}
    assert [setting.name for setting in EVERY if not setting.field] == [
        "preset",
        "allowed_directories",
        "blocked_commands",
    ]


@pytest.mark.req("settings-table")
@pytest.mark.parametrize("setting", WITH_FLAG, ids=lambda setting: setting.name)
def test_help_has_every_flag(setting: Setting) -> None:
    shown = subprocess.run([*NACRE, "--help"], capture_output=True, text=True, check=True).stdout
    for flag in setting.flags:
        assert flag in shown
    if setting.flag_means is NOTHING:
        assert f"{setting.flags[-1]} {setting.kind.metavar}" in shown


@pytest.mark.req("settings-table")
@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
@pytest.mark.parametrize("flag", ["--max-sessions", "--timeout"])
def test_a_flag_takes_what_the_file_takes(flag: str, value: str) -> None:
    shown = subprocess.run([*NACRE, f"{flag}={value}"], capture_output=True, text=True, check=False)
    assert shown.returncode == 2
    assert f"{flag}: it must be a whole number" in shown.stderr
    assert f", not '{value}'" in shown.stderr
    name = next(setting.name for setting in SETTINGS if flag in setting.flags)
    with pytest.raises(RequestError, match=f"The setting {name} must be a whole number"):
        configuration.configure({name: int(value) if value.lstrip("-").isdecimal() else value})


@pytest.mark.req("settings-table")
@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"max_sesions": 3}, "Unknown setting: max_sesions. Did you mean max_sessions?"),
        (
            {"shell_tool": {"abortfile": "x"}},
            "Unknown setting: shell_tool.abortfile. Did you mean abort_file?",
        ),
        ({"qqq": 3}, "Unknown setting: qqq. Known: preset, tools,"),
        ({"container": 3}, "container must be a table."),
    ],
)
def test_a_mistake_is_named_with_what_was_meant(table: dict[str, object], said: str) -> None:
    with pytest.raises(RequestError) as raised:
        configuration.configure(table)
    assert said in str(raised.value)
