"""The policy engine: what a command would run, and whether it may.

Above: the gate asks `judge` before anything runs; the command line explains, tests and learns. Below:
`filesystem`, the questions that the place of the commands answers. Everything here is pure. The floors,
lowest first:

    model, grammar, patterns, refusal                      records; what differs between shells
    pieces, arithmetic, parameters, words, certainty,      scanners: text -> simple commands, or a refusal
    simple, plain, conditions, compounds, posix; cmd,
    powershell_tokens, powershell, fish
    alternatives, outputs, command_facts, calls,           what a word can be when the command runs
    elements, given_parameters, values
    tables/, options, effects, unpacking, builtins         what is known about programs and their arguments
    languages/                                             sed, awk, SQL, Python, JavaScript inside arguments
    argument_facts, argument_inspector, inspector,         looking through a command
    filter_versions, plain_code, interpreters, git_commands,
    find_expression, project_runners,
    network_programs, programs, command_input
    matching, rules, rulesets, paths, variables, children  what a person wrote; where files may be; variables
    single_command                                         a stricter check: one command of a list, alone
    program_table                                          a list of programs, and where they run
    variable_check, redirection_check, effect_check,       each part of a command against the rules
    renames, link_check, hidden_files, arrivals, boundaries,
    own_mentions, windows_paths, windows_commands,
    powershell_drives, powershell_lists, cmdlets,
    windows_switches, windows_names, rule_search, check
    keyed_arrays, findings, evaluation                     the verdict
    corpus, explain, learn                                 for a person who writes rules

Importing this package costs almost nothing: the scanners and tables are loaded by the first verdict that
needs them, and an empty policy never needs them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from nacre.policy.matching import Rule
    from nacre.policy.model import Finding, PolicyError, Verdict
    from nacre.policy.rules import Policy

__all__ = ["Finding", "Policy", "PolicyError", "Rule", "Verdict", "judge", "judge_argv", "judge_unread"]

_HOMES = {
    "Finding": "model",
    "PolicyError": "model",
    "Verdict": "model",
    "Policy": "rules",
    "Rule": "matching",
}
_HIDDEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"


def __getattr__(name: str) -> object:
    """The records and the policy, loaded from their modules on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - see the docstring

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def judge(  # noqa: PLR0913 - the text and its circumstances
    text: str,
    policy: Policy,
    *,
    shell: str = "bash",
    cwd: str | None = None,
    fed: bool = False,
    typed: bool = False,
    given: str = "",
    environment: Mapping[str, str] | None = None,
    inherited: Collection[str] = (),
    kept: Collection[str] = (),
) -> Verdict:
    """The verdict about a text that a shell is to run in a directory.

    `fed`: it is given something to read; `typed`: while it runs; `given`: what, as far as it is known.
    `environment`: variables that it is given beside the server's own.
    `inherited`: the names of those, and of what earlier commands of the session have exported.
    `kept`: what these have left (`Verdict.kept`) that can give a variable another value than the text does.
    """
    if policy.empty:
        return _without_rules(text)
    # Not `from nacre.policy import`: for a name in a package that costs a microsecond each time.
    from nacre.policy.evaluation import judge as judge_text  # noqa: PLC0415 - see the docstring

    return judge_text(
        text,
        policy,
        shell=shell,
        cwd=cwd,
        fed=fed,
        typed=typed,
        given=given,
        environment=environment,
        inherited=inherited,
        kept=kept,
    )


def judge_argv(
    argv: Sequence[str], policy: Policy, *, cwd: str | None = None, fed: bool = False, typed: bool = False
) -> Verdict:
    """The verdict about a program that is started without a shell."""
    if policy.empty:
        return _without_rules(" ".join(argv))
    from nacre.policy import evaluation  # noqa: PLC0415 - see the docstring

    return evaluation.judge_argv(argv, policy, cwd=cwd, fed=fed, typed=typed)


def judge_unread(text: str, policy: Policy) -> Verdict:
    """The verdict on a text in an unknown language: what it starts is judged when it starts.

    Only regular expressions are held against the text itself.
    """
    from nacre.policy.findings import Findings  # noqa: PLC0415 - see the docstring

    hidden = _without_rules(text)
    if not hidden.allowed:
        return hidden
    findings = Findings(policy, "", None)
    findings.check_patterns(text)
    return findings.verdict(text)


def _without_rules(text: str) -> Verdict:
    """Without rules: only text that is invisible to a reader is refused."""
    from nacre.policy.model import Verdict  # noqa: PLC0415 - see the docstring

    hidden = re.search(_HIDDEN, text)
    if hidden is None:
        return Verdict("allow", "no rules", "no policy is configured", 0, len(text))
    reason = "control characters can hide what a command does"
    return Verdict("deny", "control characters", reason, hidden.start(), hidden.end())
