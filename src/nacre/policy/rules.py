"""All that a person wrote about commands: rules, switches and lists, read from a configuration.

Above: `check` holds every simple command against a `Policy`. Below: `matching` has one rule, `posix` reads
the examples in it. What is wrong in a configuration is named, and nothing of it is left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, cast

from nacre.policy.matching import WILDCARD, Rule
from nacre.policy.model import Decision, Finding, PolicyError, names

if TYPE_CHECKING:
    from nacre.filesystem import FileSystem

Mode = Literal["open", "denylist", "allowlist"]


# The names whose rules are remembered.
_MOST_NAMES = 256
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class TextRule:
    """A regular expression over the whole text; it can only make a verdict stricter."""

    decision: Decision
    pattern: re.Pattern[str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """All rules, and the switches beside them. Make one with `from_lists` or `from_mapping`."""

    rules: tuple[Rule, ...] = ()
    text_rules: tuple[TextRule, ...] = ()
    allow_writes: bool = True
    allowed_directories: tuple[str, ...] = ()
    mode: Mode = "open"
    denies: tuple[Rule, ...] = field(default=(), repr=False)
    asks: tuple[Rule, ...] = field(default=(), repr=False)
    allows: tuple[Rule, ...] = field(default=(), repr=False)
    allows_by_name: Mapping[str, tuple[Rule, ...]] = field(
        default_factory=dict[str, tuple[Rule, ...]], repr=False
    )
    allows_by_glob: tuple[Rule, ...] = field(default=(), repr=False)
    # Variables that programs may be given, though nothing is known about them.
    allowed_variables: tuple[str, ...] = ()
    # Harmless uses of shell builtins need no rule of their own.
    free_builtins: bool = True
    # nacre's configuration, audit log and the like: nothing that is allowed may write them.
    own_files: tuple[str, ...] = ()
    # Where nacre keeps what commands have printed: it may be read, whatever directories are allowed.
    output_directories: tuple[str, ...] = ()
    # Where a person lets commands start; a call, or a session, may go elsewhere by itself.
    start_directory: str = ""
    # The rules that speak about a name, found before: a few names come again and again.
    _denying: dict[str, tuple[Rule, ...]] = field(
        default_factory=dict[str, tuple[Rule, ...]], init=False, repr=False, compare=False
    )
    _allowing: dict[str, tuple[Rule, ...]] = field(
        default_factory=dict[str, tuple[Rule, ...]], init=False, repr=False, compare=False
    )
    # Where paths are resolved: the files of the place that the commands run in.
    files: FileSystem | None = field(default=None, repr=False, compare=False)

    @property
    def world(self) -> FileSystem:
        """The files that paths are checked against. PolicyError: none were given."""
        if self.files is None:
            raise PolicyError("paths cannot be judged: the policy was given no file system")
        return self.files

    @property
    def empty(self) -> bool:
        """Whether there are no rules at all."""
        return not (self.rules or self.text_rules or self.allowed_directories) and self.allow_writes

    @property
    def has_places(self) -> bool:
        """Whether some rule is for some directories only."""
        return any(rule.cwd for rule in self.rules)

    def denies_named(self, name: str) -> tuple[Rule, ...]:
        """The deny rules for a command spelled like this."""
        found = self._denying.get(name)
        if found is None:
            found = tuple(rule for rule in self.denies if rule.forbids_name(name))
            _remember(self._denying, name, found)
        return found

    def allows_named(self, name: str) -> tuple[Rule, ...]:
        """The allow rules for a command spelled like this."""
        found = self._allowing.get(name)
        if found is None:
            base = name.rpartition("/")[2]
            rules = (*self.allows_by_name.get(base, ()), *self.allows_by_glob)
            found = tuple(rule for rule in rules if rule.admits_name(name))
            _remember(self._allowing, name, found)
        return found

    @property
    def admits_make(self) -> bool:
        """Whether make may run, which reads the environment as a text of its own language."""
        named = "make" in self.allows_by_name or "gmake" in self.allows_by_name
        return self.mode == "allowlist" and (
            named or any(rule.admits_name("make") for rule in self.allows_by_glob)
        )

    @classmethod
    def build(
        cls,
        rules: Iterable[Rule],
        text_rules: Iterable[TextRule] = (),
        *,
        allow_writes: bool | None = None,
        allowed_directories: Iterable[str] = (),
    ) -> Policy:
        """Put rules in order: index them by name, and find out whether there is an allowlist at all."""
        rules = tuple(rules)
        allows = tuple(rule for rule in rules if rule.decision == "allow")
        mode: Mode = "open" if not allows else "allowlist"
        if any(rule.tokens in {("*",), ("*", "*")} and not rule.cwd and not rule.not_args for rule in allows):
            mode = "denylist"
        by_name: dict[str, tuple[Rule, ...]] = {}
        by_glob: list[Rule] = []
        for rule in allows:
            if WILDCARD.search(rule.name) or rule.folds_case or "/" in rule.name:
                by_glob.append(rule)
            else:
                by_name[rule.name] = (*by_name.get(rule.name, ()), rule)
        return cls(
            rules,
            tuple(text_rules),
            (mode != "allowlist") if allow_writes is None else allow_writes,
            tuple(allowed_directories),
            mode,
            tuple(rule for rule in rules if rule.decision == "deny"),
            tuple(rule for rule in rules if rule.decision == "ask"),
            allows,
            by_name,
            tuple(by_glob),
        )

    @property
    def secrets(self) -> frozenset[str]:
        """Every secret that a rule names."""
        return frozenset(name for rule in self.rules for name in rule.secrets)

    def secrets_for(self, findings: Iterable[Finding]) -> frozenset[str]:
        """The secrets that a text may have which consists of these commands: each one's rule names them."""
        found = [self._secrets_of(finding) for finding in findings]
        return found[0].intersection(*found) if found else frozenset()

    def _secrets_of(self, finding: Finding) -> frozenset[str]:
        deciding = [
            rule.secrets
            for rule in (*self.allows, *self.asks)
            if rule.text == finding.rule and rule.admits_name(finding.name)
        ]
        return deciding[0].intersection(*deciding) if deciding else frozenset()

    @property
    def summary(self) -> str:
        """How many rules of each kind there are, in a few words."""
        kinds = {"allow": self.allows, "ask": self.asks, "deny": self.denies, "pattern": self.text_rules}
        counts = [f"{len(rules)} {kind}" for kind, rules in kinds.items() if rules]
        if self.allowed_directories:
            counts.append(f"inside {' '.join(self.allowed_directories)}")
        return " ".join(counts) or "none"

    def allowing(self, commands: Iterable[str | Mapping[str, object]]) -> Policy:
        """The same rules, and beside them an allow rule for each of these commands."""
        more = Policy.build(
            (*self.rules, *(parse_rule("allow", name) for name in commands)),
            self.text_rules,
            allow_writes=self.allow_writes,
            allowed_directories=self.allowed_directories,
        )
        return replace(
            more,
            allowed_variables=self.allowed_variables,
            free_builtins=self.free_builtins,
            own_files=self.own_files,
            output_directories=self.output_directories,
            start_directory=self.start_directory,
            files=self.files,
        )

    @classmethod
    def from_lists(  # noqa: PLR0913 - one keyword per list of the configuration
        cls,
        allow: Iterable[str | Mapping[str, object]] = (),
        ask: Iterable[str | Mapping[str, object]] = (),
        deny: Iterable[str | Mapping[str, object]] = (),
        *,
        allow_writes: bool | None = None,
        allowed_directories: Iterable[str] = (),
        allowed_arguments: Mapping[str, Iterable[str]] | None = None,
        blocked_commands: Iterable[str] = (),
        deny_patterns: Iterable[str] = (),
        ask_patterns: Iterable[str] = (),
    ) -> Policy:
        """A policy from lists of rules; a rule is a text such as `git log` or a table."""
        rules = [parse_rule("allow", item) for item in allow]
        rules += [parse_rule("ask", item) for item in ask]
        rules += [parse_rule("deny", item) for item in deny]
        rules += [parse_rule("deny", item) for item in blocked_commands]
        rules += argument_rules(allowed_arguments or {})
        texts = [_text_rule("deny", item) for item in deny_patterns]
        texts += [_text_rule("ask", item) for item in ask_patterns]
        return cls.build(rules, texts, allow_writes=allow_writes, allowed_directories=allowed_directories)

    @classmethod
    def from_mapping(cls, table: Mapping[str, object]) -> Policy:
        """A policy from a table of a configuration file; an unknown key is an error, not an open door."""
        unknown = set(table) - KEYS
        if unknown:
            raise PolicyError(f"unknown policy setting {min(unknown)!r}")
        writes = _switch(table, "allow_writes")
        policy = cls.from_lists(
            [*_rule_list(table, "allow"), *_included(table)],
            _rule_list(table, "ask"),
            _rule_list(table, "deny"),
            allow_writes=writes,
            allowed_directories=_string_list(table, "allowed_directories"),
            allowed_arguments=_argument_table(table),
            blocked_commands=_string_list(table, "blocked_commands"),
            deny_patterns=_string_list(table, "deny_patterns"),
            ask_patterns=_string_list(table, "ask_patterns"),
        )
        return replace(
            policy,
            allowed_variables=_variable_names(table),
            free_builtins=_switch(table, "free_builtins") is not False,
        )

    @classmethod
    def from_patterns(cls, allow: str = "", deny: str = "") -> Policy:
        """A policy from two comma-separated lists (`ls*,cat*`) for the first word of every command."""
        return cls.from_lists(_comma_list(allow), (), _comma_list(deny))


KEYS = names(
    "allow ask deny allow_writes allowed_directories allowed_arguments blocked_commands deny_patterns "
    "ask_patterns free_builtins include allowed_variables"
)
_AN: dict[Decision, str] = {"allow": "an", "ask": "an", "deny": "a"}  # the article
_RULE_KEYS = names("command args options not_args cwd reason match not_match secrets children")


def _comma_list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _rule_list(table: Mapping[str, object], key: str) -> list[str | Mapping[str, object]]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise PolicyError(f"policy setting {key!r} must be a list")
    items = cast("list[object]", value)
    for item in items:
        if not isinstance(item, str | Mapping):
            raise PolicyError(f"a rule in {key!r} must be a text or a table, not {item!r}")
    return cast("list[str | Mapping[str, object]]", items)


def _included(table: Mapping[str, object]) -> list[str | Mapping[str, object]]:
    """The rules of ready-made sets."""
    wanted = _string_list(table, "include")
    if not wanted:
        return []
    from nacre.policy.rulesets import available, rules_of  # noqa: PLC0415 - only who wants them pays for them

    names = available()
    for name in wanted:
        if name not in names:
            raise PolicyError(f"there is no rule set {name!r}; there are: {', '.join(names)}")
    return [rule for name in wanted for rule in rules_of(name)]


def _switch(table: Mapping[str, object], key: str) -> bool | None:
    value = table.get(key)
    if value is not None and not isinstance(value, bool):
        raise PolicyError(f"policy setting {key!r} must be true or false")
    return value


def _string_list(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, ())
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(
        isinstance(item, str) for item in cast("Sequence[object]", value)
    ):
        raise PolicyError(f"policy setting {key!r} must be a list of texts")
    return tuple(cast("Sequence[str]", value))


def _variable_names(table: Mapping[str, object]) -> tuple[str, ...]:
    found = _string_list(table, "allowed_variables")
    for item in found:
        if not re.fullmatch(r"[A-Za-z_*?\[][A-Za-z0-9_*?\[\]-]*", item):
            raise PolicyError(f"policy setting 'allowed_variables': {item!r} is no name of a variable")
    return found


def _argument_table(table: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    value = table.get("allowed_arguments", {})
    if not isinstance(value, Mapping):
        raise PolicyError("policy setting 'allowed_arguments' must be a table: command = [first arguments]")
    arguments = cast("Mapping[str, object]", value)
    return {name: _string_list(arguments, name) for name in arguments}


def _remember(known: dict[str, tuple[Rule, ...]], name: str, rules: tuple[Rule, ...]) -> None:
    """Keep the rules for a name, unless it is none that comes again; if they are too many, begin anew."""
    if len(known) >= _MOST_NAMES:
        known.clear()
    if len(name) <= _LONGEST_NAME:
        known[name] = rules


def _text_rule(decision: Decision, pattern: str) -> TextRule:
    try:
        return TextRule(decision, re.compile(pattern))
    except re.error as error:
        raise PolicyError(f"the pattern {pattern!r} is not a regular expression: {error}") from None


def argument_rules(table: Mapping[str, Iterable[str]]) -> list[Rule]:
    """Rules `command = [first arguments]`: names in any case, arguments exactly, empty list = any."""
    return [
        Rule("allow", (name,), f"{name} {sorted(arguments)}", first_arguments=arguments, folds_case=True)
        for name, given in table.items()
        for arguments in (frozenset(given),)
    ]


def parse_rule(decision: Decision, item: str | Mapping[str, object]) -> Rule:
    """One rule from its text or table; its examples are checked at once."""
    if isinstance(item, str):
        tokens = tuple(item.split())
        if not tokens:
            raise PolicyError(f"an empty {decision} rule")
        return Rule(decision, tokens, " ".join(tokens))
    return _table_rule(decision, item)


def _table_rule(decision: Decision, table: Mapping[str, object]) -> Rule:
    command = table.get("command")
    if not isinstance(command, str) or not command.split():
        raise PolicyError(f"{_AN[decision]} {decision} rule without 'command': {dict(table)!r}")
    unknown = set(table) - _RULE_KEYS
    if unknown:
        raise PolicyError(f"{decision} rule for {command!r}: unknown key {min(unknown)!r}")
    reason = table.get("reason", "")
    if not isinstance(reason, str):
        raise PolicyError(f"{decision} rule for {command!r}: 'reason' must be a text")
    tokens = (*command.split(), *_string_list(table, "args"))
    not_args = _string_list(table, "not_args")
    text = " ".join(tokens) + (f" (not {' '.join(not_args)})" if not_args else "")
    options = frozenset(_string_list(table, "options"))
    secrets = frozenset(_string_list(table, "secrets"))
    if secrets and decision == "deny":
        raise PolicyError(f"deny rule for {command!r}: what does not run gets no 'secrets'")
    rule = Rule(
        decision,
        tokens,
        text,
        not_args,
        _string_list(table, "cwd"),
        reason,
        options=options,
        secrets=secrets,
        children=_children(decision, command, table),
    )
    _check_examples(rule, _string_list(table, "match"), _string_list(table, "not_match"))
    return rule


def _children(decision: Decision, command: str, table: Mapping[str, object]) -> tuple[str, ...] | None:
    """What a program may start: "any", or a list of what a rule's text could be."""
    if "children" not in table:
        return None
    where = f"{decision} rule for {command!r}: 'children'"
    if decision == "deny":
        raise PolicyError(f"{where} has no meaning where nothing runs")
    given = table["children"]
    if given == "any":
        return ("*",)
    if isinstance(given, str):
        raise PolicyError(f'{where} must be "any" or a list of commands, not {given!r}')
    children = _string_list(table, "children")
    if not all(map(str.split, children)):
        raise PolicyError(f"{where} has an empty command")
    return children


def _check_examples(rule: Rule, match: Iterable[str], not_match: Iterable[str]) -> None:
    for example in match:
        if not _speaks_about(rule, example):
            raise PolicyError(f"{rule.decision} rule {rule.text!r} does not match its example {example!r}")
    for example in not_match:
        if _speaks_about(rule, example):
            raise PolicyError(f"{rule.decision} rule {rule.text!r} matches {example!r}, which it should not")


def _speaks_about(rule: Rule, example: str) -> bool:
    """Tell whether a rule matches any simple command of an example, its directory aside."""
    from nacre.policy.posix import scan  # noqa: PLC0415 - only rules with examples need a scanner

    for command in scan(example).commands:
        if not command.words:
            continue
        name, arguments = command.words[0].text, command.words[1:]
        if rule.decision == "deny":
            if rule.forbids_name(name) and rule.forbids_arguments(arguments) is not False:
                return True
        elif rule.admits_name(name) and rule.admits_arguments(arguments):
            return True
    return False
