"""What people and agents write every day: a list that names the programs must let it pass.

`ordinary.jsonl` holds real commands (command, shell, note). The rules are the names of all programs in them;
only what runs anything by its nature (`docker run`) is spelled, because a person must vouch for it. Writes
are allowed. What is denied is printed, with the hint that the writer would get.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, Verdict, judge

pytestmark = pytest.mark.req("policy-ordinary")

_CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("ordinary.jsonl").read_text(encoding="utf-8").splitlines()
]
_PROGRAMS = """
    git gh npm npx yarn pnpm node python3 pytest pip ruff mypy black uv poetry coverage make cmake ctest cargo
    go mvn ./gradlew gcc g++ ./main dotnet bundle terraform docker kubectl helm ls cat head tail wc find grep
    rg fd tree sed awk cut sort uniq tr diff comm cp mv rm mkdir touch ln chmod ./scripts/*.sh du df file stat
    xxd md5sum tar unzip zip gunzip echo printf tee jq yq sqlite3 psql redis-cli curl wget ping ssh uptime aws
    ps lsof kill pkill sleep env which command uname date whoami hostname free nproc systemctl journalctl seq
    read test [ set cd pwd export wait exit true paste bc nl xargs local pre-commit isort flake8 pyright tox
    gofmt ar ld nm objdump strip ldd valgrind java rake php composer ./app openssl python trap shopt
    print hash history type ulimit shift
    ./bin/cli.js ./build/bench ./build/tests ./build/unit_tests ./configure ./mvnw ./run_tests.sh
    ./scripts/test.sh ./server ./solve ./t .venv/bin/pip .venv/bin/python /tmp/a /tmp/t 7z Rscript
    alembic ansible-playbook apt apt-cache apt-get bandit base64 bash bin/rails brew bun c++filt cc
    celery clang++ clang-format clang-tidy cloc column convert createdb crontab ctags dart deno dig
    django-admin dlv dmesg dpkg ffmpeg ffprobe firebase flask flutter gcloud gcov gdb gem getconf ghc
    golangci-lint gopls gpg gradle groups gunicorn gzip hexdump hyperfine id identify ip javac julia
    kustomize locale lscpu lua meson mix mktemp mongosh mysql nc netlify netstat ninja nslookup nvm
    objcopy pandoc pbpaste pdftotext perf perl pg_dump pg_isready pgrep phpunit pkg-config playwright
    printenv protoc pstree pylint rails readelf readlink rspec rsync rubocop ruby rustc rustfmt rustup
    scp screen sh sha256sum shellcheck shfmt shuf size split ss ssh-keygen ssh-keyscan stack staticcheck
    strace sudo swift sysctl tmux tokei top tsc twine uvicorn uvx vendor/bin/phpstan vercel vmstat watch
    virtualenv xcodebuild xmllint xz yamllint zcat zsh
    code docker-compose eslint last mount pip-compile script/setup uuidgen who
    ./bin/start ./node_modules/.bin/vitest ./target/debug/deno ./target/release/app ./tools/format.js
    ./tools/lint.js act actionlint ag basename bazel breeze cmp conda corepack dirname getent hadolint
    install jobs jupyter just less lsblk lsusb mapfile nbconvert nmcli nox pip3 popd prek pushd realpath
    shasum status stty tput
    ./bin/app ./bin/server ./build/app ./target/release/solver ./test_list ./vendor/bin/sail
    /tmp/a.out /tmp/lexer /tmp/venv/bin/pip /tmp/venv/bin/python ab adb air asdf ast-grep autoflake
    autoreconf az bat bin/rspec brakeman buf bunx cabal chown clang declare defaults delta diesel
    diffstat direnv dos2unix dot entr erb_lint exa exec expand expr eza factor flock fly flyctl fmt
    fnm fold fuser fzf gofumpt goose hatch heroku hey http hugo iconv iex iostat jar javap jcmd
    jdeps join jps jshell jstack k6 kotlinc locust logger loginctl migrate mise mkdocs mmdc mockgen
    mongoexport nginx nix nvidia-smi od ollama packer papermill pdm pip-audit pipenv plantuml rebar3
    reek rev rmdir safety sbt scc scrapy sdiff semgrep sphinx-build sqlc sqlx standardrb streamlit
    strings stripe sw_vers tac task templ traceroute tree-sitter trivy truncate trunk umask vagrant
    vendor/bin/pest vendor/bin/phpcs vendor/bin/phpunit vendor/bin/pint volta wasm-bindgen wasm-pack
    wire wp wrk xcode-select xcpretty yes zgrep zig zstd
    apk dnf faketime flock loginctl networkctl nmap pacman systemd-analyze tcpdump timedatectl unshare
    xvfb-run
"""
_VOUCHED = ["uv run *", "poetry run *", "bundle exec *", "docker run *", "docker exec *"]
_WINDOWS = """
    dir type findstr where copy mkdir echo cd git npm node python pip Get-* Select-Object Sort-Object
    Where-Object ForEach-Object Select-String Test-Path Set-Location Write-Output ConvertFrom-Json
    Measure-Command
    npx dotnet set rmdir del xcopy move ren tasklist taskkill netstat curl curl.exe cargo go tree more pushd
    popd ver fc py .venv\\Scripts\\python.exe .\\.venv\\Scripts\\python.exe
    Push-Location Pop-Location *-Item *-Content Out-* Measure-Object Write-Host Stop-Process Invoke-*
    Start-Sleep Compare-Object Resolve-Path
"""
# Of each shell so many may be denied.
# Of 2,000 in bash: a tag that may be an option, a variable of a known tool, two that run anything by nature.
_MOST_DENIED = {"bash": 4, "zsh": 1, "sh": 1, "fish": 0, "cmd": 1, "powershell": 3}


# In a repository, where it counts what is there, and what comes into it.
_MORE_DENIED_IN_A_REPOSITORY = 8


def _denied(shell: str, cwd: str | None = None) -> list[tuple[str, Verdict]]:
    names = _WINDOWS.split() if shell in {"cmd", "powershell"} else [*_PROGRAMS.split(), *_VOUCHED]
    policy = Policy.from_lists(names, allow_writes=True)
    if cwd is not None:
        policy = replace(policy, files=LOCAL_FILES)
    verdicts = [
        (case["command"], judge(case["command"], policy, shell=shell, cwd=cwd))
        for case in _CASES
        if case["shell"] == shell
    ]
    return [(text, verdict) for text, verdict in verdicts if not verdict.allowed]


@pytest.mark.parametrize("shell", sorted(_MOST_DENIED))
def test_a_list_that_names_the_programs_is_enough(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    denied = _denied(shell)
    with capsys.disabled():
        sys.stdout.write(f"\n{shell}: {len(denied)} denied\n")
        for text, verdict in denied:
            sys.stdout.write(f"  {text!r}: {verdict.reason} ({verdict.rule}); {verdict.hint or 'no hint'}\n")
    assert len(denied) <= _MOST_DENIED[shell]


@pytest.mark.parametrize("shell", sorted(_MOST_DENIED))
def test_it_is_enough_in_a_repository_too(shell: str, tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    for name in ("src", "tests", "docs", "build", "dist"):
        (tmp_path / name).mkdir()
    denied = [text for text, _ in _denied(shell, str(tmp_path))]
    more = _MORE_DENIED_IN_A_REPOSITORY if shell == "bash" else 0
    assert len(denied) <= _MOST_DENIED[shell] + more, denied


def test_the_commands_are_many() -> None:
    assert sum(case["shell"] == "bash" for case in _CASES) >= 212
    assert {case["shell"] for case in _CASES} == set(_MOST_DENIED)


def test_what_is_denied_comes_with_advice() -> None:
    """Whoever is refused an ordinary command is told what to do instead."""
    silent = [text for shell in _MOST_DENIED for text, verdict in _denied(shell) if not verdict.hint]
    assert silent == []
