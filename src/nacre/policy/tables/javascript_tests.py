# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""The test runners of JavaScript: jest, vitest, mocha and the like, and what counts what they cover.

Above: `javascript` lists them among its programs. Below: `schema`. They run the project's tests; tests, configuration,
reporters and environments from elsewhere are code from elsewhere.
"""

from __future__ import annotations

from nacre.policy.tables.schema import OUTSIDE, OUTSIDE_BY_PATTERN, REVISION, Program

_CODE = "configuration, transforms and setup files are code; snapshots and reports are written"
# Any other environment, provider or reporter is a package, or a file of code.
_ENVIRONMENTS = "node|jsdom|happy-dom|edge-runtime"
_COVERAGE = "text|text-summary|html|json|json-summary|lcov|lcovonly|clover|cobertura|none|teamcity"
# What well-known packages of the project register.
_REGISTERED = r"ts-node/register(?:/[a-z-]+)?|tsx(?:/[a-z]+)?|@babel/register|@swc/register|@swc-node/register|dotenv/config|source-map-support/register|esm"
_MOCHA_REPORTERS = "dot|spec|json|json-stream|min|list|tap|nyan|progress|landing|xunit|doc|markdown|html"

TESTERS = (
    Program(
        names="jest",
        single_letters=True,
        plain_values=True,
        reason=_CODE,
        options="-h -v -t= -b? -e -f -i -o -w= --help --version --all --automock --bail? --cache --no-cache --changedFilesWithAncestor --ci --clearCache --clearMocks --collectCoverage --collectCoverageFrom= --color --no-color --colors --coverage? --no-coverage --coveragePathIgnorePatterns= --coverageThreshold= --debug --detectLeaks --detectOpenHandles --errorOnDeprecated --expand --findRelatedTests --forceExit --injectGlobals --lastCommit --listTests --logHeapUsage --maxConcurrency= --maxWorkers= --noStackTrace --onlyChanged --onlyFailures --openHandlesTimeout= --passWithNoTests --randomize --resetMocks --resetModules --restoreMocks --runInBand --runTestsByPath --seed= --selectProjects= --ignoreProjects= --shard= --showConfig --showSeed --silent --testLocationInResults --testMatch= --testNamePattern= --testPathIgnorePatterns= --testPathPattern= --testPathPatterns= --testTimeout= --useStderr --verbose --watch --no-watch --watchAll? --no-watchAll --no-watchman --watchPathIgnorePatterns= --waitForUnhandledRejections --workerIdleMemoryLimit= --workerThreads",
        places="-c= --config= --rootDir=",
        writes="-u --updateSnapshot --outputFile= --coverageDirectory= --cacheDirectory= --json --init",
        # The first is removed by --clearCache.
        gathers="--cacheDirectory --coverageDirectory",
        checks=(
            (
                "--reporters=",
                "default|verbose|summary|github-actions|agent|jest-(?:junit|html-reporters?|sonar-reporter|silent-reporter|stare|progress-bar-reporter)",
            ),
            ("--changedSince=", REVISION),
            ("--env= --testEnvironment=", _ENVIRONMENTS),
            ("--coverageProvider=", "babel|v8"),
            ("--coverageReporters=", _COVERAGE),
        ),
        runs="--projects= --roots= --setupFiles= --setupFilesAfterEnv= --globalSetup= --globalTeardown= --globals= --testRunner= --runner= --transform= --resolver= --preset= --moduleNameMapper= --modulePaths= --moduleDirectories= --snapshotSerializers= --filter= --testSequencer= --haste= --watchPlugins= --prettierPath= --testResultsProcessor= --testEnvironmentOptions=",
        operands="own",
        # Some options take all words that follow: a reporter is code. Others take settings.
        refuses=rf"-(?!\Z)|{OUTSIDE}|\{{",
    ),
    Program(
        names="vitest",
        single_letters=True,
        plain_values=True,
        reason=_CODE,
        options="-h -v -t= -w --help --version --watch --no-watch --run --silent? --hideSkippedTests --testNamePattern= --coverage? --coverage.enabled? --coverage.all? --coverage.clean? --coverage.skipFull --coverage.reportOnFailure --coverage.include= --coverage.exclude= --coverage.thresholds.lines= --coverage.thresholds.functions= --coverage.thresholds.branches= --coverage.thresholds.statements= --coverage.thresholds.100 --coverage.thresholds.perFile --no-coverage --isolate --no-isolate --globals --dom --browser.headless --no-file-parallelism --no-fileParallelism --fileParallelism? --maxWorkers= --minWorkers= --passWithNoTests --logHeapUsage --allowOnly --dangerouslyIgnoreUnhandledErrors --shard= --sequence.shuffle? --sequence.concurrent --sequence.seed= --testTimeout= --hookTimeout= --teardownTimeout= --bail= --retry= --exclude= --expandSnapshotDiff --disableConsoleIntercept --disable-console-intercept --typecheck --typecheck.only --typecheck.enabled --project= --slowTestThreshold= --no-cache --clearCache --maxConcurrency= --expect.requireAssertions --printConsoleTrace --includeTaskLocation --color --no-color --clearScreen --standalone --filesOnly --tagsFilter= --strictTags --poolOptions.threads.singleThread --poolOptions.forks.singleFork --poolOptions.threads.maxThreads= --poolOptions.forks.maxForks= --related --ci",
        places="-c= -r= --config= --root= --dir= --typecheck.tsconfig=",
        # A list, as a file if one is named; the report of another run.
        writes="-u --update? --json? --outputFile= --coverage.reportsDirectory= --coverage.thresholds.autoUpdate",
        # It is emptied before.
        gathers="--coverage.reportsDirectory",
        checks=(
            (
                "--reporter=",
                "default|verbose|dot|json|tap|tap-flat|junit|basic|tree|hanging-process|github-actions",
            ),
            ("--pool=", "threads|forks|vmThreads|vmForks|typescript|browser"),
            # A part of the name of a file of variables.
            ("--mode=", r"[\w.-]+"),
            ("--browser? --browser.name=", "true|false|chromium|chrome|firefox|webkit|safari|edge"),
            # A debugger for whoever reaches the port runs code.
            ("--inspect?", r"(?:(?:127\.0\.0\.1|localhost):)?\d+"),
            ("--changed?", REVISION),
            ("--environment=", _ENVIRONMENTS),
            ("--coverage.provider=", "v8|istanbul"),
            ("--coverage.reporter=", _COVERAGE),
        ),
        runs="--environment-options= --api? --ui --open --diff= --execArgv= --configLoader= --mergeReports?",
        operands="own",
        # An address in the next word is one for the debugger.
        refuses=rf"-(?!\Z)|{OUTSIDE}|\{{|(?!.*\.[cm]?[jt]sx?:)[^/]*:\d+\Z",
        spelled="init",
    ),
    Program(
        names="mocha",
        single_letters=True,
        plain_values=True,
        reason="required files, reporters and configuration are code; reports are written",
        options="-h -V -g= -f= -b -i -A -c -C -p -S -w --help --version --grep= --fgrep= --bail --no-bail --invert --async-only --color --colors --no-color --no-colors --check-leaks --delay --diff --no-diff --exit --no-exit --full-trace --inline-diffs --recursive --parallel --no-parallel --forbid-only --forbid-pending --dry-run --fail-zero --watch --sort --list-reporters --list-interfaces --allow-uncaught --extension= --ignore= --exclude= --watch-files= --watch-ignore= --global= --globals= --posix-exit-codes --pass-on-failing-test-suite",
        places="--config= --spec= --file=",
        checks=(
            ("-s= -t= -j= --slow= --timeout= --timeouts= --jobs= --retries=", r"[\w.]+"),
            ("--reporter= -R=", _MOCHA_REPORTERS),
            ("-r= --require=", _REGISTERED),
            ("-u= --ui=", "bdd|tdd|qunit|exports"),
        ),
        writes="-O= --reporter-options= --reporter-option=",
        # -n names an option of node: -n require=x.
        runs="-n= --node-option= --import= --loader= --package= --opts=",
        operands="own",
        refuses=OUTSIDE_BY_PATTERN,
        spelled="init inspect debug",
    ),
    Program(
        names="ava",
        single_letters=True,
        plain_values=True,
        reason="configuration and options of node are code; snapshots are written",
        options="-v -s -t -w --help --version --color --no-color --fail-fast --serial --tap --verbose --watch --no-worker-threads -m= --match=",
        checks=(("-c= --concurrency=", r"\d+"), ("-T= --timeout=", r"\w+")),
        places="--config=",
        writes="-u --update-snapshots",
        runs="--node-arguments=",
        operands="own",
        spelled="debug reset-cache",
        refuses=OUTSIDE_BY_PATTERN,
    ),
    Program(
        names="tap",
        single_letters=True,
        plain_values=True,
        reason="plugins, reporters and modules that are run before are code; reports are written",
        options="-h -v -V -b -B -c -C -i -I -n -O --help --version --versions --bail --no-bail --color --no-color --diag --no-diag --comments --passes --fail-todo --fail-skip --fail-only --changed --shuffle --disable-coverage --allow-empty-coverage --allow-incomplete-coverage --show-full-coverage --no-browser --only -g= --grep= --invert --no-invert --typecheck --debug --check-coverage --no-check-coverage",
        checks=(
            ("-t= --timeout= -j= --jobs= --statements= --branches= --lines= --functions=", r"\d+"),
            # Names of its own; another one is a module, or a program that is run.
            ("-R= --reporter=", "base|dot|json|jsonstream|junit|markdown|min|silent|tap|terse"),
            ("--coverage-report=", _COVERAGE),
        ),
        places="--tsconfig=",
        writes="-S --snapshot -o= --output-file= -d= --output-dir= -s= --save= -f= --reporter-file=",
        runs="--plugin= -r= --reporter-arg= --before= --after= --node-arg= --test-env= --test-arg= --coverage-map= --files= --serial= --include= --exclude=",
        operands="own",
        # They install plugins, change what later runs, and open a browser.
        spelled="plugin config build repl node-options report replay debug",
        refuses=OUTSIDE_BY_PATTERN,
    ),
    # What one of them does not know takes the next word, and the one behind it is run: c8 knows no -h, and early
    # versions of it neither -a nor --100.
    *(
        Program(
            names=names,
            single_letters=True,
            plain_values=True,
            reason="it runs its arguments; required files, reporters and configuration are code; reports are written",
            options=f"-n= -x= --help --version {flags} --all --check-coverage --lines= --branches= --functions= --statements= --include= --exclude= --extension= --per-file --clean --no-clean --src=",
            places=places,
            checks=(
                (
                    "--reporter= -r=",
                    "text|text-summary|text-lcov|lcov|lcovonly|json|json-summary|html|cobertura|clover|none",
                ),
            ),
            writes="--report-dir= --reports-dir= -o= --reports-directory= --temp-dir= --temp-directory=",
            # They are emptied before.
            gathers="--report-dir --reports-dir -o --reports-directory --temp-dir --temp-directory",
            runs="-i= --require= --instrument --hook-require --hook-run-in-context --cwd= --node-arguments=",
            stops=True,
            passes=True,
            tools=True,
            commands=(
                Program(
                    names="report check-coverage",
                    plain_values=True,
                    reason="reports are written",
                    options="--lines= --branches= --functions= --statements= --per-file --100",
                    checks=(
                        (
                            "--reporter= -r=",
                            "text|text-summary|text-lcov|lcov|lcovonly|json|json-summary|html|none",
                        ),
                    ),
                    operands="text",
                ),
            ),
        )
        for names, flags, places in (
            (
                "nyc",
                "-a -h -s -c --silent --cache --no-cache --exclude-after-remap --skip-full",
                "--nycrc-path=",
            ),
            ("c8", "", "-c= --config="),
        )
    ),
)
