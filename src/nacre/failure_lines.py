r"""Which lines of a long output tell how it went: errors, failures, summaries of the usual tools. Pure.

Above it: `digest`, which shows them where a long output is cut. It knows lines of text, nothing of where they
come from. What is recognised is what tools print, in the form in which they print it; a word such as "error"
counts for less where it only stands somewhere in a line, and for nothing in a file's name or in "0 errors".

A line can only be telling if one of `TRIGGERS` or `TRIGGER_PATTERNS` is in it. So most of an output is passed
over quickly, and only what is left is looked at line by line.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cached_property

LOOK_CHARACTERS = 600  # of a line; what is longer is seldom a message


class Weight(IntEnum):
    """How much a line tells."""

    NOTHING = 0
    WARNING = 1
    MENTION = 2  # a word of failure somewhere in it
    FAILURE = 3  # a tool's way to say that something has failed
    SUMMARY = 4  # how all of it ended


def letter_first(expression: str) -> str:
    r"""The same expression, in which a letter stands before the `\b` that stood before it.

    `re` passes over an alternative at once that begins with another letter than the text: half the time.
    """
    return re.sub(r"\\b([A-Za-z])(?![?*+{])", r"\1(?<!\\w\1)", expression)


class _Expression:
    """A regular expression that is compiled when it is first needed: together they take 40 ms."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(letter_first(self._text))

    def search(self, line: str) -> re.Match[str] | None:
        """Where it is found first."""
        return self._compiled.search(line)

    def without(self, line: str) -> str:
        """A line without all that it finds."""
        return self._compiled.sub("", line)


_WORDS = (
    "error|fail|fatal|panic|exception|traceback|assert|not ok|undefined|undeclared|cannot|could not|couldn't"
    "|unable|not found|no such|denied|refused|reject|segmentation|abort|killed|dumped|warn|conflict|missing"
    "|invalid|expected|unresolved|timed out|unhandled|uncaught|mismatch|memory|no space|critical|severe"
    "|sanitizer|smashing|double free|passed|passing|problem|tests|recap|plan:|err!|err_|eresolve|not defined"
    "|not exist|no module|no matching|no rule|stopped|incomplete|violat|terminated|exit code|exit status"
    "|non-zero|***|deprecat|multiple def|caused by|goroutine|ld: |emerg|build success"
    "|rated at|\u2715|\u2716|\u2717|\u2718|\u00d7|\u25cf"
)
TRIGGERS = tuple(_WORDS.encode().split(b"|"))  # sought much faster than an expression with all of them
# A line's end stands before each line, letters are small, and each digit is a zero. A part that stands in all
# that an expression finds is sought first: most outputs need none of the expressions, and compile none.
TRIGGER_PATTERNS = (
    (b"\ne  ", rb"\ne  "),  # pytest
    (b":0", rb"\n +0+:0"),  # eslint
    (b":0", rb":0+:0+: "),  # most linters
    (b"000", rb"\n[a-z]{1,5}000"),  # ruff
    (b"sc0000", rb"sc0000"),  # shellcheck
)

_SUMMARY = _Expression(
    r"""(?x)
    ^=+\ .*\b(?:failed|errors?|passed)\b.*\ in\ [\d.]+                    # pytest
  | ^\d+\ (?:failed|passed|errors?)\b.*\ in\ [\d.]+m?s                    # pytest -q
  | ^FAILED\ \((?:failures|errors|unexpected)\b | ^Ran\ \d+\ tests?\ in\b     # unittest
  | ^\s*Tests?(?:\ Suites|\ Files)?:?\s+.*\b\d+\ (?:failed|passed)\b       # jest, vitest
  | ^\s*\d+\ (?:passing|failing)\b                                       # mocha
  | ^(?:\#|\u2139)\ (?:tests|pass|fail)\ \d+$                                  # node --test, TAP
  | ^test\ result:\ (?:FAILED|ok)\b | ^error:\ (?:could\ not\ compile|test\ failed|aborting\ due\ to)
  | ^(?:FAIL|ok)$ | ^FAIL\s+\S+\s+(?:[\d.]+s|\[)                          # go test
  | ^\s*[\u2715-\u2718\u00d7]\ \d+\ problems? | ^\d+\ (?:problems?|errors?)\b(?!.*:\d)
  | ^Found\ [1-9]\d*\ (?:errors?|problems?|issues?)\b                    # mypy, ruff, tsc
  | ^\d+\ (?:warnings?\ and\ \d+\ errors?|errors?)\ generated   # clang
  | \bBUILD\ (?:FAILURE|FAILED|SUCCESS|SUCCESSFUL)\b | ^FAILURE:\ Build | \bTests\ run:\ \d+,\ Failures:
  | \bbuild\ (?:failed|stopped)\b | ^Build\ failed\b
  | ^\S*make(?:\[\d+\])?:\ \*\*\*\ | ^ninja:\ (?:error|build\ stopped)
  | ^--\ Configuring\ incomplete | ^\d+%\ tests\ passed
  | ^PLAY\ RECAP | \bfailed=[1-9] | \bunreachable=[1-9] | ^(?:Plan|Apply|Destroy)\b.*\b(?:to\ add|complete)
  | ^ERROR:\ (?:failed\ to\ (?:solve|build)|Service) | \breturned\ a\ non-zero\ code
  | ^(?:rollup|webpack)\b.*\bcompiled\ with\b | ^Summary:?\s | ^\s*\d+\ tests?,\ \d+[ ]
  | ^Your\ code\ has\ been\ rated | ^Automatic\ merge\ failed
    """
)

_FAILURE = _Expression(
    r"""(?x)
    # compilers, linkers, type checkers: where, then what
    :\d+(?::\d+)?:\ (?:fatal\ )?error\b | :\d+(?::\d+)?\ -\ error\b | \(\d+(?:,\d+)?\):?\ (?:fatal\ )?error\b
  | \berror\ TS\d+ | ^(?:fatal\ )?error(?:\[\w+\])?: | ^\s*\d+:\d+\s+error\b | \(error\)
  | \bundefined\ reference\ to\b | \bmultiple\ definition\ of\b | \bcannot\ find\ -l | ^collect2:
  | \bld(?:\.\w+)?:\ (?!warning) | ^\[ERROR\][ ]
    # tests
  | ^\s*---\ FAIL | ^\s*not\ ok\b(?!.*\#\ (?:TODO|SKIP)) | ^(?:\S+\ )?(?:FAIL|FAILED|ERROR)\b
  | \s(?:FAILED|ERROR)\s*(?:\[\s*\d+%\])?$ | \.\.\.\s*(?:FAIL|ERROR|FAILED)\b
  | ^\s*[\u2715-\u2718\u00d7\u25cf]\s | \*\*\*(?:Failed|Exception|Timeout|Not\ Run)
  | ^E\ \ +\S | \bassert(?:ion)?\b.*\bfail(?:ed|ure)\b | \bpanicked\ at\b | ^\s*\d+\)\ \S
    # a program's end
  | ^(?:panic|fatal\ error|fatal)\b: | ^Traceback\ \(most\ recent\ call\ last\) | ^goroutine\ \d+\ \[running\]
  | ^\s*(?:\[?[\w.$]+[.:])?[A-Z]\w*(?:Error|Exception|Interrupt|Failure|Panic)(?:\ \[\w+\])?(?::|$)
  | ^(?:Uncaught|Unhandled)\b | \b(?:Uncaught|Unhandled)(?:\ \w+)?\ (?:Error|Exception|Rejection|\w+Error)
  | ^Exception\ in\ thread | ^Caused\ by: | \bSegmentation\ fault\b | \(core\ dumped\) | ^Aborted\b
  | \bBus\ error\b | \b(?:Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer\b
  | ^Killed\b | \bdouble\ free\b | \bstack\ smashing\b | \bsyntax\ error\b
  | \bruntime\ error: | \bout\ of\ memory\b | \bOutOfMemory | ^(?:PHP\ )?(?:Fatal|Parse)\ error:
    # build systems, packages, version control, machines
  | ^CMake\ Error | ^FAILED:\ | ^npm\ (?:ERR!|error)\
  | \bERR_\w+ | ^ERROR: | ^error\ | ^\s*Error: | ^[│|╷]\ Error:
  | ^fatal: | ^CONFLICT\b | \[(?:remote\ )?rejected\] | ^No\ rule\ to\ make | \bERESOLVE\b | \bE404\b
  | ^(?:fatal|failed):\ \[ | ^TASK\ .*\bFAILED | ^ERROR!\ | ^\#\d+\ ERROR
  | exit(?:ed\ with)?\ (?:code|status):?\ [1-9]
  | \bfailed\ with\ (?:exit\ )?(?:code|status)\ [1-9]
    # logs
  | (?:^|[\s\[(|:])(?:FATAL|CRITICAL|SEVERE|EMERG|PANIC)(?=[\s\])|:])
  | \blevel[=:]"?(?:fatal|panic|critical)\b
    """
)

_MENTION = _Expression(
    r"""(?xi)
    (?<![\w/.\\-])(?:errors?|failed|failures?|fails?|fatal|exception|panic|aborted|abort)(?![\w/\\-]|\.\w)
  | (?-i:\b\w+(?:Error|Exception)\b)
  | \bno\ such\ file\b | \bcommand\ not\ found\b | \bnot\ found\b | \bpermission\ denied\b
  | \b(?:access|operation)\ (?:denied|not\ permitted) | \bconnection\ (?:refused|reset|timed\ out)\b
  | \btimed\ out\b | \bcannot\b | \bcould(?:\ not|n't)\b | \bunable\ to\b | \bno\ space\ left\b
  | \bnot\ defined\b | \bundeclared\b | \bunresolved\b | \bundefined\b | \bdoes\ not\ exist\b
  | \bno\ module\ named\b | \bno\ matching\b | \bmismatch | \bunexpected\b | \bmissing\b | \binvalid\b
  | \bexpected\b.*\b(?:got|received|actual|found|but)\b | \bviolat | \bincomplete\b | \bconflicts?\b
  | \bterminated\b
    # linters that name a rule
  | ^\S+:\d+:\d+:\ [A-Z]+\d+\ | ^[A-Z]{1,5}\d{3,4}\ | \bSC\d{4}\b
    """
)

_WARNING = _Expression(r"(?i)\bwarn(?:ing)?s?\b|\bdeprecat")
_HARMLESS = _Expression(
    r"(?i)\b(?:0|no|zero)\ (?:errors?|fail(?:ed|ures?)|problems?|conflicts?|issues?)\b"
    r"|\b(?:errors?|fail(?:ed|ures?)|fail|problems?)\s*[=:]\s*0\b"
)


def weight_of(line: str) -> Weight:
    """How much a line tells of how it went."""
    text = line[:LOOK_CHARACTERS].rstrip()
    if _SUMMARY.search(text):
        return Weight.SUMMARY
    plain = _HARMLESS.without(text)
    if _FAILURE.search(plain):
        return Weight.FAILURE
    if _MENTION.search(plain):
        return Weight.MENTION
    return Weight.WARNING if _WARNING.search(plain) else Weight.NOTHING
