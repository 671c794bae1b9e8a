# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""One program for all work of a language: bundle, composer, swift, dart, mix and the like.

Above: `tables` finds a program's entry by its name. Below: `schema`. As with the builders (`build`), a rule for one of
them is a rule for what the project's files say, and no more: sub-commands and options are those that build, test and check.
"""

from __future__ import annotations

from nacre.policy.tables.schema import ELSEWHERE, OUTSIDE, Program

_PUB = Program(
    names="pub",
    reason="packages from elsewhere are code",
    commands=(
        Program(
            names="get upgrade downgrade outdated deps add remove",
            plain_values=True,
            reason="packages from elsewhere are code",
            options="-h -n --help --dry-run --offline --major-versions --json --enforce-lockfile",
            operands="text",
            # `dart pub add 'x:{"git": ...}'`, `dev:x`
            refuses=r"(?!(?:dev:)?\w+(?::\^?\d[\w.+-]*)?\Z)",
        ),
    ),
    spelled="global publish login logout token unpack run cache bump",
)
_DART_TESTS = "-h -r= -j= --help --concurrency= --name= -n= --plain-name= -N= --tags= -t= --exclude-tags= -x= --reporter="
_SBT_TASKS = r"compile|test|testQuick|testFull|clean|package|update|doc|scalafmt(?:Check)?(?:All)?|scalafmtSbt(?:Check)?|scalafix|scalafixAll|coverage|coverageOn|coverageOff|coverageReport|coverageAggregate|assembly|dependencyTree|dependencyUpdates|evicted|projects|tasks|settings|name|version|scalaVersion|mimaReportBinaryIssues|headerCheck\w*|testOnly [\w.*]+"
PROGRAMS = (
    Program(
        names="gem",
        plain_values=True,
        reason="it installs programs, and runs some",
        options="-h -v -q -V --help --version --quiet --verbose",
        spelled="exec open push yank owner signin signout cert server build unpack fetch generate_index stale mirror sources rdoc pristine setup",
        commands=(
            Program(
                names="install update uninstall list search outdated which environment env contents dependency info check cleanup",
                plain_values=True,
                reason="directories and other sources decide what is run later",
                refuses=ELSEWHERE,
                options="-a -l -r -d -f -x -N --no-document --user-install --pre --prerelease --conservative --version= --local --remote --all --installed --details --dry-run --dryrun --force --ignore-dependencies --no-verbose --executables --exact --minimal-deps",
                checks=(("-v=", r"[\w.<>=~, ]+"),),
                operands="own",
                # They choose the programs that a package is built with.
                after=r"--(?:use-system-libraries|enable-[\w-]+|disable-[\w-]+)",
            ),
        ),
    ),
    Program(
        names="bundle bundler",
        plain_values=True,
        reason="it runs programs and plugins; other directories and sources decide which",
        options="-h -v -V --help --version --verbose --no-color --quiet",
        checks=(("--retry= --jobs=", r"\d+"),),
        runs="--gemfile= --path= --config-file= --plugin=",
        persistent=True,
        spelled="exec console open plugin server init viz gem binstubs inject issue package cache ui",
        commands=(
            Program(names="exec", stops=True, passes=True),
            # Any other word here is a setting, which it shows or, with a value, sets.
            Program(
                names="config",
                plain_values=True,
                reason="settings decide what runs",
                spelled="set unset",
                commands=(
                    Program(
                        names="list get",
                        reason="with a value it sets",
                        plain_values=True,
                        options="--parseable",
                        operands="text",
                        max_operands=1,
                    ),
                ),
            ),
            Program(
                names="show info",
                plain_values=True,
                options="-h --help --path --paths --outdated --version=",
                operands="text",
            ),
            Program(
                names="install update check list outdated lock doctor pristine platform env licenses fund version remove",
                plain_values=True,
                reason="directories, sources and binaries from elsewhere are code; files are written",
                options="-h -j= --help --local --prefer-local --frozen --deployment --force --redownload --full-index --no-cache --no-prune --with= --without= --all --conservative --strict --patch --minor --major --pre --parseable --porcelain --dry-run --name-only --only-group= --without-group= --paths --outdated --print --update? --add-platform= --remove-platform= --normalize-platforms --groups --only-explicit --filter-major --filter-minor --filter-patch --filter-strict --ruby --bundler? --install --version= -g= --group=",
                runs="--path= --gemfile= --source= --system --standalone --trust-policy= --target-rbconfig= --binstubs",
                writes="--lockfile=",
                operands="text",
                refuses=ELSEWHERE,
            ),
            Program(
                names="add",
                plain_values=True,
                reason="a source, an address and another directory are code from elsewhere",
                options="-h --help --skip-install --optimistic --strict --quiet",
                # They are written into a file of code.
                checks=(("--version= -v=", r"[\w.<>=~!, -]+"), ("--group= -g=", r"[\w, ]+")),
                runs="-s= --source= -r= --require= --git= --github= --branch= --ref= --path= --glob=",
                operands="text",
                refuses=r"(?![\w.-]+\Z)",
            ),
        ),
    ),
    Program(
        names="composer",
        plain_values=True,
        reason="it runs programs, scripts and plugins; other directories decide which",
        options="-h -q -V -n -v -vv -vvv --help --quiet --version --no-interaction --ansi --no-ansi --profile --no-plugins --no-scripts --no-cache --verbose --no-progress",
        runs="-d= --working-dir=",
        persistent=True,
        spelled="exec config console global create-project self-update selfupdate init archive browse home repository repo",
        commands=(
            # Scripts of the project by their usual names: composer has no commands that are called so.
            Program(
                names="test lint format cs cs-fix cs-check fix phpstan stan analyse analyze",
                plain_values=True,
                reason="what follows is for the programs of a script",
                operands="text",
                refuses=r".",
            ),
            # It runs no other name than one of the project's own scripts.
            Program(
                names="run-script run",
                plain_values=True,
                reason="what follows is for the programs of a script",
                options="-l --list --dev --no-dev --timeout=",
                operands="text",
                refuses=r"(?![A-Za-z][\w:.-]*\Z)",
                max_operands=1,
            ),
            # Its own options are known behind the program, too: `composer exec phpunit -d /tmp/x`.
            Program(
                names="exec",
                reason="another directory is another project",
                stops=True,
                passes=True,
                refuses=r"-[A-Za-z]*d|--working-dir",
            ),
            Program(
                names="show info outdated",
                plain_values=True,
                reason="packages of other directories",
                options="-t -l -a -o -D -s -i -A -P -N -H -m -p --tree --latest --direct --platform --available --installed --all --format= --name-only --self --locked --path --outdated --strict --minor-only --major-only --patch-only --sort-by-age --no-dev --ignore= --ignore-platform-reqs --ignore-platform-req=",
                operands="text",
                refuses=OUTSIDE,
            ),
            Program(
                names="install update upgrade require remove validate dump-autoload dumpautoload why why-not depends prohibits licenses audit status search suggests fund diagnose check-platform-reqs bump reinstall list about help",
                plain_values=True,
                reason="a directory that is named holds code",
                options="-a -D -f= -i -l -m -o -r -t -w -W -N -A --dev --no-dev --dry-run --download-only --prefer-dist --prefer-source --prefer-install= --prefer-stable --prefer-lowest --optimize-autoloader --optimize --no-autoloader --no-install --no-update --no-audit --audit --audit-format= --no-suggest --fixed --unused --sort-packages --lock --locked --ignore-platform-reqs --ignore-platform-req= --with-all-dependencies --with-dependencies --update-with-dependencies --update-with-all-dependencies --update-no-dev --with= --minimal-changes --root-reqs --patch-only --tree --recursive --strict --format= --abandoned= --apcu-autoloader --classmap-authoritative --no-check-all --no-check-publish --no-check-lock --no-check-version --check-lock --with-all --list --by-package --by-suggestion --all --interactive --only-name --only-vendor --type= --dev-only --no-dev-only --raw",
                operands="text",
                refuses=OUTSIDE,
            ),
        ),
    ),
    # These three, sbt below, and conda and rye elsewhere are not known from the programs themselves: what everyday
    # work needs, and no more.
    Program(
        names="swift",
        plain_values=True,
        reason="it runs code; packages, toolchains and options of compilers from elsewhere are programs",
        options="-h --help --version",
        spelled="run repl sdk package-registry",
        commands=(
            Program(
                names="build test",
                plain_values=True,
                reason="packages, toolchains and options of compilers from elsewhere are programs; reports are written",
                options="-h -v --help --verbose --build-tests --show-bin-path --enable-code-coverage --skip-build --parallel",
                checks=(
                    ("-c= --configuration=", "debug|release"),
                    ("-j= --jobs=", r"\d+"),
                    ("--product= --target= --filter= --skip=", r"[\w./*|()+-]+"),
                ),
                operands="text",
                refuses=r"(?s:.)",
            ),
            Program(
                names="package",
                reason="plugins of packages are run, and more",
                commands=(
                    Program(
                        names="resolve show-dependencies describe clean update",
                        plain_values=True,
                        options="-h --help",
                        operands="text",
                        refuses=r"(?s:.)",
                        reason="what is asked for is not known",
                    ),
                ),
            ),
        ),
    ),
    Program(
        names="flutter",
        plain_values=True,
        reason="it runs programs, and changes itself",
        options="-h -v --help --verbose --version",
        spelled="run create config upgrade downgrade channel precache drive install attach screenshot symbolize custom-devices emulators assemble daemon",
        commands=(
            _PUB,
            Program(
                names="analyze",
                plain_values=True,
                reason="what is found is written; a project from elsewhere holds plugins",
                options="-h --help --no-pub --fatal-infos --no-fatal-infos --fatal-warnings --no-fatal-warnings",
                operands="own",
                refuses=OUTSIDE,
            ),
            Program(
                names="test",
                plain_values=True,
                reason="tests from elsewhere are code; reports are written",
                options=f"{_DART_TESTS} --coverage --no-pub",
                operands="own",
                refuses=rf"{OUTSIDE}|.*[\s;!<{{]",
            ),
            Program(
                names="build",
                plain_values=True,
                reason="code from elsewhere; what is built is written",
                options="-h --help --release --debug --profile --no-pub --no-codesign --split-per-abi",
                # They become parts of the names of tasks, and settings of other builders.
                checks=(("--flavor= --build-name= --build-number=", r"\w[\w.+-]*"),),
                operands="text",
                refuses=r"(?!(?:apk|appbundle|ios|ipa|web|linux|macos|windows|bundle|aar)\Z)",
            ),
            Program(
                names="doctor clean devices",
                options="-h -v --help",
                operands="text",
                refuses=r"(?s:.)",
                reason="it takes no words",
            ),
        ),
    ),
    Program(
        names="dart",
        plain_values=True,
        reason="it runs code",
        options="-h --help --version",
        spelled="run create compile devtools doc info tooling-daemon",
        commands=(
            _PUB,
            Program(
                names="analyze",
                plain_values=True,
                reason="a project from elsewhere holds plugins",
                options="-h --help --fatal-infos --no-fatal-warnings --fatal-warnings",
                operands="own",
                refuses=OUTSIDE,
            ),
            Program(
                names="format",
                plain_values=True,
                reason="files are written",
                options="-h --help --set-exit-if-changed",
                checks=(("-o= --output=", "none|write|show|json"), ("-l= --line-length=", r"\d+")),
                operands="alter",
            ),
            Program(
                names="test",
                plain_values=True,
                reason="tests from elsewhere are code; reports are written",
                options=_DART_TESTS,
                operands="own",
                refuses=rf"{OUTSIDE}|.*[\s;!<{{]",
            ),
            Program(
                names="fix",
                plain_values=True,
                reason="fixes are written",
                options="-h -n --help --dry-run",
                writes="--apply",
                operands="own",
                refuses=OUTSIDE,
            ),
        ),
    ),
    Program(
        names="mix",
        plain_values=True,
        reason="some tasks run code in their arguments",
        options="-h -v --help --version",
        spelled="run do eval cmd new archive escript.install archive.install local.hex local.rebar hex.publish release xref",
        commands=(
            Program(
                names="test",
                plain_values=True,
                reason="tests from elsewhere are code; reports are written",
                options="--trace --only= --exclude= --include= --seed= --max-failures= --failed --stale --cover --slowest= --slowest-modules= --warnings-as-errors --partitions= --color --no-color --no-compile --no-deps-check --no-start --timeout= --raise --force --max-cases= --all-warnings --listen-on-stdin --max-requires=",
                writes="--export-coverage=",
                operands="own",
                refuses=rf"{OUTSIDE}|.*[\s;!<{{,]",
            ),
            Program(
                names="format",
                plain_values=True,
                reason="the configuration is code; files are written",
                options="--check-formatted --dry-run --no-exit --check-equivalent --no-color --migrate",
                places="--dot-formatter= --stdin-filename=",
                operands="alter",
                refuses=OUTSIDE,
            ),
            Program(
                names="compile clean deps deps.get deps.tree deps.compile deps.update deps.unlock hex.audit hex.outdated dialyzer",
                plain_values=True,
                reason="further words are tasks, or what is not known",
                options="--force --warnings-as-errors --all-warnings --no-deps-check --all --only= --check-locked --check-unused --unused --quiet --verbose --profile --pre --within-requirements --return-errors --no-optional-deps",
                # `deps.tree --format dot` writes a file.
                checks=(("--format=", "plain|pretty|short|raw|dialyxir|dialyzer|github"),),
                operands="text",
                refuses=rf"{OUTSIDE}|(?!\w[\w.-]*\Z)",
            ),
            # Tasks of Ecto and Phoenix, and what projects call their own lists of them.
            Program(
                names="ecto.create ecto.drop ecto.migrate ecto.rollback ecto.migrations ecto.setup ecto.reset",
                plain_values=True,
                reason="migrations from elsewhere are code",
                options="-r= -n= -v= -f -q --repo= --step= --to= --all --quiet --force --no-compile --no-deps-check --log-migrations-sql --log-migrator-sql --pool-size= --prefix= --strict-version-order",
                places="--migrations-path=",
                operands="text",
                refuses=r".",
            ),
            Program(
                names="ecto.gen.migration",
                plain_values=True,
                reason="a file of code is made",
                options="-r= --repo= --no-compile --no-deps-check",
                operands="text",
                refuses=r"(?!\w+\Z)",
                max_operands=1,
            ),
            Program(
                names="phx.routes",
                plain_values=True,
                reason="what else it does is not known",
                options="--info= --method= --no-compile --no-deps-check",
                operands="text",
                refuses=r"(?![A-Z][\w.]*\Z)",
                max_operands=1,
            ),
            Program(
                names="phx.server help",
                plain_values=True,
                reason="what else it does is not known",
                options="--no-compile --no-deps-check --no-halt",
                # A browser is a program.
                runs="--open",
                operands="text",
                refuses=r"(?!\w[\w.]*\Z)",
                max_operands=1,
            ),
            Program(
                names="credo",
                plain_values=True,
                reason="configuration from elsewhere is code",
                options="-a -h --strict --all --all-priorities --help --verbose --no-color --mute-exit-status --min-priority= --only= --checks= --ignore= --ignore-checks= --format=",
                places="--config-file=",
                operands="own",
                refuses=rf"{OUTSIDE}|gen\.|diff\Z",
            ),
        ),
    ),
    Program(
        names="sbt",
        plain_values=True,
        style="words",
        reason="every word is a command, and some run code or a shell",
        options="-h -help -version -batch -no-colors",
        operands="text",
        # Some tests, by the names of their classes and a part of their own.
        refuses=rf"(?!(?:[\w-]+[/:])*(?:{_SBT_TASKS}|test(?:Only|Quick) [\w.* ]+(?: -- -z [\w ]+)?)\Z)",
        after=r"(?!)",
    ),
    Program(
        names="stack",
        plain_values=True,
        reason="it runs programs and code",
        options="-h -v --help --version --verbose --silent",
        spelled="run exec eval runghc runhaskell ghci repl ghc script new init setup upgrade upload install unpack templates config sdist hpc",
        commands=(
            Program(
                names="build test bench haddock",
                plain_values=True,
                reason="packages, compilers and their options from elsewhere are programs",
                options="-j= --help --fast --pedantic --test --no-test --bench --no-bench --no-run-tests --no-run-benchmarks --coverage --dry-run --only-dependencies --only-snapshot --keep-going --no-keep-going --profile --force-dirty --jobs= --haddock --no-haddock --no-haddock-deps --file-watch --interleaved-output --no-interleaved-output --rerun-tests",
                places="--stack-yaml=",
                operands="own",
                refuses=rf".*[\s;!<{{]|{ELSEWHERE}",
            ),
            Program(
                names="clean path query",
                options="-h --help",
                operands="text",
                refuses=OUTSIDE,
                reason="it takes names of packages",
            ),
        ),
    ),
    Program(
        names="cabal",
        plain_values=True,
        reason="it runs programs and code",
        options="-h -V --help --version --numeric-version",
        spelled="run exec repl install script init user-config get unpack upload sdist act-as-setup",
        commands=(
            Program(
                names="build test bench check clean outdated freeze update haddock list-bin",
                plain_values=True,
                reason="packages, compilers and their options from elsewhere are programs",
                options="-h -v? -j? -O? --help --jobs? --dry-run --enable-tests --disable-tests --enable-benchmarks --disable-benchmarks --enable-coverage --disable-coverage --enable-profiling --disable-optimization --keep-going --only-dependencies --offline --test-show-details=",
                places="--project-file= --project-dir=",
                operands="own",
                refuses=rf".*[\s;!<{{]|{ELSEWHERE}",
            ),
        ),
    ),
    Program(
        names="zig",
        plain_values=True,
        reason="it compiles and runs code, and other programs",
        options="-h --help",
        spelled="run build-exe build-lib build-obj cc c++ ar dlltool lib ranlib objcopy rc translate-c init fetch reduce libc std",
        commands=(
            Program(
                names="build",
                plain_values=True,
                reason="other build files, directories and programs; what is built is written",
                style="words",
                options="-h -l -help -verbose -list-steps -prominent-compile-errors -freference-trace -watch -release?",
                # Settings of the project.
                pattern=r"-D[\w-]+(?:=[\w.,+-]*)?|-j\d+|-freference-trace=\d+",
                checks=(("-summary= -color=", "[a-z]+"),),
                places="-build-file=",
                writes="-p= -prefix= -prefix-lib-dir= -prefix-exe-dir=",
                # What was built or fetched before is run from a cache.
                runs="-cache-dir= -global-cache-dir= -build-runner= -search-prefix= -sysroot= -libc= -system= -zig-lib-dir=",
                operands="text",
                refuses=rf"{OUTSIDE}|(?!\w[\w:.-]*\Z)",
                # For the program that the step runs.
                after=r"\w[\w.-]*",
            ),
            Program(
                names="test",
                plain_values=True,
                reason="code, programs and options of other tools from elsewhere",
                options="-h --help",
                checks=(
                    ("--test-filter= --test-name-prefix=", r"[\w. -]+"),
                    ("-O=", "Debug|ReleaseFast|ReleaseSafe|ReleaseSmall"),
                ),
                operands="near",
                after=r"(?!)",
            ),
            Program(names="fmt", options="-h --help --check --ast-check --stdin --zon", operands="alter"),
            Program(names="version env targets zen help", operands="text"),
        ),
    ),
)
