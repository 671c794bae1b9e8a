"""What simple commands do to variables and streams, told from their words and places alone. Pure.

Above: `values`, which follows what variables hold. Below: `grammar`, `model`, the table of variables.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nacre.policy.grammar import GRAMMARS, behind_prefixes
from nacre.policy.model import UNKNOWN, names
from nacre.policy.patterns import regex
from nacre.policy.tables.variables import EVALUATED_BY_BASH, EVALUATED_ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.model import Redirection, SimpleCommand, Word

# What most traps say. They assign nothing: programs, and a builtin, only look at variables.
_CLEANED = r"--|\"?\$(?:[A-Za-z]\w*|\{[A-Za-z]\w*\}|!)[\w./-]*\"?|[\w./][\w./-]*"
_CLEANING = rf"(?:rm|rmdir|kill)(?: -[A-Za-z0-9]+)*(?: (?:{_CLEANED}))+(?: 2>/dev/null)?(?: \|\| true)?"
_CLEANS = regex(rf"{_CLEANING}(?:; ?{_CLEANING})*;?\Z")
# Programs that print nothing where they fail (no repository, no network, a user without a name), are not
# there, or have left it out.
_MAY_PRINT_NOTHING = frozenset({"git", "gh", "hostname", "whoami", "getconf", "kubectl", "tr"})
# Programs that print something whatever happens, as long as their input can be opened.
_SURELY_PRINTS = frozenset({"id", "wc", "date", "pwd", "uname", "dirname"})
# Builtins that assign to variables whose names are their arguments.
ASSIGNING = names(
    "read mapfile readarray printf getopts declare local export typeset readonly wait unset let"
)
# Builtins after which no variable is known any more.
OPAQUE = names("eval source . trap")
# Variables that shells set or change by themselves.
_CHANGING = regex(
    r"_|RANDOM|SRANDOM|SECONDS|LINENO|REPLY|reply|OPTARG|OPTIND|OPTERR|PWD|OLDPWD|PIPESTATUS|DIRSTACK|FUNCNAME"
    r"|GROUPS|BASH.*|EPOCH.*|HIST.*|COMP_.*|COPROC.*|MAPFILE|E?UID|E?GID|PPID|LINES|COLUMNS|argv|ARGC|status|pipestatus|match"
    r"|mbegin|mend|M(?:ATCH|BEGIN|END)|ERRNO|IFS|HOME|PATH|SHLVL|KSH_.*|TTY.*|ZSH_.*|zsh_.*|func.*stack"
)
# In shells that keep many variables as numbers, nothing is 0; to zsh a user's name is that of the account.
_CHANGING_ELSEWHERE = EVALUATED_BY_BASH | EVALUATED_ELSEWHERE | {"USERNAME"}
# Numbers that the larger shells provide; those of users only zsh does not take from its environment.
_COUNTING = names("RANDOM SECONDS LINENO PPID OPTIND")
_COUNTING_IN_ZSH = _COUNTING | names("UID EUID")
_FEEDS = frozenset({"<", "<<", "<<-", "<<<"})
# `IFS= read -r line` is for this line alone; all else changes how values are split from then on.
_SPLITS_OTHERWISE = regex(r"IFS(?!=[^;&|\n]*\bread\b)")
_PIPE = regex(r"[ \t]*\|&?[ \t\n]*")
_OR = regex(r"[ \t]*\|\|[ \t\n]*")


def is_kept_by_shell(name: str, shell: str) -> bool:
    """Whether a variable may hold something else than what it was given: the shell sets it, too."""
    numbers = shell == "zsh" or (shell in GRAMMARS and GRAMMARS[shell].name == "ksh")
    return _CHANGING.fullmatch(name) is not None or (numbers and name in _CHANGING_ELSEWHERE)


def counts_itself(name: str, shell: str) -> bool:
    """Whether a variable is a number that this shell provides."""
    if name not in (_COUNTING_IN_ZSH if shell == "zsh" else _COUNTING):
        return False
    if name == "OPTIND":
        return shell in GRAMMARS  # it can be given nothing but numbers, and is not taken from the environment
    # ksh93 counts the seconds with a decimal point.
    return shell in {"bash", "zsh", "ksh", "mksh"} and not (name == "SECONDS" and shell == "ksh")


def unfollowed_in_values(source: str, shell: str) -> str | None:
    """What in a value makes several words of it in ways that are not followed; None: nothing does."""
    if "IFS" in source and _SPLITS_OTHERWISE.search(source):
        return ""  # whatever it is
    return "{" if shell in GRAMMARS and GRAMMARS[shell].name == "ksh" else None


def is_output(item: Redirection) -> bool:
    """Whether a redirection is about what a command prints, and not about its input alone.

    Errors hold any text, such as the name of a file: `2>&1` and `2> /dev/stdout` print them, too.
    """
    dropped = item.descriptor == "2" and item.target is not None and item.target.text == "/dev/null"
    return not (dropped or (item.operator in _FEEDS and item.descriptor in {"", "0"}))


def printed_into(words: Sequence[Word]) -> Sequence[Word]:
    """The variable of `printf -v x`, if that is what it is or could be."""
    if not words or (words[0].literal and not words[0].text.startswith("-v")):
        return ()
    if words[0].text == "-v":
        return words[1:2]
    return (words[0].with_text(words[0].text[2:]),) if words[0].literal else words[:1]


def waited_into(words: Sequence[Word]) -> Sequence[Word]:
    """The variable of `wait -p x`. What is not written out is a number, or `wait` is refused."""
    return [
        word for index, word in enumerate(words) if word.literal or (index and words[index - 1].text == "-p")
    ]


def command_name(command: SimpleCommand) -> str:
    """The name that a command is called by, behind `builtin` and `command`."""
    words = behind_prefixes(command.words)
    return words[0].text if words else ""


def only_looks_up(words: Sequence[Word], shell: str) -> bool:
    """`command -v x`: nothing runs, whatever `x` is. But zsh takes `-v` for a command if it is an option."""
    flag, names = words[1:2], words[2:]
    if not flag or not flag[0].literal or flag[0].text not in {"-v", "-V"} or not names:
        return False
    alone = len(names) == 1 and shell != "zsh"
    return not any(word.several or (word.may_be_option and not alone) for word in names)


def has_expansions(command: SimpleCommand) -> bool:
    """Whether the shell fills something in, in its words or in what it opens."""
    for word in command.words:
        if word.expansions:
            return True
    targets = [item.target for item in command.redirections] if command.redirections else ()
    return any(target is not None and target.expansions for target in targets) if targets else False


def place_of(command: SimpleCommand) -> int:
    """Where in the text its expansions take place."""
    return command.start if command.expanded_at is None else command.expanded_at


def cleans_up(words: Sequence[Word]) -> bool:
    """`trap 'rm -rf "$d"' EXIT`: a text that runs later, and assigns to no variable.

    `trap "kill $pid" EXIT` is such, too: it is refused if what is filled in is no number.
    """
    if words[0].text != "trap" or len(words) == 1:
        return False
    filled = not words[1].literal and not words[1].splits
    text = words[1].text.replace(UNKNOWN, "1") if filled else words[1].text
    return (words[1].literal or filled) and _CLEANS.match(text) is not None


def without_fallback(source: str, commands: Sequence[SimpleCommand]) -> Sequence[SimpleCommand]:
    """`grep -c x f || true`: the same without what prints nothing and only makes it succeed."""
    if len(commands) > 1 and [word.text for word in commands[-1].words] in (["true"], [":"]):
        *before, last = commands
        plain = not (last.assignments or last.redirections)
        return before if plain and _OR.fullmatch(source, before[-1].end, last.start) else commands
    return commands


def is_pipeline(source: str, commands: Sequence[SimpleCommand]) -> bool:
    """Whether nothing but pipes is between commands, and no loop around: the last one alone prints."""
    start = commands[0].start
    return source[max(0, start - 8) : start].rstrip().endswith(("$(", "`")) and all(
        _PIPE.fullmatch(source, before.end, after.start) for before, after in itertools.pairwise(commands)
    )


def may_print_nothing(commands: Sequence[SimpleCommand]) -> bool:
    """Whether a substitution may print nothing: git outside of a repository, a file that is not there."""
    if not commands or command_name(commands[-1]) not in _SURELY_PRINTS:
        return True
    return any(command.redirections or command_name(command) in _MAY_PRINT_NOTHING for command in commands)


def feeder_of(word: Word, commands: Sequence[SimpleCommand], source: str) -> SimpleCommand | None:
    """The command that feeds the one that a word belongs to, if a plain pipe says so."""
    for before, command in itertools.pairwise(commands):
        if command.start <= word.start < command.end:
            redirected = any(
                item.operator.startswith("<") or item.descriptor == "0" for item in command.redirections
            )
            piped = _PIPE.fullmatch(source, before.end, command.start) and not redirected
            errors_too = "&" in source[before.end : command.start]
            plain = piped and not errors_too and not any(map(is_output, before.redirections))
            return before if plain else None
    return None
