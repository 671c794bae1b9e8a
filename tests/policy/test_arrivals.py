"""Files that come into a directory in which links are, or come with an archive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge

if TYPE_CHECKING:
    from pathlib import Path

_ALLOWED = [
    "cp",
    "zip",
    "install",
    "mv",
    "tar",
    "unzip",
    "7z",
    "rsync",
    "gzip",
    "mkdir",
    "cd",
    "find",
    "make",
    "tee",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which links lead to a directory and a file elsewhere, and to nacre's own file."""
    place = tmp_path / "project"
    for name in ("src/sub", "plain", "linked", "deep/src", "own", "repo/.git", "around/a"):
        (place / name).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("x\n", encoding="utf-8")
    (place / "nacre.toml").write_text("x\n", encoding="utf-8")
    (place / "linked" / "f").symlink_to(tmp_path / "outside" / "f")
    (place / "deep" / "src" / "sub").symlink_to(tmp_path / "outside")
    (place / "own" / "f").symlink_to(place / "nacre.toml")
    (place / "repo" / "f").symlink_to(place / "repo" / ".git")
    (place / "around" / "b").symlink_to("a")
    return place


def _judged(project: Path, text: str, *, fenced: bool) -> str:
    rules = Policy.from_lists(
        _ALLOWED, allow_writes=True, allowed_directories=[str(project)] if fenced else []
    )
    policy = replace(rules, own_files=(str(project / "nacre.toml"),), files=LOCAL_FILES)
    return judge(text, policy, cwd=str(project)).decision


@pytest.mark.parametrize(
    "text",
    [
        "cp src/f linked",
        "cp src/f linked/",
        "cp -t linked src/f",
        "cp src/* linked",
        "cp -r src/. linked",
        "cp -r src deep",
        "install src/f linked",
        "rsync -a src/ linked",
        "find src -type f -exec cp {} linked \\;",
        "tar -xf a.tar -C linked",
        "tar -xf a.tar -C deep",
        "unzip a.zip -d deep",
        "7z x a.7z -odeep",
        "gzip -rf linked",
    ],
)
def test_nothing_leaves_the_fence_through_a_link_in_the_target(project: Path, text: str) -> None:
    assert _judged(project, text, fenced=True) == "deny"


@pytest.mark.parametrize(
    "text",
    ["cp src/f own", "cp src/* own", "cp -r src/. own", "tar -xf a.tar -C repo/", "tar -xf a.tar -C deep"],
)
def test_nothing_reaches_own_files_and_other_places_through_a_link(project: Path, text: str) -> None:
    assert _judged(project, text, fenced=False) == "deny"


@pytest.mark.parametrize("fenced", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "cp src/g linked",
        "cp src/*.py linked",
        "cp -r src plain",
        "cp -r src/. plain",
        "cp -r src/. new",
        "cp -r plain/. around",
        "tar -xf a.tar -C plain",
        "tar -xf a.tar -C around",
        "unzip a.zip -d plain",
        "mkdir -p x && tar -xf a.tar -C x && mv x/bin plain",
    ],
)
def test_other_files_and_directories_get_what_they_are_to_get(
    project: Path, text: str, *, fenced: bool
) -> None:
    assert _judged(project, text, fenced=fenced) == "allow"


@pytest.mark.parametrize("fenced", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "tar -xf a.tar -C plain && tar -xf b.tar -C plain",
        "tar -xf a.tar -C plain/x; unzip b.zip -d plain",
        "cd plain && tar -xf ../a.tar && tar -xf ../b.tar",
        "cd plain && tar -xf ../a.tar && make 2>&1 | tee log",
        "tar -xf a.tar -C plain && cp -r src/. plain",
        "tar -xf a.tar -C plain && mv src/f plain/l/config",
    ],
)
def test_what_follows_an_archive_does_not_land_behind_its_links(
    project: Path, text: str, *, fenced: bool
) -> None:
    assert _judged(project, text, fenced=fenced) == "deny"


@pytest.mark.parametrize(
    "text",
    ["zip -mr x.zip .", "zip -m x.zip nacre.toml", "tar -cf x.tar --remove-files .", "zip -r --move x.zip ."],
)
def test_own_files_are_not_moved_into_an_archive(project: Path, text: str) -> None:
    assert _judged(project, text, fenced=False) == "deny"


def test_other_files_are_moved_into_an_archive(project: Path) -> None:
    assert _judged(project, "zip -mr x.zip src", fenced=False) == "allow"
    assert _judged(project, "tar -cf x.tar --remove-files src", fenced=False) == "allow"
