# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Packages and environments of Python: pip, uv, pipx, poetry, conda and the like.

Above: `tables` finds a program's entry by its name. Below: `schema`. Packages are code: where they come from must be
the usual place, or the project.
"""

from __future__ import annotations

from nacre.policy.tables.schema import ELSEWHERE, Program

# Where packages come from: an index that a command names is code from elsewhere, and so is what a proxy answers.
_SOURCES = "-i= --index-url= --extra-index-url= --trusted-host= --proxy="
_ASKED = "an index that the command names is asked"
_INDEX = "--no-index --pre --prefer-binary --no-binary= --only-binary= --platform= --python-version= --implementation= --abi="
_PIP = "-h -v -V -q --help --version --verbose --quiet --debug --isolated --require-virtualenv --no-input --retries= --timeout= --exists-action= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated="
_UV = "-n -q -v -h -V --no-cache --managed-python --no-managed-python --no-python-downloads --quiet --verbose --color= --no-color --system-certs --native-tls --offline --no-progress --no-config --help --version --preview --no-preview"
_UV_PROJECT = "-U -P= --extra= --all-extras --no-extra= --dev --no-dev --only-dev --group= --no-group= --no-default-groups --only-group= --all-groups --no-editable --inexact --exact --active --no-sync --locked --frozen --dry-run --check --all-packages --package= --no-install-project --no-install-workspace --no-install-package= --upgrade --upgrade-package= --resolution= --prerelease= --fork-strategy= --exclude-newer= --no-sources --reinstall --reinstall-package= --link-mode= --compile-bytecode --no-build --no-build-package= --no-binary --no-binary-package= --refresh --refresh-package= --no-index --index-strategy= --no-build-isolation --isolated --no-project --universal --depth= -d= --prune= --no-dedupe --invert --outdated --format= --no-hashes --no-header --no-annotate --no-emit-project --optional= --editable --raw --rev= --tag= --branch= --workspace --bare --app --lib --name= --description= --no-readme --no-workspace --no-pin-python --vcs= --build-backend= --python-platform= --check-exists --seed --clear --allow-existing --prompt= --system-site-packages -m= --marker= --bounds= --output-format= --short --bump= --all-versions --only-installed --only-downloads --sdist --wheel --no-build-logs --raw-sources --files --relocatable"
_UV_PYTHON = ("-p= --python=", r"(?:c?python|pypy)?@?\d+(?:\.\d+){0,2}t?")
_UV_ELSEWHERE = "-i= --index-url= --index= --default-index= --extra-index-url= -f= --find-links= --directory= --project= --config-file= -C= --config-setting= --config-settings= --cache-dir= --allow-insecure-host= --with= -w= --with-editable= --with-requirements= --env-file= --script= -s= --keyring-provider= --gui-script="

PROGRAMS = (
    Program(
        names="pip pip3",
        plain_values=True,
        reason="other interpreters and build options are code; logs are written",
        options=_PIP,
        checks=(("--keyring-provider=", "auto|disabled|import"),),
        reads="--cert= --client-cert=",
        changes="--cache-dir=",
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
                        ("-e= --editable= -f= --find-links=", rf"(?!{ELSEWHERE})[\s\S]*"),
                        # A list of packages in the project's own file, or in another one that is named.
                        ("--group=", r"(?![/~])(?!.*\.\.)[\w./-]+(?::[\w.-]+)?"),
                    ),
                    refuses=ELSEWHERE,
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
            Program(
                names="show check search index hash completion help cache debug",
                plain_values=True,
                reason=_ASKED,
                options=f"{_INDEX} -a -f -v --format= --files --algorithm= --bash --zsh --fish --json",
                runs=_SOURCES,
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
                refuses=ELSEWHERE,
            ),
            Program(
                names="init venv",
                plain_values=True,
                reason="interpreters and indexes from elsewhere are code",
                options=_UV_PROJECT,
                checks=(_UV_PYTHON,),
                runs=_UV_ELSEWHERE,
                operands="change",
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
                        + " --no-deps --system --break-system-packages --strict --user --only-binary= --python-version= --torch-backend= --require-hashes --generate-hashes --no-strip-extras --no-strip-markers --no-emit-package= --emit-index-url --annotation-style= --exclude-editable --exclude=",
                        reads="-e= --editable= --excludes=",
                        places="-r= --requirement= --requirements= -c= --constraint= --constraints= --override= --overrides= -b= --build-constraint= --build-constraints=",
                        writes="-t= --target= --prefix= -o= --output-file=",
                        checks=(_UV_PYTHON, ("-e= --editable=", rf"(?!{ELSEWHERE})[\s\S]*")),
                        runs=_UV_ELSEWHERE,
                        refuses=ELSEWHERE,
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
    Program(
        names="uvx",
        plain_values=True,
        reason="it fetches and runs packages",
        options=_UV,
        runs="--from= --with= --with-editable= --python= -p= --spec= --index-url= -i= --pip-args= --suffix=",
        stops=True,
        passes=True,
        packages=True,
    ),
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
        names="poetry pdm hatch pipenv rye",
        reason="directories, environments and plugins from elsewhere are code",
        options="-h -q -v -V -n -y --help --quiet --verbose --version --no-ansi --ansi --no-interaction --yes --json --no-cache",
        runs="-C= --directory= -P= --project= -p= --prefix= --config= -c= --no-plugins -e=",
        persistent=True,
        spelled="run exec shell source publish plugin use script scripts create activate init",
        commands=(
            Program(names="run", options="-q -v", stops=True, passes=True),
            Program(
                names="env",
                reason="another interpreter is run",
                spelled="use remove run create prune",
                commands=(
                    Program(
                        names="info list show find activate",
                        options="-e --full-path --executable -p --path --ascii",
                    ),
                ),
            ),
            Program(
                names="config",
                reason="settings decide what runs",
                spelled="set unset restore explore update",
                options="--list",
                operands="text",
                # More than one word, or any other option, sets something.
                max_operands=1,
            ),
            Program(
                names="self cache",
                reason="it changes itself",
                spelled="add update remove install lock sync",
                commands=(
                    Program(
                        names="show list info", options="-a -o --addons --outdated --tree", operands="text"
                    ),
                ),
            ),
            Program(
                # No `--lock`: to pdm it is short for --lockfile, which is written.
                reason="-o writes; what a package brings is run",
                refuses=ELSEWHERE,
                names="install add remove update lock show list check version tree sync search info outdated export graph verify clean status dep dependencies about",
                plain_values=True,
                options="-D -G= -E= -d -U -a -l -t -f= -s --compile --all-groups --only-root --editable --regenerate --strict --graph --dev --group= --with= --without= --only= --extras= --all-extras --no-root --no-dev --sync --dry-run --no-update --latest --top-level --outdated --tree --all --why --short --next-phase --format= --without-hashes --no-hashes --optional= --check --deploy --system --keep-outdated --bare --frozen-lockfile --no-self --prod",
                writes="-o= --output= --out=",
            ),
            Program(
                names="build",
                plain_values=True,
                reason="a project from elsewhere is code; packages are written",
                options="-a -f= -t= --all --format= --target= --sdist --wheel --no-sdist --no-wheel --clean --no-isolation",
                writes="-o= -d= --output= --out= --dest=",
                # To hatch, where packages are put.
                operands="change",
                refuses=ELSEWHERE,
            ),
            Program(
                names="fmt test",
                plain_values=True,
                reason="tests from elsewhere are code",
                options="-a -i= -r -d --all --check --cover --randomize --parallel --retries= --show --python=",
                # Also what follows `--`, which is for pytest or ruff.
                refuses=r"-p(?!no:)|(?:--?[\w-]+=?)?(?:[/~]|(?:.*/)?\.\.(?:/|\Z))",
            ),
        ),
    ),
    Program(
        names="conda mamba micromamba",
        reason="channels, directories, environments and plugins from elsewhere are code",
        options="-h -q -v -V -n= -y --name= --help --quiet --verbose --version --no-ansi --ansi --no-interaction --yes --json --no-cache",
        # Anybody can have a channel of any other name.
        checks=(("-c= --channel=", r"defaults|main|r|anaconda|conda-forge|bioconda|pytorch|nvidia"),),
        runs="-C= --directory= -P= --project= -p= --prefix= --config= --no-plugins -e=",
        persistent=True,
        plain_values=True,
        spelled="run exec shell config self source publish plugin use cache script scripts create activate init",
        commands=(
            Program(
                names="env",
                reason="it makes environments of what a file says",
                spelled="create remove update config",
                commands=(Program(names="list export", options="--no-builds --from-history -e"),),
            ),
            Program(
                reason="-o writes; what a package brings is run",
                refuses=rf"{ELSEWHERE}|(?!(?:defaults|main|r|anaconda|conda-forge|bioconda|pytorch|nvidia)::)[^=<>]*::",
                names="install add remove update lock show list check build version tree sync search info outdated export graph verify clean status fmt test dep dependencies",
                plain_values=True,
                options="-D -G= -E= -d -U -e --envs --revisions --export --explicit --no-builds --full-name --dev --group= --with= --without= --only= --extras= --all-extras --no-root --no-dev --sync --dry-run --no-update --latest --top-level --outdated --tree --all --why --short --next-phase --format= --without-hashes --no-hashes --lock --optional= --check --deploy --system --keep-outdated --bare --frozen-lockfile --no-self --prod",
                writes="-o= --output= --out=",
            ),
        ),
    ),
)
