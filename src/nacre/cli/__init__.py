"""The command line: `nacre` serves MCP on stdin and stdout.

The keeper is started here, before anything heavy is imported, so that its start-up hides behind ours.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, NoReturn, cast

from nacre import __version__
from nacre.errors import NacreError
from nacre.settings.table import CONTAINER_SETTINGS, NOTHING, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.config import Config, Preset
    from nacre.places.local import Local

INTERRUPTED = 130  # the exit code of what Ctrl-C has ended
WELCOME = """\
nacre {version}: an MCP server that runs shell commands. It waits for a client's JSON lines on stdin.
To connect one: `nacre install CLIENT`, for instance `nacre install claude-code`; `nacre install` lists them.
Any other client: command "{program}", transport stdio.
End with Ctrl-D. `nacre --help` lists the options."""


def configuration(options: SimpleNamespace) -> Config:
    """The settings of all layers, and over them what the command line says."""
    from nacre.settings import layers  # noqa: PLC0415  # loads while the keeper starts
    from nacre.settings.configuration import configure, default_path, with_flags  # noqa: PLC0415  # the same

    layered = layers.load(
        options.config, preset=options.preset, directory=options.working_dir, flags=vars(options)
    )
    config = configure(
        layered.table, preset=options.preset, allow=options.allow or "", deny=options.deny or ""
    )
    config = with_flags(config, vars(options))
    return replace(
        config,
        file=options.config or default_path(),
        files=(layers.system_path(), *layered.files, layers.trust_path()),
        watched=layers.watched_paths(options.config, options.working_dir),
        warnings=layered.warnings,
        reread=lambda: configuration(options),
        verbose=config.verbose or _wants_debugging(config.preset),
    )


def read_options(given: list[str]) -> SimpleNamespace:
    """What the person wants; help and mistakes end the program here."""
    if (plain := plain_options(given)) is not None:
        return plain
    from nacre.cli.options import parser, refuse_command  # noqa: PLC0415  # argparse takes longer than what is plain

    if given[:1] != ["server"] and not given[0].startswith("-"):
        refuse_command(given[0])
    if given[:1] != ["server"]:
        return SimpleNamespace(**vars(parser().parse_args(given)))
    from nacre.cli.server_shell import read_arguments  # noqa: PLC0415  # few want it

    return SimpleNamespace(**vars(parser().parse_args([], read_arguments(given[1:]))))


def plain_options(given: list[str]) -> SimpleNamespace | None:
    """Options that are written out in full, each with its value behind it; None: let argparse have a look."""
    settings = [setting for setting in (*SETTINGS, *CONTAINER_SETTINGS) if setting.flags]
    flags = {flag: setting for setting in settings for flag in setting.flags}
    options = SimpleNamespace(config=None, allow=None, deny=None, **{each.option: None for each in settings})
    words = iter(given)
    for word in words:
        setting = flags.get(word)
        if setting is not None and setting.flag_means is not NOTHING:
            setattr(options, setting.option, setting.flag_means)
            continue
        value = next(words, "-")
        if value.startswith("-") or (setting is None and word != "--config"):
            return None
        try:
            read = value if setting is None else setting.kind.read(setting.kind.from_text(value))
        except ValueError:
            return None
        setattr(options, "config" if setting is None else setting.option, read)
    return options


def _wants_debugging(preset: Preset) -> bool:
    """Whether DEBUG names what a preset's document calls itself (003), as npm's `debug` reads it."""
    name, said = preset.texts.get("debug"), os.environ.get("DEBUG")
    if not name or not said:
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415  # seldom

    return any(fnmatchcase(name, pattern) for pattern in said.replace(",", " ").split())


def _fill_standard_streams() -> bool:
    """Open closed standard streams on /dev/null; whether stdout was open, so that replies can be read.

    Otherwise the next file that is opened would get its number: a log line could land in the audit log, or
    in the link to the keeper.
    """
    there = [_is_open(fd) for fd in range(3)]
    for fd in (fd for fd in range(3) if not there[fd]):
        null = os.open(os.devnull, os.O_RDWR)
        if null == fd:  # the lowest number that is free, nearly always
            os.set_inheritable(fd, True)
        else:
            os.dup2(null, fd)
            os.close(null)
    return there[1]


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _tell(text: str) -> None:
    """Write a line for the person, if stderr is open."""
    try:
        os.write(2, text.encode("utf-8", "backslashreplace") + b"\n")
    except OSError:  # stderr has no reader, or its disk is full
        return


def _load_asyncio_without_tls() -> None:
    """asyncio does without TLS where Python has none; this process never speaks it, and saves 4 MB.

    A later `import ssl` works.
    """
    if "asyncio" in sys.modules or "ssl" in sys.modules:
        return
    sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType]  # Python's way to say: not there
    try:
        __import__("asyncio")
    finally:
        del sys.modules["ssl"]


def run_subcommand(given: list[str]) -> int | None:
    """The exit code of what is no server; None: a server is wanted."""
    _escape_what_cannot_be_shown()
    try:
        if (code := _dispatch(given)) is not None:
            sys.stdout.flush()  # so that a reader that is gone is noticed here, and not at the exit
    except BrokenPipeError:  # `… | head` has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _escape_what_cannot_be_shown() -> None:
    """A character that the terminal's encoding does not have, or that is none, ends no command."""
    if isinstance(stdout := cast("object", sys.stdout), io.TextIOWrapper):
        cast("io.TextIOWrapper", stdout).reconfigure(errors="backslashreplace")


def _dispatch(given: list[str]) -> int | None:  # noqa: PLR0911  # one for each
    name, rest = (given or [""])[0], given[1:]
    if name == "policy":
        from nacre.cli.policy import main as policy_main  # noqa: PLC0415  # a server never needs it

        return policy_main(rest)
    if name == "audit":
        from nacre.audit.cli import main as audit_main  # noqa: PLC0415  # the same

        return audit_main(rest)
    if name in ("install", "uninstall"):
        from nacre.cli.install import main as install_main  # noqa: PLC0415  # the same

        return install_main(given)
    if name in ("config", "trust"):
        from nacre.cli import config  # noqa: PLC0415  # the same

        return config.main(rest) if name == "config" else config.trust_main(rest)
    if name == "sandbox":
        from nacre.cli.sandbox import main as sandbox_main  # noqa: PLC0415  # the same

        return sandbox_main(rest)
    if name == "try":
        from nacre.cli.try_server import main as try_main  # noqa: PLC0415  # the same

        return try_main(rest)
    if name == "watch":
        from nacre.watch.cli import main as watch_main  # noqa: PLC0415  # the same

        return watch_main(rest)
    if name == "completions":
        from nacre.cli.completions import main as completions_main  # noqa: PLC0415  # the same

        return completions_main(rest)
    if name == "doctor":
        from nacre.cli.doctor import main as doctor_main  # noqa: PLC0415  # the same

        return doctor_main(rest)
    return None


def _confined_place(config: Config) -> Local:
    """This machine with its keeper started inside of the sandbox."""
    from nacre.places.local import Local  # noqa: PLC0415  # loads while the keeper starts, where it can

    try:
        place = Local(config, None)
        place.start()
    except NacreError as error:
        _tell(f"nacre: {error}")
        sys.exit(2)
    except OSError as error:
        _tell(f"nacre: its keeper process cannot be started: {error.strerror}.")
        sys.exit(2)
    return place


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Serve, and end the process."""
    gc.disable()  # nothing that imports make is garbage; `serve` looks for some again
    given = list(sys.argv[1:] if arguments is None else arguments)
    if (code := run_subcommand(given)) is not None:
        sys.exit(code)
    options = read_options(given)
    if not _fill_standard_streams():
        _tell("nacre: stdout is closed, so no answer could be sent.")
        sys.exit(1)
    from nacre import open_files  # noqa: PLC0415  # after --help and bad options have had their say
    from nacre.keeper.launch import launch  # noqa: PLC0415

    if few := open_files.shortage():
        _tell(f"nacre: {few}")
        sys.exit(2)
    try:
        # A keeper in a sandbox is started when it is known which; all others as early as can be.
        early = options.sandbox == "off" or (options.sandbox is None and not options.allow)
        launched = launch() if early else None
    except OSError as error:
        sys.stderr.write(f"nacre: its keeper process cannot be started: {error.strerror}.\n")
        sys.exit(2)
    _load_asyncio_without_tls()
    from nacre.audit import recorder  # noqa: PLC0415  # loads while the keeper starts
    from nacre.protocol.stdio import claim_standard_streams  # noqa: PLC0415

    try:
        config = configuration(options)
        recorder.configure(
            verbose=config.verbose,
            commands=config.log_commands,
            trail=config.audit_log,
            rotate_bytes=config.audit_rotate_bytes,
            required=config.audit_required,
            words=config.preset.texts,
        )
    except NacreError as error:
        _tell(f"nacre: {error}")
        sys.exit(2)
    if os.isatty(0):
        program = " ".join((sys.argv[0], *(given[:2] if given[:1] == ["server"] else ())))
        _tell(WELCOME.format(version=__version__, program=program))
    place = None
    if config.sandbox != "off":
        if launched is not None:
            launched.abandon()  # it is not confined
            launched = None
        place = _confined_place(config)
    reading, writing = claim_standard_streams()
    from nacre.server import serve  # noqa: PLC0415  # loads while a keeper in a sandbox starts

    code = serve(config, launched, reading, writing, place)
    recorder.finish()
    os._exit(code)  # everything is cleaned up; a reader thread parked on stdin must not hold us
