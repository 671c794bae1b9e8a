"""Which variables commands have: by the settings, in a sandbox, under rules, and from a call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox_harness import scratch_directory
from wire_client import WireClient, configured, text_of

from nacre.dialects import dialect_of
from nacre.environment import EnvironmentRules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

GIVEN = {
    "HOME": "/home/me",
    "PATH": "/bin",
    "LC_ALL": "C",
    "API_TOKEN": "s",
    "EDITOR": "vi",
    "LD_PRELOAD": "x",
}
LOADING = ("LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "PS4")


def names(rules: EnvironmentRules) -> set[str]:
    """What commands inherit (an editor that fails at once is set, not inherited)."""
    return {name for name, value in rules.for_commands(GIVEN).items() if value == GIVEN.get(name)}


@pytest.mark.req("environment-inherit")
def test_each_way_to_inherit_keeps_what_it_says() -> None:
    assert names(EnvironmentRules(inherit="login")) == GIVEN.keys()
    assert names(EnvironmentRules(inherit="all")) == GIVEN.keys()
    assert names(EnvironmentRules(inherit="core")) == {"HOME", "PATH", "LC_ALL"}
    assert names(EnvironmentRules(inherit="none")) == set()


@pytest.mark.req("environment-inherit")
def test_include_adds_exclude_removes_and_counts_more() -> None:
    assert names(EnvironmentRules(inherit="core", include=("EDIT*",))) == {"HOME", "PATH", "LC_ALL", "EDITOR"}
    assert names(EnvironmentRules(inherit="none", include=("*",), exclude=("*_token", "P*"))) == (
        GIVEN.keys() - {"API_TOKEN", "PATH"}
    )
    assert EnvironmentRules(inherit="none", set={"A": "b"}).for_commands(GIVEN)["A"] == "b"


@pytest.mark.req("environment-secrets")
def test_what_looks_like_a_secret_is_hidden_unless_it_is_included() -> None:
    rules = EnvironmentRules(hides_secrets=True)
    names = ("GH_TOKEN", "my_api_key", "AWS_SECRET_ACCESS", "DB_PASSWORD", "DB_PASSWD", "CREDENTIALS")
    for name in (*names, "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"):
        assert "environment_include" in rules.objection(name), name
        assert not EnvironmentRules(hides_secrets=True, include=(name,)).objection(name)
    assert not rules.objection("EDITOR")


@pytest.mark.req("environment-loading")
@given(
    st.lists(st.sampled_from(["*", "LD_*", "BASH_*", "ENV"])).map(tuple), st.sampled_from(["login", "none"])
)
def test_no_pattern_lets_a_loading_variable_through(include: tuple[str, ...], inherit: str) -> None:
    rules = EnvironmentRules(inherit=inherit, include=include, held=True, hides_secrets=True)
    inherited: dict[str, str] = dict.fromkeys(
        (*LOADING, "BASH_FUNC_ls%%", "DYLD_INSERT_LIBRARIES", "NACRE_COMMAND"), "x"
    )
    assert not rules.for_commands(inherited).keys() & inherited.keys()
    assert rules.objection_to_call({"A": "1", "LD_PRELOAD": "x"})[0] == "LD_PRELOAD"
    assert not rules.objection("env")  # a name of the person's own


@pytest.mark.req("environment-call")
def test_without_rules_and_sandbox_a_call_may_set_what_is_not_inherited() -> None:
    assert EnvironmentRules(exclude=("A",)).objection_to_call({"A": "1"}) == ("", "")
    assert EnvironmentRules(exclude=("A",), held=True).objection_to_call({"A": "1"})[0] == "A"


# -- real servers

# A shell by the name of one of Windows that shows what it is given.
_SHOWS_ITS_ENVIRONMENT = "#!/bin/sh\nexec env\n"


@pytest.fixture
def workspace() -> Iterator[Path]:
    """Not in /tmp, which commands in a sandbox have for themselves."""
    with scratch_directory() as directory:
        yield directory


@pytest.mark.req("environment-inherit")
def test_the_settings_decide_what_commands_and_sessions_have(start: Start, tmp_path: Path) -> None:
    settings = (
        'environment_inherit = "core"\nenvironment_include = ["KEPT_*"]\nenvironment_set = {SET = "by me"}\n'
    )
    given = {"KEPT_A": "yes", "OTHER": "no"}
    server = configured(start, tmp_path, settings, env=given)
    for session in ({}, {"session": "one"}):
        said = server.shell('echo "$KEPT_A|$OTHER|$SET|${PATH:+path}"', **session)["stdout"]
        assert said == "yes||by me|path\n"


@pytest.mark.req("environment-inherit")
@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('environment_inherit = "some"', "must be login, all, core or none"),
        ('environment_set = ["A"]', "must be a table of texts"),
        ('environment_set = {"A=B" = "c"}', "must be a table of texts"),
        ("environment_set = {A = 1}", "must be a table of texts"),
    ],
)
def test_a_mistake_in_these_settings_ends_the_start(
    start: Start, tmp_path: Path, line: str, complaint: str
) -> None:
    server = configured(start, tmp_path, f"{line}\n", greet=False)
    assert server.wait() == 2
    server.wait_for_log(complaint)


@pytest.mark.req("environment-call")
@pytest.mark.req("environment-loading")
@pytest.mark.parametrize("session", [{}, {"session": "one"}])
def test_under_rules_a_call_cannot_set_what_every_program_loads(
    start: Start, tmp_path: Path, session: dict[str, str]
) -> None:
    settings = 'environment_exclude = ["SECRET_*"]\n[policy]\ndeny = ["rm"]\n'
    server = configured(start, tmp_path, settings, env={"LD_LIBRARY_PATH": "/nowhere"})
    for name in (*LOADING, "SECRET_A"):
        refused = server.call("shell", command="env", environment={name: "x"}, **session)
        said = "cannot be set: it is in environment_exclude" if name == "SECRET_A" else "changes what runs"
        assert f"environment.{name}" in text_of(refused)
        assert said in text_of(refused)
    assert server.shell("echo [$LD_LIBRARY_PATH]", **session)["stdout"] == "[]\n"


@pytest.mark.req("environment-secrets")
@pytest.mark.req("environment-call")
@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
@pytest.mark.parametrize("level", ["workspace", "read-only", "strict"])
def test_no_process_in_a_sandbox_holds_the_servers_secrets(start: Start, workspace: Path, level: str) -> None:
    given = {"SOME_TOKEN": "PRI" + "VATE", "OPEN_TOKEN": "fine"}
    settings = f'sandbox = "{level}"\nenvironment_include = ["OPEN_TOKEN"]\n'
    server = configured(start, workspace, settings, env=given)
    searched = "cat /proc/[0-9]*/environ 2>/dev/null | grep -ac PRIVAT[E]"
    assert server.shell(searched)["stdout"] == "0\n"
    assert server.shell("echo $OPEN_TOKEN")["stdout"] == "fine\n"
    for name in LOADING:
        loading = text_of(server.call("shell", command="env", environment={name: "x"}))
        assert f"environment.{name} cannot be set: it changes what every program runs" in loading
    refused = text_of(server.call("shell", command="env", environment={"NEW_TOKEN": "x"}))
    assert (
        'environment.NEW_TOKEN cannot be set: its name looks like a secret (environment_include = ["NEW_'
        in refused
    )
    assert server.shell("echo $OPEN_TOKEN", environment={"OPEN_TOKEN": "mine"})["stdout"] == "mine\n"


@pytest.mark.req("environment-loading")
@pytest.mark.parametrize(
    ("rules", "held"),
    [('[policy]\ndeny = ["rm"]\n', True), ('[policy]\nallow = ["git"]\n', True), ("", False)],
)
def test_under_rules_no_file_of_the_project_takes_the_place_of_a_program(
    start: Start, tmp_path: Path, rules: str, *, held: bool
) -> None:
    shell = tmp_path / "pwsh"
    shell.write_text(_SHOWS_ITS_ENVIRONMENT)
    shell.chmod(0o755)
    settings = f'sandbox = "off"\n{rules}'
    server = configured(start, tmp_path, settings, "--shell", str(shell))
    said = server.shell("git status")["stdout"]
    assert ("NoDefaultCurrentDirectoryInExePath=1" in said.splitlines()) is held


@pytest.mark.req("environment-loading")
def test_all_shells_of_windows_search_programs_on_the_path_only() -> None:
    for name in ("cmd.exe", "powershell.exe", "pwsh"):
        assert dialect_of(name).held_environment == {"NoDefaultCurrentDirectoryInExePath": "1"}
    assert not dialect_of("bash").held_environment
