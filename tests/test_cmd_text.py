"""cmd.exe's dialect as text: what it is fed, and how what it says is understood, echo and all."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.dialects import Shell, TurnRequest, dialect_of, find_shell
from nacre.dialects.cmd import DIALECT, UNDER_WINE, CmdShell, escape
from nacre.errors import RequestError
from nacre.keeper.conversation import STDERR, STDOUT, Conversation
from nacre.places.local_files import LOCAL_FILES

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = "READY_0123456789abcdef"
MARK = "Marker_12345678-1234-4123-8123-123456789abc"
FIRST_MARK = "Marker_00000000-1234-4123-8123-123456789abc"
WINE = CmdShell(PROMPT, "/home/me/.wine")
AFTER = "&echo on&prompt R^EADY_0123456789abcdef"


def ask(text: str, **more: object) -> TurnRequest:
    return TurnRequest(text, MARK, "/spool/1", 0, turn=7, **more)  # pyright: ignore[reportArgumentType]  # passed on


def report_with(mark: str) -> str:
    return WINE.report(TurnRequest("", mark, "", 0))


def fed(text: str, **more: object) -> list[str]:
    """The lines that a command becomes, without the report."""
    feed, _ = WINE.feed(ask(text, **more))
    *lines, report = feed.split("\r\n")
    assert report == report_with(MARK)
    return lines


# -- what it is fed


@pytest.mark.req("000.cmd.errorlevel")
@pytest.mark.req("000.cmd.marker")
def test_the_report_is_a_line_of_its_own_that_asks_for_the_code_first() -> None:
    report = report_with(MARK)
    assert "\n" not in report
    assert PROMPT not in report, "its echo would look like the prompt"
    assert report.startswith(f"echo {MARK} %ERRORLEVEL%&cd&echo {MARK}&echo {MARK}>&2&")
    assert report.endswith("&(call )"), "or builtins would leave the code of an earlier command"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("echo hi", f"<nul echo hi{AFTER}"),
        ("set X=1", f"<nul set X=1{AFTER}"),
        ("echo 2", f"<nul echo 2{AFTER}"),
        ("\r\necho hi\r\n", f"<nul echo hi{AFTER}"),
        ("a & b && c || d", f"<nul a &<nul  b &&<nul  c ||<nul  d{AFTER}"),
        ("dir | find x | more", f"<nul dir | find x | more{AFTER}"),
        ("dir 2>&1 | find x", f"<nul dir 2>&1 | find x{AFTER}"),
        ('echo "a & b" ^& c', f'<nul echo "a & b" ^& c{AFTER}'),
        ('"C:\\Program Files (x86)\\x.exe" /a', f'<nul "C:\\Program Files (x86)\\x.exe" /a{AFTER}'),
        ("echo ^(^)", f"<nul echo ^(^){AFTER}"),
        ("echo a &", f"<nul echo a &{AFTER}"),
        ("if 1==1 echo y", "if 1==1 echo y"),
        ("for %i in (1 2) do echo %i", "for %i in (1 2) do echo %i"),
        ("@FOR %i in (1 2) do echo %i", "@FOR %i in (1 2) do echo %i"),
        ("echo a & if 1==1 echo y", "echo a & if 1==1 echo y"),
        ("(echo a)", "(echo a)"),
        ("rem x", "rem x"),
        (":label", ":label"),
        ("^if 1==1 echo", "^if 1==1 echo"),
        ('echo "never closed', 'echo "never closed'),
        ("format c:", f"<nul format c:{AFTER}"),
    ],
)
def test_a_simple_command_reads_nothing_and_others_are_fed_as_they_are(text: str, line: str) -> None:
    assert fed(text) == [line]


@given(st.text(st.characters(codec="ascii", exclude_characters="\0\r\n"), min_size=1))
def test_without_what_is_put_in_the_line_is_what_was_typed(text: str) -> None:
    (line,) = fed(text)
    if "<nul" not in text and AFTER not in text:
        assert line.replace("<nul ", "").removesuffix(AFTER) == text


@pytest.mark.req("000.cmd.line-ends")
def test_lines_end_as_windows_ends_them_and_several_go_through_a_batch_file() -> None:
    feed, files = WINE.feed(ask("echo é\nexit /b 4"))
    assert feed.split("\r\n")[0] == rf'"Z:\spool\1.7.cmd" <nul{AFTER}'
    assert files == {"7.cmd": "@echo off\r\necho \x82\r\nexit /b 4\r\n"}
    windows = CmdShell(PROMPT, None)
    assert windows.there("C:\\Temp\\nacre/1.7.cmd") == r"C:\Temp\nacre\1.7.cmd"


def test_environment_and_directory_come_first_in_a_batch_file_of_their_own() -> None:
    feed, files = WINE.feed(ask("echo hi", environment={"A": 'x "y" & %PATH%'}, directory="/tmp/100%"))
    assert feed.split("\r\n")[0] == r'"Z:\spool\1.7.before.cmd"'
    assert files == {
        "7.before.cmd": '@set A=x ^"y^" ^& %%PATH%%\r\n@cd /d "Z:\\tmp\\100%%"\r\n',
    }


@given(st.text(st.characters(codec="ascii", exclude_characters="\0\r\n")))
def test_an_escaped_value_has_nothing_bare_that_cmd_reads(value: str) -> None:
    bare = re.sub(r"\^.", "", escape(value)).replace("%%", "")
    assert not set(bare) & set('^&|<>()"%')


def test_the_code_of_the_command_before_is_there_for_who_asks() -> None:
    assert fed("echo %ErrorLevel%", last_code=7)[0] == "<nul cmd /d /c exit 7"
    assert fed("if errorlevel 1 echo", last_code=0xFFFFFFFF)[0] == "<nul cmd /d /c exit -1"
    assert len(fed("echo hi", last_code=7)) == 1


def test_what_is_to_be_read_stands_in_a_file() -> None:
    feed, files = WINE.feed(ask('find "x"', stdin="a\nxé"))
    assert feed.startswith(r'<"Z:\spool\1.7.in" find "x"')
    assert files["7.in"].encode("latin-1").decode() == "a\nxé"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (ask("echo €"), "'€' at offset 5, which cmd.exe's code page lacks"),
        (ask("cd", environment={"A": "中"}), "environment.A contains '中'"),
        (ask("cd", environment={"A": "1\n2"}), "environment.A has several lines"),
        (ask("cd", directory="/tmp/a:b"), "a name that Windows cannot have"),
        (ask("echo " + "x" * 9000), "a line of more than 8,000 characters"),
        (ask("echo a^"), "ends in ^"),
        (ask("(echo a"), "opens a group"),
        (ask("a & b", stdin="x"), "one simple command or pipeline only"),
        (ask("for %i in (1) do find x", stdin="x"), "one simple command or pipeline only"),
    ],
)
def test_what_cannot_be_done_truly_is_refused(asked: TurnRequest, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        WINE.check(asked)


@pytest.mark.parametrize(
    "text", ["echo ^^", "echo (", 'echo "(', "(echo a)", "echo é", "a\nb^\nc", "x" * 8000]
)
def test_what_can_be_done_is_not_refused(text: str) -> None:
    WINE.check(ask(text))
    WINE.check(ask("find x | more", stdin="x"))
    WINE.check(ask("a & b\nc", stdin="x"))


# -- what it says


@pytest.mark.parametrize(
    ("reported", "here"),
    [
        ("Z:\\tmp\\a b", "/tmp/a b"),
        ("Z:\\", "/"),
        ("C:\\windows", "/home/me/.wine/dosdevices/c:/windows"),
        ("C:\\", "/home/me/.wine/dosdevices/c:"),
        ("\\\\host\\share", "\\\\host\\share"),
    ],
)
def test_a_directory_is_reported_as_linux_calls_it(reported: str, here: str) -> None:
    ending = WINE.read(f"0 {reported}")
    assert ending is not None
    assert ending.directory == here


def test_a_directory_is_read_in_the_code_page_it_was_printed_in() -> None:
    ending = WINE.read("3 Z:\\\xe9")
    assert ending is not None
    assert (ending.code, ending.directory) == (3, "/é")
    assert WINE.read("what Z:\\") is None


@pytest.mark.req("000.cmd.clean")
def test_prompts_and_echoes_are_removed_and_a_printed_prompt_stays() -> None:
    asked = ask("run.bat & echo é")
    WINE.feed(asked)
    said = asked.said.encode("cp437")
    printed = b"one\r\n\r\n" + PROMPT.encode() + b"echo two \r\ntwo\r\n" + PROMPT.encode() + b"\r\n"
    assert WINE.clean(asked, 1, said + b"\r\n" + printed) == b"one\r\ntwo\r\n" + PROMPT.encode() + b"\r\n"
    assert WINE.clean(asked, 2, said) == said


class FakeCmd:
    """cmd.exe as a conversation hears it: a prompt, the echo of a line where it is on, output, a report."""

    def __init__(self, *, echo: bool) -> None:
        self.echo = echo
        self.unread: list[bytes] = []
        self.outputs: list[tuple[bytes, bytes]] = []
        self.code = 0

    def say(self, line: bytes) -> None:
        assert line.endswith(b"\r\n")
        self.unread.append(line)
        assert len(self.unread) == 1, "wine's cmd.exe loses all but the first line"

    def answer(self) -> tuple[bytes, bytes]:
        """What it prints on both streams for the line that it reads now."""
        line = self.unread.pop()
        out = line if self.echo else b""
        if b"%ERRORLEVEL%" in line:
            mark = line.split()[1]
            out += b"%s %d\r\nC:\\here\r\n%s\r\n" % (mark, self.code, mark)
            return out + b"\r\n" + PROMPT.encode(), mark + b"\r\n"
        stdout, stderr = self.outputs.pop(0)
        return out + stdout + b"\r\n" + PROMPT.encode(), stderr


def talk(fake: FakeCmd, lines: list[bytes], sizes: list[int]) -> tuple[bytes, bytes, str | None]:
    """One command, its output cut into pieces of these sizes: what was taken, and the record."""
    taken = {STDOUT: b"", STDERR: b""}

    def take(stream: int, chunk: bytes) -> None:
        taken[stream] += chunk

    conversation = Conversation(PROMPT.encode(), fake.say)
    conversation.open(FIRST_MARK, [report_with(FIRST_MARK).encode()])
    takers = {stream: partial(take, stream) for stream in taken}
    conversation.begin(MARK, [*lines, report_with(MARK).encode()], takers)
    streams = {STDOUT: b"Microsoft Windows\r\n\r\n" + PROMPT.encode(), STDERR: b"wine: noise\r\n"}
    record = None
    for step in range(100_000):
        if fake.unread:
            out, err = fake.answer()
            streams[STDOUT] += out
            streams[STDERR] += err
        stream = STDOUT if step % 2 else STDERR
        size = sizes[step % len(sizes)]
        piece, streams[stream] = streams[stream][:size], streams[stream][size:]
        if piece:
            record = record or conversation.hear(stream, piece)
        if not any(streams.values()) and not fake.unread:
            break
    return taken[STDOUT], taken[STDERR], record


NOISE = st.lists(
    st.sampled_from(
        [b"out", b"\r\n", PROMPT.encode(), PROMPT.encode()[:9], b"Marker_", FIRST_MARK.encode(), b"x"]
    )
).map(b"".join)


@pytest.mark.req("000.cmd.marker")
@given(
    NOISE, NOISE, st.lists(st.integers(1, 60), min_size=1), st.booleans(), st.integers(-(2**31), 2**31 - 1)
)
def test_whatever_is_printed_the_end_is_believed_from_the_fresh_mark_only(
    stdout: bytes,
    stderr: bytes,
    sizes: list[int],
    echo: bool,  # noqa: FBT001  # from hypothesis
    code: int,
) -> None:
    fake = FakeCmd(echo=echo)
    fake.outputs, fake.code = [(stdout, stderr)], code
    out, err, record = talk(fake, [b"run"], sizes)
    assert record == f"{code % 2**32} C:\\here"
    assert out == (b"run\r\n" if echo else b"") + stdout
    assert err == stderr


@given(st.lists(st.integers(1, 60), min_size=1), st.booleans())
def test_what_comes_before_the_command_itself_is_not_its_output(
    sizes: list[int],
    echo: bool,  # noqa: FBT001  # from hypothesis
) -> None:
    fake = FakeCmd(echo=echo)
    fake.outputs = [(b"", b""), (b"moved\r\n", b""), (b"out\r\n", b"err\r\n")]
    out, err, record = talk(fake, [b"first", b"second", b"run"], sizes)
    assert (out, err, record) == ((b"run\r\n" if echo else b"") + b"out\r\n", b"err\r\n", "0 C:\\here")


def opened() -> Conversation:
    """A conversation whose shell is ready for its first command, and then only heard."""
    said: list[bytes] = []
    conversation = Conversation(PROMPT.encode(), said.append)
    conversation.open(FIRST_MARK, [report_with(FIRST_MARK).encode()])
    conversation.hear(STDOUT, PROMPT.encode())
    conversation.hear(STDERR, f"{FIRST_MARK}\r\n".encode())
    conversation.hear(STDOUT, f"{FIRST_MARK} 0\r\nC:\\\r\n{FIRST_MARK}\r\n\r\n{PROMPT}".encode())
    assert said == [f"{report_with(FIRST_MARK)}\r\n".encode()]
    return conversation


def test_a_shell_that_ends_has_said_all_it_held_back() -> None:
    taken: list[bytes] = []
    conversation = opened()
    conversation.begin(MARK, [b"exit", b"report"], {STDOUT: taken.append})
    conversation.hear(STDOUT, b"last words")
    conversation.end()
    assert b"".join(taken) == b"last words"


def test_output_is_passed_on_at_once() -> None:
    taken: list[bytes] = []
    conversation = opened()
    conversation.begin(MARK, [b"slow", b"report"], {STDOUT: taken.append, STDERR: taken.append})
    conversation.hear(STDOUT, b"first\r\n")
    conversation.hear(STDERR, b"a complaint, not a M")
    assert taken == [b"first", b"a complaint, not a "]


def test_a_forged_prompt_does_not_keep_a_flood_in_memory() -> None:
    taken: list[int] = []
    conversation = opened()
    conversation.begin(MARK, [b"flood", b"report"], {STDOUT: lambda chunk: taken.append(len(chunk))})
    conversation.hear(STDOUT, PROMPT.encode())
    for _ in range(100):
        conversation.hear(STDOUT, b"x" * 65536)
    assert sum(taken) > 98 * 65536


# -- which shell it is


def test_cmd_is_known_by_its_name_and_needs_wine_here(tmp_path: Path) -> None:
    assert dialect_of("cmd.exe") is dialect_of("/x/CMD.EXE") is DIALECT
    with pytest.raises(RequestError, match=r"No shell 'cmd\.exe'"):
        find_shell("cmd.exe", {"PATH": str(tmp_path)}, LOCAL_FILES)
    (tmp_path / "wine").write_text("#!/bin/sh\n")
    (tmp_path / "wine").chmod(0o755)
    found = find_shell("cmd.exe", {"PATH": str(tmp_path), "HOME": "/home/me"}, LOCAL_FILES)
    assert (found.executable, found.name, found.dialect) == (str(tmp_path / "wine"), "cmd.exe", UNDER_WINE)
    assert found.runner_files == "/home/me/.wine"
    own = tmp_path / "cmd.exe"
    with pytest.raises(RequestError, match="No shell"):
        find_shell(str(own), {"PATH": str(tmp_path)}, LOCAL_FILES)
    own.touch()
    named = find_shell(str(own), {"PATH": str(tmp_path), "WINEPREFIX": "/prefix"}, LOCAL_FILES)
    assert (named.path, named.runner_files) == (str(own), "/prefix")
    assert named.argv(named.persistent())[:4] == ["wine", str(own), "/D", "/K"]


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("echo a & exit 4", "echo a & exit 4"),
        ('echo "a b"', None),
        ("echo a\\", None),
        ("a\nb", None),
    ],
)
def test_a_fresh_cmd_under_wine_gets_an_argument_or_a_batch_file(text: str, argument: str | None) -> None:
    argv, script = Shell("cmd.exe", UNDER_WINE, "cmd.exe", "cmd", "/usr/bin/wine", "/prefix").once(text)
    if argument:
        assert (argv[-1], script) == (argument, None)
    else:
        assert script == "@echo off\r\n" + text.replace("\n", "\r\n")
