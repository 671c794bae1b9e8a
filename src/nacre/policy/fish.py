"""A small lexer for fish, and a smaller one for nushell: plain commands only, the rest is refused.

Above: `judge`. Below: `model`. Both shells have languages of their own; what is read here is the part that
looks the same everywhere (words, quotes without escapes, pipes, lists, redirections). Expansions and
keywords are refused.
"""

from __future__ import annotations

import re

from nacre.policy.model import Assignment, Redirection, Refusal, Scan, SimpleCommand, Word, names

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TOKEN = re.compile(
    r"(?P<blank>[ \t]+)|(?P<comment>\#[^\n]*)|(?P<operator>&&|\|\||[;\n|&])"
    r"|(?P<redirection>[0-9]?(?:>>|>)(?:&[0-9])?|<)"
    r"|(?P<word>(?:[A-Za-z0-9_./:=@%+,~*-]|[^\x00-\x7f]|'[^'\\]*'|\"[^\"\\$]*\")(?:[A-Za-z0-9_./:=@%+,~#*-]|[^\x00-\x7f]|'[^'\\]*'|\"[^\"\\$]*\")*)"
)
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_KEYWORDS = names(
    "if else switch case for in while function begin end and or not return break continue builtin command "
    "exec eval source . alias abbr time set string read bind complete functions emit status trap math "
    "argparse"
)
_NU_KEYWORDS = names(
    "def let mut const if match for while loop do use export source overlay run-external exec alias module "
    "extern hide try catch error where each"
)


def scan(text: str) -> Scan:
    """Every simple command of a text for fish, or a refusal. Never raises."""
    return _scan(text, _KEYWORDS, nushell=False)


def scan_nu(text: str) -> Scan:
    """The same for nushell, whose operators mean other things: pipelines of plain words only."""
    return _scan(text, _NU_KEYWORDS, nushell=True)


def _scan(text: str, keywords: frozenset[str], *, nushell: bool) -> Scan:  # noqa: C901 - one branch per token
    control = _CONTROL.search(text)
    if control is not None:
        return Scan((), Refusal("a control character", control.start(), control.end()))
    commands: list[SimpleCommand] = []
    assignments: list[Assignment] = []
    words: list[Word] = []
    redirections: list[Redirection] = []
    waiting: re.Match[str] | None = None

    def close() -> None:
        items = [*assignments, *words, *redirections]
        if items:
            start, end = min(i.start for i in items), max(i.end for i in items)
            commands.append(SimpleCommand(tuple(words), tuple(assignments), tuple(redirections), start, end))
        assignments.clear()
        words.clear()
        redirections.clear()

    pos = 0
    while pos < len(text):
        token = _TOKEN.match(text, pos)
        kind = token.lastgroup if token is not None else None
        if (
            token is None
            or (nushell and kind in {"redirection", "comment"})
            or (nushell and token.group() in {"&", "&&", "||"})
        ):
            return Scan(tuple(commands), Refusal("this is not understood for this shell", pos, pos + 1))
        pos = token.end()
        if kind == "word":
            word = Word(
                _QUOTED.sub(lambda m: m.group(1) or m.group(2) or "", token.group()),
                token.start(),
                token.end(),
                quoted=True,
                glob=0 if "*" in _QUOTED.sub("", token.group()) else None,
            )
            if waiting is not None:
                redirections.append(
                    Redirection(waiting.group().lstrip("0123456789"), "", word, waiting.start(), word.end)
                )
                waiting = None
                continue
            assigned = _ASSIGNED.match(token.group()) if not words else None
            if assigned is not None:
                assignments.append(Assignment(assigned.group(1), None, token.start(), token.end()))
                continue
            if not words and word.text in keywords:
                return Scan(
                    tuple(commands),
                    Refusal(f"`{word.text}` is not understood for this shell", word.start, word.end),
                )
            words.append(word)
        elif waiting is not None and kind != "blank":
            break
        elif kind == "redirection" and "&" not in token.group():
            waiting = token
        elif kind == "operator":
            close()
    close()
    if waiting is not None:
        return Scan(
            tuple(commands), Refusal("a redirection without a target", waiting.start(), waiting.end())
        )
    return Scan(tuple(commands))
