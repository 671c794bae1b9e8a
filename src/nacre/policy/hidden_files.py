"""Files with a dot before their names, and those of the system: which may be written under an allowlist.

Programs, editors, shells and agents look for their instructions in files with such names, and new ones come
every year: what is not known to be harmless is refused. Above: `boundaries`. Below: `patterns`. Pure.
"""

from __future__ import annotations

import re

from nacre.policy.patterns import regex

# In a project: what only runners read (a rule for one is a rule for anything), what says which files others
# leave alone, caches, and what is read on other machines. Not what git, shells, editors and agents run.
_HARMLESS = regex(
    r"\.(?:git(?:ignore|attributes|keep|modules|-blame-ignore-revs)|keep|mailmap|ignore|\w+ignore|editorconfig|envrc|env(?:[.*].*)?"
    r"|(?:prettier|eslint|stylelint|babel|browserslist|nyc|mocha|swc|lintstaged|commitlint|release|textlint|cz|depcheck|postcss|npm|yarn"
    r"|pylint|coverage|shellcheck|luacheck|bazel|jshint|jscs|tern|size-limit|markdownlint|remark|c8|ember-cli|bower|nvm|rubocop)(?:rc)?(?:\..*)?"
    r"|(?:node|python|ruby|java|go|php|terraform|perl|bazel)-version|tool-versions|sdkmanrc"
    r"|flake8|isort\.cfg|style\.yapf|yamllint.*|hadolint.*|golangci.*|goreleaser.*|rspec|rustfmt\.toml|clang-(?:format|tidy)|clangd"
    r"|gitlab-ci.*|travis\.yml|circleci|github|gitlab|gitea|forgejo|woodpecker.*|drone\.yml|buildkite|azure-pipelines.*|codecov.*|readthedocs.*"
    r"|storybook|changeset|changes|next|nuxt|output|svelte-kit|turbo|parcel-cache|cache|tmp|temp|build|dist|docs|data|logs?"
    r"|pytest_cache|mypy_cache|ruff_cache|hypothesis|ipynb_checkpoints|eggs|yarn|pnp\..*|pnpm-store|angular|expo|docusaurus"
    r"|terraform\.lock\.hcl|tflint\.hcl|cargo|mvn|gradle|swcrc|watchmanconfig|well-known|htaccess|nojekyll|snyk|cspell.*|typos\.toml"
    r"|stylua\.toml|credo\.exs|formatter\.exs|scalafmt\.conf|jvmopts|sbtopts|swift(?:lint|format).*|ocamlformat|dockerenv|nacre-.*)",
    re.IGNORECASE | re.DOTALL,
)
# `--ext .ts,.tsx`, `rename .htm .html x.htm`: ends of names. No program looks for a file without a name.
_END = (
    r"(?:[cm]?[jt]sx?|json5?|ya?ml|toml|py|rb|go|rs|java|kt|cs|cpp|hpp|php|vue|svelte|s?css|less|html?|mdx?|rst"
    r"|txt|csv|jpe?g|png|svg|log|bak)"
)
_ENDS = regex(rf"\.{_END}(?:,\.?{_END})*")
# Which files git leaves alone in this copy of a repository.
_LEFT_ALONE = ".git/info/exclude"
# What people call an environment of Python in a project.
_ENVIRONMENT = regex(r"(?:\./|/)?(?:\w[\w-]*/)*\.(?:venv|virtualenv)[\w.-]*/?")
_EXPANDED = regex(r"[$`\"\\\n]")
_TEMPORARY = regex(r"(?:/private)?(?:/var)?/tmp/[^/]+(?:/[^/.][^/]*)*", re.DOTALL)
# Where shells look for programs before the system's, and what macOS starts by itself.
_STARTED_AT_HOME = regex(r"(?:(?:go/)?bin|Library/(?!Caches/)[^/]+)(?:/.*)?", re.DOTALL | re.IGNORECASE)
_OF_THE_SYSTEM = regex(
    r"/(?:etc|usr|boot|opt|bin|sbin|lib(?:32|64|x32)?|sys|proc(?!/(?:self|[0-9]+)/fd/)|cgroup|snap|gnu|System|Library|Applications|nix"
    r"|run/(?!user/|lock/|shm/)[^/]+|dev/(?!shm/|pts/|(?:null|zero|full|tty|std(?:in|out|err)|fd/[0-9]+)/)[^/]+"
    r"|var/(?!tmp/|log/|www/|cache/nginx/)[^/]+|private/etc)/.*",
    re.DOTALL,
)


def is_unknown_hidden_file(path: str) -> bool:
    """Whether a path below a project has a part with a dot before it that is not known to be harmless."""
    if path == _LEFT_ALONE or path.endswith(f"/{_LEFT_ALONE}"):
        path = path.removesuffix(_LEFT_ALONE)
    hidden = [part for part in path.split("/") if part.startswith(".") and part.strip(".")]
    return any(_HARMLESS.fullmatch(part) is None and _ENDS.fullmatch(part) is None for part in hidden)


def is_expanded_when_activated(path: str) -> bool:
    """Whether `activate`, which holds the path of its environment in double quotes, would expand it."""
    return _EXPANDED.search(path) is not None


def is_environment(path: str) -> bool:
    """Whether a path in a project is one that `python3 -m venv` makes, and no other program reads."""
    return _ENVIRONMENT.fullmatch(path) is not None


def is_followed_at_home(path: str) -> bool:
    """Whether a path below a home directory begins with such a name, or is where programs are looked for."""
    hidden = path.startswith(".") and bool(path.partition("/")[0].strip("."))
    return hidden or _STARTED_AT_HOME.fullmatch(path) is not None


def is_hidden_elsewhere(path: str) -> bool:
    """Whether an absolute path outside of all projects has such a part; a file of its own in /tmp is none."""
    return is_unknown_hidden_file(path) and _TEMPORARY.fullmatch(path) is None


def is_of_the_system(path: str) -> bool:
    """Whether an absolute path is in a directory of programs, libraries and configurations for everybody."""
    return _OF_THE_SYSTEM.fullmatch(f"{path}/") is not None
