"""The wheel and the source distribution: what they hold, and that they work in an empty environment."""

from __future__ import annotations

import email
import json
import re
import sys
import tarfile
import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest
from building import ROOT, environment_with, run
from packaging.requirements import Requirement
from readme_renderer import markdown
from trove_classifiers import classifiers as known_classifiers

import nacre

sys.path.insert(0, str(ROOT / "scripts"))
from readme_for_index import for_index

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Installing takes a machine that is busy longer than most tests.
pytestmark = pytest.mark.timeout(400)
LOWEST = ROOT / "requirements-lowest.txt"


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with what pip resolves for it, held to the lowest versions: the lock has the newest."""
    return environment_with(tmp_path_factory.mktemp("installed") / "env", wheel, "--constraint", LOWEST)


@pytest.mark.req("packages-wheel")
def test_a_client_works_with_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    python, nacre_there = installed / "bin" / "python", installed / "bin" / "nacre"
    shown = run(python, "-I", ROOT / "scripts" / "smoke_test.py", nacre_there, cwd=tmp_path)
    assert [line for line in shown.splitlines() if not line.startswith("ok: ")] == []
    assert len(shown.splitlines()) == 8


@pytest.mark.req("packages-lowest")
def test_what_is_installed_are_the_lowest_allowed_versions(installed: Path) -> None:
    for pinned in map(Requirement, LOWEST.read_text().splitlines()):
        name = f"{pinned.name}-{str(pinned.specifier).removeprefix('==')}.dist-info"
        assert list(installed.glob(f"lib/python*/site-packages/{name}")), (
            f"{pinned} is not what was installed"
        )


@pytest.mark.req("packages-lowest")
def test_the_lowest_versions_are_the_lower_bounds_of_the_project() -> None:
    pinned = {each.name: str(each.specifier) for each in map(Requirement, LOWEST.read_text().splitlines())}
    for wanted in map(Requirement, PROJECT["dependencies"]):
        (lower,) = (bound.version for bound in wanted.specifier if bound.operator == ">=")
        assert pinned.pop(wanted.name).startswith(f"=={lower}")
    assert pinned == {}


@pytest.mark.req("packages-wheel")
def test_the_installed_program_tells_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "bin" / "nacre", "--version", cwd=tmp_path).startswith(
        f"nacre {nacre.__version__}"
    )
    assert run(installed / "bin" / "python", "-m", "nacre", "--version", cwd=tmp_path).startswith("nacre ")


@pytest.mark.req("packages-wheel")
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    wanted = {str(path.relative_to(ROOT / "src")) for path in files}
    prefix = f"nacre-{nacre.__version__}"
    wanted |= {
        f"{prefix}.dist-info/{name}"
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
    wanted.add(f"{prefix}.data/data/share/man/man1/nacre.1")
    assert names == wanted
    assert "nacre/py.typed" in names


@pytest.mark.req("packages-sdist")
def test_the_source_distribution_holds_all_that_its_tests_and_documentation_take(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    parts = {name.partition("/")[0] for name in names}
    wanted = {"src", "tests", "docs", "demo", "bench", "scripts", "packages"}
    wanted |= {"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "Makefile", "pyproject.toml"}
    assert wanted <= parts
    assert not {name for name in names if "__pycache__" in name or name.endswith(".pyc")}
    made_here = {".venv", ".clients", ".windows", ".container", "wheels", "dist", ".git"}
    assert not made_here & parts


@pytest.mark.req("packages-metadata")
def test_the_metadata_says_what_an_index_and_uvx_need(metadata: Message) -> None:
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert list(PROJECT["scripts"]) == [metadata["Name"]], (
        "`uvx nacre` runs the script named like the package"
    )
    unknown = set(metadata.get_all("Classifier", [])) - set(known_classifiers)
    assert not unknown


@pytest.mark.req("packages-metadata")
def test_the_readme_renders_as_an_index_would_show_it(metadata: Message) -> None:
    text = str(metadata.get_payload())
    assert text.strip() == (ROOT / "README.md").read_text().strip()
    shown = markdown.render(text)
    assert shown
    assert ">nacre<" in shown
    assert "<table>" in shown


@pytest.mark.req("packages-metadata")
def test_for_an_index_every_link_of_the_readme_leads_to_the_release() -> None:
    text = for_index((ROOT / "README.md").read_text(), "someone/nacre")
    assert "<!-- mcp-name: io.github.someone/nacre -->" in text
    shown = markdown.render(text) or ""
    links = re.findall(r'(?:href|src)="([^"#]+)"', shown)
    assert len(links) > 20
    release = ("https://github.com/someone/nacre/blob/v", "https://github.com/someone/nacre/raw/v")
    assert [link for link in links if not link.startswith(release)] == []
    assert any(link.endswith("/docs/demo.svg") for link in links)


@pytest.mark.req("packages-sbom")
def test_the_bill_of_materials_names_all_that_is_installed(installed: Path, tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    run(sys.executable, ROOT / "scripts" / "make_sbom.py", installed / "bin" / "python", file)
    bom = json.loads(file.read_text())
    asked = "import importlib.metadata as m, json; print(json.dumps([(d.name, d.version) for d in"
    asked += " m.distributions()]))"
    listed = json.loads(run(installed / "bin" / "python", "-I", "-c", asked))
    there = {(name.lower(), version) for name, version in listed}
    main = bom["metadata"]["component"]
    named = {(each["name"].lower(), each["version"]) for each in [main, *bom["components"]]}
    assert named == there
    assert main["name"] == "nacre"
    edges = {each["ref"]: each.get("dependsOn", []) for each in bom["dependencies"]}
    direct = {ref.partition("==")[0] for ref in edges[main["bom-ref"]]}
    assert direct == {Requirement(each).name for each in PROJECT["dependencies"]}
    assert all(each.get("licenses") for each in bom["components"])
