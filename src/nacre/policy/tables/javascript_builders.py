# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Bundlers, compilers and task runners of JavaScript projects: webpack, vite, nx and the like.

Above: `javascript` lists them among its programs. Below: `schema`. Each has a table of its own: what is a port to one
is a plugin to another, and what prints a profile here writes a file there. Their parsers take values that they do not need
from the next word, so operands are looked at like values.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import OUTSIDE, OUTSIDE_BY_PATTERN, REVISION, Program

_CODE = "configuration, plugins and loaders are code; bundles are written"
# Other files, also behind a name, addresses, and what webpack takes for a loader: `./loader.js!./x.js`.
_ENTRIES = rf"{OUTSIDE_BY_PATTERN}|[^=]*=(?:{OUTSIDE})|.*!|\w[\w+.-]*:"
# Texts that are handed on to shells: nx puts them into the command of a task without quoting them.
_WORDS = r"[\w@.,:/*!+=^-]*"
_NO_WORDS = rf"{OUTSIDE}|(?!{_WORDS}\Z)"
_PATTERNS = r"[\w@.,*/!-]+"
_PORT = r"\d+"
_HOST = r"[\w.:-]+"
_MODE = r"[\w.-]+"

# Tasks by their usual names: another word could be a command of the program's own, in some version.
USUAL_SCRIPTS = "test start build dev develop serve preview lint lint:fix typecheck type-check check check-types test-unit test-e2e test-ci coverage e2e unit integration clean codegen storybook build-storybook compile package bundle docs"

_LERNA = "-h -v --help --version --loglevel= --concurrency= --reject-cycles --no-progress --no-sort --max-buffer= --no-private --exclude-dependents --include-dependents --include-dependencies --include-merged-tags --json --ndjson -a -l --all --long --parseable --toposort --graph"
_TURBO = "-h --help --version --skip-infer --no-update-notifier --color --no-color --affected --no-cache --only --parallel --single-package --no-daemon --daemon --json --force? --remote-only? --remote-cache-read-only? --docker --production"
_NX = "--help --version --verbose --batch --nxBail --nx-bail --nxIgnoreCycles --skipNxCache --skip-nx-cache --disableNxCache --disable-nx-cache --skipRemoteCache --skip-remote-cache --disableRemoteCache --excludeTaskDependencies --exclude-task-dependencies --skipSync --skip-sync --tui --no-tui --uncommitted --untracked --all --affected --print --json --libs-and-apps --withTarget= --sep= --type= --view= --focus= --groupByFolder --onlyCache --onlyDaemon --onlyWorkspaceData --watch --no-watch --codeCoverage --code-coverage --coverage --silent --quiet --ci --prod --production --passWithNoTests --runInBand --dry-run --dryRun --no-interactive"
_NG = "-h --help --version --prod --aot --watch --no-watch --progress --no-progress --source-map --no-source-map --optimization --named-chunks --verbose --hmr --live-reload --ssl --code-coverage --quiet --force --dry-run -d --skip-tests --standalone --no-standalone --inline-style --inline-template --flat --routing --skip-import --export --defaults --interactive --display-block -s -t --poll= --max-warnings="

_TASK = Program(
    names="task",
    single_letters=True,
    plain_values=True,
    reason="directories, servers and profiles are chosen by options; what follows a task is for scripts",
    options=_TURBO,
    checks=(
        # What stands in brackets is a revision, which git is told.
        ("-F= --filter=", r"(?!.*\[-)(?!.*\.\.\.-)[\w@.*!{}^\[\]~/-]+"),
        ("--concurrency=", r"\d+%?"),
        ("--cache-workers= --verbosity=", r"\d+"),
        ("--continue? --env-mode? --framework-inference? --dry? --dry-run?", "[a-z-]+"),
        ("--output-logs= --log-order= --log-prefix= --ui= --output=", "[a-z-]+"),
    ),
    places="--cwd= --root-turbo-json=",
    # With a value in the next word it is written, too.
    writes="--summarize? --profile? --anon-profile? --graph? --log-file? --heap= --trace= --cache-dir= --out-dir=",
    gathers="--out-dir",
    operands="alter",
    refuses=_NO_WORDS,
    for_scripts=True,
)

_EXPO = Program(
    names="expo",
    single_letters=True,
    plain_values=True,
    reason="packages and projects from elsewhere are code",
    operands="own",
    refuses=_ENTRIES,
)

BUILDERS = (
    Program(
        names="webpack webpack-cli",
        single_letters=True,
        plain_values=True,
        reason=_CODE,
        options="-h -v -w -m --help? --version --watch --no-watch --color --no-color --progress? --stats? --no-stats --merge --fail-on-warnings --watch-options-stdin --no-devtool --hot --no-hot --live-reload --no-live-reload --compress --history-api-fallback --no-client-overlay --bail --no-cache",
        checks=(
            ("--mode=", "development|production|none"),
            ("-d= --devtool=", "[a-z-]+"),
            ("-t= --target=", r"[\w.-]+"),
            ("--env= --config-node-env= --name= --config-name=", r"[\w.,=-]+"),
            ("--port=", r"\d+|auto"),
            ("--host=", _HOST),
        ),
        places="-c= --config=",
        writes="-o= --output-path= -j --json? --profile",
        gathers="-o --output-path",
        operands="own",
        # They make files, or fetch a package that does.
        spelled="init create new c n loader l plugin p generate-loader generate-plugin migrate add update remove",
        refuses=_ENTRIES,
    ),
    Program(
        names="rollup",
        single_letters=True,
        plain_values=True,
        reason=f"{_CODE}; variables are set for what the configuration runs",
        options="-h -v -w -m --help --version --watch --silent --perf --compact --validate --failAfterWarnings --waitForBundleInput --forceExit --inlineDynamicImports --preserveModules --preserveSymlinks --shimMissingExports --no-treeshake --no-strict --no-esModule --no-freeze --no-indent --no-interop --extend --noConflict --sourcemap? --sourcemapExcludeSources --bundleConfigAsCjs --strictDeprecations --minifyInternalExports",
        checks=(
            # `node:/tmp/x.js` is a file, too.
            ("-c? --config? -i= --input=", r"[^:]*"),
            # A package of the project; anything else is a file, or code.
            ("-p= --plugin= --configPlugin=", r"[\w-]+"),
            ("-f= --format=", "amd|cjs|commonjs|es|esm|module|iife|umd|system|systemjs"),
            ("-n= --name= --exports= --interop= --context= --logLevel= --generatedCode=", r"[\w.-]+"),
            ("-e= --external= -g= --globals=", r"[\w@./,:$-]+"),
            # They become variables of the process and of all that it starts.
            (
                "--environment=",
                r"(?:(?:BUILD|NODE_ENV|ENV|TARGET|MODE|PRODUCTION|DEVELOPMENT|PROD|DEV|INCLUDE_DEPS|CI|WATCH|FORMAT|VERSION|MINIFY|ANALYZE)(?::[\w.-]*)?(?:,|\Z))+",
            ),
        ),
        # Without a value it looks for the project's own.
        places="-c? --config? -i= --input=",
        writes="-o= --file= -d= --dir=",
        gathers="-d --dir",
        operands="own",
        refuses=_ENTRIES,
    ),
    Program(
        names="vite",
        single_letters=True,
        plain_values=True,
        reason=_CODE,
        options="-h -v -w --help --version --strictPort --cors --force --clearScreen --no-clearScreen --watch --app --experimentalBundle -d? --debug? --host?",
        checks=(
            # A part of the name of a file of variables: `.env.production`.
            ("-m= --mode=", _MODE),
            ("-l= --logLevel=", "info|warn|error|silent"),
            ("--port=", _PORT),
            ("--base=", r"[\w.:/-]*"),
            ("--target=", r"[\w.,-]+"),
            # Below the directory that is built.
            ("--assetsDir=", r"(?!.*\.\.)\w[\w./-]*"),
            ("--assetsInlineLimit=", r"\d+"),
            ("-f= --filter=", r"[\w:*,-]+"),
            ("--minify?", "true|false|terser|esbuild|oxc"),
            ("--sourcemap?", "true|false|inline|hidden"),
        ),
        places="-c= --config= --ssr?",
        writes="--outDir= --emptyOutDir --profile? --manifest? --ssrManifest?",
        # What is in `public` is copied there.
        gathers="--outDir",
        operands="own",
        refuses=_ENTRIES,
    ),
    Program(
        names="babel",
        single_letters=True,
        plain_values=True,
        reason="configuration, plugins and presets are code; what is compiled is written",
        options="-h -V -w -D -M -s --help --version --watch --source-maps? --no-babelrc --no-comments --retain-lines --compact? --minified --verbose --quiet --copy-files --include-dotfiles --no-copy-ignored --skip-initial-build --relative --keep-file-extension --module-ids --no-highlight-code",
        checks=(
            ("--env-name= --source-type=", r"[\w-]+"),
            # `upward` takes the configuration of a directory above.
            ("--root-mode=", "root"),
            ("-x= --extensions= --ignore= --only=", _PATTERNS),
            ("--out-file-extension=", r"\.\w+"),
        ),
        places="--config-file= -f= --filename=",
        writes="-o= --out-file= -d= --out-dir= --delete-dir-on-start",
        # With --copy-files whatever lies among the sources comes along.
        gathers="-d --out-dir",
        runs="--presets= --plugins=",
        operands="own",
        refuses=_ENTRIES,
    ),
    Program(
        names="swc",
        single_letters=True,
        plain_values=True,
        reason="configuration and plugins are code; what is compiled is written",
        options="-h -V -w -q -D -s --help --version --watch --quiet --sync --source-maps? --no-swcrc --copy-files --include-dotfiles --strip-leading-paths --log-watch-compilation",
        checks=(
            ("--env-name=", r"[\w-]+"),
            ("--extensions= --ignore= --only=", _PATTERNS),
            ("--workers=", r"\d+"),
            ("--out-file-extension=", r"\.?\w+"),
        ),
        places="--config-file= --cli-config-file= -f= --filename=",
        writes="-o= --out-file= -d= --out-dir= --delete-dir-on-start",
        # With --copy-files whatever lies among the sources comes along.
        gathers="-d --out-dir",
        # A setting can name a plugin.
        runs="-C= --config=",
        spelled="plugin",
        operands="own",
        refuses=_ENTRIES,
    ),
    Program(
        names="esbuild",
        # It takes a value only behind `=` or `:`.
        single_letters=True,
        plain_values=True,
        reason="files from elsewhere are put into the bundle, which is written",
        options="--help --version --bundle --minify? --minify-whitespace --minify-identifiers --minify-syntax --sourcemap? --splitting --watch? --format? --platform? --target? --tree-shaking? --jsx? --jsx-dev --jsx-factory? --jsx-fragment? --jsx-import-source? --keep-names --legal-comments? --charset? --main-fields? --packages? --global-name? --log-level? --log-limit? --color? --analyze? --ignore-annotations --resolve-extensions? --conditions? --preserve-symlinks --sources-content? --drop-labels? --public-path? --line-limit? --jsx-side-effects",
        pattern=r"--(?:external|loader|define|pure|drop|log-override|supported):\S+|--loader=[a-z-]+",
        places="--tsconfig=",
        writes="--outfile= --outdir= --metafile= --mangle-cache= --allow-overwrite",
        # `--loader:.toml=copy` copies files under their own names.
        gathers="--outdir",
        operands="maybe",
        # `name=file` names what is written, and what is read.
        refuses=rf"-(?!\Z)|{OUTSIDE}|[^=]*=(?:{OUTSIDE})",
    ),
    Program(
        names="parcel",
        single_letters=True,
        plain_values=True,
        reason="configuration, plugins and reporters are code; bundles are written",
        options="-h -V --help --version --https --no-hmr --no-cache --no-source-maps --no-optimize --no-scope-hoist --no-content-hash --no-cors --no-autoinstall --watch-for-stdin --lazy? --detailed-report?",
        checks=(
            ("-p= --port= --hmr-port=", _PORT),
            ("--host= --hmr-host=", _HOST),
            ("--log-level=", "[a-z]+"),
            ("--public-url=", r"[\w.:/-]*"),
            ("--target=", r"[\w-]+"),
        ),
        places="--config=",
        writes="--dist-dir= --cache-dir= --profile --trace",
        gathers="--dist-dir",
        operands="own",
        refuses=_ENTRIES,
    ),
    Program(
        names="turbo",
        single_letters=True,
        plain_values=True,
        reason=_TASK.reason,
        # Others take the next word for their value, and what is the sub-command then is not known.
        options="-h --help --version --skip-infer --no-update-notifier --color --no-color",
        spelled="daemon docs exec generate gen link login logout query scan telemetry unlink",
        scripts=r"[a-z][a-z0-9_.-]*(?:[:#][a-z0-9_.-]+)+",
        commands=(replace(_TASK, names=f"run watch ls prune info bin {USUAL_SCRIPTS}"),),
    ),
    Program(
        names="nx",
        single_letters=True,
        plain_values=True,
        reason="a command, a generator from elsewhere and a text for a shell are code",
        # Others take the next word for their value, and the one behind it is the command: `nx --verbose test exec`.
        options="-h --help --version",
        # A target of a project: `nx app:build`.
        scripts=r"\w[\w-]*:\w[\w:-]*",
        commands=(
            Program(
                names=f"run run-many affected show graph dep-graph print-affected report list reset generate g sync sync:check format:check {USUAL_SCRIPTS}",
                single_letters=True,
                plain_values=True,
                reason="a command, a generator from elsewhere and a text for a shell are code",
                options=_NX,
                checks=(
                    ("-t= --target= --targets= -p= --project= --projects= -c= --configuration=", _WORDS),
                    ("--exclude= --files=", _WORDS),
                    ("--parallel= --maxParallel= --max-warnings= --maxWarnings=", r"\d+|true|false"),
                    ("--outputStyle= --output-style= --tuiAutoExit=", r"[\w-]+"),
                    ("--base= --head=", REVISION),
                    ("--port=", _PORT),
                    ("--host=", _HOST),
                    ("--testFile= --test-file= --testNamePattern=", rf"(?!{OUTSIDE}){_WORDS}"),
                    # Anything else is written.
                    ("--graph= --file=", r"(?!.*\.\.)[\w./-]+"),
                ),
                writes="--graph= --file= --fix",
                changes="--directory= --path= --files=",
                operands="alter",
                refuses=_NO_WORDS,
                for_scripts=True,
            ),
        ),
        spelled="add exec connect daemon import init migrate release repair login logout record mcp watch new format format:write",
    ),
    Program(
        names="lerna",
        single_letters=True,
        plain_values=True,
        reason="other programs run the scripts; commands are run, packages published",
        options="-h -v --help --version",
        commands=(
            Program(
                names="run",
                single_letters=True,
                plain_values=True,
                reason="other programs run the scripts; profiles are written",
                options=f"{_LERNA} --stream --parallel --no-bail --no-prefix --verbose --load-env-files --skip-nx-cache",
                checks=(("--scope= --ignore=", _PATTERNS), ("--since=", REVISION)),
                writes="--profile --profile-location=",
                runs="--npm-client=",
                operands="alter",
                refuses=_NO_WORDS,
                for_scripts=True,
            ),
            Program(
                names="list ls la ll changed updated clean info",
                single_letters=True,
                plain_values=True,
                reason="a revision is given to git",
                options=f"{_LERNA} -y --yes",
                checks=(("--scope= --ignore=", _PATTERNS), ("--since=", REVISION)),
                operands="text",
                refuses=_NO_WORDS,
            ),
        ),
        spelled="exec add new create init publish version login logout import link bootstrap repair diff add-caching watch",
    ),
    # Tasks of the project's own file, and no other.
    Program(
        names="gulp",
        single_letters=True,
        plain_values=True,
        reason="another file of tasks, and modules that are loaded before it, are code",
        options="-h -v -T -S --help --version --tasks --tasks-simple --tasks-json --compact-tasks --sort-tasks --color --no-color --silent --continue --series",
        checks=(("--tasks-depth= --depth=", r"\d+"), ("--log-level=", "-?L+")),
        places="-f= --gulpfile= --cwd=",
        runs="--require= --preload= --verify?",
        operands="text",
        refuses=r"(?![\w@.:-]+\Z)",
    ),
    Program(
        names="grunt",
        single_letters=True,
        plain_values=True,
        reason="another file of tasks, and tasks from elsewhere, are code",
        options="-h -d -f -v -V --help --version --color --no-color --debug --stack --force --verbose --no-write",
        places="--base= --gruntfile=",
        runs="--tasks= --npm= --preload= --require= --completion=",
        operands="text",
        refuses=r"(?![\w@.:-]+\Z)",
    ),
    Program(
        names="next",
        single_letters=True,
        plain_values=True,
        reason="a project from elsewhere is code; traces are sent",
        options="-h -v --help --version",
        commands=(
            Program(
                names="build",
                single_letters=True,
                plain_values=True,
                reason="a project from elsewhere is code; traces are sent",
                options="-h -d --help --debug --profile --no-lint --no-mangling --turbo --turbopack --webpack --debug-prerender --experimental-app-only --experimental-debug-memory-usage",
                checks=(("--experimental-build-mode=", "compile|generate|generate-env|default"),),
                operands="own",
                refuses=_ENTRIES,
            ),
            Program(
                names="dev start",
                single_letters=True,
                plain_values=True,
                reason="a project from elsewhere is code; a debugger runs code",
                options="-h --help --turbo --turbopack --webpack --disable-source-maps",
                # It fetches a program, and runs it.
                runs="--experimental-https",
                checks=(
                    ("-p= --port= --keepAliveTimeout=", _PORT),
                    ("-H= --hostname=", _HOST),
                ),
                operands="own",
                refuses=_ENTRIES,
            ),
            Program(
                names="lint",
                single_letters=True,
                plain_values=True,
                reason="configuration, plugins and formatters are code; fixes are written",
                options="-h --help --strict --quiet --no-ignore --no-cache --no-inline-config --error-on-unmatched-pattern",
                checks=(("--max-warnings=", r"\d+"), ("--ext=", r"[\w.,]+"), ("-f= --format=", "[a-z-]+")),
                places="-d= --dir= --file= -c= --config= --ignore-path=",
                writes="--fix -o= --output-file= --cache-location=",
                operands="own",
                refuses=_ENTRIES,
            ),
            Program(
                names="info typegen",
                options="-h --help --verbose",
                reason="a project from elsewhere is code",
                operands="own",
                refuses=_ENTRIES,
            ),
        ),
        spelled="telemetry upgrade experimental-test analyze internal experimental-request-insights export experimental-compile experimental-generate",
    ),
    Program(
        names="nuxt nuxi",
        single_letters=True,
        plain_values=True,
        reason="a project from elsewhere is code; packages are fetched and run",
        options="-h -v --help --version",
        commands=(
            Program(
                names="dev build generate preview typecheck analyze prepare info cleanup",
                single_letters=True,
                plain_values=True,
                reason="a project from elsewhere is code",
                options="--help --no-clear --clear --prerender --no-fork --fork --https --host?",
                checks=(
                    ("-p= --port=", _PORT),
                    ("--logLevel=", "silent|info|verbose"),
                    ("--preset=", r"[\w-]+"),
                ),
                places="--cwd=",
                operands="own",
                refuses=_ENTRIES,
            ),
        ),
        spelled="add init module modules upgrade devtools test build-module start",
    ),
    Program(
        names="astro",
        single_letters=True,
        plain_values=True,
        reason="a project or a configuration from elsewhere is code; packages are fetched and run",
        # To its parser any other one takes the next word, and the one behind it is the command: `-v dev add x`.
        options="--help --version",
        commands=(
            Program(
                names="dev build preview check sync info",
                single_letters=True,
                plain_values=True,
                reason="a project or a configuration from elsewhere is code",
                options="-h --help --verbose --silent --force --host? --watch --noSync --devOutput",
                checks=(
                    ("--port=", _PORT),
                    ("--mode=", _MODE),
                    ("--site= --base=", r"[\w.:/-]*"),
                    ("--minimumFailingSeverity= --minimumSeverity=", "[a-z]+"),
                ),
                places="--root= --config= --tsconfig=",
                writes="--outDir=",
                gathers="--outDir",
                operands="text",
                # It knows no operands; the address of --host is read as one.
                refuses=r"(?!localhost\Z|\d[\d.]*\Z)",
            ),
        ),
        spelled="add create-key db docs telemetry preferences login logout link init execute",
    ),
    Program(
        names="svelte-kit",
        single_letters=True,
        plain_values=True,
        reason="what else it does is not known",
        options="-h -v --help --version",
        commands=(
            Program(
                names="sync",
                options="-h --help",
                checks=(("--mode=", _MODE),),
                reason="a part of the name of a file of variables",
            ),
        ),
    ),
    Program(
        names="ng",
        single_letters=True,
        plain_values=True,
        reason="builders and schematics from elsewhere are code; packages are fetched and run",
        options="-h --help --version",
        commands=(
            Program(
                names="build b serve s dev test t e2e e lint l generate g run extract-i18n version v cache",
                single_letters=True,
                plain_values=True,
                reason="builders and schematics from elsewhere are code; packages are fetched and run",
                options=_NG,
                checks=(
                    ("-c= --configuration= --project= --target=", r"[\w.,:@/-]+"),
                    (
                        "--browsers= --output-hashing= --style= --change-detection= --type= --prefix= --selector=",
                        r"[\w,-]+",
                    ),
                    # Tests of the project: code.
                    ("--include= --exclude=", rf"(?!{OUTSIDE}|.*\.\.){_PATTERNS}"),
                    ("--base-href= --deploy-url=", r"[\w.:/-]*"),
                    ("--port=", _PORT),
                    ("--host= --allowed-hosts=", _HOST),
                    ("--format=", "[a-z-]+"),
                    ("--module= --name=", r"[\w./-]+"),
                ),
                places="--ts-config= --main= --karma-config=",
                writes="--output-path= --stats-json --fix --output-file=",
                gathers="--output-path",
                changes="--path=",
                operands="alter",
                for_scripts=True,
                refuses=rf"-(?!\Z)|{OUTSIDE}|(?!{_WORDS}\Z)",
            ),
        ),
        spelled="add new n config deploy update completion analytics mcp make-this-awesome doc d help",
    ),
    Program(
        names="expo",
        single_letters=True,
        plain_values=True,
        reason="templates and projects from elsewhere are code",
        options="-h -v --help --version",
        commands=(
            replace(
                _EXPO,
                names="start",
                options="-h -c --help --clear --dev-client --go --lan --localhost --offline --no-dev --minify",
                checks=(("-p= --port=", _PORT), ("--max-workers=", r"\d+")),
            ),
            replace(
                _EXPO,
                names="export",
                options="-h -c --help --clear --dev --no-minify --no-bytecode --no-ssg --dump-assetmap",
                checks=(("-p= --platform=", "[a-z]+"), ("--max-workers=", r"\d+")),
                writes="--output-dir=",
                gathers="--output-dir",
            ),
            replace(
                _EXPO,
                names="install",
                options="-h --help --json --check --fix --npm --pnpm --yarn --bun",
                # Packages by their names.
                refuses=r"(?!(?:@[\w.-]+/)?\w[\w.-]*(?:@[\w^~][\w.^~-]*)?\Z)",
            ),
            replace(_EXPO, names="lint", options="-h --help --quiet", writes="--fix"),
            replace(
                _EXPO, names="config", options="-h --help --full --json", checks=(("-t= --type=", "[a-z]+"),)
            ),
        ),
        spelled="add customize prebuild run:android run:ios run login logout whoami register serve doctor",
    ),
)
