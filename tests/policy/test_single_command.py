"""One command of a list, alone: what passes the lock, what does not, and what real shells make of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nacre.policy import Policy, judge
from nacre.policy.model import PolicyError
from nacre.policy.single_command import OPERATORS, QUOTING, single_command_check

POSIX, CMD = single_command_check(["c0"], "posix"), single_command_check(["c0"], "cmd")
SHELLS = [shell for shell in ("bash", "dash", "zsh", "ksh", "mksh", "yash", "busybox") if shutil.which(shell)]
DOCUMENT = ["&&", "||", ";", "|", ">", ">>", "<", "<<", "&", "^", "%", "$", "!", "call", "start"]


# -- by hand


@pytest.mark.req("000-operators")
@pytest.mark.parametrize("lock", [POSIX, CMD], ids=["posix", "cmd"])
@pytest.mark.parametrize("operator", DOCUMENT)
def test_every_operator_of_the_document_is_refused(lock: object, operator: str) -> None:
    assert isinstance(lock, type(POSIX))
    for text in (f"c0 a {operator} c1", f"c0 {operator}", f"c0 {operator} c1", f"c0 \t{operator}\tc1"):
        refused = lock.refusal(text)
        assert refused is not None, text
        assert text[refused.start : refused.end] == operator


@pytest.mark.req("000-operators-hidden")
@pytest.mark.parametrize(
    "arguments",
    [
        "a\nc1", "a\rc1", "a\r\nc1", "'a\nc1'", '"a\nc1"', "a\\\nc1", "a\x00", "a\x1bc", "a\x0bc1", "a\x85c1",
        "`c1`", "$(c1)", "${x}", "$((1))", '"$(c1)"', '"`c1`"', "'a';c1", "'a'|c1", '"a"&c1', "''';c1",
        "'a';'b'",
        '"a\\"";c1', "a\\;c1", "a\\", "'a", '"a', "a'b\"c'd\"e\";c1", "() c1", "(c1)", "a=(c1)", "\\\\;c1",
        '"\\$(c1)"',
        "\\'; c1; \\'", "'\\'; c1", "$'a'", '"a!b"',
    ],
)  # fmt: skip
def test_operators_that_hide_are_refused_in_posix_shells(arguments: str) -> None:
    assert POSIX.refusal(f"c0 {arguments}") is not None


@pytest.mark.req("000-operators-hidden")
@pytest.mark.parametrize(
    "arguments",
    [
        "a\r\nc1", "a\nc1", '"a\nc1"', "a^&c1", "^", "%COMSPEC%", '"%COMSPEC%"', "!x!", '"!x!"', '"a"&c1',
        '"a\\"&c1"',
        '"a""&c1', '"', '"a" "', "'a&c1'", "\\&c1", "a)&c1", "(c1)", "@start c1", "a,start", "a=call",
        "START", "Call",
    ],
)  # fmt: skip
def test_operators_that_hide_are_refused_in_cmd(arguments: str) -> None:
    assert CMD.refusal(f"c0 {arguments}") is not None


@pytest.mark.req("000-operators-quoted")
@pytest.mark.parametrize(
    "arguments",
    [
        f"'{OPERATORS}'", "'`$(c1)`'", "'&& || >> << call start'", '"a;b|c&d<e>f^g%h"', '"(a)"', "'call'",
        '"start"',
        "a'b;c'd", '"{\\"a\\": 1}"', "'a'\"'\"'b;c'", "a\\ b", "it\\'s", "started recall", "--start=5",
        "*.py {a,b} ~ #x",
        "\N{FULLWIDTH SEMICOLON} \N{FULLWIDTH AMPERSAND} \N{FULLWIDTH DOLLAR SIGN}", "a\tb", "-la", "",
    ],
)  # fmt: skip
def test_what_a_posix_shell_takes_as_text_passes(arguments: str) -> None:
    assert POSIX.refusal(f"c0 {arguments}") is None


@pytest.mark.req("000-operators-quoted")
@pytest.mark.parametrize(
    "arguments",
    [
        '"a&b|c<d>e^f;g$h(i)"', '"call" "start"', r'"C:\Program Files (x86)\a b"', "/b /s *.txt",
        '"{\\"a\\": 1}"',
        "a`b'c", "started", "\N{FULLWIDTH AMPERSAND}", "",
    ],
)  # fmt: skip
def test_what_cmd_takes_as_text_passes(arguments: str) -> None:
    assert CMD.refusal(f"c0 {arguments}") is None


@pytest.mark.req("000-allowlist")
@pytest.mark.parametrize(
    "text",
    ["c1", "c1 a", "", " c0", "/bin/c0", "c0\ta", "C0", "c0;", "'c0'", "c\\0", "c0x", "x=1 c0", "\nc0"],
)
def test_a_name_that_is_not_on_the_list_is_refused(text: str) -> None:
    assert POSIX.refusal(text) is not None
    assert CMD.refusal(text) is not None


def test_an_empty_list_refuses_everything() -> None:
    assert single_command_check([], "posix").refusal("ls") is not None


def test_a_shell_that_quotes_in_its_own_way_has_no_such_lock() -> None:
    with pytest.raises(PolicyError, match="fish"):
        single_command_check(["ls"], "fish")


# -- properties: against the rule said in another way

PIECES = st.one_of(
    st.sampled_from(
        [*DOCUMENT, "'", '"', "\\", "`", "(", ")", " ", "\t", "\n", "\r", "$(", "c1", "c2", "a", "-x"]
    ),
    st.sampled_from(
        ["*", "?", "[", "]", "{", "}", "~", "#", "=", ",", ":", "@", "+", "é", "if", "}", "{ c1", "-"]
    ),
    st.characters(blacklist_characters="/\x00", blacklist_categories=("Cs",)),
)
ARGUMENTS = st.lists(PIECES, max_size=12).map("".join)
# A quoted piece, an escaped character, or one character outside of quotes.
POSIX_PIECE = re.compile(
    r"""(?P<one>'[^']*')|(?P<two>"(?:\\.|[^"\\])*")|(?P<escaped>\\.)|(?P<plain>.)""", re.DOTALL
)


def posix_is_plain(arguments: str) -> bool:
    if re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]", arguments):
        return False
    unquoted = ""
    for found in POSIX_PIECE.finditer(arguments):
        if found["two"] and re.search(r"[$`!]", found["two"]):
            return False
        if found["escaped"] and re.search(r"[&|;<>^%$!`()]", found["escaped"]):
            return False
        unquoted += found["plain"] or "_"
    return not re.search(r"""[&|;<>^%$!`()'"\\]|(?<![^ \t])(?:call|start)(?![^ \t])""", unquoted)


def cmd_is_plain(arguments: str) -> bool:
    outside, inside = arguments.split('"')[::2], arguments.split('"')[1::2]
    words = re.split(r"[ \t,=@]", '_"_'.join(outside).lower())
    return (
        len(outside) > len(inside)
        and not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]|[%!]", arguments)
        and not re.search(r"[&|;<>^$()]", "".join(outside))
        and not {"call", "start"} & set(words)
    )


@pytest.mark.req("000-operators-hidden")
@settings(max_examples=400)
@given(ARGUMENTS)
@example("a\\")
@example("\\'")
@example('"\\"')
def test_the_posix_lock_says_what_the_rule_says(arguments: str) -> None:
    assert (POSIX.refusal(f"c0 {arguments}") is None) == posix_is_plain(arguments)


@pytest.mark.req("000-operators-hidden")
@settings(max_examples=400)
@given(ARGUMENTS)
@example('"" start')
def test_the_cmd_lock_says_what_the_rule_says(arguments: str) -> None:
    assert (CMD.refusal(f"c0 {arguments}") is None) == cmd_is_plain(arguments)


@settings(max_examples=500)
@given(st.text(max_size=40), st.sampled_from(sorted(QUOTING)))
def test_the_lock_never_fails_and_points_into_the_text(text: str, dialect: str) -> None:
    refused = single_command_check(["c0"], dialect).refusal(text)
    assert refused is None or 0 <= refused.start <= refused.end <= len(text)


# -- real shells: programs that write down that they were run, and nothing else on the PATH

# Every run begins with a character that no argument can hold.
RECORDER = """#!/bin/sh
printf '\\001%s' "${0##*/}" >> "$LOG"
for argument; do printf '\\0%s' "$argument" >> "$LOG"; done
"""


class Recorder:
    """A directory with the programs c0, c1, c2, and what they were called with."""

    def __init__(self, directory: Path) -> None:
        self.programs, self.work, self.log = directory / "bin", directory / "work", directory / "log"
        self.programs.mkdir()
        self.work.mkdir()
        for name in ("c0", "c1", "c2", "call", "start", "a"):
            (self.programs / name).write_text(RECORDER)
            (self.programs / name).chmod(0o755)

    def run(self, shell: str, text: str) -> list[list[str]]:
        """The programs that were run, each with its arguments; a file that was made is an error."""
        self.log.write_bytes(b"")
        program = shutil.which(shell)
        assert program
        subprocess.run(
            [program, *(["sh"] if shell == "busybox" else []), "-c", 'eval "$1"', shell, text],
            cwd=self.work,
            env={"PATH": str(self.programs), "LOG": str(self.log), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        assert list(self.work.iterdir()) == [], "a file was written"
        runs = self.log.read_bytes().decode(errors="surrogateescape").split("\x01")[1:]
        return [run.split("\0") for run in runs]


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    return Recorder(tmp_path_factory.mktemp("recorder"))


SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@pytest.mark.req("000-operators-differential")
@pytest.mark.parametrize("shell", SHELLS)
def test_what_passes_runs_one_program_once_in_a_real_shell(shell: str, recorder: Recorder) -> None:
    ran = 0

    @SLOW
    @given(ARGUMENTS.filter(lambda arguments: POSIX.refusal(f"c0 {arguments}") is None))
    @example("() c1")
    @example("'a'\"'\"'; c1'")
    def differ(arguments: str) -> None:
        nonlocal ran
        if POSIX.refusal(f"c0 {arguments}") is not None:
            return
        names = [run[0] for run in recorder.run(shell, f"c0 {arguments}")]
        assert names in ([], ["c0"])  # none: zsh ends at a pattern without a match, some shells at a brace
        ran += len(names)

    differ()
    assert ran > 20


@pytest.mark.req("000-operators-differential")
@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_quoted_reaches_the_program_as_it_is(shell: str, recorder: Recorder) -> None:
    quoted = st.text(
        st.characters(
            min_codepoint=32,
            max_codepoint=0x2FFF,
            blacklist_characters="'\x7f",
            blacklist_categories=("Cs", "Cc"),
        ),
        min_size=1,
        max_size=20,
    )

    @SLOW
    @given(quoted)
    @example("&& || ; | > >> < << & ^ % $ ! call start `c1` $(c1)")
    def same(text: str) -> None:
        assert POSIX.refusal(f"c0 '{text}'") is None
        assert recorder.run(shell, f"c0 '{text}'") == [["c0", text]]

    same()


@pytest.mark.req("000-operators-differential")
@pytest.mark.parametrize("shell", SHELLS)
def test_the_lock_is_needed_what_it_refuses_would_run(shell: str, recorder: Recorder) -> None:
    """The recorder can see a second program at all."""
    for text in ("c0 a; c1", "c0 $(c1)", "c0 'a';c1", "c0 a\nc1", 'c0 "`c1`"'):
        assert POSIX.refusal(text) is not None
        assert "c1" in [run[0] for run in recorder.run(shell, text)]


@pytest.mark.req("000-cmd-reading-set")
def test_set_without_a_value_only_reads() -> None:
    policy = Policy().allowing(["set"])
    for text in ("set PATH", "set path", 'set "PATH"', "set PATHEXT", "set", "set P"):
        assert judge(text, policy, shell="cmd", cwd="/").decision == "allow", text  # noqa: S604  # a judgement
    for text in (
        "set PATH=x", "set PATH=", "set PATH =x", 'set "PATH=x"', "set /p PATH=x", "set /p PATH",
        "set /a PATH", "set %X%", "set PATH%X%", "set =PATH", "set ,PATH=x", "set PATH^=x", "set PATH\t=x",
    ):  # fmt: skip
        assert judge(text, policy, shell="cmd", cwd="/").decision == "deny", text  # noqa: S604  # the same
