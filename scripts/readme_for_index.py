"""Make README.md ready for a package index, in place: readme_for_index.py OWNER/REPOSITORY.

An index shows the page without the files beside it, so links between files become links to the release on
GitHub. The MCP registry believes that a package belongs to a server if its README names the server. A
release does this in its own checkout, because only there it is known where the repository lies.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from nacre import __version__

README = Path(__file__).parents[1] / "README.md"
LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|#)([^)\s]+)\)")


def for_index(text: str, repository: str) -> str:
    """The page with absolute links, and the server's name in the registry."""
    release = f"{repository}/{{kind}}/v{__version__}"

    def link(found: re.Match[str]) -> str:
        image, shown, path = found.groups()
        kind = "raw" if image else "blob"
        return f"{image}{shown}(https://github.com/{release.format(kind=kind)}/{path})"

    owner = repository.partition("/")[0]
    return f"{LINK.sub(link, text)}\n<!-- mcp-name: io.github.{owner}/nacre -->\n"


if __name__ == "__main__":
    README.write_text(for_index(README.read_text(), sys.argv[1]))
