"""Perl: the one-line texts that replace and print, as sed does.

Above: `programs` asks about `perl -pe` and the like. Below: nothing. There is no parser for it here: a text
must be made of substitutions, transliterations and `print`, with conditions that look for a pattern or a
line's number. What is filled in, in a pattern or a text, is a group that was found (`$1`), the line (`$_`) or
its number (`$.`) and nothing else: other variables have subscripts, which are code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.model import Word

# Options of perl before its text; the last letter takes the next word, or the end of a name for copies.
_PERL_OPTION = regex(r"-(?:[apnwl0-7]*(?:(e)|(i)(?:\.\w+)?)?|F[,:;])")
_LONGEST = 2_000
# In a pattern `$` is the end of a line, an `@` would be a list, `(?{` begins code.
_IN_PATTERN = r"(?:[^\\$@\n{d}]|\\[^N\n]|\$(?=[|){d}]))*"
_IN_TEXT = (
    r"(?:[^\\$@\n{d}]|\\[ntrLUEul\\/&.$@'\"|#,!1-9*+?()\[\]{{}}^-]"
    r"|\$F\[-?[0-9]+\](?![\[{{-])|\$[1-9&](?![\[{{0-9:-])|\$_(?![\w\[{{:-])|\$\.(?![\[{{-]))*"
)
# Older versions pass over blanks in it.
_CODE_IN_PATTERN = regex(r"\(\s*\?\s*[?p]?\s*\{|\(\s*\*")


def _pattern(delimiter: str) -> str:
    return _IN_PATTERN.replace("{d}", delimiter)


def _text(delimiter: str) -> str:
    return _IN_TEXT.replace("{d}", delimiter).replace("{{", "{").replace("}}", "}")


_DELIMITERS = ("/", "|", "#", ",", "!")
_FOUND = rf"m?/{_pattern('/')}/[gims]*"
_LINE = r"\$\.\s*(?:==|<=|>=|<|>)\s*[0-9]+"
# A part of a line against a text or a number; behind `length` alone, `<` would begin the name of a file.
_COMPARED = (
    r"(?:\$F\[-?[0-9]+\]|\$[1-9_])\s*(?:eq|ne|==|!=|<=|>=|<|>)\s*"
    rf'(?:[0-9]+(?:\.[0-9]+)?|\'[^\'\\\n]*\'|"{_text(chr(34))}")'
    r"|length\s*>=?\s*[0-9]+|length\(\$_\)\s*[<>]=?\s*[0-9]+"
)
_TERM = rf"(?:(?:!\s*)?{_FOUND}|\$_\s*[=!]~\s*{_FOUND}|{_LINE}|{_COMPARED})"
_CONDITION = rf"(?:{_FOUND}\s*\.\.\.?\s*{_FOUND}|{_TERM}(?:(?:\s*(?:&&|\|\|)\s*|\s+(?:and|or)\s+){_TERM})*)"
_REPLACES = "|".join(
    [
        *(rf"s\{sign}{_pattern(sign)}\{sign}{_text(sign)}\{sign}[gimsr]*" for sign in _DELIMITERS),
        rf"s\{{{_pattern('{}')}\}}\{{{_text('{}')}\}}[gimsr]*",
    ]
)
_CHANGES_LETTERS = r"(?:tr|y)/[A-Za-z0-9 _.,:;+*-]*/[A-Za-z0-9 _.,:;+*-]*/[cdsr]*"
# Of the parts of a line (`-a`), by their numbers; groups that were found, and texts.
_PART = rf'(?:\$F\[-?[0-9]+\]|\$[1-9&_.]|"{_text(chr(34))}")'
_PRINTS = rf'print(?:\s*"{_text(chr(34))}"(?:\s*,\s*{_PART})*|\s+{_PART}(?:\s*,\s*{_PART})*)?|next|last|chomp'
_STATEMENT = regex(
    rf"\s*(?:{_REPLACES}|{_CHANGES_LETTERS}|{_PRINTS})?(?:\s*(?<=\s)(?:if|unless|while)\s+{_CONDITION})?\s*(?:;|\Z)"
)


def is_plain_perl(code: str) -> bool:
    """Whether a text does nothing but replace and print."""
    if len(code) > _LONGEST or _CODE_IN_PATTERN.search(code):
        return False
    at = 0
    while at < len(code):
        found = _STATEMENT.match(code, at)
        if found is None or found.end() == at:
            return False
        at = found.end()
    return True


def perl_line(words: Sequence[Word]) -> tuple[list[str], bool, Sequence[Word]]:
    """The texts after -e, whether files are edited, and the files; no texts: it is written in another way."""
    texts: list[str] = []
    edits, at = False, 0
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "-":
        found = _PERL_OPTION.fullmatch(words[at].text) if words[at].literal else None
        text = words[at + 1] if found is not None and found.group(1) and at + 1 < len(words) else None
        if found is None or (found.group(1) and (text is None or not text.literal)):
            return [], False, ()
        if text is not None:
            texts.append(text.text)
        edits = edits or found.group(2) is not None
        at += 1 if text is None else 2
    return texts, edits, words[at:]
