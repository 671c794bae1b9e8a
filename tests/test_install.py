"""`nacre install` and `uninstall`: the right file, the right entry, and nothing else of the file changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from clients import agents
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_client import WireClient

from nacre.errors import RequestError
from nacre.install import json_text, settings_file, toml_text, yaml_text
from nacre.install.clients import CLIENTS, World, client_named, snippet

NACRE = Path(sys.executable).with_name("nacre")
ENTRY = {"command": "/opt/bin/nacre", "args": ["--working-dir", "/srv/a b"]}
AT = ("mcpServers", "nacre")

COMMENTED = """\
{
    // the editor's own
    "theme": "dark", /* and why */
    "mcpServers": {
        "other": {"command": "x"}, // stays
    },
    "last": [1, 2, {"mcpServers": 3}]
}
"""


def nacre(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    return subprocess.run(
        [NACRE, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


# -- where the settings are


@pytest.mark.req("install-clients")
@pytest.mark.parametrize(
    ("name", "platform", "path"),
    [
        ("claude-desktop", "darwin", "/h/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", r"C:\data\Claude\claude_desktop_config.json"),
        ("vscode", "linux", "/h/.config/Code/User/mcp.json"),
        ("vscode", "darwin", "/h/Library/Application Support/Code/User/mcp.json"),
        ("zed", "darwin", "/h/.config/zed/settings.json"),
        ("zed", "win32", r"C:\data\Zed\settings.json"),
        ("goose", "win32", r"C:\data\Block\goose\config\config.yaml"),
        ("codex", "linux", "/codex/config.toml"),
        ("claude-code", "linux", "/h/.claude.json"),
    ],
)
def test_each_client_has_its_file_on_each_platform(name: str, platform: str, path: str) -> None:
    world = World(platform, "/h", {"APPDATA": r"C:\data", "CODEX_HOME": "/codex"})
    assert client_named(name).where(world) == path


@pytest.mark.req("install-clients")
def test_there_are_twelve_clients_and_each_snippet_is_whole() -> None:
    assert len(CLIENTS) == 12
    readers: dict[str, Any] = {"json": json.loads, "toml": tomllib.loads}
    for client in CLIENTS:
        text = snippet(client, "nacre", ["/opt/bin/nacre", "--preset", "agent"])
        assert "/opt/bin/nacre" in text
        if client.text_format in readers:
            assert client.key in readers[client.text_format](text)


@pytest.mark.req("install-clients")
def test_an_unknown_client_is_answered_with_the_nearest() -> None:
    with pytest.raises(RequestError, match="Did you mean cursor"):
        client_named("curser")


# -- texts


@pytest.mark.req("install-keeps")
def test_comments_order_and_indentation_of_json_stay() -> None:
    added = json_text.with_entry(COMMENTED, AT, ENTRY)
    assert added == COMMENTED.replace(
        "// stays\n",
        '// stays\n        "nacre": {\n            "command": "/opt/bin/nacre",\n            "args": [\n'
        '                "--working-dir",\n                "/srv/a b"\n            ]\n        },\n',
    )
    assert json_text.without_entry(added, AT) == COMMENTED


@pytest.mark.req("install-keeps")
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }\n",
        "{\n}\n",
        '{"a": 1}',
        '{"a": 1,}',
        '{\n\t"a": 1\n}\n',
        '{"mcpServers": {}}',
        '{"mcpServers": {"nacre": {"old": true}}}',
        '{"mcpServers": {"nacre": 1, "b": 2}, "z": "}"}',
        '{"mcpServers": {"a": {}, // x, y }\n "b": {} /* , */ }}',
        '// head\n{"mcpServers": {\n  // only a comment\n}} // tail',
        "",
    ],
)
def test_any_json_gets_the_entry_and_loses_it_again(text: str) -> None:
    before: Any = json_text.parse(text).data if text else {}
    added = json_text.with_entry(text, AT, ENTRY)
    others = {key: value for key, value in before.items() if key != "mcpServers"}
    servers = {key: value for key, value in before.get("mcpServers", {}).items() if key != "nacre"}
    assert json_text.parse(added).data == {**others, "mcpServers": {**servers, "nacre": ENTRY}}
    removed = json_text.without_entry(added, AT)
    assert json_text.parse(removed).data == {**others, "mcpServers": servers}
    assert [mark in removed for mark in ("// head", "// x, y }", "/* , */", "only a comment", "// tail")] == [
        mark in text for mark in ("// head", "// x, y }", "/* , */", "only a comment", "// tail")
    ]


@pytest.mark.req("install-keeps")
@settings(max_examples=40)
@given(
    st.dictionaries(
        st.text(max_size=5), st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists)
    ),
    st.sampled_from([None, 2, "\t"]),
)
def test_json_that_others_wrote_keeps_its_meaning(data: dict[str, Any], indent: int | str | None) -> None:
    data.pop("mcpServers", None)
    added = json_text.with_entry(json.dumps(data, indent=indent), AT, ENTRY)
    assert json.loads(added) == {**data, "mcpServers": {"nacre": ENTRY}}
    assert json.loads(json_text.without_entry(added, AT)) == {**data, "mcpServers": {}}


@pytest.mark.req("install-broken")
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n "a": 1\n "b": 2\n}', "line 3, column 2"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": 1', "line 1, column 8"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 1} x', "line 1, column 10"),
        ('{"mcpServers": []}', '"mcpServers" should be an object'),
        ("[]", "the whole file should be an object"),
        ('{"a": "\\q"}', "line 1, column 7"),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(RequestError, match=where):
        json_text.with_entry(text, AT, ENTRY)


@pytest.mark.req("install-keeps")
def test_tables_of_toml_stay_where_they_are() -> None:
    text = (
        '# mine\nmodel = "x" # keep\n\n[mcp_servers.nacre]\ncommand = "old"\n'
        '[mcp_servers.nacre.env]\nA = "1"\n\n# about z\n[z]\nb = 1\n'
    )
    changed = toml_text.with_entry(text, ("mcp_servers", "nacre"), ENTRY)
    assert changed == (
        '# mine\nmodel = "x" # keep\n\n[mcp_servers.nacre]\ncommand = "/opt/bin/nacre"\n'
        'args = ["--working-dir", "/srv/a b"]\n\n# about z\n[z]\nb = 1\n'
    )
    assert toml_text.without_entry(changed, ("mcp_servers", "nacre")) == (
        '# mine\nmodel = "x" # keep\n\n# about z\n[z]\nb = 1\n'
    )


@pytest.mark.req("install-broken")
@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {nacre = {command = "x"}}\n',
        'mcp_servers.nacre.command = "x"\n',
        'a = """\n[mcp_servers.nacre]\n"""\n[mcp_servers.nacre]\ncommand = "x"\n',
    ],
)
def test_toml_that_cannot_be_changed_safely_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(RequestError, match="Nothing was changed"):
        settings_file.removing(str(file), "toml", ("mcp_servers", "nacre"))
    assert file.read_text() == text


@pytest.mark.req("install-keeps")
def test_other_extensions_in_yaml_stay() -> None:
    text = "GOOSE_MODEL: x # mine\nextensions:\n  developer:\n    enabled: true\n\n# end\nz: 1\n"
    added = yaml_text.with_entry(
        text, ("extensions", "nacre"), {"enabled": True, "args": ["a: b"], "envs": {}}
    )
    assert added == text.replace(
        "extensions:\n", 'extensions:\n  nacre:\n    enabled: true\n    args:\n    - "a: b"\n    envs: {}\n'
    )
    assert yaml_text.without_entry(added, ("extensions", "nacre")) == text


@pytest.mark.req("install-broken")
@pytest.mark.parametrize(
    "text",
    [
        "extensions: {a: {}}\n",
        "extensions:\n\tnacre: 1\n",
        "a: 1\n---\nextensions:\n",
        "# mine\n---\nextensions:\n  a:\n    cmd: x\n---\nb: 1\n",
        "extensions:\n...\n",
    ],
)
def test_yaml_in_another_style_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(RequestError, match="line"):
        yaml_text.with_entry(text, ("extensions", "nacre"), ENTRY)


# -- files


@pytest.mark.req("install-keeps")
def test_line_ends_byte_order_mark_mode_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_bytes(b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n')
    real.chmod(0o640)
    link.symlink_to(real)
    backup = settings_file.write(settings_file.adding(str(link), "json", AT, ENTRY))
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    written = real.read_bytes()
    assert written.startswith(b'\xef\xbb\xbf{\r\n  "a": 1,\r\n')
    assert written.count(b"\n") == written.count(b"\r\n")
    assert backup
    assert Path(backup).read_bytes() == b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n'


@pytest.mark.req("install-broken")
def test_a_broken_file_is_left_alone_and_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{\n  "mcpServers": {\n')
    done = nacre(tmp_path, "install", "cursor")
    assert done.returncode == 2
    assert f"{file}: line 3, column 1" in done.stderr
    assert "Nothing was changed" in done.stderr
    assert [path.name for path in file.parent.iterdir()] == ["mcp.json"]
    assert file.read_text() == '{\n  "mcpServers": {\n'


@pytest.mark.req("install-broken")
def test_what_cannot_be_read_as_settings_is_refused_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"a":' * 5000 + "1" + "}" * 5000)
    deep = nacre(tmp_path, "install", "cursor")
    assert (deep.returncode, deep.stderr.count("\n")) == (2, 1)
    assert "nested too deeply" in deep.stderr
    other = tmp_path / ".codex" / "config.toml"
    other.parent.mkdir()
    other.write_text("[[mcp_servers]]\nname = 1\n")
    listed = nacre(tmp_path, "install", "codex")
    assert (listed.returncode, listed.stderr.count("\n")) == (2, 1)
    assert "should be a table" in listed.stderr
    file.unlink()
    os.mkfifo(file)
    pipe = nacre(tmp_path, "install", "cursor")
    assert pipe.returncode == 2
    assert "not a regular file" in pipe.stderr


@pytest.mark.req("install-options")
def test_a_dry_run_and_print_write_nothing(tmp_path: Path) -> None:
    shown = nacre(tmp_path, "install", "cursor", "--dry-run", "--", "--preset", "agent")
    assert shown.stdout.startswith("--- /dev/null\n+++ ")
    assert '+      "command": ' in shown.stdout
    printed = nacre(tmp_path, "install", "codex", "--print")
    assert tomllib.loads(printed.stdout)["mcp_servers"]["nacre"]["tool_timeout_sec"] == 1860
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("install-options")
def test_wrong_options_of_the_server_are_told_now(tmp_path: Path) -> None:
    done = nacre(tmp_path, "install", "cursor", "--", "--presett", "agent")
    assert done.returncode == 2
    assert "--presett" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("install-options")
def test_a_project_gets_its_own_file(tmp_path: Path) -> None:
    assert nacre(tmp_path, "install", "vscode", "--project", str(tmp_path)).returncode == 0
    assert json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"]["nacre"]["type"] == "stdio"
    refused = nacre(tmp_path, "install", "lm-studio", "--project", str(tmp_path))
    assert (refused.returncode, "no settings of a project" in refused.stderr) == (2, True)


@pytest.mark.req("install-options")
def test_without_a_client_it_lists_them_with_their_state(tmp_path: Path) -> None:
    nacre(tmp_path, "install", "goose")
    listed = nacre(tmp_path, "install").stdout.splitlines()
    states = {line.split()[0]: line[16:40].strip() for line in listed if line and not line.startswith("`")}
    assert (states["goose"], states["zed"]) == ("has nacre", "not found")


@pytest.mark.req("install-options")
def test_installing_twice_changes_nothing_and_uninstalling_undoes_it(tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(COMMENTED)
    assert nacre(tmp_path, "install", "cursor").returncode == 0
    assert "already has it" in nacre(tmp_path, "install", "cursor").stdout
    entry: Any = settings_file.servers_in(str(file), "json", AT[0])[AT[1]]
    with WireClient(program=[entry["command"], *entry["args"]], cwd=tmp_path) as client:
        client.shake_hands()
    assert nacre(tmp_path, "uninstall", "cursor").returncode == 0
    assert file.read_text() == COMMENTED


@pytest.mark.req("install-keeps")
def test_the_marker_of_a_first_yaml_document_stays() -> None:
    text = "# mine\n---\nmodel: x\n"
    added = yaml_text.with_entry(text, ("extensions", "nacre"), {"enabled": True})
    assert added == f"{text}extensions:\n  nacre:\n    enabled: true\n"


@pytest.mark.req("install-broken")
def test_entries_in_yaml_are_read_as_goose_and_as_people_write_them() -> None:
    text = (
        "extensions:\n  one:\n    cmd: /bin/nacre # mine\n    args:\n    - --working-dir\n    - 'it''s'\n"
        '    envs:\n      A: "x: y"\n    timeout: 300\n  # between\n  "two":\n    args: ["a"]\n    cmd: n\n'
    )
    one = {"cmd": "/bin/nacre", "args": ["--working-dir", "it's"], "envs": {"A": "x: y"}, "timeout": "300"}
    assert yaml_text.entries_of(text, "extensions") == {"one": one, "two": {"args": ["a"], "cmd": "n"}}
    assert yaml_text.entries_of("a: 1\n", "extensions") == {}


# -- the clients' own command lines


@pytest.mark.req("install-real-clients")
@pytest.mark.parametrize(
    ("client", "program"),
    [
        ("claude-code", ["@anthropic-ai/claude-code-{platform}-*/claude"]),
        ("codex", ["node", "@openai/codex/bin/codex.js"]),
        ("gemini", ["node", "@google/gemini-cli/bundle/gemini.js"]),
    ],
)
def test_the_client_itself_lists_what_was_installed(tmp_path: Path, client: str, program: list[str]) -> None:
    agents.require_installed()
    assert nacre(tmp_path, "install", client, "--", "--working-dir", str(tmp_path)).returncode == 0
    found = next(agents.PACKAGES.glob(program[-1].format(platform=sys.platform)))
    listed = subprocess.run(
        [*program[:-1], str(found), "mcp", "list"],
        cwd=tmp_path,
        env={"PATH": f"{agents.new_node()}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    said = listed.stdout + listed.stderr
    assert "nacre" in said, said
    assert str(NACRE) in said, said
