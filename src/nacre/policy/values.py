"""What a word can be when the command runs: its value is proven by this very text, or it is not known at all.

Above: `evaluation` asks for the readings of every command before it is checked; `programs` and `check` see
words that are literal, or unproven with the facts that `Word` tells (`prefix`, `may_be_option`, `several`,
`number`). Below: `alternatives`, `outputs` and `model`.

A value is proven where the text itself has surely assigned it, from literals, by operations that are
followed here. All else is unproven: the environment, what earlier commands of a session have set, positional
and special parameters, the output of commands (a few print nothing but a number or a path), patterns, and
what `read` and the like assign.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.alternatives import (
    MOST_PIECES,
    Alternatives,
    Draft,
    add_fields,
    add_literal,
    add_whole,
    as_value,
    bound_readings,
    file_without_end,
    is_one_field,
    is_one_number,
    merged,
    operated,
    unique,
    unknown_piece,
    unknown_word,
)
from nacre.policy.grammar import GRAMMARS, behind_prefixes
from nacre.policy.model import UNKNOWN, Assignment, Expansion, Redirection, Shape, SimpleCommand, Word, names
from nacre.policy.outputs import output_shape
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from nacre.policy.model import Definition, Scan

_MOST_VALUES = 32
_MOST_ELEMENTS = 256
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
# What most traps say. They assign nothing: programs, and a builtin, only look at variables.
_CLEANED = r"--|\"?\$(?:[A-Za-z]\w*|\{[A-Za-z]\w*\}|!)[\w./-]*\"?|[\w./][\w./-]*"
_CLEANING = rf"(?:rm|rmdir|kill)(?: -[A-Za-z0-9]+)*(?: (?:{_CLEANED}))+(?: 2>/dev/null)?(?: \|\| true)?"
_CLEANS = regex(rf"{_CLEANING}(?:; ?{_CLEANING})*;?\Z")
# Variables that shells set or change by themselves.
_CHANGING = regex(
    r"_|RANDOM|SRANDOM|SECONDS|LINENO|REPLY|reply|OPTARG|OPTIND|OPTERR|PWD|OLDPWD|PIPESTATUS|DIRSTACK|FUNCNAME"
    r"|GROUPS|BASH.*|EPOCH.*|HIST.*|COMP_.*|COPROC.*|MAPFILE|E?UID|E?GID|PPID|argv|ARGC|status|pipestatus|match"
    r"|mbegin|mend|M(?:ATCH|BEGIN|END)|ERRNO|IFS|HOME|PATH|SHLVL|KSH_.*|TTY.*|ZSH_.*|zsh_.*|func.*stack"
)
# Numbers that the larger shells provide; those of users only zsh does not take from its environment.
_COUNTING = names("RANDOM SECONDS LINENO PPID")
_COUNTING_IN_ZSH = _COUNTING | names("UID EUID")
_NUMBER = regex(r"-?[0-9]+\Z")
# Programs that print nothing where they fail (no repository, no network), are not there, or have left it out.
_MAY_PRINT_NOTHING = names("git gh hostname getconf tr")
_FEEDS = frozenset({"<", "<<", "<<-", "<<<"})
_PIPE = regex(r"[ \t]*\|&?[ \t\n]*")
_PLAIN_NUMBER = regex(r"(?:0|-?[1-9][0-9]{0,17})\Z")  # which a shell writes as it was written

# What tr removes of a number, so that a number is left.
_BLANKS = ([" "], ["[:space:]"], ["[:blank:]"], [" \\n"])


class Context:
    """The text around a command: its source, its simple commands, and what its variables may hold."""

    def __init__(self, source: str = "", scan: Scan | None = None, shell: str = "bash") -> None:
        self.source = source
        self.shell = shell
        self.commands: Sequence[SimpleCommand] = scan.commands if scan is not None else ()
        self._splits = shell not in {"zsh", "fish"}
        self._expands_braces = shell in GRAMMARS and GRAMMARS[shell].name == "ksh"  # also those of a value
        self._work = 0
        self._opaque = False
        self._assigned: dict[str, list[tuple[Assignment, int]]] = {}
        self._certain: dict[str, list[tuple[int, int]]] = {}
        self._values: dict[str, tuple[Word, ...] | None] = {}
        self._depth = 0
        # The names that the text makes arrays, computed on demand.
        self.arrays: frozenset[str] | None = None
        self._has_dynamic_names = False
        # The names that are lists of keys and values: `x=(a b)` has one element, which is b.
        self.associative: set[str] = set()
        self._numeric: set[str] = set()
        # The bodies of functions in which nothing is certain.
        self._later: list[tuple[int, int]] = []
        self._bodies = {at: (start, end) for at, start, end in scan.bodies} if scan is not None else {}
        for item in scan.certain if scan is not None else ():
            self._certain.setdefault(item.name, []).append((item.start, item.end))
        for command in self.commands:
            self._collect(command)
        if self._has_dynamic_names:
            self._look_at_dynamic_names()

    def forget(self) -> None:
        """Something from outside of this text may assign any variable while the text runs."""
        self._opaque = True
        self._values.clear()

    def distrust(self, names: Iterable[str]) -> None:
        """These variables hold something else than what this text assigns to them."""
        self.associative.update(names)
        self._values.clear()

    def distrust_inside(self, definitions: Iterable[Definition]) -> None:
        """These functions may be called when this text is over, and what they call may be others then."""
        self._later = [(definition.start, definition.end) for definition in definitions]
        self._values.clear()

    # -- what the text assigns -----------------------------------------------------------------------------

    def _collect(self, command: SimpleCommand) -> None:
        at = _place(command)
        for item in command.assignments:
            self._assigned.setdefault(item.name, []).append((item, at))
        words = behind_prefixes(command.words)
        name = words[0].text if words else ""
        self._has_dynamic_names = self._has_dynamic_names or UNKNOWN in name
        if name in _ASSIGNING:
            self._declared(name, words[1:], command, at)
        elif name in _OPAQUE:
            self._opaque = self._opaque or not _cleans_up(words)

    def _look_at_dynamic_names(self) -> None:
        """`x=read; $x y`: a builtin that assigns, under a name that was put together, is not followed."""
        for command in self.commands:
            if UNKNOWN in _command_name(command):
                names = {_command_name(reading) for reading in self.readings(command)}
                if names & (_ASSIGNING | _OPAQUE):
                    self._opaque = True
                    self._values.clear()
                    return

    def _declared(self, builtin: str, words: Sequence[Word], command: SimpleCommand, at: int) -> None:
        """`export x=1`, `read x`, `printf -v x`: what is not literally a name makes every name unknown."""
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
                if "A" in word.text:
                    self.associative |= {given.text.partition("=")[0].partition("[")[0] for given in words}
                    self.associative |= {item.name for item in command.assignments}
            else:
                self._assigned.setdefault(name.partition("[")[0], []).append(
                    (Assignment(name, None, word.start, word.end), at)
                )

    def _declare(self, builtin: str, name: str, value: Word | None, word: Word, at: int) -> None:
        """One argument of `export` and the like: it gives a value, makes a local one, or marks a name."""
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
        if self._opaque or name in self.associative or _CHANGING.fullmatch(name):
            return False
        if any(start <= at < end for start, end in self._later):
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
                joined = merged(list(found.values()))
                found = {(joined.text, joined.expansions): joined}
                many = True
        return (merged(list(found.values())),) if many else tuple(found.values())

    def _assigned_values(self, item: Assignment, value: Word, at: int) -> Iterable[Word]:
        if item.listed:
            for words in self.alternatives(value, at):
                yield from (as_value(word) for word in words)
            return
        for words in self.alternatives(value, at, splits=False):
            yield as_value(replace(words[0], glob=None)) if words else value.with_text("")

    # -- readings ------------------------------------------------------------------------------------------

    def readings(self, command: SimpleCommand) -> list[SimpleCommand]:
        """The command with every proven value put in: one for each way in which it can be read."""
        if not any(word.expansions for word in command.words) and not (
            command.redirections
            and any(item.target is not None and item.target.expansions for item in command.redirections)
        ):
            return [command]
        at = _place(command)
        choices: list[Alternatives] = [self.alternatives(word, at) for word in command.words]
        targets = [self._targets(item, at) for item in command.redirections]
        bound_readings([*choices, *targets])
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
        if len(word.expansions) > MOST_PIECES or self._work > _MOST_WORK:
            splits = splits and word.splits
            piece = Expansion("variable", "", quoted=not splits, each=any(e.each for e in word.expansions))
            return [(replace(word, text=word.prefix + UNKNOWN, expansions=(piece,)),)]
        if word.text == UNKNOWN and word.expansions[0].each and word.expansions[0].kind == "variable":
            elements = self._elements(word, word.expansions[0], at)
            if elements is not None:
                return [elements]
        drafts = [Draft()]
        offset = 0
        for position, literal in enumerate(word.text.split(UNKNOWN)):
            for draft in drafts:
                add_literal(draft, literal, word, offset)
            offset += len(literal) + 1
            if position < len(word.expansions):
                expansion = word.expansions[position]
                drafts = self._filled(drafts, word, expansion, at, splits=splits and not expansion.quoted)
        for draft in drafts:
            draft.finish(word)
        return unique(draft.done for draft in drafts)

    def _filled(
        self, drafts: list[Draft], word: Word, expansion: Expansion, at: int, *, splits: bool
    ) -> list[Draft]:
        values = self._values_at(expansion, at)
        if len(drafts) * len(values) > _MOST_VALUES:
            values = [merged(values)]
        if len(drafts) * len(values) > _MOST_VALUES:
            drafts = drafts[:1]
            values = [unknown_word(word, expansion)]
        filled: list[Draft] = []
        for draft, value in itertools.product(drafts, values):
            another = draft.copy()
            if not splits or value.expansions or not self._splits:
                add_whole(another, value, quoted=not splits)
            elif self._expands_braces and "{" in value.text:
                add_whole(another, unknown_word(word, expansion), quoted=False)
            else:
                add_fields(another, value.text, word, expansion)
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
            # The words of a loop are listed, too, but its variable holds one of them at a time.
            whole = item.value is not None and item.listed and item.array
            found = self.alternatives(item.value, place) if whole and item.value is not None else []
            if len(found) != 1 or any(value.several for value in found[0]):
                return None
            elements += (replace(value, start=word.start, end=word.end) for value in found[0])
        plain = expansion.quoted or all(is_one_field(value) for value in elements)
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
            expansion = replace(expansion, empty=self._may_fail(expansion))
        elif expansion.kind == "process":
            shape = "operand"
        return [unknown_piece(replace(expansion, shape=shape))]

    def _variable(self, expansion: Expansion, at: int) -> list[Word]:
        counted = expansion.name in {"#", "?", "$"} or (expansion.name == "!" and self.is_certain("!", at))
        if counted or self._counts(expansion.name):
            return [unknown_piece(replace(expansion, shape="digits"))]
        if not self.is_certain(expansion.name, at) or self._is_list(expansion):
            return [unknown_piece(expansion)]
        return list(self.values_of(expansion.name) or [unknown_piece(expansion)])

    def _is_list(self, expansion: Expansion) -> bool:
        """In zsh an array becomes all of its words, in others its first one."""
        return not self._splits and any(item.array for item, _ in self._assigned.get(expansion.name, ()))

    def _counts(self, name: str) -> bool:
        """Tell whether a variable is the shell's own number, and nothing in this text says otherwise."""
        if name not in (_COUNTING_IN_ZSH if self.shell == "zsh" else _COUNTING):
            return False
        if name == "SECONDS" and self.shell == "ksh":
            return False  # ksh93 counts them with a decimal point
        return (
            not self._opaque and name not in self._assigned and self.shell in {"bash", "zsh", "ksh", "mksh"}
        )

    def _parameter(self, expansion: Expansion, at: int) -> list[Word]:
        """`${x:-y}` and the like, where both sides are known."""
        if expansion.operator == "length":
            return [unknown_piece(replace(expansion, shape="digits"))]
        argument = expansion.argument
        if argument is None or not argument.literal:
            return [unknown_piece(expansion)]
        if expansion.operator in {"+", ":+"}:
            return [argument.with_text(""), argument.with_text(argument.text)]
        values = self._variable(replace(expansion, kind="variable"), at)
        if any(value.expansions for value in values):
            files = [file_without_end(value, expansion.operator, argument.text) for value in values]
            return [file for file in files if file is not None] if all(files) else [unknown_piece(expansion)]
        texts = [operated(value.text, expansion.operator, argument.text) for value in values]
        if any(text is None for text in texts):
            return [unknown_piece(expansion)]
        return [argument.with_text(text or "") for text in texts]

    def _printed(self, expansion: Expansion) -> str | None:
        """What `$(cat <<'EOF' ...)` prints: the lines of its here-document."""
        if expansion.last - expansion.first != 1:
            return None
        command = self.commands[expansion.first]
        if [word.text for word in command.words] != ["cat"] or len(command.redirections) != 1:
            return None
        if command.redirections[0].descriptor not in {"", "0"}:
            return None  # `cat 3<<'EOF'` prints what it is fed
        body = self.body_of(command.redirections[0])
        return None if body is None else body.rstrip("\n")

    def body_of(self, redirection: Redirection) -> str | None:
        """The lines of a here-document in which the shell fills nothing in."""
        body = self._bodies.get(redirection.start)
        return None if body is None else self.source[body[0] : body[1]]

    def _output(self, expansion: Expansion) -> Shape:
        """What is known about the output of a command substitution."""
        commands = self.commands[expansion.first : expansion.last]
        if not commands or not self._is_pipeline(commands):
            return "any"
        last = commands[-1]
        if len(commands) > 1 and [word.text for word in last.words[:2]] == ["tr", "-d"]:
            if [word.text for word in last.words[2:]] not in _BLANKS:
                return "any"
            # `wc -l | tr -d ' '`: a number without the blanks before it
            errors_too = "&" in self.source[commands[-2].end : last.start]
            shape = self._printed_by(commands[-2]) if not (last.redirections or errors_too) else "any"
            return shape if shape == "digits" else "any"
        return self._printed_by(last)

    def _printed_by(self, last: SimpleCommand) -> Shape:
        """What is known about the output of one command."""
        if not all(word.literal for word in last.words) or any(
            _is_output(item) for item in last.redirections
        ):
            return "any"  # what it prints is not known, or goes elsewhere
        return output_shape([word.text for word in last.words])

    def _is_pipeline(self, commands: Sequence[SimpleCommand]) -> bool:
        """Whether nothing but pipes is between commands, and no loop around: the last one alone prints."""
        start = commands[0].start
        return self.source[max(0, start - 8) : start].rstrip().endswith(("$(", "`")) and all(
            _PIPE.fullmatch(self.source, before.end, after.start)
            for before, after in itertools.pairwise(commands)
        )

    def fed_by(self, word: Word) -> SimpleCommand | None:
        """The command that feeds the one that a word belongs to, if a plain pipe says so."""
        for before, command in itertools.pairwise(self.commands):
            if command.start <= word.start < command.end:
                redirected = any(item.operator.startswith("<") for item in command.redirections)
                piped = _PIPE.fullmatch(self.source, before.end, command.start) and not redirected
                errors_too = "&" in self.source[before.end : command.start]
                plain = piped and not errors_too and not any(map(_is_output, before.redirections))
                return before if plain else None
        return None

    def _may_fail(self, expansion: Expansion) -> bool:
        """Whether a substitution may print nothing: git outside of a repository, a file that is not there."""
        commands = self.commands[expansion.first : expansion.last]
        return any(
            command.redirections or _command_name(command) in _MAY_PRINT_NOTHING for command in commands
        )

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
            and (_NUMBER.match(words[0].text) or is_one_number(words[0]))
            for words in self.alternatives(word, at)
        )

    # -- questions about one word --------------------------------------------------------------------------

    def candidates(self, word: Word) -> tuple[str, ...] | None:
        """Every text that a word of a reading can have; None when it is not proven."""
        return None if word.expansions else (word.text,)

    def integers(self) -> set[str]:
        """The names that an arithmetic expression assigns, which makes them numbers for good in zsh."""
        return {
            item.name
            for given in self._assigned.values()
            for item, _ in given
            if item.end - item.start == len(item.name) and item.value is not None and item.value.expansions
        }

    def unproven_numbers(self, names: Collection[str]) -> Iterator[Assignment]:
        """What else these variables are given that is not proven to be a number."""
        for name in names:
            for item, at in self._assigned.get(name, ()):
                value = item.value
                plain = value is not None and (not value.literal or _PLAIN_NUMBER.match(value.text))
                if value is None or not plain or not self._is_number(value, at):
                    yield item

    def may_be_option(self, word: Word) -> bool:
        """Tell whether a word of a reading could begin with a dash when the command runs."""
        return word.may_be_option


def _is_output(item: Redirection) -> bool:
    """Whether a redirection is about what a command prints, and not about its input alone.

    Errors hold any text, such as the name of a file: `2>&1` and `2> /dev/stdout` print them, too.
    """
    dropped = item.descriptor == "2" and item.target is not None and item.target.text == "/dev/null"
    return not (dropped or (item.operator in _FEEDS and item.descriptor in {"", "0"}))


def _printed_into(words: Sequence[Word]) -> Sequence[Word]:
    """The variable of `printf -v x`, if that is what it is or could be."""
    if not words or (words[0].literal and not words[0].text.startswith("-v")):
        return ()
    if words[0].text == "-v":
        return words[1:2]
    return (words[0].with_text(words[0].text[2:]),) if words[0].literal else words[:1]


def _command_name(command: SimpleCommand) -> str:
    """The name that a command is called by, behind `builtin` and `command`."""
    words = behind_prefixes(command.words)
    return words[0].text if words else ""


def _place(command: SimpleCommand) -> int:
    return command.start if command.expanded_at is None else command.expanded_at


def _cleans_up(words: Sequence[Word]) -> bool:
    """`trap 'rm -rf "$d"' EXIT`: a text that runs later, and assigns to no variable."""
    return (
        words[0].text == "trap" and len(words) > 1 and words[1].literal and bool(_CLEANS.match(words[1].text))
    )
