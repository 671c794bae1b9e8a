"""Shell builtins: what they assign, what they evaluate, what they change for later.

Above: `programs` asks here before it looks into its tables. Below: `effects` and `model`. Some builtins are
harmless (`true`, `echo`, `test`, ...): a use of them that has no effect needs no rule of its own, unless the
person wants one. What would change the meaning of later commands (readonly variables, references,
attributes, most shell options) is an effect that cannot be resolved.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nacre.policy.effects import Assigned, Effect, PathUse, shown, unknown_at, unresolved
from nacre.policy.grammar import GRAMMARS, behind_prefixes, own_words
from nacre.policy.model import UNKNOWN, Word, names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from nacre.policy.model import SimpleCommand

SHELL_OPTIONS = names(
    "errexit nounset pipefail xtrace noglob verbose noclobber inherit_errexit nullglob globstar"
)
# Harmless unless they have an effect; `cd` only where a fence holds it.
_HARMLESS = names(": true false echo printf test [ break continue exit return cd")
# Shells whose builtins evaluate numbers as arithmetic; shells that do not split the value in `export x=$y`.
_EVALUATING = frozenset({"zsh", "ksh", "ksh93", "mksh", "lksh", "oksh", "loksh"})
_DECLARING = frozenset({"bash", "zsh", "ksh", "ksh93", "mksh"})
# Variables that the shell gives a value of its own, and that lose it for ever when they are unset.
_SELF_VALUED = names("RANDOM SECONDS LINENO PPID UID EUID REPLY BASH_REMATCH PWD OLDPWD OPTARG OPTIND")
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ELEMENT = regex(r"([A-Za-z_][A-Za-z0-9_]*)\[-?[0-9]+\]\Z")
_SET = regex(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_NUMBER = regex(r"-?[0-9]+\Z")
# Stands for one that is not known. No rule names it, nor a program that ends in it.
SOME_NUMBER = "40917"
_MATCH_FLAG = regex(r"-[aeginqrv]+\Z|--(?:all|entire|groups-only|ignore-case|index|invert|quiet|regex)?\Z")
_SET_LETTERS = regex(r"[-+][efuxvCE]*\Z")
_SET_NAME_FOLLOWS = regex(r"[-+][efuxvCE]*o\Z")
# Commands that make a name an array: with -a or -A, or always.
_DECLARES = names("declare typeset local export readonly read")
_FILLS = names("mapfile readarray")
_PRINT_FLAGS = regex(r"-[rnlN]+\Z")
_DECLARE_FLAGS = regex(r"-[xgaAp]+\Z|\+x\Z")
_EXPORT_FLAGS = regex(r"-[xp]\Z")
_EXPORTS = regex(r"-[A-Za-z]*x[A-Za-z]*\Z")
_PROGRAM_NAME = regex(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*\Z")
# Not -e: with it bash edits the line, and a key expands what is typed, commands in it, too.
_READ_FLAG = regex(r"-[rs]+\Z")
_READ_VALUE = regex(r"-[rs]*([pntNdui])(.*)\Z", re.DOTALL)
_READ_ARRAY = regex(r"-[rs]*[aA]\Z")
# The shells of `_EVALUATING` have no option for a prompt, each its own ones for counts, and evaluate numbers.
_READ_FLAG_ELSEWHERE = regex(r"-[rs]+\Z")
_READ_VALUE_ELSEWHERE = regex(r"-[rs]*([td])(.*)\Z", re.DOTALL)
_WAIT_FLAGS = regex(r"-[nf]+\Z|--\Z")
_SECONDS = regex(r"[0-9]+(?:\.[0-9]+)?\Z")
_LIMIT = regex(r"-[A-Za-z]*\Z|[0-9]+\Z|(?:unlimited|hard|soft)\Z")
_MASK = regex(r"-[Sp]+\Z|[0-7]+\Z|[ugoa]*[-+=][rwxXst]*(?:,[ugoa]*[-+=][rwxXst]*)*\Z")
# A conversion with its letter, which may stand behind flags, a width, a precision and the size of a number.
_CONVERSION = regex(r"%(?:%|[-0 +#']*(\*?)[0-9]*(?:\.(\*?)[0-9]*)?(?:\([^()]*\)T|[hjlLtz]*(.?)))", re.DOTALL)
_TEXT_CONVERSIONS = frozenset("sbqcQ")
_NUMERIC_CONVERSIONS = frozenset("diouxXeEfFgGaA")
_UNARY = names("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S")
_NUMERIC = names("-eq -ne -lt -le -gt -ge")
_BINARY = names("= == != < > \\< \\> -nt -ot -ef =~") | _NUMERIC
_FILE_COMPARISONS = names("-nt -ot -ef")
_FILE_TEST = regex(r"-[abcdefghkprsuwxGLNOS]\Z")
_QUOTE = "put the value into double quotes"
_TRAP = "write the text in single quotes, then the signals: trap 'ls' EXIT"


@dataclass(slots=True)
class Builtin:
    """What one use of a builtin amounts to."""

    words: tuple[Word, ...]
    shell: str
    arrays: frozenset[str] = frozenset()
    # The text in which the command stands by itself, not behind `command` or `builtin`.
    source: str = ""
    effects: list[Effect] = field(default_factory=list[Effect])
    assigned: list[Assigned] = field(default_factory=list[Assigned])
    # A text that the shell keeps, and runs later; not before it ends?
    kept: Word | None = None
    kept_to_end: bool = False

    @property
    def free(self) -> bool:
        """Needs no rule of its own."""
        name = self.words[0].text
        return not self.effects and (name in _HARMLESS or (self.shell == "fish" and name in _FISH_READERS))

    @property
    def arguments(self) -> tuple[Word, ...]:
        """The words after the name."""
        return self.words[1:]

    def unresolved(self, word: Word, reason: str, hint: str = "") -> None:
        """Something in it is only decided when it runs, or changes what runs later."""
        flag = word.text if word.literal and word.text.startswith("-") else ""
        self.effects.append(unresolved(word, reason, flag, hint=hint))


def read_builtin(
    words: tuple[Word, ...], shell: str, arrays: frozenset[str] = frozenset(), source: str = ""
) -> Builtin | None:
    """Look at a command whose name is a builtin's; None if it is not one that is known here.

    `arrays`: the names that the text around it makes arrays; `source`: that text, if the builtin's name is
    the command's first word.
    """
    reader = _own if words[0].text in own_words(shell) else _READERS.get(words[0].text)
    if shell == "fish":
        reader = _FISH_READERS.get(words[0].text, reader)
    if reader is None or (reader is _print and shell not in _EVALUATING):
        return None
    found = Builtin(words, shell, arrays, source)
    reader(found)
    return found


# -- anything goes -------------------------------------------------------------------------------------------


def _plain(_use: Builtin) -> None:
    """Prints or does nothing, whatever it is given."""


def _own(use: Builtin) -> None:
    """What one shell alone has: scanners refuse it as a name; it stands behind `builtin`, or is a value."""
    use.unresolved(use.words[0], f"{use.shell} reads `{use.words[0].text}` in its own way")


def _count(use: Builtin) -> None:
    """`exit 1`, `shift 2`: a number, which some shells evaluate."""
    for word in use.arguments:
        if use.shell in _EVALUATING and not (_is_number(word) or word.text == "--"):
            use.unresolved(word, f"`{use.words[0].text}` evaluates what it is given", "give it a number")


def _limit(use: Builtin) -> None:
    """`ulimit -n 64`, `umask 022`: numbers that are written out, for some shells evaluate all else."""
    form, hint = (
        (_LIMIT, "write ulimit -n 1024") if use.words[0].text == "ulimit" else (_MASK, "write umask 022")
    )
    for word in use.arguments:
        if not (word.literal and form.match(word.text)):
            use.unresolved(word, f"`{use.words[0].text}` evaluates what is no plain number", hint)


def _directory(use: Builtin) -> None:
    """`cd dir`: harmless where commands may run."""
    operands = [word for word in use.arguments if word.text not in {"--", "-P", "-L"}]
    for word in operands[1:]:
        use.unresolved(word, f"`{use.words[0].text}` with several directories", "give it one directory")
    # Whatever `cd $x` becomes, it enters a directory that is not known, its own options change no more, and
    # several are an error, or one in place of the other. `pushd` has numbers, too.
    if operands and operands[0].splits and use.words[0].text != "cd":
        use.unresolved(operands[0], "an unquoted value can become several words", _QUOTE)


# -- tests and output ----------------------------------------------------------------------------------------


def _test(use: Builtin) -> None:
    """`[ a = b ]`: where an operator or `-v` could come from a value, it is not known what is evaluated."""
    words = list(use.arguments)
    if use.words[0].text == "[" and words and words[-1].text == "]":
        words.pop()
    for word in words:
        if word.several and not word.number:
            use.unresolved(word, "an unquoted value can become any part of a test", _QUOTE)
            return
    if use.shell in _EVALUATING:
        _check_numbers(use, words)
    if any(not word.literal for word in words) and not _has_fixed_form(words):
        hint = "write one comparison for each `[ ... ]`, joined by && and ||"
        use.unresolved(words[0], "a value in it could be an operator", hint)
    for before, after in itertools.pairwise(words):
        if before.text in {"-v", "-R"} and not (after.literal and _NAME.match(after.text)):
            use.unresolved(after, f"`{before.text}` evaluates what is no plain name", "write a plain name")


def _check_numbers(use: Builtin, words: Sequence[Word]) -> None:
    for index, word in enumerate(words):
        sides = words[index - 1 : index + 2 : 2] if index and word.text in _NUMERIC else ()
        sides = words[index + 1 : index + 2] if word.text == "-t" else sides
        for side in sides:
            if not _is_number(side):
                use.unresolved(
                    side, "this shell evaluates it as arithmetic", "compare numbers that are written out"
                )


def _has_fixed_form(words: Sequence[Word]) -> bool:
    """The operators stand where no value can take their place."""
    if words and words[0].literal and words[0].text == "!":
        return _has_fixed_form(words[1:])
    match len(words):
        case 0 | 1:
            return True
        case 2:
            return words[0].literal and words[0].text in _UNARY
        case 3:
            return words[1].literal and words[1].text in _BINARY
        case _:
            return False


def _print_formatted(use: Builtin) -> None:
    """`printf format ...`: -v and %n assign, and some shells evaluate numbers."""
    words = list(use.arguments)
    ended = bool(words) and words[0].literal and words[0].text == "--"
    if ended:
        words.pop(0)
    elif words and words[0].literal and words[0].text.startswith("-v"):
        target = words[0].with_text(words[0].text[2:]) if words[0].text != "-v" else None
        target = target or (words[1] if len(words) > 1 else words[0])
        _assign(use, target)
        return
    if not words:
        return
    if not words[0].literal or (words[0].text.startswith("-") and not ended):
        use.unresolved(
            words[0], "the format is only known when it runs", "write printf '%s\\n' before the value"
        )
        return
    found = [match.groups("") for match in _CONVERSION.finditer(words[0].text)]
    letters = {letter for *_, letter in found if letter}
    counted = any(width or precision for width, precision, _ in found)
    numeric = counted or not letters <= _TEXT_CONVERSIONS
    # `%n` and `%hn` assign; what is no letter is no conversion.
    if any(letter.isalpha() for letter in letters - _TEXT_CONVERSIONS - _NUMERIC_CONVERSIONS):
        use.unresolved(words[0], "this conversion of printf takes its meaning from a value", "use %s and %d")
    elif numeric and use.shell in _EVALUATING and not all(_is_number(word) for word in words[1:]):
        use.unresolved(words[0], "this shell's printf evaluates numbers", "use %s")


# -- assignments ---------------------------------------------------------------------------------------------


def _assign(use: Builtin, word: Word) -> None:
    """A variable gets a value by its name."""
    if word.literal and _NAME.match(word.text):
        use.assigned.append(Assigned(word.text, word, unset=use.words[0].text == "unset"))
    else:
        use.unresolved(word, "a variable whose name is not a plain word", "write the name of a variable")


def _is_one_word(use: Builtin, value: Word) -> bool:
    """The value of an option cannot become none, so that the next word is it, nor several."""
    single = not (value.several or value.may_vanish)
    if not single:
        use.unresolved(value, "an unquoted value can become none or several words", _QUOTE)
    return single


def _read(use: Builtin) -> None:
    """`read -r x y`."""
    elsewhere = use.shell in _EVALUATING
    flag = _READ_FLAG_ELSEWHERE if elsewhere else _READ_FLAG
    words = list(use.arguments)
    while words and words[0].text.startswith("-"):
        word = words.pop(0)
        value = (_READ_VALUE_ELSEWHERE if elsewhere else _READ_VALUE).match(word.text)
        if word.literal and word.text == "--":
            break
        if not word.literal and not (value is not None and value.group(2)):
            use.unresolved(word, "an option of `read` is only known when it runs")
        elif flag.match(word.text) or _READ_ARRAY.match(word.text):
            continue
        elif value is None:
            use.unresolved(word, f"the option `{shown(word.text)}` of `read` is not known", "use -r")
        else:
            following = word if value.group(2) or not words else words.pop(0)
            _read_value(use, value.group(1), following, value.group(2) or following.text)
    for word in words:
        _assign(use, word)


def _read_value(use: Builtin, letter: str, word: Word, value: str) -> None:
    """The value of an option of `read`: one word, and a number where the shell evaluates it."""
    if not _is_one_word(use, word):
        return
    if letter == "t" and use.shell in _EVALUATING and not (word.literal and _SECONDS.match(value)):
        use.unresolved(word, "this shell evaluates the number of seconds", "write the number out")


def _read_lines(use: Builtin) -> None:
    """`mapfile -t x`."""
    words = list(use.arguments)
    while words and words[0].text.startswith("-"):
        word = words.pop(0)
        if word.literal and word.text == "-t":
            continue
        if word.literal and word.text in {"-n", "-O", "-s", "-u", "-d"} and words:
            _is_one_word(use, words.pop(0))
        else:
            use.unresolved(word, f"the option `{shown(word.text)}` of `{use.words[0].text}`", "use -t only")
    for word in words:
        _assign(use, word)


def _print(use: Builtin) -> None:
    """`print -r text` of zsh and ksh; other options assign, expand or keep the text."""
    for word in use.arguments:
        if word.text in {"-", "--"} or not word.text.startswith(("-", UNKNOWN)):
            return
        if not (word.literal and _PRINT_FLAGS.match(word.text)):
            use.unresolved(word, f"the option `{shown(word.text)}` of `print`", "put `-r --` before the text")
            return


def _get_options(use: Builtin) -> None:
    """`getopts spec name`."""
    for word in use.arguments[:1]:
        _is_one_word(use, word)
    for word in use.arguments[1:2]:
        _assign(use, word)


def _declare(use: Builtin) -> None:
    """`export x=1`, `local -a y`: plain names, harmless attributes."""
    name = use.words[0].text
    exports = name == "export" or any(_EXPORTS.match(word.text) for word in use.arguments)
    for word in use.arguments:
        found = _SET.match(word.text)
        if found is not None and not word.text.startswith(("-", "+")):
            if word.several and not _stays_whole(use, word, found.group()):
                use.unresolved(word, "a shell may split the value, and take the rest for other names", _QUOTE)
            use.assigned.append(Assigned(found.group(1), word, exported=exports))
            if _makes_elements(use, found.group(1), word):
                reason = (
                    "bash reads a value in parentheses as the elements of an array, and runs commands in it"
                )
                use.unresolved(word, reason, "write the assignment without it: x=value")
        elif word.literal and word.text.startswith(("-", "+")):
            # With -a, `export` of bash reads a value in parentheses as elements, too.
            harmless = _EXPORT_FLAGS if name == "export" else _DECLARE_FLAGS
            if not harmless.match(word.text) and word.text != "--":
                reason = f"`{name} {shown(word.text)}` changes what the variable means from now on"
                use.unresolved(word, reason, "leave the attribute out")
        elif not (word.literal and _NAME.match(word.text)):
            use.unresolved(word, "a variable whose name is not a plain word", "write the name of a variable")
        elif exports:
            use.assigned.append(Assigned(word.text, word, exported=True))
    if name == "readonly":
        use.unresolved(
            use.words[0], "`readonly` changes what later commands may assign", "assign it without readonly"
        )


def _stays_whole(use: Builtin, word: Word, name: str) -> bool:
    """`export x=$y` is an assignment, which is not split; `'export' x=$y` and `export "x"=$y` are none."""
    command = use.words[0]
    plain = command.end - command.start == len(command.text) and use.shell in _DECLARING
    return plain and use.source.startswith(name, word.start)


def array_names(commands: Iterable[SimpleCommand]) -> frozenset[str]:
    """The names that the commands of a text make arrays, by whatever way."""
    found: set[str] = set()
    for command in commands:
        found |= {item.name for item in command.assignments if item.array}
        words = [word.text for word in behind_prefixes(command.words)]
        flags = any(word.startswith("-") and {"a", "A"} & set(word) for word in words[1:])
        if words and ((words[0] in _DECLARES and flags) or words[0] in _FILLS):
            found |= {word.partition("=")[0] for word in words[1:]}
    return frozenset(found)


def _makes_elements(use: Builtin, name: str, word: Word) -> bool:
    """`declare -a 'x=($(cmd))'`: the value is, or could be, a list that is evaluated."""
    command = use.words[0].text
    if use.shell != "bash" or command not in {"declare", "typeset", "local"}:
        return False
    known = word.text if word.literal else word.prefix
    value = known[known.find("=") + 1 :] if "=" in known else ""
    if value and not value.startswith("("):
        return False
    flags = any(item.text.startswith("-") and {"a", "A"} & set(item.text) for item in use.arguments)
    # Outside of a function any name may be an array of the session's; a new local one is none.
    return (word.literal and bool(value)) or (
        not word.literal and (flags or name in use.arrays or command != "local")
    )


def _unset(use: Builtin) -> None:
    """`unset x`."""
    for word in use.arguments:
        if word.literal and word.text in {"-v", "--"}:
            continue
        if word.text.startswith("-"):
            reason = "it can take a function away, so that its name means another program"
            use.unresolved(word, reason, "unset variables only")
            continue
        element = _ELEMENT.match(word.text) if word.literal else None
        _assign(use, word.with_text(element[1]) if element is not None else word)
        if word.text in _SELF_VALUED:
            use.unresolved(word, f"{word.text} loses its meaning", "leave it as it is")


def _let(use: Builtin) -> None:
    for word in use.arguments:
        found = _SET.match(word.text)
        use.assigned += [Assigned(found.group(1), word)] if found is not None else []
    use.unresolved(use.words[0], "`let` evaluates its arguments as arithmetic", "write x=$((...))")


def _wait(use: Builtin) -> None:
    """`wait`, `wait $!`; -p assigns, also in one word with other letters or with the name."""
    for index, word in enumerate(use.arguments):
        if word.literal and word.text == "--":
            return  # numbers and names of jobs, whatever they are
        if word.literal and word.text == "-p":
            _assign(use, next(iter(use.arguments[index + 1 : index + 2]), word))
        elif word.literal and word.text.startswith("-") and not _WAIT_FLAGS.match(word.text):
            hint = "write -n, -f and -p, each in a word of its own"
            use.unresolved(word, f"the option `{shown(word.text)}` of `wait`", hint)
        elif not word.literal and not _is_digits(word):
            use.unresolved(
                word, "what `wait` waits for is only known when it runs", 'write `wait -- "$pid"` or `wait`'
            )


# -- the shell itself ----------------------------------------------------------------------------------------


def _set(use: Builtin) -> None:
    """`set -euo pipefail`, `set -- a b`: options that do not change how text is read."""
    words = list(use.arguments)
    while words:
        word = words.pop(0)
        if word.literal and word.text in {"--", "-", "+"}:
            return
        if not word.may_be_option and word.text[:1] != "+" and not word.several:
            return
        if word.literal and _SET_LETTERS.match(word.text) and not _stops_braces(use, word):
            continue
        if word.literal and _SET_NAME_FOLLOWS.match(word.text):
            option = words.pop(0) if words else word
            known = option is word or (option.literal and option.text in SHELL_OPTIONS)
            if known and not _stops_braces(use, word) and not _stops_braces(use, option):
                continue
            word = option
        reason = f"the shell option `{shown(word.text)}` changes how text is read"
        use.unresolved(word, reason, "leave it out")
        return


def _stops_braces(use: Builtin, option: Word) -> bool:
    """Shells of the Korn family leave braces as they are while patterns are off."""
    letters = option.text if option.text[:1] in {"-", "+"} else ""
    return use.shell in _EVALUATING - {"zsh"} and ("f" in letters or option.text == "noglob")


def _shopt(use: Builtin) -> None:
    """`shopt -s nullglob`."""
    for word in use.arguments:
        harmless = word.text in SHELL_OPTIONS or word.text in {"-s", "-u", "-q", "-p", "-o"}
        if not (word.literal and harmless):
            reason = f"the shell option `{shown(word.text)}` changes how text is read"
            use.unresolved(word, reason, "leave it out")


def _trap(use: Builtin) -> None:
    """A text that runs later."""
    words = use.arguments
    # zsh has no options here: it takes `-p` for the text.
    if words and words[0].text in {"-p", "-l"} and words[0].literal and use.shell != "zsh":
        return
    if words and words[0].text[:1] == "-" and words[0].text not in {"-", "--"}:
        use.unresolved(words[0], f"the option `{shown(words[0].text)}` of `trap`", _TRAP)
        return
    words = words[1:] if words and words[0].text == "--" else words
    if not words or (words[0].literal and words[0].text in {"", "-"}):
        return
    # `trap "kill $!" EXIT`: which number it is makes no difference.
    numbers = words[0].spelled and all(piece.shape in {"digits", "number"} for piece in words[0].expansions)
    if numbers:
        words = (words[0].with_text(words[0].text.replace(UNKNOWN, SOME_NUMBER)), *words[1:])
    signals = [word.text.upper().removeprefix("SIG") for word in words[1:] if word.literal]
    if words[0].literal and signals and len(signals) == len(words) - 1:
        use.kept = words[0]
        use.kept_to_end = {"EXIT", "0"} >= set(signals)
        if {"DEBUG", "RETURN", "ZERR"} & set(signals):
            use.unresolved(words[0], "a trap that runs among all other commands", "use EXIT, INT or TERM")
    else:
        use.unresolved(words[0], "`trap` keeps a text that is only known when it runs", _TRAP)


def _hash(use: Builtin) -> None:
    """`hash -r` forgets where programs are; other uses give a name another program."""
    for word in use.arguments:
        if word.text != "-r" and not (word.literal and _PROGRAM_NAME.match(word.text)):
            use.unresolved(word, "it can give a name another program", "use `hash -r`")


def _enable(use: Builtin) -> None:
    for word in use.arguments:
        use.unresolved(word, "it loads or removes builtins", "leave it out")


def _jobs(use: Builtin) -> None:
    for word in use.arguments:
        if not word.literal or "x" in word.text:
            use.unresolved(word, "it can run a command", "use `jobs -l`")


def _string(use: Builtin) -> None:
    """fish's operations on texts; a regular expression assigns what its named groups match."""
    kind = use.arguments[0] if use.arguments else use.words[0]
    if not kind.literal:
        use.unresolved(kind, "which operation on a text is only known when it runs", "write it out")
    if kind.text != "match":
        return
    for word in use.arguments[1:]:
        if word.literal and _MATCH_FLAG.match(word.text):
            continue
        if word.literal and word.text.startswith("-"):
            use.unresolved(word, f"the option `{shown(word.text)}` of `string match`", "use -r and -q")
        elif not word.literal or "(?" in word.text:
            reason = "the named groups of a regular expression assign variables"
            use.unresolved(word, reason, "use a pattern that is written out, without `(?`")
        return


def _is_number(word: Word) -> bool:
    if word.literal:
        return not word.text or _NUMBER.match(word.text) is not None  # nothing counts as 0
    return word.text == UNKNOWN and word.expansions[0].shape in {"digits", "number"} and not word.several


def _is_digits(word: Word) -> bool:
    """Nothing but numbers without a sign, however many: `"${pids[@]}"`."""
    return not word.text.strip(UNKNOWN) and all(piece.shape == "digits" for piece in word.expansions)


_READERS: dict[str, Callable[[Builtin], None]] = {
    **dict.fromkeys((":", "true", "false", "echo", "pwd", "times", "type"), _plain),
    **dict.fromkeys(("exit", "logout", "return", "break", "continue", "shift"), _count),
    **dict.fromkeys(("umask", "ulimit"), _limit),
    **dict.fromkeys(("cd", "pushd", "popd"), _directory),
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
    **dict.fromkeys(("mapfile", "readarray"), _read_lines),
    "printf": _print_formatted,
    "read": _read,
    "print": _print,
    "getopts": _get_options,
    "unset": _unset,
    "let": _let,
    "wait": _wait,
    "set": _set,
    "shopt": _shopt,
    "trap": _trap,
    "hash": _hash,
    "enable": _enable,
    "jobs": _jobs,
}
_FISH_READERS: dict[str, Callable[[Builtin], None]] = {
    **dict.fromkeys(("math", "count", "contains"), _plain),
    "string": _string,
}
BUILTINS = frozenset(_READERS)
SHELLS_WITH_BUILTINS = frozenset({*GRAMMARS, "fish"})


def entered(words: tuple[Word, ...]) -> tuple[PathUse, ...]:
    """The directory that `cd` changes to; without one it is the home directory. The files of a test."""
    if words[0].text in {"test", "["}:
        return tuple(PathUse(word, "read") for word in _tested(words))
    if words[0].text not in {"cd", "pushd", "popd"}:
        return ()
    operands = [word for word in words[1:] if word.text not in {"--", "-P", "-L", "-e"}]
    if not operands:
        operands = [words[0].with_text("~") if words[0].text == "cd" else unknown_at(words[0])]
    # `cd -`, `pushd +1`, `popd`: a directory from before.
    return tuple(
        PathUse(unknown_at(word) if word.text[:1] in {"-", "+"} else word, "enter") for word in operands
    )


def _tested(words: Sequence[Word]) -> Iterator[Word]:
    """What `[ -f x ]` and `[ x -nt y ]` look at."""
    for at, word in enumerate(words):
        operand = words[at + 1 : at + 2]
        if word.literal and word.text in _FILE_COMPARISONS and at > 1:
            yield words[at - 1]
            yield from operand
        elif word.literal and _FILE_TEST.match(word.text) and operand and operand[0].text not in _BINARY:
            yield from operand
