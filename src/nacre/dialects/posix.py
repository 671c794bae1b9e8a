"""bash, sh (dash, busybox), zsh, ksh, mksh, yash: the shells that speak POSIX. Pure.

A persistent shell is interactive (`-i`), because only then an unset variable under `set -u`, a syntax error
or an interrupt returns it to its loop instead of ending it. It has no terminal: it reads a pipe, its own
stdout is discarded, and the keeper sees its prompts on its stderr. Its private channel is a named pipe, which
it opens to report and then closes: no command inherits it, and none can remove it by manipulating
descriptors. Every command is two lines:

    EVALUATE the command  <stdin >pipe 2>pipe  && __nacre=0 || __nacre=$?
    TELL marker, code and directory  >channel

- `&& … ||` keeps the person's `set -e` from ending the shell.
- The report is a line of its own, so that it comes even when an error or an interrupt throws the first line
  away; then the shell's own `$?` is reported.
- The redirections are on the evaluating command itself, not around it: otherwise `set -x` would show them.
- Backslashes before names bypass aliases.
- Nothing that a command may have changed is trusted: functions with a builtin's name are bypassed, and the
  report makes `eval` mark the code once more. A report without that mark is rejected, and the shell is ended.
- The report first checks that the channel is a pipe: a file that has replaced it is not written to. The code
  is kept until it has been reported.
- An interrupt makes these shells discard the rest of a command; bash does so only if the program that it
  waits for was ended by the interrupt. So it gets another signal, whose trap runs when it would continue.
- If the report is lost nevertheless, the shell shows its prompt without one: see `keeper.shells`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from nacre.dialects.dialect import (
    CommandLists,
    Dialect,
    Ending,
    Shell,
    TurnRequest,
    WithChannel,
    program_name,
)
from nacre.keeper.wire import SCRIPT_MARK

STDERR = 2
RUN_FILE = "run"
_PRINTF = 'printf \'%s %s %s %s\\n\' MARKER "$__nacre" "${PWD-}" MARKER'
_PRINT = 'print -r -- MARKER "$__nacre" "${PWD-}" MARKER'
_ASKS_CODE = re.compile(r"\$\{?\?|status", re.IGNORECASE)  # $?, ${?}, $status, PIPESTATUS
# Under `set -T` a DEBUG trap can make every file that bash sources `return` at once. So a file has to prove
# that it is read, by removing a mark that would make the report invalid.
_SOURCED_PROOF = (
    "case $- in *T*) __nacre=$__nacre-; \\builtin . /dev/stdin <<<'__nacre=${__nacre%-}';; esac; "
)
_PROVEN_CODE = re.compile(r"(\d+)\.+")  # given again, the report marks it again
_SET_E = re.compile(r"\bset\s+(?:-\w+\s+)*-(?:\w*e|o\s+errexit)")
_SET_E_REMARK = "In a session `set -e` does not stop a command at a failure: use && or a script file."
_KEPT_TEXTS = 64  # for so many shells at once
_JOB_LINE = re.compile(rb"^\[\d+\][ \t]+\d+\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each: the quick hash tells them apart
class PosixShell(WithChannel):
    """A member of the family, described by its differences."""

    flags: tuple[str, ...] = ("-i",)
    setup: str = ":"
    evaluate: str = r"\command eval"
    builtin: str = r"\command"  # calls a builtin in spite of a function of its name
    tell: str = _PRINTF
    source: str | None = None  # reads a file, for a shell that reads a pipe slowly, byte by byte
    aliases_operators: bool = False  # whether `&&` can be an alias
    more_proof: str = ""  # in the report: checks of what a command can change in this shell only
    adds_output: bool = False  # whether it prints `[1] 4711` for `&` in any case
    control: int = 0  # the descriptor of its channel, if it is not interactive and shows no prompt

    interrupts: tuple[str, ...] = ("INT",)

    @property
    def names_channel(self) -> bool:
        """It opens its channel by name, unless it has a descriptor for it."""
        return not self.control

    @property
    def shows_prompt(self) -> bool:
        """True for an interactive shell."""
        return not self.control

    @property
    def silent(self) -> tuple[int, ...]:
        """Its own output, except for its prompts."""
        return (1,) if self.shows_prompt else (1, 2)

    @property
    def environment(self) -> dict[str, str]:
        """No history file; `init` unsets it again, so that commands do not see it."""
        return {"HISTFILE": "/dev/null"}

    def init(self, ready: str) -> str:
        """Turn off history and job control, and set a known prompt."""
        return f"{self.setup}; unset HISTFILE; PS1={quote(ready)} PS2= __nacre=\n"

    def argv(self, name: str) -> list[str]:
        """Its command line."""
        return [name, *self.flags]

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The first line, or a short one that makes it read that from a file."""
        text = request.text
        evaluate = f"{self.evaluate} {quote(text)}"
        if request.environment or request.directory is not None:
            evaluate = f"{{ {self._before(request)}{evaluate}\n}}"
        has_input = request.stdin is not None
        evaluate = f"{evaluate} {_redirections(self, request.base, request.pair, has_input)}"
        if request.last_code and (code := self._code_before(request)):
            # outside of the command's streams, or `set -x` would show it
            evaluate = f"{{ {code}; {evaluate}\n}}"
        first = f"{evaluate} && __nacre=0 || __nacre=$?\n"
        # With an open `$(`, bash 5.2 would corrupt its memory when it reads a file.
        if self.source is None or text.count("(") > text.count(")"):
            return first, {}
        return _sourcing(self, request.base), {RUN_FILE: first}

    def report(self, request: TurnRequest) -> str:
        """The second line."""
        return request.marker.join(_reporting(self, request.base))

    def read(self, record: str) -> Ending | None:
        """The reported end, if the shell has proved that it still runs what it is given."""
        code, _, directory = record.partition(" ")
        proven = _PROVEN_CODE.fullmatch(code)
        return Ending(int(proven[1]), directory) if proven else None

    def _before(self, request: TurnRequest) -> str:
        """The preparations for the command: variables and the directory."""
        exports = "".join(f" {name}={quote(value)}" for name, value in request.environment.items())
        before = f"{self.builtin} export{exports}; " if exports else ""
        if request.directory is not None:
            before += f"{self.builtin} cd -- {quote(request.directory)} && "
        return before

    def _code_before(self, request: TurnRequest) -> str:
        """Sets `$?` to the code of the previous command; a process is started only if the text uses it."""
        if not _ASKS_CODE.search(request.text):
            return ""
        quick = (
            request.last_code == 1 and "pipestatus" not in request.text.lower()
        )  # which knows nothing of the `!`
        return "! :" if quick else f"({self.builtin} exit {request.last_code})"

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # the text is enough
        """That `set -e` is suspended in a session, since it would end the shell."""
        return _SET_E_REMARK if "set" in request.text and _SET_E.search(request.text) else ""

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:
        """The output without the numbers of background jobs."""
        if self.adds_output and stream == STDERR and "&" in request.text and data.startswith(b"["):
            return _JOB_LINE.sub(b"", data)
        return data


def quote(text: str) -> str:
    """A text as one word."""
    return "'" + text.replace("'", "'\\''") + "'"


# What is the same for all commands of a shell is composed once.


@lru_cache(maxsize=_KEPT_TEXTS)
def _redirections(shell: PosixShell, base: str, pair: int, has_input: bool) -> str:  # noqa: FBT001  # quicker
    """The redirections of a command to its own streams."""
    request = TurnRequest("", "", base, pair, stdin="" if has_input else None)
    streams = f"<{quote(request.input)} >{quote(request.out)} 2>{quote(request.err)}"
    return f"{streams} {shell.control}>&-" if shell.control else streams


@lru_cache(maxsize=_KEPT_TEXTS)
def _sourcing(shell: PosixShell, base: str) -> str:
    """The line that makes the shell read its command from a file."""
    return f"{shell.builtin} {shell.source} {quote(f'{base}.{RUN_FILE}')}||__nacre=$?\n"


@lru_cache(maxsize=_KEPT_TEXTS)
def _reporting(shell: PosixShell, base: str) -> list[str]:
    """The line that reports the end of a command, in the parts between which its marker stands."""
    code = "__nacre=${__nacre:-$?}"
    first, *others, last = shell.tell.split("MARKER")
    operators = "__nacre=$__nacre && " if shell.aliases_operators else ""
    proof = f"{{ {operators}{shell.evaluate} '__nacre=$__nacre.'||__nacre=$__nacre-; }}; {shell.more_proof}"
    if shell.control:
        before, after = f"{code}; {proof}", f" >&{shell.control}; __nacre=\n"
    else:
        channel = quote(TurnRequest("", "", base, 0).channel)
        before = f"{code}; {proof}{shell.builtin} test -p {channel} && "
        after = f" >{channel} && __nacre=\n"
    return [f"{before}{shell.builtin} {first}", *others, f"{last}{after}"]


_KSH_SETUP = "set +o emacs +o vi +m"
SHELLS = {
    "bash": PosixShell(
        flags=("--noprofile", "--norc", "--noediting", "-i"),
        # bash 5.2 may crash when it expands a prompt after a text with an open `$(`
        setup="set +o history +H +m; shopt -u promptvars; trap '\\builtin kill -s INT $$' VTALRM",
        builtin=r"\builtin",  # which ends the shell at a failure under `set -e`: so not for `eval`
        more_proof=_SOURCED_PROOF,
        interrupts=("VTALRM", "INT"),
        source=".",  # while it sources a file bash is not interactive: no job numbers, and `return` works
    ),
    "zsh": PosixShell(
        flags=("-f", "-i"),
        setup="unsetopt BANG_HIST MONITOR ZLE PROMPT_SP PROMPT_CR BG_NICE; setopt INTERACTIVE_COMMENTS; "
        "PROMPT= RPROMPT=",
        evaluate=r"\builtin eval",
        builtin=r"\builtin",
        aliases_operators=True,
    ),
    # 93u+m, interrupted in a pipeline, does not wait for its programs any more: their codes would be wrong.
    "ksh": PosixShell(setup=_KSH_SETUP, adds_output=True, interrupts=()),
    "mksh": PosixShell(
        setup=_KSH_SETUP,
        evaluate=r"\eval",
        tell=_PRINT,  # its printf is a program
        adds_output=True,
    ),
    "yash": PosixShell(flags=("--noprofile", "--norc", "-i", "+m"), aliases_operators=True),
    # Not interactive: an interactive busybox 1.35 takes a background job's end for the end of its input, and
    # loses the next command. So an interrupt ends it, which is reported, and a new one takes its place. It
    # shows no prompt either: its channel is a descriptor, which no deleted file can take away.
    "busybox": PosixShell(flags=("sh",), control=7),
}
BUSYBOX_AS_SH = PosixShell(flags=(), control=7)  # called as `sh` or `ash` it needs no applet name
PLAIN = PosixShell()
_SAME = {"ksh93": "ksh", "rbash": "bash", "lksh": "mksh", "pdksh": "mksh", "oksh": "mksh"}


def persistent(shell: Shell) -> PosixShell:
    """The variant for a shell; `sh` and `ksh` are whatever they are links to."""
    name, real_name = program_name(shell.path), shell.real_name
    if name != "busybox" and real_name == "busybox":
        return BUSYBOX_AS_SH
    known = SHELLS.get(_SAME.get(real_name, real_name)) or SHELLS.get(_SAME.get(name, name))
    return known or PLAIN


_MISSING = (
    re.compile(r"(?:^|: )(?P<name>[^\s:]+): (?:command )?not found$", re.MULTILINE),  # all but zsh
    re.compile(r"command not found: (?P<name>\S+)$", re.MULTILINE),  # zsh
)
_PROGRAMS = (
    "sh",
    "bash",
    "rbash",
    "dash",
    "ash",
    "zsh",
    "yash",
    "ksh",
    "ksh93",
    "mksh",
    "lksh",
    "pdksh",
    "oksh",
)
DIALECT = Dialect(
    name="posix",
    programs=_PROGRAMS,
    examples=("bash", "sh", "zsh"),
    flags=("-c",),
    end_of_options="--",
    source=f". '{SCRIPT_MARK}'",
    persistent=persistent,
    login_flags=("-l", "-i", "-c"),
    missing=_MISSING,
    lists=CommandLists("posix", "'single quotes'"),
)
BUSYBOX = replace(DIALECT, programs=("busybox",), examples=(), flags=("sh", "-c"))
PROBE = '__nacre=1; [ "$__nacre" = 1 ] && (exit 3) || printf %s "posix-$?"'
PROBE_ANSWER = b"posix-3"
