"""A client's settings file: read, changed in one entry, checked, backed up and replaced.

Above it: the command line. Nothing is written unless the new text means exactly the old one plus (or minus)
the entry; where a text cannot be changed safely, the person is told what to add by hand.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import tempfile
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.install import json_text, toml_text, yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BACKUP_ENDING = ".nacre-backup"
_FORMATS: dict[str, Any] = {"json": json_text, "toml": toml_text, "yaml": yaml_text}
_BOM = "\ufeff"


@dataclass(frozen=True)
class Change:
    """What a file holds, and what it would hold."""

    path: str
    before: str | None
    """None: there is no such file yet."""
    after: str

    @property
    def is_one(self) -> bool:
        """Whether anything differs."""
        return (self.before or "") != self.after

    def as_diff(self) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            self.path if self.before is not None else os.devnull,
            self.path,
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def adding(path: str, text_format: str, at: Sequence[str], entry: Mapping[str, object]) -> Change:
    """The file with that entry."""
    return _change(path, text_format, at, entry)


def removing(path: str, text_format: str, at: Sequence[str]) -> Change:
    """The file without that entry."""
    return _change(path, text_format, at, None)


def servers_in(path: str, text_format: str, key: str) -> dict[str, object]:
    """The servers that the file has below that key, by name; RequestError if it cannot be read."""
    before = _read(path)
    if before is None:
        return {}
    with _naming(path):
        return _FORMATS[text_format].entries_of(_plain(before), key)


def write(change: Change) -> str | None:
    """Replace the file in one step, its mode kept; the path of the backup, if there was a file before."""
    path = os.path.realpath(change.path)  # a link (into a directory of dotfiles) stays a link
    backup = None
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mode = 0o600
        if change.before is not None:
            mode = stat.S_IMODE(os.stat(path).st_mode)
            backup = path + BACKUP_ENDING
            _replace(backup, change.before, mode)
        _replace(path, change.after, mode)
    except OSError as error:
        raise RequestError(
            f"{change.path} cannot be written: {error.strerror}.", code="not_written"
        ) from None
    return backup


def _replace(path: str, text: str, mode: int) -> None:
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".nacre-")
    try:
        with open(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(fd)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:  # in any case no half-written file stays
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _change(path: str, text_format: str, at: Sequence[str], entry: Mapping[str, object] | None) -> Change:
    before = _read(path)
    text = _plain(before or "")
    editor = _FORMATS[text_format]
    with _naming(path):
        after = editor.without_entry(text, at) if entry is None else editor.with_entry(text, at, entry)
        _check(text, after, text_format, at, entry)
    if before is not None:
        after = after.replace("\n", "\r\n") if "\r\n" in before else after
        after = _BOM + after if before.startswith(_BOM) else after
    return Change(path, before, after)


def _plain(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n")


def _read(path: str) -> str | None:
    if os.path.exists(path) and not os.path.isfile(path):
        raise RequestError(f"{path} is not a regular file.", code="not_read")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise RequestError(f"{path} is not UTF-8 text.", code="broken_settings") from None
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}.", code="not_read") from None


@contextlib.contextmanager
def _naming(path: str) -> Any:
    """Errors of the text say which file it is, and that nothing was changed."""
    try:
        yield
    except RequestError as error:
        raise RequestError(
            f"{path}: {error.message}.",
            hint="Nothing was changed. Fix the file, or add the entry by hand (`--print` shows it).",
            code=error.code,
        ) from None
    except RecursionError:
        raise RequestError(f"{path} is nested too deeply to be read.", code="broken_settings") from None


def _check(
    before: str, after: str, text_format: str, at: Sequence[str], entry: Mapping[str, object] | None
) -> None:
    """Whether the new text means the old one with, or without, the entry and nothing else."""
    if text_format == "yaml":
        held = yaml_text.entry_lines(after, at)
        same = held == (None if entry is None else yaml_text.lines_of(at[-1], entry))
    else:
        same = _data(after, text_format) == _expected(_data(before, text_format), text_format, at, entry)
    if not same:
        raise RequestError(f'the entry "{".".join(at)}" is written in a way that cannot be changed safely')


def _data(text: str, text_format: str) -> Any:
    if text_format == "toml":
        return toml_text.parse(text)
    return json_text.parse(text).data if text.strip() else {}


def _expected(data: Any, text_format: str, at: Sequence[str], entry: Mapping[str, object] | None) -> Any:
    expected = deepcopy(data)
    here = expected
    for key in at[:-1]:
        if entry is None and key not in here:
            return expected
        inner: Any = here.setdefault(key, {})
        if not hasattr(inner, "setdefault"):
            raise RequestError(f'"{key}" should be a table of servers', code="broken_settings")
        here = inner
    if entry is None:
        here.pop(at[-1], None)
        if text_format == "toml" and not here:  # a table without members is not written
            expected.pop(at[0])
    else:
        here[at[-1]] = dict(entry)
    return expected
