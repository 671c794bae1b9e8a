"""Rules in the kernel: what a command really starts is held against them, whatever its text looks like."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import shutil
import signal
import sys
import threading
from dataclasses import replace

import pytest
from gated_service import Gated, gated, workspace

from nacre.errors import PlaceError, Refused, RequestError
from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, PolicyError
from nacre.policy.children import ANY, default_children
from nacre.sandbox.exec_gate import Exec
from nacre.sandbox.exec_rules import ExecRules, Process, Where
from nacre.sandbox.executables import HEAD_BYTES, Executables, TooWideError, words_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")

SHELLS = ("bash", "dash", "zsh", "ksh", "mksh", "fish")


def gate_threads() -> set[threading.Thread]:
    """Those that answer the keepers of this process."""
    return {thread for thread in threading.enumerate() if thread.name == "exec gate"}


@pytest.mark.req("exec-rules")
@pytest.mark.parametrize("shell", SHELLS)
def test_what_no_rule_allows_does_not_start_in_any_shell(shell: str) -> None:
    with gated({"allow": ["ls", "cat"]}, shell=shutil.which(shell) or shell) as run:
        for session in (None, "a"):
            refused = run("env rm victim" if session else "/bin/rm victim", session)
            assert refused.exit_code, session
            assert "was not started: Command 'rm' not allowed" in " ".join(refused.hints)
            assert "Allowed here: ls, cat." in " ".join(refused.hints)
            assert run("ls | cat", session).stdout.text == "victim\n"
        assert run("ls; cat victim").hints == ()


@pytest.mark.req("exec-unread")
@pytest.mark.parametrize("shell", ["elvish", "yash", "oursh"])
def test_rules_hold_in_shells_whose_language_nobody_reads(shell: str) -> None:
    with workspace() as directory:
        (directory / "oursh").symlink_to("/bin/dash")
        path = shutil.which(shell) or str(directory / shell)
        policy = {"allow": ["ls", "cat", "touch"], "deny_patterns": ["victim.*victim"]}
        with contextlib.closing(Gated(directory, policy, path, sandbox="read-only")) as run:
            run.read_texts()
            for session in (None, "a"):
                assert "Command 'rm' not allowed" in " ".join(run("rm victim", session).hints)
                assert run("cat victim", session).stdout.text == "alive"
                assert not run("touch new", session).ok  # nobody can tell what such a shell writes
            with pytest.raises(Refused, match="pattern"):
                run("cat victim victim")


@pytest.mark.req("exec-unread")
@pytest.mark.parametrize(
    ("policy", "level"),
    [
        ({"allow": ["ls"]}, "workspace"),
        ({"allow": ["ls"], "allowed_directories": ["/srv"], "allow_writes": True}, "read-only"),
    ],
)
def test_what_cannot_be_held_in_such_a_shell_ends_the_start(policy: dict[str, object], level: str) -> None:
    with (
        pytest.raises(RequestError, match="rules cannot be enforced"),
        gated(policy, "elvish", sandbox=level),
    ):
        raise AssertionError


@pytest.mark.req("exec-rules")
@pytest.mark.parametrize(
    "text",
    [
        "x=r; ${x}m victim",
        "find . -exec rm {} +",
        "find victim -delete",
        "sh -c 'rm victim'",
        "env rm victim",
        "echo victim | xargs rm",
        "ln -s /bin/rm ls; PATH=.:$PATH; ls victim",
        "cp /bin/rm cat; ./cat victim",
        "exec -a ls rm victim",
        "exec -a unlink cat victim",
        "exec -la unlink cat victim",
        "busybox rm victim",
        "exec -a rm busybox victim",
        "printf '#!/bin/rm\\n' > x; chmod +x x; ./x victim",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm victim",
        "rm victim || true",
    ],
)
def test_arguments_and_real_paths_count(strict: Gated, text: str) -> None:
    done = strict(text)
    assert (strict.workspace / "victim").exists()
    assert "was not started" in " ".join(done.hints)


@pytest.fixture(scope="module")
def strict() -> object:
    """Few programs, none of which can change a file with the arguments it may have."""
    with gated({"allow": ["ls", "cat", "find", "sh", "ln", "cp", "chmod", "sleep", "busybox"]}) as run:
        yield run


@pytest.mark.req("exec-rules")
def test_a_deny_rule_holds_for_whatever_starts_the_program() -> None:
    with gated({"deny": ["rm", "git push --force"]}) as run:
        run.put("clean.sh", "#!/bin/sh\nrm victim\n")
        for text in ("./clean.sh", 'python3 -c \'import os; os.execvp("rm", ["ls", "victim"])\''):
            assert "(rule: rm)" in " ".join(run(text).hints)
        assert (run.workspace / "victim").exists()
        assert "(rule: git push --force)" in " ".join(run("g=git; $g push --force").hints)
        assert run("sh -c 'eval \"echo $HOME\" | sed s/x/y/' && python3 -c 'print(1)'").ok


@pytest.mark.req("exec-children")
def test_a_rule_says_what_its_program_may_start() -> None:
    script = "#!/bin/sh\ndate +%Y >/dev/null && echo started; ls\n"
    rule = {"command": "./run.sh", "children": ["sh", "date"]}
    with gated({"allow": [rule, "./free.sh"], "deny": ["rm"]}) as run:
        run.put("run.sh", script)
        run.put("free.sh", script.replace("; ls", "; ls; rm victim"))
        some = run("./run.sh")
        assert some.stdout.text == "started\n"
        assert "/ls was not started" in " ".join(some.hints)
        free = run("./free.sh")
        assert free.stdout.text.startswith("started\nfree.sh\n")
        assert "(rule: rm)" in " ".join(free.hints)
        assert "/date was not started" in " ".join(run("date").hints)


@pytest.mark.req("exec-children")
def test_programs_of_the_system_that_are_scripts_work_by_their_own_rule() -> None:
    with gated({"allow": ["which", "egrep", "tar", "zcat", "gzip"], "allow_writes": True}) as run:
        assert run("which ls").stdout.text == "/usr/bin/ls\n"
        assert run("egrep -c alive victim").stdout.text == "1\n"
        assert run("gzip victim && tar -czf a.tgz victim.gz && tar -tzf a.tgz && zcat victim.gz").ok


@pytest.mark.req("exec-children")
def test_what_children_may_be_is_checked_when_rules_are_read() -> None:
    def read(children: object, kind: str = "allow") -> None:
        Policy.from_mapping({kind: [{"command": "make", "children": children}]})

    for wrong in ("all", 3, [""], {"sh": True}):
        with pytest.raises(PolicyError, match="children"):
            read(wrong)
    with pytest.raises(PolicyError, match="nothing runs"):
        read("any", "deny")
    read("any")
    read(["sh", "gcc *"])


@pytest.mark.req("exec-children")
def test_the_kind_of_program_decides_where_a_rule_says_nothing() -> None:
    for runner in ("make", "npm", "pytest", "python3", "./run.sh", "unheard-of"):
        assert default_children(runner) == ANY, runner
    for plain in ("ls", "cat", "find", "sed", "awk", "xargs", "sqlite3"):
        assert default_children(plain) == (), plain
    assert default_children("sh", ("sh", "-c", "ls")) == ()
    assert default_children("bash", ("bash", "build.sh")) == ANY


@pytest.mark.req("exec-children")
def test_a_program_that_hands_a_text_to_a_shell_may_start_one() -> None:
    with gated({"allow": ["flock", "ls"], "allow_writes": True}) as run:
        done = run("flock f -c 'ls victim'")
        assert done.ok, done.hints
        assert done.stdout.text == "victim\n"
        assert not run("flock f -c 'rm victim'").ok
        assert (run.workspace / "victim").exists()


@pytest.mark.req("exec-confirmed")
@pytest.mark.parametrize(
    "fail",
    [
        "printf -v BIG %0140000d 1; export BIG; exec make; unset BIG",  # too long for the kernel
        "chmod +x ./broken; exec ./broken",  # allowed, and no program
    ],
)
def test_an_exec_that_fails_gives_no_right_of_what_was_not_started(fail: str) -> None:
    with gated({"allow": ["make", "ls", "chmod", "./broken"], "allow_writes": True}) as run:
        run.put("broken", "\0\0\0\0")
        done = run(f"shopt -s execfail; {fail}; rm victim")
        assert "/rm was not started" in " ".join(done.hints)
        assert (run.workspace / "victim").exists()


@pytest.mark.req("exec-confirmed")
@pytest.mark.parametrize("directory", ["/tmp", "/var/tmp", "."])
def test_the_interpreter_of_a_file_that_commands_can_write_needs_a_rule(directory: str) -> None:
    script = f"{directory}/x.sh"
    rules: list[object] = [
        {"command": script, "children": []},
        "chmod",
        "make",
    ]  # `make`: or Landlock would refuse it
    with gated({"allow": rules, "allow_writes": True}) as run:
        done = run(f"printf '#!/bin/rm\\n' > {script}; chmod +x {script}; {script} victim")
        assert "was not started" in " ".join(done.hints)
        assert (run.workspace / "victim").exists()


@pytest.mark.req("exec-environment")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_variable_that_a_shell_gives_to_a_program_is_judged_like_an_assignment(shell: str) -> None:
    set_ = "set -gx {} {};" if shell == "fish" else "export {}={};"
    with gated({"allow": ["ls", "git status", "sh"]}, shell=shutil.which(shell) or shell) as run:
        for name, value in (("LD_PRELOAD", "./x.so"), ("GIT_EXTERNAL_DIFF", "./x"), ("GCONV_PATH", ".")):
            done = run(set_.format(name, value) + " ls")
            assert f"the variable {name} changes what runs" in " ".join(done.hints), name
            assert done.stdout.text == ""
            assert name in " ".join(run(f"env {name}={value} ls").hints)
        for name, value in (("NO_COLOR", "1"), ("TZ", "UTC"), ("CI", "true")):
            assert run(f"{set_.format(name, value)} cd /; cd '{run.workspace}'; ls").hints == (), name


@pytest.mark.req("exec-environment")
def test_who_has_no_ancestor_that_is_known_may_add_no_variable_either() -> None:
    text = "(sleep 0.05; export LD_PRELOAD=./x.so; ls victim > out; echo > over) & disown; exit 0"
    with gated({"allow": ["sh", "./free.sh", "sleep", "ls"]}) as run:
        run.put("free.sh", f"#!/bin/bash\n{text}\n")
        run("./free.sh")
        run("until [ -e over ]; do sleep 0.01; done")
        assert (run.workspace / "out").read_text() == ""


@pytest.mark.req("exec-environment")
def test_what_a_program_gives_to_its_own_children_is_not_judged() -> None:
    with gated({"allow": ["./run.sh", {"command": "./some.sh", "children": ["sh", "ls"]}]}) as run:
        for name in ("run.sh", "some.sh"):
            run.put(name, "#!/bin/sh\nLC_X=1 GIT_DIR=/nowhere ls victim\n")
            assert run(f"./{name}").stdout.text == "victim\n"


@pytest.mark.req("exec-environment")
def test_a_variable_that_the_person_has_named_is_given() -> None:
    policy = {"allow": ["ls"], "allowed_variables": ["GIT_DIR"]}
    with gated(policy) as run:
        assert run("GIT_DIR=x ls").stdout.text == "victim\n"
        assert "GIT_WORK_TREE" in " ".join(run("GIT_WORK_TREE=x ls").hints)


@pytest.mark.req("exec-asked")
def test_what_a_person_must_be_asked_about_starts_for_a_command_that_they_allowed() -> None:
    with gated({"allow": ["ls", "sh"], "ask": ["touch"]}) as run:
        run.read_texts()

        async def yes(_question: object) -> str:
            await asyncio.sleep(0)
            return "once"

        assert run("touch asked", ask=yes).ok  # pyright: ignore[reportArgumentType]  # as short as it goes
        assert run("touch asked", "a", ask=yes).ok  # pyright: ignore[reportArgumentType]  # the same
        run.ignore_texts()
        for session in (None, "a"):
            refused = run("touch not-asked", session)
            assert "a person must be asked about it (touch)" in " ".join(refused.hints)
        assert (run.workspace / "asked").exists()
        assert not (run.workspace / "not-asked").exists()


@pytest.mark.req("exec-rules")
def test_who_has_no_ancestor_that_is_known_gets_the_strict_answer() -> None:
    with gated({"allow": ["sh", "./free.sh", "sleep"]}) as run:
        run.put("free.sh", "#!/bin/sh\n(sleep 0.02; rm victim; echo x > over) &\n")
        run("./free.sh")
        run("until [ -e over ]; do sleep 0.01; done")
        assert (run.workspace / "victim").exists()


@pytest.mark.req("exec-rules")
def test_a_verdict_about_a_file_is_found_anew_each_time() -> None:
    with gated({"allow": ["cat"], "allowed_directories": ["/srv", "/opt"]}) as run:
        link = run.workspace / "link"
        link.symlink_to("victim")
        assert run("cat link").stdout.text == "alive"
        link.unlink()
        link.symlink_to("/etc/hostname")
        assert run("cat link").stdout.text == ""


@pytest.mark.req("exec-rules")
def test_a_program_in_the_place_of_another_is_not_that_program(monkeypatch: pytest.MonkeyPatch) -> None:
    with workspace() as directory:
        monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
        with contextlib.closing(Gated(directory, {"allow": ["ls", "tool"]}, "bash")) as run:
            run.put("ls", "#!/bin/sh\necho replaced\n")
            run.put("tool", "#!/bin/sh\necho tool\n")
            assert run("tool").stdout.text == "tool\n"
            assert run("ls").stdout.text == ""


@pytest.mark.req("exec-rules")
def test_a_long_text_is_judged_while_others_run() -> None:
    with gated({"allow": ["sh", "ls"]}) as run:
        words = "a" * 3000
        long = f"sh -c 'echo {words} | ls'"
        assert run(long).stdout.text == "victim\n"
        assert "was not started" in " ".join(run(f"sh -c 'echo {words}; rm victim'").hints)


@pytest.mark.req("exec-fails-closed")
def test_nothing_starts_when_nobody_decides() -> None:
    before = gate_threads()
    with gated({"allow": ["ls"]}) as run:
        assert run("ls", "a").ok
        execs = run.service.place.execs
        assert execs is not None

        async def close() -> None:
            execs.close()
            await asyncio.sleep(0)

        answering = gate_threads() - before
        run.harness.do(close())
        assert len(answering) == 1
        assert not any(thread.is_alive() for thread in answering)
        assert not run("ls", "a").ok


@pytest.mark.req("exec-fails-closed")
def test_what_cannot_be_decided_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with gated({"allow": ["ls"]}) as run:
        execs = run.service.place.execs
        assert execs is not None

        def fail(*_: object) -> bool:
            raise RuntimeError

        monkeypatch.setattr(execs.rules, "judge", fail)
        assert not run("ls | cat").ok
        monkeypatch.undo()
        assert run("ls", "a").ok
        monkeypatch.setattr("nacre.sandbox.exec_rules.environment_of", fail)
        assert run("ls", "a").exit_code == 128 + signal.SIGKILL  # before it has done anything
        monkeypatch.undo()
        assert run("ls", "a").ok


@pytest.mark.req("exec-while-busy")
def test_programs_start_while_the_server_is_busy_with_something_else() -> None:
    with gated({"allow": ["ls"]}) as run:
        go, done = run.workspace / "go", run.workspace / "done"
        os.mkfifo(go)
        os.mkfifo(done)
        assert run("{ read word < go; ls victim > done; } &", "a").ok

        async def hold() -> bytes:
            """Nothing else happens on the event loop meanwhile."""
            output = os.open(done, os.O_RDWR)
            try:
                go.write_text("word\n")
                return os.read(output, 100) if select.select([output], [], [], 30)[0] else b""
            finally:
                os.close(output)

        assert run.harness.do(hold()) == b"victim\n"


@pytest.mark.req("exec-rules")
def test_a_keeper_that_follows_a_killed_one_has_its_execs_decided_too() -> None:
    before = gate_threads()
    with gated({"allow": ["ls"]}) as run:
        run("ls")
        (answering,) = gate_threads() - before
        with pytest.raises(PlaceError):
            run("kill -9 $PPID")
        answering.join(30)
        assert not answering.is_alive()
        assert "/rm was not started" in " ".join(run("rm victim").hints)
        assert run("ls").ok


@pytest.mark.req("exec-executables")
def test_only_what_the_rules_name_can_be_executed_whatever_the_gate_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with gated({"allow": ["ls", "cat", "cp", "which", "tar", "gzip"], "allow_writes": True}) as run:
        assert run.service.place.open_execution == ""
        execs = run.service.place.execs
        assert execs is not None

        def say_yes(*_: object) -> bool:
            return True

        monkeypatch.setattr(execs.rules, "judge", say_yes)
        monkeypatch.setattr(execs.rules, "confirm", say_yes)
        assert run("which ls; tar -czf a.tgz victim; tar -tzf a.tgz; env cat victim").ok
        for text in ("rm victim", "cp /bin/rm copy; ./copy victim", "cp /bin/cat /tmp/x; /tmp/x victim"):
            refused = run(text)
            assert refused.exit_code == 126, text
        assert (run.workspace / "victim").exists()


@pytest.mark.req("exec-executables")
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("make", "`make` may start anything"),
        ("py*", "`py*` names programs by a pattern"),
        ({"command": "ls", "children": "any"}, "`ls` may start anything"),
        ({"command": "./run.sh", "children": []}, "`./run.sh` is not one file"),
    ],
)
def test_a_rule_that_names_no_certain_files_leaves_them_open_and_is_reported(rule: object, why: str) -> None:
    found = Executables(("/usr/bin",), lambda path: path, lambda _path: ())
    with pytest.raises(TooWideError, match=re.escape(why)):
        found.of(Policy.from_mapping({"allow": [rule]}), "/bin/sh")


@pytest.mark.req("exec-executables")
def test_what_runs_a_file_is_read_from_its_beginning() -> None:
    assert list(words_of(b"#! /usr/bin/env node\nx")) == ["/usr/bin/env", "node"]
    assert list(words_of(b"plain")) == []
    with open("/bin/ls", "rb") as file:
        (loader,) = words_of(file.read(HEAD_BYTES))
    assert loader.startswith("/lib")


@pytest.mark.req("exec-rules")
def test_commands_with_limits_have_their_execs_decided_too() -> None:
    with gated({"allow": ["ls"]}, limit_open_files=200) as run:
        assert run("ls; ulimit -n").stdout.text == "victim\n200\n"
        assert "/rm was not started" in " ".join(run("rm victim").hints)


@pytest.mark.req("exec-rules")
def test_a_helper_of_git_is_none_where_commands_can_write() -> None:
    where = Where(lambda: ("/usr/bin",), "/home/x", lambda path: path.startswith("/srv/"))
    rules = ExecRules(replace(Policy.from_lists(["git"]), files=LOCAL_FILES), where)
    caller = Process(1, 1, default_children("git"))

    def is_started(path: str) -> bool:
        return rules.decide(Exec(7, path, path, (path,), "/srv/x"), caller).allowed

    assert is_started("/usr/lib/git-core/git-remote-https")
    assert not is_started("/srv/x/git-core/git-remote-https")
