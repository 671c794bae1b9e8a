"""Plain commands, read without a walk over the grammar: words, whole words in quotes, `|`, `&&`, `||`, `;`.

Above: `posix` asks here first. Below: `model`, and the names that `simple` knows. Most of what agents run is
as plain as this, and every shell reads it alike. What is found is what the scanner of `posix` would find (a
test compares the two); anything else is left to that scanner: None.
"""

from __future__ import annotations

from nacre.policy.grammar import GRAMMARS
from nacre.policy.model import Scan, SimpleCommand, Word
from nacre.policy.patterns import regex
from nacre.policy.simple import RESERVED_WORDS

# A longer text is rarely plain to its end.
_LONGEST = 400
_END = r"(?=[ \t|&;]|\Z)"
# A word, one in quotes, an operator; a comment or blanks; anything else.
_TOKEN = regex(
    rf"[ \t]*+(?:([A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*+){_END}"
    rf"|'([^'\n$`]*+)'{_END}"
    rf'|"([^"\n$`\\]*+)"{_END}'
    r"|(\|\|?|&&|;)"
    r"|#[^\n]*\Z|\Z|(.|\n))"
)
_WORD, _OPERATOR = 1, 4  # between them, words in quotes
# Names that mean more to some shell than a command: words of its language, builtins that assign.
_OF_A_SHELL = {name for grammar in GRAMMARS.values() for name in grammar.declaring | grammar.own_words}
_MORE_THAN_NAMES = RESERVED_WORDS | _OF_A_SHELL | {"builtin", "command"}


def scan_plain(text: str) -> Scan | None:
    """The commands of a text without control characters; None if it is not as plain as that."""
    if len(text) > _LONGEST:
        return None
    commands: list[SimpleCommand] = []
    words: list[Word] = []
    operator = ";"
    for found in _TOKEN.finditer(text):
        kind = found.lastindex
        if kind == _WORD:
            start, end = found.span(1)
            words.append(Word(found[1], start, end))
        elif kind is None:
            break  # a comment, or the end
        elif kind < _OPERATOR:
            start, end = found.span(kind)
            words.append(Word(found[kind], start - 1, end + 1, quoted=True))
        elif kind == _OPERATOR and _begins_with_name(words):
            commands.append(_command(words, piped=operator == "|"))
            words, operator = [], found[_OPERATOR]
        else:
            return None
    if _begins_with_name(words):
        commands.append(_command(words, piped=operator == "|"))
    elif words or operator != ";" or not commands:
        return None
    return Scan(tuple(commands))


def _begins_with_name(words: list[Word]) -> bool:
    """Whether there is a first word, and it is nothing but the name of a command."""
    if not words or words[0].quoted:
        return False
    name = words[0].text
    return not ("=" in name or name[-1] == ":" or name in _MORE_THAN_NAMES)


def _command(words: list[Word], *, piped: bool) -> SimpleCommand:
    return SimpleCommand(tuple(words), (), (), words[0].start, words[-1].end, piped)
