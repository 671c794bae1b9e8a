"""The keeper itself: frames come in, commands run, frames go out; when the link ends, everything is ended.

Started by nacre, in any place, as `python -I -S -c "… main()"`. Its stdin and stdout are the link; no command
ever inherits them. Nothing is ignored silently: a frame that it cannot read is answered with an ERROR.
"""

from __future__ import annotations

import gc
import os
import sys

from nacre.keeper.codec import decode, decode_again, decode_turn_start, encode, encode_part
from nacre.keeper.commands import Command, named
from nacre.keeper.directory import Directory
from nacre.keeper.frames import (
    Credit,
    Ended,
    Error,
    Hello,
    Kill,
    Leaving,
    Part,
    Read,
    Resize,
    Setup,
    Signal,
    Spawn,
    Unguarded,
    Watch,
)
from nacre.keeper.host import ProcessTree, command_line, host, start_guardian
from nacre.keeper.notices import line, unkillable
from nacre.keeper.shells import ShellCommand
from nacre.keeper.spools import Spools
from nacre.keeper.wire import COOKIE_NAME, SCRIPT_MARK, VERSION, Decoder, Kind, WireError, frame

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.cgroups import Group, Groups
    from nacre.keeper.frames import TurnStart
    from nacre.keeper.guardian import Guardian
    from nacre.keeper.shells import PersistentShell
    from nacre.keeper.timers import Timer

# The arguments: how to confine this process, the descriptor of the exec gate, what can be executed.
PLAN, GATE, EXECUTABLES = 2, 3, 4
COOKIE_VARIABLE = COOKIE_NAME.encode()
WATCHED_LIMITS = ("output_bytes", "processes")  # which `limits` enforces without the kernel
ROUND_S = 0.02  # how late the end of a process left behind may be noticed, if there are many
FAREWELL_S = 0.3  # the grace period between TERM and KILL after nacre is gone


class Keeper:
    """All commands of one place, and the link on which they are reported."""

    def __init__(self, guardian: Guardian | None) -> None:
        self.directory = Directory("")
        self.spools: Spools | None = None
        self._cookie = os.urandom(16).hex()
        self._cookie_bytes = self._cookie.encode()
        self._environment: dict[bytes, bytes] = dict(os.environb) if os.name != "nt" else {}
        self._commands: dict[int, Command] = {}
        self.in_turn: set[PersistentShell] = set()  # shells in which a command runs
        self._round: Timer | None = None  # the next look at all children
        self.dying: dict[int, Command] = {}  # those that are being killed
        self.groups: dict[int, Group] = {}  # control groups of commands with limits
        self._groups: Groups | None = None  # None: not known yet where they can be created
        self._last: Spawn | None = None
        self._leaving = False
        self._alone = False  # nacre is gone
        self._guardian = guardian
        self._decoder = Decoder()
        self.tree = ProcessTree(self._cookie, subreaper=host.prepare())
        self.loop = host.Loop(self.reap, self.leave, self.failed)
        reading, writing = host.link_descriptors()
        self._out: list[bytes] = []
        self._link = host.LinkWriter(self.loop, writing, on_broken=self._link_ended)
        host.LinkReader(self.loop, reading, self._received, self._link_ended).resume()
        if guardian is not None:
            guardian.tell(f"cookie={self._cookie}")
            guardian.watch(self.loop, self._unguarded)
        hello = Hello(
            version=VERSION,
            pid=os.getpid(),
            platform=sys.platform,
            cookie=self._cookie,
            guarded=guardian is not None,
        )
        self.send(encode(hello))

    def _unguarded(self) -> None:
        self._guardian = None
        self.send(encode(Unguarded()))

    def run(self) -> None:
        """Serve until nacre is gone and nothing is left."""
        try:
            self.loop.run(self.flush)
            self.flush()
        except BaseException:  # in any case nothing is left running
            self.tree.force_all_to_end()  # nothing else would end them
            raise
        finally:
            for command_id in list(self.groups):
                self.give_up_group(command_id)
            if self._alone:  # otherwise nacre still needs it: a signal ended us
                self.directory.remove()
        if self._guardian is not None:
            self._guardian.tell("done")
        self._link.close()

    # -- the link

    def send(self, data: bytes) -> None:
        """Queue a frame; frames of one round leave in one write."""
        self._out.append(data)

    def flush(self, last: bytes = b"") -> None:
        """Write what is queued, and one frame more; then there is time to remove old output."""
        if self._out:
            last = b"".join([*self._out, last])
            self._out = []
        if last:
            self._link.write(last)
            if self.spools is not None and self.spools.is_trim_due:
                self.spools.trim()

    def _received(self, data: bytes) -> None:
        try:
            for kind, command_id, body in self._decoder.feed(data):
                self._handle(kind, command_id, body)
        except WireError as error:
            self._send_error(0, "malformed_frame", f"{error}; the link is closed")
            self.leave()
        except MemoryError as error:  # what was read is lost, and so is the position of the next frame
            self.failed(0, error)
            self.leave()

    def _handle(self, kind: int, command_id: int, body: bytes) -> None:
        try:
            if kind == Kind.TURN_START and (shell := self._commands.get(command_id)) is not None:
                self._start_turn(shell, decode_turn_start(body))
            elif kind == Kind.AGAIN and self._last is not None:
                self._spawn(command_id, decode_again(body, self._last))
            else:
                self._dispatch(kind, command_id, body)
        except (ValueError, TypeError, KeyError) as error:
            name = Kind(kind).name if kind in list(Kind) else f"kind {kind}"
            self._give_up(command_id, "malformed_frame", f"{name}: {error}")
        except Exception as error:  # noqa: BLE001  # it must not end the commands of others
            self.failed(command_id, error)

    def _dispatch(self, kind: int, command_id: int, body: bytes) -> None:
        if kind == Kind.AGAIN:
            raise ValueError("there is no good SPAWN before it")
        if kind == Kind.SPAWN:
            self._last = None  # until this one is known to be valid
            self._last = spec = decode(Spawn, body)
            self._spawn(command_id, spec)
        elif kind == Kind.SETUP:
            self._setup(decode(Setup, body))
        elif kind == Kind.PING:
            self.send(frame(Kind.PONG, 0))
        elif (command := self._commands.get(command_id)) is None:
            self._regret(Kind(kind), command_id, body)
        elif kind == Kind.INPUT:
            command.feed(body)
        elif kind == Kind.HIDDEN_INPUT:
            self.send(frame(Kind.INPUT_TAKEN, command_id, b"1" if command.feed_hidden(body) else b"0"))
        else:
            self._control(Kind(kind), command, body)

    def _regret(self, kind: Kind, command_id: int, body: bytes) -> None:
        """Answer a frame for a command that has ended in the meantime."""
        if kind is Kind.KILL:
            self.send(encode(Ended(), command_id))
        elif kind is Kind.READ:
            self.send(encode_part(Part(decode(Read, body).ticket, known=False), command_id))
        elif kind is Kind.HIDDEN_INPUT:
            self.send(frame(Kind.INPUT_TAKEN, command_id, b"0"))
        elif kind is Kind.RESIZE:
            self.send(frame(Kind.RESIZED, command_id))

    def _start_turn(self, command: Command, turn: TurnStart) -> None:
        try:
            command.run(turn)
        except OSError as error:  # disk full, no descriptors left: the shell got nothing
            where = f"{error.filename}: " if error.filename else ""
            self._send_error(command.id, "turn_failed", f"{where}{error.strerror}", errno=error.errno or 0)

    def _control(self, kind: Kind, command: Command, body: bytes) -> None:
        if kind is Kind.KILL:
            kill = decode(Kill, body)
            command.kill("killed", kill.grace_ms, hang_up=kill.hang_up)
        elif kind is Kind.SIGNAL:
            signal = decode(Signal, body)
            before = [host.signal_number(name) for name in signal.before]
            command.signal(host.signal_number(signal.signal), signal.scope, signal.turn, before)
        elif kind is Kind.RESIZE:
            size = decode(Resize, body)
            refused = command.resize(size.rows, size.columns)
            self.send(frame(Kind.RESIZED, command.id, refused.encode()))
        elif kind is Kind.CREDIT:
            command.credit(decode(Credit, body).taken_bytes)
        elif kind in (Kind.READ, Kind.WATCH):
            self._look(kind, command, body)
        else:
            raise ValueError("this kind is not for a keeper")

    def _look(self, kind: Kind, command: Command, body: bytes) -> None:
        from nacre.keeper.watching import read, watch  # noqa: PLC0415  # few commands are looked at

        if kind is Kind.READ:
            self.send(encode_part(read(command, decode(Read, body)), command.id))
        else:
            watch(self, command, decode(Watch, body))

    def _send_error(self, command_id: int, code: str, message: str, errno: int = 0, file: str = "") -> None:
        self.send(encode(Error(code=code, message=message, errno=errno, file=file), command_id))

    def failed(self, command_id: int, error: Exception) -> None:
        """End a command after an internal error, and report the error; all others continue.

        0: no single command is affected; then the error is only reported.
        """
        _log_failure(error)
        if command_id:
            self._give_up(command_id, "internal_error", f"{type(error).__name__}: {error}")

    def _give_up(self, command_id: int, code: str, message: str) -> None:
        command = self._commands.get(command_id)
        if command is None or not command.reported:
            self._send_error(command_id, code, message)
        if command is not None:
            command.fail()

    def _setup(self, setup: Setup) -> None:
        self._environment = {os.fsencode(k): os.fsencode(v) for k, v in setup.environment.items()}
        if setup.spool_dir != self.directory.path:
            self._use_directory(setup.spool_dir, setup.spools, follows=setup.follows)
        if setup.sweep:
            self.tree.sweep(setup.sweep)

    def _use_directory(self, path: str, limits: dict[str, int], *, follows: bool) -> None:
        self.directory = Directory(path)
        self.spools = Spools(self.directory, **limits)
        if self._guardian is not None:
            self._guardian.tell(f"spool={os.fsencode(path).hex()}")
        try:
            self.directory.ensure()
            if follows:
                self.spools.adopt()
        except OSError:  # the next command that needs it tries again, and gets the error
            return

    # -- commands

    def _spawn(self, command_id: int, spec: Spawn) -> None:
        if command_id in self._commands:
            raise ValueError(f"command {command_id} runs already")
        if spec.limits:
            self._prepare_limits(command_id, spec)
        try:
            if spec.script is not None:
                self._write_script(command_id, spec)
            environment = self._environment
            if spec.unset or spec.environment:
                environment = self._environment_of(spec)
            environment[COOKIE_VARIABLE] = b"%s:%d" % (self._cookie_bytes, command_id)
            if not spec.program:
                spec.program = host.find_program(spec.argv[0], environment, spec.cwd)
            self.tree.mark(command_id)
            group = self.groups.get(command_id)
            more = (group.members_files,) if group else ()
            started = host.start(spec, environment, *more)
        except OSError as error:
            self.give_up_group(command_id)
            self._send_error(
                command_id,
                "spawn_failed",
                error.strerror or str(error),
                errno=error.errno or 0,
                file=str(error.filename or ""),
            )
            return
        self.tree.adopt(command_id, started)
        kind = ShellCommand if spec.persistent else Command
        try:
            self._commands[command_id] = command = kind(self, command_id, spec, started)
        except Exception:  # in any case the started process must not stay
            self.tree.force_end(command_id)
            self.tree.forget(command_id)
            raise
        if spec.announce:
            command.announce()
        host.make_pipes_ahead()

    def _prepare_limits(self, command_id: int, spec: Spawn) -> None:
        """Create the control group of a command with limits, where that is possible. Raises ValueError."""
        if unknown := spec.limits.keys() - {*host.LIMITS, *WATCHED_LIMITS}:
            known = ", ".join((*host.LIMITS, *WATCHED_LIMITS))
            raise ValueError(f"unknown limits: {', '.join(sorted(unknown))}; known: {known}")
        if sys.platform != "linux":
            return
        if self._groups is None:
            from nacre.keeper.cgroups import find_groups  # noqa: PLC0415  # few commands have limits

            self._groups = find_groups()
        group = self._groups.make(str(command_id), spec.limits)
        if group is not None:
            self.groups[command_id] = group

    def give_up_group(self, command_id: int) -> None:
        """Remove the control group of a command of which nothing is left."""
        group = self.groups.pop(command_id, None)
        if group is not None and self._groups is not None:
            self._groups.give_up(group)

    def script_name(self, command_id: int) -> str:
        """The name of the file with a text that is too long for an argument."""
        return f"{command_id}{host.SCRIPT_SUFFIX}"

    def _write_script(self, command_id: int, spec: Spawn) -> None:
        """Write the text of a command to a file, and put the file's path into its arguments."""
        name = self.script_name(command_id)
        self.directory.write(name, host.script_bytes(spec.script or ""))
        spec.script = ""  # it may be large
        path = self.directory.path_of(name)
        spec.argv = [word.replace(SCRIPT_MARK, path) for word in spec.argv]

    def _environment_of(self, spec: Spawn) -> dict[bytes, bytes]:
        """The environment of a command that has variables of its own."""
        environment = dict(self._environment)
        for name in spec.unset:
            environment.pop(os.fsencode(name), None)
        for name, value in spec.environment.items():
            environment[os.fsencode(name)] = os.fsencode(value)
        return environment

    def reap(self) -> None:
        """Reap the processes that have ended.

        Commands never wait because of what others have left behind: if that is much, it is reaped
        periodically, all at once.
        """
        for shell in self.in_turn:
            shell.note_name()
        awaited = None if self.dying or self._leaving else self.tree.awaited()
        if awaited is not None and self._round is None:
            self._round = self.loop.call_later(ROUND_S, self._reap_all)
        self._note_ended(*host.reap(awaited))

    def _reap_all(self) -> None:
        self._round = None
        self._note_ended(*host.reap())

    def _note_ended(self, ended: list[host.Reaped], more: bool) -> None:  # noqa: FBT001  # the result of `reap`
        self.tree.note_children(some=more)
        owners = [self.tree.child_ended(end.pid) for end in ended]  # before any command looks at what is left
        for end, owner in zip(ended, owners, strict=True):
            if (command := self._commands.get(owner)) is None:
                continue
            try:
                if command.pid == end.pid:
                    command.ended(end)
                else:
                    command.note_left_end(end)
            except Exception as error:  # noqa: BLE001  # it must not end the commands of others
                self.failed(owner, error)
        if self.dying:  # only those that have lost a process: there may be many
            for command_id in self.tree.emptied() & self.dying.keys():
                self.loop.attempt(self.dying[command_id].check_death, command_id)
        if self._leaving and not more:
            self.loop.stop()

    def retire_if_over(self, command: Command) -> None:
        """Forget a reported command once its streams are closed and its processes are gone."""
        if command.id not in self._commands or command.streams_open:
            return
        if not self.tree.may_have_left(command.id):
            self.retire(command)

    def retire(self, command: Command) -> None:
        """Forget a command of which nothing is left."""
        command.release()
        self.tree.forget(command.id)
        del self._commands[command.id]
        if command.left_some:
            self.send(encode(Ended(), command.id))

    def report_rest(self, command: Command) -> None:
        """Report that what a command left behind has been killed, or what could not be."""
        self.retire_if_over(command)
        if command.id in self._commands:  # otherwise that has been reported
            processes, total = named(self.tree.members(command.id))
            self.send(encode(Ended(left=processes, left_total=total), command.id))

    # -- the end

    def _link_ended(self) -> None:
        self._alone = True
        self.leave()

    def leave(self) -> None:
        """End every process, then ourselves: nacre is gone, or a signal ends us."""
        if self._leaving:
            return
        self._leaving = True
        self.send(encode(Leaving()))
        self.flush()
        self.loop.call_later(FAREWELL_S, self._end_the_rest)
        self.reap()
        self.tree.ask_all_to_end()

    def _end_the_rest(self) -> None:
        left = self.tree.force_all_to_end()
        if left:
            host.log(line(unkillable(left, command_line)))
        self.loop.stop()


def _log_failure(error: Exception) -> None:
    """Write an internal error with its traceback to stderr; if that fails, the keeper continues."""
    try:
        import traceback  # noqa: PLC0415  # seldom needed

        text = "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001  # no memory, no descriptors: log less
        text = f"{type(error).__name__}: {error}\n"
    host.log(f"nacre's keeper: unexpected\n{text}")


def _below_guardian() -> Guardian | None:
    """Continue below a guardian, which keeps its rights for the time after our death."""
    if len(sys.argv) <= GATE:
        return start_guardian()
    from nacre.keeper.confinement import (  # noqa: PLC0415  # most keepers are not confined
        ask_before_exec,
        restrict_executables,
    )
    from nacre.keeper.quickjson import decode as read_json  # noqa: PLC0415  # as above

    channel = int(sys.argv[GATE])
    os.set_inheritable(channel, False)
    guardian = start_guardian()
    if executables := read_json(sys.argv[EXECUTABLES]):
        restrict_executables(executables)
    ask_before_exec(channel)
    return guardian


def main() -> None:
    """Run a keeper until the link ends."""
    private = len(sys.argv) > PLAN and _confine(sys.argv[PLAN])
    guardian = _below_guardian()
    gc.freeze()  # what is loaded by now is permanent: collections look only at what comes later, and seldom
    gc.set_threshold(20_000, 20, 20)
    keeper = Keeper(guardian)
    if private:
        from nacre.keeper.confinement import (  # noqa: PLC0415  # most keepers are not confined
            become_private,
            become_readable,
        )

        become_private()
        if len(sys.argv) > GATE:
            from nacre.keeper.posix.starting import before_exec  # noqa: PLC0415  # as above

            before_exec.append(become_readable)
    keeper.run()


def _confine(plan_text: str) -> bool:
    """Confine this process; whether it is to be private as well."""
    from nacre.keeper.confinement import confine  # noqa: PLC0415  # most keepers are not confined
    from nacre.keeper.quickjson import decode as read_json  # noqa: PLC0415  # as above

    plan = read_json(plan_text)
    confine(plan)
    return bool(plan.get("private"))
