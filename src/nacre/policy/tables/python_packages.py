# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Packages and environments of Python: pip, uv, pipx, poetry, conda and the like.

Above: `tables` finds a program's entry by its name. Below: `schema`. Packages are code: where they come from must be
the usual place, or the project.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import ELSEWHERE, ENVIRONMENT_PROMPT, FOR_TESTS, OUTSIDE, Program

# Behind `@` stands where a package comes from (`x @ ../y`, `x @ link`), and uv fills in variables (`${HOME}/x`).
_ELSEWHERE = rf"{ELSEWHERE}|(?s:.*)[@$]"
# To poetry a version can stand there, too.
_POETRY_ELSEWHERE = rf"{ELSEWHERE}|(?s:.*)\$|[^@]*@(?!(?:[\^~<>=!]*\d[\w.*,<>=!~^+-]*|latest|\*)\Z)"
# Where packages come from: an index that a command names is code from elsewhere, and so is what a proxy answers.
_SOURCES = "-i= --index-url= --extra-index-url= --trusted-host= --proxy="
_ASKED = "an index that the command names is asked"
_INDEX = "--no-index --pre --prefer-binary --no-binary= --only-binary= --platform= --python-version= --implementation= --abi="
_PIP = "-h -v -V -q --help --version --verbose --quiet --debug --isolated --require-virtualenv --no-input --retries= --timeout= --exists-action= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated="
_UV = "-n -q -v -h -V --no-cache --managed-python --no-managed-python --no-python-downloads --quiet --verbose --color= --no-color --system-certs --native-tls --offline --no-progress --no-config --help --version --preview --no-preview"
_UV_PROJECT = "-U -P= --extra= --all-extras --no-extra= --dev --no-dev --only-dev --group= --no-group= --no-default-groups --only-group= --all-groups --no-editable --inexact --exact --active --no-sync --locked --frozen --dry-run --check --all-packages --package= --no-install-project --no-install-workspace --no-install-package= --upgrade --upgrade-package= --resolution= --prerelease= --fork-strategy= --exclude-newer= --no-sources --reinstall --reinstall-package= --link-mode= --compile-bytecode --no-build --no-build-package= --no-binary --no-binary-package= --refresh --refresh-package= --no-index --index-strategy= --no-build-isolation --isolated --no-project --universal --depth= -d= --prune= --no-dedupe --invert --outdated --format= --no-hashes --no-header --no-annotate --no-emit-project --optional= --editable --raw --rev= --tag= --branch= --workspace --bare --app --lib --name= --description= --no-readme --no-workspace --no-pin-python --vcs= --build-backend= --python-platform= --check-exists --seed --clear --allow-existing --prompt= --system-site-packages -m= --marker= --bounds= --output-format= --short --bump= --all-versions --only-installed --only-downloads --sdist --wheel --no-build-logs --raw-sources --files --relocatable"
_UV_PYTHON = ("-p= --python=", r"(?:c?python|pypy)?@?\d+(?:\.\d+){0,2}t?")
_UV_ELSEWHERE = "-i= --index-url= --index= --default-index= --extra-index-url= -f= --find-links= --directory= --project= --config-file= -C= --config-setting= --config-settings= --cache-dir= --allow-insecure-host= --with= -w= --with-editable= --with-requirements= --env-file= --script= -s= --keyring-provider= --gui-script="
_POETRY = (
    "-h -q -v -vv -vvv -V -n --help --quiet --verbose --version --ansi --no-ansi --no-interaction --no-cache"
)
_PROJECTS = "directories, environments and plugins from elsewhere are code"
_BROUGHT = "what a package brings is run; -o writes"
# What is handed on to pytest, ruff and the like: which tests and rules, and how it is shown.
_HANDED_ON = r"-(?:[xqsl]|v+|k|m|n)|--(?:lf|ff|nf|sw|co|last-failed|failed-first|collect-only|exitfirst|no-header|showlocals|check|diff|preview|quiet|verbose|statistics)|--(?:tb|maxfail|durations|timeout|color|cov|select|ignore|extend-select|output-format|line-length|target-version)=[\w.,-]+|(?!.*\.\.)(?!.*(?:\..*\(|\(.*\.))\w[\w ./:,()\[\]-]*"

# Anybody can have a channel of any other name.
_CHANNEL = "defaults|main|r|anaconda|conda-forge|bioconda|pytorch|nvidia"
_CONDA_CHANNELS = ("-c= --channel=", _CHANNEL)
_CONDA_ENVIRONMENT = ("-n= --name=", r"\w[\w.-]*")
_CONDA_PACKAGE = rf"(?:(?:{_CHANNEL})::)?\w[\w.-]*(?:[ =<>!~][\w.*,<>=!~ ]*)?"


def _settings(options: str) -> Program:
    """Settings are shown by their name; more than one word, or any other option, sets something."""
    return Program(
        names="config", reason="settings decide what runs", options=options, operands="text", max_operands=1
    )


_UVX = Program(
    names="uvx",
    plain_values=True,
    reason="it fetches and runs packages",
    options=_UV,
    checks=(_UV_PYTHON,),
    runs="--from= --with= --with-editable= --spec= --index-url= -i= --pip-args= --suffix=",
    stops=True,
    passes=True,
    packages=True,
)

PROGRAMS = (
    Program(
        names="pip pip3",
        plain_values=True,
        reason="other interpreters and build options are code; logs are written",
        options=_PIP,
        checks=(("--keyring-provider=", "auto|disabled|import"),),
        reads="--cert= --client-cert=",
        # What it holds is installed as it is.
        places="--cache-dir=",
        writes="--log=",
        runs=f"--python= {_SOURCES}",
        persistent=True,
        commands=(
            *(
                Program(
                    names=names,
                    plain_values=True,
                    reason="an index, an address, another directory and build options are code from elsewhere; other directories are written",
                    options=f"{_INDEX} -U -I --no-deps --dry-run --user --upgrade --upgrade-strategy= --force-reinstall --ignore-installed --ignore-requires-python --no-build-isolation --use-pep517 --check-build-dependencies --break-system-packages --compile --no-compile --no-warn-script-location --no-warn-conflicts --require-hashes --progress-bar= --root-user-action= --no-clean --no-verify",
                    reads="-e= --editable= -f= --find-links=",
                    # A list of packages, of indexes and of other lists.
                    places="-r= --requirement= -c= --constraint= --build-constraint=",
                    checks=(
                        ("-e= --editable= -f= --find-links=", rf"(?!{_ELSEWHERE})[\s\S]*"),
                        # A list of packages in the project's own file, or in another one that is named.
                        ("--group=", r"(?![/~])(?!.*\.\.)[\w./-]+(?::[\w.-]+)?"),
                    ),
                    operands="own",
                    refuses=_ELSEWHERE,
                    writes="-t= --target= --root= --prefix= --src= --report= -d= --dest= -w= --wheel-dir= -b= --build= -o= --output=",
                    runs=f"--global-option= --build-option= --config-settings= --config-setting= -C= --install-option= {_SOURCES}",
                    only_with=only_with,
                )
                for names, only_with in (("install", ""), ("download wheel lock", "-h --help"))
            ),
            Program(
                names="uninstall",
                plain_values=True,
                options="-y --yes --root-user-action= --break-system-packages",
                reads="-r= --requirement=",
                operands="text",
            ),
            Program(
                names="config",
                reason="settings decide where packages come from",
                options="--user --global --site",
                spelled="set unset edit",
                commands=(
                    Program(names="list get debug", options="--user --global --site", operands="text"),
                ),
            ),
            # To all others, --local is short for --local-log, which writes.
            Program(
                names="list freeze inspect",
                plain_values=True,
                reason=_ASKED,
                options=f"{_INDEX} -o -u -e -l --outdated --uptodate --editable --local --user --format= --not-required --exclude-editable --include-editable --exclude= --all",
                reads="--path= -r= --requirement=",
                runs=f"-f= --find-links= {_SOURCES}",
                operands="text",
            ),
            # Here -f takes no value, and is no address.
            Program(names="show", plain_values=True, options="-f -v --files", operands="maybe"),
            Program(
                names="check search index hash completion help cache debug",
                plain_values=True,
                reason=_ASKED,
                options=f"{_INDEX} -v --format= --algorithm= --bash --zsh --fish --json",
                runs=f"-f= --find-links= {_SOURCES}",
                operands="maybe",
            ),
        ),
    ),
    Program(
        names="uv",
        plain_values=True,
        reason="interpreters, directories, indexes and scripts from elsewhere are code",
        options=_UV,
        runs="--directory= --project= --config-file= --cache-dir= --allow-insecure-host=",
        persistent=True,
        spelled="run x publish auth",
        commands=(
            Program(
                names="run",
                plain_values=True,
                reason="interpreters, packages and files from elsewhere are code",
                options=_UV_PROJECT.replace(" -m=", " -m").replace(" --marker=", " --module"),
                checks=(_UV_PYTHON,),
                # Another project below, like `make -C`.
                places="--project=",
                runs=_UV_ELSEWHERE.replace(" --project=", ""),
                stops=True,
                passes=True,
            ),
            Program(
                names="sync lock add remove tree version build",
                plain_values=True,
                reason="interpreters, indexes and build options from elsewhere are code",
                options=_UV_PROJECT,
                places="-r= --requirement= --requirements= -c= --constraint= --constraints=",
                writes="-o= --out-dir=",
                checks=(_UV_PYTHON,),
                runs=_UV_ELSEWHERE,
                operands="own",
                refuses=_ELSEWHERE,
            ),
            Program(
                names="init",
                plain_values=True,
                reason="interpreters and indexes from elsewhere are code",
                # A kind of project here, and no name.
                options=_UV_PROJECT.replace(" --package=", " --package"),
                checks=(_UV_PYTHON,),
                runs=_UV_ELSEWHERE,
                operands="change",
            ),
            Program(
                names="venv",
                plain_values=True,
                reason="interpreters and indexes from elsewhere are code",
                options=_UV_PROJECT,
                checks=(_UV_PYTHON, ENVIRONMENT_PROMPT),
                runs=_UV_ELSEWHERE,
                empties="--clear",
                operands="equip",
            ),
            Program(
                names="export",
                plain_values=True,
                reason="-o writes",
                options=_UV_PROJECT,
                writes="-o= --output-file=",
                checks=(_UV_PYTHON,),
                runs=_UV_ELSEWHERE,
            ),
            Program(
                names="pip",
                reason="interpreters, indexes and build options from elsewhere are code",
                commands=(
                    Program(
                        names="install sync uninstall list freeze show tree check compile",
                        plain_values=True,
                        reason="interpreters, indexes and build options from elsewhere are code",
                        options=_UV_PROJECT.replace(" --no-binary ", " --no-binary= ").replace(
                            " --editable ", " "
                        )
                        + " --no-deps --system --break-system-packages --strict --user --only-binary= --python-version= --torch-backend= --require-hashes --generate-hashes --no-strip-extras --no-strip-markers --no-emit-package= --emit-index-url --annotation-style= --exclude-editable",
                        reads="-e= --editable=",
                        # The last two are names to `list`, and lists of them to `install`.
                        places="-r= --requirement= --requirements= -c= --constraint= --constraints= --override= --overrides= -b= --build-constraint= --build-constraints= --exclude= --excludes=",
                        writes="-t= --target= --prefix= -o= --output-file=",
                        checks=(_UV_PYTHON, ("-e= --editable=", rf"(?!{_ELSEWHERE})[\s\S]*")),
                        runs=_UV_ELSEWHERE,
                        operands="own",
                        # A dash is the input, a list of packages from anywhere.
                        refuses=rf"-|{_ELSEWHERE}",
                    ),
                ),
            ),
            Program(
                names="python",
                reason="it installs interpreters",
                spelled="install uninstall upgrade pin update-shell",
                commands=(
                    Program(
                        names="list find dir",
                        plain_values=True,
                        reason="an interpreter is asked for its version by running it",
                        options=_UV_PROJECT,
                        operands="text",
                        refuses=r"~|\.|.*[/\\]",
                    ),
                ),
            ),
            Program(
                names="cache",
                reason="",
                commands=(Program(names="dir prune clean size", options="--ci --force", operands="text"),),
            ),
            Program(
                names="tool",
                reason="it fetches and runs packages",
                spelled="run install upgrade uninstall update-shell",
                commands=(
                    replace(_UVX, names="run"),
                    Program(
                        names="list dir", options="--show-paths --show-version-specifiers --show-with --bin"
                    ),
                ),
            ),
            Program(
                names="self",
                reason="it replaces itself",
                spelled="update uninstall",
                commands=(Program(names="version", plain_values=True, options="--short --output-format="),),
            ),
        ),
    ),
    _UVX,
    Program(
        names="pipx",
        plain_values=True,
        reason="it fetches and runs packages, and changes where programs are found",
        options="-h -q -v --help --version --quiet --verbose",
        spelled="install inject uninject uninstall uninstall-all upgrade upgrade-all upgrade-shared reinstall reinstall-all install-all ensurepath runpip interpreter completions pin unpin",
        commands=(
            Program(
                names="run",
                plain_values=True,
                reason="it fetches and runs packages",
                options="-q -v --verbose --quiet --no-cache",
                runs="--spec= --python= --pip-args= --path --pypackages --index-url= -i= --with= --fetch-missing-python --system-site-packages --editable -e",
                stops=True,
                passes=True,
                packages=True,
            ),
            Program(
                names="list environment",
                plain_values=True,
                options="--short --json --include-injected --value= -V=",
                operands="text",
            ),
        ),
    ),
    Program(
        names="poetry",
        reason=_PROJECTS,
        options=_POETRY,
        runs="-C= --directory= -P= --project= --no-plugins",
        persistent=True,
        plain_values=True,
        spelled="run shell source publish plugin init new python",
        commands=(
            # With `--` behind it, options before that are poetry's: `poetry run ls -C /tmp/x -- y` runs that one's ls.
            Program(
                names="run",
                reason="options before `--` are taken for poetry's own",
                stops=True,
                passes=True,
                refuses=r"(?:--)?\Z",
            ),
            Program(
                names="env",
                reason="another interpreter is run",
                spelled="use remove",
                commands=(
                    Program(names="info list activate", options="-p -e --path --executable --full-path"),
                ),
            ),
            _settings("--list"),
            Program(
                names="self cache",
                reason="it changes itself",
                spelled="add update remove install lock sync clear",
                commands=(
                    Program(
                        names="show list",
                        options="-a -o -t --addons --outdated --tree --latest",
                        operands="text",
                    ),
                ),
            ),
            Program(
                names="show",
                plain_values=True,
                options="-a -f= -l -o -t -T --with= --without= --only= --tree --why --latest --outdated --all --top-level --no-truncate --format=",
                operands="text",
            ),
            Program(
                names="install sync add remove update lock check version search export about list",
                plain_values=True,
                reason=_BROUGHT,
                options="-D -G= -E= -e -f= -s --dev --group= --with= --without= --only= --extras= --all-extras --all-groups --only-root --no-root --no-dev --no-directory --sync --dry-run --compile --regenerate --no-update --allow-prereleases --optional= --python= --platform= --markers= --editable --lock --strict --format= --short --next-phase --without-hashes --without-urls --with-credentials --check",
                writes="-o= --output=",
                operands="own",
                refuses=_POETRY_ELSEWHERE,
            ),
            Program(
                names="build",
                plain_values=True,
                reason="packages are written; settings of the builder are code",
                options="-f= -l= --format= --local-version= --clean",
                writes="-o= --output=",
                gathers="-o --output",
                runs="-c= --config-settings=",
                operands="text",
                refuses=r"(?s:.)",
            ),
        ),
    ),
    Program(
        names="pdm",
        reason=_PROJECTS,
        options="-h -V -v -q -I -n --help --version --verbose --quiet --no-cache --ignore-python --non-interactive",
        runs="-c= --config= -g --global -p= --project= -L= --lockfile= --override= -C= --config-setting= --venv= --pep582?",
        persistent=True,
        plain_values=True,
        # A script of the project by its name is refused like any other unknown word.
        spelled="run fix import init new publish python py self plugin use venv completion",
        commands=(
            Program(names="run", stops=True, passes=True),
            _settings(""),
            Program(
                names="cache",
                reason="it removes what was fetched",
                spelled="clear remove",
                commands=(Program(names="list info", operands="text"),),
            ),
            Program(
                names="install sync add remove update lock list outdated show info search export",
                plain_values=True,
                reason=_BROUGHT,
                # No `--lock`: it is short for --lockfile, which is written.
                options="-d -G= -x -u -t -r -f= -k= -S= --dev --group= --with= --without= --no-default --prod --production --no-editable --no-self --fail-fast --no-isolation --dry-run --frozen-lockfile --no-lock --check --save-compatible --save-safe-compatible --save-wildcard --save-exact --save-minimum --update-reuse --update-eager --update-all --update-reuse-installed --pre --prerelease --stable --unconstrained --no-sync --top --outdated --clean --only-keep --clean-unselected --reinstall --skip= --strategy= --refresh --no-cross-platform --static-urls --no-static-urls --exclude-newer= --python? --platform? --implementation= --append --freeze --tree --graph --reverse --resolve --fields= --sort= --csv --json --markdown --include= --exclude= --include-sub --where --packages --env --name --version --summary --license --keywords --format= --no-hashes --without-hashes --no-markers --no-extras --pyproject --self --editable-self",
                writes="-o= --output=",
                runs="-e= --editable=",
                operands="own",
                refuses=_ELSEWHERE,
            ),
            Program(
                names="build",
                plain_values=True,
                reason="packages are written; settings of the builder are code",
                options="--no-sdist --no-wheel --no-clean --no-isolation -k= --skip=",
                writes="-d= --dest=",
                gathers="-d --dest",
                operands="text",
                refuses=r"(?s:.)",
            ),
        ),
    ),
    Program(
        names="hatch",
        reason=_PROJECTS,
        options="-h -v -q --help --version --verbose --quiet --color --no-color --interactive --no-interactive",
        runs="-e= --env= -p= --project= --data-dir= --cache-dir= --config=",
        plain_values=True,
        spelled="run shell publish init new config python self",
        commands=(
            # It fills in fields: `{home}`, `{env:HOME}`.
            Program(
                names="run",
                reason="what stands in braces is replaced",
                stops=True,
                passes=True,
                refuses=r"(?s:.*)\{",
            ),
            Program(
                names="env",
                reason="environments are made, and what they hold is run",
                spelled="create remove prune run",
                commands=(
                    Program(
                        names="show find", options="-h -i --help --ascii --json --internal", operands="text"
                    ),
                ),
            ),
            Program(
                names="dep project",
                reason="what else it does is not known",
                commands=(
                    Program(
                        names="show hash metadata",
                        plain_values=True,
                        reason="what else it does is not known",
                        options="-h -p -e -l -f= --help --project-only --env-only --lines --ascii --feature= --all",
                        operands="text",
                        refuses=OUTSIDE,
                    ),
                ),
            ),
            Program(names="version status", options="-h -f --help --force", operands="text"),
            Program(
                names="build clean",
                plain_values=True,
                reason="a project from elsewhere is code; packages are written",
                options="-h -t= -c --help --target= --hooks-only --no-hooks --ext --clean --clean-hooks-after --clean-only",
                # Where packages are put.
                operands="change",
                refuses=ELSEWHERE,
            ),
            Program(
                names="fmt test",
                plain_values=True,
                reason="tests from elsewhere are code",
                options="-h -a -i= -r -d -l -f -c -s --all --check --linter --formatter --cover --cover-quiet --randomize --parallel --retries= --retry-delay= --include= --exclude= --show --python=",
                # What follows `--` is for pytest or ruff.
                operands="own",
                refuses=FOR_TESTS,
                after=_HANDED_ON,
            ),
        ),
    ),
    Program(
        names="pipenv",
        reason=_PROJECTS,
        options="-h -q -v --help --version --where --venv --py --envs --support --quiet --verbose",
        runs="--python= --pypi-mirror= --resolver=",
        # Behind a sub-command `--py` is short for --python, which names an interpreter.
        plain_values=True,
        spelled="run shell open activate",
        commands=(
            Program(names="run", stops=True, passes=True),
            Program(
                names="install sync update upgrade lock uninstall",
                plain_values=True,
                reason=_BROUGHT,
                options="-h -q -v --help --quiet --verbose -d --dev --dev-only --system --deploy --pre --ignore-pipfile --skip-lock --lock-only --categories= --extras= --all --all-dev --clear --clean --bare --outdated --dry-run --keep-outdated --site-packages --no-site-packages",
                places="-r= --requirements=",
                reads="-e= --editable=",
                checks=(("-e= --editable=", rf"(?!{_ELSEWHERE})[\s\S]*"),),
                runs="-i= --index= --extra-pip-args= --config-settings= --backend= --python= --pypi-mirror= --resolver=",
                operands="own",
                refuses=_ELSEWHERE,
            ),
            Program(
                names="graph check verify clean requirements audit scripts",
                plain_values=True,
                reason="databases, policies and mirrors from elsewhere; reports and fixes are written",
                options="-h -q -v --help --quiet --verbose -i= --bare --json --json-tree --reverse --dry-run --dev --dev-only --hash --exclude-markers --exclude-index --categories= --from-pipfile --exit-code --continue-on-error --use-installed --ignore= --strict --locked --local --no-deps --skip-editable --desc --aliases",
                checks=(("--output=", "[a-z-]+"),),
                writes="--fix -o= --output-file= --save-json=",
                operands="text",
            ),
        ),
    ),
    # These two are not known from the programs themselves: what everyday work needs, and no more.
    Program(
        names="rye",
        reason=_PROJECTS,
        options="-h -q -v --help --quiet --verbose --version",
        plain_values=True,
        spelled="run shell publish init fetch pin config install uninstall self toolchain tools make-req",
        commands=(
            Program(names="run", stops=True, passes=True),
            Program(
                names="sync lock add remove list show",
                plain_values=True,
                reason=_BROUGHT,
                options="-h -f -q -v --help --force --no-lock --update-all --dev --sync --no-sync",
                operands="own",
                refuses=_ELSEWHERE,
            ),
            Program(
                names="build",
                plain_values=True,
                reason="packages are written",
                options="-h --help --sdist --wheel --clean",
                operands="text",
                refuses=r"(?s:.)",
            ),
            Program(
                names="fmt lint test",
                plain_values=True,
                reason="tests from elsewhere are code; fixes are written",
                options="-h --help --check",
                writes="--fix",
                operands="own",
                refuses=FOR_TESTS,
                after=_HANDED_ON,
            ),
        ),
    ),
    Program(
        names="conda mamba micromamba",
        reason="channels, directories, environments and plugins from elsewhere are code",
        options="-h -V --help --version",
        plain_values=True,
        spelled="run exec shell config self create activate deactivate init clean build package rename server notices doctor",
        commands=(
            Program(
                names="env",
                reason="it makes environments of what a file says",
                spelled="create remove update config",
                commands=(
                    Program(
                        names="list export",
                        plain_values=True,
                        reason="another directory is another environment; what is listed is written",
                        options="-h --help --json --no-builds --from-history",
                        checks=(_CONDA_ENVIRONMENT,),
                        operands="text",
                        refuses=r"(?s:.)",
                    ),
                ),
            ),
            Program(
                names="list info search",
                plain_values=True,
                reason="a channel that the command names is asked",
                options="-h --help --json",
                checks=(_CONDA_ENVIRONMENT, _CONDA_CHANNELS),
                operands="text",
                refuses=rf"(?!{_CONDA_PACKAGE}\Z)",
            ),
            Program(
                names="install remove uninstall update upgrade",
                plain_values=True,
                reason="what a package brings is run; a file of packages, and any other channel, is code from elsewhere",
                options="-h -y -q --help --yes --quiet --dry-run --all",
                checks=(_CONDA_ENVIRONMENT, _CONDA_CHANNELS),
                operands="text",
                refuses=rf"(?!{_CONDA_PACKAGE}\Z)|.*\.(?:conda|bz2|ya?ml|txt|lock)\Z",
            ),
        ),
    ),
)
