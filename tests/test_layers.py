"""Settings from several sources: who wins, what a project may say, and what a person is told."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from wire_client import WireClient, text_of

from nacre.errors import RequestError
from nacre.settings import configuration, layers
from nacre.settings.table import SETTINGS, TABLES, Setting

NACRE = Path(sys.executable).with_name("nacre")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with an empty project in it; the system's file is there too."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setattr(layers, "system_path", lambda: str(tmp_path / "etc" / "config.toml"))
    (tmp_path / "project" / "sub").mkdir(parents=True)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(home: Path) -> layers.Layered:
    return layers.load(None, directory=str(home / "project" / "sub"))


@pytest.mark.req("layers-order")
def test_later_layers_win_and_each_value_knows_where_it_comes_from(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = write(home / "etc" / "config.toml", "timeout = 200\nmax_sessions = 8\nverbose = true\n")
    user = write(home / ".config" / "nacre" / "config.toml", "timeout = 150\n")
    project = write(home / "project" / "nacre.toml", "timeout = 100\n")
    monkeypatch.setenv("NACRE_MAX_SESSIONS", "3")
    layered = load(home)
    config = configuration.configure(layered.table)
    assert (config.default_timeout_s, config.max_sessions, config.verbose) == (100, 3, True)
    assert layered.origins == {
        "timeout": str(project),
        "max_sessions": "NACRE_MAX_SESSIONS",
        "verbose": str(system),
    }
    assert layered.files == (str(system), str(user), str(project))


@pytest.mark.req("layers-order")
def test_rules_that_deny_are_added_up(home: Path) -> None:
    write(home / "etc" / "config.toml", '[policy]\ndeny = ["sudo"]\n')
    write(home / ".config" / "nacre" / "config.toml", '[policy]\ndeny = ["ssh"]\n')
    write(home / "project" / "nacre.toml", '[policy]\ndeny = ["rm"]\n')
    layered = load(home)
    assert layered.table["policy"]["deny"] == ["sudo", "ssh", "rm"]
    assert layered.origins["policy.deny"].count(".toml") == 3


@pytest.mark.req("layers-project")
@pytest.mark.parametrize(
    "line",
    [
        "timeout = 299",
        'reply_limit = "1KB"',
        "max_sessions = 1",
        'limit_memory = "1GB"',
        'sandbox = "strict"',
        'sandbox_network = "off"',
        "audit_required = true",
        'environment_exclude = ["AWS_*"]',
        '[policy]\ndeny = ["rm"]',
        '[policy]\nask = ["git push"]',
        '[policy]\nallow = ["ls"]',
        '[policy]\nallowed_directories = ["."]',
        "[policy]\nallow_writes = false",
    ],
)
def test_a_project_may_tighten(home: Path, line: str) -> None:
    write(home / "project" / "nacre.toml", line + "\n")
    layered = load(home)
    assert layered.warnings == ()
    assert layered.table


@pytest.mark.req("layers-project")
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("timeout = 301", "timeout"),
        ("max_timeout = 1800", ""),
        ('limit_memory = "3GB"', "limit_memory"),
        ('sandbox = "off"', "sandbox"),
        ('sandbox_network = "on"', "sandbox_network"),
        ('sandbox_writable = ["/"]', "sandbox_writable"),
        ('environment_set = {LD_PRELOAD = "x.so"}', "environment_set"),
        ('shell = "/tmp/evil"', "shell"),
        ('preset = "execute-command"', "preset"),
        ('audit_log = "/dev/null"', "audit_log"),
        ('commands = ["rm"]', "commands"),
        ('[policy]\nallow = ["rm"]', "policy.allow"),
        ('[policy]\ninclude = ["read-only"]', "policy.include"),
        ("[policy]\nallow_writes = true", "policy.allow_writes"),
        ('[policy]\nallowed_directories = ["/"]', "policy.allowed_directories"),
        ("[shell_tool]\nmax_timeout = 1800", "shell_tool"),
    ],
)
def test_what_would_widen_is_left_out_with_a_warning_until_it_is_trusted(
    home: Path, line: str, name: str
) -> None:
    write(
        home / ".config" / "nacre" / "config.toml",
        'sandbox = "workspace"\nlimit_memory = "2GB"\n[policy]\nallow = ["ls"]\n',
    )
    project = write(home / "project" / "nacre.toml", line + "\n")
    without = configuration.configure(layers.load(None, directory="/").table)
    layered = load(home)
    assert configuration.configure(layered.table) == without
    assert [name in warning and "nacre trust" in warning for warning in layered.warnings] == [True] * bool(
        name
    )
    layers.trust(str(project))
    assert load(home).warnings == ()
    assert load(home).table != layers.load(None, directory="/").table
    project.write_text(line + "\n# changed\n")
    assert configuration.configure(load(home).table) == without, "trust is for that very content"


@pytest.mark.req("layers-project")
def test_a_project_that_repeats_a_level_does_not_make_it_a_choice(home: Path) -> None:
    """By default a shell that nobody reads gets a stricter level than the one that is chosen by name."""
    write(home / ".config" / "nacre" / "config.toml", '[policy]\nallow = ["ls"]\n')
    write(home / "project" / "nacre.toml", 'sandbox = "workspace"\n')
    layered = load(home)
    config = configuration.configure(layered.table)
    assert (config.sandbox, config.sandbox_chosen, layered.warnings) == ("workspace", False, ())


@pytest.mark.req("layers-project")
def test_trust_that_cannot_be_read_is_no_trust(home: Path) -> None:
    project = write(home / "project" / "nacre.toml", "timeout = 301\n")
    layers.trust(str(project))
    assert Path(layers.trust_path()).stat().st_mode & 0o777 == 0o600
    Path(layers.trust_path()).write_text("{broken")
    assert load(home).warnings


@pytest.mark.req("layers-errors")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\ntimeoutt = 3\n", "nacre.toml, line 2). Did you mean timeout?"),
        ("a = 1\n", "Unknown setting: a"),
        ('timeout = "soon"\n', "nacre.toml, line 1)"),
        ("[policy]\nallow = 3\n", "nacre.toml, line 2: The policy"),
        ("[shell_tool]\nmax_timeoutt = 3\n", "nacre.toml, line 2). Did you mean max_timeout?"),
        ("[policy]\nalow = []\n", "unknown policy setting 'alow'. Did you mean allow?"),
        ("x = \n", "nacre.toml is not TOML"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(home: Path, text: str, said: str) -> None:
    write(home / "project" / "nacre.toml", text)
    with pytest.raises(RequestError) as raised:
        load(home)
    assert said in str(raised.value)


@pytest.mark.req("layers-errors")
def test_a_variable_with_a_bad_value_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NACRE_TIMEOUT", "soon")
    with pytest.raises(RequestError, match="NACRE_TIMEOUT"):
        load(home)


@pytest.mark.req("layers-errors")
@pytest.mark.parametrize(
    ("table", "setting"),
    [(table, setting) for table, settings in TABLES.items() for setting in settings],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_wrong_value_of_any_setting_is_reported_with_its_line(
    home: Path, table: str, setting: Setting
) -> None:
    others = "# first\ntimeout = 1\n" if setting.name != "timeout" else "\n\n"
    head = f"[{table}]\n" if table else "\n"
    for written in (f"{setting.name} = 1.5", f'{setting.name} = ["",\n]', f"  {setting.name}=[[]] # x"):
        file = write(home / ".config" / "nacre" / "config.toml", f"{others}{head}{written}\n")
        with pytest.raises(RequestError) as raised:
            load(home)
        assert f"({file}, line 4)" in str(raised.value)
        assert setting.name in str(raised.value)


@pytest.mark.req("layers-errors")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("max_timeout = 9\n[shell_tool]\nmax_timeout = 0\n", 3),
        ("shell_tool.max_timeout = 0\n", 1),
        ("verbose = true\nshell_tool = {max_timeout = 0}\n", 2),
        ('[policy]\nallow = [\n  "ls",\n  {command = "git", argz = ["x"]},\n]\n', 4),
        ('[policy]\ndeny = ["ls"]\ndeny_patterns = ["("]\n', 3),
        ('[policy]\n\ninclude = ["nothing"]\n', 3),
        ('[policy]\nalow = ["ls"]\n', 2),
        ('[secrets]\nA = {env = "X"}\nB = "x"\n', 3),
        ('verbose = true\npreset = "none"\n', 2),
    ],
)
def test_the_line_is_the_one_with_the_mistake(home: Path, text: str, line: int) -> None:
    file = write(home / ".config" / "nacre" / "config.toml", text)
    with pytest.raises(RequestError) as raised:
        load(home)
    assert f"{file}, line {line}" in str(raised.value)


@pytest.mark.req("layers-errors")
def test_a_misspelt_variable_is_refused_with_the_nearest(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NACRE_SANDBX", "strict")
    with pytest.raises(RequestError, match=r"NACRE_SANDBX.*NACRE_SANDBOX"):
        load(home)
    monkeypatch.delenv("NACRE_SANDBX")
    monkeypatch.setenv("NACRE_COMMAND", "a command of a server above")
    monkeypatch.setenv("NACRE_OF_ANOTHER_PROGRAM", "1")
    assert ["NACRE_OF_ANOTHER_PROGRAM" in warning for warning in load(home).warnings] == [True]


@pytest.mark.req("layers-order")
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_can_be_a_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch, setting: Setting
) -> None:
    texts = ("agent", "7", "true", "never", "none", "all", "off", "workspace", "a,b", '{A = "b"}')
    for text in texts:
        monkeypatch.setenv(f"NACRE_{setting.name.upper()}", text)
        try:
            layered = load(home)
        except RequestError as error:
            assert f"(NACRE_{setting.name.upper()})" in str(error) or setting.name == "preset"  # noqa: PT017  # many may be wrong, one is right
            continue
        assert layered.origins == {setting.name: f"NACRE_{setting.name.upper()}"}
        return
    pytest.fail(f"no text is a value of {setting.name}")


@pytest.mark.req("layers-project")
def test_a_project_does_not_widen_what_the_command_line_or_a_variable_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        home / "project" / "nacre.toml",
        '[policy]\nallow = ["rm"]\ninclude = ["read-only"]\nask = ["curl"]\nallowed_directories = ["/"]\n',
    )
    rules = {"allow", "include", "ask", "allowed_directories"}
    directory = str(home / "project")
    assert layers.load(None, directory=directory).table["policy"].keys() == rules, "there is no other rule"
    assert "policy" not in layers.load(None, directory=directory, flags={"allow": "ls"}).table
    with_files = layers.load(None, directory=directory, flags={"tools": ("files",)}).table["policy"]
    assert with_files.keys() == rules - {"allowed_directories"}, "file tools stay where commands start"
    monkeypatch.setenv("NACRE_COMMANDS", "ls")
    assert "policy" not in layers.load(None, directory=directory).table


@pytest.mark.req("layers-project")
def test_a_projects_file_does_not_undo_one_above_it(home: Path) -> None:
    above = write(home / "project" / "nacre.toml", 'timeout = 50\n[policy]\ndeny = ["rm"]\n')
    write(home / "project" / "sub" / "nacre.toml", "timeout = 60\n[policy]\ndeny = []\n")
    layered = load(home)
    config = configuration.configure(layered.table)
    assert config.default_timeout_s == 50
    assert config.policy is not None
    assert [rule.text for rule in config.policy.rules] == ["rm"]
    assert ["sub" in warning for warning in layered.warnings] == [True]
    layers.trust(str(above))
    assert configuration.configure(load(home).table).default_timeout_s == 50


@pytest.mark.req("layers-project")
@pytest.mark.parametrize("written", ['"rm"', '["rm"]'])
def test_a_rule_written_as_one_text_is_not_taken_apart(home: Path, written: str) -> None:
    write(home / ".config" / "nacre" / "config.toml", f"[policy]\nblocked_commands = {written}\n")
    write(home / "project" / "nacre.toml", '[policy]\nblocked_commands = "dd"\n')
    policy = configuration.configure(load(home).table).policy
    assert policy is not None
    assert [rule.text for rule in policy.rules] == ["rm", "dd"]


@pytest.mark.req("layers-project")
def test_a_link_to_a_trusted_file_is_not_trusted(home: Path) -> None:
    trusted = write(home / "mine" / "nacre.toml", "timeout = 301\n")
    layers.trust(str(trusted))
    (home / "project" / "nacre.toml").symlink_to(trusted)
    assert load(home).warnings
    (home / "link").symlink_to(home / "mine")
    assert layers.load(None, directory=str(home / "link")).warnings == ()


@pytest.mark.req("layers-project")
def test_what_is_trusted_is_what_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command may change the file between two looks at it: so there is one look."""
    project = write(home / "project" / "nacre.toml", "timeout = 301\n")
    layers.trust(str(project))
    looks: list[bytes] = []

    def changing(_: str) -> bytes:
        looks.append(b"timeout = 302\n" if looks else b"timeout = 301\n")
        return looks[-1]

    monkeypatch.setattr(configuration, "content", changing)
    assert configuration.configure(load(home).table).default_timeout_s == 301
    assert len(looks) == 1


def nacre(home: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NACRE, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        cwd=cwd or home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.req("layers-project")
def test_a_server_obeys_the_projects_file_and_warns_of_the_rest(tmp_path: Path) -> None:
    project = write(
        tmp_path / "project" / "nacre.toml", 'max_timeout = 1800\nshell = "/x"\n[policy]\ndeny = ["rm"]\n'
    )
    with WireClient(cwd=project.parent, env={"XDG_CONFIG_HOME": str(tmp_path / "none")}) as client:
        client.shake_hands()
        assert "denied" in text_of(client.call("shell", command="rm x"))
        assert text_of(client.call("shell", command="echo hi")).endswith("hi")
        assert "shell would widen" in client.stderr.decode()


@pytest.mark.req("config-cli")
def test_show_tells_values_and_where_they_come_from(tmp_path: Path) -> None:
    project = write(tmp_path / "nacre.toml", "timeout = 100\nverbose = true\n")
    shown: dict[str, Any] = json.loads(nacre(tmp_path, "config", "show", "--json").stdout)
    rows = {row["name"]: (row["value"], row["from"]) for row in shown["settings"]}
    assert rows["timeout"] == (100, str(project))
    assert (rows["max_sessions"], rows["audit_log"]) == ((16, "default"), (None, "default"))
    assert "verbose" in shown["warnings"][0]
    trusted = nacre(tmp_path, "trust")
    assert (trusted.returncode, trusted.stdout.startswith(str(project))) == (0, True)
    assert "Now in force: verbose" in trusted.stdout
    changed = nacre(tmp_path, "config", "show", "--changed").stdout
    assert changed == f"timeout = 100  # {project}\nverbose = true  # {project}\n"
    assert "no longer trusted" in nacre(tmp_path, "trust", "--revoke").stdout


@pytest.mark.req("config-cli")
@pytest.mark.parametrize("intent", ["read-only-helper", "project-developer", "locked-down-operator"])
def test_the_first_file_is_valid_and_fits_the_schema(tmp_path: Path, intent: str) -> None:
    assert nacre(tmp_path, "config", "init", "--for", intent).returncode == 0
    file = tmp_path / ".config" / "nacre" / "config.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    table = configuration.read(str(file))
    assert configuration.configure(table).sandbox == table["sandbox"] != "off"
    schema = json.loads(nacre(tmp_path, "config", "schema").stdout)
    jsonschema.validate(table, schema)
    commented = re.findall(r"^# (\w+ = (?!\.\.\.).*)$", file.read_text(), re.MULTILINE)
    defaults = configuration.configure(tomllib.loads("\n".join(commented)))
    assert defaults == configuration.configure({}), "a comment is a default"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"timeoutt": 1}, schema)
    again = nacre(tmp_path, "config", "init", "--for", intent)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)


@pytest.mark.req("config-cli")
@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('[secrets]\nA = {file = "/x"}\nB = {command = "pass x"}', True),
        ('[secrets]\nA = "value"', False),
        ('[secrets]\nA = {file = "/x", env = "Y"}', False),
        ('sandbox_network = ["example.org"]', True),
        ('sandbox_network = "off"', True),
        ('sandbox_network = "some"', False),
    ],
)
def test_the_schema_knows_secrets_and_hosts(tmp_path: Path, text: str, fits: bool) -> None:  # noqa: FBT001  # a column
    schema = json.loads(nacre(tmp_path, "config", "schema").stdout)
    with contextlib.nullcontext() if fits else pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), schema)


@pytest.mark.req("layers-project")
def test_a_project_gives_no_command_a_secret_of_the_persons(home: Path) -> None:
    write(home / ".config" / "nacre" / "config.toml", '[secrets]\nTOKEN = {env = "HOME"}\n')
    rule = '{command = "./mine", secrets = ["TOKEN"]}'
    write(
        home / "project" / "nacre.toml",
        f'secrets_given = "all"\n[policy]\nallow = [{rule}]\nask = [{rule}]\n',
    )
    layered = load(home)
    config = configuration.configure(layered.table)
    assert config.policy is not None
    assert config.policy.secrets == frozenset()
    assert config.secrets_given == "rules"
    assert [rule.text for rule in config.policy.rules] == ["./mine", "./mine"]
    assert "policy.allow with secrets" in layered.warnings[0]
    write(home / "project" / "nacre.toml", '[secrets]\nOTHER = {command = "./mine"}\n')
    assert configuration.configure(load(home).table).secrets.keys() == {"TOKEN"}


@pytest.mark.req("config-cli")
def test_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    done = nacre(tmp_path, "config", "init")
    assert (done.returncode, "--for read-only-helper" in done.stderr) == (2, True)
    assert not (tmp_path / ".config").exists()
