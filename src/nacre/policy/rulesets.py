# ruff: noqa: E501 - lists of names
"""Ready-made sets of allow rules: `[policy] include = ["read-only", "git-read"]`.

Above: `rules` adds them to what a person wrote. Below: nothing. Data only; each set has its own cases in
`tests/policy/rulesets.jsonl`. The first two only look; the others run what a project's files say.
"""

from __future__ import annotations

from typing import Any

_GIT_BRANCH_CHANGES = [
    *("-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "-t", "--delete", "--move", "--copy", "--force"),
    *("--set-upstream-to", "--unset-upstream", "--track", "--edit-description", "--create-reflog"),
]
_READ_ONLY = (
    "ls cat head tail wc nl tac rev cut paste join comm tr fold fmt column od hexdump strings sort uniq grep egrep "
    "fgrep rg find tree stat file du df diff cmp basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum "
    "cksum jq sed awk seq date pwd which type uname whoami id nproc ps uptime free"
)
_GIT_READ = (
    "status log show diff blame annotate grep ls-files ls-tree rev-parse rev-list describe shortlog merge-base cat-file "
    "for-each-ref name-rev show-ref count-objects check-ignore check-attr range-diff version"
)

RULESETS: dict[str, list[str | dict[str, Any]]] = {
    "read-only": list(_READ_ONLY.split()),
    "git-read": [
        *(f"git {command}" for command in _GIT_READ.split()),
        {"command": "git branch", "args": ["--list"], "not_args": _GIT_BRANCH_CHANGES},
        {"command": "git branch", "args": ["-a"], "not_args": _GIT_BRANCH_CHANGES},
        {"command": "git branch", "args": ["-v*"], "not_args": _GIT_BRANCH_CHANGES},
        {"command": "git branch", "args": ["--show-current"], "not_args": _GIT_BRANCH_CHANGES},
        {
            "command": "git tag",
            "args": ["--list"],
            "not_args": ["-d", "-f", "-a", "--delete", "--force", "--annotate"],
        },
        {
            "command": "git tag",
            "args": ["-l"],
            "not_args": ["-d", "-f", "-a", "--delete", "--force", "--annotate"],
        },
        {
            "command": "git remote",
            "args": ["-v"],
            "not_args": ["add", "remove", "rm", "rename", "set-*", "prune", "update", "show"],
        },
        "git remote get-url",
        "git stash list",
        "git stash show",
        {"command": "git reflog", "not_args": ["expire", "delete"]},
        "git worktree list",
        "git config --get",
        "git config --list",
    ],
    "node-project": [
        *(
            "npm test",
            "npm run *",
            "npm ci",
            "npm ls",
            "npm outdated",
            "npm view",
            "npm audit",
            "npm --version",
        ),
        *(
            "yarn test",
            "yarn run *",
            "yarn install",
            "yarn --version",
            "pnpm test",
            "pnpm run *",
            "pnpm install",
        ),
        *("npx eslint", "npx prettier", "npx tsc", "npx jest", "npx vitest", "node --version", "node --test"),
    ],
    "python-project": [
        *(
            "pytest",
            "python -m pytest",
            "python3 -m pytest",
            "python --version",
            "python3 --version",
            "ruff",
            "mypy",
        ),
        *("black --check", "pip list", "pip show", "pip freeze", "pip check", "coverage report", "tox"),
        *("uv run pytest", "uv run ruff", "uv run mypy", "uv sync", "uv lock", "uv tree", "uv pip list"),
    ],
}
