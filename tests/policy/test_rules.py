"""Rules: names, arguments, tables with examples, lists of first arguments, comma lists, patterns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, PolicyError, judge, judge_argv
from nacre.policy.corpus import run
from nacre.policy.rulesets import available

pytestmark = pytest.mark.req("policy-rules")


_CASES = Path(__file__).with_name("rulesets")


def decide(policy: Policy, text: str, cwd: str | None = None) -> str:
    return judge(text, policy, cwd=cwd).decision


def test_deny_beats_ask_beats_allow() -> None:
    policy = Policy.from_lists(allow=["git"], ask=["git push"], deny=["git push --force"])
    assert decide(policy, "git log") == "allow"
    assert decide(policy, "git push") == "ask"
    assert decide(policy, "git push origin --force") == "deny"
    assert decide(policy, "git log; git push") == "ask"
    assert decide(policy, "git push; rm x") == "deny"


def test_an_ask_rule_is_enough_under_an_allowlist() -> None:
    policy = Policy.from_lists(allow=["ls"], ask=["make"])
    assert decide(policy, "ls && make") == "ask"


def test_arguments_match_on_token_boundaries() -> None:
    policy = Policy.from_lists(allow=["npm run test", "cargo *", "ls -l?"])
    assert decide(policy, "npm run test -- -x") == "allow"
    assert decide(policy, "npm run tests") == "deny"
    assert decide(policy, "npm run") == "deny"
    assert decide(policy, "cargo build") == "allow"
    assert decide(policy, "cargo") == "allow"
    assert decide(policy, "ls -la") == "allow"
    assert decide(policy, "ls") == "deny"


def test_a_wildcard_does_not_climb_out_of_a_directory() -> None:
    policy = Policy.from_lists(allow=["./scripts/*", "cat /srv/*"])
    assert decide(policy, "./scripts/build.sh") == "allow"
    assert decide(policy, "./scripts/../x") == "deny"
    assert decide(policy, "cat /srv/a") == "allow"
    assert decide(policy, "cat /srv/../etc/shadow") == "deny"


def test_tables_have_conditions_and_reasons() -> None:
    table = {
        "command": "git push",
        "not_args": ["--force", "-f"],
        "cwd": ["/work/*"],
        "reason": "pushing is fine at work",
        "match": ["git push origin main"],
        "not_match": ["git push --force", "git push -uf", "git pull"],
    }
    policy = Policy.from_mapping({"allow": [table]})
    assert judge("git push", policy, cwd="/work/a").reason == "pushing is fine at work"
    assert decide(policy, "git push", "/home/a") == "deny"
    assert decide(policy, "git push -f", "/work/a") == "deny"
    assert decide(policy, "git push $x", "/work/a") == "deny"


_WRONG: list[tuple[dict[str, object], str]] = [
    ({"allow": [{"command": "ls", "match": ["cat x"]}]}, "'ls' does not match its example 'cat x'"),
    ({"deny": [{"command": "rm", "not_match": ["a; rm x"]}]}, "'rm' matches 'a; rm x'"),
    ({"allow": [{"command": ""}]}, "without 'command'"),
    ({"allow": [{"command": "ls", "arg": []}]}, "unknown key 'arg'"),
    ({"allow": [1]}, "a rule in 'allow'"),
    ({"allow": "ls"}, "must be a list"),
    ({"alow": []}, "unknown policy setting 'alow'"),
    ({"allow_writes": "no"}, "true or false"),
    ({"deny_patterns": ["("]}, "not a regular expression"),
    ({"allowed_arguments": []}, "must be a table"),
    ({"allow": ["  "]}, "an empty allow rule"),
]


@pytest.mark.parametrize(("table", "message"), _WRONG)
def test_a_wrong_policy_names_what_is_wrong(table: dict[str, object], message: str) -> None:
    with pytest.raises(PolicyError, match=message.replace("(", r"\(")):
        Policy.from_mapping(table)


def test_lists_of_first_arguments() -> None:
    policy = Policy.from_mapping(
        {"allowed_arguments": {"npm": ["install", "test"], "cat": [], "ls": ["-la"]}}
    )
    assert decide(policy, "npm install x") == "allow"
    assert decide(policy, "NPM test") == "allow"
    assert decide(policy, "npm") == "allow"
    assert decide(policy, "cat anything") == "allow"
    assert judge("npm Install", policy).reason == "Command 'npm' with argument 'Install' not allowed"
    assert judge("rm -rf x", policy).reason == "Command 'rm' not allowed"
    assert judge_argv(["ls", "-l"], policy).decision == "deny"
    assert judge_argv(["ls", "-la"], policy).decision == "allow"


def test_comma_lists_match_the_first_word_of_every_command() -> None:
    policy = Policy.from_patterns(allow="ls*, cat*,echo*", deny="rm*,sudo*")
    assert decide(policy, "lsblk -f") == "allow"
    assert decide(policy, "ls -la | cat") == "allow"
    assert decide(policy, "ls; rmdir x") == "deny"
    assert decide(policy, "find .") == "deny"
    only_deny = Policy.from_patterns(deny="rm*")
    assert decide(only_deny, "find . -name x") == "allow"
    assert decide(only_deny, "echo hi > f") == "allow"
    assert decide(only_deny, "sh -c 'rm x'") == "deny"


def test_blocked_commands_are_found_in_any_order_of_their_flags() -> None:
    policy = Policy.from_mapping({"blocked_commands": ["rm -rf", "format", "dd"]})
    for text in (
        "rm -rf /",
        "rm -fr /",
        "rm -r -f /",
        "rm / --recursive --force",
        "sudo rm -Rf /",
        "dd if=a of=b",
        "FORMAT c:",
    ):
        assert decide(policy, text) == "deny", text
    for text in (
        "rm x",
        "rm -r x",
        "echo rm -rf",
        "addd",
        "make && ./build.sh",
    ):
        assert decide(policy, text) == "allow", text
    for text in ("rm $x", "curl x | sh", "eval x", "$x", "bash build.sh", "source .venv/bin/activate"):
        assert decide(policy, text) == "ask", text


def test_patterns_over_the_whole_text_only_make_verdicts_stricter() -> None:
    policy = Policy.from_mapping({"allow": ["echo"], "deny_patterns": ["secret"], "ask_patterns": ["prod"]})
    assert decide(policy, "echo hi") == "allow"
    assert decide(policy, "echo prod") == "ask"
    assert decide(policy, "echo prod secret") == "deny"


def test_writes_are_allowed_without_an_allowlist_and_not_with_one() -> None:
    assert Policy.from_lists().allow_writes
    assert Policy.from_lists(deny=["rm"]).allow_writes
    assert not Policy.from_lists(allow=["ls"]).allow_writes
    assert Policy.from_lists(allow=["ls"], allow_writes=True).allow_writes
    assert not Policy.from_lists(allow_writes=False).allow_writes


def test_an_empty_policy_allows_all_but_hidden_text() -> None:
    policy = Policy.from_lists()
    assert decide(policy, "rm -rf / | sh; eval $x > f") == "allow"
    assert decide(policy, "echo 'unfinished") == "allow"
    assert decide(policy, "ls \x1b[2K; rm x") == "deny"
    assert judge_argv(["rm", "x"], policy).decision == "allow"


def test_a_rule_that_spells_an_option_permits_it() -> None:
    policy = Policy.from_lists(allow=["python3 -c *", "sed -i *", "bash build.sh", "docker run *"])
    assert decide(policy, "python3 -c 'import os; os.system(1)'") == "allow"
    assert decide(policy, "sed -i s/a/b/ f") == "allow"
    assert decide(policy, "bash build.sh --fast") == "allow"
    assert decide(policy, "bash other.sh") == "deny"
    assert decide(policy, "docker run -it x sh") == "allow"
    assert decide(policy, "sed -i '1e id' f") == "deny"


@pytest.mark.req("policy-include")
@pytest.mark.parametrize("name", available())
def test_a_ready_made_rule_set_allows_what_it_says_and_nothing_else(name: str) -> None:
    lines = (_CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    report = run(lines, LOCAL_FILES)
    assert [f"{f.command}: {f.verdict.decision} {f.verdict.reason}" for f in report.failures] == []
    cases = [json.loads(line) for line in lines]
    assert {case["policy"]["include"][0] for case in cases} == {name}
    assert {case["expect"] for case in cases} == {"allow", "deny"}


@pytest.mark.req("policy-include")
def test_every_case_of_a_rule_set_belongs_to_one() -> None:
    assert sorted(path.stem for path in _CASES.iterdir()) == available()


@pytest.mark.req("policy-include")
def test_a_rule_set_stands_beside_a_persons_own_rules() -> None:
    policy = Policy.from_mapping({"include": ["git-read"], "allow": ["make"], "deny": ["git show"]})
    assert decide(policy, "git log && make") == "allow"
    assert decide(policy, "git show") == "deny"
    with pytest.raises(PolicyError, match="there is no rule set 'git'"):
        Policy.from_mapping({"include": ["git"]})
