"""The words of PowerShell: what its variables, numbers, operators and keywords look like.

Above: `powershell`, which reads a text with them. Below: `patterns` and the table of aliases.
"""

from __future__ import annotations

import re

from nacre.policy.model import names
from nacre.policy.patterns import regex
from nacre.policy.tables.windows import DIVIDED_AS_ON_WINDOWS, POWERSHELL_ALIASES

CONTROL = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# PowerShell takes typographic dashes, quotes and every kind of space for the plain ones.
TYPOGRAPHIC = regex(
    "[\u00a0\u1680\u180e\u2000-\u200b\u2013-\u2015\u2018-\u201e\u2028\u2029\u202f\u205f\u3000\ufeff\u0085]"
)
BLANK = regex(r"(?:[ \t\r]|`\r?\n)+")
BEHIND_PIPE = regex(r"[\s`]*#")
COMMENT = regex(r"#(?!requires)[^\n]*", re.IGNORECASE)
# PowerShell takes every letter and digit, and `?`, for a part of the name: what it reads further is refused.
VARIABLE = regex(r"\$(?:\{[^}`{\n]+\}|[A-Za-z_][A-Za-z0-9_]*(?::[A-Za-z_][A-Za-z0-9_]*)?(?![\w?:])|\?(?!\w))")
# Where a dollar sign stands for itself in a text.
NO_VARIABLE = regex(r"\$(?![\w:?^${(])")
COUNTED = regex(r"\$([A-Za-z_][A-Za-z0-9_]*)(?:\+\+|--)(?=[ \t]*(?:[;\n)}]|\Z))")
PROPERTY = regex(r"\.[A-Za-z_][A-Za-z0-9_]*")
# A plain `=`, and a value that is all of the statement.
SETS = regex(r"[A-Za-z0-9_}][ \t]*=\Z")
PLAIN_VALUE = regex(
    r"[ \t]*(?P<quote>['\"]?)(?P<text>(?<=['\"])[A-Za-z0-9_.,:/@+-]*|[0-9]+)(?P=quote)[ \t]*(?=[;\n]|\Z)"
)
ASSIGN = regex(r"\$(\{[^}`{]+\}|[A-Za-z_][A-Za-z0-9_:]*)[ \t]*(?:[-+*/%]|\?\?)?=(?!=)")
# What begins like a number and goes on otherwise is the name of a program: `7z`, `1.bat`.
NUMBER = regex(r"[0-9]+(?:\.[0-9]+)?(?:[kmgtp]b)?(?=[ \t\r\n;)}\],|+*/%]|\.\.|-[0-9 $(]|\Z)", re.IGNORECASE)
# Not `-as`, which makes an object of any type of a text: 'x' -as 'IO.StreamWriter' writes a file.
OPERATOR = regex(
    r"-(?:[ci]?(?:eq|ne|gt|ge|lt|le|like|notlike|match|notmatch|contains|notcontains|in|notin|replace|split)"
    r"|and|or|xor|not|join|f)(?![\w-])|\.\.|-(?=[\s0-9$(])|\+(?!\+)|[*/%!,]",
    re.IGNORECASE,
)
RUNS_BLOCKS = regex(r"(?i)-[ci]?(?:replace|split)")
PLAIN = regex(r"[^ \t\r\n;|&(){}<>'\"`$@#,\[\]]+")
REDIRECTION = regex(r"([0-9*]?)(>>|>)(&[0-9])?")
BLOCK = regex(r"(if|foreach|while)[ \t]*\(", re.IGNORECASE)
# Words that end something, and run nothing themselves.
ENDS = regex(
    r"(?:exit(?:[ \t]+(?:[0-9]+|\$LASTEXITCODE))?|return|break|continue)(?=[ \t\r]*(?:[;\n}]|\Z))",
    re.IGNORECASE,
)
# `name = ` in a hash table.
KEY = regex(r"(?:[A-Za-z_][A-Za-z0-9_]*|'[A-Za-z0-9_. /-]*'|\"[A-Za-z0-9_. /-]*\")[ \t]*=(?!=)")
TRUTH = regex(r"\$(?:true|false)(?![\w?:.\[])", re.IGNORECASE)
LOOP = regex(r"[ \t]*\$([A-Za-z_][A-Za-z0-9_]*)[ \t]+in[ \t]", re.IGNORECASE)
# What is caught may be any error, not one of a type.
TRY = regex(r"try(?=[ \t\r\n]*\{)", re.IGNORECASE)
CATCH = regex(r"(?:catch|finally)(?=[ \t\r\n]*\{)", re.IGNORECASE)
ELSE = regex(r"else(?:(if)[ \t]*\(|(?=[ \t\n{]))", re.IGNORECASE)
STRING_PLAIN = regex(r"[^\"`$\n]+")
BRACKET = regex(r"[$@]?\(|@?\{")
# `-a.b` without quotes is two arguments to a program: `-a` and `.b`.
BROKEN_PARAMETER = regex(r"-(?:[^\W\d]|\?)[^:'\"\s]*[.\[]")
# Behind `-Path:` stands a value of its own.
BEFORE_VALUE = regex(r"-[A-Za-z]+:\Z")
PARAMETER = regex(r"-[^\W\d]")
ACTIVE = regex(r"[*?\[]")
BLOCK_ALONE = regex(r"(?:-[A-Za-z]+:)?@?\{(?s:.*)\}\Z")
NOTHING = regex(r"\$null(?![A-Za-z0-9_.:\[])", re.IGNORECASE)
# Variables by which PowerShell itself decides what commands are given, or how texts become arguments.
OWN_VARIABLE = regex(
    r"(?:PS\w*|PWD|HOME|OFS|OutputEncoding|Profile|ExecutionContext|Maximum\w+)\Z", re.IGNORECASE
)
# What may stand before the colon in a variable's name; any other is a drive.
SCOPES = names("env global local script private")
HERE_OPENING = regex(r"[ \t\r]*\n")
# No cmdlets, to which `Function::x` is what a name means: `pytest a.py::test_b`, `cargo test a::b`.
TAKE_TEXTS = DIVIDED_AS_ON_WINDOWS - POWERSHELL_ALIASES.keys()
KEYWORDS = names(
    "begin break catch class continue data define do dynamicparam else elseif end enum exit filter finally "
    "for foreach from function hidden if in param process return static switch throw trap try until using "
    "var while workflow parallel sequence inlinescript configuration clean"
)
