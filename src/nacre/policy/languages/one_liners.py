"""Ruby, PHP, R and Julia: texts of one line that show a version, a number or a text, or run tests.

Above: `interpreters` asks about `ruby -e`, `php -r`, `Rscript -e`, `julia -e`. Below: nothing. There is no
parser for them here: every statement must be one of a few that are written down.
"""

from __future__ import annotations

from nacre.policy.patterns import regex

_LONGEST = 1_000
# Texts in which nothing is filled in: to all four these signs are just themselves there.
_TEXT = r"""(?:'[^'\\\n#$@{}]*'|"(?:[^"\\\n#$@{}`]|\\n)*")"""
_NUMBERS = r"[0-9][0-9. ()*+-]*"
_RUBY_VALUE = (
    rf"(?:RUBY_(?:VERSION|PLATFORM|ENGINE|PATCHLEVEL|RELEASE_DATE)|{_TEXT}|{_NUMBERS}|Time\.now|Date\.today"
    r"|SecureRandom\.(?:hex|uuid|alphanumeric)(?:\([0-9]+\))?"
    r"|\[[0-9., ]*\](?:\.(?:sum|max|min|size|sort|uniq|first|last)\b)*)"
)
_PHP_VALUE = (
    rf"(?:PHP_(?:VERSION|OS|OS_FAMILY|EOL|INT_MAX|INT_SIZE)|{_TEXT}|{_NUMBERS}"
    r"|(?:phpversion|php_sapi_name|php_ini_loaded_file|php_uname|time|microtime|memory_get_usage)\(\)"
    rf"|(?:phpversion|extension_loaded|ini_get|date|md5|sha1|base64_encode|base64_decode|strlen)\({_TEXT}\)"
    rf"|bin2hex\(random_bytes\([0-9]+\)\)|password_hash\({_TEXT}, ?PASSWORD_(?:DEFAULT|BCRYPT)\))"
)
_R_PLACE = r"(?:[\"'](?:tests(?:/testthat(?:/[\w-]+\.[Rr])?)?|R|\.)[\"'])?"
_STATEMENTS = {
    "ruby": regex(
        r"(?:require ['\"](?:json|date|time|set|securerandom)['\"]"
        rf"|(?:puts|p|print) ?{_RUBY_VALUE}(?:, ?{_RUBY_VALUE})*)"
    ),
    "php": regex(
        rf"(?:(?:echo|print) {_PHP_VALUE}(?: ?[.,] ?{_PHP_VALUE})*|(?:var_dump|print_r)\({_PHP_VALUE}\))"
    ),
    "r": regex(
        rf"(?:testthat::(?:test_dir|test_file|test_local|test_package)\({_R_PLACE}\)|devtools::(?:test|check|document)\(\)"
        rf"|lintr::(?:lint_dir|lint_package|lint)\({_R_PLACE}\)|sessionInfo\(\)|(?:cat|print)\((?:R\.version\.string|R\.version|"
        rf"{_TEXT}|{_NUMBERS})\)|R\.version\.string|(?:print\()?packageVersion\([\"'][\w.]+[\"']\)\)?)"
    ),
    "julia": regex(
        r"(?:(?:using|import) Pkg|Pkg\.(?:test|instantiate|status|resolve|precompile)\(\)"
        r"|println\(VERSION\)|versioninfo\(\))"
    ),
}
_ENDS = regex(r"\s*(?:;|\n|\Z)\s*")


def is_plain_line(code: str, language: str) -> bool:
    """Whether a text is made of known statements."""
    statement = _STATEMENTS[language]
    at = len(code) - len(code.lstrip())
    if at == len(code) or len(code) > _LONGEST:
        return False
    while at < len(code):
        found = statement.match(code, at)
        end = _ENDS.match(code, found.end()) if found is not None else None
        if end is None:
            return False
        at = end.end()
    return True
