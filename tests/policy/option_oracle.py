"""Which options a real program has: asked of the program itself.

A small library is loaded before the C library; when the program calls getopt, it writes the program's own
table of options down and ends it. git tells its long options by itself.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

_SOURCE = """
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>
static int tell(const char *letters, const struct option *names) {
  FILE *out = fdopen(9, "w");
  if (!out) _exit(97);
  fprintf(out, "%s\\n", letters ? letters : "");
  for (; names && names->name; names++) fprintf(out, "%s %d\\n", names->name, names->has_arg);
  fclose(out);
  _exit(0);
}
int getopt_long(int c, char *const *v, const char *s, const struct option *l, int *i) { return tell(s, l); }
int getopt(int c, char *const *v, const char *s) { return tell(s, 0); }
"""
_ENDINGS = ("", "=", "?")


def build(directory: Path) -> Path | None:
    """The library, or None where it cannot be made."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    source, library = directory / "tell.c", directory / "tell.so"
    source.write_text(_SOURCE, encoding="utf-8")
    made = subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, source], check=False, capture_output=True
    )
    return library if made.returncode == 0 else None


def options_of(program: str, library: Path) -> dict[str, str]:
    """The options of a program, with `=` for a value and `?` for an attached one; {} if it tells none."""
    found = shutil.which(program)
    if found is None or Path(found).read_bytes()[:4] != b"\x7fELF":
        return {}
    reading, writing = os.pipe()
    command = f'exec 9>&{writing}; LD_PRELOAD="$1" exec "$2" /nonexistent'
    try:
        with suppress(subprocess.TimeoutExpired):  # it has no such table, and did something else
            subprocess.run(
                ["bash", "-c", command, "_", library, found],
                pass_fds=[writing],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=library.parent,  # where there is little to search
                timeout=10,
                check=False,
            )
    finally:
        os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as answer:
        text = answer.read()
    return _read(text)


def _read(text: str) -> dict[str, str]:
    letters, _, names = text.partition("\n")
    options: dict[str, str] = {}
    letters = letters.lstrip("+-:")
    while letters:
        letter, rest = letters[0], letters[1:]
        colons = len(rest) - len(rest.lstrip(":"))
        options[f"-{letter}"] = _ENDINGS[min(colons, 2)]
        letters = rest[colons:]
    for line in names.splitlines():
        name, _, kind = line.rpartition(" ")
        if not kind.isdigit():
            break  # another program that it has started
        options[f"--{name}"] = _ENDINGS[int(kind)]
    return options


def git_options(command: str) -> dict[str, str]:
    """The long options of a git command that takes part in git's own completion."""
    asked = subprocess.run(
        ["git", command, "--git-completion-helper-all"],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return {
        item.rstrip("="): "=" if item.endswith("=") else ""
        for item in asked.stdout.split()
        if item.startswith("--") and item != "--"
    }
