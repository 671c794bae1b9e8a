"""Permission denied: which file, whose it is, what is missing and what helps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from wire_client import WireClient, text_of

from nacre.denials import explain_denial
from nacre.filesystem import Status
from nacre.places.local_files import LocalFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.req("denial-advice")
DIRECTORY = 0o40000
# Path -> mode, owner; the user is alice. What is not here is not there.
TREE = {
    "/": (DIRECTORY | 0o755, "root"),
    "/etc": (DIRECTORY | 0o755, "root"),
    "/etc/shadow": (0o640, "root"),
    "/etc/passwd": (0o644, "root"),
    "/usr": (DIRECTORY | 0o755, "root"),
    "/usr/tool": (0o644, "root"),
    "/root": (DIRECTORY | 0o700, "root"),
    "/srv": (DIRECTORY | 0o755, "alice"),
    "/srv/run.sh": (0o644, "alice"),
    "/srv/mine": (0o044, "alice"),
    "/srv/shut": (DIRECTORY | 0o500, "alice"),
}


class Tree(LocalFiles):
    """A file system that is a table, as one user sees it."""

    def __init__(self, user: str = "alice") -> None:
        self._user = user

    @property
    def user(self) -> str:
        return self._user

    def status(self, path: str) -> Status:
        above = os.path.dirname(path)
        if above != path and not self.status(above).executable:
            raise PermissionError
        if path not in TREE:
            raise FileNotFoundError
        mode, owner = TREE[path]
        bits = mode >> 6 if owner == self._user else mode
        all_of_it = self._user == "root"
        return Status(
            is_directory=bool(mode & DIRECTORY),
            mode=mode & 0o777,
            owner=owner,
            group=owner,
            readable=all_of_it or bool(bits & 4),
            writable=all_of_it or bool(bits & 2),
            executable=bool(bits & 1) or (all_of_it and bool(mode & (DIRECTORY | 0o111))),
        )

    def is_directory(self, path: str) -> bool:
        return bool(TREE.get(path, (0, ""))[0] & DIRECTORY)


def said(message: str, code: int = 1, user: str = "alice", directory: str = "/srv") -> str:
    return explain_denial(f"noise\n{message}\n", code, directory, Tree(user)) or "nothing"


SHADOW = (
    "Reading /etc/shadow is not permitted (mode 640, owner root, group root) to alice. Use files of your own"
)
ROOT = "Entering /root is not permitted (mode 700, owner root, group root) to alice. Use files of your own"
USR = "Writing in /usr is not permitted (mode 755, owner root, group root) to alice. Use files of your own"
ACCOUNTS = "Writing /etc/passwd is not permitted (mode 644, owner root, group root) to alice. Use files of"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        # reading
        ("cat: /etc/shadow: Permission denied", SHADOW),
        ("head: cannot open '/etc/shadow' for reading: Permission denied", SHADOW),
        ("grep: /etc/shadow: Permission denied", SHADOW),
        ("PermissionError: [Errno 13] Permission denied: '/etc/shadow'", SHADOW),
        ("Error: EACCES: permission denied, open '/etc/shadow'", SHADOW),
        ("open /etc/shadow: permission denied", SHADOW),
        ("bash: line 1: /etc/shadow: Permission denied", SHADOW),
        ("sh: 1: cannot open /etc/shadow: Permission denied", SHADOW),
        ("zsh:1: permission denied: /etc/shadow", SHADOW),
        ("ksh: /etc/shadow: cannot open [Permission denied]", SHADOW),
        ("yash: redirection: cannot open file `/etc/shadow': Permission denied", SHADOW),
        ("java.io.FileNotFoundException: /etc/shadow (Permission denied)", SHADOW),
        # directories
        ("bash: line 1: cd: /root: Permission denied", ROOT),
        ("dash: 1: cd: can't cd to /root", ROOT),
        ("zsh:cd:1: permission denied: /root", ROOT),
        ("ksh: cd: /root: [Permission denied]", ROOT),
        ("sh: cd: line 0: can't cd to /root: Permission denied", ROOT),
        ("cd: Permission denied: '/root'", ROOT),
        ("Exception: chdir /root: permission denied", ROOT),
        ("ls: cannot access '/root/x': Permission denied", ROOT),
        ("find: \u2018/root\u2019: Permission denied", ROOT),
        ("ls: cannot open directory '/root': Permission denied", ROOT.replace("Entering", "Listing")),
        # making and removing
        ("touch: cannot touch '/usr/x': Permission denied", USR),
        ("mkdir: cannot create directory \u2018/usr/x\u2019: Permission denied", USR),
        ("bash: line 1: /usr/x: Permission denied", USR),
        ("dash: 1: cannot create /usr/x: Permission denied", USR),
        ("zsh:1: permission denied: /usr/x", USR),
        ("sh: can't create /usr/x: Permission denied", USR),
        ("ksh: /usr/x: cannot create [Permission denied]", USR),
        ("W: mksh: /usr/x: create: Permission denied", USR),
        ("warning: An error occurred while redirecting file '/usr/x'\nopen: Permission denied", USR),
        ("rm: cannot remove '/usr/tool': Permission denied", USR),
        ("mv: cannot move '/usr/tool' to '/srv/tool': Permission denied", USR),
        ("tee: /etc/passwd: Permission denied", ACCOUNTS),
        ("bash: line 1: /etc/passwd: Permission denied", ACCOUNTS),
        ("dash: 1: cannot create /etc/passwd: Permission denied", ACCOUNTS),
        # changing
        (
            "chmod: changing permissions of '/etc/passwd': Operation not permitted",
            "Only root may change /etc/passwd (mode 644, owner root, group root). Use files of your own.",
        ),
        # one's own
        (
            "cat: mine: Permission denied",
            "Reading /srv/mine is not permitted (mode 44, owner alice, group alice)",
        ),
        (
            "touch: cannot touch 'shut/x': Permission denied",
            "Writing in /srv/shut is not permitted (mode 500",
        ),
    ],
)
def test_every_message_is_explained_by_the_file(message: str, reason: str) -> None:
    assert said(message).startswith(reason)


@pytest.mark.parametrize(
    "message",
    [
        "git@example.org: Permission denied (publickey).",
        "Permission denied at -e line 1.",
        "fatal: permission denied",
        "tool: word: Permission denied",
        "x: Permission denied: y: z",
    ],
)
def test_what_names_no_file_gets_no_advice(message: str) -> None:
    assert said(message) == "nothing"


def test_a_file_that_cannot_be_run() -> None:
    own = "/srv/run.sh is not executable (mode 644, owner alice, group alice). `chmod +x /srv/run.sh`, or"
    for message in ("bash: line 1: /srv/run.sh: Permission denied", "sh: 1: ./run.sh: Permission denied"):
        assert said(message, 126).replace("./", "").startswith(own)
    others = said("bash: line 1: /usr/tool: Permission denied", 126)
    assert others.endswith("(mode 644, owner root, group root). Naming its interpreter would run it.")
    assert said("dash: 1: /etc: Permission denied", 126) == "/etc is a directory: it cannot be run."


def test_own_files_are_opened_with_their_owners_permission_only() -> None:
    assert said("cat: mine: Permission denied").endswith("(`chmod u+r`).")
    assert said("touch: cannot touch 'shut/x': Permission denied").endswith("(`chmod u+w`).")


@pytest.mark.parametrize(
    "message", ["cat: /etc/shadow: Permission denied", "bash: line 1: cd: /root: Permission denied"]
)
def test_who_may_but_was_denied_ran_as_another_user(message: str) -> None:
    advice = said(message, user="root")
    assert advice.endswith("root may: it ran as another user, or something beyond the mode forbids it.")
    assert "chmod" not in advice


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "ksh", "mksh", "yash", "busybox", "fish", "elvish"])
def test_a_real_denial_in_every_shell(start: Start, shell: str) -> None:
    nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups " if os.geteuid() == 0 else ""
    result = start("--shell", shell).call("shell", command=f"{nobody}cat /etc/shadow", working_directory="/")
    (hint,) = result["structuredContent"]["hints"]
    assert hint.startswith("Reading /etc/shadow is not permitted (mode ")
    assert "owner root" in hint
    assert "chmod" not in hint
    assert f"hint: {hint}" in text_of(result)


@pytest.mark.req("empty-stdin-advice")
@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'input()'",
        "printf 'Do you want to continue? [Y/n] '; echo Abort.; exit 1",
        "printf 'Continue (yes/no)? '; exit 1",
        "echo 'the input device is not a TTY' >&2; exit 1",
    ],
)
def test_a_question_to_nobody_is_reported(server: WireClient, command: str) -> None:
    result = server.call("shell", command=command)
    (hint,) = result["structuredContent"]["hints"]
    assert hint.startswith("It wanted to read from stdin, which is empty")
