"""nacre's own files: a program of which nothing is known may not even be given their names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge

if TYPE_CHECKING:
    from pathlib import Path

_WITHOUT_ALLOWLIST = (Policy.from_lists(deny=["rm -rf"]), Policy.from_lists(allow=["*"], deny=["rm -rf"]))
_VOUCHED = Policy.from_lists(
    allow=["frob", "python3 -c *", "perl -e *", "sqlite3 *", "vim *"], allow_writes=True
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the settings file, a link to it, and a directory."""
    (tmp_path / "nacre.toml").touch()
    (tmp_path / "a.txt").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("nacre.toml")
    return tmp_path


def _decision(text: str, policy: Policy, project: Path, shell: str = "bash") -> str:
    own = (str(project / "nacre.toml"), str(project / "state" / "audit.jsonl"))
    ruled = replace(policy, own_files=own, files=LOCAL_FILES)
    return judge(text, ruled, shell=shell, cwd=str(project)).decision


@pytest.mark.parametrize("policy", _WITHOUT_ALLOWLIST)
@pytest.mark.parametrize(
    "text",
    [
        "frob nacre.toml",
        "frob link",
        "frob --out=link",
        "frob -onacre.toml",
        "frob ./sub/../nacre.toml",
        "frob n*.toml",
        "frob {nacre,x}.toml",
        'frob "$PWD/nacre.toml"',
        "frob state/audit.jsonl",
        "cd sub && frob ../nacre.toml",
        "sudo frob nacre.toml",
        "OUT=nacre.toml frob",
        "python3 x.py nacre.toml",
        "timeout 5 frob nacre.toml",
        "curl --hsts nacre.toml http://localhost/",
        'sqlite3 x.db ".output nacre.toml"',
        "script nacre.toml",
        "ffmpeg -i a nacre.toml",
        "convert a nacre.toml",
        "chattr +i nacre.toml",
        "psql -c '\\o nacre.toml'",
        "vim -c 'w! nacre.toml' a",
        "node -e \"require('fs').writeFileSync('nacre.toml', '')\"",
        "perl -e 'open F, \">nacre.toml\"'",
        "git config --file nacre.toml a.b c",
        'set -- -o; sort "$1" nacre.toml',
    ],
)
def test_what_is_not_known_to_read_is_not_given_own_files(policy: Policy, text: str, project: Path) -> None:
    assert _decision(text, policy, project) == "deny"


@pytest.mark.parametrize("text", ["echo 'w nacre.toml' | ed a.txt", "ed a.txt <<< 'w nacre.toml'"])
def test_no_commands_are_fed_that_name_own_files(text: str, project: Path) -> None:
    assert _decision(text, _WITHOUT_ALLOWLIST[0], project) == "deny"


@pytest.mark.parametrize("policy", _WITHOUT_ALLOWLIST)
@pytest.mark.parametrize(
    "text",
    [
        "cat nacre.toml",
        "grep x nacre.toml",
        "cat < nacre.toml",
        "diff nacre.toml a.txt",
        "git add nacre.toml",
        "git commit -m 'nacre.toml changed'",
        "find . -name nacre.toml",
        "echo nacre.toml",
        "[ -f nacre.toml ]",
        "timeout 5 cat nacre.toml",
        "cp nacre.toml nacre.bak",
        "python3 -c \"print(open('nacre.toml').read())\"",
        "frob a.txt",
        "frob sub/nacre.toml",
        "frob sub/*",
        "frob audit.jsonl",
    ],
)
def test_what_only_reads_them_is_allowed(policy: Policy, text: str, project: Path) -> None:
    assert _decision(text, policy, project) == "allow"


@pytest.mark.parametrize(
    "text",
    [
        "frob nacre.toml",
        "python3 -c \"import os; os.remove('nacre.toml')\"",
        "perl -e 'unlink \"nacre.toml\"'",
        "sqlite3 x.db '.output nacre.toml'",
        "vim -c 'w! nacre.toml' a",
    ],
)
def test_a_rule_that_spells_it_does_not_mean_own_files(text: str, project: Path) -> None:
    assert _decision(text, _VOUCHED, project) == "deny"


@pytest.mark.parametrize("text", ["frob a.txt", "python3 -c \"import os; os.remove('other.toml')\""])
def test_it_means_all_others(text: str, project: Path) -> None:
    assert _decision(text, _VOUCHED, project) == "allow"


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Get-Content nacre.toml", "allow"),
        ("Test-Path nacre.toml", "allow"),
        ("Get-ChildItem *", "allow"),
        ("frob nacre.toml", "deny"),
        ("Set-Content nacre.toml x", "deny"),
    ],
)
def test_powershell_reads_them_too(text: str, decision: str, project: Path) -> None:
    assert _decision(text, Policy.from_lists(deny=["Remove-Item"]), project, "pwsh") == decision


_LOOPS = Policy.from_lists(allow=["cd", "mkdir", "rm", "npm", "pytest", "bash"], allow_writes=True)


@pytest.mark.parametrize(
    "text",
    [
        "mkdir -p a/a/a; for i in 1 2 3; do cd a; done; rm ../../../nacre.toml",
        "mkdir -p a/a/a; (for i in 1 2 3; do cd a; done; rm ../../../nacre.toml)",
        "f() (cd a && rm ../../../nacre.toml; f); mkdir -p a/a/a; f",
        "mkdir -p a/b; (cd a && (cd b && rm ../../nacre.toml))",
        "mkdir -p a/b; (cd a && cd b && rm ../../nacre.toml)",
        "mkdir -p a/b; (cd a && bash -c '(cd b && rm ../../nacre.toml)')",
        "for p in x y z; do (cd $p/q && rm ../../nacre.toml); done",
        "mkdir -p c/x/y; for p in x y; do (cd $p && rm ../../nacre.toml); done; cd c",
        "pytest -q sub/*/../../nacre.toml",
    ],
)
def test_directories_that_a_loop_enters_lead_to_them(text: str, project: Path) -> None:
    assert _decision(text, _LOOPS, project) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "for p in core web api ui docs; do (cd packages/$p && npm test); done",
        "(cd a && npm test); (cd b && npm test); (cd c && npm test); (cd d && rm ../../x)",
        'for f in sub/*.py; do pytest -q "$f"; done',
    ],
)
def test_each_directory_of_a_loop_may_be_entered(text: str, project: Path) -> None:
    assert _decision(text, _LOOPS, project) == "allow"
