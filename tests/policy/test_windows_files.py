"""Files that commands of cmd.exe and PowerShell change, and the ways on which they come to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge

_CMDLETS = [
    *("Add-Content", "Clear-Content", "Copy-Item", "Expand-Archive", "Get-ChildItem", "Get-Content"),
    *("Move-Item", "New-Item", "Out-File", "Remove-Item", "Rename-Item", "Set-Content", "Write-Output"),
]
_COMMANDS = ["copy", "del", "echo", "md", "move", "rd", "ren"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    for directory in (place / "logs", place / "src", place / ".git"):
        directory.mkdir(parents=True)
    for name in ("a.txt", "nacre.toml", "logs/audit.jsonl"):
        (place / name).write_text("x\n", encoding="utf-8")
    (place / "out").symlink_to("/etc")
    return place


def _unfenced(project: Path, text: str, shell: str) -> str:
    rules = _COMMANDS if shell == "cmd" else _CMDLETS
    own = (str(project / "nacre.toml"), str(project / "logs" / "audit.jsonl"))
    policy = replace(Policy.from_lists(rules, allow_writes=True), own_files=own, files=LOCAL_FILES)
    return judge(text, policy, shell=shell, cwd=str(project)).decision


@pytest.mark.req("policy-own-files")
@pytest.mark.parametrize("shell", ["pwsh", "powershell"])
@pytest.mark.parametrize(
    "text",
    [
        "Set-Content nacre.toml x",
        "SET-CONTENT .\\NACRE.TOML x",
        "Set-Content -Value x -Path nacre.toml",
        "Set-Content -NoNewline nacre.toml x",
        "Add-Content logs\\audit.jsonl x",
        "Out-File -FilePath:nacre.toml",
        "Copy-Item a.txt -Destination:nacre.toml",
        "Copy-Item src\\nacre.toml .",
        "Move-Item logs old",
        "Rename-Item a.txt nacre.toml",
        "Remove-Item -Recurse logs",
        "Remove-Item a.txt,nacre.toml",
        "Remove-Item '*.toml'",
        "'nacre.toml' | Remove-Item -Force",
        "Get-ChildItem | Move-Item -Destination src",
        "Expand-Archive x.zip .",
        "Write-Output x > logs\\audit.jsonl",
        "Set-Content .git\\config x",
        "Copy-Item a.txt .git\\hooks\\pre-commit",
        "Rename-Item logs\\x audit.jsonl",
        "New-Item -Path logs -Name audit.jsonl -Value x",
        "Get-ChildItem nacre.toml | Set-Content -Value x",
        "Set-Content NACRE~1.TOM x",
        "Set-Content 'nacre.toml.' x",
        "Set-Content 'nacre.toml ' x",
        "Write-Output x > nacre.toml:stream",
    ],
)
def test_no_cmdlet_changes_own_files_or_what_git_runs(project: Path, text: str, shell: str) -> None:
    assert _unfenced(project, text, shell) == "deny"


@pytest.mark.req("policy-own-files")
@pytest.mark.parametrize(
    "text",
    [
        "Set-Content b.txt 'see nacre.toml'",
        "Set-Content -Path b.txt -Value '/usr/bin/env python'",
        "Add-Content b.txt nacre.toml",
        "Get-Content a.txt | Out-File b.txt",
        "New-Item -ItemType Directory -Path build\\x",
        "Copy-Item -Recurse src copy",
        "Remove-Item src\\*.pyc",
        "Remove-Item build -Recurse -Force",
    ],
)
def test_cmdlets_change_other_files(project: Path, text: str) -> None:
    assert _unfenced(project, text, "pwsh") == "allow"


@pytest.mark.req("policy-own-files")
@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("del nacre.toml", "deny"),
        ("del /q *.toml", "deny"),
        ("copy /y a.txt logs\\audit.jsonl", "deny"),
        ("ren logs old", "deny"),
        ("rd /s /q logs", "deny"),
        ("copy a.txt .git\\config", "deny"),
        ("echo x > logs\\audit.jsonl", "deny"),
        ("echo x > nacre.toml::$DATA", "deny"),
        ("echo x > NACRE~1.TOM", "deny"),
        ('echo x > "nacre.toml "', "deny"),
        ("ren logs\\x audit.jsonl", "deny"),
        ("del /s audit.jsonl", "deny"),
        ("copy src\\nacre.toml", "deny"),
        ("move src\\NACRE.TOML", "deny"),
        ("copy src\\x.txt", "allow"),
        ("ren src\\x y.txt", "allow"),
        ("del /q src\\*.o", "allow"),
        ("copy a.txt b.txt", "allow"),
        ("rd /s /q build", "allow"),
    ],
)
def test_what_commands_of_cmd_change(project: Path, text: str, decision: str) -> None:
    assert _unfenced(project, text, "cmd") == decision


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Get-Content \\etc\\passwd", "deny"),
        ("Get-Content Temp:\\x", "deny"),
        ("Get-Content 'o*\\passwd'", "deny"),
        ("Get-ChildItem -FollowSymlink -Recurse .", "deny"),
        ("Write-Output x > out\\y", "deny"),
        # What is listed can be a link, and is read.
        ("Get-ChildItem | Get-Content", "deny"),
        ("Get-ChildItem o* | Get-Content", "deny"),
        ("Get-ChildItem -Recurse -File | Copy-Item -Destination src", "deny"),
        ("Get-ChildItem src | Get-Content", "allow"),
        ("Get-ChildItem -Path src -Recurse | Get-Content", "allow"),
        ("Get-ChildItem *.txt | Get-Content", "allow"),
        ("Get-Content .\\a.txt", "allow"),
        ("Get-ChildItem -Recurse src", "allow"),
    ],
)
def test_a_backslash_leads_out_of_a_fence(project: Path, text: str, decision: str) -> None:
    rules = Policy.from_lists(_CMDLETS, allow_writes=True, allowed_directories=[str(project)])
    policy = replace(rules, files=LOCAL_FILES)
    shell = "pwsh"
    assert judge(text, policy, shell=shell, cwd=str(project)).decision == decision


@pytest.mark.req("policy-own-files")
@pytest.mark.parametrize(
    ("shell", "text", "decision"),
    [
        ("cmd", "xcopy /e /y evil .", "deny"),
        ("cmd", "xcopy /e /y evil", "deny"),
        ("cmd", "robocopy evil . *.txt /e", "deny"),
        ("cmd", "copy evil\\* .", "deny"),
        ("cmd", "copy evil .", "deny"),
        ("cmd", "copy evil\\*", "deny"),
        ("cmd", "move evil\\* .", "deny"),
        ("cmd", "xcopy /e /y evil src", "allow"),
        ("cmd", "robocopy evil src /e", "allow"),
        ("cmd", "copy evil\\a.txt .", "allow"),
        ("cmd", "move a.txt src", "allow"),
        ("powershell", "Invoke-WebRequest https://x/y -UseBasicParsing -OutFile .", "deny"),
        ("powershell", "Invoke-WebRequest https://x/y -UseBasicParsing -OutFile page.html", "allow"),
    ],
)
def test_what_gets_files_by_names_of_their_own_is_no_place_that_git_reads(
    project: Path, shell: str, text: str, decision: str
) -> None:
    rules = Policy.from_lists(
        [*_COMMANDS, "xcopy", "robocopy", "Invoke-WebRequest"],
        allow_writes=True,
        allowed_directories=[str(project)],
    )
    policy = replace(rules, files=LOCAL_FILES)
    assert judge(text, policy, shell=shell, cwd=str(project)).decision == decision
