"""`nacre audit report`: the page as a real browser shows it, with texts that would like to be markup."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from wire_client import NACRE

from nacre.audit.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HOSTILE = [
    "</script><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!--<script>",
    "]]><svg onload=document.title='broken'>",
    "{{constructor.constructor('document.title=1')()}} ${document.title='broken'}",
    "&lt;b&gt; &amp; \u2028 \u2029 \x00 \x1b[31m \udcff \"quotes' `ticks`",
    "{data} {title} {script_hash}",
    "javascript:document.title='broken'",
]


@pytest.fixture
def chromium() -> str:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed here")
    return program


def write_log(path: Path, records: Iterable[dict[str, object]]) -> str:
    Trail(str(path)).write([json.dumps(record).encode() + b"\n" for record in records])
    return str(path)


def report(log: str, page: Path, *options: str) -> str:
    done = subprocess.run(
        [*NACRE, "audit", "report", "--html", str(page), *options, log],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rendered(chromium: str, page: Path, fragment: str = "") -> str:
    """The document after its script has run."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
    done = subprocess.run(
        [
            chromium,
            *options,
            f"--user-data-dir={page.parent}/profile",
            "--dump-dom",
            f"{page.as_uri()}{fragment}",
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return done.stdout


def record(number: int, command: str, **more: object) -> dict[str, object]:
    known: dict[str, object] = {
        "time": f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "event": "ended",
        "id": f"a-{number}",
        "command": command,
        "ended": "exited",
        "exit_code": 0,
        "execution_time_ms": number,
    }
    return {**known, **more}


def part(document: str, element: str) -> str:
    """What an element with an id shows, as text."""
    found = re.search(rf'id="{element}"[^>]*>(.*?)</(?:ol|tbody|section|div)>', document, re.DOTALL)
    assert found, element
    return html.unescape(re.sub(r"<[^>]+>", " ", found[1]))


@pytest.mark.req("audit-report")
def test_hostile_texts_are_shown_as_text_and_nothing_of_them_runs(chromium: str, tmp_path: Path) -> None:
    texts = [record(number, text, session=text, rule=text) for number, text in enumerate(HOSTILE)]
    page = tmp_path / "page.html"
    report(write_log(tmp_path / "<script>log", texts), page)
    document = rendered(chromium, page)
    assert f'data-ready="{len(HOSTILE)}"' in document
    assert "<title>Audit report: &lt;script&gt;log</title>" in document
    assert not re.search(r"<(?:img|svg|iframe|link)\b", document)
    assert len(re.findall(r"<script", document)) == 2  # its data, and its own
    shown = part(document, "rows")
    for text in HOSTILE[:5]:  # the others have what a browser does not show
        assert re.sub(r"\s+", " ", text) in shown
    source = page.read_text()
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\';' in source
    assert not re.findall(r'(?:src|href)\s*=\s*["\']?(?:https?:|//)', source)


@pytest.mark.req("audit-report")
def test_the_page_has_sessions_denials_the_slowest_and_failures_and_searches(
    chromium: str, tmp_path: Path
) -> None:
    refused = {"ended": "not run", "exit_code": None, "code": "denied", "verdict": "deny", "rule": "rm"}
    log = write_log(
        tmp_path / "audit.jsonl",
        [
            record(1, "make quick", session="build"),
            record(2, "make slow", session="build", execution_time_ms=61_000),
            record(3, "make broken", exit_code=2),
            record(4, "rm -rf x", **refused),
            {"time": "2026-03-01T11:00:00.000Z", "event": "started", "id": "a-5", "command": "lost one"},
        ],
    )
    page = tmp_path / "page.html"
    assert report(log, page) == f"{page}: 5 commands and other records.\n"
    document = rendered(chromium, page, "#search=MAKE%20")
    assert [word for word in part(document, "sessions").split() if word.isdigit()] == ["3", "2"]
    assert part(document, "denials").split() == ["rm", "1"]
    assert part(document, "slowest").split()[:2] == ["make", "slow"]
    assert "1 min 01 s" in part(document, "slowest")
    assert "make broken" in part(document, "failures")
    assert "lost one" in part(document, "failures")
    assert document.count('<tr class="row">') == 3
    assert "rm -rf" not in part(document, "rows")


@pytest.mark.req("audit-report")
def test_many_records_make_a_page_that_shows_some_and_finds_all(chromium: str, tmp_path: Path) -> None:
    log = write_log(tmp_path / "audit.jsonl", (record(number, f"echo {number}") for number in range(20_000)))
    page = tmp_path / "page.html"
    report(log, page)
    document = rendered(chromium, page, "#search=echo%2017")
    assert 'data-ready="1111"' in document  # 17, 170 to 179, 1700 to 1799, 17000 to 17999
    assert document.count('<tr class="row">') == 200


@pytest.mark.req("audit-report")
def test_a_log_that_was_changed_is_reported_and_filters_hold(chromium: str, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write_log(path, [record(1, "one", session="s"), record(2, "two")])
    path.write_text(path.read_text().replace('"two"', '"owt"'))
    page = tmp_path / "page.html"
    said = report(str(path), page, "--session", "s")
    assert "1 commands and other records" in said
    assert "The logs have 1 problems: `nacre audit verify` says which." in said
    document = rendered(chromium, page)
    assert "records do not match their seals" in part(document, "problem")
    assert 'data-ready="1"' in document
