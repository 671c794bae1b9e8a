"""Other names for the same thing: links, capitals, tildes in quotes, directories that a text changes to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge

pytestmark = pytest.mark.req("policy-own-files")

_ALLOWED = ["cat", "cp", "mv", "ln", "tee", "find", "sort", "mkdir", "ls", "cd", "env", "foo *"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    (place / ".git" / "hooks").mkdir(parents=True)
    (place / "sub").mkdir()
    for name in ("f", "nacre.toml", ".git/config"):
        (place / name).write_text("x\n", encoding="utf-8")
    (place / "g").symlink_to(".git")
    (place / "c").symlink_to(".git/config")
    return place


def _verdict(project: Path, text: str, shell: str = "bash") -> str:
    policy = Policy.from_lists(_ALLOWED, allow_writes=True)
    policy = replace(policy, files=LOCAL_FILES, own_files=(str(project / "nacre.toml"),))
    return judge(text, policy, shell=shell, cwd=str(project)).decision


@pytest.mark.parametrize(
    "text",
    [
        "cp f g/config",
        "ls > c",
        "ls | tee g/hooks/pre-commit",
        "cd g && cp ../f config",
        "cp -l nacre.toml x",
        "cp -s nacre.toml x",
        "cp --link .git/config x",
        "cp --symbolic-link .git/config x",
        "cp f NACRE.toml",
        "cp f .git./config",
        "cp f git~1/config",
        "cp f '.g\u200cit/config'",
        "find .git -name HEAD -execdir cp {} config ';'",
        "find . -name f -execdir tee nacre.toml ';'",
        "ln sub/nacre.toml",
        "ln -sf sub/nacre.toml",
        "cd g && ln -s ../sub/config",
    ],
)
def test_what_programs_run_and_nacre_reads_has_no_other_name(project: Path, text: str) -> None:
    assert _verdict(project, text) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "cat g/config",
        "cp -l f x",
        "ln -s sub/f",
        "cp nacre.toml x",
        "cp f config.",
        "cd sub && cp ../f config",
        "find . -name f -execdir cp -- {} {}.bak ';'",
        "find . -name f -execdir tee report.txt ';'",
    ],
)
def test_other_files_keep_their_names(project: Path, text: str) -> None:
    assert _verdict(project, text) == "allow"


def _fenced(project: Path, text: str, directory: str = ".", shell: str = "bash") -> str:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "s").write_text("secret", encoding="utf-8")
    (project / "d").mkdir()
    (project / "d" / "out").symlink_to(outside)
    (project / "sub" / "deep").mkdir()
    (project / "l").symlink_to("sub/deep")
    policy = Policy.from_lists(
        [*_ALLOWED, "diff", "zip", "scp", "7z", "ctags", "rsync"],
        allow_writes=True,
        allowed_directories=[str(project)],
    )
    policy = replace(policy, files=LOCAL_FILES)
    return judge(text, policy, shell=shell, cwd=str(project / directory)).decision


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize(
    "text",
    [
        "mv d e && cat e/out/s",
        "cp -a d e && cat e/out/s",
        "ln -s d e && cat e/out/s",
        "mv d e; mv e h; cat h/out/s",
        "for i in 1 2; do cat e/out/s; mv d e; done",
        "mv d e && cd e && cat out/s",
        "ln -s d e; cp e/out/s x",
        "mv d e; cat e/*/s",
        "mv d e; foo e/out/s",
        "mv d e; cat < e/out/s",
        "mv d sub; cat sub/d/out/s",
        "mv -t sub d; cat sub/d/out/s",
        "diff -r d sub",
        "diff d sub",
        "zip -r x.zip d",
        "7z a x.7z d",
        "scp -r d x",
        "ctags -R d",
        "cat /proc/self/cwd/f",
        "cat /proc/self/root/etc/passwd",
        "echo /etc/*",
        "for x in /etc/*; do echo a; done",
        "x=(/etc/*)",
        "echo d/out/*",
        "echo d/*/s",
        "test -e /etc/passwd",
        "[ f -nt /etc/passwd ]",
        "foo a=b=/etc/passwd",
        "foo a:/etc/passwd",
        "foo a,../outside/s",
        "foo '(load /etc/passwd)'",
        "foo -abc..",
        "find sub -name x -execdir cat ../../outside/s ';'",
        "find . -name x -execdir cat out ';'",
    ],
)
def test_no_other_name_leads_out_of_a_fence(project: Path, text: str) -> None:
    assert _fenced(project, text) == "deny"


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize(
    "text",
    [
        "mv f h && cat h",
        "cp f . && cat f",
        "cp -r sub s2 && ls s2",
        "mv sub s2 && cat s2/deep/x",
        "ln -s f h && cat h",
        "mkdir -p a/b k && cp f a/b && cat a/b/f",
        "mv l l2",
        "diff -r sub sub/deep",
        "diff --no-dereference -r d sub",
        "zip -ry x.zip d",
        "zip -r x.zip sub",
        "echo *",
        "echo 'see /etc/*'",
        "for x in sub/*; do echo a; done",
        "[ -f f ] && cat f",
        "[ /a = /b ]",
        "foo a:b,c=d",
        "foo https://x.example/a/../b",
        "find . -type f -name x -exec ls -l {} ';'",
    ],
)
def test_names_inside_of_a_fence_stay_allowed(project: Path, text: str) -> None:
    assert _fenced(project, text) == "allow"


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("ln -s .. ../h", "deny"),
        ("ln -s .. ../h; cat ../h/outside/s", "deny"),
        ("ln -s ../sub -t ..", "deny"),
        ("mv ../l .", "deny"),
        ("find ../.. -name f -execdir cat ../outside/s ';'", "deny"),
        ("ln -s ../f .", "allow"),
        ("ln -sr .. ../h", "allow"),
        ("mv ../l ../l2", "allow"),
    ],
)
def test_a_link_is_seen_from_where_it_stands(project: Path, text: str, decision: str) -> None:
    assert _fenced(project, text, "sub") == decision


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_two_stars_are_directories_below_directories(project: Path, shell: str) -> None:
    assert _fenced(project, "cat **/s", shell=shell) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "cp f /proc/self/cwd/nacre.toml",
        "ls > /proc/thread-self/cwd/nacre.toml",
        "cd /proc/self/cwd && cp f nacre.toml",
        "cd .git; cp ../f /proc/self/cwd/config",
    ],
)
def test_where_a_path_leads_does_not_depend_on_the_process(project: Path, text: str) -> None:
    assert _verdict(project, text) == "deny"
    assert _verdict(project, "ls > /dev/fd/2") == "allow"


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("mv links e; ls > e/c", "deny"),
        ("cp -a links e; ls > e/c", "deny"),
        ("ln -s links e; ls > e/c", "deny"),
        ("cp -a links e; ls > e/x", "allow"),
    ],
)
def test_what_has_come_elsewhere_is_still_what_programs_run(project: Path, text: str, decision: str) -> None:
    (project / "links").mkdir()
    (project / "links" / "c").symlink_to("../.git/config")
    assert _verdict(project, text) == decision


@pytest.mark.parametrize(
    "path",
    [
        *(".vscode/tasks.json", ".idea/x.xml", ".husky/pre-commit", ".pre-commit-config.yaml", ".mcp.json"),
        *(".claude/settings.json", ".cursor/mcp.json", ".hg/hgrc", ".nvimrc", ".dir-locals.el", ".mise.toml"),
        *("sub/.newtool/config", ".venv/bin/ls", ".unheard-of"),
        *("~/.inputrc", "~/.tmux.conf", "~/.npmrc", "~/.config/autostart/x.desktop", "~/.local/share/x"),
        *("~/.config/systemd/user/x.service", "~/.emacs.d/init.el", "~/.cargo/config.toml", "~/.xprofile"),
        *("/etc/hosts", "/etc/init.d/x", "/opt/x/bin/ls", "/usr/share/x", "/var/spool/cron/crontabs/root"),
    ],
)
def test_files_that_may_hold_instructions_are_not_written(project: Path, path: str) -> None:
    assert _verdict(project, f"cp f {path}") == "deny"
    assert _verdict(project, f"cat {path}") == "allow"


@pytest.mark.parametrize(
    "path",
    [
        *(".gitignore", ".env", ".env.local", ".dockerignore", ".editorconfig", ".github/workflows/ci.yml"),
        *(".prettierrc", ".eslintrc.json", ".cache/x", "sub/.gitkeep", ".nvmrc", ".gitlab-ci.yml", "x.y/z"),
        *("~/x", "~/work/.gitignore", "/tmp/x", "/tmp/.x", "/srv/x", "/var/tmp/x"),
    ],
)
def test_other_files_with_a_dot_are_written(project: Path, path: str) -> None:
    assert _verdict(project, f"cp f {path}") == "allow"


@pytest.mark.parametrize("name", ["nul", "NUL", "'$null'"])
def test_the_null_device_of_windows_is_a_file_elsewhere(name: str) -> None:
    policy = Policy.from_lists(["sort", "curl"], allow_writes=False)
    assert judge(f"echo x > {name}", policy).decision == "deny"
    assert judge(f"sort -o {name} f", policy).decision == "deny"
    assert judge("curl -s -o NUL https://x.example", policy, shell="cmd").decision == "allow"  # noqa: S604  # no shell is started
    assert judge("curl -s -o /dev/null https://x.example", policy).decision == "allow"


_CWD = {"command": "foo", "cwd": ["/srv/project"]}


@pytest.mark.parametrize(
    ("text", "cwd", "decision"),
    [
        ("foo", "/srv/project", "allow"),
        ("foo", "/srv/project/sub", "allow"),
        ("cd sub && foo", "/srv/project", "allow"),
        ("cd project && foo", "/srv", "allow"),
        ("cd /tmp && foo", "/srv/project", "deny"),
        ("(cd /tmp; ls); foo", "/srv/project", "deny"),
        ("cd /srv/project; foo", "/", "deny"),
        ("env -C ../other foo", "/srv/project", "deny"),
        ("foo", "/srv/project/../other", "deny"),
        ('cd "$x" && foo', "/srv/project", "deny"),
    ],
)
def test_a_rule_for_a_directory_follows_the_text_to_others(text: str, cwd: str, decision: str) -> None:
    policy = replace(Policy.from_lists([_CWD, "cd", "ls"]), files=LOCAL_FILES)
    assert judge(text, policy, cwd=cwd).decision == decision


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("cd /srv/project && foo", "/tmp"),
        ("cd project; foo", "/srv"),
        ("env -C /srv/project foo", "/tmp"),
        ("foo", "/srv/./project"),
        ('cd "$x"; foo', "/tmp"),
    ],
)
def test_a_rule_that_denies_in_a_directory_follows_the_text_there(text: str, cwd: str) -> None:
    policy = replace(Policy.from_lists(["*"], deny=[_CWD]), files=LOCAL_FILES)
    assert judge(text, policy, cwd=cwd).decision == "deny"
    assert judge("foo", policy, cwd="/tmp").decision == "allow"


def test_a_rule_for_a_link_is_for_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    rule = {"command": "foo", "cwd": [str(tmp_path / "link")]}
    policy = replace(Policy.from_lists([rule]), files=LOCAL_FILES)
    assert judge("foo", policy, cwd=str(tmp_path / "real")).decision == "allow"
    assert judge("foo", policy, cwd=str(tmp_path / "link")).decision == "allow"


@pytest.fixture
def with_links(project: Path) -> Path:
    """Links that stay inside where they are, and lead out from one directory above; one from far below."""
    (project / "k" / "deep").mkdir(parents=True)
    (project / "k" / "deep" / "l").symlink_to("../../outside")
    (project / "a" / "a" / "a").mkdir(parents=True)
    (project / "a" / "a" / "a" / "a").symlink_to("../../../../outside")
    (project / "out").symlink_to("../outside")
    return project


@pytest.mark.req("policy-directories")
@pytest.mark.parametrize(
    ("text", "decision"),
    [
        # What `..` leads up from is a link by then.
        ("ln -s . h && cat h/../outside/s", "deny"),
        ("ln -s h2 h; ln -s . h2; cat h/../outside/s", "deny"),
        ("ln -s . h; cat sub/../h/../outside/s", "deny"),
        ("ln -s . h; cat ?/../outside/s", "deny"),
        ("ln -s . h; foo a:h/../outside/s", "deny"),
        ("ln -s sub h; cat h/../f", "allow"),
        # A pattern stands for what it matches, where names are given and where they are used.
        ("mv k/deep* . && cat deep/l/s", "deny"),
        ('for x in k/deep*; do mv "$x" .; done; cat deep/l/s', "deny"),
        ("mv k/deep . && cat ?eep/l/s", "deny"),
        ("mv k/deep . && cat */*/s", "deny"),
        ("mv k/deep . && cat deep/*/s", "deny"),
        ('mv k/deep . && for x in de*; do cat "$x/l/s"; done', "deny"),
        ("mv k/deep . && cp -rL . e", "deny"),
        ("mv sub/*.py a/ && cat a/x.py", "allow"),
        ("mv sub/*.py a/ && cat a/*.py", "allow"),
        ('for x in sub/*.py; do mv "$x" a/; done; cat a/*.py', "allow"),
        # A loop enters a directory again and again.
        ("for i in 1 2 3 4; do cd a; done; cat s", "deny"),
        ("for i in 1 2; do cd sub; cat s; done", "allow"),
        # A link as a part of an argument.
        ("foo a:out/s", "deny"),
        ("foo a=b:out", "deny"),
        ("foo a:sub/s,f=g", "allow"),
    ],
)
def test_a_name_is_followed_as_far_as_it_leads(with_links: Path, text: str, decision: str) -> None:
    assert _fenced(with_links, text) == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("for i in 1 2 3; do cd ..; done; ls > nacre.toml", "deny"),
        ("for i in 1 2 3; do cd ..; done; ls > x.toml", "allow"),
    ],
)
def test_a_loop_leads_up_as_far_as_it_runs(project: Path, text: str, decision: str) -> None:
    below = project / "sub" / "sub" / "sub"
    below.mkdir(parents=True)
    policy = replace(Policy.from_lists(_ALLOWED, allow_writes=True), files=LOCAL_FILES)
    policy = replace(policy, own_files=(str(project / "nacre.toml"),))
    assert judge(text, policy, cwd=str(below)).decision == decision


@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("/proc/sys/kernel/core_pattern", "deny"),
        ("/run/systemd/system/x.service", "deny"),
        ("/dev/sda", "deny"),
        ("/snap/bin/x", "deny"),
        ("/srv/other/.husky/pre-commit", "deny"),
        ("/home/other/.config/x", "deny"),
        ("/dev/shm/x", "allow"),
        ("/dev/tty", "allow"),
        ("/run/user/1000/x", "allow"),
        ("/srv/other/.env", "allow"),
        ("/srv/other/x", "allow"),
    ],
)
def test_what_others_read_is_not_written(project: Path, path: str, decision: str) -> None:
    assert _verdict(project, f"ls | tee {path}") == decision


@pytest.mark.parametrize(
    ("found", "decision"),
    [
        ("{here} -not -path './.git/*' -type f", "deny"),
        (".// -not -path './.git/*' -type f", "deny"),
        ("../project -not -path './.git/*' -type f", "deny"),
        (". -not -path '.git*' -type f", "deny"),
        (". -not -path '/.git/*' -type f", "deny"),
        (". -path .git -prune -o -type f", "deny"),
        ("{here} -path ./.git -prune -o -type f", "deny"),
        (". -name .git -prune -o -depth -type f", "deny"),
        (". -name .git -prune -o -name x , -type f", "deny"),
        (". '(' -name '*.py' -o -true ')' -type f", "deny"),
        (". '(' -name '*.py' -o -readable ')' -type f", "deny"),
        (". -not -path './.git/*' -type f", "allow"),
        ("./ -not -path './.git/*' -type f", "allow"),
        ("{here} -not -path '*/.git/*' -type f", "allow"),
        ("{here} -name .git -prune -o -type f", "allow"),
        (". -path ./.git -prune -o -type f", "allow"),
        (". '(' -name '*.py' -o -name '*.pyi' ')' -type f", "allow"),
    ],
)
def test_a_test_of_find_leaves_git_out_only_where_it_matches(
    project: Path, found: str, decision: str
) -> None:
    policy = replace(Policy.from_lists(["find", "sed"], allow_writes=True), files=LOCAL_FILES)
    text = f"find {found.format(here=project)} -exec sed -i s/a/b/ {{}} +"
    assert judge(text, policy, cwd=str(project)).decision == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("mv ../z ../c ../y ../.. && cat ../../x", "deny"),
        ("mv ../{z,c,y} ../.. && cat ../../x", "deny"),
        ("mv --target-directory=../.. ../z ../c ../y && cat ../../x", "deny"),
        ("mv ../z ../../b ../y ../../d && cat ../../l", "deny"),
        ("mv ../z ../c ../y ../d && cat ../f", "allow"),
        ("cp -r ../c ../../e && cat ../../x", "allow"),
        ("mv ../z ../c ../.. && cat f", "allow"),
    ],
)
def test_a_directory_that_moves_is_another_place_to_look_from(
    project: Path, text: str, decision: str
) -> None:
    """A shell stays in the directory, and `..` leads to where it is by then."""
    here = project / "a" / "b" / "c"
    here.mkdir(parents=True)
    (project / "a" / "d").mkdir()
    (project / "a" / "l").symlink_to("../f")
    policy = replace(
        Policy.from_lists(_ALLOWED, allow_writes=True, allowed_directories=[str(project / "a")]),
        files=LOCAL_FILES,
    )
    assert judge(text, policy, cwd=str(here)).decision == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("mv build out && echo x > out/l/pre-commit", "deny"),
        ("cp -r build out && cp a.txt out/l/pre-commit", "deny"),
        ("cp -a build out; tee out/deep/l/x < a.txt", "deny"),
        ("cp -P build/l sub/; echo x > sub/l/pre-commit", "deny"),
        ("git mv build out; echo x > out/l/pre-commit", "deny"),
        ("rsync -a build/ out/; echo x > out/l/pre-commit", "deny"),
        ('for f in build/*; do cp -a "$f" sub/; done; echo x > sub/l/x', "deny"),
        ("mv build out && echo x > out/deep/y", "allow"),
        ("cp -r build out && ls out/l", "allow"),
    ],
)
def test_a_link_that_has_come_elsewhere_leads_to_nothing_that_is_written(
    tmp_path: Path, text: str, decision: str
) -> None:
    for name in (".husky", "sub", "build/deep"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "build/l").symlink_to("../.husky")
    (tmp_path / "build/deep/l").symlink_to("../../.husky")
    allowed = ["mv", "cp", "echo", "tee", "git", "rsync", "ls"]
    policy = replace(Policy.from_lists(allow=allowed, allow_writes=True), files=LOCAL_FILES)
    verdict = judge(text, policy, cwd=str(tmp_path))
    assert verdict.decision == decision


@pytest.mark.parametrize(
    ("start", "cwd", "text", "decision"),
    [
        ("", ".husky", "tee pre-commit", "deny"),
        ("", ".vscode", "cp ../a.txt settings.json", "deny"),
        ("", "src", "tee a.py", "allow"),
        ("", ".github", "tee x.yml", "allow"),
        (".husky", ".husky", "tee pre-commit", "allow"),
        ("src", ".husky", "tee pre-commit", "deny"),
    ],
)
def test_a_call_makes_no_project_of_a_hidden_directory_by_going_there(
    tmp_path: Path, start: str, cwd: str, text: str, decision: str
) -> None:
    for name in (".husky", ".vscode", ".github", "src"):
        (tmp_path / name).mkdir()
    policy = Policy.from_lists(allow=["tee", "cp"], allow_writes=True)
    policy = replace(policy, files=LOCAL_FILES, start_directory=str(tmp_path / start))
    verdict = judge(text, policy, cwd=str(tmp_path / cwd))
    assert verdict.decision == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("git stash -u", "deny"),
        ("git stash --all", "deny"),
        ("git stash push -um x", "deny"),
        ("git stash push -u sub/*.zz", "deny"),
        ("git stash save -u x", "deny"),
        ("git clean -fd sub/*.zz", "deny"),
        ("git stash push -u -- sub", "allow"),
        ("git stash", "allow"),
        ("git clean -fd sub", "allow"),
        ("git sparse-checkout set --no-cone '/*' '!/nacre.t*'", "deny"),
        ("git sparse-checkout list", "allow"),
    ],
)
def test_git_takes_no_file_of_nacre_away_that_it_does_not_track(
    project: Path, text: str, decision: str
) -> None:
    policy = Policy.from_lists(["git"], allow_writes=True)
    policy = replace(policy, files=LOCAL_FILES, own_files=(str(project / "nacre.toml"),))
    verdict = judge(text, policy, cwd=str(project))
    assert verdict.decision == decision
