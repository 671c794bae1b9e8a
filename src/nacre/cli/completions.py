"""`nacre completions SHELL`: a script that completes nacre's command line in bash, zsh, fish or PowerShell.

Above it: the command line. Below: the parsers of all commands, from which every word comes: what can be typed
is written down once, where it is read.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre import presets
from nacre.argument_parser import Parser
from nacre.audit import cli as audit_cli
from nacre.cli import config, doctor, install, policy, sandbox, try_server
from nacre.cli.options import parser as server_parser
from nacre.install.clients import CLIENTS
from nacre.sandbox.profile import Level as SandboxLevel
from nacre.settings.table import CONTAINER_SETTINGS, SETTINGS
from nacre.watch import cli as watch_cli

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nacre.settings.kinds import Kind

# The values of options whose kind does not list them.
NAMED = {"--preset": tuple(presets.names()), "--sandbox": tuple(level.value for level in SandboxLevel)}
SHELLS = ("bash", "zsh", "fish", "powershell")
WHERE = {
    "bash": "nacre completions bash > ~/.local/share/bash-completion/completions/nacre",
    "zsh": "nacre completions zsh > ~/.zfunc/_nacre   (with fpath+=~/.zfunc before compinit in ~/.zshrc)",
    "fish": "nacre completions fish > ~/.config/fish/completions/nacre.fish",
    "powershell": "nacre completions powershell >> $PROFILE",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One flag, and what may stand behind it."""

    flag: str
    help: str
    takes_value: bool
    values: tuple[str, ...] = ()  # empty, where it takes one: a file, or anything


@dataclass(frozen=True, slots=True)
class Level:
    """What can be typed behind some words."""

    words: tuple[str, ...]  # the commands before it
    options: tuple[Option, ...]
    others: tuple[tuple[str, str], ...]  # commands and known arguments, each with its help


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    top = Parser(
        prog="nacre completions",
        description="Print a script that completes nacre's command line. To install it:\n\n"
        + "\n".join(f"  {command}" for command in WHERE.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return top


def main(arguments: Sequence[str]) -> int:
    """Print the script."""
    shell = parser().parse_args(arguments).shell
    write: dict[str, Callable[[list[Level]], str]] = {
        "bash": _bash,
        "zsh": _zsh,
        "fish": _fish,
        "powershell": _powershell,
    }
    sys.stdout.write(write[shell](levels()))
    return 0


# -- what can be typed


def levels() -> list[Level]:
    """All of it, from the parsers."""
    tops: dict[str, tuple[argparse.ArgumentParser, tuple[str, ...]]] = {
        "install": (install.parser("install"), _client_names()),
        "uninstall": (install.parser("uninstall"), _client_names()),
        "try": (try_server.parser(), ()),
        "watch": (watch_cli.parser(), ()),
        "config": (config.parser(), ()),
        "trust": (config.trust_parser(), ()),
        "policy": (policy.parser(), ()),
        "audit": (audit_cli.parser(), ()),
        "sandbox": (sandbox.parser(), ()),
        "doctor": (doctor.parser(), ()),
        "completions": (parser(), SHELLS),
    }
    commands = tuple((name, top.description or "") for name, (top, _) in tops.items())
    found = [Level((), tuple(_options(server_parser())), commands)]
    for name, (top, known) in tops.items():
        inner = _commands(top)
        about = (*((word, "") for word in known), *((word, text) for word, (_, text) in inner.items()))
        found.append(Level((name,), tuple(_options(top)), about))
        found += [Level((name, word), tuple(_options(below)), ()) for word, (below, _) in inner.items()]
    return found


def _client_names() -> tuple[str, ...]:
    return tuple(client.name for client in CLIENTS)


def _commands(top: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    for action in top._actions:  # noqa: SLF001  # argparse has no other way to ask
        if action.nargs == argparse.PARSER:
            helps: dict[str, str] = {each.dest: each.help or "" for each in vars(action)["_choices_actions"]}
            parsers: dict[str, argparse.ArgumentParser] = vars(action)["choices"]
            return {name: (below, helps.get(name, "")) for name, below in parsers.items()}
    return {}


def _options(top: argparse.ArgumentParser) -> Iterator[Option]:
    known = {flag: each.kind for each in (*SETTINGS, *CONTAINER_SETTINGS) for flag in each.flags}
    for action in top._actions:  # noqa: SLF001  # as above
        for flag in action.option_strings:
            takes_value = action.nargs != 0
            words = [str(word) for word in action.choices or ()]
            if takes_value and not words:
                words = list(NAMED.get(flag, _words(known.get(flag))))
            yield Option(flag, _first_line(action.help or ""), takes_value, tuple(words))


def _words(kind: Kind | None) -> list[str]:
    """The values of a kind that has few, which its name lists."""
    words = [] if kind is None else kind.name.replace(" or ", ", ").split(", ")
    try:
        return [word for word in words if kind is not None and kind.read(word) == word] if words[1:] else []
    except ValueError:
        return []


def _first_line(text: str) -> str:
    return " ".join(text.partition("(default")[0].replace("%%", "%").split()).partition(";")[0].rstrip(" .")


def _typed(level: Level) -> list[str]:
    """All words of a level."""
    return [word for word, _ in level.others] + [option.flag for option in level.options]


# -- bash and zsh


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _path_cases(all_levels: list[Level]) -> str:
    known = "|".join(_quoted(" " + " ".join(level.words)) for level in all_levels if level.words)
    return f'    case "$at $word" in {known}) at="$at $word" ;; esac\n'


def _posix_cases(all_levels: list[Level], offer: str, files: str) -> str:
    lines = ['  case "$at $before" in\n']
    for level in all_levels:
        at = "".join(f" {word}" for word in level.words)
        for option in (each for each in level.options if each.takes_value):
            pattern = _quoted(f"{at} {option.flag}")
            done = f"{offer} {_quoted(' '.join(option.values))}" if option.values else files
            lines.append(f"    {pattern}) {done}; return ;;\n")
    lines.append('  esac\n  case "$at" in\n')
    for level in all_levels:
        at = "".join(f" {word}" for word in level.words)
        lines.append(f"    {_quoted(at)}) {offer} {_quoted(' '.join(_typed(level)))} ;;\n")
    return "".join(lines) + "  esac\n"


def _bash(all_levels: list[Level]) -> str:
    cases = _posix_cases(all_levels, "_nacre_offer", "COMPREPLY=(); compopt -o default 2>/dev/null")
    return f"""# bash completion of nacre; written by `nacre completions bash`
_nacre_offer() {{ COMPREPLY=($(compgen -W "$1" -- "${{COMP_WORDS[COMP_CWORD]}}")); }}
_nacre() {{
  local at='' before="${{COMP_WORDS[COMP_CWORD-1]}}" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
{_path_cases(all_levels)}  done
{cases}}}
complete -o bashdefault -F _nacre nacre
"""


def _zsh(all_levels: list[Level]) -> str:
    cases = _posix_cases(all_levels, "_nacre_offer", "_files")
    return f"""#compdef nacre
# zsh completion of nacre; written by `nacre completions zsh`
_nacre_offer() {{ compadd -- ${{=1}}; }}
_nacre() {{
  local at='' before="${{words[CURRENT-1]}}" word i
  for ((i = 2; i < CURRENT; i++)); do
    word="${{words[i]}}"
{_path_cases(all_levels)}  done
{cases}}}
if [ "$funcstack[1]" = "_nacre" ]; then _nacre "$@"; else compdef _nacre nacre; fi
"""


# -- fish


def _fish(all_levels: list[Level]) -> str:
    known = " ".join(_fished(" ".join(level.words)) for level in all_levels if level.words)
    lines = [
        "# fish completion of nacre; written by `nacre completions fish`\n",
        "function __nacre_at\n",
        "    set -l at\n",
        "    for word in (commandline -opc)[2..]\n",
        '        contains -- (string trim -- "$at $word") $__nacre_levels; and set at $at $word\n',
        "    end\n",
        '    test "$at" = "$argv"\n',
        "end\n",
        f"set -g __nacre_levels {known}\n",
    ]
    for level in all_levels:
        start = f"complete -c nacre -n {_fished('__nacre_at ' + ' '.join(level.words))}"
        lines += [f"{start} -f -a {_fished(word)} -d {_fished(about)}\n" for word, about in level.others]
        lines += [f"{start} {_fish_option(option)}\n" for option in level.options]
    return "".join(lines)


def _fish_option(option: Option) -> str:
    name = option.flag.lstrip("-")
    kind = "-s" if len(name) == 1 else "-l"
    value = " -r" if option.takes_value else ""
    if option.values:
        value = f" -x -a {_fished(' '.join(option.values))}"
    return f"{kind} {name}{value} -d {_fished(option.help)}"


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# -- PowerShell


def _powershell(all_levels: list[Level]) -> str:
    entries = "".join(
        f"    {_shelled(' '.join(level.words))} = {_powershell_list(_typed(level))}\n" for level in all_levels
    )
    values = "".join(
        f"    {_shelled(' '.join((*level.words, option.flag)))} = {_powershell_list(option.values)}\n"
        for level in all_levels
        for option in level.options
        if option.values
    )
    return f"""# PowerShell completion of nacre; written by `nacre completions powershell`
Register-ArgumentCompleter -Native -CommandName nacre -ScriptBlock {{
  param($wordToComplete, $commandAst, $cursorPosition)
  $levels = @{{
{entries}  }}
  $values = @{{
{values}  }}
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object {{ $_.Extent.EndOffset -lt $cursorPosition }} | ForEach-Object {{ $_.ToString() }})
  $at = ''
  foreach ($word in $before) {{
    $next = "$at $word".Trim()
    if ($levels.ContainsKey($next)) {{ $at = $next }}
  }}
  $last = if ($before.Count) {{ $before[-1] }} else {{ '' }}
  $behind = "$at $last".Trim()
  $words = if ($values.ContainsKey($behind)) {{ $values[$behind] }} else {{ $levels[$at] }}
  $words | Where-Object {{ $_ -like "$wordToComplete*" }} | ForEach-Object {{
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }}
}}
"""


def _powershell_list(words: Sequence[str]) -> str:
    return f"@({', '.join(map(_shelled, words))})"


def _shelled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
