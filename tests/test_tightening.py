"""A project's file can only tighten: held for every setting of the table, in both directions, and for rules.

Which settings a project may set at all, and what counts as tighter, is written down here once more, by hand:
a new setting is not a project's to set until somebody adds it in both places.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge
from nacre.settings import configuration, layers
from nacre.settings.table import CONTAINER_SETTINGS, SETTINGS, SHELL_TOOL_SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    from nacre.config import Config
    from nacre.settings.table import Setting

LESS_IS_TIGHTER = {
    *("default_timeout_s", "max_timeout_s", "reply_limit_bytes", "max_output_bytes", "spool_total_bytes"),
    "max_sessions",
}
ZERO_IS_NO_LIMIT = {
    *("limit_cpu_s", "limit_memory_bytes", "limit_processes", "limit_open_files", "limit_file_bytes"),
    *("limit_output_bytes", "limit_tmp_bytes"),
}
TIGHTER_LEVELS = {"off": {"workspace", "read-only", "strict"}, "workspace": {"read-only", "strict"}}
MOST_VALUES = 5  # of one setting: any text is a path
FOLLOWING = {"sandbox_chosen", "timeout_chosen"}  # that somebody has set the other
TRIED: tuple[Any, ...] = (
    *(True, False, 1, 2, 90, "1 MB", "2 MB", "auto", "always", "never", "lean", "full", "none", "login"),
    *("all", "core", "rules", "off", "on", "workspace", "read-only", "strict", "agent", "container"),
    *(["a"], ["b", "c"], {"A": "b"}, {"B": ["c"]}, "/tmp/a", "sh"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with a project in it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setattr(layers, "system_path", lambda: str(tmp_path / "none"))
    (tmp_path / "project").mkdir()
    (tmp_path / ".config" / "nacre").mkdir(parents=True)
    return tmp_path


def held(home: Path, own: str, projects: str) -> Config:
    """What holds with these two files."""
    (home / ".config" / "nacre" / "config.toml").write_text(own)
    (home / "project" / "nacre.toml").write_text(projects)
    return configuration.configure(layers.load(None, directory=str(home / "project")).table)


def values(setting: Setting) -> list[Any]:
    """Values that a setting takes, each once."""
    taken: dict[str, Any] = {}
    for value in ("agent", "container") if setting.name == "preset" else TRIED:
        try:
            taken.setdefault(repr(setting.kind.read(value)), value)
        except (ValueError, TypeError, AttributeError):
            continue
    return list(taken.values())[:MOST_VALUES]


def in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {json.dumps(each)}" for key, each in value.items()) + "}"  # pyright: ignore[reportUnknownVariableType]
    return json.dumps(value)


def is_tighter(field: str, new: Any, old: Any) -> bool:
    if field in LESS_IS_TIGHTER:
        return new < old
    if field in ZERO_IS_NO_LIMIT:
        return new > 0 and (old == 0 or new < old)
    if field == "sandbox":
        return new in TIGHTER_LEVELS.get(old, set())
    if field == "environment_exclude":
        return set(new) > set(old)
    return (field, new) in (("sandbox_network", "off"), ("audit_required", True))


@pytest.mark.req("layers-project")
@pytest.mark.parametrize(
    ("table", "setting"),
    [
        *(("", setting) for setting in SETTINGS),
        *(("shell_tool", setting) for setting in SHELL_TOOL_SETTINGS),
        *(("container", setting) for setting in CONTAINER_SETTINGS),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_no_value_of_a_setting_widens_another(home: Path, table: str, setting: Setting) -> None:
    taken = values(setting)
    assert taken, f"TRIED has no value for {setting.name}"
    lines = ["", *(f"{setting.name} = {in_toml(value)}\n" for value in taken)]
    head = f"[{table}]\n" if table else ""
    for own, projects in itertools.permutations([head + line if line else "" for line in lines], 2):
        before, after = held(home, own, ""), held(home, own, projects)
        changed = [
            each.name for each in fields(after) if getattr(after, each.name) != getattr(before, each.name)
        ]
        for field in changed:
            new, old = getattr(after, field), getattr(before, field)
            assert field in FOLLOWING or is_tighter(field, new, old), (own, projects, field)


COMMANDS = (
    *("ls", "rm -rf x", "git push", "cat /etc/passwd", "echo x > f", "cd / && ls", "sudo id"),
    *("export A=1; ls", "curl example.org", "type ls"),
)
RULES = (
    *('allow = ["ls"]', 'allow = ["*"]', 'allow = ["git push", "rm", "cat", "echo", "cd"]'),
    *('ask = ["rm"]', 'ask = ["*"]', 'deny = ["ls"]', 'deny = ["rm"]', 'include = ["read-only"]'),
    *("allow_writes = false", "allow_writes = true", "free_builtins = false", "free_builtins = true"),
    *('allowed_directories = ["."]', 'allowed_directories = ["/"]', 'ask_patterns = ["rm.*"]'),
    *('deny_patterns = ["^ls"]', 'blocked_commands = ["git"]'),
)
ORDER = ("deny", "ask", "allow")


def verdicts(home: Path, config: Config) -> list[int]:
    policy = replace(config.policy or Policy(), files=LOCAL_FILES)
    project = str(home / "project")
    found = [judge(command, policy, cwd=project) for command in COMMANDS]
    return [ORDER.index(verdict.decision) for verdict in found]


@pytest.mark.req("layers-project")
@pytest.mark.parametrize("own", ["", *RULES])
def test_no_rule_of_a_project_widens_a_verdict(home: Path, own: str) -> None:
    own_file = f"[policy]\n{own}\n".replace('"."', json.dumps(str(home / "project")))
    before = verdicts(home, held(home, own_file, ""))
    for rule in RULES:
        after = verdicts(home, held(home, own_file, f"[policy]\n{rule}\n"))
        widened = [COMMANDS[at] for at in range(len(COMMANDS)) if after[at] > before[at]]
        assert widened == [], rule
