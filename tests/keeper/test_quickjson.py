"""The quick JSON says the same as the `json` module, good values and bad texts alike."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper import quickjson

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_what_is_written_is_what_json_writes_and_comes_back(value: object, ascii_only: bool) -> None:  # noqa: FBT001  # hypothesis
    text = quickjson.encoder(ascii_only=ascii_only)(value)
    assert text == json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    assert quickjson.decode(text) == value
    assert quickjson.decode(f" {text}\r\n") == value


@given(st.text() | st.text('ab"\\\n\t\r\x00\x1f\x7f€\ud800'), st.text())
def test_long_texts_are_written_as_json_writes_them(few: str, other: str) -> None:
    value = {few: [few * quickjson.LONG_CHARACTERS, other, few + "x" * quickjson.LONG_CHARACTERS]}
    text = quickjson.encoder(ascii_only=False, long_text=True)(value)
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("text", ["", " ", "{", "nonsense", "[1,]", '{"a":1} x', "1 2", '"open'])
def test_what_is_not_json_is_refused_with_jsons_own_words(text: str) -> None:
    with pytest.raises(ValueError) as expected:  # noqa: PT011  # the words are compared below
        json.loads(text)
    with pytest.raises(ValueError) as found:  # noqa: PT011
        quickjson.decode(text)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":-Infinity}'])
def test_what_only_python_takes_for_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a JSON value"):
        quickjson.decode(text)
