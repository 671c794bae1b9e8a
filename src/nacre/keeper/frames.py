"""What the frames of the link say: one record for each kind, shared by both sides.

Above it: `link` (nacre's side), and on the keeper's side everything that receives or sends frames.
Below: nothing; `codec` turns them into bytes. It knows what a frame holds, not what is done with it.
"""

from __future__ import annotations

from nacre.keeper.records import dataclass, sparse

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from typing import Any

Left = tuple[tuple[int, str], ...]  # processes that still run: their ids and command lines
_NOTHING: dict[str, Any] = {}
_NONE: list[Any] = []


# -- nacre to keeper


@sparse(kw_only=True)
class Setup:
    """SETUP: what all commands share; before the first command, or to change it."""

    environment: dict[str, str]
    spool_dir: str
    spools: dict[str, int] = _NOTHING  # the limits of all spools together, see `spools.Spools`
    follows: bool = False  # whether it replaces another keeper, whose spools it takes over
    sweep: str = ""  # the cookie of a killed keeper, whose processes are to be ended


@sparse(kw_only=True)
class Spawn:
    """SPAWN: what to run."""

    argv: list[str]
    cwd: str
    program: str  # empty: argv[0], searched on the command's own PATH
    environment: dict[str, str] = _NOTHING
    unset: tuple[str, ...] = ()
    script: str | None = None  # too long for argv: goes to a file, whose path replaces SCRIPT_MARK in argv
    stdin: bool = False  # whether INPUT frames feed it; otherwise its stdin is empty
    merge: bool = False  # stderr into stdout, in order
    silent: tuple[int, ...] = ()  # which of stdout and stderr are discarded
    persistent: bool = False  # a shell with turns; what it prints itself belongs to the current one
    control: int = 0  # number of the private channel in the command; 0 for none
    ready: str = ""  # what it shows on its stderr when it waits for a line; see `prompts`
    names_channel: bool = (
        False  # whether a persistent shell opens its private channel by its name (`turns.ShellFiles`)
    )
    prompt: str = ""  # of a persistent shell without such a channel, see `conversation`
    opening: tuple[str, str] = ("", "")  # its first mark, and the line that makes it report with it
    terminal: tuple[int, int] | None = None  # rows and columns
    limits: dict[str, int] = _NOTHING  # cpu_s, memory_bytes, processes, open_files, file_bytes, output_bytes
    timeout_ms: int = 0
    grace_ms: int = 1000
    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0  # newest output in a frame, at most this often
    window_bytes: int = 0  # all output in frames, at most this much ahead of the reader
    announce: bool = False  # whether a STARTED frame is wanted
    hashed: bool = False  # whether a hash is wanted of output that is not kept whole
    whole_ends: bool = False  # whether `keep_bytes` of each end are wanted of what is spooled, not half


@sparse(kw_only=True)
class TurnStart:
    """TURN_START: one command for a persistent shell."""

    turn: int
    marker: str
    feed: str  # the shell's input; in a conversation line by line, each character a byte
    pair: int = 0  # which pair of named pipes `feed` names
    files: dict[str, str] = _NOTHING  # contents by suffix: the files that `feed` makes it read
    report: str = ""  # the line that reports the end: sent after `feed`, and again if it was lost
    stdin: str | None = None  # the command's input, in the file with the suffix `stdin`
    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0
    hashed: bool = False
    whole_ends: bool = False


@sparse(kw_only=True)
class Signal:
    """SIGNAL: scope is "group", "tree"; of a shell also "turn" and "shell" (both), "left" (kills)."""

    signal: str
    scope: str = "group"
    turn: int = 0  # for "left": of that turn, or of the last one
    before: list[str] = _NONE  # for "shell": what the shell and the processes forked from it get before


@sparse(kw_only=True)
class Kill:
    """KILL: TERM, grace, KILL on the whole tree; EXIT or ENDED answers."""

    grace_ms: int
    hang_up: bool = False


@sparse(kw_only=True)
class Resize:
    """RESIZE: the size of the command's terminal."""

    rows: int
    columns: int


@sparse(kw_only=True)
class Credit:
    """CREDIT: the reader has taken that many streamed bytes."""

    taken_bytes: int


@sparse(kw_only=True)
class Read:
    """READ: the output of a command that is still known, from an offset on; PART answers."""

    ticket: int  # the answer has the same
    stream: int  # 1 or 2
    offset: int
    limit_bytes: int
    turn: int = 0  # for a persistent shell; otherwise 0


@sparse(kw_only=True)
class Watch:
    """WATCH: send NEWS of a command, at most this often; 0: no more."""

    every_ms: int
    input: bool = False  # whether to look for processes that wait for input
    turn: int = 0


# -- keeper to nacre


@sparse(kw_only=True)
class Hello:
    """HELLO: the keeper is ready."""

    version: int
    pid: int
    platform: str
    cookie: str
    guarded: bool


@sparse(kw_only=True)
class Started:
    """STARTED: only when the spawn asked for it."""

    pid: int


@sparse(kw_only=True)
class Error:
    """ERROR: this frame, spawn or turn has failed."""

    code: str
    message: str
    errno: int = 0  # where the operating system is the reason
    file: str = ""  # the file that the error is about


@sparse(kw_only=True)
class Ended:
    """ENDED: nothing of a reported command is left, except what could not be killed."""

    left: Left = ()
    left_total: int = 0
    turn: int = 0  # all that this turn of a shell left behind has ended


@sparse(kw_only=True)
class News:
    """NEWS: the size of a watched command's output, and whether the command waits for input."""

    stdout_bytes: int
    stderr_bytes: int
    reader: str = ""  # the process that waits for input; empty: none, or unknown
    programs: tuple[str, ...] = ()  # in the first one: what runs, except the command's own shell


@sparse(kw_only=True)
class LeftEnd:
    """LEFT_END: a process that a command or a turn left behind has ended."""

    pid: int
    code: int | None  # neither a code nor a signal: unknown, since only its parent is told
    signal: str | None
    turn: int = 0


@sparse(kw_only=True)
class Leaving:
    """LEAVING: the link has ended, and all processes are being ended."""


@sparse(kw_only=True)
class Unguarded:
    """UNGUARDED: the guardian is gone; a killed keeper would leave its processes behind."""


@dataclass(slots=True)  # created for every command; freezing would triple the cost
class Stream:
    """What the keeper kept of one output stream."""

    total_bytes: int = 0
    line_ends: int = 0
    head: bytes = b""
    tail: bytes = b""
    spool: str | None = None
    spool_omitted_bytes: int = 0
    spool_failed: str = ""
    goes_on: bool = False  # a process left behind may print more, into the spool
    rest_lost: str = ""  # why later output is not kept
    sha256: str = ""  # of the whole stream, where requested and `head` is not all of it


NOTHING = Stream()


@dataclass(slots=True)
class Exit:
    """EXIT: how a command ended, as the keeper saw it."""

    code: int | None
    signal: str | None
    why: str | None  # "timeout", "killed", "limit"; None: it ended by itself
    wall_ms: int
    cpu_ms: int
    max_rss_bytes: int | None  # None: no more than the keeper's own, from which the kernel starts to count
    left: Left
    left_total: int
    limit: str  # the exceeded limit, by its name in `Spawn.limits`; empty: none
    stdout: Stream
    stderr: Stream


@dataclass(slots=True)
class TurnEnd:
    """TURN_END: how one command in a persistent shell ended, as the keeper saw it."""

    record: str | None  # the shell's report on its private channel; None: it died, or lost that channel
    pair: int  # the number of the named pipes for the next turn
    wall_ms: int
    cpu_ms: int
    max_rss_bytes: int | None  # the highest value seen in one of its processes; None: none was seen
    directory: str | None  # the shell's real directory; None: unknown
    left: Left
    left_total: int
    replaced: str  # the program that had replaced the shell (`exec`) when it ended
    mute: bool  # whether the shell lives, but cannot report any more
    unread: bool  # whether its files were gone before the shell read them: the command has not run
    limit: str  # as in `Exit`
    stdout: Stream
    stderr: Stream


@dataclass(slots=True)
class Part:
    """PART: a part of an output. `missing_bytes` of it, from `missing_from` on, were not kept."""

    ticket: int
    known: bool  # False: the command is no longer known
    total_bytes: int = 0
    line_ends: int = 0
    missing_from: int = 0
    missing_bytes: int = 0
    data: bytes = b""
