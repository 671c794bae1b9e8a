"""A page about an audit log: one file for a browser, with nothing to load and nothing to send.

Above it: `nacre audit report`. The records are data inside the page, never markup: whatever a command's text
holds, it is JSON in which no `<` stands, and the page's script shows it as text. The page forbids itself
every other script, and the network (`Content-Security-Policy`).
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import time
from typing import TYPE_CHECKING, Any

from nacre import __version__
from nacre.audit.reading import is_denied, is_failed, time_of, what_of
from nacre.audit.records import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN_CHARACTERS = 4000  # of a command
LARGEST = 2**53  # the largest number that a browser takes as it is
_TEMPLATE = os.path.join(os.path.dirname(__file__), "report.html")
_DETAILS = ("id", "pid", "place", "sandbox", "verdict", "cpu_ms", "max_rss_bytes", "stdout_bytes")
_MORE = ("stderr_bytes", "stdout_sha256", "stderr_sha256", "limit", "left_running", "reason", "hints")


def page(records: Sequence[dict[str, Any]], paths: Sequence[str], problems: int) -> str:
    """The page for these records, one for each command."""
    with open(_TEMPLATE, encoding="utf-8") as file:
        template = file.read()
    start, end = template.index("<script>") + len("<script>"), template.rindex("</script>")
    script_hash = base64.b64encode(hashlib.sha256(template[start:end].encode()).digest()).decode()
    about = {
        "logs": [os.path.abspath(path) for path in paths],
        "problems": problems,
        "made": time_text(time.time()),
        "version": __version__,
    }
    data = {"about": about, **_table(records)}
    return (
        template.replace("{script_hash}", script_hash)
        .replace("{title}", html.escape(os.path.basename(paths[-1]) if paths else "none"))
        .replace("{data}", _as_data(data))
    )


def _as_data(data: object) -> str:
    """JSON that ends no element and begins none, whatever its texts hold."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _table(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The records as rows of plain values; texts that come again and again are numbers of a list."""
    words: dict[str, int] = {}

    def word(value: object) -> int:
        return words.setdefault("" if value is None else _shown(str(value)), len(words))

    rows = [
        [
            round(time_of(record) * 1000),
            word(record.get("ended", record.get("event", ""))),
            word(_code(record)),
            _number(record.get("execution_time_ms")),
            word(" ".join(filter(None, map(_text, (record.get("client"), record.get("client_version")))))),
            word(record.get("session")),
            word(record.get("working_directory")),
            word(record.get("rule")),
            is_denied(record) * 2 + is_failed(record),
            _shown(what_of(record)[:SHOWN_CHARACTERS]),
            {name: _plain(record[name]) for name in (*_DETAILS, *_MORE) if record.get(name)},
        ]
        for record in records
    ]
    return {"words": list(words), "rows": rows}


def _shown(text: str) -> str:
    """A text without lone surrogates, which browsers do not agree about."""
    return text.encode("utf-8", "backslashreplace").decode()


def _number(value: object) -> int | None:
    """A number that every browser reads; None for anything else."""
    return value if isinstance(value, int) and abs(value) <= LARGEST else None


def _plain(value: object) -> object:
    return _shown(str(value)) if _number(value) is None else value


def _code(record: dict[str, Any]) -> str:
    code = record.get("exit_code")
    return f"exit {code}" if code is not None else _text(record.get("signal") or record.get("code"))


def _text(value: object) -> str:
    return "" if value is None else str(value)
