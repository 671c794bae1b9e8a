# ruff: noqa: E501 - lists of texts
"""A deny list is a guard rail: it sees through disguise, and asks where it cannot see.

The same family of texts in every shell whose language is read, under both kinds of deny list: no allow rules
at all, and `allow = ["*"]`.
"""

from __future__ import annotations

import pytest

from nacre.policy import Policy, judge

pytestmark = pytest.mark.req("policy-deny-lists")

_POLICIES = {
    "deny only": Policy.from_lists([], deny=["rm -rf", "format"]),
    "allow all": Policy.from_lists(["*"], deny=["rm -rf", "format"]),
    "ask": Policy.from_lists(["*"], ask=["rm -rf", "format"]),
}
_POSIX = ("bash", "zsh", "sh", "dash", "ksh", "mksh")
# Written like this in every shell, also those of which only plain commands are read.
_EVERYWHERE = (
    "rm -rf x", "rm -fr x", "rm -r -f x", "rm -f x -r", "rm -Rf x", "rm -rfv x", "RM -rf x", "/bin/rm -rf x",
    "rm --recursive --force x", "rm --recu --forc x", "rm --r --f x", "rm -r --fo x", "rm --rec -f x",
    "'rm' -rf x", "env rm -rf x", "timeout 5 rm -rf x", "xargs rm -rf", "find . -exec rm -rf '{}' +",
    "env -S 'rm -rf x'", "env -S'rm -rf x'", "env -vS 'rm -rf x'", "env --split-string='rm -rf x'",
    "env -S 'r\\m -rf x'", "busybox rm -rf x", "sh -c 'rm -rf x'", "sh evil.sh", "bash ./evil.sh", "sh",
    "bash -s", "zsh evil.zsh", "ls | sh",
)  # fmt: skip
_IN_POSIX_SHELLS = (
    "a=1 rm -rf x", "r\\m -rf x", "r''m -rf x", '"r"m -rf x', "/bin/r[m] -rf x", "/bin/r? -rf x", "x=rm; $x -rf y",
    "$x -rf y", "$(echo rm) -rf x", "`echo rm` -rf x", "rm -r$x y", "rm $x", "rm -r[f] x", ". evil.sh", ". ./evil.sh",
    "eval 'rm -rf x'", 'eval "$x"', "trap 'rm -rf x' EXIT", 'trap "$x" EXIT', "alias ls='rm -rf'", "f() { rm -rf x; }; f",
    "! rm -rf x", "if rm -rf x; then :; fi", "(rm -rf x)", "command rm -rf x", "exec rm -rf x", "sh < evil.sh",
    "ls && rm -rf x", "ls; rm -rf x", "ls & rm -rf x",
)  # fmt: skip
_OTHERS = {
    "bash": ("r{m,m} -rf x", "rm -r{f,v} x", "rm {-r,-f} x", "source evil.sh", "$'rm' -rf x", "coproc rm -rf x", "BASH_CMDS[ls]=/bin/rm; ls -rf x"),
    "zsh": ("r{m,m} -rf x", "source evil.sh", "=rm -rf x", "noglob rm -rf x", "nocorrect rm -rf x", "- rm -rf x", "functions[ls]='rm -rf x'; ls", "aliases[ls]='rm -rf'; ls x", "commands[ls]=/bin/rm; ls -rf x"),
    "ksh": ("r{m,m} -rf x", "source evil.sh"),
    "mksh": ("r{m,m} -rf x",),
    "fish": ("a=1 rm -rf x", "r{m,m} -rf x", "/bin/r[m] -rf x", "/bin/r? -rf x", ". evil.fish", "source evil.fish",
             "command rm -rf x", "exec rm -rf x", "eval 'rm -rf x'", "(echo rm) -rf x", "$x -rf y", "not rm -rf x"),
    "nu": ("^rm -rf x", "source evil.nu", "rm -rf $x"),
    "cmd": ("r^m -rf x", "call evil.bat", "FORMAT.COM c:", '"format" c:', "cmd /c format c:"),
    "powershell": ("ri -rf x", "& rm -rf x", ". ./evil.ps1", "iex 'rm -rf x'", "cmd /c 'rm -rf x'", "r`m -rf x"),
}  # fmt: skip


_ON_WINDOWS = ("find . -exec rm -rf '{}' +",)  # another program of that name


def _decision(text: str, policy: Policy, shell: str) -> str:
    return judge(text, policy, shell=shell, cwd="/").decision


def _family(shell: str) -> list[str]:
    every = list(_EVERYWHERE) + list(_OTHERS.get("powershell" if shell == "pwsh" else shell, ()))
    if shell in _POSIX:
        return every + list(_IN_POSIX_SHELLS)
    if shell == "cmd":  # which has other quotes, and other paths
        return [text for text in every if "'" not in text and not text.startswith("/")]
    return [text for text in every if shell != "powershell" or text not in _ON_WINDOWS]


@pytest.mark.parametrize("mode", sorted(_POLICIES))
@pytest.mark.parametrize("shell", [*_POSIX, "fish", "nu", "cmd", "powershell", "pwsh"])
def test_no_disguise_passes_a_deny_list(shell: str, mode: str) -> None:
    passed = [text for text in _family(shell) if _decision(text, _POLICIES[mode], shell) == "allow"]
    assert passed == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "mksh", "fish"])
def test_what_is_not_denied_passes(shell: str) -> None:
    texts = ["rm x", "rm -r x", "rm -f x", "ls -rf", "git log", "make", "python3 x.py", "./build.sh", "env A=b ls",
             "rm --interactive --force x", "find . -name rm", "grep -rf x y", "env"]  # fmt: skip
    assert [text for text in texts if _decision(text, _POLICIES["deny only"], shell) != "allow"] == []


def test_a_denied_name_is_denied_under_all_its_names() -> None:
    deny_del = Policy.from_lists([], deny=["del", "rd"])
    for text in ("del x", "erase x", "ERASE x", "rd x", "rmdir x"):
        assert _decision(text, deny_del, "cmd") == "deny", text
    deny_rm = Policy.from_lists([], deny=["rm"])
    for text in ("rm x", "ri x", "del x", "erase x", "Remove-Item x", "REMOVE-ITEM x", "rd x"):
        assert _decision(text, deny_rm, "powershell") == "deny", text
    assert _decision("ls", deny_rm, "powershell") == "allow"


def test_a_shortened_option_is_no_way_around_conditions_of_an_allow_rule() -> None:
    policy = Policy.from_mapping({"allow": [{"command": "deploy", "not_args": ["--force"]}]})
    for text in ("deploy --force", "deploy --forc", "deploy --fo", "deploy x --f", "deploy --force=yes"):
        assert not judge(text, policy, cwd="/").allowed, text
    assert judge("deploy --follow", policy, cwd="/").allowed
