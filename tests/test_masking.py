"""Secrets in bytes that leave: every encoding that common tools have, however the bytes are cut."""

from __future__ import annotations

import base64
import io
import itertools
import json
import urllib.parse
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre import output
from nacre.keeper.frames import Stream
from nacre.masking import Mask, masked_file
from nacre.outputs import Printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = 'gh"p_Ab+/9 é\\xyzXYZ0'  # noqa: S105  # nobody's
RAW = SECRET.encode()


def _base64_behind(text: str, before: int) -> bytes:
    return base64.b64encode(b"u:p"[:before] + text.encode())


ENCODERS: dict[str, Callable[[str], bytes]] = {
    "raw": str.encode,
    "json": lambda text: json.dumps(text).encode(),
    "json without escapes": lambda text: json.dumps(text, ensure_ascii=False).encode(),
    "url": lambda text: urllib.parse.quote(text, safe="").encode(),
    "form": lambda text: urllib.parse.quote_plus(text).encode(),
    "base64": lambda text: _base64_behind(text, 0),
    "base64 behind one": lambda text: _base64_behind(text, 1),
    "base64 behind two": lambda text: _base64_behind(text, 2),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(text.encode()),
    "base64 in lines": lambda text: base64.encodebytes(b"x" * 40 + text.encode() + b"y" * 40),
    "hex": lambda text: text.encode().hex().encode(),
    "HEX": lambda text: text.encode().hex(" ").upper().encode(),
}
ALONE = ("raw", "url", "form", "base64", "base64 for urls", "hex", "HEX")  # without anything around it
encoded = st.sampled_from(sorted(ENCODERS)).map(lambda name: ENCODERS[name](SECRET))
around = st.binary(max_size=30).filter(lambda data: b"*" not in data)


@pytest.fixture(autouse=True)
def _masked() -> Iterator[None]:
    output.hide(Mask([RAW]))
    yield
    output.hide(None)


def core(form: bytes) -> bytes:
    """What of an encoded secret must not be seen: the middle, which is the secret's whatever is around it."""
    quarter = len(form) // 3
    return form[quarter:-quarter]


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    borders = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(borders)]


@pytest.mark.req("secrets-masked")
@given(encoded, around, around)
def test_a_secret_is_hidden_in_every_encoding_and_sizes_stay_true(
    form: bytes, before: bytes, after: bytes
) -> None:
    data = before + form + after
    shown, waiting = output.leaving(data)
    assert core(form) not in shown
    assert len(shown) == len(data)
    assert shown.count(b"\n") == data.count(b"\n")
    assert waiting == b""


@pytest.mark.req("secrets-masked")
@given(encoded, around, around, st.lists(st.integers(0, 400), max_size=8))
def test_no_cut_of_a_stream_lets_a_secret_through(
    form: bytes, before: bytes, after: bytes, cuts: list[int]
) -> None:
    shown = held = b""
    for chunk in chunks(before + form + after, cuts):
        part, held = output.leaving(held + chunk, more_follows=True)
        shown += part
    shown += output.leaving(held)[0]
    assert core(form) not in shown
    assert len(shown) == len(before + form + after)


@pytest.mark.req("secrets-masked")
@given(encoded, st.lists(st.integers(0, 400), max_size=8))
def test_progress_never_shows_a_secret(form: bytes, cuts: list[int]) -> None:
    newest = output.Newest()
    passed_on = "".join(newest.feed(chunk) for chunk in chunks(b"a" + form + b"z\n", cuts) if chunk)
    assert core(form).decode() not in passed_on + newest.rest()


@pytest.mark.req("secrets-masked")
@given(st.sampled_from(ALONE), st.integers(0, 200), st.integers(0, 200))
def test_a_reply_that_was_cut_in_the_midst_of_a_secret_shows_nothing_of_it(
    name: str, end: int, start: int
) -> None:
    form = ENCODERS[name](SECRET)
    end, start = end % len(form), start % len(form)
    stream = Stream(10_000, 0, b"head " + form[:end], form[start:] + b" tail")
    shown = output.render(stream, 4000).text
    assert shown.startswith("head ")
    assert " tail" in shown
    for part in (form[:end], form[start:]):
        assert len(part) < 4 or part.decode(errors="ignore") not in shown


@pytest.mark.req("secrets-masked")
@given(encoded, around, around, st.lists(st.integers(0, 400), max_size=5))
def test_pages_of_a_file_and_of_an_output_show_no_secret_wherever_they_begin(
    form: bytes, before: bytes, after: bytes, cuts: list[int]
) -> None:
    data = before + form + after
    whole = output.leaving(data)[0]
    file, mask = io.BytesIO(data), Mask([RAW])
    printed = Printed(lambda at, size: data[at : at + size], len(data))
    at = 0
    for size in map(len, chunks(data, cuts)):
        masked = masked_file(file, mask)
        masked.seek(at)
        assert masked.read(size) == whole[at : at + size]
        assert printed.read(at, size) == whole[at : at + size]
        at += size


@pytest.mark.req("secrets-masked")
def test_colours_and_corrections_in_a_secret_do_not_uncover_it() -> None:
    half = len(RAW) // 2
    for between in (b"\x1b[31m", b"x\b", b"\x1b]0;t\x07"):
        assert "*" * len(SECRET[4:8]) in output.readable(RAW[:half] + between + RAW[half:] + b"\n")
        assert SECRET not in output.readable(RAW[:half] + between + RAW[half:] + b"\n")


@pytest.mark.req("secrets-masked")
def test_each_long_line_of_a_key_is_hidden_by_itself() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----"
    output.hide(Mask([key.encode()]))
    indented = "".join(f"  {line}\n" for line in key.splitlines())
    assert "MIIEvQ" not in output.readable(indented.encode())
    assert "AQEFAA" not in output.readable(indented.encode())


@pytest.mark.req("secrets-masked")
@given(st.binary(max_size=200))
def test_what_holds_no_secret_leaves_as_it_is(data: bytes) -> None:
    assert output.leaving(data)[0] == data
    output.hide(None)
    assert output.leaving(data, more_follows=True) == (data, b"")
    output.hide(Mask([RAW]))
