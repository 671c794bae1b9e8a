"""Short texts in the languages of interpreters: `python3 -c`, `node -e` and the like.

Above: `interpreters`. Below: the readers in `languages`; each is loaded when its language
first appears.
"""

from __future__ import annotations


def files_of_plain_code(code: str, language: str) -> tuple[list[str], list[str]] | None:
    """The files that a text reads and writes, if it does nothing else but compute and print."""
    if language == "python":
        from nacre.policy.languages.python import uses_of_plain_python  # noqa: PLC0415 - for the few

        return uses_of_plain_python(code)
    if language != "javascript":
        from nacre.policy.languages.one_liners import is_plain_line  # noqa: PLC0415 - for the few

        return ([], []) if is_plain_line(code, language) else None
    from nacre.policy.languages.javascript import uses_of_plain_javascript  # noqa: PLC0415 - for the few

    return uses_of_plain_javascript(code)
