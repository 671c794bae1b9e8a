"""Write the bill of materials of an environment that nacre is installed in: make_sbom.py PYTHON FILE.

CycloneDX 1.6 as JSON, with versions, licences and who needs whom. `cyclonedx-py` looks at the environment
and checks what it writes against the schema; this script adds the version, which is not in pyproject.toml.
The same environment gives the same bytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def bill(python: str) -> dict[str, Any]:
    """What is installed for that interpreter."""
    program = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--validate"]
    options = ["--spec-version", "1.6", "--pyproject", str(ROOT / "pyproject.toml"), "-o", "-"]
    made = subprocess.run(  # noqa: S603  # a program from the lock
        [*program, *options, python], capture_output=True, text=True, check=False
    )
    if made.returncode:
        sys.exit(f"cyclonedx-py failed:\n{made.stderr}")
    return json.loads(made.stdout)


def version(python: str) -> str:
    """The version of nacre there."""
    asked = "import importlib.metadata; print(importlib.metadata.version('nacre'))"
    child = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True)  # noqa: S603  # as above
    return child.stdout.strip()


def main(python: str, file: str) -> None:
    """Write the file."""
    made = bill(python)
    component = made["metadata"]["component"]
    component["version"] = version(python)
    Path(file).write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
