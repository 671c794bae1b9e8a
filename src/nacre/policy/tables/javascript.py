# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""npm and the like, and the tools of a JavaScript project.

Above: `tables` finds a program's entry by its name. Below: `schema`. All of them run code of the project: a rule for
one of them is a rule for anything that the project's files say. What they may not do unasked is take that code, or
its configuration, from somewhere else.

npm reads options in a way of its own: any number of dashes, any unique beginning of a name, and unknown names too.
So only names that are spelled in full count, and a value in a word of its own never begins with a dash.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.tables.javascript_builders import BUILDERS
from nacre.policy.tables.javascript_tests import TESTERS
from nacre.policy.tables.schema import ELSEWHERE, OUTSIDE, OUTSIDE_BY_PATTERN, REVISION, Program

if TYPE_CHECKING:
    from collections.abc import Iterable

_ELSEWHERE = "directory, shell, registry and configuration decide what runs"
_NPM = "-s -q -d -dd -g -l -p -f -y -S -D -E -O -P -B -n -v -h --silent --quiet --verbose --loglevel= --json --long --parseable --depth= --all --global --location= --save --save-dev --save-exact --save-optional --save-prod --save-peer --save-bundle --no-save --production --prod --omit= --include= --only= --legacy-peer-deps --strict-peer-deps --force --audit --no-audit --audit-level= --fund --no-fund --dry-run --prefer-offline --prefer-online --offline --progress --no-progress --yes --no-yes --no-optional --ignore-scripts --if-present --workspaces --workspace= -w= -ws --include-workspace-root --color --no-color --unicode --timing --foreground-scripts --package-lock --no-package-lock --package-lock-only --no-bin-links --engine-strict --install-links --version --help --usage --allow-same-version --commit-hooks --no-commit-hooks --git-tag-version --no-git-tag-version --diff-name-only --no-description --searchlimit= --expect-results --fetch-retries= --fetch-timeout= --maxsockets= --no-update-notifier --update-notifier"

# Commands of npm, in all versions: an option that one does not know takes no value there, and the next word is the
# command (`npm --workspace explore x -- touch y`). npm takes the beginning of a name for it, too.
_NPM_COMMANDS = "access add adduser audit author bin bugs cache ci cit clean-install completion config create ddp dedupe deprecate diff dist-tags docs doctor edit exec explain explore find fund get help-search home hook info init innit install-ci-test install-test issues ln list link login logout ls org outdated owner pack pkg ping prefix profile prune publish query rb rebuild remove repo restart rm root rum run-script sbom search set shrinkwrap stage stars start stop tst team test token trust udpate unlink uninstall unpublish unstar update upgrade urn verison version view why whoami x"
_NPM_VALUES = (
    ("--omit= --include= --only=", "dev|optional|peer|prod|production|development"),
    ("--location=", "user|global|project"),
    ("--depth= --searchlimit= --fetch-retries= --fetch-timeout= --maxsockets=", r"\d+|Infinity"),
    ("--audit-level=", "info|low|moderate|high|critical|none"),
)

# What pnpm takes for a switch, or for nothing, has no value: the next word would be its command.
_NOT_OF_PNPM = "--loglevel= --fetch-retries= --fetch-timeout= -w= --location= --omit= --include= --only= --workspace= --searchlimit= --maxsockets= --depth= --audit-level="
# Known behind a command of yarn only: before it, the value would be the command. The first two take the next word for
# one there: `yarn --production build exec x` runs x.
_YARN_VALUES = (
    "--production? --prod? -j= --mode= --pattern= --scope= --depth= --level= --groups= --include= --exclude="
)

# Also known behind a command only. To yarn 1 they take the next word for a value, and the one behind it is the script:
# `yarn --dev build cross-env touch x`.
_YARN_MORE = "-D -E -P -O -T -W -A -R -p -i -t --immutable --immutable-cache --check-cache --inline-builds --no-color --dev --exact --peer --optional --tilde --caret --latest --all --recursive --interactive --cached --parallel --top-level --topological --topological-dev --integrity --workspace-focus --why"

# Words for a script. Older versions put them into double quotes for a shell, where these are expanded.
_EXPANDED = r"(?s:.*)(?:[`\n]|\$[A-Za-z0-9_({@*#?!$-]|\\(?:\"|\Z))"
# A package that does not come from the registry: `user/repo` is a repository of GitHub.
_PACKAGE = rf"{_EXPANDED}|{ELSEWHERE}|(?!.*\.(?:tgz|tar|tar\.gz)\Z)(?:@[^/@]+/)?[^@/.][^@/]*(?:@(?!npm:|workspace:)[^/]*)?/|.*@\.\.?\Z"
_YARN_RUNS = "--cwd= --use-yarnrc= --script-shell= --modules-folder= --global-folder= --link-folder= --cache-folder= --preferred-cache-folder= --registry= --proxy= --https-proxy= --rc-filename= --otp= --mutex= --plugnplay --pnp --into= --require= --inspect? --inspect-brk? --inspect-wait? --filename= --out="
_PNPM_RUNS = "-C= --dir= --prefix= --script-shell= --shell-mode -c --config= --use-node-version= --global-dir= --store-dir= --virtual-store-dir= --modules-dir= --registry= --lockfile-dir= --node-options= --userconfig= --globalconfig= --package= --pnpmfile= --global-pnpmfile= --workspace-dir= --state-dir= --cache-dir= --pack-destination= --patches-dir= --npm-path= --out="

# Directories that are entered first, as `cd` does: the scripts and the configuration of a part of the project.
_YARN_PLACES = "--cwd="
_PNPM_PLACES = "-C= --dir="
# Of the project, without a blank: yarn hands texts on to shells.
_PART = r"(?:\./)?[\w@][\w@.-]*(?:/[\w@][\w@.-]*)*/?"

# A rule of eslint and how strict it is, with plain settings: `quotes: [error, double]`, `max-len: [1, {code: 99}]`.
_NUMBER = r"[\"']?\w+[\"']?\s*:\s*(?:\d+|true|false)"
_SETTING = rf"(?:[\"']?[\w-]+[\"']?|\{{\s*{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*\}})"
_RULE = rf"[\"']?[\w@/-]+[\"']?\s*:\s*(?:{_SETTING}|\[\s*{_SETTING}(?:\s*,\s*{_SETTING})*\s*\])"


def _without(options: str, others: str) -> str:
    return " ".join(name for name in options.split() if name not in others.split())


def _beginnings(names: Iterable[str]) -> str:
    return "|".join("(?:".join(name) + ")?" * (len(name) - 1) for name in names)


def _for_scripts(options: str) -> str:
    """Options that are none of the manager's own, nor could be taken for the beginning of one.

    A script gets them: `for_scripts` looks at where their values lead.
    """
    own = _beginnings(name.rstrip("=?").lstrip("-") for name in options.split())
    return rf"--(?!(?:no-)?(?:{own})(?:=|\Z))[a-z][A-Za-z-]*(?:=(?!.*[|(] *[/~.])[A-Za-z0-9_.,:+/*@|() -]*)?"


# Behind a command, any part of the project.
_WORKSPACE = ("--workspace= -w=", _PART)

_TOOLS = (
    Program(
        names="eslint",
        single_letters=True,
        plain_values=True,
        reason="configuration, plugins and parsers are code; fixes and reports are written",
        options="-h -v --help --version --ext= --ignore-pattern= --no-ignore --quiet --max-warnings= --no-eslintrc --env= --global= --report-unused-disable-directives --report-unused-disable-directives-severity= --no-inline-config --color --no-color --no-error-on-unmatched-pattern --exit-on-fatal-error --no-warn-ignored --pass-on-no-patterns --debug --env-info --fix-dry-run --stdin --cache --cache-strategy= --stats --concurrency=",
        reads="--ignore-path=",
        # Configuration is looked for beside the file, too, that is only named.
        places="-c= --config= --rulesdir= --print-config= --stdin-filename=",
        writes="--fix --fix-type= -o= --output-file= --cache-location= --cache-file= --suppress-all --prune-suppressions --suppressions-location=",
        # The last one fetches a package and runs it.
        runs="--resolve-plugins-relative-to= --plugin= --parser= --parser-options= --flag= --init",
        checks=(
            # A name is a package of the project, a path is code from elsewhere.
            ("-f= --format=", r"[a-z-]+"),
            # Settings of a rule can name code: the plugins of prettier/prettier.
            ("--rule=", rf"\s*(?:{_RULE}|\{{\s*{_RULE}\s*\}})\s*"),
        ),
        operands="own",
        refuses=OUTSIDE_BY_PATTERN,
    ),
    Program(
        names="prettier",
        single_letters=True,
        plain_values=True,
        reason="configuration and plugins are code; -w writes",
        options="-c -l -h -v -u --check --list-different --help --version --log-level= --loglevel= --ignore-unknown --no-config --no-editorconfig --no-error-on-unmatched-pattern --no-color --color --print-width= --tab-width= --use-tabs --no-semi --single-quote --quote-props= --jsx-single-quote --trailing-comma= --no-bracket-spacing --bracket-same-line --arrow-parens= --prose-wrap= --html-whitespace-sensitivity= --end-of-line= --range-start= --range-end= --insert-pragma --require-pragma --cache --cache-strategy= --with-node-modules --support-info --embedded-language-formatting= --experimental-ternaries --object-wrap=",
        reads="--ignore-path=",
        places="--config= --stdin-filepath= --find-config-path= --file-info=",
        writes="-w --write --cache-location=",
        # A path is code.
        checks=(("--parser=", r"[a-z0-9-]+"),),
        runs="--plugin= --plugin-search-dir= --config-precedence=",
        operands="own",
        refuses=OUTSIDE_BY_PATTERN,
    ),
    Program(
        names="tsc vue-tsc",
        plain_values=True,
        reason="it writes what it compiles; plugins of a configuration are code",
        style="words",
        options="-h -v -w -b -m= -t= -all --help --version --watch --build --noEmit --pretty --strict --skipLibCheck --esModuleInterop --module= --moduleResolution= --target= --lib= --jsx= --allowJs --checkJs --resolveJsonModule --isolatedModules --noImplicitAny --noUnusedLocals --noUnusedParameters --strictNullChecks --listFiles --listFilesOnly --listEmittedFiles --showConfig --traceResolution --extendedDiagnostics --diagnostics --explainFiles --noErrorTruncation --preserveWatchOutput --verbose --dry --force --clean --types= --stopBuildOnErrors --noEmitOnError --forceConsistentCasingInFileNames --allowImportingTsExtensions --verbatimModuleSyntax --experimentalDecorators --emitDecoratorMetadata --downlevelIteration --isolatedDeclarations --incremental --composite",
        # Declarations are read there.
        reads="--typeRoots= --baseUrl=",
        checks=(
            ("--types=", r"(?!.*\.\.)[\w@][\w@./-]*(?:,[\w@][\w@./-]*)*"),
            ("--baseUrl= --typeRoots=", rf"(?!{OUTSIDE})[^,]*"),
        ),
        places="-p= --project=",
        writes="--outDir= --outFile= --out= --declarationDir= --tsBuildInfoFile= --generateTrace= --generateCpuProfile= --declaration -d --emitDeclarationOnly --sourceMap --init --rootDir=",
        runs="--plugins=",
        operands="own",
        dashes=False,
        refuses=f"@|{OUTSIDE}",
        response_files=True,
    ),
    Program(
        names="stylelint",
        single_letters=True,
        plain_values=True,
        reason="configuration, formatters and syntaxes are code; fixes are written",
        options="-h -v -q --help --version --quiet --max-warnings= --color --no-color --ignore-pattern= --allow-empty-input --cache --report-needless-disables --stdin",
        reads="-i= --ignore-path=",
        places="-c= --config= --stdin-filename=",
        writes="--fix -o= --output-file= --cache-location=",
        checks=(("-f= --formatter=", "string|verbose|compact|json|tap|unix|github"),),
        runs="--custom-formatter= --custom-syntax= --config-basedir=",
        operands="own",
        refuses=OUTSIDE_BY_PATTERN,
    ),
    *TESTERS,
    *BUILDERS,
)

_YARN = Program(
    names="yarn yarnpkg",
    reason=_ELSEWHERE,
    style="words",
    options="-v -h -s --version --help --silent --verbose --json --offline --prefer-offline --frozen-lockfile --production= --prod= --no-lockfile --pure-lockfile --ignore-engines --ignore-optional --ignore-platform --ignore-scripts --non-interactive --no-progress --force --flat --har --link-duplicates --network-timeout= --network-concurrency= --no-bin-links --emoji= --check-files --immutable=",
    runs=_without(_YARN_RUNS, _YARN_PLACES),
    places=_YARN_PLACES,
    checks=(
        (_YARN_PLACES, _PART),
        # Any other value could be the command to a version that does not know them.
        ("--network-timeout= --network-concurrency=", r"\d+"),
        ("--emoji=", "true|false"),
    ),
    persistent=True,
    plain_values=True,
    # A word that is no command of yarn is a script of the project: `yarn build` is `yarn run build`.
    operands="text",
    spelled="exec dlx create config node plugin init set publish global link unlink login logout npm patch patch-commit stage unplug import policies run-script tag team owner self-update",
    # A directory comes before any command of yarn, which is run there: `yarn ./sub exec x`, `yarn /tmp/x build`.
    refuses=rf".*[/\\]|(?:yarn|yarnpkg|npm|npx|pnpm|pnpx|bunx?)\Z|{_EXPANDED}",
    commands=(
        Program(
            names="run",
            style="words",
            reason=_ELSEWHERE,
            options="-T --top-level",
            # Right behind a script, yarn takes this for an option of its own.
            refuses=rf"--into\Z|{_EXPANDED}",
            stops=True,
            passes=True,
            for_scripts=True,
        ),
        Program(
            names="pack",
            style="words",
            reason="a package is written, and one from elsewhere runs its scripts first",
            refuses=_PACKAGE,
            only_with="--dry-run -n",
        ),
        Program(
            names="install add remove upgrade upgrade-interactive up update outdated list why info audit dedupe check cache rebuild version versions licenses constraints explain search bin dir autoclean install-peerdeps help generate-lock-entry doctor access",
            plain_values=True,
            style="words",
            reason=_ELSEWHERE,
            options=f"{_YARN_VALUES} {_YARN_MORE} --fix --check --strategy= --major --minor --patch --new-version= --no-git-tag-version --ignore-workspace-root-check --save --save-dev --verify-tree --mirror --fields= --name-only --severity= --environment= --no-bin-links --audit --skip-integrity-check --update-checksums --refresh-lockfile --deferred --immediate",
            operands="own",
            refuses=_PACKAGE,
        ),
        # Tools of the project by their own names.
        *_TOOLS,
    ),
    other=Program(
        names="script",
        style="words",
        reason=_ELSEWHERE,
        # Of the tests that scripts mostly run: write snapshots anew, watch.
        options=f"{' '.join(name for name in _YARN_MORE.split() if name[1] != '-')} -u -w --production? --prod?",
        pattern=_for_scripts(_YARN_RUNS),
        operands="text",
        refuses=_EXPANDED,
        for_scripts=True,
    ),
)

# What yarn does in one workspace, and in each of them.
_FOREACH = "-Ap -At -Apt -Aptv -Apv -Av -Rp -Rt -Rpt -Rptv -pt -ptv -pv -pi -piv -pti -vi -iv -v -W --no-private --interlaced --dry-run"
_WORKSPACES = (
    Program(
        names="workspace",
        style="words",
        reason=_ELSEWHERE,
        operands="text",
        refuses=r"(?!(?:@[\w.-]+/)?\w[\w.-]*\Z)",
        stops=True,
        other=_YARN,
    ),
    Program(
        names="workspaces",
        style="words",
        reason=_ELSEWHERE,
        commands=(
            _YARN.commands[0],
            replace(
                _YARN,
                names="foreach",
                options=f"{_YARN.options} {_without(_YARN_MORE, '--immutable -W')} {_FOREACH}",
                checks=(
                    *_YARN.checks,
                    ("--since?", REVISION),
                    ("-j= --jobs=", r"\d+|unlimited"),
                    ("--include= --exclude= --from=", r"[\w@./*{},-]+"),
                ),
            ),
            Program(
                names="list info focus",
                style="words",
                reason=_ELSEWHERE,
                options="--no-private",
                operands="text",
            ),
        ),
    ),
)

PROGRAMS = (
    Program(
        names="npm",
        reason=_ELSEWHERE,
        style="words",
        options=f"{_NPM} -a",
        # As if it were entered before: `cd web && npm ci`.
        places="--prefix= -C=",
        checks=(
            ("--prefix= -C=", _PART),
            ("--workspace= -w=", rf"(?!(?:{_beginnings(_NPM_COMMANDS.split())})\Z){_PART}"),
            *_NPM_VALUES,
        ),
        runs="--script-shell= --node-options= --userconfig= --globalconfig= --init-module= --shell= --editor= --viewer= --browser= --git= --call= -c= --scripts-prepend-node-path= --local-prefix= --package= --registry= --reg= --proxy= --https-proxy= --cache= --cafile= --cert= --key= --before=",
        writes="--pack-destination=",
        persistent=True,
        plain_values=True,
        spelled="exec x explore create innit edit set publish unpublish deprecate adduser login logout token owner access team hook org profile star unstar help help-search docs repo bugs home sbom",
        commands=(
            Program(
                names="run run-script rum urn test t tst start stop restart",
                style="words",
                operands="text",
                plain_values=True,
                options=_WORKSPACE[0],
                checks=(_WORKSPACE,),
                reason=_ELSEWHERE,
                refuses=_EXPANDED,
                for_scripts=True,
            ),
            Program(
                names="install i in ins inst add install-test it link ln update up upgrade udpate view info show v diff",
                style="words",
                plain_values=True,
                reason="an address and another directory are code from elsewhere: what a package brings is run",
                # A directory, for one; of a repository it runs scripts.
                options=f"{_WORKSPACE[0]} --tag=",
                checks=(("--diff=", rf"(?!{_PACKAGE})[\s\S]*"), _WORKSPACE),
                reads="--diff=",
                operands="own",
                refuses=_PACKAGE,
            ),
            Program(
                names="ci clean-install ic install-ci-test cit uninstall unlink remove rm r un dedupe ddp prune rebuild rb audit outdated ls list la ll find-dupes doctor search s se find root prefix bin whoami ping explain why version verison completion query shrinkwrap",
                style="words",
                plain_values=True,
                options=f"{_WORKSPACE[0]} --preid= --message= -m=",
                checks=(_WORKSPACE,),
                reason=_ELSEWHERE,
                refuses=_EXPANDED,
            ),
            # With a name it opens a browser.
            Program(
                names="fund",
                style="words",
                reason="a browser is a program",
                operands="text",
                refuses=r"(?s:.)",
            ),
            Program(
                names="pack",
                style="words",
                reason="a package is written, and one from elsewhere runs its scripts first",
                refuses=_PACKAGE,
                only_with="--dry-run",
            ),
            # Alone it writes a package.json; with a name it fetches a package and runs it.
            Program(
                names="init",
                style="words",
                reason="it runs a package, or writes elsewhere",
                runs="-w= --workspace=",
                operands="text",
                refuses=r"(?s:.)",
            ),
            Program(
                names="config c",
                style="words",
                reason="it changes what later runs",
                spelled="set s delete del rm r edit fix",
                commands=(Program(names="get list ls", style="words", operands="text"),),
            ),
            Program(
                names="pkg",
                style="words",
                reason="it changes the scripts that npm runs",
                spelled="fix",
                commands=(
                    Program(names="get", style="words", operands="text"),
                    # The project's own file, which can be written as well.
                    Program(
                        names="set delete",
                        style="words",
                        reason="it changes package.json",
                        options="--json",
                        operands="text",
                        only_with="-h --help",
                    ),
                ),
            ),
            Program(
                names="cache dist-tag dist-tags",
                style="words",
                reason="it changes what later runs",
                spelled="add rm",
                commands=(Program(names="ls verify clean", style="words", operands="text"),),
            ),
        ),
    ),
    Program(
        names="pnpm",
        reason=_ELSEWHERE,
        style="words",
        options=f"{_without(_NPM, _NOT_OF_PNPM)} --workspace -r -w -Dw -wD -rD --recursive --workspace-root --frozen-lockfile --no-frozen-lockfile --prod --dev --no-optional --stream --aggregate-output --parallel --sequential --no-bail --if-present --lockfile-only --fix-lockfile --shamefully-hoist --strict-peer-dependencies --report-summary --latest --interactive --no-color --use-stderr --yes --sort --no-sort",
        runs=_without(_PNPM_RUNS, _PNPM_PLACES),
        places=_PNPM_PLACES,
        checks=(
            (_PNPM_PLACES, _PART),
            # Before a script, pnpm takes the value for the name of a program: `pnpm --reporter rm build x`.
            ("--reporter=", "default|append-only|ndjson|silent"),
            ("--loglevel=", "debug|info|warn|error|silent"),
            ("--fetch-retries= --fetch-timeout=", r"\d+"),
            # What stands in brackets is a commit, which git is told.
            ("-F= --filter= --filter-prod=", r"(?!(?s:.*)\[\s*-)[\s\S]*"),
        ),
        persistent=True,
        plain_values=True,
        spelled="exec dlx create init env patch patch-commit set publish server setup deploy",
        # No program of the system has a colon in its name.
        scripts=r"[a-z][a-z0-9_.-]*(?::[a-z0-9_.-]+)+",
        commands=(
            Program(names="exec dlx", style="words", stops=True, passes=True, packages=True),
            Program(
                names="config c",
                style="words",
                reason="it changes what later runs",
                spelled="set delete",
                commands=(Program(names="get list", style="words", operands="text"),),
            ),
            Program(
                names="store",
                style="words",
                reason="packages are put into it",
                spelled="add",
                commands=(Program(names="path status prune", style="words", operands="text"),),
            ),
            # Tools of the project by their own names.
            *_TOOLS,
            Program(
                names="run",
                style="words",
                reason=_ELSEWHERE,
                pattern=_for_scripts(_PNPM_RUNS),
                pattern_later=True,
                refuses=_EXPANDED,
                for_scripts=True,
            ),
            Program(
                names="install i add update up upgrade remove rm uninstall un link unlink import rebuild rb prune fetch dedupe install-test it audit list ls outdated why licenses root bin",
                style="words",
                reason="an address and another directory are code from elsewhere: what a package brings is run",
                options="--check --depth= --audit-level= --format= --no-lockfile --prefer-frozen-lockfile --ignore-pnpmfile --save-catalog --no-verify-store-integrity --merge-git-branch-lockfiles --fix --ignore-registry-errors --lockfile --hoist --no-hoist --side-effects-cache --ignore-workspace --force-legacy-deploy --compatible",
                operands="own",
                refuses=_PACKAGE,
            ),
            Program(
                names="pack",
                style="words",
                reason="a package is written, and one from elsewhere runs its scripts first",
                refuses=_PACKAGE,
                only_with="--dry-run",
            ),
            # Where there is no such script, pnpm runs the system's program of that name.
            Program(
                names="watch fmt coverage format",
                style="words",
                reason="without such a script it is a program of the system, which gets what follows",
                operands="text",
                refuses=r"(?s:.)|\Z",
            ),
            # Scripts of the project by their usual names; others could be programs, which pnpm runs as well.
            Program(
                names="test t start stop restart build build:dev build:prod dev develop serve preview lint lint:fix typecheck type-check check check-types test:unit test:e2e test:watch test:coverage e2e clean generate codegen storybook release",
                style="words",
                reason=_ELSEWHERE,
                pattern=_for_scripts(_PNPM_RUNS),
                refuses=_EXPANDED,
                for_scripts=True,
            ),
        ),
    ),
    replace(_YARN, commands=(*_WORKSPACES, *_YARN.commands)),
    Program(
        names="npx pnpx bunx",
        reason="-c runs a text in a shell, -p fetches another package",
        style="words",
        options="-y -q -h -v --yes --no --no-install --ignore-existing --quiet --version --help",
        runs="-c= --call= --shell= --shell-auto-fallback --node-options= -n= --node-arg= --prefix= --script-shell= --userconfig= -p= --package= -w= --workspace= --workspaces --registry= --cache= --bun",
        stops=True,
        passes=True,
        packages=True,
        scopes=True,
    ),
    *_TOOLS,
    Program(
        names="nodemon",
        single_letters=True,
        reason="it runs code",
        options="-v -h -q -V -d= -I -L --version --help --quiet --verbose --delay= --no-stdin --legacy-watch --no-colors --ignore= -i=",
        # Its options are known behind the file, too.
        runs="-x= --exec= -r= --require= -C= --cwd= --config= --watch= -w= --ext= -e= --signal= -s= --on-change-only --spawn --inspect? --inspect-brk? --dump",
        operands="near maybe",
        # What is no script of JavaScript is started by a shell, with all words as they are.
        refuses=r"(?![\w@.,:/=+%-]*\Z)",
        plain_values=True,
    ),
    # Of these three, what everyday work needs: their words are commands for a shell, programs, and hooks of git.
    Program(
        names="concurrently conc",
        single_letters=True,
        plain_values=True,
        reason="every word is a command",
        options="-h -v -k -r -g --help --version --kill-others --kill-others-on-fail --raw --group --no-color --timings",
        checks=(("-n= --names= -c= --prefix-colors= -p= --prefix=", r"[\w.,#-]+"),),
        operands="text",
        refuses=r"(?!(?:npm|pnpm|yarn|bun):[\w:*.-]+\Z)",
        after=r"(?!)",
    ),
    Program(
        names="pm2",
        single_letters=True,
        plain_values=True,
        reason="it runs programs",
        options="-h -v --help --version",
        commands=(
            Program(
                names="list ls l ps status jlist describe show info logs stop restart delete del",
                reason="it runs programs",
                options="-h --help --nostream --lines=",
                operands="text",
                refuses=r"(?![\w-]+\Z)",
            ),
        ),
    ),
    Program(
        names="husky",
        reason="it writes hooks, which git runs",
        options="-h -v --help --version",
        commands=(
            Program(names="install init", operands="text", reason="another directory", refuses=r"(?s:.)"),
        ),
    ),
    Program(
        names="ts-node tsx",
        reason="it runs code",
        options="-v -h -T --version --help --transpile-only --test",
        # The project's own settings and variables.
        places="-P= --project= --tsconfig= --env-file= --env-file-if-exists=",
        checks=(("-r= --require=", r"tsconfig-paths/register|dotenv/config|source-map-support/register"),),
        runs="-e= --eval= -p= --print= -x= --exec= --import= --loader= --compiler= -C= --cwd= --config= --watch= -w= --ext=",
        # A file of code that lies elsewhere; a dash is the input.
        refuses=rf"{OUTSIDE}|.*:|-",
        operands="own",
        commands=(
            Program(
                names="watch",
                reason="it runs code",
                options="--clear-screen?",
                places="--tsconfig= --env-file= --env-file-if-exists=",
                operands="near maybe",
                plain_values=True,
                stops=True,
            ),
        ),
        # What follows a file of code is for it.
        other=Program(names="file", harmless=True),
    ),
)
