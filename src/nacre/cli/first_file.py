"""`nacre config init`: a first settings file, by what the agent is for.

Above it: `nacre config`. Below: the table of settings, all of which the file shows as comments.
"""

from __future__ import annotations

import os
import sys
import textwrap
from dataclasses import dataclass

from nacre import presets
from nacre.config import Config
from nacre.errors import RequestError
from nacre.settings import kinds
from nacre.settings.configuration import default_path
from nacre.settings.table import SETTINGS, Setting, default_text

COLUMNS = 100
SANDBOXED = sys.platform == "linux"


@dataclass(frozen=True)
class Intent:
    """What an agent is for, and the settings that fit it."""

    sentence: str
    sandbox: str
    policy: str
    audit_required: bool = False


INTENTS = {
    "read-only-helper": Intent(
        "it looks around with commands that only read, and changes nothing",
        "read-only",
        'include = ["read-only", "git-read"]\n',
    ),
    "project-developer": Intent(
        "it does anything inside the project, asks before it pushes or connects, and never uses sudo",
        "workspace",
        'ask = ["git push", "ssh", "curl", "wget"]\ndeny = ["sudo", "su"]\n',
    ),
    "locked-down-operator": Intent(
        "it runs the commands that `allow` lists, at the end of this file, and nothing else",
        "strict",
        'allow = ["systemctl status", "journalctl", "df", "free", "uptime"]\n',
        audit_required=True,
    ),
}


def write_first_file(file: str | None, chosen: str | None) -> int:
    """Write the file, after questions where nothing is chosen; the exit code."""
    path = os.path.abspath(file or default_path())
    if os.path.exists(path):
        raise RequestError(
            f"{path} exists already.",
            hint="Edit it (`nacre config show` checks it), or give another --file.",
        )
    intent = chosen or _ask_intent()
    text = first_file(intent, os.path.join(os.path.dirname(path), "audit.jsonl"))
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(fd, "w", encoding="utf-8") as created:
            created.write(text)
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}.") from None
    sys.stdout.write(
        f"Written: {path}\nThe agent is a {intent}: {INTENTS[intent].sentence}.\n"
        "Next: `nacre doctor` checks that all of it works here;"
        " `nacre policy explain 'COMMAND'` tells whether a command may run.\n"
    )
    if not SANDBOXED:
        sys.stdout.write("The sandbox needs Linux: here only the rules hold.\n")
    return 0


# -- the questions


def _ask_intent() -> str:
    """Up to three questions, each with a yes or no."""
    if not sys.stdin.isatty():
        raise RequestError(
            "No question can be asked, because stdin is not a terminal.",
            hint=f"Say what the agent is for: --for {' | '.join(INTENTS)}.",
        )
    if not _yes("May the agent change files?"):
        return "read-only-helper"
    if _yes("Do other people or services depend on this machine (a server, production)?"):
        return "locked-down-operator"
    if _yes("May it run any program inside its project (build tools, tests, scripts)?"):
        return "project-developer"
    return "locked-down-operator"


def _yes(question: str) -> bool:
    while True:
        sys.stdout.write(f"{question} [y/n] ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise RequestError("Nothing was written: the questions were not answered.")
        answer = line.strip().lower()
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        sys.stdout.write("Please answer y or n.\n")


# -- the file


def first_file(name: str, audit_log: str) -> str:
    """The text of the file: what the intent sets, and everything else as a comment."""
    intent = INTENTS[name]
    level = f'sandbox = "{intent.sandbox}"'
    escaped = audit_log.replace("\\", "\\\\")
    chosen = [
        level if SANDBOXED else f"# {level}   (needs Linux)",
        f'audit_log = "{escaped}"',
        *(["audit_required = true"] if intent.audit_required else []),
    ]
    said = {line.removeprefix("# ").split(" =")[0] for line in chosen}
    others = [_commented(setting) for setting in SETTINGS if setting.name not in said]
    return "\n".join(
        [
            _comment(f"{name}: {intent.sentence}."),
            "# Every setting is explained in docs/configuration.md, rules in docs/policy.md.",
            "",
            *chosen,
            "",
            "# What follows are the defaults: remove the # to set one.",
            "",
            *others,
            "[policy]",
            intent.policy,
        ]
    )


def _commented(setting: Setting) -> str:
    value = _value(setting) or f"...   (default: {default_text(setting) or 'none'})"
    return f"{_comment(help_of(setting))}\n# {setting.name} = {value}\n"


def help_of(setting: Setting) -> str:
    """What a setting does, in one line."""
    return setting.help.replace("{presets}", ", ".join(presets.names()))


def _value(setting: Setting) -> str:
    """The default as TOML writes it; empty: it has no value of its own."""
    if setting.default or not setting.field:
        return ""
    value = getattr(Config, setting.field, None)
    if isinstance(value, bool):
        return str(value).lower()
    if setting.kind is kinds.SIZE and value:
        return f'"{default_text(setting)}"'
    return str(value) if isinstance(value, int) else f'"{value}"' if isinstance(value, str) and value else ""


def _comment(text: str) -> str:
    return textwrap.fill(text, COLUMNS, initial_indent="# ", subsequent_indent="# ", break_long_words=False)
