"""Rules: what a person wrote about commands, and whether one rule speaks about one command.

Above: `check` holds every simple command against a `Policy`. Below: `model`, and `posix` for the examples in
a rule. Rules know names and arguments only; wrappers, flags that run programs, and paths are other modules'
business.
"""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from nacre.policy.model import SYSTEM_DIRECTORIES, UNKNOWN, Decision, PolicyError, Word, names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from nacre.filesystem import FileSystem

Mode = Literal["open", "denylist", "allowlist"]

_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z", re.IGNORECASE)
_INVISIBLE = regex("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_WILDCARD = regex(r"[*?\[]")
_SHORT_FLAGS = regex(r"-[A-Za-z0-9]+\Z")
_SHORT = 2  # a dash and a letter
# Long spellings of the short flags that deny rules most often name.
_LONG_NAMES = {
    "--recursive": "r",
    "--force": "f",
    "--dir": "d",
    "--interactive": "i",
    "--verbose": "v",
}


@lru_cache(maxsize=4096)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


def glob_matches(pattern: str, text: str) -> bool:
    """Does a shell-style pattern match all of a text? `..` never hides behind a wildcard."""
    if not _WILDCARD.search(pattern):
        return pattern == text
    if ".." in text and "/" in pattern and ".." not in pattern and ".." in text.replace("\\", "/").split("/"):
        return False
    return _glob(pattern).match(text) is not None


def folded(name: str) -> str:
    """A name as deny rules see it: look-alike letters, case, directory and suffix removed."""
    name = name.replace("\\", "/").rstrip("/").rpartition("/")[2] or name
    if not name.isascii():
        name = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).strip()
    return _EXECUTABLE_SUFFIX.sub("", name).casefold()


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a policy: a name pattern, patterns for the leading arguments, and conditions."""

    decision: Decision
    tokens: tuple[str, ...]
    text: str
    not_args: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ()
    reason: str = ""
    # A list of first arguments (and no other), as in a per-command argument list; None: `tokens` decides.
    first_arguments: frozenset[str] | None = None
    folds_case: bool = False
    # Options that this rule permits wherever they stand.
    options: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The pattern for the command's name."""
        return self.tokens[0]

    def spells(self, flag: str) -> bool:
        """Tell whether this very option is written out in the rule, so that the person meant it."""
        if flag in self.options or (self.first_arguments is not None and flag in self.first_arguments):
            return True
        return any(_spells(token, flag) for token in self.tokens[1:])

    def admits_name(self, word: str, *, fold: bool = False) -> bool:
        """Tell whether an allow or ask rule speaks about a command spelled like this."""
        pattern = self.name
        if pattern == "*":
            return True
        if fold or self.folds_case:
            word, pattern = _EXECUTABLE_SUFFIX.sub("", word).casefold(), pattern.casefold()
            pattern = _EXECUTABLE_SUFFIX.sub("", pattern)
        if "/" in word and "/" not in pattern:
            directory, _, base = word.rpartition("/")
            return directory in SYSTEM_DIRECTORIES and glob_matches(pattern, base)
        return glob_matches(pattern, word)

    def forbids_name(self, word: str) -> bool:
        """Tell whether a deny rule speaks about a command spelled like this, in any disguise."""
        pattern = self.name.casefold()
        name = folded(word)
        return (
            glob_matches(pattern, name)
            or glob_matches(folded(pattern), name)
            or glob_matches(pattern, word.casefold())
        )

    def admits_arguments(self, arguments: Sequence[Word]) -> bool:
        """Tell whether the leading arguments match, one by one, and none of `not_args`."""
        if self.first_arguments is not None:
            return not arguments or not self.first_arguments or _is_one_of(arguments[0], self.first_arguments)
        patterns = self.tokens[1:]
        rest = bool(patterns) and patterns[-1] == "*"
        if rest:
            patterns = patterns[:-1]
        if len(arguments) < len(patterns):
            return False
        if not all(_admits(pattern, word) for pattern, word in zip(patterns, arguments, strict=False)):
            return False
        return not self.not_args or not any(self._excluded(word) for word in arguments)

    def _excluded(self, word: Word) -> bool:
        if word.splits or word.braces:
            return True
        return any(_flag_matches(pattern, word.text) for pattern in self.not_args)

    def forbids_arguments(self, arguments: Sequence[Word]) -> bool | None:
        """Do the arguments hit a deny rule in any order of its flags? None: it depends on unknown text."""
        if self.not_args and any(_flag_matches(p, w.text) for p in self.not_args for w in arguments):
            return False
        patterns = self.tokens[1:]
        if patterns and patterns[-1] == "*":
            patterns = patterns[:-1]
        if not patterns:
            return True
        flags = [p for p in patterns if p.startswith("-")]
        operands = [p for p in patterns if not p.startswith("-")]
        if _prefix_hits(patterns, arguments) or (
            _flags_hit(flags, arguments) and _operands_hit(operands, arguments)
        ):
            return True
        unknown = any(_may_be_flags(word) or (operands and _begins_unknown(word)) for word in arguments)
        return None if unknown else False

    def holds_in(self, cwd: str | None) -> bool:
        """Tell whether the rule is for this directory; a deny rule holds where it is not known."""
        if not self.cwd:
            return True
        if cwd is None:
            return self.decision != "allow"
        return any(glob_matches(p.rstrip("/"), cwd) or cwd.startswith(p.rstrip("/*") + "/") for p in self.cwd)


def _may_be_flags(word: Word) -> bool:
    """`$x` may be any flags, `-r[f]` the name of a file that is like them."""
    return word.splits or (word.pattern and word.text.startswith("-"))


def _begins_unknown(word: Word) -> bool:
    return word.dynamic and word.text.startswith(UNKNOWN)


def _spells(token: str, flag: str) -> bool:
    """`--output=*` spells --output, `-xzf` spells -x."""
    if token == flag:
        return True
    if flag.startswith("--"):
        return token.startswith(flag + "=")
    return len(flag) == _SHORT and bool(_SHORT_FLAGS.match(token)) and flag[1] in token[1:]


def _is_one_of(word: Word, allowed: frozenset[str]) -> bool:
    return word.literal and word.text in allowed


def _admits(pattern: str, word: Word) -> bool:
    if pattern == "*":
        return not word.splits
    if word.literal:
        return glob_matches(pattern, word.text)
    # A glob or unknown piece may be anything: only its literal beginning can satisfy a pattern's beginning.
    if word.splits or word.braces or not pattern.endswith("*") or _WILDCARD.search(pattern[:-1]):
        return False
    return word.text.split(UNKNOWN)[0].startswith(pattern[:-1]) and ".." not in word.text


def _flag_matches(pattern: str, text: str) -> bool:
    """`-f` also hits the cluster `-uf`, `--force` also hits `--force=x` and the shortened `--forc`."""
    if glob_matches(pattern, text):
        return True
    if pattern.startswith("--"):
        return _is_shortened(text, pattern)
    if pattern[:1] != "-" or pattern[2:] or not _SHORT_FLAGS.match(text):
        return False
    return pattern[1:] in text[1:]


def _is_shortened(text: str, name: str) -> bool:
    """Whether a program could take a text for a long option: most take any beginning of its name."""
    given = text.partition("=")[0]
    return len(given) > len("--") and given.startswith("--") and name.startswith(given)


def _prefix_hits(patterns: Sequence[str], arguments: Sequence[Word]) -> bool:
    if len(arguments) < len(patterns):
        return False
    return all(glob_matches(p, word.text) for p, word in zip(patterns, arguments, strict=False))


def _flags_hit(flags: Sequence[str], arguments: Sequence[Word]) -> bool:
    given = [word.text for word in arguments]
    letters = {letter.lower() for text in given if _SHORT_FLAGS.match(text) for letter in text[1:]}
    letters |= {
        letter for name, letter in _LONG_NAMES.items() if any(_is_shortened(text, name) for text in given)
    }
    for flag in flags:
        short = bool(_SHORT_FLAGS.match(flag))
        if short and {letter.lower() for letter in flag[1:]} <= letters:
            continue
        if not any(_flag_matches(flag, text) for text in given):
            return False
    return True


def _operands_hit(operands: Sequence[str], arguments: Sequence[Word]) -> bool:
    given = [word.text for word in arguments if not word.text.startswith("-")]
    return len(given) >= len(operands) and all(
        glob_matches(p, text) for p, text in zip(operands, given, strict=False)
    )


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
    # Harmless uses of shell builtins need no rule of their own.
    free_builtins: bool = True
    # nacre's configuration, audit log and the like: nothing that is allowed may write them.
    own_files: tuple[str, ...] = ()
    # Where nacre keeps what commands have printed: it may be read, whatever directories are allowed.
    output_directories: tuple[str, ...] = ()
    # Where paths are resolved: the files of the place that the commands run in.
    files: FileSystem | None = field(default=None, repr=False, compare=False)

    @property
    def world(self) -> FileSystem:
        """The files that paths are held against. PolicyError: nobody has said which."""
        if self.files is None:
            raise PolicyError("paths cannot be judged: the policy was given no file system")
        return self.files

    @property
    def empty(self) -> bool:
        """Nobody wrote anything down: there is nothing to hold a command against."""
        return not (self.rules or self.text_rules or self.allowed_directories) and self.allow_writes

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
            if _WILDCARD.search(rule.name) or rule.folds_case or "/" in rule.name:
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
            free_builtins=self.free_builtins,
            own_files=self.own_files,
            output_directories=self.output_directories,
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
        unknown = set(table) - _KEYS
        if unknown:
            raise PolicyError(f"unknown policy setting {min(unknown)!r}; known: {', '.join(sorted(_KEYS))}")
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
        return replace(policy, free_builtins=_switch(table, "free_builtins") is not False)

    @classmethod
    def from_patterns(cls, allow: str = "", deny: str = "") -> Policy:
        """A policy from two comma-separated lists (`ls*,cat*`) for the first word of every command."""
        return cls.from_lists(_comma_list(allow), (), _comma_list(deny))


_KEYS = names(
    "allow ask deny allow_writes allowed_directories allowed_arguments blocked_commands deny_patterns "
    "ask_patterns free_builtins include"
)
_AN: dict[Decision, str] = {"allow": "an", "ask": "an", "deny": "a"}  # the article
_RULE_KEYS = names("command args options not_args cwd reason match not_match")


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


def _argument_table(table: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    value = table.get("allowed_arguments", {})
    if not isinstance(value, Mapping):
        raise PolicyError("policy setting 'allowed_arguments' must be a table: command = [first arguments]")
    arguments = cast("Mapping[str, object]", value)
    return {name: _string_list(arguments, name) for name in arguments}


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
    rule = Rule(decision, tokens, text, not_args, _string_list(table, "cwd"), reason, options=options)
    _check_examples(rule, _string_list(table, "match"), _string_list(table, "not_match"))
    return rule


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
