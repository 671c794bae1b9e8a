# ruff: noqa: E501 - lists of names
"""Shells, their builtins, and programs that run text in ways of their own.

Above: `inspector` and `interpreters` ask about these names. Below: `model`.
"""

from __future__ import annotations

from nacre.policy.model import names
from nacre.policy.tables.schema import Program

# The first argument names the program to run.
MULTICALL = names(
    "busybox busybox-extras busybox.static toybox coreutils uutils sbase sbase-box ubase ubase-box"
)

SHELLS = names(
    "sh bash dash zsh ksh ksh93 mksh lksh ash fish csh tcsh yash rbash rzsh rksh elvish xonsh nu osh hush posh "
    "bash-static zsh5 zsh-static ksh2020 pdksh oksh loksh mksh-static"
)
# Those whose `-c` text the scanner can read.
SCANNED_SHELLS = {"sh": "sh", "bash": "bash", "dash": "sh", "zsh": "zsh", "ksh": "ksh", "ksh93": "ksh", "mksh": "ksh", "ash": "sh", "rbash": "bash"}  # fmt: skip

# Builtins (and programs that act like them) whose effect is text that is evaluated later or elsewhere.
UNRESOLVABLE: dict[str, str] = {
    "eval": "runs text that is put together when it runs",
    "source": "runs the commands of a file",
    ".": "runs the commands of a file",
    "alias": "gives a name another meaning",
    "fc": "runs commands from the history",
    "bind": "can bind keys to commands",
    "coproc": "runs a command beside the shell",
    "autoload": "loads functions from files",
    "zmodload": "loads code into the shell",
    "zcompile": "compiles files that are run later",
    "emulate": "changes how the shell reads what follows",
    "sched": "runs text later",
    "zpty": "runs text on a terminal",
    "ztcp": "opens network connections",
    "unfunction": "takes a function away, so that its name means another program",
    "disable": "takes builtins away, so that their names mean other programs",
    "setopt": "changes how the shell reads what follows",
    "unsetopt": "changes how the shell reads what follows",
    "parallel": "runs commands that it puts together",
}

# Programs that run what they are told in ways of their own; a rule must spell their first argument.
RUNNERS: dict[str, str] = {
    "at": "runs text later",
    "batch": "runs text later",
    "crontab": "runs text later",
    "expect": "runs a script that drives other programs",
    "tmux": "runs commands in other terminals",
    "screen": "runs commands in other terminals",
    "socat": "can run programs and write files by its addresses",
    "m4": "can run commands from its input",
    "script": "runs a shell and writes all it prints",
    **dict.fromkeys(("su", "runuser"), "runs a shell as another user"),
    # tini reads options behind the command, too
    **dict.fromkeys(("tini", "dumb-init", "catatonit"), "runs its arguments as the first process"),
    "xdg-open": "opens a file with the program that belongs to it",
    "open": "opens a file with the program that belongs to it",
    "perf": "runs and measures its arguments",
    "rpm": "macros and pipes in its arguments run programs",
    "direnv": "runs what a directory's file says",
    "mise": "runs tools of a directory's choice",
    "asdf": "runs tools of a directory's choice",
    **dict.fromkeys(("rbenv", "pyenv", "nodenv", "goenv", "jenv"), "runs tools of a directory's choice"),
    "wsl": "runs its arguments in another system",
    **dict.fromkeys(
        ("buildah", "lxc", "systemd-nspawn", "machinectl"), "runs programs in containers and shows them files"
    ),
    **dict.fromkeys(
        ("mosh", "slogin", "pdsh", "pssh", "parallel-ssh"),
        "runs commands on other machines, by a shell of its own",
    ),
    **dict.fromkeys(
        (
            *(
                "lftp",
                "aria2c",
                "websocat",
                "usql",
                "sqlcmd",
                "sqlplus",
                "mysqlsh",
                "mycli",
                "pgcli",
                "cqlsh",
            ),
            *("ncftp", "bpftrace", "r2", "radare2", "rizin", "smbclient", "ranger", "salt"),
        ),
        "runs commands that stand in its arguments or settings",
    ),
    "ansible": "runs commands on other machines",
    "chroot": "runs its arguments in another root, where a name means another program",
    "gchroot": "runs its arguments in another root, where a name means another program",
    # Alone, most of them start a shell.
    **dict.fromkeys(
        (
            *(
                "sg",
                "newgrp",
                "firejail",
                "bwrap",
                "proot",
                "fakechroot",
                "schroot",
                "runcon",
                "capsh",
                "run0",
            ),
            *("systemd-run", "start-stop-daemon", "cgexec", "cpulimit", "ssh-agent", "dbus-launch", "rlwrap"),
            *("sshpass", "tsocks", "ifne", "pee", "sem", "watchexec", "rr", "aws-vault"),
            *(
                "aa-exec",
                "multitime",
                "openvt",
                "heaptrack",
                "dotenv",
                "chamber",
                "cross-env",
                *("cross-env-shell", "env-cmd", "dotenvx", "dotenv-cli", "shx", "onchange", "execa"),
                *("execa-cli", "chokidar", "chokidar-cli", "start-server-and-test", "tsc-watch", "0x", "zx"),
                "ccache",
                "sccache",
            ),
            *("s6-setuidgid", "s6-softlimit", "s6-envdir", "s6-setlock"),
            # Of util-linux, moreutils, systemd, daemontools and the like.
            *("choom", "uclampset", "coresched", "pipesz", "enosys", "logsave", "run-parts", "schedtool"),
            *("mispipe", "zrun", "lckdo", "systemd-cat", "systemd-socket-activate", "execlineb", "daemonize"),
            *(
                "chpst",
                "envdir",
                "setlock",
                "softlimit",
                "envuidgid",
                "tsp",
                "dtach",
                "abduco",
                "zellij",
            ),
            *(
                "xterm",
                "urxvt",
                "x-terminal-emulator",
                "gnome-terminal",
                "konsole",
                "alacritty",
                "kitty",
            ),
            *(
                "bfs",
                "fzf",
                "nix-shell",
                "apptainer",
                "singularity",
                "runc",
                "crun",
                "distrobox",
                "wine",
            ),
        ),
        "runs its arguments",
    ),
}

# Arguments with which they only show something.
ONLY_SHOWS: dict[str, tuple[tuple[str, ...], ...]] = {
    "crontab": (("-l",),),
    "at": (("-l",),),
    "tmux": (("ls",), ("list-sessions",), ("-V",)),
    "screen": (("-ls",), ("-list",), ("-v",)),
    "perf": (("--version",), ("list",)),
    **dict.fromkeys(
        ("rbenv", "pyenv", "nodenv", "goenv", "jenv"),
        (("--version",), ("version",), ("versions",), ("root",), ("local",), ("global",)),
    ),
    **dict.fromkeys(("ccache", "sccache"), (("-s",), ("--show-stats",), ("--version",))),
    **dict.fromkeys(
        (
            *(
                "direnv",
                "mise",
                "asdf",
                "ansible",
                "buildah",
                "lxc",
                "machinectl",
                "mosh",
                "lftp",
            ),
            *("aria2c", "websocat", "usql"),
        ),
        (("--version",),),
    ),
}

# Builtins that are no matter of `builtins`: they show something, and do more with some options.
PROGRAMS = (
    Program(
        names="complete compgen",
        plain_values=True,
        reason="it registers or runs commands",
        options="-p -a -b -c -e -k -v",
        operands="text",
        # Commands by a path are found like files.
        refuses=r"(?s:.*[/~$`\\])",
    ),
    Program(names="history", reason="it reads, writes or changes the history", operands="text", numbers=True),
    Program(names="fg bg disown suspend", reason="", options="-a -h -r -f", operands="text"),
    Program(names="dirs caller logout", reason="", options="-n -c -l -p -v", numbers=True, operands="text"),
)

# Programs that take commands from the keyboard of a terminal, some of which run programs: `!cmd` of less; gh asks
# whether to start an editor.
READS_KEYS = names(
    "less more most pg man zless zmore xzless xzmore bat batcat info gh glab "
    # On a terminal these show what they print with a pager, or start an editor, or a shell (dpkg).
    "systemctl journalctl loginctl hostnamectl timedatectl localectl coredumpctl networkctl resolvectl machinectl "
    "busctl systemd-analyze systemd-cgls dmesg aws gcloud apt apt-get aptitude dpkg dpkg-query psql nmcli hg perldoc pydoc pydoc3 ri htop tig"
)
# Sub-commands of git that start neither on a terminal; they may be told yes or no, or a password.
GIT_READS_NO_KEYS = names(
    "push fetch clone ls-remote remote submodule lfs clean apply am commit cat-file check-ignore check-attr "
    "update-index add stage rm mv checkout switch restore reset init status version rev-parse gc fsck prune"
)

# Programs that take commands from their input, some of which run programs: the options with which they do not (`=`: with
# a value), and from how many operands on.
READS_COMMANDS: dict[str, tuple[str, int]] = {
    "sqlite3": ("-version -help", 2),
    "psql": ("-c= --command= -l --list -V --version --help", 0),
    **dict.fromkeys(("mysql", "mariadb"), ("-e= --execute= -V --version --help", 0)),
    **dict.fromkeys(("ssh", "autossh"), ("-n -N -f -V -G -Q= -W= -O=", 2)),
    **dict.fromkeys(("redis-cli", "valkey-cli"), ("--version --help --scan --stat --bigkeys --memkeys", 1)),
    **dict.fromkeys(("mongosh", "mongo"), ("--version --help", 0)),
    "openssl": ("", 1),
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"), ("-z -h", 0)),
    # Without a terminal vi and its like take their keys from the input: `:!cmd`.
    **dict.fromkeys(
        (
            *("vi", "vim", "vim.tiny", "vim.basic", "vim.nox", "vim.gtk3"),
            "view",
            "vimdiff",
            "rvim",
            "rview",
            "gvim",
            "nvim",
            "ex",
            "nano",
            "pico",
            "micro",
            "emacs",
        ),
        ("--version --help", 0),
    ),
    # Alone, they read commands or code: npx hands its input to a shell.
    **dict.fromkeys(("npx", "pnpx", "bunx"), ("-v --version -h --help", 1)),
    **dict.fromkeys(
        ("ts-node", "tsx", "swift", "sbt", "kotlinc"), ("-v -h --version --help -version -help", 1)
    ),
    # Behind a file of code they go on with the input.
    **dict.fromkeys(
        ("ghci", "iex", "irb", "jshell", "sbcl", "R", "swipl", "gforth"), ("--version --help", 0)
    ),
    **dict.fromkeys(("gdb", "gdb-multiarch", "lldb"), ("--version --help", 0)),
    **dict.fromkeys(("erl", "ed", "red", "dc", "sftp", "ftp", "lftp", "telnet"), ("", 0)),
}
