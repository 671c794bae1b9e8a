"""bash, sh (dash, busybox), zsh, ksh, mksh, yash: the shells that speak POSIX. Pure.

A persistent shell is interactive (`-i`), because only then an unset variable under `set -u`, a syntax
error or an interrupt brings it back to its loop instead of ending it. It has no terminal: it reads a
pipe, its own stdout leads nowhere, and on its stderr the keeper sees its prompts. Its private channel is a
named pipe, which it opens to tell and closes again: no command gets it, and none can take it away by what
it does to descriptors. Every command is two lines:

    EVALUATE the command  <stdin >pipe 2>pipe  && __nacre=0 || __nacre=$?
    TELL marker, code and directory  >channel

- `&& … ||` keeps the person's `set -e` from ending the shell.
- The report is a line of its own, so that it comes even when an error or an interrupt throws the first line
  away; then the shell's own `$?` is reported.
- The redirections stand at the evaluating command itself, not around it: `set -x` would show us otherwise.
- Backslashes before names step over aliases.
- What a command may have changed is not relied upon: functions of a builtin's name are stepped over, and
  the report has `eval` mark the code once more. Without that mark it is not believed, and the shell is ended.
- The report looks first whether the channel is one: a file that has taken its place is not written to. The
  code is kept until it has been reported.
- If the report is lost in spite of all, the shell shows its prompt without one: see `keeper.shells`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

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
# Under `set -T` a DEBUG trap can make every file that bash sources `return` at once. So one has to prove that
# it is read, by taking away a mark that would not be believed.
_SOURCED_PROOF = (
    "case $- in *T*) __nacre=$__nacre-; \\builtin . /dev/stdin <<<'__nacre=${__nacre%-}';; esac; "
)
_PROVEN_CODE = re.compile(r"(\d+)\.+")  # given again, the report marks it again
_SET_E = re.compile(r"\bset\s+(?:-\w+\s+)*-(?:\w*e|o\s+errexit)")
_SET_E_REMARK = "In a session `set -e` does not stop a command at a failure: use && or a script file."
_JOB_LINE = re.compile(rb"^\[\d+\][ \t]+\d+\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PosixShell(WithChannel):
    """One of the family, by what differs."""

    flags: tuple[str, ...] = ("-i",)
    setup: str = ":"
    evaluate: str = r"\command eval"
    builtin: str = r"\command"  # what calls a builtin past functions of its name
    tell: str = _PRINTF
    source: str | None = None  # reads a file; for a shell that reads a pipe byte by byte, which takes long
    aliases_operators: bool = False  # whether `&&` can be an alias
    more_proof: str = ""  # in the report, of what a command can change in this shell alone
    announces_jobs: bool = False  # whether it prints `[1] 4711` for `&` in spite of all
    control: int = 0  # the descriptor of its channel, for one that is not interactive and shows no prompt

    interrupt = ("INT", "shell")

    @property
    def names_channel(self) -> bool:
        """It opens its channel by its name, unless it was given one."""
        return not self.control

    @property
    def shows_prompt(self) -> bool:
        """As a shell does that is interactive."""
        return not self.control

    @property
    def silent(self) -> tuple[int, ...]:
        """All that it prints by itself, but for its prompts."""
        return (1,) if self.shows_prompt else (1, 2)

    @property
    def environment(self) -> dict[str, str]:
        """No history file; `init` takes it back, so that commands do not see it."""
        return {"HISTFILE": "/dev/null"}

    def init(self, ready: str) -> str:
        """Without history and job control, and with a prompt that we know."""
        return f"{self.setup}; unset HISTFILE; PS1={quote(ready)} PS2= __nacre=\n"

    def argv(self, name: str) -> list[str]:
        """What starts it."""
        return [name, *self.flags]

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The first line, or a short one that has it read that from a file."""
        streams = f"<{quote(request.input)} >{quote(request.out)} 2>{quote(request.err)}"
        if self.control:
            streams += f" {self.control}>&-"
        evaluate, before = f"{self.evaluate} {quote(request.text)}", self._before(request)
        if before:
            evaluate = f"{{ {before}{evaluate}\n}}"
        evaluate = f"{evaluate} {streams}"
        if code := self._code_before(request):  # outside of the command's streams, or `set -x` would show it
            evaluate = f"{{ {code}; {evaluate}\n}}"
        first = f"{evaluate} && __nacre=0 || __nacre=$?\n"
        if self.source is None:
            return first, {}
        source = f"{self.builtin} {self.source} {quote(f'{request.base}.{RUN_FILE}')}"
        return f"{source}||__nacre=$?\n", {RUN_FILE: first}

    def report(self, request: TurnRequest) -> str:
        """The second line."""
        code, tell = "__nacre=${__nacre:-$?}", f"{self.builtin} {self.tell.replace('MARKER', request.marker)}"
        operators = "__nacre=$__nacre && " if self.aliases_operators else ""
        proof = f"{{ {operators}{self.evaluate} '__nacre=$__nacre.'||__nacre=$__nacre-; }}; {self.more_proof}"
        if self.control:
            return f"{code}; {proof}{tell} >&{self.control}; __nacre=\n"
        channel = quote(request.channel)
        return f"{code}; {proof}{self.builtin} test -p {channel} && {tell} >{channel} && __nacre=\n"

    def read(self, record: str) -> Ending | None:
        """As reported, if the shell has proved that it still runs what it is given."""
        code, _, directory = record.partition(" ")
        proven = _PROVEN_CODE.fullmatch(code)
        return Ending(int(proven[1]), directory) if proven else None

    def _before(self, request: TurnRequest) -> str:
        """What comes before the command: variables and the directory."""
        exports = "".join(f" {name}={quote(value)}" for name, value in request.environment.items())
        before = f"{self.builtin} export{exports}; " if exports else ""
        if request.directory is not None:
            before += f"{self.builtin} cd -- {quote(request.directory)} && "
        return before

    def _code_before(self, request: TurnRequest) -> str:
        """What makes `$?` the code of the command before; a process is started only if it is asked for."""
        if not request.last_code or not _ASKS_CODE.search(request.text):
            return ""
        quick = (
            request.last_code == 1 and "pipestatus" not in request.text.lower()
        )  # which knows nothing of the `!`
        return "! :" if quick else f"({self.builtin} exit {request.last_code})"

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # the text is enough
        """`set -e` is suspended in a session, or it would end the shell: whoever relies on it must know."""
        return _SET_E_REMARK if "set" in request.text and _SET_E.search(request.text) else ""

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:
        """Without the numbers of background jobs."""
        if self.announces_jobs and stream == STDERR and "&" in request.text and data.startswith(b"["):
            return _JOB_LINE.sub(b"", data)
        return data


def quote(text: str) -> str:
    """A text as one word."""
    return "'" + text.replace("'", "'\\''") + "'"


_KSH_SETUP = "set +o emacs +o vi +m"
SHELLS = {
    "bash": PosixShell(
        flags=("--noprofile", "--norc", "--noediting", "-i"),
        # bash 5.2 may crash when it expands a prompt after a text with an open `$(`
        setup="set +o history +H +m; shopt -u promptvars",
        builtin=r"\builtin",  # which ends the shell at a failure under `set -e`: so not for `eval`
        more_proof=_SOURCED_PROOF,
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
    "ksh": PosixShell(setup=_KSH_SETUP, announces_jobs=True),
    "mksh": PosixShell(
        setup=_KSH_SETUP,
        evaluate=r"\eval",
        tell=_PRINT,  # its printf is a program
        announces_jobs=True,
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
    source=f". '{SCRIPT_MARK}'",
    persistent=persistent,
    login_flags=("-l", "-i", "-c"),
    missing=_MISSING,
    lists=CommandLists("posix", "'single quotes'"),
)
BUSYBOX = replace(DIALECT, programs=("busybox",), examples=(), flags=("sh", "-c"))
PROBE = '__nacre=1; [ "$__nacre" = 1 ] && (exit 3) || printf %s "posix-$?"'
PROBE_ANSWER = b"posix-3"
