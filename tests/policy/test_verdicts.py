"""Verdicts: what they say, where they point, what may be remembered; paths; explanations; learning."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge, judge_argv
from nacre.policy.explain import explain
from nacre.policy.learn import propose

if TYPE_CHECKING:
    from pathlib import Path

POLICY = Policy.from_lists(
    allow=["ls", "git log", "git diff", "bash"], ask=["make", "python3 *"], deny=["rm"]
)


def part(text: str, policy: Policy = POLICY) -> str:
    verdict = judge(text, policy)
    return text[verdict.start : verdict.end]


def test_a_denial_points_at_the_part_and_names_the_rule() -> None:
    verdict = judge("ls && rm -rf x | ls", POLICY)
    assert (verdict.decision, verdict.rule) == ("deny", "rm")
    assert part("ls && rm -rf x | ls") == "rm -rf x"
    assert part("ls $(git push)") == "git push"
    assert part("ls > out") == "> out"
    assert part("bash -c 'ls; curl x'") == "curl x"
    assert part("PATH=/x ls") == "PATH=/x"
    assert part("ls 'unclosed") == "'"


def test_a_denial_says_what_would_be_allowed() -> None:
    assert judge("git push", POLICY).hint == "allowed here: git log, git diff"
    assert "ls" in judge("lsof", POLICY).hint


def test_every_simple_command_is_reported() -> None:
    verdict = judge("ls | env nice ls; bash -c 'ls && make'", POLICY)
    assert [(item.name, item.decision, item.via) for item in verdict.commands] == [
        ("ls", "allow", ()),
        ("ls", "allow", ("env", "nice")),
        ("bash", "allow", ()),
        ("ls", "allow", ()),
        ("make", "ask", ()),
    ]


@pytest.mark.parametrize(
    ("text", "remembered"),
    [
        ("make", True),
        ("make; ls", True),
        ("python3 x.py", False),
        ("env make", False),
        ("bash -c make", False),
        ("ls", False),
    ],
)
def test_approvals_of_interpreters_shells_and_wrappers_are_never_remembered(
    text: str, *, remembered: bool
) -> None:
    assert judge(text, POLICY).rememberable is remembered


def test_argv_is_judged_without_a_shell() -> None:
    assert judge_argv(["ls", "; rm x", "$(rm x)", "> f"], POLICY).decision == "allow"
    assert judge_argv(["rm", "x"], POLICY).decision == "deny"
    assert judge_argv(["env", "rm", "x"], POLICY).decision == "deny"
    assert judge_argv(["bash", "-c", "ls; rm x"], POLICY).decision == "deny"
    assert judge_argv([], POLICY).decision == "deny"
    assert judge_argv(["ls", "a\0b"], POLICY).decision == "deny"


def test_without_a_shell_a_builtin_is_a_program_of_that_name() -> None:
    assert judge_argv(["env", "ls"], Policy.from_lists(["ls"])).decision == "allow"
    assert judge_argv(["builtin", "ls"], Policy.from_lists(["ls"])).decision == "deny"
    assert judge_argv(["builtin", "ls"], Policy.from_lists(["builtin"])).decision == "allow"


def test_an_unknown_shell_is_refused() -> None:
    assert judge("ls", POLICY, shell="rc").decision == "deny"  # noqa: S604 - a name, nothing is run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "project" / "sub").mkdir(parents=True)
    (tmp_path / "project-other").mkdir()
    (tmp_path / "project" / "link").symlink_to(tmp_path)
    return tmp_path / "project"


def within(workspace: Path, text: str, cwd: Path | None = None) -> str:
    policy = replace(Policy.from_mapping({"allowed_directories": [str(workspace)]}), files=LOCAL_FILES)
    return judge(text, policy, cwd=str(cwd or workspace)).decision


def test_paths_stay_inside_the_allowed_directories(workspace: Path) -> None:
    for text in (
        "cat a.txt",
        "cat ./sub/../a",
        "ls",
        f"cat {workspace}/a",
        "cd sub && cat x",
        "grep -r /etc .",
        "cat *.txt",
        "echo /etc/passwd",
        "find . -type f -name '*.c' -exec cat {} +",
        "x=a; cat $x",
    ):
        assert within(workspace, text) == "allow", text
    for text in (
        "cat /etc/passwd",
        "cat ../x",
        "cat sub/../../x",
        "cat link/x",
        "cat ~/x",
        "echo a > /tmp/x",
        "cat < /etc/passwd",
        f"cat {workspace}-other/x",
        "cd / && ls",
        "cd sub && cat ../../x",
        "cat /etc/*",
        "cat */../../x",
        "head --lines=1 /etc/passwd",
        "grep x /etc/passwd",
        "dd if=/etc/passwd",
        "sort --files0-from=/etc/x",
        "cat ~root/x",
    ):
        assert within(workspace, text) == "deny", text
    assert within(workspace, 'cat "$x"') == "ask"


def test_the_working_directory_itself_must_be_inside(workspace: Path) -> None:
    assert within(workspace, "ls", workspace / "sub") == "allow"
    assert within(workspace, "ls", workspace.parent) == "deny"
    assert within(workspace, "ls", workspace / "link") == "deny"


def test_a_link_into_the_workspace_is_resolved(workspace: Path) -> None:
    (workspace.parent / "in").symlink_to(workspace / "sub")
    assert within(workspace, f"cat {workspace.parent}/in/x") == "allow"


def test_an_explanation_underlines_the_part() -> None:
    text = "ls;\nls && git push"
    lines = explain(text, judge(text, POLICY)).splitlines()
    assert lines[0] == "DENY  Command 'git' not allowed"
    assert lines[2:4] == ["  ls && git push", "        ^^^^^^^^"]
    assert "\x1b[31m" in explain(text, judge(text, POLICY), colour=True)
    assert explain("ls", judge("ls", POLICY)).startswith("ALLOW")


def test_an_explanation_never_prints_control_characters() -> None:
    text = "ls \x1b[2K; rm x"
    assert "\x1b" not in explain(text, judge(text, POLICY))


def test_a_long_line_is_cut_around_the_part() -> None:
    text = "ls " + "a" * 500 + " | rm x"
    lines = explain(text, judge(text, POLICY)).splitlines()
    assert any("rm x" in line and len(line) < 120 for line in lines)


def test_learning_proposes_the_smallest_reviewed_set() -> None:
    ran = [
        "ls -la",
        "git log -3 | head",
        "git status && git log",
        "env CI=1 npm run build",
        "python3 -m pytest -q",
    ]
    proposal = propose(ran)
    assert [rule for rule, _ in proposal.rules] == [
        "git log",
        "git status",
        "head",
        "ls",
        "npm run",
        "python3 -m pytest",
    ]
    assert dict(proposal.rules)["git log"] == 2
    assert not proposal.needs_writes
    assert proposal.left_out == ()
    policy = Policy.from_lists([rule for rule, _ in proposal.rules])
    assert all(judge(text, policy).allowed for text in ran)


def test_learning_never_proposes_what_runs_anything() -> None:
    proposal = propose(["eval x", "python3 -c 'import os'", "echo a > f", "source x"])
    assert [rule for rule, _ in proposal.rules] == ["echo"]
    assert proposal.needs_writes
    assert [text for text, _ in proposal.left_out] == ["eval x", "python3 -c 'import os'", "source x"]
    assert "allow_writes = true" in proposal.as_toml()


@pytest.mark.req("policy-repeated")
def test_a_text_that_comes_again_is_judged_by_the_rules_directory_and_files_of_now(tmp_path: Path) -> None:
    strict = Policy.from_lists(["cat"], deny=["ls"])
    assert [judge("ls -la", policy).decision for policy in (POLICY, strict, POLICY)] == [
        "allow",
        "deny",
        "allow",
    ]
    inside, outside = tmp_path / "in", tmp_path / "out"
    for place in (inside, outside):
        place.mkdir()
    fenced = replace(
        Policy.from_mapping({"allow": ["cat"], "allowed_directories": [str(inside)]}), files=LOCAL_FILES
    )
    (inside / "f").write_text("x", encoding="utf-8")
    assert judge("cat f", fenced, cwd=str(inside)).allowed
    assert not judge("cat f", fenced, cwd=str(outside)).allowed
    (inside / "f").unlink()
    (inside / "f").symlink_to(outside / "f")
    assert not judge("cat f", fenced, cwd=str(inside)).allowed
    assert judge("cat f", Policy.from_lists(["cat"]), fed=True).allowed


@pytest.mark.req("policy-repeated")
def test_a_text_is_judged_alike_the_first_time_and_later() -> None:
    texts = ["ls -la", "ls | env nice ls; bash -c 'ls && make'", "git log > f", "rm x", "sh -c 'echo {a,b}'"]
    for text in texts:
        assert judge(text, POLICY) == judge(text, POLICY), text
    # The same text in another shell is another text.
    bash, dash = (judge("ls {a,b} &> x", POLICY, shell=name) for name in ("bash", "dash"))
    assert bash != dash


@pytest.mark.req("policy-input")
@pytest.mark.parametrize("text", ["less f", "ls | less", "man ls", "git log | more", "env less f"])
def test_nothing_is_typed_for_a_program_whose_keys_run_commands(text: str) -> None:
    policy = Policy.from_lists(["less", "more", "man", "ls", "git log", "cat"])
    assert judge(text, policy).allowed
    verdict = judge(text, policy, typed=True)
    assert (verdict.decision, verdict.rule) == ("deny", "not resolvable")
    assert "runs commands that are typed" in verdict.reason
    assert judge_argv(["less", "f"], policy, typed=True).decision == "deny"
    assert judge("cat", policy, typed=True).allowed


@pytest.mark.req("policy-input")
def test_nothing_is_typed_for_a_program_that_starts_a_pager_or_an_editor_on_a_terminal() -> None:
    policy = Policy.from_lists(["git", "env", "systemctl", "aws", "psql", "dpkg", "apt-get"])
    pagers = ("git log", "git -C sub diff", "env -i git show", "git branch", "git revert HEAD", "git merge x")
    others = ("systemctl status", "aws s3 ls", "psql -c 'select 1'", "dpkg -l", "apt-get update")
    for text in (*pagers, *others):
        assert judge(text, policy, cwd="/").allowed, text
        assert "runs commands that are typed" in judge(text, policy, cwd="/", typed=True).reason, text
    for text in ("git push", "git fetch origin", "git clean -i", "git commit -m x", "git --version"):
        assert judge(text, policy, cwd="/", typed=True).allowed, text


@pytest.mark.parametrize("text", ["unset cleanup", "cleanup() { ls; }", 'x=a; cleanup() { sort "$x"; }'])
def test_a_function_that_a_trap_calls_stays_what_it_is(text: str) -> None:
    policy = Policy.from_lists(allow=["ls", "sort", "trap", "unset"])
    first = judge("cleanup() { ls; }; trap cleanup EXIT", policy)
    assert first.allowed
    assert judge(text, policy).allowed
    assert not judge(text, policy, kept=first.kept).allowed
    assert judge("ls", policy, kept=first.kept).allowed


@pytest.mark.parametrize(
    "text", ["string --help", "math -h", "set x --help; string length $x", "contains $x a"]
)
def test_nothing_is_typed_for_a_builtin_of_fish_that_may_show_its_help(text: str) -> None:
    policy = Policy.from_lists(allow=["cat"])
    assert not judge(text, policy, shell="fish", typed=True).allowed  # noqa: S604  # a judgement
    assert judge(text, policy, shell="fish").allowed  # noqa: S604  # the same
    assert judge("string length a", policy, shell="fish", typed=True).allowed  # noqa: S604  # a judgement


@pytest.mark.req("policy-cli")
def test_a_proposal_is_toml_whatever_was_run() -> None:
    proposed = propose(["""python3 'a"b.py'""", "./x\\'y' 1", "ls -la", "echo 'left\nout' > f; eval x"])
    rules = tomllib.loads(proposed.as_toml())["allow"]
    assert 'python3 a"b.py' in rules
    assert Policy.from_lists(rules).allows
