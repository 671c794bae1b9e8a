# ruff: noqa: E501 - one package, one line: wrapped options are harder to compare with a program's own help
"""Packages of JavaScript that npx and the like start: the everyday commands and options of each.

Above: `project_runners` reads them. Below: the model. What is not listed needs a rule that names the package
(`npx prisma`): plugins, configuration for one call, servers elsewhere, what publishes, and what asks for more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from nacre.policy.model import names


class Package(NamedTuple):
    """What a package may be told; its first words are commands, if it knows any."""

    commands: frozenset[str]
    # Options without a value, and with one.
    flags: frozenset[str]
    valued: frozenset[str]
    # What some values have to be: others name a plugin, a program, or a file.
    checks: dict[str, str]
    # What its words have to be, if not all plain ones will do.
    words: str = ""


# What publishes, opens this machine to others, ends programs, or fetches what a name stands for elsewhere: a rule
# names it, whatever it is told. Of others it is a command (`deploy`, `publish`) that does so.
REACHING = names(
    "now now-cli surge gh-pages angular-cli-ghpages eas eas-cli amplify ampx np release-it shipjs shipit-cli "
    "publish-please npm-publish changelogen bumpp pkg-pr-new multi-semantic-release degit tiged giget gitly gitpick "
    "nypm skills add-skill localtunnel lt ngrok cloudflared untun pinggy instatunnel tunnelmole tmole kill-port fkill "
    "fkill-cli kill-process chromatic codecov coveralls"
)

# Commands (`db/push` is `db push`; `deploy?` with --dry-run only), a bar, options; `=`: with a value. Without a command
# words are files (.), or anything plain (*).
_PACKAGES = {
    "aws-cdk": "synth synthesize diff ls list doctor notices | --quiet -q --all --profile= --context= -c= --json -j --verbose -v --long -l --exclusively -e --strict --fail --no-color --no-lookups",
    "biome": "check lint format ci version | --write --apply --fix --unsafe --staged --changed --since= --max-diagnostics= --diagnostic-level= --error-on-warnings --no-errors-on-unmatched --reporter= --verbose --colors=",
    "browserslist": ". | --update-db",
    "cap": "sync copy update doctor ls |",
    "cowsay": "* |",
    "create-next-app": "* | --typescript --ts --javascript --js --tailwind --no-tailwind --eslint --no-eslint --biome --app --no-app --src-dir --no-src-dir --turbopack --no-turbopack --import-alias= --use-npm --use-pnpm --use-yarn --use-bun --empty --yes --api --skip-install --disable-git",
    "create-react-app": "* | --template= --use-npm --use-pnp",
    "create-vite": "* | --template= -t= --no-interactive",
    "cspell": ". | --no-progress --no-summary --quiet --words-only --unique --no-must-find-files --dot --gitignore --show-suggestions --show-context --exclude= --locale=",
    "cypress": "run verify info version install | --headless --headed --quiet -q --spec= -s= --browser= -b= --e2e --component --no-exit --port= -p= --config=",
    "depcheck": ". | --json --skip-missing --skip-missing= --ignores= --ignore-patterns= --ignore-dirs= --ignore-bin-package= --oneline --quiet",
    "dependency-cruiser": ". | --no-config --validate --metrics --progress --include-only= --exclude= --focus= --output-type= -T=",
    "drizzle-kit": "generate check push migrate studio | --name= --port= --verbose --strict",
    "eas-cli": "whoami config build:list project:info diagnostics | --json --non-interactive --platform= -p= --limit= --profile= -e=",
    "expo-doctor": ". | --verbose",
    "firebase": "emulators:start | --only= --project= -P=",
    "gh-pages": "? |",
    "graphql-codegen": ". | --config= -c= --watch -w --verbose --silent --check --errors-only",
    "hardhat": "test compile clean node coverage check | --network= --parallel --bail --grep= --no-compile --force --quiet --show-stack-traces --verbose --port=",
    "http-server": "* | -p= --port= -c= -s --silent -g --gzip -b --brotli --cors -d= -i= --no-dotfiles",
    "json-server": "* | --port= -p= --watch -w",
    "knex": "migrate:latest migrate:status migrate:list migrate:currentVersion migrate:rollback migrate:up migrate:down migrate:make seed:run seed:make | --env= --all --verbose",
    "knip": ". | --production --strict --include= --exclude= --dependencies --exports --files --reporter= --no-progress --no-exit-code --max-issues= --workspace= -W= --cache --performance --include-entry-exports --no-config-hints",
    "license-checker": ". | --summary --production --development --json --csv --markdown --start= --onlyAllow= --failOn= --excludePackages= --excludePrivatePackages --unknown --direct",
    "localtunnel": "? |",
    "madge": ". | --circular -c --extensions= --json -j --summary -s --orphans --leaves --depends= -d= --no-color --no-spinner --warning --exclude= --ts-config=",
    "markdownlint": ". | --fix -f --dot -d --ignore= -i= --disable= --enable= --json -j --quiet -q",
    "markdownlint-cli2": ". | --fix --no-globs",
    "mkdirp": "* | -p",
    "nest": "build start info generate g | --watch -w --dry-run --flat --no-flat --spec --no-spec --skip-import --project= -p= --tsc --webpack --builder= -b=",
    "netlify-cli": "build dev serve status sites:list env:list functions:list | --offline --dry --debug --context= --port= -p= --json --filter=",
    "ngrok": "? |",
    "np": "? |",
    "openapi-generator-cli": "version list validate generate | -i= --input-spec= -g= --generator-name= -o= --output= --recommend",
    "openapi-typescript": ". | -o= --output= --export-type -t --enum --alphabetize --immutable --path-params-as-types --default-non-nullable= --check",
    "oxlint": ". | --fix --fix-suggestions --quiet --max-warnings= --deny-warnings --format= -f= -A= -D= -W= --import-plugin --react-plugin --jest-plugin --vitest-plugin --jsx-a11y-plugin --nextjs-plugin --promise-plugin --node-plugin --type-aware --threads= --rules --silent --no-ignore",
    "playwright": "test install install-deps show-report codegen | --project= --reporter= --workers= -j= --grep= -g= --grep-invert= --headed --debug --ui --retries= --timeout= --max-failures= -x --shard= --trace= --output= --update-snapshots -u --list --last-failed --only-changed= --forbid-only --fully-parallel --global-timeout= --repeat-each= --pass-with-no-tests --quiet --with-deps --dry-run --force --only-shell --no-shell --host= --port= --config= -c= --no-deps --ignore-snapshots --fail-on-flaky-tests",
    "postcss": ". | -o= --output= -d= --dir= -w --watch --verbose --map -m --no-map --env= --poll",
    "patch-package": "* | --reverse --error-on-fail --patch-dir= --include= --exclude=",
    "prisma": "init migrate/diff generate validate format version studio migrate/dev migrate/deploy migrate/status migrate/reset migrate/resolve db/push db/pull db/seed | --name= -n= --schema= --create-only --skip-generate --skip-seed --force -f --accept-data-loss --force-reset --print --port= -p= --browser= -b= --no-engine --no-hints --watch --applied= --rolled-back= --check --sql --datasource-provider= --from-empty --to-empty --from-schema-datamodel= --to-schema-datamodel= --from-migrations= --to-migrations= --script --exit-code",
    "react-router": "dev build typegen routes | --port= --host --mode= -m=",
    "redocly": "lint bundle stats build-docs split | --format= --max-problems= -o= --output= --outDir= --ext= --dereferenced -d --skip-rule=",
    "release-it": "? | --dry-run --ci --increment= -i= --verbose -V",
    "rimraf": "* | -v --verbose --preserve-root",
    "sass": ". | --no-source-map --source-map --watch -w --style= -s= --quiet -q --quiet-deps --no-charset --charset --update --stop-on-error --embed-sources --load-path= -I=",
    "semantic-release": "? | --dry-run -d --no-ci --debug --branches= -b=",
    "sequelize-cli": "db:migrate db:migrate:status db:migrate:undo db:migrate:undo:all db:seed db:seed:all db:seed:undo db:seed:undo:all db:create migration:generate migration:create seed:generate model:generate | --env= --name= --seed= --to= --from= --debug --attributes=",
    "serve": "* | -s --single -l= --listen= -p= -n --no-clipboard -L --no-request-logging -C --cors -d --debug -u --no-compression --no-etag --no-port-switching",
    "serverless": "print info package offline invoke/local doctor | --stage= -s= --region= -r= --function= -f= --data= -d= --verbose --aws-profile= --format= --httpPort=",
    "shadcn": "init add diff info list | --defaults --force -f --yes -y --overwrite -o --all -a --silent -s --path= -p= --dry-run",
    "size-limit": ". | --json --limit= --silent --watch --hide-passed --highlight-less",
    "sort-package-json": ". | --check -c --quiet -q --stdin",
    "source-map-explorer": ". | --no-border-checks --only-mapped -m --gzip",
    "sst": "dev build diff version | --stage= --print-logs",
    "standard": ". | --fix --verbose -v --env= --global= --ext= --no-cwd",
    "storybook": "dev build info doctor | --port= -p= --host= -h= --ci --no-open --quiet --smoke-test --test -o= --output-dir= --docs --loglevel= --disable-telemetry --exact-port --debug --no-version-updates --no-manager-cache --stats-json --force-build-preview",
    "supabase": "status start stop db/diff db/lint db/reset db/start migration/list migration/new migration/up gen/types | --local --schema= -s= -f= --file= --lang= --output= -o= --debug --dry-run --no-backup -x= --exclude=",
    "surge": "? |",
    "svelte-check": ". | --tsconfig= --no-tsconfig --threshold= --output= --watch --fail-on-warnings --ignore= --compiler-warnings= --preserveWatchOutput",
    "swagger-cli": "validate bundle | -o= --outfile= -t= --type= -r --dereference --no-schema --no-spec",
    "syncpack": "list list-mismatches lint format fix fix-mismatches |",
    "tailwindcss": ". | -i= --input= -o= --output= -m --minify -w --watch --optimize --map --content= -c= --config=",
    "terser": ". | -o= --output= -c --compress -m --mangle --module --toplevel --ecma= --comments --source-map --keep-classnames --keep-fnames --safari10 --timings",
    "ts-prune": ". | -p= --project= -i= --ignore= -e --error -s= --skip=",
    "tsc-alias": ". | -p= --project= -w --watch -v --verbose -f --resolve-full-paths",
    "tsup": ". | --format= --dts --dts-only --no-dts --clean --minify --sourcemap --splitting --no-splitting --watch --target= --platform= --out-dir= -d= --external= --treeshake --shims --silent --metafile --global-name= --tsconfig= --keep-names --no-config",
    "typedoc": ". | --out= --json= --entryPoints= --entryPointStrategy= --tsconfig= --name= --readme= --excludePrivate --excludeInternal --excludeProtected --excludeExternals --exclude= --includeVersion --hideGenerator --skipErrorChecking --watch --emit= --validation.invalidLink --treatWarningsAsErrors",
    "typeorm": "migration:run migration:show migration:revert migration:generate migration:create schema:log schema:sync version | -d= --dataSource= -p --pretty --dr --dryrun -t= --transaction= --check --ch",
    "vercel": "? build dev whoami ls list inspect logs env/ls | --yes -y --prod --debug -d --listen= -l=",
    "webpack-bundle-analyzer": ". | -m= --mode= -p= --port= -h= --host= -O --no-open -r= --report= -s= --default-sizes= -t= --title= -l= --log-level=",
    "wrangler": "dev deploy? types whoami versions/list deployments/list deployments/status d1/list d1/info pages/dev | --local --port= --dry-run --outdir= --env= -e= --minify --no-bundle --test-scheduled --live-reload --log-level= --ip= --format= --compatibility-date= --persist-to= --config= -c= --name=",
    "xo": ". | --fix --env= --global= --ignore= --space --space= --no-semicolon --prettier --quiet",
}
_ALIASES = {
    "@biomejs/biome": "biome",
    "@nestjs/cli": "nest",
    "@redocly/cli": "redocly",
    "@tailwindcss/cli": "tailwindcss",
    "cdk": "aws-cdk",
    "depcruise": "dependency-cruiser",
    "eas": "eas-cli",
    "firebase-tools": "firebase",
    "lt": "localtunnel",
    "netlify": "netlify-cli",
    "now": "vercel",
    "sls": "serverless",
}
# A directory that is emptied before, and none that the project lies in: `.`, `./`, `.git`.
_EMPTIED = r"(?:\.?/)?(?:[\w@][\w@.-]*/)*[\w@][\w@.-]*/?"
_CHECKS: dict[str, dict[str, str]] = {
    # Another template is a repository, or a package of any kind.
    "create-react-app": {"--template": r"(?:@[\w-]+/)?\w[\w.-]*(?:@[\w.-]+)?"},
    "create-vite": dict.fromkeys(("-t", "--template"), r"[\w-]+"),
    "cypress": {
        # A path is a program.
        **dict.fromkeys(("-b", "--browser"), r"(?:chrome|chromium|edge|electron|firefox|webkit)(?::[a-z]+)?"),
        "--config": r"(?:(?:video|screenshotOnRunFailure|baseUrl|retries|viewport\w+|\w+Timeout)=[\w:/.-]+(?:,|\Z))+",
    },
    "dependency-cruiser": dict.fromkeys(("-T", "--output-type"), r"[a-z0-9-]+"),
    "knip": {"--reporter": "symbols|compact|json|markdown|codeowners|codeclimate|disclosure|github-actions"},
    "nest": dict.fromkeys(("-b", "--builder"), "tsc|webpack|swc|rspack"),
    "openapi-generator-cli": dict.fromkeys(("-g", "--generator-name"), r"[a-z0-9-]+"),
    "playwright": {
        "--output": _EMPTIED,
        "--reporter": r"(?:(?:list|line|dot|json|junit|html|blob|github|null)(?:,|\Z))+",
    },
    "redocly": {"--outDir": _EMPTIED},
    "storybook": dict.fromkeys(("-o", "--output-dir"), _EMPTIED),
    "tsup": dict.fromkeys(("-d", "--out-dir"), _EMPTIED),
    "typedoc": {"--out": _EMPTIED},
}
# What is removed: something by its name, or what is made anew, and not all that there is.
_WORDS = {
    "rimraf": r"(?![/~]|.*\.\.)(?:(?:.*/)?(?!\.{1,2}/?\Z|\.git/?\Z)[\w.@-]+/?|(?:.*/)?[\w-]*\*\.(?:map|log|tsbuildinfo|tgz|snap|(?:spec\.|test\.|d\.)?[cm]?[jt]sx?))",
}
# Of nearly all of them.
_SHOWING = frozenset({"-h", "-V", "--help", "--version"})


@lru_cache(maxsize=64)
def package_of(name: str) -> Package | None:
    """What is known about a package; None: nothing."""
    name = _ALIASES.get(name, name)
    text = _PACKAGES.get(name)
    if text is None:
        return None
    commands, _, options = text.partition("|")
    given = options.split()
    return Package(
        frozenset(commands.split()),
        frozenset(item for item in given if item[-1] != "=") | _SHOWING,
        frozenset(item[:-1] for item in given if item[-1] == "="),
        _CHECKS.get(name, {}),
        _WORDS.get(name, ""),
    )
