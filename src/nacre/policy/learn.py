"""Learning: the smallest set of rules that would have allowed what was run, for a person to review.

Above: the command line, which reads the audit log. Below: `evaluation`, `programs` and `rules`. Nothing is
decided here: what comes out is a proposal, and what should never be allowed in general (shells,
interpreters, inline code, writes) is named as such instead of being put into a rule.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.policy.effects import Step, base_name
from nacre.policy.evaluation import judge, scan_for
from nacre.policy.programs import inspect
from nacre.policy.rules import Policy
from nacre.policy.tables import interpreter
from nacre.policy.tables.shells import UNRESOLVABLE
from nacre.policy.values import Context

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Programs whose first argument says what they do: a rule for the bare name would say too much.
_SUBCOMMANDS = frozenset(
    {
        "git",
        "npm",
        "pnpm",
        "yarn",
        "npx",
        "cargo",
        "go",
        "docker",
        "podman",
        "kubectl",
        "helm",
        "terraform",
        "tofu",
        "pip",
        "pip3",
    }
    | {
        "uv",
        "poetry",
        "make",
        "gh",
        "aws",
        "gcloud",
        "az",
        "brew",
        "apt",
        "apt-get",
        "systemctl",
        "dotnet",
        "bundle",
        "mvn",
        "gradle",
    }
)
_MOST_SCRIPTS = 4


@dataclass(frozen=True, slots=True)
class Proposal:
    """Rules for review, how many commands each of them serves, and what was left out."""

    rules: tuple[tuple[str, int], ...]
    needs_writes: bool
    # Commands that the proposed rules would still not allow, with the reason.
    left_out: tuple[tuple[str, str], ...]

    def as_toml(self) -> str:
        """The proposal as a piece of a configuration file."""
        # A text in JSON is one in TOML, too, whatever quotes are in it.
        rows = "".join(f"  {json.dumps(rule)},  # {count}x\n" for rule, count in self.rules)
        writes = "allow_writes = true\n" if self.needs_writes else ""
        notes = "".join(f"# left out: {text!r} ({reason})\n" for text, reason in self.left_out)
        return f"allow = [\n{rows}]\n{writes}{notes}"


def propose(commands: Iterable[str], *, shell: str = "bash") -> Proposal:
    """Rules that would allow the given commands."""
    texts = [text for text in commands if text.strip()]
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({rule for step in _steps(text, shell) if (rule := _rule_for(step))})
    rules = [rule for rule in sorted(counts) if not _is_covered(rule, counts)]
    strict = Policy.from_lists(rules, allow_writes=False)
    writing = Policy.from_lists(rules, allow_writes=True)
    needs_writes = any(
        not judge(text, strict, shell=shell).allowed and judge(text, writing, shell=shell).allowed
        for text in texts
    )
    policy = writing if needs_writes else strict
    left_out: dict[str, str] = {}
    for text in texts:
        verdict = judge(text, policy, shell=shell)
        if not verdict.allowed:
            left_out[text] = verdict.reason
    return Proposal(tuple((rule, counts[rule]) for rule in rules), needs_writes, tuple(left_out.items()))


def _is_covered(rule: str, counts: Counter[str]) -> bool:
    """`git log` needs no line of its own beside `git`."""
    words = rule.split()
    return any(" ".join(words[:length]) in counts for length in range(1, len(words)))


def _steps(text: str, shell: str, depth: int = 0) -> Iterator[Step]:
    """Every command in a text that needs a rule."""
    scan = scan_for(text, shell)
    context = Context(text, scan, shell)
    defined = {name for name, _ in scan.functions}
    for command in scan.commands:
        if not command.words or command.words[0].text in defined:
            continue
        for reading in context.readings(command):
            found = inspect(reading.words, context)
            yield from (step for step in found.steps if step.role != "wrapper" and step.words[0].literal)
            for script in found.scripts if depth < _MOST_SCRIPTS else ():
                yield from _steps(script.text, script.shell, depth + 1)


def _rule_for(step: Step) -> str:
    """The narrowest rule that is still of use for a step; nothing for what a rule cannot allow."""
    name = step.words[0].text
    base = base_name(name)
    if base in UNRESOLVABLE:
        return ""
    shown = name if "/" in name and not name.startswith(("/bin/", "/usr/bin/")) else name.rpartition("/")[2]
    arguments = step.rule_words[1:]
    first = arguments[0] if arguments else None
    if interpreter(base) is not None:
        if (
            first is None
            or not first.literal
            or " " in first.text
            or any(e.kind == "inline" for e in step.effects)
        ):
            return ""
        if first.text == "-m" and len(arguments) > 1 and arguments[1].literal:
            return f"{shown} -m {arguments[1].text}"
        return f"{shown} {first.text}"
    plain = first is not None and first.literal and first.text.replace("-", "").replace(":", "").isalnum()
    if base in _SUBCOMMANDS and first is not None and plain and not first.text.startswith("-"):
        return f"{shown} {first.text}"
    return shown
