"""PowerShell, pwsh and Windows PowerShell. Pure; written from its documentation, it was not run here.

A PowerShell that lives on reads one line per command from a pipe (`-Command -`). A line holds the whole
command in base64, because a blank line would end a longer statement; dot-sourcing keeps its variables, and
`[scriptblock]::Create` turns a syntax error into one that can be caught. It has no descriptors besides the
standard ones, so the end is told in band, on both streams, by a mark that is new for each command.
"""

from __future__ import annotations

import base64

from nacre.dialects.dialect import Dialect
from nacre.keeper.wire import SCRIPT_MARK

DIALECT = Dialect(
    "powershell",
    ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command"),
    f". '{SCRIPT_MARK}'",
    ("pwsh", "powershell"),
)
PERSISTENT_FLAGS = ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "-")
# UTF-8 without a byte order mark, no progress bars, no colours (the last one is new in 7.2).
INIT = (
    "$OutputEncoding = [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); "
    "$ProgressPreference = 'SilentlyContinue'; if ($PSStyle) { $PSStyle.OutputRendering = 'PlainText' }\n"
)


def feed(text: str, marker: str) -> str:
    """The one line that runs a command and tells its end: `marker:code` on stdout, `marker` on stderr."""
    encoded = base64.b64encode(text.encode()).decode()
    script = f"[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('{encoded}'))"
    return (
        "$global:LASTEXITCODE = 0; "
        f"try {{ . ([scriptblock]::Create({script})) | Out-Default; $__nacre = $? }} "
        "catch { $_ | Out-String | ForEach-Object { [Console]::Error.Write($_) }; $__nacre = $false }; "
        f"[Console]::Out.WriteLine('{marker}:' + $(if ($LASTEXITCODE) {{ $LASTEXITCODE }} "
        "elseif ($__nacre) { 0 } else { 1 }) + ':' + $PWD.ProviderPath); "
        f"[Console]::Error.WriteLine('{marker}')\n"
    )


def read(stdout: str, marker: str) -> tuple[str, int, str] | None:
    """Output, exit code and directory, once the mark has come; None before."""
    output, found, told = stdout.rpartition(f"{marker}:")
    code, colon, rest = told.partition(":")
    directory, end, _ = rest.partition("\n")
    if not (found and colon and end) or not code.lstrip("-").isdecimal():
        return None
    return output, int(code), directory.rstrip("\r")
