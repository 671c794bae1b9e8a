"""What a word can be when the command runs: its value is proven by this very text, or it is not known at all.

Above: `evaluation` asks for the readings of every command before it is checked; `programs` and `check` see
words that are literal, or unproven with the facts that `Word` tells (`prefix`, `may_be_option`, `several`,
`number`). Below: `alternatives`, `calls`, `command_facts`, `outputs` and `model`.

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
    are_formats,
    as_value,
    bound_readings,
    file_without_end,
    is_number,
    last_parts,
    merged,
    operated,
    unique,
    unknown_piece,
    unknown_word,
    unproven,
    with_nothing,
)
from nacre.policy.calls import FOLLOWED_SHELLS, PARAMETER, Calls
from nacre.policy.command_facts import (
    ASSIGNING,
    OPAQUE,
    cleans_up,
    command_name,
    counts_itself,
    feeder_of,
    has_expansions,
    is_kept_by_shell,
    is_output,
    is_pipeline,
    may_print_nothing,
    place_of,
    printed_into,
    unfollowed_in_values,
    waited_into,
    without_fallback,
)
from nacre.policy.elements import adds_number, known_elements
from nacre.policy.given_parameters import MOST_VALUES, lists_of_parameters, values_of_parameter
from nacre.policy.grammar import behind_prefixes
from nacre.policy.model import UNKNOWN, Assignment, Expansion, SimpleCommand, Word, names
from nacre.policy.outputs import BLANKS, PRINTS_PATH_OF, output_shape
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from nacre.policy.calls import Called
    from nacre.policy.model import Definition, Redirection, Scan, Shape

_MOST_ELEMENTS = 256
# What may run a command more than once.
_MAY_REPEAT = regex(r"\b(?:for|foreach|while|until|select|repeat|function)\b|(?<!=)\(\s*\)")
_MOST_FUNCTIONS = 16  # that call each other, until one is called from outside of them
_LONGEST_CHAIN = 64  # of variables that are made from others
_MOST_WORK = 10_000  # words in all readings of all commands; beyond, every value counts as unproven
_DECLARING = names("export local readonly declare typeset")
_HARMLESS_ATTRIBUTES = regex(r"-[xrgaA]+\Z")
# Shells that keep their directory in PWD, whatever they were given.
_KEEPING_PWD = frozenset({"bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"})
_PLAIN_NUMBER = regex(r"(?:0|-?[1-9][0-9]{0,17})\Z")  # which a shell writes as it was written


class Context:
    """The text around a command: its source, its simple commands, and what its variables may hold."""

    def __init__(self, source: str = "", scan: Scan | None = None, shell: str = "bash") -> None:
        self.source = source
        self.shell = shell
        self.commands: Sequence[SimpleCommand] = scan.commands if scan is not None else ()
        self._splits = shell not in {"zsh", "fish"}
        self._unfollowed = unfollowed_in_values(source, shell)
        self._work = 0
        self._opaque = False
        self._assigned: dict[str, list[tuple[Assignment, int]]] = {}
        self._certain: dict[str, list[tuple[int, int]]] = {}
        self._values: dict[str, tuple[Word, ...] | None] = {}
        self._depth = 0
        # The arrays whose elements are being found.
        self._followed: set[str] = set()
        self.arrays: frozenset[str] | None = None  # computed on demand
        self._has_dynamic_names = False
        # The names that are lists of keys and values: `x=(a b)` has one element, which is b.
        self.associative: set[str] = set()
        self._numeric: set[str] = set()
        # The bodies of functions in which nothing is certain.
        self._later: list[tuple[int, int]] = []
        # Values of declarations that this shell splits: each part is an assignment of its own.
        self._split: list[tuple[Word, int]] = []
        # Formats of printf that are put together: `-vx` would assign to x.
        self._formats: list[tuple[Word, int]] = []
        self._bodies: dict[int, tuple[int, int]] = {}
        if scan is not None and (scan.bodies or scan.certain):
            self._bodies = {at: (start, end) for at, start, end in scan.bodies}
            for item in scan.certain:
                self._certain.setdefault(item.name, []).append((item.start, item.end))
        definitions = scan.definitions if scan is not None else ()
        self._calls = Calls(self.commands, definitions, self._certain.get("@", ()))
        for command in self.commands:
            self._collect(command)
        if self._has_dynamic_names:
            self._look_at_dynamic_names()
        if self._split or self._formats:
            self._look_at_split_values()

    def forget(self) -> None:
        """Something from outside of this text may assign any variable while the text runs."""
        self._opaque = True
        self._values.clear()

    def distrust(self, names: Iterable[str]) -> None:
        """These variables hold something else than what this text assigns to them."""
        self.associative.update(names)
        self._values.clear()
        self._look_at_split_values()

    def distrust_inside(self, definitions: Iterable[Definition]) -> None:
        """These functions may be called when this text is over, and what they call may be others then."""
        self._later = [(definition.start, definition.end) for definition in definitions]
        self._values.clear()
        self._look_at_split_values()

    # -- what the text assigns -----------------------------------------------------------------------------

    def _collect(self, command: SimpleCommand) -> None:
        at = place_of(command)
        for item in command.assignments:
            self._assigned.setdefault(item.name, []).append((item, at))
        words = behind_prefixes(command.words)
        name = words[0].text if words else ""
        self._has_dynamic_names = self._has_dynamic_names or UNKNOWN in name
        if name in ASSIGNING:
            self._declared(name, words[1:], command, at)
        elif name in OPAQUE:
            self._opaque = self._opaque or not cleans_up(words)

    def _look_at_dynamic_names(self) -> None:
        """`x=read; $x y`: a builtin that assigns, under a name that was put together, is not followed."""
        for command in self.commands:
            if UNKNOWN in command_name(command):
                names = {command_name(reading) for reading in self.readings(command)}
                if names & (ASSIGNING | OPAQUE):
                    self._opaque = True
                    self._values.clear()
                    return

    def _look_at_split_values(self) -> None:
        """`v='a y=-o'; command local x=$v` assigns y, too: several words could assign anything."""
        for word, at in self._split:
            if any(len(words) != 1 or words[0].several for words in self.alternatives(word, at)):
                self.forget()
                return
        if not all(are_formats(with_nothing(self.alternatives(word, at))) for word, at in self._formats):
            self.forget()

    def _declared(self, builtin: str, words: Sequence[Word], command: SimpleCommand, at: int) -> None:
        """`export x=1`, `read x`, `printf -v x`: what is not literally a name makes every name unknown."""
        if builtin == "printf" and words and words[0].expansions and words[0].prefix[:1] != "-":
            self._formats.append((words[0], at))
            return
        if builtin == "printf":
            words = printed_into(words)
        elif builtin == "wait":
            words = waited_into(words)
        for word in words:
            name, equals, value = word.text.partition("=")
            if UNKNOWN in name or (word.several and not equals) or builtin == "let":
                self._opaque = True
            elif builtin in _DECLARING and not word.text.startswith(("-", "+")):
                given = replace(word, text=value) if equals else None
                whole = self._keeps_whole(command, word)
                if word.several and not whole:
                    self._split.append((word, at))
                self._declare(builtin, name, given, word, at, whole=whole)
            elif builtin in _DECLARING:
                self._opaque = self._opaque or not _HARMLESS_ATTRIBUTES.match(word.text)
                if "A" in word.text:
                    self.associative |= {given.text.partition("=")[0].partition("[")[0] for given in words}
                    self.associative |= {item.name for item in command.assignments}
            else:
                self._assigned.setdefault(name.partition("[")[0], []).append(
                    (Assignment(name, None, word.start, word.end), at)
                )

    def _keeps_whole(self, command: SimpleCommand, word: Word) -> bool:
        """In bash `local x=$1` is an assignment, which splits nothing; `command local "x"=$1` is none."""
        named = command.words[0]
        plain = named.text in _DECLARING and named.end - named.start == len(named.text)
        written = self.source.startswith(word.text.partition("=")[0] + "=", word.start)
        return plain and written and self.shell == "bash" and not word.braces

    def _declare(  # noqa: PLR0913 - one argument and what is around it
        self, builtin: str, name: str, value: Word | None, word: Word, at: int, *, whole: bool
    ) -> None:
        """One argument of `export` and the like: it gives a value, makes a local one, or marks a name."""
        if value is None and builtin in {"export", "readonly"}:
            return
        if value is None:
            value = word.with_text("")
        elif "[" in name or name.endswith("+") or (word.several and not whole):
            value = None
        name = name.partition("[")[0].removesuffix("+")
        item = Assignment(name, value, word.start, word.end)
        self._assigned.setdefault(name, []).append((item, at))

    @property
    def is_opaque(self) -> bool:
        """Something in the text, or from before, may assign any variable."""
        return self._opaque

    def places_assigned(self, name: str) -> list[int]:
        """Where the text gives a variable something, or takes it away."""
        return [at for _, at in self._assigned.get(name, ())]

    def is_certain(self, name: str, at: int) -> bool:
        """Tell whether this text itself has surely assigned a variable before this place runs."""
        if self._opaque or name in self.associative or is_kept_by_shell(name, self.shell):
            return False
        if any(start <= at < end for start, end in self._later) or name not in self._certain:
            return False
        ranges = self._certain[name]
        if any(start <= at < end for start, end in ranges):
            return True
        # In a function, where it is assigned before all calls of it: `f() { ls "$x"; }; x=a; f`.
        return self.is_called_only(at, lambda place: any(start <= place < end for start, end in ranges))

    def is_called_only(self, at: int, holds: Callable[[int], bool]) -> bool:
        """Tell whether the function around a place runs only by calls at places of which something holds.

        Such a call may stand in another function, of which the same is true.
        """
        seen: set[int] = set()
        waiting = [at]
        while waiting:
            called = self.calls_at(waiting.pop())
            if called is None or not called.commands or len(seen) > _MOST_FUNCTIONS:
                return False
            if id(called.commands) not in seen:
                seen.add(id(called.commands))
                waiting += [place for place in map(place_of, called.commands) if not holds(place)]
        return True

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
            if len(found) > 2 * MOST_VALUES:
                joined = merged(list(found.values()))
                found = {(joined.text, joined.expansions): joined}
                many = True
        return (merged(list(found.values())),) if many else tuple(found.values())

    def _assigned_values(self, item: Assignment, value: Word, at: int) -> Iterable[Word]:
        if item.listed:
            for words in self.alternatives(value, at):
                # Of a list that has become empty there is nothing left.
                yield from (as_value(word) for word in words) if words else (value.with_text(""),)
            return
        for words in self.alternatives(value, at, splits=False):
            yield as_value(replace(words[0], glob=None)) if words else value.with_text("")

    # -- readings ------------------------------------------------------------------------------------------

    def readings(self, command: SimpleCommand) -> list[SimpleCommand]:
        """The command with every proven value put in: one for each way in which it can be read."""
        if not has_expansions(command):
            return [command]
        at = place_of(command)
        choices: list[Alternatives] = [with_nothing(self.alternatives(word, at)) for word in command.words]
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
        if any(not expansion.quoted for expansion in item.target.expansions):
            # Outside of quotes bash looks for files that match a value, and opens the one that does.
            split = self.alternatives(item.target, at)
            found += [words for words in split if len(words) == 1 and words[0].glob is not None]
        return [words or (item.target.with_text(""),) for words in with_nothing(found)]

    def alternatives(self, word: Word, at: int, *, splits: bool = True) -> Alternatives:
        """Every list of words that a word can become at this place of the text."""
        if not word.expansions:
            return [(word,)]
        if len(word.expansions) > MOST_PIECES or self._work > _MOST_WORK:
            splits = splits and word.splits
            piece = Expansion("variable", "", quoted=not splits, each=any(e.each for e in word.expansions))
            return [(replace(word, text=word.prefix + UNKNOWN, expansions=(piece,)),)]
        # Where one word is wanted, as in `y="${x[@]}"`, the elements are joined: that is not followed.
        if splits and word.text == UNKNOWN and word.expansions[0].kind == "variable":
            elements = self._elements(word, word.expansions[0], at) if word.expansions[0].each else None
            if elements is not None:
                return elements
        drafts = [Draft()]
        offset = 0
        for position, literal in enumerate(word.text.split(UNKNOWN)):
            for draft in drafts:
                add_literal(draft, literal, word, offset, zsh=self.shell == "zsh")
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
        if len(drafts) * len(values) > MOST_VALUES:
            values = [merged(values)]
        if len(drafts) * len(values) > MOST_VALUES:
            drafts = drafts[:1]
            values = [unknown_word(word, expansion)]
        filled: list[Draft] = []
        for draft, value in itertools.product(drafts, values):
            another = draft.copy()
            # zsh splits what a command prints, though no value of a variable.
            kept = not self._splits and expansion.kind != "command"
            if not splits or value.expansions or kept:
                add_whole(another, value, quoted=not splits)
            elif self._unfollowed is not None and self._unfollowed in value.text:
                add_whole(another, unknown_word(word, expansion), quoted=False)
            else:
                add_fields(another, value.text, word, expansion)
            filled.append(another)
        return filled

    def _elements(self, word: Word, expansion: Expansion, at: int) -> Alternatives | None:
        """The words of `"${x[@]}"`: those that are known, or however many numbers."""
        if expansion.name == "@":
            return self._all_arguments(word, expansion, at)
        if not self.is_certain(expansion.name, at):
            return None
        name = expansion.name
        given = self._assigned.get(name, ())
        if not 1 <= len(given) <= _MOST_ELEMENTS or name in self._followed:
            return None
        self._followed.add(name)  # an array that is made from itself by way of others is not followed
        self._work += len(given)
        repeated = _MAY_REPEAT.search(self.source) is not None
        known = known_elements(given, word, expansion, self.alternatives, repeated=repeated)
        if known is None and all(
            adds_number(item, place, self.alternatives, self.is_certain) for item, place in given
        ):
            known = [(replace(word, expansions=(replace(expansion, shape="digits"),)),)]
        self._followed.discard(name)
        return known

    # -- single expansions ---------------------------------------------------------------------------------

    def _values_at(self, expansion: Expansion, at: int) -> list[Word]:
        """What one expansion can be, as words in quotes; a single unknown one if it is not proven."""
        if expansion.kind == "variable" and not expansion.each:
            return self._variable(expansion, at)
        if expansion.kind == "parameter" and not expansion.each:
            return self._parameter(expansion, at)
        shape = expansion.shape
        if expansion.operator == "keys":
            # Of a list of numbered elements; `is_certain` knows no others.
            shape = "digits" if self.is_certain(expansion.name, at) else "any"
        elif expansion.kind == "arithmetic":
            shape = "number"
        elif expansion.kind == "command":
            text = self._printed(expansion)
            if text is not None:
                return [Word(text, 0, 0, quoted=True)]
            shape = self._output(expansion)
            empty = may_print_nothing(self.commands[expansion.first : expansion.last])
            expansion = replace(expansion, empty=empty)
        elif expansion.kind == "process":
            shape = "operand"
        return [unknown_piece(replace(expansion, shape=shape))]

    def _variable(self, expansion: Expansion, at: int) -> list[Word]:
        counted = expansion.name in {"#", "?", "$"} or (expansion.name == "!" and self.is_certain("!", at))
        changed = self._opaque or expansion.name in self._assigned
        if counted or (counts_itself(expansion.name, self.shell) and not changed):
            return [unknown_piece(replace(expansion, shape="digits"))]
        if PARAMETER.match(expansion.name):
            return self._argument(expansion, at)
        if expansion.name == "PWD" and self._is_own_directory():
            return [unknown_piece(replace(expansion, shape="operand"))]
        if not self.is_certain(expansion.name, at) or self._is_list(expansion):
            return unproven(expansion, self.values_of(expansion.name))
        return list(self.values_of(expansion.name) or [unknown_piece(expansion)])

    def calls_at(self, at: int) -> Called | None:
        """The calls of the function around this place, if nothing but this text can call it."""
        later = any(start <= at < end for start, end in self._later)
        followed = self.shell in FOLLOWED_SHELLS and not (self._opaque or later)
        return self._calls.of_function_at(at) if followed else None

    def _argument(self, expansion: Expansion, at: int) -> list[Word]:
        """`$1` in a function: what the calls of this very text give it."""
        called = self.calls_at(at)
        if called is None:
            return [unknown_piece(expansion)]
        key = (
            f"{id(called.commands)} {called.shifted} {expansion.name}"  # no name of a variable holds a blank
        )
        if key not in self._values:
            self._values[key] = None  # a function that calls itself is not followed
            self._depth += 1
            if self._depth <= _LONGEST_CHAIN:
                self._values[key] = values_of_parameter(called, int(expansion.name), self.alternatives)
            self._depth -= 1
        return list(self._values[key] or [unknown_piece(expansion)])

    def _all_arguments(self, word: Word, expansion: Expansion, at: int) -> Alternatives | None:
        """`"$@"` in such a function."""
        called = self.calls_at(at) if expansion.quoted else None
        key = f"@{id(called.commands)}" if called is not None else ""
        if called is None or key in self._followed or len(self._followed) > _LONGEST_CHAIN:
            return None
        self._followed.add(key)
        found = lists_of_parameters(called, word, self.alternatives)
        self._followed.discard(key)
        self._work += sum(map(len, found or ()))
        return found

    def _is_list(self, expansion: Expansion) -> bool:
        """In zsh an array becomes all of its words, in others its first one."""
        return not self._splits and any(item.array for item, _ in self._assigned.get(expansion.name, ()))

    def _is_own_directory(self) -> bool:
        """Whether `$PWD` is what the shell itself has put there: a path from the root."""
        return not self._opaque and "PWD" not in self._assigned and self.shell in _KEEPING_PWD

    def _parameter(self, expansion: Expansion, at: int) -> list[Word]:
        """`${x:-y}` and the like, where both sides are known."""
        if expansion.operator == "length":
            return [unknown_piece(replace(expansion, shape="digits"))]
        argument = expansion.argument
        if argument is None or not argument.literal:
            followed = argument is not None and expansion.operator == "##"  # `${f##*/}`
            values = self._variable(replace(expansion, kind="variable"), at) if followed else []
            return last_parts(values) or unproven(expansion, self.values_of(expansion.name))
        if expansion.operator in {"+", ":+"}:
            return [argument.with_text(""), argument.with_text(argument.text)]
        values = self._variable(replace(expansion, kind="variable"), at)
        if any(value.expansions for value in values):
            files = [file_without_end(value, expansion.operator, argument.text) for value in values]
            known = [file for file in files if file is not None]
            return known if all(files) else unproven(expansion, [argument])
        texts = [operated(value.text, expansion.operator, argument.text) for value in values]
        if any(text is None for text in texts):
            return [unknown_piece(expansion)]
        if expansion.operator == "-" and "" in texts:
            texts.append(argument.text)  # `local x`, `x=()`: it is not empty, but not set
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
        commands = without_fallback(self.source, self.commands[expansion.first : expansion.last])
        if not commands or not is_pipeline(self.source, commands):
            return "any"
        last = commands[-1]
        if len(commands) > 1 and [word.text for word in last.words[:2]] == ["tr", "-d"]:
            if [word.text for word in last.words[2:]] not in BLANKS:
                return "any"
            # `wc -l | tr -d ' '`: a number without the blanks before it
            errors_too = "&" in self.source[commands[-2].end : last.start]
            shape = self._printed_by(commands[-2]) if not (last.redirections or errors_too) else "any"
            return shape if shape == "digits" else "any"
        return self._printed_by(last)

    def _printed_by(self, last: SimpleCommand) -> Shape:
        """What is known about the output of one command."""
        if any(is_output(item) for item in last.redirections):
            return "any"  # what it prints goes elsewhere
        if not all(word.literal for word in last.words):
            return "operand" if self._is_path_of_operand(last) else "any"
        return output_shape([word.text for word in last.words])

    def _is_path_of_operand(self, command: SimpleCommand) -> bool:
        """`dirname "$PWD"`, `realpath "./$x"`: what does not begin with a dash gives a path that does not."""
        *before, word = command.words
        if [item.text for item in before] not in PRINTS_PATH_OF:
            return False
        readings = with_nothing(self.alternatives(word, place_of(command)))
        return all(len(words) == 1 and not (words[0].several or words[0].may_be_option) for words in readings)

    def fed_by(self, word: Word) -> SimpleCommand | None:
        """The command that feeds the one that a word belongs to, if a plain pipe says so."""
        return feeder_of(word, self.commands, self.source)

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
            # By its name alone (`i`, not `$i`) a variable that holds nothing is 0: `local i; i=0`.
            named = word.end - word.start == len(name)
            return named and self._is_number(word, at, or_nothing=True)
        return self._is_number(word, at)

    def _is_number(self, word: Word, at: int, *, or_nothing: bool = False) -> bool:
        return all(is_number(words, or_nothing=or_nothing) for words in self.alternatives(word, at))

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
