# ruff: noqa: E501 - one module, one line of names
"""What the policy knows about programs: data only, one entry per program, each with its reason.

Above: `effects`, `inspector` and the like ask for a program's entry by its name. Below: `schema`. The tables
are modules by kind of program, loaded when a command first names one of their programs: a server whose agent
runs git and pytest never reads the table of containers.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.policy.tables.schema import Interpreter, Program, Wrapper

# Which module knows which names; a test holds this against the modules.
NAMES: dict[str, str] = {
    "archives": "7z 7za 7zr 7zz brotli bsdtar bunzip2 bzcat bzcmp bzdiff bzip2 cpio gtar gunzip gzcat gzip lsar lz4 lz4cat lzcat lzma pbzip2 pigz tar unar uncompress unlz4 unlzma unpigz unrar unxz unzip unzstd xz xzcat xzcmp xzdiff xzless xzmore zcat zcmp zdiff zip zipinfo zless zmore zstd zstdcat zstdmt",
    "build": "ant bazel bazelisk buck buck2 cmake cpack ctest gmake gradle gradlew java javac just kotlinc make meson mvn mvnw ninja rake samu scons task",
    "toolchains": "cargo go gofmt goimports golangci-lint rustup staticcheck",
    "clouds": "aws az gcloud gsutil",
    "compilers": "addr2line ar as c++ c++filt cc clang clang++ clang-format clang-tidy ctags exuberant-ctags g++ gas gcc gcc-ar gcov gfortran gold ld ld.bfd ld.gold ld.lld llvm-ar llvm-cov llvm-objcopy nm objcopy objdump otool protoc ranlib readelf rustc rustfmt size strip universal-ctags",
    "containers": "docker docker-compose helm kubectl nerdctl oc podman podman-compose terraform terragrunt tofu",
    "data": "createdb dropdb gojq jaq jq mariadb mongo mongosh mysql mysqladmin mysqldump mysqlshow openssl pandoc pg_dump pg_dumpall pg_isready psql redis-cli sqlite3 valkey-cli xmllint xsltproc yq",
    "dotnet": "dotnet",
    "ecosystems": "bundle bundler cabal composer dart flutter gem mix sbt stack swift zig",
    "files": "chgrp chmod chown cp dd df dir du exa eza fd fdfind file file-rename gchgrp gchmod gchown gcp gdd gdf gdu ginstall gln gls gmkdir gmktemp gmv greadlink grealpath grm gstat gtouch gtruncate install link ln locate ls lsd mkdir mkfifo mknod mktemp mlocate mv namei patch pathchk plocate prename readlink realpath rename rm rmdir shred stat sync touch tree truncate unlink vdir",
    "forges": "gh glab",
    "git": "git",
    "interpreters": "R Rscript bb bun clj clojure cmd dc deno ed elixir emacs emacsclient erl escript ex expect fennel gdb gdb-multiarch gforth ghci gnuplot groovy guile gvim hy iex ipython irb janet jruby jrunscript jshell julia kotlin lldb lua lua5.1 lua5.2 lua5.3 lua5.4 luajit node nodejs nvim ocaml octave osascript perl perl5 php powershell pwsh pypy pypy3 python python2 python3 racket raku rakudo red ruby runghc runhaskell rview rvim sbcl scala swipl tclsh vi view vim vim.basic vim.gtk3 vim.nox vim.tiny vimdiff wish",
    "javascript": "astro ava babel bunx c8 conc concurrently esbuild eslint expo husky jest lerna mocha next ng gulp grunt nodemon npm npx nuxi nuxt nx nyc parcel pm2 pnpm pnpx prettier rollup stylelint svelte-kit swc tap ts-node tsc tsx turbo vite vitest vue-tsc webpack webpack-cli yarn yarnpkg",
    "network": "autossh curl dig drill dumpcap host http httpie https mtr nc nc.openbsd nc.traditional ncat netcat nmap nslookup ping ping6 resolvectl rsync scp sftp ssh tcpdump tracepath traceroute traceroute6 tshark wget whois xh xhs",
    "python": "autopep8 bandit basedpyright black codespell coverage coverage3 dmypy fab flake8 inv invoke isort mypy nox pre-commit py.test pycodestyle pydocstyle pyflakes pylint pyright pytest ruff tox virtualenv vulture yapf",
    "python_packages": "conda hatch mamba micromamba pdm pip pip3 pipenv pipx poetry rye uv uvx",
    "shells": "bg caller compgen complete dirs disown fg history logout suspend",
    "system": "apropos arch cal clear coredumpctl crontab date dmesg findmnt finger free fuser gdate getconf getent gpg gpg2 groups hostname hostnamectl htop hyperfine id ifconfig info ip journalctl kill killall last lastlog locale localectl loginctl logname lsblk lscpu lsmem lsof lspci lsusb man micro mount nano ncal netstat networkctl pgrep pico pidof pkill printenv ps pstree pwd reset skill ss ssh-add ssh-keygen ssh-keyscan sw_vers sysctl systemctl systemd-analyze systemd-cgls timedatectl tldr top tput tty umount uname uptime users vmstat w whatis whence whereis which who whoami",
    "system_packages": "apk apt apt-cache apt-file apt-get apt-mark aptitude brew dnf dpkg dpkg-query flatpak pacman port snap yum zypper",
    "text": "ack ag awk b2sum b3sum base32 base64 basename basenc bat batcat bawk bc bzgrep cat cksum cmp column comm csplit cut diff diff3 dirname dos2unix echo egrep expand expr factor false fgrep fmt fold gawk gbase64 gbasename gcat gcut gdiff gdirname gecho ggrep ghead gmd5sum goawk gprintf grep gsed gseq gsha256sum gshuf gsleep gsort gsplit gstrings gtail gtee gtr guniq gwc hd head hexdump iconv join less look mawk md5 md5sum more most nawk nl nproc numfmt od paste pg pr printf ptx rev rg ripgrep sdiff sed seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum shellcheck shfmt shuf sleep sort split sponge strings sum tac tail tee tokei tr true tsort unexpand uniq unix2dos wc xxd xzgrep yamllint yes zegrep zfgrep zgrep",
    "wrappers": "builtin caffeinate catchsegv chronic chrt command dbus-run-session doas eatmydata entr env exec fakeroot faketime flock genv gnice gnohup gosu gstdbuf gtime gtimeout gxargs i386 ionice linux32 linux64 ltrace nice nocache nocorrect noglob nohup nsenter numactl pkexec prlimit proxychains proxychains4 setarch setpriv setsid setuidgid stdbuf strace su-exec sudo systemd-inhibit taskset time timeout torify torsocks unbuffer unshare valgrind watch x86_64 xargs xvfb-run",
}
_HOMES = {name: home for home, listed in NAMES.items() for name in listed.split()}


def has_entry(name: str) -> bool:
    """Tell whether there is a table for a program."""
    return name in _HOMES


def home_of(name: str) -> str | None:
    """Which kind of program it is, by the module that knows it; None: it is not known."""
    return _HOMES.get(name)


def program(name: str) -> Program | None:
    """What is known about a program."""
    home = _HOMES.get(name)
    return _programs(home, "PROGRAMS").get(name) if home is not None else None


def wrapper(name: str) -> Wrapper | None:
    """What is known about a program whose arguments are another command."""
    return _wrappers().get(name) if _HOMES.get(name) == "wrappers" else None


def transparent_wrappers() -> tuple[str, ...]:
    """The programs that need no rule of their own because what they run does."""
    return tuple(name for name, entry in _wrappers().items() if entry.transparent)


def interpreter(name: str) -> Interpreter | None:
    """What is known about a program that runs code."""
    return _interpreters().get(name) if _HOMES.get(name) == "interpreters" else None


def module(name: str) -> Program | None:
    """What is known about a module that `python3 -m` runs."""
    return program(name) or _programs("python", "MODULES").get(name)


def git_commands() -> tuple[Program, ...]:
    """What is known about git's sub-commands."""
    entry = program("git")
    return entry.commands if entry is not None else ()


@cache
def _programs(home: str, listed: str) -> dict[str, Program]:
    entries: tuple[Program, ...] = getattr(importlib.import_module(f"{__name__}.{home}"), listed, ())
    return {name: entry for entry in entries for name in entry.names.split()}


@cache
def _wrappers() -> dict[str, Wrapper]:
    from nacre.policy.tables.wrappers import WRAPPERS  # noqa: PLC0415 - when the first one is named

    return {name: entry for entry in WRAPPERS for name in entry.names.split()}


@cache
def _interpreters() -> dict[str, Interpreter]:
    from nacre.policy.tables.interpreters import INTERPRETERS  # noqa: PLC0415 - when the first one is named

    return {name: entry for entry in INTERPRETERS for name in entry.names.split()}
