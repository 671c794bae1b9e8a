r"""PowerShell, pwsh and Windows PowerShell. Pure; written from its documentation, never tried with it.

A persistent PowerShell reads a pipe (`-Command -`), one line at a time, and shows no prompt of its own;
each line it is given ends by printing one. One command is

    $LASTEXITCODE = 0; try { . (the text) } catch { … }; print the prompt
    print MARK code, the directory, MARK, the prompt; on stderr MARK

- The text travels in base64, because a blank line would end a longer statement. Dot-sourcing keeps its
  variables, and `[scriptblock]::Create` turns a syntax error into one that can be caught.
- It has no descriptors besides the standard ones, so the end is reported in band: `keeper.conversation`.
- A program that reads its stdin would read the silent pipe, and wait until the timeout.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass

from nacre.dialects.dialect import ONLY_ON_PATH, Dialect, Ending, TurnRequest, split_spoken
from nacre.errors import RequestError
from nacre.keeper.wire import SCRIPT_MARK

# Nothing that a command can change (aliases, functions, $PWD, default parameters) is trusted: cmdlets are
# called with their module's name, and everything else is .NET or a constant.
_OUT_DEFAULT, _OUT_STRING = (
    "Microsoft.PowerShell.Core\\Out-Default",
    "Microsoft.PowerShell.Utility\\Out-String",
)
_PATH = "$ExecutionContext.SessionState.Path"
_HERE = f"{_PATH}.CurrentFileSystemLocation.ProviderPath"
_FLAGS = ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command")
# UTF-8 without a byte order mark, no progress bars, no colours (the last one is new in 7.2).
SETTINGS = (
    "$OutputEncoding = [System.Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false); "
    "$ProgressPreference = 'SilentlyContinue'; if ($PSStyle) { $PSStyle.OutputRendering = 'PlainText' }; "
)


@dataclass(frozen=True, slots=True)
class PowerShell:
    """PowerShell, kept alive."""

    prompt: str

    control = 0
    names_channel = shows_prompt = False
    adds_output = True  # its prompts
    silent = ()
    interrupts = ()  # on Windows there is no console for Ctrl+C; elsewhere it was not tried
    output_encoding = None  # UTF-8: see SETTINGS

    @property
    def environment(self) -> dict[str, str]:
        """No telemetry, no update notifications."""
        return {"POWERSHELL_TELEMETRY_OPTOUT": "1", "POWERSHELL_UPDATECHECK": "Off"}

    def init(self, ready: str) -> str:  # noqa: ARG002  # its prompt is `prompt`
        """Its output settings, and its first prompt."""
        return f"{SETTINGS}{_print(self.prompt)}\r\n"

    def argv(self, name: str) -> list[str]:
        """Its command line: no profile, not interactive."""
        return [name, *_FLAGS, "-"]

    def check(self, request: TurnRequest) -> None:
        """Raise RequestError for a command that it cannot run unchanged."""
        if request.stdin is not None:
            raise RequestError(
                "stdin cannot be given to a command in a session of PowerShell.",
                hint="Leave `session` out, or pipe the text into the program: 'text' | program.",
            )
        for argument, text in (("command", request.text), *request.environment.items()):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise RequestError(
                    f"{argument} contains a byte that is not UTF-8 at offset {error.start}.",
                    hint="Nothing was run.",
                ) from None

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The line that runs a command, and the line that reports its end."""
        failed = f"[System.Console]::Error.Write(($_ | {_OUT_STRING})); $global:__nacre = $false"
        block = f"([scriptblock]::Create({_decoded(request.text)}))"
        run = (
            f"$global:LASTEXITCODE = 0; try {{ {_before(request)}. {block} "
            f"| {_OUT_DEFAULT}; $global:__nacre = $? }} catch {{ {failed} }}; {_print('', self.prompt)}"
        )
        return f"{run}\r\n{self.report(request)}", {}

    def report(self, request: TurnRequest) -> str:
        """The line that reports the end: `marker code`, the directory, `marker`; on stderr the marker."""
        marker = request.marker
        code = "$(if ($LASTEXITCODE) { $LASTEXITCODE } elseif ($global:__nacre) { 0 } else { 1 })"
        report = f'\'{marker} \' + {code} + "`r`n" + {_HERE} + "`r`n{marker}`r`n{self.prompt}"'
        return f'[System.Console]::Out.Write({report}); [System.Console]::Error.Write("{marker}`r`n")'

    def read(self, record: str) -> Ending | None:
        """The code and the directory."""
        return split_spoken(record, "utf-8")

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # the same for every text
        """That this dialect is untested."""
        return "PowerShell's sessions were written from its documentation and never run by nacre's makers."

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:  # noqa: ARG002  # nothing to take away
        """It echoes nothing."""
        return data


def quote(text: str) -> str:
    """A text as one word: in single quotes only the quote itself is special."""
    return "'" + text.replace("'", "''") + "'"


def _decoded(text: str) -> str:
    encoded = base64.b64encode(text.encode()).decode()
    return f"[System.Text.Encoding]::UTF8.GetString([System.Convert]::FromBase64String('{encoded}'))"


def _before(request: TurnRequest) -> str:
    before = "".join(
        f"[System.Environment]::SetEnvironmentVariable({quote(name)}, {_decoded(value)}); "
        for name, value in request.environment.items()
    )
    if request.directory is not None:
        before += f"[void]{_PATH}.SetLocation([wildcardpattern]::Escape({_decoded(request.directory)})); "
    return before


def _print(*lines: str) -> str:
    return '[System.Console]::Out.Write("' + "`r`n".join(lines) + '")'


DIALECT = Dialect(
    name="powershell",
    programs=("pwsh", "powershell"),
    flags=_FLAGS,
    source=f". '{SCRIPT_MARK}'",
    persistent=lambda _: PowerShell(f"READY_{os.urandom(16).hex()}"),
    held_environment=ONLY_ON_PATH,  # for scripts of cmd.exe that it starts: npm, yarn
    language="powershell",
)
