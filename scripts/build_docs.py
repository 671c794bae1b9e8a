"""Build the documentation site into site/: build_docs.py [DIRECTORY].

The pages are those of docs/ and a few from the top of the repository. Links lead to files of the
repository, so that they work where the files are read as they are; for the site, a link to a page of the
site is turned into one, and a link to any other file into its text. A warning of the generator is an error.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Pages of the site that do not stand in docs/.
TOP = {
    "ARCHITECTURE.md": "architecture.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "bench/README.md": "bench.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def page_of(file: str) -> str | None:
    """The page of the site that a file of the repository becomes, as a path in its sources."""
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    return TOP.get(file)


def for_the_site(text: str, file: str) -> str:
    """A page with its links as the site needs them."""
    page = page_of(file) or file

    def link(found: re.Match[str]) -> str:
        shown, target = found.groups()
        path, mark, anchor = target.partition("#")
        if not path or "://" in path:
            return found[0]
        wanted = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(file), path)))
        if wanted is None:
            return shown
        return f"[{shown}]({posixpath.relpath(wanted, posixpath.dirname(page) or '.')}{mark}{anchor})"

    return LINK.sub(link, text)


def gather(directory: Path) -> None:
    """Put the site's sources there."""
    shutil.copyfile(ROOT / "zensical.toml", directory / "zensical.toml")
    docs = sorted(path for path in (ROOT / "docs").rglob("*") if path.is_file())
    for path in [*docs, *(ROOT / name for name in TOP)]:
        file = path.relative_to(ROOT).as_posix()
        target = directory / "docs" / (page_of(file) or file)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(for_the_site(path.read_text(), file))
        else:
            shutil.copyfile(path, target)


def main(target: str = "site") -> int:
    """Build; the generator's exit code."""
    generator = [sys.executable, "-m", "zensical", "build", "--strict"]
    with tempfile.TemporaryDirectory() as made:
        gather(Path(made))
        built = subprocess.run(  # noqa: S603  # from the lock
            generator,
            cwd=made,
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode or "Warning" in built.stdout + built.stderr:
            print(built.stdout + built.stderr, file=sys.stderr)
            return 1
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(made) / "site", target)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
