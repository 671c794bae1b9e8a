# ruff: noqa: E501 - lists of names
"""JavaScript: the names that a short text may use.

Above: `javascript_values` and `javascript`. Below: nothing.
"""

from __future__ import annotations

from nacre.policy.model import names
from nacre.policy.patterns import regex

VALUES = names("true false null undefined NaN Infinity")
# Objects and what may be asked of them.
MEMBERS: dict[str, frozenset[str]] = {
    "console": names("log error info warn table"),
    "process": names(
        "version versions platform arch pid cwd uptime memoryUsage hrtime argv title release env exit stdin stdout"
    ),
    "JSON": names("parse stringify"),
    "Math": names(
        "PI E abs ceil floor round max min pow sqrt cbrt log log2 log10 exp sin cos tan atan atan2 trunc sign random hypot"
    ),
    "Date": names("now parse UTC"),
    "Buffer": names("from byteLength"),
    "Array": names("isArray from of"),
    "Object": names("keys values entries fromEntries"),
    "Number": names(
        "MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON parseInt parseFloat isInteger isNaN isFinite isSafeInteger"
    ),
    "String": names("fromCharCode raw"),
}
FUNCTIONS = names(
    "parseInt parseFloat Number String Boolean isNaN isFinite encodeURIComponent decodeURIComponent"
)
# Methods of texts, numbers, lists, dates and tables.
METHODS = names(
    "trim trimStart trimEnd split join slice includes indexOf lastIndexOf toUpperCase toLowerCase toString toFixed toPrecision "
    "startsWith endsWith padStart padEnd concat reverse sort replace replaceAll at flat map filter reduce forEach some every find "
    "findIndex findLast flatMap match matchAll test repeat charCodeAt codePointAt charAt substring substr localeCompare fill splice "
    "push pop shift unshift get set has add delete keys values entries toSorted toReversed "
    "toISOString toJSON getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toLocaleString toLocaleDateString "
    "toLocaleTimeString toDateString update digest"
)
# By these names others call them: to make a number or a text of a value, to look for a pattern, to go on.
CALLED = names("valueOf exec then next return on once emit write end pipe")
# Of what is read from the input, and of where is printed.
OF_STREAMS = {"stdin": names("on setEncoding resume"), "stdout": names("write")}
MODULES = names("fs os path crypto")
READS = names("readFileSync existsSync readdirSync statSync")
WRITES = names("writeFileSync appendFileSync")
WAYS_TO_READ = names("encoding withFileTypes recursive throwIfNoEntry bigint")
# Modules and what may be asked of them; of the one that reads files `READS` and `WRITES`.
OF_MODULE: dict[str, frozenset[str]] = {
    "os": names(
        "cpus totalmem freemem hostname platform arch release type uptime tmpdir homedir loadavg EOL"
    ),
    "path": names("join basename dirname extname resolve relative normalize sep"),
    "crypto": names("randomBytes randomUUID randomInt createHash"),
}
MADE = names("Date Set Map RegExp Error Array")
PACKAGE = regex(r"[@A-Za-z][A-Za-z0-9@/_-]*\Z")
JSON_FILE = regex(r"\./(?:(?!\.\.)[A-Za-z0-9_./-])+\.json\Z")
PROPERTY = regex(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
NEVER = names("constructor prototype mainModule binding dlopen bind call apply caller arguments callee")
KEYWORDS = names(
    "async await break case catch class const continue debugger default delete do else enum export extends finally for function get "
    "if implements import in instanceof interface let new of package private protected public return set static super switch this "
    "throw try typeof var void while with yield arguments eval globalThis global window self require module exports"
)
BINARY = names("+ - * / % ** == != === !== < > <= >= & | ^ in instanceof")
# Their value is one of both sides.
CHOOSES = names("&& || ??")
PREFIXES = names("! - + ~")
