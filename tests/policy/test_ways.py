"""The ways that lead to a place: up from a link, round a loop, by a tilde, through a process's own names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge

if TYPE_CHECKING:
    from pathlib import Path

_ALLOWED = [
    *("cp", "mv", "tee", "cat", "cd", "pushd", "ln", "rm", "mkdir"),
    *("ls", "git", "rsync", "shopt", "sed", "dd", "echo", "exec"),
]
_TOOLS_WITH_CODE = ("pytest", "pip", "meson", "cmake", "java", "javac", "expo")
_SHELLS = ("bash", "zsh", "dash", "ksh", "mksh", "fish")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with nacre's own file, another repository, and links that lead out of it."""
    place = tmp_path / "project"
    for name in ("a/conf", "a/other/.git", "x/y", "src", "deep/er/still", "deep/.cache"):
        (place / name).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x\n", encoding="utf-8")
    (place / "f").write_text("x\n", encoding="utf-8")
    (place / "a" / "conf" / "nacre.toml").write_text("x\n", encoding="utf-8")
    (place / "x" / "y" / "nacre.toml").write_text("x\n", encoding="utf-8")
    (place / "a" / "link").symlink_to(tmp_path / "outside")
    (place / "deep" / "er" / "link").symlink_to(tmp_path / "outside")
    (place / "proc").symlink_to("/proc")
    return place


def _judged(project: Path, text: str, *, shell: str = "bash", fenced: bool = False, cwd: str = "") -> str:
    rules = Policy.from_lists(
        _ALLOWED, allow_writes=True, allowed_directories=[str(project)] if fenced else []
    )
    own = (str(project / "a" / "conf" / "nacre.toml"), str(project / "x" / "y" / "nacre.toml"))
    policy = replace(rules, own_files=own, files=LOCAL_FILES)
    return judge(text, policy, shell=shell, cwd=str(project / cwd)).decision


@pytest.mark.parametrize("shell", _SHELLS)
@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("cd a/link; cd ../conf; cp f nacre.toml", ""),
        ("cd a/link && cd ../conf && cp f nacre.toml", ""),
        ("cd a/link/../conf && cp f nacre.toml", ""),
        ("cd ../conf; cp f nacre.toml", "a/link"),
        ("cd a/link; cd ../other; git status", ""),
        ("cd a/link; cd ..; cd other; git status", ""),
    ],
)
def test_a_shell_goes_up_from_where_a_link_stands(project: Path, text: str, cwd: str, shell: str) -> None:
    assert _judged(project, text, shell=shell, cwd=cwd) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "for i in 1 2 3; do cp f nacre.toml; cd y; cd x; done",
        "for i in 1 2 3; do cp ../../f nacre.toml; cd y; cd x; done",
        "while ls; do rm -f nacre.toml; cd y; cd x; done",
    ],
)
def test_a_loop_enters_directories_in_another_order(project: Path, text: str) -> None:
    assert _judged(project, text) == "deny"


@pytest.mark.parametrize("shell", ["bash", "zsh", "ksh", "mksh"])
@pytest.mark.parametrize(
    "text",
    [
        "cp f ~-/nacre.toml",
        "cp f ~+/nacre.toml",
        "cp f ~1/nacre.toml",
        "cp f ~-/config",
        "tee ~-/hooks/pre-commit < f",
        "cp f ~root/.npmrc",
        "ln -s x ~-/.git",
        "sed -i s/a/b/ ~-/config",
        "cd ~-; cp f config",
        "cd ~-; cp f nacre.toml",
        "mv f ~-/nacre.toml",
        "rm -f ~-/nacre.toml",
    ],
)
def test_a_tilde_can_be_a_directory_from_before(project: Path, text: str, shell: str) -> None:
    assert _judged(project, text, shell=shell) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "cp f /dev/fd/../cwd/config",
        "cd a; cp ../f /dev/fd/../cwd/conf/nacre.toml",
        "cp f /dev/./fd/../cwd/x",
        "cp f proc/self/cwd/x",
        "cp -a /proc/self/cwd x",
        "cp -a proc/self x",
        "cp -r /proc/thread-self/root x",
    ],
)
def test_what_is_different_for_each_program_is_not_written(project: Path, text: str) -> None:
    assert _judged(project, text) == "deny"


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "mksh"])
@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "echo x < a/conf/nacre.toml > /dev/stdin",
        "{ echo x > /dev/stdin; } < a/conf/nacre.toml",
        "tee /dev/stdin < a/conf/nacre.toml",
        "tee /dev/fd/3 3< a/conf/nacre.toml < f",
        "cp f /proc/self/fd/3 3< a/conf/nacre.toml",
        "cp f /dev/stdin < a/conf/nacre.toml",
        "cp -a /dev/stdin x",
        "ln -s /dev/stdin x",
        "dd if=f of=/dev/stdin < a/conf/nacre.toml",
        "echo x 1< a/conf/nacre.toml > /dev/stdout",
        "echo x 2< a/conf/nacre.toml > /dev/stderr",
        "echo x 1<&3 > /dev/stdout",
        "echo x >&3 > /dev/stdout",
        "echo x >&0 > /dev/fd/1",
        "{ tee /dev/stdout < f; } >&3",
        "exec 3< a/conf/nacre.toml; echo x >&3 > /dev/stdout",
    ],
)
def test_a_file_that_is_read_is_not_opened_again_to_be_written(
    project: Path, text: str, shell: str, *, fenced: bool
) -> None:
    assert _judged(project, text, shell=shell, fenced=fenced) == "deny"


@pytest.mark.parametrize("shell", ["bash", "sh", "zsh", "ksh"])
@pytest.mark.parametrize("text", ["cat **/link/secret", "cat deep/**/link/secret", "cat ./**/secret"])
def test_two_stars_can_be_any_depth(project: Path, text: str, shell: str) -> None:
    assert _judged(project, text, shell=shell, fenced=True) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "rsync -a --link-dest=../conf a/conf/ y/",
        "rsync -a --link-dest={project}/a/conf a/conf/ y/",
        "rsync -a --link-dest {project} a/ y/",
        "cp -al {project} y",
        "cp -al a y",
        "cp -rl ~ y",
    ],
)
def test_own_files_get_no_other_names_among_others(project: Path, text: str) -> None:
    assert _judged(project, text.format(project=project)) == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "cd src && cp ../f g && cd .. && ls",
        "cd a/link && ls",
        "cd a/link && cd .. && ls",
        "for d in src x; do ls $d; done",
        "cp f ~+/src/",
        "cp f ~deploy/app/x.txt",
        "mkdir -p ~+/build",
        "cp f /dev/stdout",
        "echo x > /dev/stderr",
        "ls | tee /dev/stderr /dev/fd/2",
        "exec 3>&1; echo x >&3",
        "cat /proc/self/status",
        "cp -al src build",
        "rsync -a src/ build/src/",
        "rsync -a --link-dest=/srv/backup/1 src/ /srv/backup/2/",
        "cat src/**/*.txt",
    ],
)
def test_ordinary_ways_stay_open(project: Path, text: str) -> None:
    assert _judged(project, text) == "allow"


def test_two_stars_are_read_where_no_link_leads_out(project: Path) -> None:
    assert _judged(project, "cat src/**/*.txt", fenced=True) == "allow"


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("pytest a/link", "deny"),
        ("pytest a/link/*.py", "deny"),
        ('for f in a/link/*.py; do pytest "$f"; done', "deny"),
        ('for f in a/*.py; do pytest "$f"; done', "allow"),
        ("find a/link/ -name '*.py' -exec pytest {} +", "deny"),
        ("find a a/link/ -name '*.py' -print0 | xargs -0 pytest", "deny"),
        ("find a -name '*.py' -exec pytest {} +", "allow"),
        ("find a -name '*.py' -print0 | xargs -0 pytest", "allow"),
        ("pip install './a/link[dev]'", "deny"),
        ("pip install -e './a/link[dev]'", "deny"),
        ("pip install './a[dev]'", "allow"),
        ("meson setup b a/link", "deny"),
        ("meson setup a/link", "deny"),
        ("meson setup b a", "allow"),
        ("meson setup b ..", "allow"),
        ("cmake -B b a/link", "deny"),
        ("cmake -B a/link", "deny"),
        ("cmake -B b -DCMAKE_TOOLCHAIN_FILE=a/link/x.cmake", "deny"),
        ("cmake -B b a", "allow"),
        ("cmake -B b -S . -DCMAKE_TOOLCHAIN_FILE=a/x.cmake -DCMAKE_INSTALL_PREFIX=/usr", "allow"),
        ("cmake ..", "allow"),
        ("java -cp a/link X", "deny"),
        ("java -cp a:a/link X", "deny"),
        ("java -cp 'a/link/*' X", "deny"),
        ("java --module-path=a/link -m x/y", "deny"),
        ("java -jar a/link/x.jar", "deny"),
        ("java -cp 'lib/*:a' X a/link", "allow"),
        ("javac -d b -cp a/link X.java", "deny"),
        ("javac -d b -cp lib/*:a/link X.java", "deny"),
        ("javac -d b -cp lib/*:a /tmp/X.java", "allow"),
        ("expo start a/link", "deny"),
    ],
)
def test_what_is_found_behind_a_link_is_elsewhere(project: Path, text: str, decision: str) -> None:
    policy = replace(Policy.from_lists([*_TOOLS_WITH_CODE, "find"], allow_writes=True), files=LOCAL_FILES)
    assert judge(text, policy, cwd=str(project)).decision == decision
