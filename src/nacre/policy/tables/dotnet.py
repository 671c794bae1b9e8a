# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""dotnet: one program for all work with .NET, which hands most of its options on to msbuild.

Above: `tables` finds a program's entry by its name. Below: `schema`. It is not known from the program itself: what its
documentation and its source state, and everyday work needs.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import ELSEWHERE, OUTSIDE, Program

# They become properties of msbuild, which takes several of them in one word, divided by `;` or `,`: a setting
# that names a file of code can hide in any value.
_DOTNET_NAME = r"[\w.+-]+"
_DOTNET_PATH = r"[\w./~+ -]+"
_DOTNET_PROPERTIES = ("-c= -r= -v= --configuration= --framework= --runtime= --verbosity=", _DOTNET_NAME)
_DOTNET_PARTS = Program(
    names="add remove list",
    plain_values=True,
    single_letters=True,
    reason="other sources, and projects from elsewhere, are code",
    options="-n -h --no-restore --prerelease --outdated --vulnerable --include-transitive --help",
    checks=(("-v= -f= --version= --framework=", r"[\w.*+-]+"),),
    places="--project=",
    runs="-s= --source= --package-directory= --interactive --configfile=",
    response_files=True,
    operands="own",
    refuses=rf"@|{ELSEWHERE}",
)

PROGRAMS = (
    Program(
        names="dotnet",
        reason="it runs assemblies and fetches tools",
        options="-h --help --version --info --list-sdks --list-runtimes -d --diagnostics",
        spelled="exec script msbuild fsi watch nuget  workload dev-certs user-secrets",
        commands=(
            # The project's own program, like `cargo run`.
            Program(
                names="run",
                plain_values=True,
                single_letters=True,
                reason="projects, properties and variables from elsewhere decide what runs",
                options="-h --no-build --no-restore --no-dependencies --no-launch-profile --force --nologo --help --self-contained --no-self-contained",
                checks=(
                    _DOTNET_PROPERTIES,
                    ("-f= -a= --arch= --os=", _DOTNET_NAME),
                    ("--launch-profile=", r"[\w .:-]+"),
                ),
                places="--project=",
                runs="-p? --property? -e= --environment= --artifacts-path= --source= --file= -lp=",
                operands="own",
                response_files=True,
                # A file of code from elsewhere, or from the input; what is behind `--` is for the program.
                refuses=rf"@|{OUTSIDE}|-\Z|(?s:.*)://",
            ),
            # Templates that come with it; others, and where they come from, are a person's choice.
            Program(
                names="new",
                plain_values=True,
                single_letters=True,
                reason="templates from elsewhere can run scripts",
                options="-h --dry-run --force --no-restore --no-update-check --use-program-main --use-controllers --no-https --minimal --empty --help",
                checks=(
                    ("-n= --name=", r"\w[\w.]*"),
                    ("-lang= -f= --language= --framework= --auth= --interactivity=", r"\w[\w.#-]*"),
                ),
                writes="-o= --output=",
                runs="--allow-scripts= --debug:custom-hive= --project= -i --install --uninstall --update-apply --nuget-source= --add-source=",
                operands="text",
                refuses=r"(?!(?:console|classlib|web|webapi|webapiaot|mvc|webapp|razor|razorclasslib|blazor|blazorwasm|worker|grpc|xunit|nunit|mstest|sln|gitignore|editorconfig|globaljson|tool-manifest|list)\Z)",
            ),
            # Packages by their names, and projects of the same directory.
            replace(_DOTNET_PARTS, names="add remove"),
            Program(
                names="package reference",
                reason="other sources, and projects from elsewhere, are code",
                commands=(_DOTNET_PARTS,),
            ),
            Program(
                names="sln solution",
                plain_values=True,
                single_letters=True,
                reason="projects from elsewhere are code",
                options="-h --in-root --help",
                checks=(("-s= --solution-folder=", r"\w[\w./ ]*"),),
                response_files=True,
                operands="own",
                refuses=rf"@|{ELSEWHERE}",
            ),
            Program(
                names="tool",
                reason="tools are programs",
                spelled="install run update uninstall exec search",
                commands=(
                    Program(
                        names="list",
                        plain_values=True,
                        options="-g --global --local -h",
                        operands="text",
                        refuses="@",
                        reason="a file of further words",
                        max_operands=1,
                    ),
                    Program(
                        names="restore",
                        plain_values=True,
                        reason="other sources and lists are code",
                        options="-v= --verbosity= --no-cache --ignore-failed-sources --disable-parallel -h",
                        runs="--add-source= --configfile= --tool-manifest= --interactive",
                        operands="text",
                        refuses=r"(?s:.)",
                    ),
                ),
            ),
            *(
                Program(
                    names=names,
                    plain_values=True,
                    # The same with a colon.
                    pattern=r"--collect:[\w ]+|--logger:(?:console(?:;verbosity=\w+)?|trx|html)",
                    # Longer ones are msbuild's own: -fl, -fileLoggerParameters:LogFile=x, -restoreProperty:RestoreSources=x.
                    single_letters=True,
                    reason="loggers and properties are code; other directories are written",
                    options="-h --help --no-restore --no-build --no-incremental --nologo -nologo --blame --self-contained --no-self-contained --force --no-cache --no-dependencies --outdated --vulnerable --include-transitive --list-tests --locked-mode --use-lock-file --force-evaluate",
                    writes="-o= --output= --results-directory=",
                    checks=(
                        _DOTNET_PROPERTIES,
                        *framework,
                        ("-o= --output= --results-directory=", _DOTNET_PATH),
                        ("--filter=", r"[\w.~=!&|() *+:-]+"),
                        ("--collect=", r"[\w ]+"),
                        ("--logger= -l=", r"console(?:;verbosity=\w+)?|trx(?:;LogFileName=\w[\w.-]*)?|html"),
                    ),
                    runs="--test-adapter-path= -s= --settings= -p? --property? -bl --source= --configfile= --packages= --artifacts-path=",
                    response_files=True,
                    operands="near",
                    # Options of msbuild, and files of them.
                    refuses=r"@|/[A-Za-z]+(?::|\Z)",
                    # Settings of the test run: where its adapters are, for one.
                    after=r"(?!)",
                )
                # `restore -f` is --force: the next word is a project.
                for names, framework in (
                    ("build test clean publish", (("-f=", _DOTNET_NAME),)),
                    ("restore pack list", ()),
                )
            ),
            # To older versions -f is `--folder`: the next word is a directory that is rewritten.
            Program(
                names="format",
                plain_values=True,
                single_letters=True,
                reason="analyzers of other projects are code; reports are written",
                options="-h --help --no-restore --verify-no-changes",
                checks=(
                    ("-v= --verbosity= --severity=", "[a-z]+"),
                    ("--include= --exclude=", r"(?!/)(?!.*\.\.)[\w./*-]+"),
                ),
                response_files=True,
                operands="near",
                refuses="@",
                after=r"(?!)",
            ),
            # It builds and starts the project's own program to ask it for its models.
            Program(
                names="ef",
                plain_values=True,
                single_letters=True,
                reason="projects, packages and properties from elsewhere are code",
                options="-v -h -f --no-build --verbose --no-color --prefix-output --help --version --json --force --dry-run --idempotent --no-transactions",
                checks=(("-c= --context= --configuration= --framework=", _DOTNET_NAME),),
                places="-p= --project= -s= --startup-project=",
                commands=(
                    Program(
                        names="migrations database dbcontext",
                        plain_values=True,
                        single_letters=True,
                        reason="it asks a database that the command names, or writes a program",
                        operands="text",
                        refuses=r"scaffold\Z|bundle\Z|(?![\w.-]+\Z)",
                        after=r"(?!)",
                    ),
                ),
                persistent=True,
            ),
        ),
    ),
)
