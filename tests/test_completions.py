"""`nacre completions`: the scripts, used by the real shells."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from nacre.cli import completions
from nacre.cli.options import parser as server_parser

# For each shell, a program that loads the script and prints what it would offer behind the other arguments.
BASH = r"""source <("$1" -m nacre completions bash); shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nacre; printf '%s\n' "${COMPREPLY[@]}"
"""
ZSH = r"""compdef() { :; }
compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
source <("$1" -m nacre completions zsh); shift
words=("$@"); CURRENT=$#; _nacre
"""
FISH = r"""$argv[1] -m nacre completions fish | source
complete -C (string join " " -- $argv[2..]) | string split -f 1 \t
"""
RUN = {
    "bash": ["bash", "-c", BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", ZSH, "zsh"],
    "fish": ["fish", "-N", "-c", FISH],
}


def offered(shell: str, *words: str) -> list[str]:
    """What a shell offers behind these words, of which the last one is being typed."""
    done = subprocess.run(
        [*RUN[shell], sys.executable, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return [word for word in done.stdout.split("\n") if word]


@pytest.mark.req("completions")
@pytest.mark.parametrize("shell", RUN)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nacre", "ins"), ["install"]),
        (("nacre", "install", "cla"), ["claude-code", "claude-desktop"]),
        (("nacre", "--sandbox", "r"), ["read-only"]),
        (("nacre", "--failures"), ["--failures-are-results"]),
        (("nacre", "config", "init", "--for", "lo"), ["locked-down-operator"]),
        (("nacre", "--verbose", "doctor", "--js"), ["--json"]),
    ],
)
def test_a_shell_completes(shell: str, words: tuple[str, ...], expected: list[str]) -> None:
    assert sorted(offered(shell, *words)) == expected


@pytest.mark.req("completions")
def test_every_command_that_the_help_names_can_be_completed() -> None:
    named = set(re.findall(r"^  nacre ([a-z]+)", server_parser().epilog or "", re.MULTILINE)) - {"server"}
    assert named <= {level.words[0] for level in completions.levels() if level.words}


@pytest.mark.req("completions")
def test_the_script_for_powershell_holds_all_that_the_others_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert completions.main(["powershell"]) == 0
    script = capsys.readouterr().out
    for level in completions.levels():
        assert f"    '{' '.join(level.words)}' = @(" in script
        for option in level.options:
            assert f"'{option.flag}'" in script
            for value in option.values:
                assert f"'{value}'" in script
