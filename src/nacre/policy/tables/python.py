# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""pip and the like, and the tools of a Python project.

Above: `tables` finds a program's entry by its name; `interpreters` asks for those that `python3 -m` runs. Below:
`schema`. Test runners, builders and installers run code of the project or of packages: a rule for one of them is a
rule for anything. What they may not do unasked is take code or configuration from somewhere else.
"""

from __future__ import annotations

from nacre.policy.tables.interpreters import PYTHON_MODULES
from nacre.policy.tables.schema import ENVIRONMENT_PROMPT, FOR_TESTS, OUTSIDE, REVISION, SELECTION, Program

# Modules that do something as soon as they are imported: some take commands from the input, or run tests by the words
# of the command.
_STARTED = r"(?:.*\.)?__main__\b|antigravity\b|idlelib\b|turtledemo\b|test\.autotest\b"
# unittest calls whatever a dotted name leads to: `code.interact` takes code from the input, `timeit.main` from the other
# words, and `tests.test_a.code.interact` is the same where a test imports `code`. So tests by their files, patterns and
# directories, by a module, and by dotted names that end like a test of the project, lie in no module of Python or of
# another runner, and lead from a module of tests into none.
_OTHERS = "|".join(sorted(PYTHON_MODULES))
_RUNNERS = r"pytest|py|nose2?"
_TEST_NAME = rf"(?!(?:{_OTHERS}|_\w*|{_RUNNERS}|test\.(?:support|libregrtest|regrtest))\.)(?=.*[Tt]est)(?!.*\.__|.*\btest_\w+\.(?:{_OTHERS}|{_RUNNERS})\.)(?:\w+\.)+(?:\w*[Tt]est\w*|[A-Z]\w*)"
_NO_TEST = rf"{_STARTED}|(?!(?:\w+|\.|(?:[\w.-]+/)+[\w.-]*|[\w*?-]+\.py|{_TEST_NAME})\Z)"
# Sub-commands of tox that run what they are told, or ask for it.
_TOX_RUNS = "exec|e|devenv|d|quickstart|q"

PROGRAMS = (
    Program(
        names="virtualenv",
        reason="another interpreter is run, and `activate` expands the prompt",
        options="-h -v -q --help --version --with-traceback --verbose --quiet --system-site-packages --symlinks --always-copy --copies --clear --no-vcs-ignore --no-download --never-download --no-pip --no-setuptools --no-wheel --no-periodic-update",
        runs="--app-data= --creator= --seeder= --extra-search-dir= --discovery= --try-first-with=",
        empties="--clear",
        checks=(ENVIRONMENT_PROMPT, ("-p= --python=", r"(?:python|pypy)?\d+(?:\.\d+){0,2}")),
        operands="equip",
        plain_values=True,
    ),
    Program(
        names="pre-commit",
        plain_values=True,
        reason="it runs what a configuration says, and puts itself among git's hooks",
        options="-h -V -a -v --help --version --color= --all-files --verbose --show-diff-on-failure --hook-stage= --fail-fast --bleeding-edge --freeze --jobs= -j=",
        checks=(
            ("--from-ref= --to-ref= -s= --source= -o= --origin=", REVISION),
            # Hooks are given these names, and some look for settings beside them.
            ("--files=", rf"(?!{OUTSIDE})[\s\S]*"),
        ),
        reads="--files=",
        places="-c= --config=",
        runs="--repo=",
        persistent=True,
        spelled="install uninstall install-hooks init-templatedir try-repo hook-impl help",
        commands=(
            Program(
                names="run autoupdate clean gc migrate-config validate-config validate-manifest sample-config",
                reason="hooks look for settings beside a file that is named",
                operands="own",
                refuses=OUTSIDE,
            ),
        ),
    ),
    Program(
        names="pytest py.test",
        reason="other configuration and plugins decide what runs; reports are written",
        options="-x -s -v -q -l -h -V -r= -n= --markers --exitfirst --strict-config --strict-markers --strict --fixtures --funcargs --fixtures-per-test --pdb --trace --runxfail --lf --last-failed --ff --failed-first --nf --new-first --cache-show? --cache-clear --sw --stepwise --sw-skip --stepwise-skip --sw-reset --stepwise-reset --verbose --no-header --no-summary --no-fold-skipped --force-short-summary --quiet --report-chars= --disable-warnings --disable-pytest-warnings --showlocals --no-showlocals --xfail-tb --fulltrace --full-trace --collectonly --collect-only --co --ignore= --noconftest --keepduplicates --keep-duplicates --collect-in-virtualenv --continue-on-collection-errors --doctest-modules --doctest-ignore-import-errors --doctest-continue-on-failure --version --help --disable-plugin-autoload --traceconfig --trace-config --setuponly --setup-only --setupshow --setup-show --setupplan --setup-plan "
        # Of common plugins: coverage, xdist, timeout, rerunfailures, asyncio, randomly, benchmark, django.
        "--cov? --no-cov --no-cov-on-fail --cov-branch --cov-append --cov-reset --randomly-dont-reorganize --benchmark-only --benchmark-skip --benchmark-disable --reuse-db --create-db --forked --testmon --picked? --flake-finder --hypothesis-show-statistics --hypothesis-explain --mypy --flake8 --ruff --no-migrations --nomigrations --migrations --headed --headless --self-contained-html --disable-socket",
        # A plugin is code: only switching one off, or one that is well known, is not.
        checks=(
            # Older versions evaluate it as an expression of Python: what calls no method runs nothing.
            ("-k= -m=", SELECTION),
            # To a version that does not know an option, or without its plugin, the value is a path, and a
            # `conftest.py` from there is loaded before pytest says so.
            ("--maxfail= --durations= --durations-min= --verbosity= --max-warnings=", r"-?\d+(?:\.\d+)?"),
            (
                "--lfnf= --last-failed-no-failures= --show-capture= --log-level= --log-cli-level= --capture= --tb= --assert= --doctest-report=",
                r"[\w-]+",
            ),
            (
                "--deselect= --ignore-glob= --doctest-glob= --log-format= --log-date-format= --log-cli-format= --log-cli-date-format= --junitprefix= --junit-prefix=",
                rf"(?!{OUTSIDE})[\s\S]*",
            ),
            ("--color= --code-highlight=", "yes|no|auto"),
            ("--import-mode=", "prepend|append|importlib"),
            ("--log-disable=", r"[A-Za-z_][\w.]*"),
            (
                "--cov-fail-under= --maxprocesses= --timeout= --session-timeout= --reruns= --reruns-delay= --count= --slowmo=",
                r"\d+(?:\.\d+)?",
            ),
            ("-n= --numprocesses=", r"\d+|auto|logical|"),  # of no number it complains
            ("--randomly-seed= --hypothesis-seed=", r"\d+|last|random"),
            ("--dist=", "each|load|loadscope|loadfile|loadgroup|worksteal|no"),
            ("--timeout-method=", "signal|thread"),
            ("--asyncio-mode=", "auto|strict|legacy"),
            ("--cov-context=", "test"),
            ("--hypothesis-verbosity=", "quiet|normal|verbose|debug"),
            (
                "--benchmark-columns= --benchmark-sort=",
                r"(?:(?:min|max|mean|stddev|median|iqr|outliers|ops|rounds|iterations|name|fullname)(?:, *|\Z))+",
            ),
            ("--browser=", "chromium|firefox|webkit|chrome|edge|safari"),
            ("--tracing= --video= --screenshot=", "on|off|retain-on-failure|only-on-failure"),
            ("--base-url=", r"https?://[\w.:/-]+"),
            ("--allow-hosts=", r"[\d.,:]+|localhost"),
            # A module of settings, which is imported.
            ("--ds=", rf"(?!{_STARTED})[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"),
            # Any other category is imported.
            (
                "-W= --pythonwarnings=",
                r"(?:default|error|always|module|once|ignore)(?::[^:]*(?::(?:\w*Warning)?(?::[^:]*(?::\d*)?)?)?)?",
            ),
            (
                "-p=",
                r"no:[\w.-]+|xdist|pytest_cov|pytest_asyncio|anyio|randomly|benchmark|hypothesispytest|pytester",
            ),
            (
                "-o= --override-ini=",
                r"(?:log_cli|log_cli_level|log_level|log_file_level|console_output_style|xfail_strict|junit_family|asyncio_mode|timeout|faulthandler_timeout|asyncio_default_fixture_loop_scope|verbosity_\w+|truncation_limit_\w+|strict_\w+)=\w*|addopts=",
            ),
            # Without a name they are put where coverage's own data is: coverage.xml, htmlcov.
            (
                "--cov-report=",
                r"|term(?:-missing)?(?::skip-covered)?|(?:xml|html|json|lcov|annotate|markdown)",
            ),
        ),
        places="-c= --config-file= --rootdir= --confcutdir= --cov-config=",
        writes="--junitxml= --junit-xml= --basetemp= --log-file= --report-log= --html= --json-report --json-report-file= --debug? --benchmark-json= --benchmark-save= --benchmark-autosave --snapshot-update --inline-snapshot= --profile --profile-svg --pstats-dir=",
        runs="--pyargs --pdbcls= --pastebin= --tx= --rsyncdir= -d --looponfail -f",
        operands="own",
        # A file of further options; tests from elsewhere; `-pplugin`, which is looked for behind `--`, too.
        refuses=rf"[@-]|{OUTSIDE}",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="ruff",
        plain_values=True,
        reason="fixes and reports are written",
        options="-h -V -v -q -s --help --version --verbose --quiet --silent --isolated --color=",
        reads="--config=",
        # A setting in the place of a file: `fix=true` and `cache-dir=...` write.
        checks=(
            (
                "--config=",
                rf"(?!{OUTSIDE})[^=]*|(?:line-length|indent-width|target-version|preview|(?:lint|format)\.[\w.-]+)\s*=[^\n\r]*",
            ),
        ),
        response_files=True,
        persistent=True,
        commands=(
            Program(
                names="check",
                plain_values=True,
                reason="fixes and reports are written",
                options="-w -n -e --show-fixes --diff --watch --no-fix --no-unsafe-fixes --ignore-noqa --output-format= --target-version= --preview --no-preview --extension= --statistics --show-files --show-settings --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --extend-per-file-ignores= --fixable= --unfixable= --extend-fixable= --exclude= --extend-exclude= --respect-gitignore --no-respect-gitignore --force-exclude --no-cache --exit-zero --exit-non-zero-on-fix --line-length=",
                # Settings are looked for beside it.
                reads="--stdin-filename=",
                changes="--cache-dir=",
                writes="--fix --unsafe-fixes --fix-only --add-noqa? --add-ignore? -o= --output-file=",
                # A file of further options.
                refuses="@",
            ),
            Program(
                names="format",
                plain_values=True,
                options="-n --check --diff --extension= --target-version= --preview --no-preview --output-format= --no-cache --respect-gitignore --exclude= --extend-exclude= --force-exclude --line-length= --range= --exit-non-zero-on-format",
                reads="--stdin-filename=",
                changes="--cache-dir=",
                operands="alter",
                reason="fixes and reports are written",
                refuses="@",
            ),
            Program(
                names="rule linter config version clean analyze",
                plain_values=True,
                options="--all --output-format= --direction=",
                operands="maybe",
                reason="a file of further options",
                refuses="@",
            ),
        ),
    ),
    Program(
        names="mypy",
        reason="another interpreter is run, plugins of a configuration are code; reports are written",
        options="-h -v -V -O= -n= -m= -p= -c= --help --verbose --version --output= --warn-unused-configs --no-namespace-packages --ignore-missing-imports --follow-untyped-imports --follow-imports= --no-site-packages --namespace-packages --hide-error-context --dump-type-stats --error-summary --soft-error-limit= --no-silence-site-packages --python-version= --platform= --always-true= --always-false= --disallow-any-expr --disallow-any-decorated --disallow-any-explicit --disallow-any-generics --disallow-any-unimported --disallow-subclassing-any --disallow-untyped-calls --untyped-calls-exclude= --disallow-untyped-defs --disallow-incomplete-defs --check-untyped-defs --disallow-untyped-decorators --implicit-optional --no-strict-optional --warn-redundant-casts --warn-unused-ignores --no-warn-no-return --warn-return-any --warn-unreachable --allow-untyped-globals --allow-redefinition --no-implicit-reexport --strict-equality --extra-checks --strict --disable-error-code= --enable-error-code= --show-error-context --show-column-numbers --show-error-end --hide-error-codes --show-error-codes --show-error-code-links --pretty --no-pretty --no-color-output --no-error-summary --show-absolute-path --no-incremental --sqlite-cache --skip-version-check --show-traceback --tb --warn-incomplete-stub --non-interactive --explicit-package-bases --exclude= --exclude-gitignore --module= --package= --command= --scripts-are-modules --num-workers=",
        reads="--shadow-file==",
        places="--config-file=",
        changes="--cache-dir=",
        writes="--any-exprs-report= --cobertura-xml-report= --html-report= --linecount-report= --linecoverage-report= --lineprecision-report= --txt-report= --xml-report= --xslt-html-report= --xslt-txt-report= --junit-xml=",
        runs="--python-executable= --install-types --custom-typeshed-dir= --custom-typing-module= --pdb",
        operands="maybe",
        refuses="@",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="dmypy",
        reason="another interpreter is run; what follows `--` is for mypy",
        options="-h -v -V --help --verbose --version",
        commands=(
            Program(
                names="start restart run",
                plain_values=True,
                reason="what follows `--` is for mypy",
                options="-h -v --help --verbose --timeout= --export-types",
                operands="maybe",
                after=r"(?:--(?:strict|pretty|ignore-missing-imports|follow-imports=\w+|python-version=[\d.]+)|[\w][\w./-]*)",
                refuses="@",
                response_files=True,
            ),
            Program(
                names="status stop kill check recheck",
                plain_values=True,
                reason="a file of further options",
                options="-h -v --help --verbose --update= --remove= --export-types",
                writes="--fswatcher-dump-file=",
                operands="maybe",
                refuses="@",
                response_files=True,
            ),
        ),
    ),
    Program(
        names="pyright basedpyright",
        plain_values=True,
        reason="another interpreter is asked",
        options="-h -w --help --version --outputjson --warnings --stats --verbose --watch --level= --skipunannotated --threads? --pythonplatform= --pythonversion= --dependencies --verifytypes= --ignoreexternal",
        places="-p= --project=",
        writes="--createstub= --writebaseline",
        runs="--pythonpath= -t= --typeshedpath= --typeshed-path= --venvpath= -v=",
        operands="maybe",
    ),
    Program(
        names="autopep8",
        plain_values=True,
        reason="configuration from elsewhere",
        # Its -a takes no value, isort's does.
        options="-a -d -h -i -j= -p= -r -v --aggressive --diff --exclude= --exit-code --experimental --hang-closing --help --ignore= --ignore-local-config --in-place --indent-size= --jobs= --list-fixes --max-line-length= --pep8-passes= --recursive --select= --verbose --version",
        places="--global-config=",
        operands="alter",
    ),
    Program(
        names="yapf",
        plain_values=True,
        reason="configuration from elsewhere",
        options="-d -h -i -l= -m -p -q -r -v -vv -e= --diff --exclude= --help --in-place --lines= --no-local-style --parallel --print-modified --quiet --recursive --style-help --verbose --version",
        checks=(("--style=", r"[a-z0-9_-]+|\{[^/]*\}"),),
        operands="alter",
    ),
    Program(
        names="black",
        reason="configuration from elsewhere; it imports what a magic of a notebook names",
        # The text behind -c is printed in another form.
        options="-c= -l= -t= -x -S -C -W= -q -v -h --code= --line-length= --target-version= --pyi --ipynb --skip-source-first-line --skip-string-normalization --skip-magic-trailing-comma --preview --unstable --check --diff --color --no-color --line-ranges= --fast --safe --required-version= --exclude= --extend-exclude= --force-exclude= --include= --workers= --quiet --verbose --version --help --no-cache",
        # Settings are looked for beside a file that is named, and say where its cache is.
        places="--config= --stdin-filename=",
        # What it keeps in its cache it loads as objects of Python, which is code.
        runs="--python-cell-magics= --enable-unstable-feature= --cache-dir=",
        operands="edit",
        refuses=OUTSIDE,
        plain_values=True,
    ),
    Program(
        names="isort",
        reason="configuration from elsewhere; a formatter is code",
        # Not the short names: version 5 takes `-sp`, `-cs` and the like for `--sp`, `--cs`; to others `--fs` and `--le` are short for others.
        options="-h -V -v -q -d -c -l= -m= -a= -p= -o= --help --version --verbose --quiet --stdout --show-config --show-files --df --diff --check-only --check --profile= --atomic --filter-files --only-modified --skip= --extend-skip= --skip-glob= --extend-skip-glob= --gitignore --skip-gitignore --dont-follow-links --add-import= --remove-import= --float-to-top --combine-as --combine-star --force-single-line-imports --sl --force-sort-within-sections --force-alphabetical-sort --length-sort --multi-line= --trailing-comma --use-parentheses --line-length= --line-width= --lines-after-imports= --case-sensitive --honor-noqa --color --project= --thirdparty= --known-local-folder= --python-version=",
        single_letters=True,
        reads="--src= --src-path=",
        # It takes the next word only if that is a number: as a file it would be formatted.
        checks=(("-j? --jobs?", r"-?\d+"),),
        places="--filename= --settings-path= --settings-file= --config-root=",
        # A plugin that sorts, one that formats; another interpreter's packages.
        runs="--formatter= --sort-order= --interactive --virtual-env= --conda-env= --resolve-all-configs",
        operands="alter",
        plain_values=True,
    ),
    Program(
        names="flake8",
        reason="plugins are code; reports are written",
        options="-h -v -q --help --verbose --quiet --version --color= --count --exclude= --extend-exclude= --filename= --stdin-display-name= --format= --hang-closing --ignore= --extend-ignore= --per-file-ignores= --max-line-length= --max-doc-length= --indent-size= --select= --extend-select= --disable-noqa --show-source --no-show-source --no-statistics --statistics --exit-zero --benchmark --bug-report --max-complexity= --builtins= --doctests --include-in-doctest= --exclude-from-doctest= --isolated",
        checks=(("-j= --jobs=", r"\d+|auto"),),
        places="--config= --append-config=",
        writes="--output-file= --tee",
        runs="--enable-extensions= --require-plugins=",
        operands="maybe",
        plain_values=True,
    ),
    Program(
        names="pycodestyle",
        reason="configuration from elsewhere",
        options="-h -v -q -r --help --version --verbose --quiet --repeat --first --exclude= --filename= --select= --ignore= --show-source --show-pep8 --statistics --count --max-line-length= --max-doc-length= --indent-size= --hang-closing --format= --benchmark --diff",
        places="--config=",
        operands="maybe",
        plain_values=True,
    ),
    Program(names="pyflakes", options="-h -V --help --version", operands="read"),
    Program(
        names="pylint",
        # It looks for --init-hook behind them, too.
        dashes=False,
        reason="plugins, hooks and expressions are code; reports are written",
        # Regular expressions for names; to it, whatever begins with `--init-h` is --init-hook.
        pattern=r"--(?:argument|attr|class|const|function|method|module|variable|(?:good|bad)-names|dummy-variables|no-docstring)-rgxs?=[^\n]*|-[rs][yn]",
        options="-h -E -v --help --long-help --version --verbose --help-msg= --list-msgs --list-msgs-enabled --list-groups --list-conf-levels --list-extensions --errors-only --exit-zero --from-stdin --ignore= --ignore-patterns= --ignore-paths= --persistent= --fail-under= --fail-on= --py-version= --msg-template= --confidence= -e= --enable= -d= --disable= --max-line-length= --max-args= --max-locals= --max-branches= --max-statements= --max-module-lines= --max-attributes= --max-returns= --min-similarity-lines= --good-names= --bad-names= --ignored-modules= --ignored-classes= --generated-members= --additional-builtins= --notes= --known-third-party= --known-first-party= --deprecated-modules=",
        # A class of a module is code, and a name with a colon a file.
        checks=(
            ("-f= --output-format=", r"[a-z0-9]+"),
            ("-r= --reports= -s= --score= --recursive=", r"[yn]|yes|no|true|false"),
            ("-j= --jobs=", r"\d+"),
        ),
        places="--rcfile=",
        writes="--output= --generate-rcfile --generate-toml-config",
        runs="--load-plugins= --init-hook= --evaluation= --enable-all-extensions --extension-pkg-allow-list= --extension-pkg-whitelist= --source-roots= --clear-cache-post-run=",
        # Where a file lies, modules are looked for first: `isort`, which pylint imports itself.
        operands="own",
        refuses=rf"@|{OUTSIDE}",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="bandit",
        reason="reports are written; a configuration names plugins",
        options="-h -r -l -ll -lll -i -ii -iii -v -d -q -a= -n= -t= -s= -x= --help --recursive --aggregate= --number= --tests= --skip= --level --severity-level= --confidence --confidence-level= --verbose --debug --quiet --silent --ignore-nosec --exclude= --exit-zero --version --msg-template=",
        checks=(("-f= --format=", "csv|custom|html|json|screen|txt|xml|yaml|sarif"),),
        reads="-b= --baseline=",
        places="-c= --configfile= --ini=",
        # The file may stand in the next word.
        writes="-o? --output?",
        operands="own",
        # A `.bandit` is looked for below what is named, and says which file is written.
        refuses=rf"@|{OUTSIDE}",
        plain_values=True,
    ),
    Program(
        names="vulture",
        reason="configuration from elsewhere",
        options="-h -v --help --exclude= --ignore-decorators= --ignore-names= --make-whitelist --min-confidence= --sort-by-size --verbose --version",
        places="--config=",
        operands="read",
        plain_values=True,
    ),
    Program(
        names="pydocstyle",
        reason="configuration from elsewhere",
        options="-h -e -s -d -v --help --version --explain --source --debug --verbose --count --match= --match-dir= --ignore-decorators= --property-decorators= --select= --ignore= --convention= --add-select= --add-ignore= --ignore-self-only-init",
        places="--config=",
        operands="maybe",
        plain_values=True,
    ),
    Program(
        names="codespell",
        reason="what is wrong is written anew; files of further options",
        options="-h -d -c -s -e -f -H -L= -r= -S= -q= -A= -B= -C= --help --version --disable-colors --enable-colors --builtin= --ignore-regex= --ignore-multiline-regex= --ignore-words-list= --uri-ignore-words-list= --regex= --uri-regex= --summary --count --skip= --quiet-level= --hard-encoding-detection --check-filenames --check-hidden --after-context= --before-context= --context= --ignore-sic --stdin-single-line",
        reads="-I= --ignore-words= -x= --exclude-file= -D= --dictionary=",
        # What it asks is answered on its input.
        checks=(("-i= --interactive=", "[0-3]"),),
        places="--config= --toml=",
        writes="-w --write-changes",
        operands="maybe",
        refuses="@",
        response_files=True,
        plain_values=True,
    ),
    Program(
        names="tox",
        plain_values=True,
        reason="another file of tasks is code; commands and settings can be given",
        options="-h -v -q -l -a -r -R -s? -p? -n --help --version --verbose --quiet --listenvs --listenvs-all --notest --recreate --skip-missing-interpreters? --no-color --parallel? --parallel-live --parallel-no-spinner --skip-pkg-install --no-deps --fail-fast --no-recreate-pkg --no-recreate-provision",
        # Older versions take the first word that is a sub-command's name for it, the value of an option, too.
        checks=(
            ("-e= -m= -f= --skip-env=", rf"(?!(?:{_TOX_RUNS})\Z)[\w.,{{}}*-]+"),
            (
                "-c= --conf= --root= --workdir= --result-json= -o= --output-file=",
                rf"(?!(?:{_TOX_RUNS})\Z)[\s\S]*",
            ),
            ("--colored=", "yes|no"),
        ),
        places="-c= --conf= --root= --workdir=",
        # Behind `config` the settings are written to a file; elsewhere -o takes no value.
        writes="--result-json= -o= --output-file=",
        runs="-x= --override= --force-dep= --installpkg= --develop --discover= -i= --runner= --default-runner= --exit-and-dump-after=",
        operands="own",
        refuses=FOR_TESTS,
        for_scripts=True,
        spelled="exec e devenv d quickstart q",
    ),
    Program(
        names="nox",
        plain_values=True,
        reason="another file of tasks is code",
        options="-h -l -v -r -R -N -s= -e= -t= -p= -x --help --version --verbose --list --list-sessions --json --session= --sessions= --tags= --pythons= --python= --reuse-existing-virtualenvs --no-venv --stop-on-first-error --no-color --nocolor --forcecolor --no-install --install-only --reuse-venv= --non-interactive --error-on-missing-interpreters --error-on-external-run",
        # What it selects by is evaluated as an expression of Python.
        checks=(("-k= --keywords=", r"[\w ()-]*"),),
        places="-f= --noxfile= --envdir=",
        writes="--report=",
        runs="--force-python= -P= --extra-python= --extra-pythons= -db= --default-venv-backend= -fb= --force-venv-backend= --script-mode= --download-python= --add-timestamp",
        operands="own",
        refuses=FOR_TESTS,
        for_scripts=True,
    ),
    Program(
        names="invoke inv fab",
        plain_values=True,
        reason="another file of tasks is code; prompts and hosts are options",
        options="-h -l -V -e -R -D= -F= --help? --list? --version --echo --dry --hide= --list-depth= --list-format= --no-dedupe --warn-only -w",
        places="-c= --collection= -f= --config=",
        runs="-r= --search-root= -p --pty -d --debug -H= --hosts= -i= --identity= -S= --ssh-config= -t= --connect-timeout= -T= --command-timeout= --print-completion-script= --write-pyc --prompt-for-sudo-password",
        operands="text",
        # What follows is run on the hosts.
        after=r"(?!)",
    ),
    Program(
        names="coverage coverage3",
        plain_values=True,
        reason="it runs scripts; reports are written",
        options="-h --help --version --debug=",
        places="--rcfile=",
        persistent=True,
        commands=(
            Program(
                names="run",
                plain_values=True,
                reason="scripts from elsewhere, and modules that run code in their arguments",
                options="-a -L -p --append --branch --include= --omit= --pylib --parallel-mode --source= --source-pkg= --timid --context= --concurrency=",
                # The word after -m is the module.
                checks=(
                    # What is the project's by custom; `asyncio.__main__` takes code from its input.
                    (
                        "-m= --module=",
                        r"pytest|unittest|(?:src|app|apps|tests|scripts|backend|server|api)(?:\.[A-Za-z_]\w*)*",
                    ),
                ),
                # What was counted is written there.
                writes="--data-file=",
                runs_module="-m --module",
                # To it -m is a switch, and the module the first operand: `-mapp x` is `-m -a -p -p x`.
                apart=True,
                stops=True,
                operands="near maybe",
            ),
            Program(names="debug", options="", operands="text"),
            Program(
                names="combine erase",
                plain_values=True,
                reason="that file is written or removed",
                options="-a -q --append --keep --quiet",
                writes="--data-file=",
                operands="read",
            ),
            Program(
                reason="reports are written",
                names="report html xml json lcov annotate",
                plain_values=True,
                options="-i -m -a -q --ignore-errors --show-missing --include= --omit= --skip-covered --no-skip-covered --skip-empty --precision= --sort= --fail-under= --format= --contexts= --append --keep --quiet --show-contexts --title= --pretty-print",
                reads="--data-file=",
                writes="-o= -d= --directory=",
                gathers="-d --directory",
                operands="read",
            ),
        ),
    ),
)

# What `python3 -m` runs, where it is no program of its own.
MODULES = (
    Program(
        names="cProfile profile",
        reason="a module is code; profiles are written",
        options="-h -s= --help --sort=",
        writes="-o= --outfile=",
        runs="-m",
        stops=True,
        # A script, and no input.
        operands="near maybe",
        plain_values=True,
    ),
    Program(
        names="doctest",
        reason="examples from elsewhere are code",
        options="-h -v -f --help --verbose --fail-fast",
        checks=(("-o= --option=", "[A-Z_]+"),),
        operands="near",
        plain_values=True,
    ),
    Program(
        names="zipfile tarfile",
        reason="archives hold files of any name",
        options="-h -v --help --verbose --metadata-encoding=",
        reads="-l= -t= --list= --test=",
        runs="-e -c --extract --create --filter=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="http.server",
        reason="scripts of a directory are run",
        options="-h -b= -p= --help --bind= --protocol=",
        reads="-d= --directory=",
        runs="--cgi",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="pydoc",
        reason="it writes pages, serves them and opens a browser",
        options="-k=",
        runs="-b -p= -n= -w",
        operands="near",
        refuses=_STARTED,
        plain_values=True,
    ),
    Program(
        names="json.tool",
        reason="the second operand is written",
        options="-h --help --sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact",
        operands="read write",
        plain_values=True,
    ),
    Program(
        names="unittest",
        options="-v -q -f -c -b -k= -p= -h --verbose --quiet --locals --failfast --catch --buffer --pattern= --help --durations= discover",
        places="-s= -t= --start-directory= --top-level-directory=",
        reason="tests from elsewhere are code",
        operands="near",
        refuses=_NO_TEST,
        plain_values=True,
    ),
    Program(
        names="venv",
        reason="another interpreter is run, and `activate` expands the prompt",
        options="-h --help --version --system-site-packages --symlinks --copies --clear --upgrade --without-pip --upgrade-deps --without-scm-ignore-files -q --quiet",
        runs="-p= --python= --app-data= --creator= --seeder= --extra-search-dir=",
        empties="--clear",
        checks=(ENVIRONMENT_PROMPT,),
        operands="equip",
        plain_values=True,
    ),
    Program(
        names="build",
        reason="a project from elsewhere runs its own code to be built",
        options="-h -q -v -s -w -n -x --help --sdist --wheel --no-isolation --skip-dependency-check --verbose --version --quiet",
        changes="-o= --outdir=",
        operands="near",
        plain_values=True,
    ),
    Program(
        names="py_compile compileall tabnanny ensurepip",
        reason="a dash is a list of files from the input",
        options="-h -l -f -q -b -r= -j= -x= -v -U --help --workers= --upgrade --user --default-pip --verbose --version",
        operands="maybe",
        refuses="-",
        plain_values=True,
    ),
    Program(
        names="site sysconfig platform this calendar locale uuid pyclbr tokenize dis ast",
        reason="",
        options="-h --help --user-base --user-site -t -w= -m= -s= -y -a -e --type= --months=",
        operands="maybe",
        plain_values=True,
    ),
)
