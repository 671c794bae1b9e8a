"""What a word can be when the command runs: proven by the text itself, or not known at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, Verdict, judge
from nacre.policy.model import Word
from nacre.policy.posix import scan
from nacre.policy.values import Context

pytestmark = pytest.mark.req("policy-values")


def readings(text: str, shell: str = "bash") -> list[list[str]]:
    """The last command of a text in all its readings; unproven pieces are shown as `?`."""
    return [[word.text.replace("\0", "?") for word in reading] for reading in words_of(text, shell)]


def words_of(text: str, shell: str = "bash") -> list[tuple[Word, ...]]:
    found = scan(text, shell)
    assert found.refusal is None, found.refusal
    command = [item for item in found.commands if item.words][-1]
    return [reading.words for reading in Context(text, found, shell).readings(command)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x=a; c "$x"', [["c", "a"]]),
        ('x=a; y="$x/b"; c "$y"', [["c", "a/b"]]),
        ("x='a b'; c $x", [["c", "a", "b"]]),
        ("x='a b'; c \"$x\"", [["c", "a b"]]),
        ("x=; c $x", [["c"]]),
        ('x=a; x=b; c "$x"', [["c", "a"], ["c", "b"]]),
        ('for x in a b; do c "$x"; done', [["c", "a"], ["c", "b"]]),
        ('x=a && c "$x"', [["c", "a"]]),
        ("export x=a; c $x", [["c", "a"]]),
        ('x=(a "b c"); c "${x[@]}"', [["c", "a", "b c"]]),
        ('x=a-b; c "${x#a}"', [["c", "-b"]]),
        ('x=a.py; c "${x%.py}"', [["c", "a"]]),
        ('x=; c "${x:-d}"', [["c", "d"]]),
        ("c \"$(cat <<'E'\na b\n'c'\nE\n)\"", [["c", "a b\n'c'"]]),
        ("c ${x:+-v}", [["c"], ["c", "-v"]]),
    ],
)
def test_what_the_text_assigns_is_proven(text: str, expected: list[list[str]]) -> None:
    assert readings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'c "$x"',
        'c "$1"',
        'c "$_"',
        'c "$BASH_REMATCH"',
        'c "${x:-a}"',
        'c "$(d)"',
        'x=a; x=$(d); c "$x"',
        'x=a; read x; c "$x"',
        'x=a; printf -v x b; c "$x"',
        'x=a; x+=b; c "$x"',
        'if d; then x=a; fi; c "$x"',
        'd && x=a; c "$x"',
        'd || x=a && c "$x"',
        'x=a | d; c "$x"',
        'x=a & c "$x"',
        '(x=a); c "$x"',
        'y=$(x=a); c "$x"',
        'x=a d; c "$x"',
        'x=a export; c "$x"',
        'x=a c "$x"',
        'while d; do c "$x"; x=a; done',
        'f() { c "$x"; }; x=a',
        'x=a; eval d; c "$x"',
        'x=a; read "$y"; c "$x"',
        'x=A; declare -l x; c "$x"',
        'x="$x"; c "$x"',
        'PWD=a; c "$PWD"',
        'for x; do c "$x"; done',
        'for x in *; do c "$x"; done',
        'd <<E; x=a\n$(c "$x")\nE',
    ],
)
def test_everything_else_is_not(text: str) -> None:
    found = words_of(text)
    unproven = [word for reading in found for word in reading[1:] if not word.literal]
    assert unproven, found
    assert all(word.may_be_option for word in unproven)


@pytest.mark.parametrize(("shell", "builtin"), [("sh", "typeset"), ("dash", "declare"), ("ksh", "declare")])
def test_a_builtin_that_a_shell_may_not_have_assigns_nothing(shell: str, builtin: str) -> None:
    assert not words_of(f'{builtin} x=a; c "$x"', shell)[0][1].literal


def test_a_word_tells_what_is_proven_about_the_rest_of_it() -> None:
    assert words_of('c --out="$x"')[0][1].prefix == "--out="
    assert words_of('c ./"$x"')[0][1].prefix == "./"
    assert not words_of('c ./"$x"')[0][1].may_be_option
    assert not words_of("c ./*.py")[0][1].may_be_option
    assert words_of("c *.py")[0][1].may_be_option
    assert words_of("c -j$(nproc)")[0][1].prefix == "-j"
    assert not words_of("c -j$(nproc)")[0][1].splits
    assert words_of("c $(nproc)")[0][1].number
    assert not words_of("c log-$(date +%Y%m%d_%H%M).txt $(git rev-parse HEAD)")[0][1].several
    assert not words_of("c $(git rev-parse HEAD)")[0][1].may_be_option
    assert words_of("c $(date '+%F %T')")[0][1].several
    assert words_of("c $?")[0][1].number
    assert words_of("c ${#x}")[0][1].number
    assert words_of("c $((1 + 2))")[0][1].may_be_option
    assert words_of("c $x")[0][1].splits
    assert words_of("c *.py")[0][1].several
    assert not words_of('c "$(pwd)"')[0][1].may_be_option
    assert not words_of("c ~/x")[0][1].may_be_option


def test_a_loop_over_files_gives_one_name_that_matches() -> None:
    word = words_of('for f in ./*.py; do c "$f"; done')[0][1]
    assert word.file_pattern == "./*.py"
    assert word.prefix == "./"
    assert not word.several


def test_zsh_does_not_split_a_variable_but_everything_else() -> None:
    assert readings("x='a b'; c $x", "zsh") == [["c", "a b"]]
    for text in ("c $x", "c $1", "c $(d)", "x=(a b); c $x", "x=$(d); c $x"):
        assert words_of(text, "zsh")[0][1].several, text


def test_many_values_become_what_they_share() -> None:
    words = " ".join(f"./{i}" for i in range(100))
    found = words_of(f'for x in {words}; do c "$x" "$x"; done')
    assert len(found) == 1
    assert found[0][1].prefix == "./"
    assert not found[0][1].may_be_option


def test_chains_of_variables_cost_little() -> None:
    doubled = "".join(f"; x{i + 1}=$x{i}$x{i}" for i in range(60))
    assert len(words_of(f'x0=a{doubled}; c "$x60"')) == 1
    chosen = "".join(f"; x{i + 1}=a$x{i}; x{i + 1}=b$x{i}" for i in range(60))
    assert len(words_of(f'x0=a{chosen}; c "$x60"')) == 1


_FIND = Policy.from_lists(["find", "ls", "cat", "echo", "local"])


@pytest.mark.parametrize(
    "text",
    [
        'x=a </nofile; find . "$x"',
        '{ x=a; } </nofile; find . "$x"',
        'if ls; then x=a; else x=b; fi </nofile; find . "$x"',
        'local x=a; find . "$x"',
        'x=a$((1/0))\nfind . "$x"',
        'x=a$((08))\nfind . "$x"',
        'echo $((1/0)); x=a\nfind . "$x"',
        'y=b; echo ${y:1:-9}; x=a\nfind . "$x"',
        'UID=1; x=a\nfind . "$x"',
        'y[-9]=a; x=a\nfind . "$x"',
        '{ y=b; ls $((1/0)); x=a; }\nfind . "$x"',
        'f() { echo $((1/0)); }\nf; x=a\nfind . "$x"',
        'f() { echo $((1/0)); }; f; x=a\nfind . "$x"',
        'ls <<E; x=a\n$((1/0))\nE\nfind . "$x"',
        "echo $((1/0)); poweroff() { ls; }\npoweroff",
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_nothing_is_certain_that_an_error_can_prevent(text: str, shell: str) -> None:
    assert not judge(text, _FIND, shell=shell).allowed


@pytest.mark.parametrize(
    "text",
    [
        'x=a\nfind . "$x"',
        'x=a; y=$((1/0))\nfind . "$x"',
        'x=a\necho $((1+1))\nfind . "$x"',
        'y=$((1/0)); x=a; find . "$x"',
        "f() { echo $((1/0)); }\nf",
        'f() { local x=a; find . "$x"; }; f',
        '{ x=a; find . "$x"; } </dev/null',
    ],
)
def test_what_was_assigned_before_an_error_stays_certain(text: str) -> None:
    assert judge(text, _FIND).allowed


# -- what earlier commands of a session have left ------------------------------------------------------------

_SESSION_RULES = ["c1", "find", "ls", "declare", "typeset", "trap", "kill", "cd"]


def _last_verdict(texts: Sequence[str], shell: str) -> Verdict:
    """The verdict about the last text, with what the gate remembers of those before it."""
    policy = Policy.from_lists(_SESSION_RULES, allow_writes=False)
    kept: set[str] = set()
    verdict = judge("ls", policy, shell=shell)
    for text in texts:
        assert verdict.allowed
        verdict = judge(text, policy, shell=shell, kept=kept)
        kept |= verdict.kept
    return verdict


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "mksh", "ksh"])
@pytest.mark.parametrize(
    "left", ["c1() { x=-exec; }", "c1() (x=a)", "trap 'x=-exec' USR1", "trap 'x=-exec; ls' EXIT CHLD"]
)
def test_a_function_or_trap_of_an_earlier_command_can_assign_while_a_later_one_runs(
    shell: str, left: str
) -> None:
    assert not _last_verdict([left, 'x=a; c1; find . -name x "$x"'], shell).allowed
    assert not _last_verdict([left, 'x=a; y=c1; $y; find . -name x "$x"'], shell).allowed


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize(
    "kept",
    [
        'x=a; c1() { find . "$x"; }',
        "x=ls; c1() { $x; }",
        "x=1; c1() { ls $((x)); }",
        'x=/dev/null; c1() { ls > "$x"; }',
        'x=a; g() { find . "$x"; }; c1() { g; }',
        'c1() { x=a; find . "$x"; }',  # with more before `find`, a later function may come between
    ],
)
def test_in_a_function_that_later_commands_may_call_no_value_is_proven(kept: str) -> None:
    assert not _last_verdict([kept], "bash").allowed
    assert _last_verdict([kept.replace("c1", "h")], "bash").allowed


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize(
    "left", ["f() { x=-exec; }", "trap 'x=-exec' EXIT", "trap 'ls' EXIT", "x=-exec", "trap - USR1"]
)
def test_what_cannot_run_in_between_leaves_later_commands_as_they_are(left: str) -> None:
    assert _last_verdict([left, 'x=a; c1; find "$x"'], "bash").allowed


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize("declared", ["declare -A y", "typeset -A y", "declare -gA y", "declare -A y=(a b)"])
def test_a_list_of_keys_and_values_does_not_hold_the_words_that_it_is_given(declared: str) -> None:
    used = 'y=(-name -exec -type c9); find . "${y[@]}"'
    assert not _last_verdict([declared, used], "bash").allowed
    assert not _last_verdict([f"{declared}; {used}"], "bash").allowed
    assert _last_verdict(["declare -A z", 'y=(-name a); find . "${y[@]}"'], "bash").allowed


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize(
    ("shell", "name"),
    [
        *(("zsh", name) for name in ("chpwd", "precmd", "preexec", "TRAPUSR1", "TRAPZERR", "zshexit")),
        *(("bash", "command_not_found_handle"), ("zsh", "command_not_found_handler")),
        *(("ksh", "x.get"), ("ksh", "x.set")),
    ],
)
def test_a_function_that_the_shell_calls_by_itself_is_refused(shell: str, name: str) -> None:
    assert "by themselves" in _last_verdict([f"{name}() {{ ls; }}"], shell).reason


@pytest.mark.req("policy-session-state")
def test_a_function_that_changes_the_directory_is_refused_where_directories_are_bounded(
    tmp_path: Path,
) -> None:
    (tmp_path / "sub").mkdir()
    fenced = replace(
        Policy.from_mapping({"allow": ["ls", "cd"], "allowed_directories": [str(tmp_path)]}),
        files=LOCAL_FILES,
    )
    for text, allowed in (
        ("f() { cd sub; ls; }", False),
        ("f() { ls sub; }; f; cd sub", True),
    ):
        assert judge(text, fenced, cwd=str(tmp_path)).allowed == allowed
        assert judge(text, Policy.from_lists(["ls", "cd"]), cwd=str(tmp_path)).allowed


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize("prefix", ["", "command ", "command -p ", "builtin -- ", "command builtin command "])
def test_a_directory_is_entered_behind_any_prefix(tmp_path: Path, prefix: str) -> None:
    (tmp_path / "sub").mkdir()
    policy = Policy.from_mapping({"allow": ["cat", "cd"], "allowed_directories": [str(tmp_path)]})
    fenced = replace(policy, files=LOCAL_FILES)
    assert judge(f"{prefix}cd {tmp_path}; cat x", fenced, cwd=str(tmp_path / "sub")).allowed
    assert not judge(f"{prefix}cd {tmp_path}; cat ../x", fenced, cwd=str(tmp_path / "sub")).allowed
    assert judge("cat ../x", fenced, cwd=str(tmp_path / "sub")).allowed


@pytest.mark.req("policy-values")
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "mksh", "ksh"])
@pytest.mark.parametrize("prefix", ["", "command ", "command -p ", "command command -- ", "builtin builtin "])
def test_what_a_builtin_assigns_behind_any_prefix_is_not_proven(shell: str, prefix: str) -> None:
    policy = Policy.from_lists(["find", "read", "unset", "getopts", "export", "echo"], allow_writes=False)
    for assigned in (
        "read -r x < f",
        "unset x",
        "getopts ab x -o",
        "export x=-delete",
        "printf -v x -- -delete",
    ):
        verdict = judge(f'x=a; {prefix}{assigned}; find . "$x"', policy, shell=shell)
        assert not verdict.allowed
    if "builtin" in prefix and shell in {"dash", "ksh"}:
        return  # there it is a program, or adds builtins
    assert judge(f'x=a; {prefix}echo x; find . "$x"', policy, shell=shell).allowed


@pytest.mark.req("policy-session-state")
@pytest.mark.parametrize("given", ["x=$(c1)", "x=a", "x=$y", "x=07", "x+=1", "for x in a; do ls; done"])
def test_zsh_evaluates_what_a_variable_is_given_that_arithmetic_has_assigned(given: str) -> None:
    for left in ("((x=1))", ": $((x=1))", "x=1; ((x++))", "x=1; ((x+=2))"):
        assert not _last_verdict([left, given], "zsh").allowed
        assert not _last_verdict([f"{left}; {given}"], "zsh").allowed
    assert _last_verdict(["((x=1))", "x=5", "x=5; ((x++)); find . -maxdepth $x"], "zsh").allowed
    assert _last_verdict(["((x=1))", given.replace("x", "z")], "zsh").allowed


@pytest.mark.req("policy-values")
@pytest.mark.parametrize("shell", ["bash", "mksh", "ksh"])
def test_the_number_of_a_user_may_come_from_the_environment(shell: str) -> None:
    """Only zsh knows better: to the others UID is a variable like any other, once somebody has set it."""
    for name in ("UID", "EUID"):
        assert not _last_verdict([f'find . "${name}"'], shell).allowed
        assert _last_verdict([f'find . "${name}"'], "zsh").allowed
