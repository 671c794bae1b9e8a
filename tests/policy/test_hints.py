"""A hint that is followed must lead to an allow.

Hints are of three kinds. One proposes a rule: the rule is added, and the refusal must be gone. One proposes
another way to write the command: `_REWRITTEN` holds a command that gets the hint and the same after it was
followed. The rest say plainly that a person must decide, or what is allowed here.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from corpus_mutator import CORPORA

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, Verdict, judge
from nacre.policy.corpus import case_policy

pytestmark = pytest.mark.req("policy-hints")

_RULE = re.compile(r"rule that spells it would allow it: `(.+)`\Z", re.DOTALL)
_MOST_STEPS = 8
_NAMES = [
    "uname",
    "ls",
    "echo",
    "cat",
    "find",
    "sort",
    "git log",
    "git rev-parse",
    "kubectl apply",
    "make",
    "git commit",
    "git rebase",
    "test",
    "[",
    "read",
    "printf",
    "unset",
    "trap",
    "c1 *",
]
_PLAIN = Policy.from_lists([*_NAMES, "dir", "Get-ChildItem", "Get-Content", "Get-Item"])
# What no rewriting can help with is for a person: these say so, or tell what is allowed.
_FOR_A_PERSON = re.compile(
    r"allowed here: |print the text instead, or ask a person|.*\ba person('s|\b)|stay inside |leave it out\Z"
)
# hint -> shell, a command that gets it, the same after it was followed.
_REWRITTEN: dict[str, tuple[str, str, str]] = {
    "write it as `$(...)`": ("bash", "echo `echo \\`ls\\``", "echo $(echo $(ls))"),
    "leave the transformation out": ("bash", "echo ${x@P}", "echo ${x}"),
    "put it before the substitution, and its result into a variable": (
        *("bash", "echo $(case x in x) ls;; esac)", "case x in x) y=1;; esac; echo $y"),
    ),
    "use a plain word, such as EOF or 'EOF'": ("bash", 'cat <<E"O"F\na\nEOF', "cat <<EOF\na\nEOF"),
    "leave the assignment out": ("bash", "IFS=/ ls", "ls"),
    "write the text in single quotes, then the signals: trap 'ls' EXIT": (
        *("bash", 'trap "$x" EXIT', "trap 'ls' EXIT"),
    ),
    "write -m 'message'": ("bash", "git commit", "git commit -m 'message'"),
    "write GIT_EDITOR=true before the command": (
        *("bash", "git rebase --continue", "GIT_EDITOR=true git rebase --continue"),
    ),
    "use EXIT, INT or TERM": ("bash", "trap 'ls' DEBUG", "trap 'ls' TERM"),
    "run the command by itself": ("bash", "coproc ls", "ls"),
    "unset variables only": ("bash", "unset -f ls", "unset x"),
    "give the function a name of its own": ("bash", "echo() { ls; }; echo", "f() { ls; }; f"),
    "leave out the dollar sign": ("bash", 'echo $"a"', 'echo "a"'),
    "write a plain blank, or put it into quotes": ("bash", "ls\u00a0a", "ls a"),
    'close it; inside, write \\" for one': ("bash", 'ls "a', 'ls "a"'),
    "close it; inside, write '\\'' for one": ("bash", "ls 'a", "ls 'a'"),
    "close it with `)`": ("bash", "ls $(ls", "ls $(ls)"),
    "use `${name}` and the plain operators": ("bash", "ls ${", "ls ${x}"),
    "write `:` where nothing is to be done": ("bash", "if ls; then fi", "if ls; then :; fi"),
    "write `; do` where it belongs": ("bash", "for x in a", "for x in a; do ls; done"),
    "write its lines below the command, then the delimiter": ("bash", "cat <<EOF", "cat <<EOF\na\nEOF"),
    "end it with a line that holds `EOF` and nothing else": ("bash", "cat <<EOF\na", "cat <<EOF\na\nEOF"),
    "write the parts of the test as plain words, and texts in quotes": (*("bash", "[[ -f x", "[[ -f x ]]"),),
    "write numbers, names of variables that hold numbers, and operators; nothing else": (
        *("bash", "((1", "((1))"),
    ),
    "leave it out, or write it as an escape in $'...'": ("bash", "echo a\x07", "echo $'a\\a'"),
    "close it": ("bash", "ls $'a", "ls $'a'"),
    "run it as several commands": ("bash", "( " * 60 + "ls" + " )" * 60, "(ls)"),
    "put it into double quotes": ("bash", "env -u $(uname) ls", 'env -u "$(uname)" ls'),
    "put a blank before the `&`": ("zsh", "ls 2&>/dev/null", "ls 2 &>/dev/null"),
    "write the parenthesis on a line of its own": (*("bash", "(cat <<E\na\nE)\nE\n)", "(cat <<E\na\nE\n)"),),
    "leave out the colon": ("ksh", "ls: a", "ls a"),
    "put the value into double quotes": ("bash", "[ $v = a ]", '[ "$v" = a ]'),
    "write the words out": ("bash", "echo {,a}", "echo a"),
    "write plain words, quotes, pipes and redirections with blanks around them": (
        *("fish", "ls2>&1 a", "ls a 2>&1"),
    ),
    "put it into a variable first": ("bash", 'echo "${x:-";"}"', "y=';'; echo \"${x:-$y}\""),
    "write `;;`": ("bash", "case x in a) ls;& b) ls;; esac", "case x in a) ls;; b) ls;; esac"),
    "write a command, or leave the operator out": ("bash", "ls;\n;ls", "ls;\nls"),
    "use a number": ("bash", "echo ${x:$(ls):1}", "echo ${x:0:1}"),
    "name the variable itself": ("bash", "echo ${!x}", "echo ${x}"),
    "write `case x in a) ...;; esac`": ("bash", "case x", "case x in a) ls;; esac"),
    "write `name() { ...; }`": ("bash", "f() ls", "f() { ls; }; f"),
    "write `time command`": ("bash", "time", "time ls"),
    "write `$((...))`": ("bash", "echo $[1]", "echo $((1))"),
    "run the commands one by one": ("cmd", "for %i in (a) do dir", "dir"),
    "write it on one line": ("cmd", "dir ^\nb", "dir b"),
    "write the command's name": ("powershell", "& { Get-ChildItem }", "& Get-ChildItem"),
    "run the commands themselves": ("powershell", ". ./x.ps1", "Get-ChildItem"),
    "use a cmdlet or a program instead": ("powershell", "(Get-Item x).Delete()", "Get-Item x"),
    "write plain quotes, dashes and spaces": (
        *("powershell", "Get-ChildItem \u2013Recurse", "Get-ChildItem -Recurse"),
    ),
    "assign to a plain variable": ("powershell", "${function:x} = 1", "$x = 1; Get-ChildItem"),
    "write the name of a variable": ("bash", "printf -v 'a[$(id)]' x", "printf -v a x"),
    "write a plain name": ("bash", "test -v 'a[$(id)]'", "test -v a"),
    "put a blank before the backslash, or write the word on one line": ("bash", "l\\\ns", "ls \\\n a"),
    "write one of them only": ("bash", "! ! ls", "! ls"),
    "put a blank before it": ("bash", "x+=(a)ls a", "x+=(a) ls a"),
    "put text with braces into single quotes": ("bash", "echo a{c..c}", "echo 'a{c..c}'"),
    "put an operator between them": ("bash", "x=1; y=2; ls $(($x$y))", "x=1; y=2; ls $(($x+$y))"),
    "write `2>&1`, or `> file 2>&1` for a file": ("bash", "ls >&f", "ls 2>&1"),
    'write ./ before the name: < ./"$file"': ("bash", 'cat < "$f"', 'cat < ./"$f"'),
    "put the text into single quotes": ("bash", "ls a(b)", "ls 'a(b)'"),
    "write it in a plainer way, or as several commands": ("bash", "ls <", "ls"),
    "put it into double quotes, after `--`": ("bash", "sort $x", 'sort -- "$x"'),
    "put `--` before it": ("bash", 'sort "$x"', 'sort -- "$x"'),
    "write ./ before the pattern": ("bash", "sort *.txt", "sort ./*.txt"),
    "write ./ before it": ("bash", 'find "$x"', 'find ./"$x"'),
    "write it out": ("bash", 'find . -print "$x"', "find . -print -quit"),
    "write the value as a word of its own": ("bash", "kubectl apply -f=a.yaml", "kubectl apply -f a.yaml"),
    "use letters, digits and . , : / only": ("bash", "V='1;2' make", "V=1.2 make"),
    "put `--verify` before it": ("bash", 'git rev-parse "$x"', 'git rev-parse --verify "$x"'),
    "put it into quotes": ("bash", "find . -name *.py", "find . -name '*.py'"),
}
# The same inside of allowed directories.
_FENCED: dict[str, tuple[str, str]] = {
    "run the command at the end instead": ("trap 'ls' EXIT; ls", "ls; ls"),
    "write the path out, or loop over a pattern: for f in *.txt": (
        *('cat -- "$x"', 'for f in ./*.txt; do cat -- "$f"; done'),
    ),
    "write the path out": ("cd -; ls", "cd src; ls"),
    "write its name out": ("cd s*", "cd src"),
    "leave the option out": ("find -L . -name x", "find . -name x"),
    "write `-type f` first among the tests": (*("find . -exec cat {} +", "find . -type f -exec cat {} +"),),
    "stay inside /srv/project": ("cat /etc/passwd", "cat /srv/project/passwd"),
}
# Hints that name a part of the command: they are followed by hand in the tests of the values.
_WITH_NAMES = re.compile(
    r"assign a number to \w+ in the same command|end it with a line|write `\$\{|write `; [\w}]+`|use -t only"
    r"|use `(?:hash -r|jobs -l)`|leave the attribute out|write x=\$|between two percent signs"
    r"|leave variables out|write the option in full|attached to its option|write the path out"
)


def _cases() -> Iterator[tuple[str, str, Policy]]:
    for path in CORPORA:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            case = json.loads(line)
            yield case["command"], case.get("shell", "bash"), case_policy(case["policy"], LOCAL_FILES)


def _refused() -> Iterator[tuple[str, str, Policy, Verdict]]:
    for text, shell, policy in _cases():
        verdict = judge(text, policy, shell=shell)
        if not verdict.allowed:
            yield text, shell, policy, verdict


def _with_rule(policy: Policy, rule: str) -> Policy:
    """The rule as a person would write it: a text, or a table of TOML."""
    return policy.allowing([tomllib.loads(f"rule = {rule}")["rule"] if rule.startswith("{") else rule])


def test_a_rule_that_a_hint_proposes_permits_what_was_refused() -> None:
    wrong: list[str] = []
    followed = 0
    for text, shell, policy, first in _refused():
        verdict = first
        for _ in range(_MOST_STEPS):
            proposed = _RULE.search(verdict.hint)
            if proposed is None:
                break
            followed += 1
            before, policy = verdict, _with_rule(policy, proposed.group(1))  # noqa: PLW2901 - step by step
            verdict = judge(text, policy, shell=shell)
            if (verdict.reason, verdict.start) == (before.reason, before.start):
                wrong.append(f"{text!r}: {before.reason}; {before.hint}")
                break
    assert followed > 50
    assert wrong == []


@pytest.mark.parametrize("hint", sorted(_REWRITTEN))
def test_a_command_that_was_rewritten_as_the_hint_says_is_allowed(hint: str) -> None:
    shell, bad, good = _REWRITTEN[hint]
    before = judge(bad, _PLAIN, shell=shell)
    assert not before.allowed
    assert hint in before.hint
    after = judge(good, _PLAIN, shell=shell)
    assert after.allowed, after


@pytest.mark.parametrize("hint", sorted(_FENCED))
def test_a_command_that_was_rewritten_as_the_hint_of_a_fence_says_is_allowed(hint: str) -> None:
    bad, good = _FENCED[hint]
    policy = replace(_PLAIN, allowed_directories=("/srv/project",), files=LOCAL_FILES)
    before = judge(bad, policy, cwd="/srv/project")
    assert not before.allowed
    assert hint in before.hint
    after = judge(good, policy, cwd="/srv/project")
    assert after.allowed, after


def test_every_hint_of_the_corpora_is_followed_here_or_for_a_person() -> None:
    unknown = {
        f"{verdict.hint}  <- {text!r}"
        for text, _, _, verdict in _refused()
        if verdict.hint
        and verdict.hint not in {*_REWRITTEN, *_FENCED}
        and not _RULE.search(verdict.hint)
        and not _FOR_A_PERSON.match(verdict.hint)
        and not _WITH_NAMES.search(verdict.hint)
    }
    assert sorted(unknown) == []
