"""The file tools: pages that add up to the file, writes that are whole, and no way out of the directories."""

from __future__ import annotations

import base64
import ntpath
import os
import posixpath
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_client import NACRE, WireClient, ended_records, text_of

from nacre import presets
from nacre.errors import NacreError, Refused
from nacre.file_records import ListDirectory, Listing, Page, ReadFile, WriteFile
from nacre.places.file_work import AllowedRoots, ResolvedPath, names_below, perform

Start = Callable[..., WireClient]


@pytest.fixture
def files(start: Start, tmp_path: Path) -> WireClient:
    """A server with file tools, in a directory with something outside of it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("not for you")
    return start("--tools", "files", "--working-dir", str(tmp_path / "work"))


def call_checked(client: WireClient, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result of a call that must succeed, held against the schema."""
    result = client.call(tool, **arguments)
    assert result["isError"] is False, result
    schema = next(
        each["outputSchema"]
        for each in client.request("tools/list")["result"]["tools"]
        if each["name"] == tool
    )
    jsonschema.validate(result["structuredContent"], schema)
    return result["structuredContent"]


def complaint(client: WireClient, tool: str, **arguments: Any) -> str:
    result = client.call(tool, **arguments)
    assert result["isError"] is True, result
    return text_of(result)


# -- the tools


@pytest.mark.req("002-files-tools")
def test_the_set_is_there_when_it_is_wanted_and_only_then(files: WireClient, start: Start) -> None:
    names = [tool["name"] for tool in files.request("tools/list")["result"]["tools"]]
    assert names == ["shell", "session", "job", "output", "read_file", "write_file", "list_directory"]
    plain = [tool["name"] for tool in start().request("tools/list")["result"]["tools"]]
    assert plain == ["shell", "session", "job", "output"]


@pytest.mark.req("002-files-tools")
def test_a_settings_file_names_the_set_too(start: Start, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('tools = ["files"]\n')
    client = start("--config", str(tmp_path / "config.toml"))
    assert call_checked(client, "list_directory")["total"] == 1


@pytest.mark.req("002-files-read")
@pytest.mark.req("002-files-write")
def test_what_is_written_is_read_again(files: WireClient, tmp_path: Path) -> None:
    text = "first\nsecond ☃\r\nno newline at the end"
    done = call_checked(files, "write_file", path="note.txt", content=text)
    assert done == {
        "path": str(tmp_path / "work" / "note.txt"),
        "size_bytes": len(text.encode()),
        "created": True,
    }
    page = call_checked(files, "read_file", path="note.txt")
    assert (page["content"], page["encoding"], page["next"]) == (text, "utf-8", None)
    assert (page["total_lines"], page["total_bytes"], page["count"]) == (3, len(text.encode()), 3)
    assert "lines 1 to 3 of 3 lines" in text_of(files.call("read_file", path="note.txt"))


@pytest.mark.req("002-files-binary")
def test_what_is_no_text_travels_as_base64_both_ways(files: WireClient, tmp_path: Path) -> None:
    data = bytes(range(256)) * 3
    call_checked(
        files,
        "write_file",
        path="blob",
        content=base64.b64encode(data).decode(),
        encoding="base64",
        mode="create",
    )
    assert (tmp_path / "work" / "blob").read_bytes() == data
    page = call_checked(files, "read_file", path="blob", unit="bytes", offset=100, limit=200)
    assert page["encoding"] == "base64"
    assert base64.b64decode(page["content"]) == data[100:300]
    assert page["next"] == {"unit": "bytes", "offset": 300}
    assert "content is not base64" in complaint(
        files, "write_file", path="x", content="%%%", encoding="base64"
    )


@pytest.mark.req("002-files-paged")
def test_pages_by_lines_have_totals_and_say_where_to_go_on(files: WireClient, tmp_path: Path) -> None:
    (tmp_path / "work" / "long").write_text("".join(f"line {n}\n" for n in range(100_000)))
    page = call_checked(files, "read_file", path="long", offset=99_990, limit=4)
    assert page["content"] == "line 99990\nline 99991\nline 99992\nline 99993\n"
    assert page["next"] == {"unit": "lines", "offset": 99_994}
    assert page["total_lines"] == 100_000
    assert call_checked(files, "read_file", path="long", offset=200_000)["count"] == 0
    first = call_checked(files, "read_file", path="long")
    assert len(first["content"]) <= 32 * 1024
    assert call_checked(files, "read_file", path="long", **first["next"])["content"].startswith(
        f"line {first['count']}\n"
    )


@pytest.mark.req("002-files-paged")
def test_a_huge_file_costs_no_memory_and_its_lines_are_not_counted(files: WireClient, tmp_path: Path) -> None:
    with (tmp_path / "work" / "huge").open("wb") as file:
        file.write(b"start\n")
        file.truncate(100 << 30)  # a hole: it takes no disk
    page = call_checked(files, "read_file", path="huge", limit=1)
    assert (page["content"], page["total_bytes"], page["total_lines"]) == ("start\n", 100 << 30, None)
    middle = call_checked(files, "read_file", path="huge", unit="bytes", offset=50 << 30, limit=3)
    assert base64.b64decode(middle["content"]) == b"\0\0\0"
    peak = next(
        line
        for line in Path(f"/proc/{files.process.pid}/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    assert int(peak.split()[1]) < 200_000  # kB


@pytest.mark.req("002-files-paged")
def test_a_file_that_says_it_is_empty_is_read_all_the_same(start: Start) -> None:
    client = start("--tools", "files", "--working-dir", "/proc/self")
    page = call_checked(client, "read_file", path="/proc/self/limits")  # the same at every read
    assert page["total_lines"] > 10
    assert page["total_bytes"] == len(page["content"])


@pytest.mark.req("002-files-list")
def test_a_directory_is_listed_sorted_in_pages_with_types_and_sizes(
    files: WireClient, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    (work / "b.txt").write_text("four")
    (work / ".hidden").touch()
    (work / "sub").mkdir()
    (work / "link").symlink_to("b.txt")
    os.mkfifo(work / "pipe")
    (work / os.fsdecode(b"odd\xff")).touch()
    listing = call_checked(files, "list_directory")
    kinds = {entry["name"]: entry["type"] for entry in listing["entries"]}
    assert list(kinds.items()) == [
        (".hidden", "file"),
        ("b.txt", "file"),
        ("link", "link"),
        ("odd\\xff", "file"),
        ("pipe", "other"),
        ("sub", "directory"),
    ]
    assert listing["entries"][1]["size_bytes"] == 4
    assert listing["entries"][2]["target"] == "b.txt"
    page = call_checked(files, "list_directory", path=".", offset=2, limit=3)
    assert [entry["name"] for entry in page["entries"]] == ["link", "odd\\xff", "pipe"]
    assert (page["next"], page["total"]) == (5, 6)
    assert call_checked(files, "list_directory", path="sub")["entries"] == []


@pytest.mark.req("002-files-write")
def test_modes_say_whether_a_file_may_or_must_be_there(files: WireClient, tmp_path: Path) -> None:
    assert "does not exist" in complaint(files, "write_file", path="a", content="1", mode="replace")
    assert call_checked(files, "write_file", path="a", content="1", mode="create")["created"] is True
    assert "exists already" in complaint(files, "write_file", path="a", content="2", mode="create")
    assert call_checked(files, "write_file", path="a", content="3", mode="replace")["created"] is False
    assert call_checked(files, "write_file", path="a", content="4")["created"] is False
    assert (tmp_path / "work" / "a").read_text() == "4"
    assert os.listdir(tmp_path / "work") == ["a"]


@pytest.mark.req("002-files-atomic")
def test_a_replaced_file_keeps_its_mode_and_its_link_and_the_old_inode_its_content(
    files: WireClient, tmp_path: Path
) -> None:
    script = tmp_path / "work" / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    (tmp_path / "work" / "link").symlink_to("run.sh")
    with script.open() as reader:
        call_checked(files, "write_file", path="link", content="new")
        assert reader.read() == "old"  # whoever had it open has the whole old one
    assert script.read_text() == "new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert (tmp_path / "work" / "link").is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    call_checked(files, "write_file", path="fresh", content="")
    assert stat.S_IMODE((tmp_path / "work" / "fresh").stat().st_mode) == 0o666 & ~mask


@pytest.mark.req("002-files-atomic")
def test_a_reader_never_sees_half_a_file(files: WireClient, tmp_path: Path) -> None:
    target = tmp_path / "work" / "target"
    target.write_text("a" * 1_000_000)
    seen: set[tuple[str, int]] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            text = target.read_text()
            seen.add((text[:1], len(text)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for letter in "bcdbcdbcd":
        call_checked(files, "write_file", path="target", content=letter * 1_000_000)
    stop.set()
    watcher.join()
    assert {size for _, size in seen} == {1_000_000}


@pytest.mark.req("002-files-errors")
def test_errors_say_what_is_wrong_and_what_to_do(files: WireClient, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "README.md").touch()
    (work / "sub").mkdir()
    os.mkfifo(work / "pipe")
    assert "README.md" in complaint(files, "read_file", path="RAEDME.md")
    assert str(work) in complaint(files, "read_file", path="no/such/thing")
    assert "list_directory" in complaint(files, "read_file", path="sub")
    assert "list_directory" in complaint(files, "write_file", path="sub", content="")
    assert "is a directory" in complaint(files, "write_file", path=".", content="")
    assert "not a regular file" in complaint(files, "read_file", path="pipe")
    assert "not a regular file" in complaint(files, "write_file", path="pipe", content="")
    assert "does not lead through" in complaint(files, "list_directory", path="README.md")
    assert "does not exist" in complaint(files, "write_file", path="no/such", content="")
    assert "name that is too long" in complaint(files, "write_file", path="x" * 300, content="")
    assert "NUL" in complaint(files, "read_file", path="a\0b")
    assert "unit must be one of" in complaint(files, "read_file", path="x", unit="pages")
    assert "offset must be at least 0" in complaint(files, "read_file", path="x", offset=-1)


@pytest.mark.req("002-files-errors")
def test_a_disk_without_room_leaves_the_old_file_and_nothing_else(start: Start, tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    box = ["bwrap", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", str(tmp_path / "small")]
    client = start("--tools", "files", "--working-dir", str(tmp_path / "small"), program=[*box, *NACRE])
    call_checked(client, "write_file", path="a", content="old")
    assert "No space left" in complaint(client, "write_file", path="a", content="x" * 1_000_000)
    assert call_checked(client, "read_file", path="a")["content"] == "old"
    assert [entry["name"] for entry in call_checked(client, "list_directory")["entries"]] == ["a"]


# -- inside


@pytest.mark.req("002-files-confined")
def test_what_lies_outside_is_refused(files: WireClient, tmp_path: Path) -> None:
    (tmp_path / "work" / "sub").mkdir()
    (tmp_path / "work" / "way-out").symlink_to("..")
    ways = [
        "../secret",
        "/etc/passwd",
        "way-out",
        "way-out/secret",
        "sub/../../secret",
        "~root/x",
        "~/x",
        "/",
    ]
    for path in ways:
        assert "is outside of" in complaint(files, "read_file", path=path)
        assert "is outside of" in complaint(files, "list_directory", path=path)
        assert "is outside of" in complaint(files, "write_file", path=path, content="changed")
    assert (tmp_path / "secret").read_text() == "not for you"


@pytest.mark.req("002-files-confined")
def test_a_link_that_stays_inside_is_followed(files: WireClient, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "deep" / "deeper").mkdir(parents=True)
    (work / "deep" / "file").write_text("here")
    (work / "way").symlink_to(work / "deep")
    assert call_checked(files, "read_file", path="way/deeper/../file")["content"] == "here"


@pytest.mark.req("002-files-confined")
def test_a_directory_that_becomes_a_link_while_it_is_opened_leads_nowhere(tmp_path: Path) -> None:
    root = str(tmp_path / "work")
    (tmp_path / "work" / "sub").mkdir(parents=True)
    (tmp_path / "work" / "sub" / "secret").write_text("mine")
    (tmp_path / "secret").write_text("not for you")
    found = {
        work: AllowedRoots([root], root).find(work)
        for work in (ReadFile("sub/secret"), WriteFile("sub/secret", b"x"), ListDirectory("sub"))
    }
    (tmp_path / "work" / "sub").rename(tmp_path / "work" / "old")
    (tmp_path / "work" / "sub").symlink_to("..")  # just now
    for work, path in found.items():
        with pytest.raises(NacreError, match=r"link, or became one|does not lead through"):
            perform(work, path, 1000)
    assert (tmp_path / "secret").read_text() == "not for you"


NAMES = st.sampled_from(["..", ".", "", "a", "b", "out", "in", "up", "file", "~", "secret"])


@pytest.mark.req("002-files-confined")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(NAMES, min_size=1, max_size=8), absolute=st.booleans())
def test_no_path_leads_out(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[str],
    absolute: bool,  # noqa: FBT001  # hypothesis
) -> None:
    top = maze(tmp_path_factory)
    path = "/".join(parts)
    if absolute:
        path = f"{top}/{path}"
    root = str(top / "root")
    for work in (ReadFile(path), ListDirectory(path)):
        try:
            done = perform(work, AllowedRoots([root], root).find(work), 1000)
        except NacreError:
            continue
        assert done.path == root or done.path.startswith(root + "/")
        if isinstance(done, Page):
            assert done.content == "inside"
        elif isinstance(done, Listing):
            assert "secret" not in [entry.name for entry in done.entries]


_mazes: list[Path] = []


def maze(factory: pytest.TempPathFactory) -> Path:
    """A root with links in all directions, made once."""
    if not _mazes:
        top = factory.mktemp("maze")
        (top / "secret").write_text("outside")
        (top / "root" / "a" / "b").mkdir(parents=True)
        (top / "root" / "a" / "file").write_text("inside")
        (top / "root" / "out").symlink_to("..")
        (top / "root" / "a" / "out").symlink_to(top)
        (top / "root" / "a" / "b" / "up").symlink_to("../..")
        (top / "root" / "in").symlink_to("a/b")
        (top / "in").symlink_to("root/a")
        _mazes.append(top)
    return _mazes[0]


@pytest.mark.req("002-files-confined")
@given(names=st.lists(st.text("abC. ", min_size=1, max_size=4), max_size=4))
def test_names_below_a_root_are_what_follows_it(names: list[str]) -> None:
    for flavour, root in ((posixpath, "/srv/p"), (ntpath, "C:\\srv\\p")):
        climbs = any(name in {".", ".."} for name in names)
        expected = None if climbs else tuple(names)
        assert names_below(flavour.sep.join((root, *names)), root, flavour) == expected
        assert names_below(flavour.sep.join((root + "x", *names)), root, flavour) is None


@pytest.mark.req("002-files-confined")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "c:\\SRV\\project\\Sub\\File.txt",
            ("Sub", "File.txt"),
        ),  # any case of the root matches; the rest is kept as it is spelt
        ("C:/srv/project/x", ("x",)),
        ("C:\\srv\\project", ()),
        ("D:\\srv\\project\\x", None),
        ("C:\\srv\\projects\\x", None),
        ("\\\\?\\C:\\srv\\project\\x", None),
        ("\\\\server\\share\\srv\\project\\x", None),
        ("C:\\srv\\project\\x:stream", None),
        ("C:\\srv\\project\\..\\x", None),
    ],
)
def test_paths_of_windows(path: str, expected: tuple[str, ...] | None) -> None:
    assert names_below(path, "C:\\srv\\project", ntpath) == expected


@pytest.mark.req("002-files-paged")
@settings(max_examples=200, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.text("aé☃😀\n\r", max_size=120).map(str.encode),
    ),
    page_bytes=st.integers(4, 40),
    limit=st.one_of(st.none(), st.integers(1, 5)),
    unit=st.sampled_from(["lines", "bytes"]),
)
def test_all_pages_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, page_bytes: int, limit: int | None, unit: str
) -> None:
    folder = Path(tmp_path_factory.getbasetemp())
    (folder / "paged").write_bytes(data)
    found = ResolvedPath(str(folder), ("paged",))
    gathered, following = b"", (unit, 0)
    while following is not None:
        work = ReadFile("paged", following[1], limit, following[0])
        page = perform(work, found, page_bytes)
        assert isinstance(page, Page)
        piece = page.content.encode() if page.encoding == "utf-8" else base64.b64decode(page.content)
        assert piece or page.next is None  # it goes on
        assert len(piece) <= page_bytes
        assert page.total_bytes == len(data)
        if page.unit == "lines":
            assert page.total_lines == len(data.split(b"\n")) - (not data or data.endswith(b"\n"))
        gathered += piece
        following = page.next
    assert gathered == data


@pytest.mark.req("002-files-paged")
@given(text=st.text("aé☃😀\n", max_size=60), page_bytes=st.integers(4, 20))
def test_text_is_never_cut_inside_a_character(
    tmp_path_factory: pytest.TempPathFactory, text: str, page_bytes: int
) -> None:
    folder = Path(tmp_path_factory.getbasetemp())
    (folder / "text").write_text(text)
    following: tuple[str, int] | None = ("lines", 0)
    while following is not None:
        page = perform(
            ReadFile("text", following[1], None, following[0]),
            ResolvedPath(str(folder), ("text",)),
            page_bytes,
        )
        assert isinstance(page, Page)
        assert page.encoding == "utf-8"
        following = page.next


# -- rules and log


def with_rules(start: Start, tmp_path: Path, rules: str, *options: str) -> WireClient:
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work" / "note").write_text("note")
    (tmp_path / "config.toml").write_text(rules)
    return start(
        "--tools",
        "files",
        "--config",
        str(tmp_path / "config.toml"),
        "--working-dir",
        str(tmp_path / "work"),
        *options,
    )


@pytest.mark.req("002-files-policy")
def test_where_nothing_may_be_written_write_file_may_not_either(start: Start, tmp_path: Path) -> None:
    client = with_rules(start, tmp_path, '[policy]\nallow = ["ls"]\n')
    assert "allow_writes" in complaint(client, "write_file", path="note", content="x")
    assert call_checked(client, "read_file", path="note")["content"] == "note"
    client = with_rules(start, tmp_path, '[policy]\nallow = ["ls"]\nallow_writes = true\n')
    call_checked(client, "write_file", path="note", content="x")


@pytest.mark.req("002-files-policy")
@pytest.mark.parametrize("path", [".git/config", ".git/hooks/pre-commit", ".mise.toml", ".bashrc"])
def test_under_an_allowlist_write_file_leaves_what_programs_run(
    start: Start, tmp_path: Path, path: str
) -> None:
    client = with_rules(start, tmp_path, '[policy]\nallow = ["ls"]\nallow_writes = true\n')
    assert "own files" in complaint(client, "write_file", path=path, content="x")
    call_checked(client, "write_file", path=".gitignore", content="x")


@pytest.mark.req("002-files-policy")
def test_a_table_of_programs_is_an_allowlist_too(start: Start, tmp_path: Path) -> None:
    table = ("--preset", "container", "--no-announce")
    client = with_rules(start, tmp_path, '[policy]\ndeny = ["ls"]\n', *table)
    assert "allow_writes" in complaint(client, "write_file", path="note", content="x")
    assert call_checked(client, "read_file", path="note")["content"] == "note"
    client = with_rules(start, tmp_path, "[policy]\nallow_writes = true\n", *table)
    call_checked(client, "write_file", path="note", content="x")


@pytest.mark.req("002-files-policy")
def test_the_policys_directories_are_those_of_the_files(start: Start, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("x")
    rules = f'[shell_tool]\nallowed_directories = ["{tmp_path}/other"]\n'
    client = with_rules(start, tmp_path, rules, "--working-dir", str(tmp_path / "other"))
    assert call_checked(client, "read_file", path=f"{tmp_path}/other/x")["content"] == "x"
    assert "is outside of" in complaint(client, "read_file", path=f"{tmp_path}/work/note")


@pytest.mark.req("002-files-policy")
def test_deny_ask_and_patterns_hold_for_file_tools(start: Start, tmp_path: Path) -> None:
    rules = '[policy]\ndeny = ["list_directory", "read_file *.pem"]\nask = ["write_file"]\n'
    rules += 'deny_patterns = ["\\\\.env"]\n'
    client = with_rules(start, tmp_path, rules)
    (tmp_path / "work" / ".env").write_text("KEY=1")
    (tmp_path / "work" / "link").symlink_to(".env")
    (tmp_path / "work" / "key.pem").touch()
    assert "Denied by the policy" in complaint(client, "list_directory")
    assert "Denied by the policy" in complaint(client, "read_file", path="key.pem")
    assert "Denied by the policy" in complaint(client, "read_file", path=".env")
    assert "Denied by the policy" in complaint(client, "read_file", path="link")  # by its real name
    assert "a person to be asked" in complaint(client, "write_file", path="note", content="x")
    assert call_checked(client, "read_file", path="note")["content"] == "note"


@pytest.mark.req("002-files-policy")
def test_nacres_own_files_are_not_written(start: Start, tmp_path: Path) -> None:
    client = with_rules(start, tmp_path, "", "--audit-log", str(tmp_path / "work" / "audit"))
    call_checked(client, "write_file", path="fine", content="x")
    assert "belongs to nacre" in complaint(client, "write_file", path="audit", content="")


@pytest.mark.req("002-files-policy")
def test_the_settings_file_is_not_written_even_through_a_link(start: Start, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "config.toml").write_text("")
    (tmp_path / "work" / "alias").symlink_to("config.toml")
    client = start(
        "--tools",
        "files",
        "--config",
        str(tmp_path / "work" / "config.toml"),
        "--working-dir",
        str(tmp_path / "work"),
    )
    for path in ("config.toml", "alias", "./x/../config.toml"):
        assert "belongs to nacre" in complaint(client, "write_file", path=path, content="")


@pytest.mark.req("002-files-audit")
def test_file_work_is_logged_and_audited_and_its_content_is_not(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    client = with_rules(start, tmp_path, "", "--audit-log", str(trail))
    call_checked(client, "write_file", path="x", content="secret42")
    call_checked(client, "read_file", path="x")
    complaint(client, "read_file", path="/etc/shadow")
    client.hang_up()
    client.wait()
    client.read_rest()
    log = client.stderr.decode()
    assert "done, 8 bytes written: write_file x" in log
    assert "not run (denied, Denied: /etc/shadow is outside" in log
    assert "secret42" not in log + trail.read_text()
    wrote, read, refused = ended_records(trail.read_text())
    assert (wrote["tool"], wrote["ended"], wrote["real_path"]) == (
        "write_file",
        "done",
        str(tmp_path / "work" / "x"),
    )
    assert read["summary"] == "8 bytes read"
    assert (refused["path"], refused["ended"], refused["code"]) == ("/etc/shadow", "not run", "denied")


def test_a_refusal_is_an_error_of_its_own_kind(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        AllowedRoots([str(tmp_path)], str(tmp_path)).find(ReadFile(".."))


@pytest.mark.req("002-files-tools")
@pytest.mark.req("002-files-policy")
def test_beside_a_list_of_commands_they_stay_when_it_changes_and_do_not_write(
    start: Start, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('commands = ["ls"]\n')
    client = start("--preset", "commands", "--shell", "bash", "--tools", "files", "--config", str(config))
    assert "allow_writes" in complaint(client, "write_file", path="x", content="")
    config.write_text('commands = ["pwd"]\n')
    while client.receive().get("method") != "notifications/tools/list_changed":
        pass
    names = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
    assert names[0] == "pwd"
    assert names[-3:] == ["read_file", "write_file", "list_directory"]
    assert "ls" not in names


@pytest.mark.parametrize("preset", presets.names())
def test_every_preset_can_have_the_file_tools_beside_its_own(
    start: Start, tmp_path: Path, preset: str
) -> None:
    (tmp_path / "note.txt").write_text("kept")
    options = ("--preset", preset, "--tools", "files", "--working-dir", str(tmp_path), "--shell", "bash")
    client = start(*options)
    shown = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
    assert {"read_file", "write_file", "list_directory"} < shown
    assert "kept" in text_of(client.call("read_file", path="note.txt"))
