"""What a word can be when the command runs: its value is proven by this very text, or it is not known at all.

Above: `evaluation` asks for the readings of every command before it is checked; `programs` and `check` see
words that are literal, or unproven with the facts that `Word` tells (`prefix`, `may_be_option`, `several`,
`number`). Below: `model`.

A value is proven where the text itself has surely assigned it, from literals, by operations that are
followed here. All else is unproven: the environment, what earlier commands of a session have set, positional
and special parameters, the output of commands (a few print nothing but a number or a path), patterns, and
what `read` and its kin assign.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Assignment, Expansion, Redirection, Shape, SimpleCommand, Word, names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nacre.policy.model import Scan

_MOST_READINGS = 24  # of one command; beyond, words with many values count as unproven
_MOST_VALUES = 32
_MOST_BRACES = 32
_MOST_ELEMENTS = 256
_MOST_PIECES = 16  # of one word
_LONGEST_VALUE = 4_096
_LONGEST_CHAIN = 64  # of variables that are made from others
_MOST_WORK = 10_000  # words in all readings of all commands; beyond, every value counts as unproven

# Builtins that assign to variables whose names are their arguments.
_ASSIGNING = names(
    "read mapfile readarray printf getopts declare local export typeset readonly wait unset let"
)
_DECLARING = names("export local readonly declare typeset")
_HARMLESS_ATTRIBUTES = regex(r"-[xrgaA]+\Z")
# Builtins after which no variable is known any more.
_OPAQUE = names("eval source . trap")
# Variables that shells set or change by themselves.
_CHANGING = regex(
    r"_|RANDOM|SRANDOM|SECONDS|LINENO|REPLY|reply|OPTARG|OPTIND|OPTERR|PWD|OLDPWD|PIPESTATUS|DIRSTACK|FUNCNAME"
    r"|GROUPS|BASH.*|EPOCH.*|HIST.*|COMP_.*|COPROC.*|MAPFILE|E?UID|E?GID|PPID|argv|ARGC|status|pipestatus|match"
    r"|mbegin|mend|M(?:ATCH|BEGIN|END)|ERRNO|IFS|HOME|PATH|SHLVL|KSH_.*|TTY.*|ZSH_.*|zsh_.*|func.*stack"
)
# Numbers that the larger shells provide.
_COUNTING = names("RANDOM SECONDS LINENO PPID UID EUID")
_NUMBER = regex(r"-?[0-9]+\Z")
_FIELDS = regex(r"[ \t\n]+")
_GLOB_CHARACTER = regex(r"[*?\[\\]")
_PRINTS_DIGITS = regex(r"nproc(?: --all)?|id -[ug]|wc -[lcwm]|date (?:-u )?\+(?:%[YmdHMSsjuVWU])+")
_PRINTS_TOKEN = regex(
    r"uname(?: -[smr])?|whoami|hostname|git rev-parse (?:--short |--verify )?HEAD"
    r"|date (?:-u )?(?:-I|\+%[YmdHMSsjuVWUFT](?:%[YmdHMSsjuVWUFTyzZ]|[A-Za-z0-9_.:-])*)"
)
_PRINTING = names("nproc id wc date pwd uname whoami hostname git")
_PRINTS_OPERAND = regex(r"pwd(?: -[LP])?|date (?:-u )?\+%[YmdHMSsjuVWUFT].*|git rev-parse --show-toplevel")

# Alternatives for one word: each is the list of words that it becomes.
Alternatives = list[tuple[Word, ...]]


@dataclass(slots=True)
class _Draft:
    """A word while its pieces are put in; a split finishes it and begins another one."""

    done: tuple[Word, ...] = ()
    text: str = ""
    expansions: tuple[Expansion, ...] = ()
    glob: int | None = None

    def copy(self) -> _Draft:
        return _Draft(self.done, self.text, self.expansions, self.glob)

    def finish(self, word: Word) -> None:
        """The word is complete; an empty one that is not quoted is no word."""
        if self.text or word.quoted:
            self.done += (
                replace(word, text=self.text, expansions=self.expansions, glob=self.glob, quoted=word.quoted),
            )
        self.text, self.expansions, self.glob = "", (), None


class Context:
    """The text around a command: its source, its simple commands, and what its variables may hold."""

    def __init__(self, source: str = "", scan: Scan | None = None, shell: str = "bash") -> None:
        self.source = source
        self.shell = shell
        self.commands: Sequence[SimpleCommand] = scan.commands if scan is not None else ()
        self._splits = shell != "zsh"
        self._work = 0
        self._opaque = False
        self._assigned: dict[str, list[tuple[Assignment, int]]] = {}
        self._certain: dict[str, list[tuple[int, int]]] = {}
        self._values: dict[str, tuple[Word, ...] | None] = {}
        self._depth = 0
        # The names that the text makes arrays, once somebody has asked.
        self.arrays: frozenset[str] | None = None
        self._numeric: set[str] = set()
        self._bodies = {at: (start, end) for at, start, end in scan.bodies} if scan is not None else {}
        for item in scan.certain if scan is not None else ():
            self._certain.setdefault(item.name, []).append((item.start, item.end))
        for command in self.commands:
            self._collect(command)
        self._look_at_dynamic_names()

    # -- what the text assigns -----------------------------------------------------------------------------

    def _collect(self, command: SimpleCommand) -> None:
        at = _place(command)
        for item in command.assignments:
            self._assigned.setdefault(item.name, []).append((item, at))
        name = _command_name(command)
        if name in _ASSIGNING:
            self._declared(name, command, at)
        elif name in _OPAQUE:
            self._opaque = True

    def _look_at_dynamic_names(self) -> None:
        """`x=read; $x y`: a builtin that assigns, under a name that was put together, is not followed."""
        for command in self.commands:
            if UNKNOWN in _command_name(command):
                names = {_command_name(reading) for reading in self.readings(command)}
                if names & (_ASSIGNING | _OPAQUE):
                    self._opaque = True
                    self._values.clear()
                    return

    def _declared(self, builtin: str, command: SimpleCommand, at: int) -> None:
        """`export x=1`, `read x`, `printf -v x`: what is not literally a name makes every name unknown."""
        words = command.words[1:]
        if builtin == "printf":
            words = _printed_into(words)
        for word in words:
            name, equals, value = word.text.partition("=")
            if UNKNOWN in name or (word.several and not equals) or builtin == "let":
                self._opaque = True
            elif builtin in _DECLARING and not word.text.startswith(("-", "+")):
                self._declare(builtin, name, replace(word, text=value) if equals else None, word, at)
            elif builtin in _DECLARING:
                self._opaque = self._opaque or not _HARMLESS_ATTRIBUTES.match(word.text)
            else:
                self._assigned.setdefault(name.partition("[")[0], []).append(
                    (Assignment(name, None, word.start, word.end), at)
                )

    def _declare(self, builtin: str, name: str, value: Word | None, word: Word, at: int) -> None:
        """One argument of `export` and its kin: it gives a value, makes a local one, or only marks a name."""
        if value is None and builtin in {"export", "readonly"}:
            return
        if value is None:
            value = word.with_text("")
        elif "[" in name or name.endswith("+") or word.several:
            value = None
        name = name.partition("[")[0].removesuffix("+")
        item = Assignment(name, value, word.start, word.end)
        self._assigned.setdefault(name, []).append((item, at))

    def is_certain(self, name: str, at: int) -> bool:
        """Tell whether this text itself has surely assigned a variable before this place."""
        if self._opaque or _CHANGING.fullmatch(name):
            return False
        return any(start <= at < end for start, end in self._certain.get(name, ()))

    def values_of(self, name: str) -> tuple[Word, ...] | None:
        """Everything that the text assigns to a variable; None if any of it is not followed."""
        if name not in self._values:
            self._values[name] = None  # a variable that is made from itself is not followed
            self._depth += 1
            if self._depth <= _LONGEST_CHAIN:
                self._values[name] = self._all_values(name)
            self._depth -= 1
        return self._values[name]

    def _all_values(self, name: str) -> tuple[Word, ...] | None:
        found: dict[tuple[str, tuple[Expansion, ...]], Word] = {}
        many = False
        for item, at in self._assigned.get(name, ()):
            if item.value is None:
                return None
            for value in self._assigned_values(item, item.value, at):
                found[value.text, value.expansions] = value
            if len(found) > 2 * _MOST_VALUES:
                joined = _joined(list(found.values()))
                found = {(joined.text, joined.expansions): joined}
                many = True
        return (_joined(list(found.values())),) if many else tuple(found.values())

    def _assigned_values(self, item: Assignment, value: Word, at: int) -> Iterable[Word]:
        if item.listed:
            for words in self.alternatives(value, at):
                yield from (_as_value(word) for word in words)
            return
        for words in self.alternatives(value, at, splits=False):
            yield _as_value(replace(words[0], glob=None)) if words else value.with_text("")

    # -- readings ------------------------------------------------------------------------------------------

    def readings(self, command: SimpleCommand) -> list[SimpleCommand]:
        """The command with every proven value put in: one for each way in which it can be read."""
        if not any(word.expansions for word in command.words) and not any(
            item.target is not None and item.target.expansions for item in command.redirections
        ):
            return [command]
        at = _place(command)
        choices: list[Alternatives] = [self.alternatives(word, at) for word in command.words]
        targets = [self._targets(item, at) for item in command.redirections]
        _bound([*choices, *targets])
        found: list[SimpleCommand] = []
        for chosen in itertools.product(*choices, *targets):
            words = tuple(itertools.chain.from_iterable(chosen[: len(choices)]))
            redirections = tuple(
                item if item.target is None else replace(item, target=target[0])
                for item, target in zip(command.redirections, chosen[len(choices) :], strict=True)
            )
            self._work += len(words)
            found.append(replace(command, words=words, redirections=redirections))
        return found

    def _targets(self, item: Redirection, at: int) -> Alternatives:
        """What a redirection opens; one that becomes no word or several is an error of the shell."""
        if item.target is None:
            return [()]
        found = self.alternatives(item.target, at, splits=False)
        return [words or (item.target.with_text(""),) for words in found]

    def alternatives(self, word: Word, at: int, *, splits: bool = True) -> Alternatives:
        """Every list of words that a word can become at this place of the text."""
        if not word.expansions:
            return [(word,)]
        if len(word.expansions) > _MOST_PIECES or self._work > _MOST_WORK:
            splits = splits and word.splits
            piece = Expansion("variable", "", quoted=not splits, each=any(e.each for e in word.expansions))
            return [(replace(word, text=word.prefix + UNKNOWN, expansions=(piece,)),)]
        if word.text == UNKNOWN and word.expansions[0].each:
            elements = self._elements(word, word.expansions[0], at)
            if elements is not None:
                return [elements]
        drafts = [_Draft()]
        offset = 0
        for position, literal in enumerate(word.text.split(UNKNOWN)):
            for draft in drafts:
                _add_literal(draft, literal, word, offset)
            offset += len(literal) + 1
            if position < len(word.expansions):
                expansion = word.expansions[position]
                drafts = self._filled(drafts, word, expansion, at, splits=splits and not expansion.quoted)
        for draft in drafts:
            draft.finish(word)
        return _unique(draft.done for draft in drafts)

    def _filled(
        self, drafts: list[_Draft], word: Word, expansion: Expansion, at: int, *, splits: bool
    ) -> list[_Draft]:
        values = self._values_at(expansion, at)
        if len(drafts) * len(values) > _MOST_VALUES:
            values = [_joined(values)]
        if len(drafts) * len(values) > _MOST_VALUES:
            drafts = drafts[:1]
            values = [_unknown(word, expansion)]
        filled: list[_Draft] = []
        for draft, value in itertools.product(drafts, values):
            another = draft.copy()
            if not splits or value.expansions or not self._splits:
                _add_whole(another, value, quoted=not splits)
            else:
                _add_fields(another, value.text, word, expansion)
            filled.append(another)
        return filled

    def _elements(self, word: Word, expansion: Expansion, at: int) -> tuple[Word, ...] | None:
        """The words of `"${x[@]}"`, where the array is assigned once, from words that are known."""
        given = self._assigned.get(expansion.name, ())
        few = len(given) <= _MOST_ELEMENTS and len({place for _, place in given}) == 1
        if not few or not self.is_certain(expansion.name, at):
            return None
        self._work += len(given)
        elements: list[Word] = []
        for item, place in given:
            found = self.alternatives(item.value, place) if item.value is not None and item.listed else []
            if len(found) != 1 or any(value.several for value in found[0]):
                return None
            elements += (replace(value, start=word.start, end=word.end) for value in found[0])
        plain = expansion.quoted or all(_is_one_field(value) for value in elements)
        return tuple(elements) if plain else None

    # -- single expansions ---------------------------------------------------------------------------------

    def _values_at(self, expansion: Expansion, at: int) -> list[Word]:
        """What one expansion can be, as words in quotes; a single unknown one if it is not proven."""
        if expansion.kind == "variable" and not expansion.each:
            return self._variable(expansion, at)
        if expansion.kind == "parameter" and not expansion.each:
            return self._parameter(expansion, at)
        shape = expansion.shape
        if expansion.kind == "arithmetic":
            shape = "number"
        elif expansion.kind == "command":
            text = self._printed(expansion)
            if text is not None:
                return [Word(text, 0, 0, quoted=True)]
            shape = self._output(expansion)
        elif expansion.kind == "process":
            shape = "operand"
        return [_piece(replace(expansion, shape=shape))]

    def _variable(self, expansion: Expansion, at: int) -> list[Word]:
        counted = expansion.name in {"#", "?", "$"} or (expansion.name == "!" and self.is_certain("!", at))
        if counted or (expansion.name in _COUNTING and self._counts(expansion.name)):
            return [_piece(replace(expansion, shape="digits"))]
        if not self.is_certain(expansion.name, at) or self._is_list(expansion):
            return [_piece(expansion)]
        return list(self.values_of(expansion.name) or [_piece(expansion)])

    def _is_list(self, expansion: Expansion) -> bool:
        """In zsh an array becomes all of its words, in others its first one."""
        return not self._splits and any(item.array for item, _ in self._assigned.get(expansion.name, ()))

    def _counts(self, name: str) -> bool:
        """Tell whether a variable is the shell's own number, and nothing in this text says otherwise."""
        return (
            not self._opaque and name not in self._assigned and self.shell in {"bash", "zsh", "ksh", "mksh"}
        )

    def _parameter(self, expansion: Expansion, at: int) -> list[Word]:
        """`${x:-y}` and its kin, where both sides are known."""
        if expansion.operator == "length":
            return [_piece(replace(expansion, shape="digits"))]
        argument = expansion.argument
        if argument is None or not argument.literal:
            return [_piece(expansion)]
        if expansion.operator in {"+", ":+"}:
            return [argument.with_text(""), argument.with_text(argument.text)]
        values = self._variable(replace(expansion, kind="variable"), at)
        if any(value.expansions for value in values):
            return [_piece(expansion)]
        texts = [_operated(value.text, expansion.operator, argument.text) for value in values]
        if any(text is None for text in texts):
            return [_piece(expansion)]
        return [argument.with_text(text or "") for text in texts]

    def _printed(self, expansion: Expansion) -> str | None:
        """What `$(cat <<'EOF' ...)` prints: the lines of its here-document."""
        if expansion.last - expansion.first != 1:
            return None
        command = self.commands[expansion.first]
        if [word.text for word in command.words] != ["cat"] or len(command.redirections) != 1:
            return None
        body = self._bodies.get(command.redirections[0].start)
        return None if body is None else self.source[body[0] : body[1]].rstrip("\n")

    def _output(self, expansion: Expansion) -> Shape:
        """What is known about the output of a command substitution."""
        commands = self.commands[expansion.first : expansion.last]
        if len(commands) != 1 or not all(word.literal for word in commands[0].words):
            return "any"
        return _output_shape([word.text for word in commands[0].words])

    def is_number(self, word: Word, at: int) -> bool:
        """Tell whether a value is proven to be a number at this place of the text."""
        expansion = word.expansions[0]
        if word.text == UNKNOWN and expansion.kind == "variable" and not expansion.each:
            name = expansion.name
            if name in self._numeric and self.is_certain(name, at):
                return True
            if self._is_number(word, at):
                self._numeric.add(name)
                return True
            return False
        return self._is_number(word, at)

    def _is_number(self, word: Word, at: int) -> bool:
        return all(
            len(words) == 1
            and not words[0].several
            and (_NUMBER.match(words[0].text) or _is_one_number(words[0]))
            for words in self.alternatives(word, at)
        )

    # -- questions about one word --------------------------------------------------------------------------

    def candidates(self, word: Word) -> tuple[str, ...] | None:
        """Every text that a word of a reading can have; None when it is not proven."""
        return None if word.expansions else (word.text,)

    def may_be_option(self, word: Word) -> bool:
        """Tell whether a word of a reading could begin with a dash when the command runs."""
        return word.may_be_option


def _printed_into(words: Sequence[Word]) -> Sequence[Word]:
    """The variable of `printf -v x`, if that is what it is or could be."""
    if not words or (words[0].literal and not words[0].text.startswith("-v")):
        return ()
    if words[0].text == "-v":
        return words[1:2]
    return (words[0].with_text(words[0].text[2:]),) if words[0].literal else words[:1]


def _command_name(command: SimpleCommand) -> str:
    """The name that a command is called by, behind `builtin` and `command`."""
    words = iter(command.words)
    name = next((word.text for word in words), "")
    if name in {"builtin", "command"}:
        name = next((word.text for word in words if not word.text.startswith("-")), "")
    return name


def _place(command: SimpleCommand) -> int:
    return command.start if command.expanded_at is None else command.expanded_at


def _add_literal(draft: _Draft, literal: str, word: Word, offset: int) -> None:
    if draft.glob is None and word.glob is not None and offset <= word.glob < offset + len(literal):
        draft.glob = len(draft.text) + word.glob - offset
    draft.text += literal


def _add_whole(draft: _Draft, value: Word, *, quoted: bool) -> None:
    """Put a value in as it is; what is not proven about it may still become several words."""
    draft.text += value.text
    draft.expansions += tuple(replace(e, quoted=quoted or e.kind == "process") for e in value.expansions)


def _add_fields(draft: _Draft, text: str, word: Word, expansion: Expansion) -> None:
    """Put a known value in outside of quotes: it is split, and may become a pattern."""
    fields = _FIELDS.split(text)
    if word.quoted and len(fields) > 1:
        # Which of the fields holds the quotes decides whether an empty one stays: not followed.
        draft.text += UNKNOWN
        draft.expansions += (replace(expansion, shape="any"),)
        return
    for position, field in enumerate(fields):
        if position:
            draft.finish(word)
        found = _GLOB_CHARACTER.search(field)
        if found is not None and draft.glob is None:
            draft.glob = len(draft.text) + found.start()
        draft.text += field


def _bound(choices: list[Alternatives]) -> None:
    """Replace words by what all their values share, until there are few enough readings."""
    while True:
        readings = 1
        for item in choices:
            readings *= len(item)
        if readings <= _MOST_READINGS:
            return
        widest = max(range(len(choices)), key=lambda index: len(choices[index]))
        choices[widest][:] = [_joined_words(choices[widest])]


def _joined_words(alternatives: Alternatives) -> tuple[Word, ...]:
    if all(len(words) == 1 for words in alternatives):
        return (_joined([words[0] for words in alternatives]),)
    first = next(words[0] for words in alternatives if words)
    return (replace(first, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=False),)),)


def _joined(values: Sequence[Word]) -> Word:
    """One word for several: the beginning that they share, and what is proven about the rest."""
    first = values[0]
    if len(values) == 1:
        return first
    if any(value.several for value in values):
        return replace(first, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=False),))
    shape: Shape = "any"
    if all(value.number for value in values):
        shape = "digits"
    elif all(value.literal and _NUMBER.match(value.text) for value in values):
        shape = "number"
    elif not any(value.may_be_option or not value.text for value in values):
        shape = "operand"
    prefix = _common([value.prefix for value in values]) if shape in {"any", "operand"} else ""
    piece = Expansion("variable", "", quoted=True, shape=shape if not prefix else "any")
    return replace(first, text=prefix + UNKNOWN, tilde=False, expansions=(piece,))


def _common(texts: list[str]) -> str:
    low, high = min(texts), max(texts)
    length = 0
    while length < min(len(low), len(high)) and low[length] == high[length]:
        length += 1
    return low[:length]


def _piece(expansion: Expansion) -> Word:
    return Word(UNKNOWN, 0, 0, quoted=True, expansions=(expansion,))


def _unknown(word: Word, expansion: Expansion) -> Word:
    return replace(_piece(replace(expansion, shape="any")), start=word.start, end=word.end)


def _unique(items: Iterable[tuple[Word, ...]]) -> Alternatives:
    return list(dict.fromkeys(items))


def _as_value(word: Word) -> Word:
    """A word as the value of a variable: a pattern has become one file's name, a tilde a directory."""
    if len(word.text) > _LONGEST_VALUE or len(word.expansions) > _MOST_PIECES:
        return replace(word, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=True),))
    expansions = tuple(replace(e, quoted=True, each=False) for e in word.expansions)
    if word.splits and not all(e.shape in {"digits", "number"} for e in word.expansions):
        return replace(word, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=True),))
    if word.tilde:
        home = Expansion("variable", "HOME", quoted=True, shape="operand")
        return replace(word, text=UNKNOWN, glob=None, tilde=False, expansions=(home,))
    if word.glob is not None:
        prefix = word.prefix
        file = Expansion("file", "", quoted=True, shape="any", pattern=word.text if not expansions else "")
        return replace(word, text=prefix + UNKNOWN, glob=None, expansions=(file,))
    return replace(word, expansions=expansions, quoted=True)


def _is_one_number(word: Word) -> bool:
    return word.text == UNKNOWN and word.expansions[0].shape in {"digits", "number"}


def _is_one_field(word: Word) -> bool:
    return word.literal and bool(word.text) and not re.search(r"[ \t\n*?\[\\]", word.text)


def _operated(text: str, operator: str, argument: str) -> str | None:
    """`${x:-y}`, `${x#y}` and `${x%y}` on a known text; None for what is not followed."""
    if operator in {":-", ":=", ":?"}:
        return text or (argument if operator != ":?" else "")
    if operator in {"-", "=", "?"}:
        return text
    if _GLOB_CHARACTER.search(argument):
        return None
    if operator in {"#", "##"}:
        return text.removeprefix(argument)
    if operator in {"%", "%%"}:
        return text.removesuffix(argument)
    return None


def is_known_output(name: str) -> bool:
    """Tell whether anything is proven about what a command of this name prints."""
    return name in _PRINTING


def _output_shape(words: list[str]) -> Shape:
    """The commands whose output is always a number, or never begins with a dash."""
    text = " ".join(words)
    if _PRINTS_DIGITS.fullmatch(text):
        return "digits"
    if _PRINTS_TOKEN.fullmatch(text):
        return "token"
    return "operand" if _PRINTS_OPERAND.fullmatch(text) else "any"


def expand_braces(text: str) -> list[str] | None:
    """`a{b,c}` as `ab ac`; None when it becomes too many words to look at."""
    done: list[str] = []
    todo = [text]
    while todo:
        if len(todo) + len(done) > _MOST_BRACES:
            return None
        current = todo.pop(0)
        group = _innermost_group(current)
        if group is None:
            done.append(current)
            continue
        begin, end = group
        todo = [
            current[:begin] + choice + current[end + 1 :] for choice in current[begin + 1 : end].split(",")
        ] + todo
    return done


def _innermost_group(text: str) -> tuple[int, int] | None:
    opened: list[int] = []
    for at, char in enumerate(text):
        if char == "{":
            opened.append(at)
        elif char == "}" and opened:
            begin = opened.pop()
            if "," in text[begin:at]:
                return begin, at
    return None
