"""`nacre policy ...`: the command line with which a person sees, tests and finds rules. It runs no command.

Above it: the command line. Below: the policy and the settings.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.argument_parser import Parser, add_command
from nacre.cli.options import PATTERN_LIST
from nacre.errors import NacreError, RequestError
from nacre.settings import configuration, layers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nacre.policy import Policy

DENIED = 1
USAGE_ERROR = 2
NO_RULES = "There are no rules: every command is allowed."


def parser() -> Parser:
    """The sub-commands, with their help."""
    top = Parser(prog="nacre policy", description="See, test and find the rules for commands.")
    commands = top.add_commands()
    explain = add_command(
        commands,
        "explain",
        "show what a command would run, and which rule decides; exit code 1: denied",
    )
    explain.add_argument("command", metavar="COMMAND", help="the command, as one argument")
    explain.add_argument("-s", "--shell", default="bash", help="the shell that would run it (default: bash)")
    explain.add_argument(
        "-w", "--working-dir", metavar="DIR", default=os.getcwd(), help="where it would run (default: here)"
    )
    test = add_command(
        commands, "test", "judge a file of labelled cases (.jsonl); exit code 1 if any verdict is wrong"
    )
    test.add_argument("file", metavar="FILE", help="the cases")
    listing = add_command(commands, "list", "list the rules in force, and where each comes from")
    learn = add_command(commands, "learn", "propose rules from the commands in an audit log that succeeded")
    learn.add_argument("auditlog", metavar="LOG", help="a file written with --audit-log")
    learn.add_argument("-s", "--shell", default="bash", help="the shell that ran it (default: bash)")
    for subcommand in (explain, listing):
        subcommand.add_argument("--config", metavar="FILE", help="a settings file instead of your own")
        subcommand.add_argument("--allow", **PATTERN_LIST, help="allow rules, separated by commas")
        subcommand.add_argument("--deny", **PATTERN_LIST, help="deny rules, separated by commas")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one of the sub-commands; the exit code."""
    options = parser().parse_args(arguments)
    try:
        return {"explain": _explain, "test": _test, "list": _list, "learn": _learn}[options.subcommand](
            options
        )
    except NacreError as error:
        sys.stderr.write(f"nacre policy: {error}\n")
        return USAGE_ERROR


def _policy(options: argparse.Namespace) -> Policy:
    from nacre.places.local_files import LOCAL_FILES  # noqa: PLC0415  # loaded when a sub-command needs it
    from nacre.policy import Policy  # noqa: PLC0415  # the same

    config = configuration.configure(
        _layered(options).table,
        allow=options.allow or "",
        deny=options.deny or "",
        source=options.config or configuration.default_path(),
    )
    return replace(config.policy or Policy(), files=LOCAL_FILES)


def _layered(options: argparse.Namespace) -> layers.Layered:
    flags = {"allow": options.allow, "deny": options.deny}
    return layers.load(options.config, directory=getattr(options, "working_dir", None), flags=flags)


def _source(options: argparse.Namespace) -> str:
    """Where the rules come from, for a person who wonders why they do not hold."""
    path = options.config or configuration.default_path()
    parts = [path] if os.path.exists(path) else [f"{path} (not there)"]
    others = _layered(options).files
    parts += [file for file in others if file != path]  # the machine's, and the project's
    parts += [f"--{name}" for name in ("allow", "deny") if getattr(options, name)]
    return "policy: " + ", ".join(parts) + "\n"


def _explain(options: argparse.Namespace) -> int:
    from nacre.policy import Policy, judge  # noqa: PLC0415
    from nacre.policy.explain import explain, seen  # noqa: PLC0415

    policy = _policy(options)
    judged = {"shell": options.shell, "cwd": options.working_dir}
    verdict = judge(options.command, policy, **judged)
    colour = sys.stdout.isatty()
    if policy.empty and verdict.allowed:
        sight = judge(options.command, Policy.from_lists(["*"]), **judged)
        shown = f"ALLOW  {NO_RULES}\n{seen(sight)}"
    else:
        shown = explain(options.command, verdict, colour=colour)
    sys.stdout.write(f"{shown}\n{_source(options)}")
    return DENIED if verdict.decision == "deny" else 0


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{path} cannot be read: {error}.") from None


def _test(options: argparse.Namespace) -> int:
    from nacre.places.local_files import LOCAL_FILES  # noqa: PLC0415
    from nacre.policy import PolicyError  # noqa: PLC0415
    from nacre.policy.corpus import FAILURE_KINDS, run  # noqa: PLC0415

    try:
        report = run(_lines(options.file), LOCAL_FILES)
    except PolicyError as error:
        raise RequestError(f"{options.file}: {error}.") from None
    for kind in FAILURE_KINDS:
        failures = [failed for failed in report.failures if failed.kind == kind]
        if failures:
            sys.stdout.write(f"{kind}:\n")
        for failed in failures:
            shown = f"expected {failed.expected}, got {failed.verdict.decision}: {failed.verdict.reason}"
            sys.stdout.write(f"  {failed.id} ({failed.family}): {failed.command!r}: {shown}\n")
    sys.stdout.write(f"{report.summary}\n")
    return 0 if report.good else 1


def _list(options: argparse.Namespace) -> int:
    from nacre.tools.allowed import describe  # noqa: PLC0415

    policy = _policy(options)
    if policy.empty:
        sys.stdout.write(f"{NO_RULES}\n{_source(options)}")
        return 0
    sets = _included(options)
    for name, value in describe(policy).items():
        shown = [value] if isinstance(value, bool) else value
        marks = [f"  ({sets[item]})" if name == "allow" and item in sets else "" for item in shown]
        sys.stdout.write("".join(f"{name:20} {item}{m}\n" for item, m in zip(shown, marks, strict=True)))
    sys.stdout.write(_source(options))
    return 0


def _included(options: argparse.Namespace) -> dict[str, str]:
    """The rules that come from ready-made sets, and from which; what a person wrote as well is theirs."""
    from nacre.policy.rules import Policy  # noqa: PLC0415

    rules = _layered(options).table.get("policy", {})
    wanted = rules.get("include", [])
    written = {rule.text for rule in Policy.from_mapping({"allow": rules.get("allow", [])}).allows}
    found: dict[str, str] = {}
    for name in [wanted] if isinstance(wanted, str) else wanted:
        for rule in Policy.from_mapping({"include": [name]}).allows:
            found.setdefault(rule.text, name)
    return {text: name for text, name in found.items() if text not in written}


def _learn(options: argparse.Namespace) -> int:
    from nacre.policy.learn import propose  # noqa: PLC0415

    commands: list[str] = []
    others = 0
    for number, line in enumerate(_lines(options.auditlog), 1):
        try:
            entry = json.loads(line)
            if entry.get("event", "ended") != "ended":
                continue
            if "command" in entry and entry["ended"] == "exited" and entry["exit_code"] == 0:
                commands.append(entry["command"])
            else:
                others += "tool" not in entry and entry["ended"] != "not recorded"  # no rules for file tools
        except (ValueError, KeyError, TypeError, AttributeError):
            raise RequestError(
                f"{options.auditlog}, line {number} is not a line of an audit log.",
                hint="Give the file that --audit-log has written.",
            ) from None
    sys.stdout.write("# Review before use. These rules would allow what ran well:\n[policy]\n")
    sys.stdout.write(propose(commands, shell=options.shell).as_toml())
    if others:
        sys.stdout.write(f"# not looked at: {others} commands that were refused, cancelled or failed\n")
    return 0
