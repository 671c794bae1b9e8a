# ruff: noqa: E501 - lists of texts
"""What programs do with their arguments, and the small languages of sed and awk."""

from __future__ import annotations

import pytest

from nacre.policy import Policy, judge
from nacre.policy.languages.awk import awk_actions
from nacre.policy.languages.javascript import files_of_plain_javascript
from nacre.policy.languages.python import files_of_plain_python
from nacre.policy.languages.sed import sed_actions
from nacre.policy.languages.sql import sql_actions
from nacre.policy.posix import scan
from nacre.policy.programs import inspect
from nacre.policy.values import Context


def steps(text: str) -> list[str]:
    """The commands that a text amounts to, wrappers in brackets."""
    found = scan(text)
    assert found.refusal is None
    command = found.commands[-1]
    looked = inspect(command.words, Context(text, found))
    return [f"[{s.words[0].text}]" if s.role == "wrapper" else s.words[0].text for s in looked.steps]


def effects(text: str) -> list[str]:
    found = scan(text)
    context = Context(text, found)
    looked = inspect(context.readings(found.commands[-1])[0].words, context)
    return list(
        dict.fromkeys(effect.kind for step in looked.steps for effect in step.effects if not effect.near)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("env -i -u B A=1 nice -n 5 ls -la", ["[env]", "[nice]", "ls"]),
        ("timeout -s KILL --foreground 5s ls", ["[timeout]", "ls"]),
        ("xargs -0 -n 1 -P4 grep x", ["[xargs]", "grep"]),
        ("xargs", ["[xargs]", "echo"]),
        ("sudo -u root -- ls", ["sudo", "ls"]),
        ("/tmp/env ls", ["/tmp/env", "ls"]),
        ("busybox ls", ["busybox", "ls"]),
        ("env", ["env"]),
        ("exec ls", ["[exec]", "ls"]),
        ("command -v ls", ["command"]),
        ("find . -exec ls {} + -exec wc {} ;", ["find", "ls", "wc"]),
        ("find . -delete", ["find", "rm"]),
        ("/lib64/ld-linux-x86-64.so.2 /bin/ls", ["/lib64/ld-linux-x86-64.so.2", "/bin/ls"]),
    ],
)
def test_wrappers_are_looked_through(text: str, expected: list[str]) -> None:
    assert steps(text.replace(" ;", " \\;")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sort -k2 -t, f", []),
        ("sort -uo f", ["write"]),
        ("sort --out=f", ["run", "write"]),
        ("sort -o /dev/null f", []),
        ("tar xf a", ["write"]),
        ("tar tf a", []),
        ("tar tfI a sh", ["run"]),
        ("git log -5 --output=f", ["write"]),
        ("git -c color.ui=never log", []),
        ("git -c core.pager=x log", ["run"]),
        ("curl -fsSo /dev/null -w x https://a", []),
        ("make -C sub X=1", []),
        ("make -C /x", ["run"]),
        ('git show "$x"', ["unresolved"]),
        ("git show $x", ["unresolved"]),
        ('x=-r; sort "$x"', []),
        ('x=-of; sort "$x"', ["write"]),
        ("python3 x.py -c y", []),
        ("python3 -c y", ["inline"]),
        ("sort {a,-o}", ["write"]),
    ],
)
def test_options_count_as_what_they_do(text: str, expected: list[str]) -> None:
    assert effects(text) == expected


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("s/a/b/g; 1,5p; $d; /x/,/y/{s,a,b,;n}", []),
        ("y/abc/xyz/; /[^/]*$/d; s/[[:space:]]$//", []),
        ("a hello; e id\n2q", []),
        ("1e id", ["run"]),
        ("s/a/b/ge", ["run"]),
        ("s/a/b/w out", ["write"]),
        ("$!{w out\n}", ["write"]),
        (":a;N;$!ba;s/\\n/ /g", []),
        ("s/a/b", ["unknown"]),
        ("k", ["unknown"]),
        ("", []),
    ],
)
def test_sed_scripts_are_read(script: str, kinds: list[str]) -> None:
    assert [action.kind for action in sed_actions(script)] == kinds


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        ("{print $1; n++} END {print n/2, $NF}", []),
        ("$3 > 10 && /a|b/ {print ($2 > 1)}", []),
        ('{print "a > b | c"}', []),
        ('{print > "out"}', ["write"]),
        ('{print $1,\n$2 > "out"}', ["write"]),
        ('{print > "/dev/stderr"}', []),
        ('{print | "sh"}', ["run"]),
        ('BEGIN{system("id")}', ["run"]),
        ('{"id" | getline x}', ["run", "run"]),
        ("@load 'x'", ["run", "unknown"]),
        ("/unclosed", ["unknown"]),
        ("/[][][][][][][][][][][][][][][][][][][][][][][]", ["unknown"]),
    ],
)
def test_awk_programs_are_read(program: str, kinds: list[str]) -> None:
    assert [action.kind for action in awk_actions(program)] == kinds


def test_plain_python_only_reads_computes_and_prints() -> None:
    for code in (
        "print(1 + 2)",
        "import json, sys; print(json.load(sys.stdin)['os.system'])",
        "print(f'{1 + 1}', '{}'.format(2))",
        "def f(x):\n    return x * 2\nprint([f(i) for i in range(3)])",
    ):
        assert files_of_plain_python(code) == [], code
    assert files_of_plain_python("import json; print(json.load(open('a.json'))['x'])") == ["a.json"]
    for code in ("import pkg; print(pkg.__version__)", "import numpy as np, x.y\nprint('v', np.__version__)"):
        assert files_of_plain_python(code) == [], code
    for code in (
        "import antigravity",
        "import pip.__main__",
        "import a as print; print('x')",
        "import sh; print(sh.rm.__version__)",
        "import a; print(a.__version__, file=b)",
        "import a; a.b()",
    ):
        assert files_of_plain_python(code) is None, code
    for code in (
        "import os; os.system('id')",
        "open('x', 'w')",
        "open(input())",
        "f = open; f('x', 'w')",
        "eval('1')",
        "__import__('os')",
        "().__class__",
        "f'{__import__(1)}'",
        "import sys; sys.modules['os'].system('id')",
        "import sys; sys.path.append('/x')",
        "from platform import subprocess",
        "import platform; platform.os",
        "getattr(1, 'x')",
        "print(`id`)",
    ):
        assert files_of_plain_python(code) is None, code


def test_plain_javascript_only_computes_and_prints() -> None:
    for code in (
        "console.log(process.version)",
        "1 + 1",
        "require('./package.json').version",
        "console.log(JSON.stringify(require('./package.json').scripts))",
        "console.log(process.env.HOME); console.log(6 / 2)",
    ):
        assert files_of_plain_javascript(code) is not None, code
    for code in (
        "require('child_process')",
        "require('./x.js')",
        '[]["filter"]["constructor"]("return 1")()',
        "process.mainModule.require('fs')",
        "process.version.constructor('x')",
        "console.log`x`",
        "eval('1')",
        # A regular expression with a quote in it hides what follows from a reader of strings.
        "/\"/;require('child_process').execSync('id')//\"",
    ):
        assert files_of_plain_javascript(code) is None, code


@pytest.mark.parametrize(
    "text",
    [
        "select count(*), max(x) from t where status = 'open' and id in (1, 2)",
        "insert into t(a, b) values (1, 'x''y')",
        "create table if not exists t(id integer primary key, n varchar(20) references u(id))",
        "create index i on t(x); pragma table_info(t)",
        "with recursive n(x) as (select 1 union all select x + 1 from n) select x from n",
        ".tables",
        ".schema users",
        "vacuum",
    ],
)
def test_statements_that_query_and_change_tables_are_known(text: str) -> None:
    assert sql_actions(text, "sqlite3") == []


@pytest.mark.parametrize(
    "text",
    [
        "select edit('x', 'id')",
        "select \"edit\"('x')",
        "select [edit]('x')",
        "select * from a join b on edit('x')",
        "create view v as select * from a join b on edit('x')",
        "with a as (select 1) select 1, edit('x')",
        "create table t as select writefile('x', 1)",
        "select * from fsdir('/etc')",
        "vacuum main into 'p'",
        "attach 'x' as y",
        'pragma "writable_schema"=1',
        "create virtual table t using csv(filename='x')",
        "select 1\n.shell id",
        "select 1 -- x",
        ".shell id",
        ".output x",
    ],
)
def test_statements_that_open_files_or_run_code_are_not(text: str) -> None:
    assert sql_actions(text, "sqlite3") != []


def test_an_editor_or_debugger_takes_no_names_that_could_be_options() -> None:
    policy = Policy.from_lists(["vim", "emacs", "gdb"])
    for text in ("vim *", "emacs -[e]val", "gdb ?x", 'vim "$x"', "vim -$x"):
        assert not judge(text, policy).allowed, text
    for text in ("vim ./*", "emacs a.txt", 'vim ./"$x.txt"', "vim ~/f"):
        assert judge(text, policy).allowed, text


_GIT = Policy.from_lists(["git", "env", "sudo *"], allow_writes=True)
_EDITED = [
    "git commit", "git commit --amend", "git commit -v", "git commit -m x -e", "git commit -c HEAD", "git commit -t f",
    "git commit --squash=HEAD", "git commit --fixup=amend:HEAD", "git commit -p -m x", "git -C . commit", "git tag -a v1",
    "git tag -m x -e v1", "git notes add", "git notes append", "git merge --continue", "git merge -e x", "git pull --edit",
    "git rebase --continue", "git rebase --autosquash x", "git cherry-pick --continue", "git revert -e HEAD",
    "git add -p", "git add --interactive", "git stash -p", "git stash push --patch", "git checkout -p", "git restore -p",
    "git reset -p",
]  # fmt: skip


@pytest.mark.req("policy-editors")
@pytest.mark.parametrize("text", _EDITED)
def test_git_starts_no_editor(text: str) -> None:
    assert judge(text, _GIT).decision == "deny"
    assert judge(f"GIT_EDITOR=true {text}", _GIT).decision == "allow"
    for before in (
        "GIT_EDITOR=vi ",
        "GIT_EDITOR+=true ",
        "EDITOR=true ",
        "GIT_EDITOR=true sudo ",
        "GIT_EDITOR=true; ",
    ):
        assert judge(before + text, _GIT).decision == "deny", before


@pytest.mark.req("policy-editors")
@pytest.mark.parametrize(
    "text",
    [
        "git commit -m x", "git commit -am x", "git commit -F f", "git commit -C HEAD", "git commit --amend --no-edit",
        "git commit --fixup=HEAD", "git commit --squash=HEAD -m x", "git commit --dry-run", "git tag v1", "git tag -l",
        "git tag -a v1 -m x", "git tag -am x v1", "git notes add -m x", "git notes list", "git merge x", "git pull",
        "git rebase x", "git rebase --abort", "git cherry-pick x", "git revert HEAD", "git stash", "git stash show -p",
        "git log -p", "git add .", "git branch -i --list x", "git commit -i f -m x",
    ],
)  # fmt: skip
def test_git_with_a_message_needs_no_editor(text: str) -> None:
    assert judge(text, _GIT).decision == "allow"
