# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Builders: make, cmake, java, gradle and the like.

Above: `tables` finds a program's entry by its name. Below: `schema`. They run what a project's files say: a rule for
one of them is a rule for anything. What they may not do unasked is take other files for the project's, other programs
for the compilers, or code from the command line.
"""

from __future__ import annotations

from nacre.policy.tables.schema import JAVA_TOOLS, OUTSIDE, Program

# No option for a program that gets it, and no file of further ones: `pytest $(TEST)`.
_PLAIN = r"(?!-(?!\d*\Z)|@)[A-Za-z0-9_.,:@%+/-]*"
# Variables of make that are numbers, names and switches by custom. Any other one may be a command in some recipe.
_MAKE_NAMES = "V|VERBOSE|DEBUG|RELEASE|BUILD|BUILD_TYPE|CONFIG|CONFIGURATION|MODE|PROFILE|TARGET|TARGETS|ARCH|PLATFORM|OS|PORT|ENVIRONMENT|STAGE|VERSION|TAG|COMMIT|BRANCH|DATE|NAME|PKG|PACKAGE|MODULE|TEST|TESTS|FILTER|FILE|FILES|NPROC|JOBS|COVERAGE|RACE|LOG_LEVEL|GOOS|GOARCH|IMAGE|REGISTRY|NAMESPACE|SERVICE|SOURCES"
_MAKE_PLACES = "DIR|OUT|BUILDDIR|BUILD_DIR|OUTDIR|O|PREFIX|DESTDIR"
# What a runner of tests gets may be code: nothing from elsewhere, alone or in a list.
_MAKE_HERE = r"(?!(?:.*[ ,]|.*:(?!//))?[/~])(?!(?:.*[/ ,:])?\.\.(?:[/ ,:]|\Z))"
_MAKE_COMPILER = r"(?!(?:CC=(?:gcc|cc|clang|tcc)|CXX=(?:g\+\+|c\+\+|clang\+\+))(?:-[0-9]+)?\Z)(?!(?:C|CXX|CPP)FLAGS=(?:-(?:O[0-3sgz]?|Ofast|g[0-3]?|W(?!l,|a,|p,)[a-z0-9=+-]+|std=[a-z0-9+]+|D[A-Za-z_][A-Za-z0-9_]*(?:=[A-Za-z0-9_.]*)?|fPIC|fsanitize=[a-z,]+|march=[a-z0-9-]+|mtune=[a-z0-9-]+|m(?:64|32|avx2?)|fno-omit-frame-pointer|flto|coverage|pedantic|pthread)(?: +|\Z))*\Z)"
# Lists of tests and files, and switches for the program that runs the tests.
_MAKE_LISTS = rf"(?!(?:TESTS?|FILES|TARGETS|SOURCES)={_MAKE_HERE}[\w.,:/]+(?: [\w.,:/]+)*\Z)(?!(?:PYTEST_?ARGS|PYTEST_OPTS|TEST_?ARGS|TEST_?FLAGS|ARGS)=(?:(?:-x|-q|-v+|-V+|-s|-race|-short|--lf|--ff|--verbose|--output-on-failure|-j ?\d+|-count=\d+|--tb=\w+|-[kR] \w+|-run \w+)(?: |\Z))+\Z)"
_MAKE_REFUSES = rf"{_MAKE_COMPILER}{_MAKE_LISTS}(?!(?i:{_MAKE_PLACES})={_PLAIN}\Z)(?!(?:(?i:{_MAKE_NAMES})|[A-Za-z_][A-Za-z0-9_]*(?==(?:[0-9]*|yes|no|true|false|on|off)\Z))={_MAKE_HERE}{_PLAIN}\Z)(?!(?!{OUTSIDE})[A-Za-z0-9_.%@+/-]+\Z)"
# Definitions that neither name a program nor a file of code.
_CMAKE_DEFINITION = (
    # Some of these become parts of the names of files.
    r"CMAKE_(?:BUILD_TYPE|EXPORT_COMPILE_COMMANDS|C_STANDARD|CXX_STANDARD|CXX_STANDARD_REQUIRED|CXX_EXTENSIONS|POSITION_INDEPENDENT_CODE|VERBOSE_MAKEFILE|INTERPROCEDURAL_OPTIMIZATION|COLOR_DIAGNOSTICS|COLOR_MAKEFILE|SKIP_RPATH|SKIP_INSTALL_RPATH|CONFIGURATION_TYPES|UNITY_BUILD|BUILD_TESTING|DEBUG_POSTFIX)(?::[A-Z]+)?=[A-Za-z0-9_.;+ -]*"
    r"|CMAKE_(?:INSTALL_LIBDIR|INSTALL_PREFIX)(?::[A-Z]+)?=[A-Za-z0-9_.+/ -]*"
    # Code of the project, from below the working directory.
    r"|CMAKE_(?:TOOLCHAIN_FILE|PREFIX_PATH|MODULE_PATH|BUILD_RPATH|INSTALL_RPATH)(?::[A-Z]+)?=(?![/~-])(?!.*\.\.)[A-Za-z0-9_./+-]+"
    r"|CMAKE_OSX_(?:ARCHITECTURES|DEPLOYMENT_TARGET)(?::[A-Z]+)?=[A-Za-z0-9_.;]*"
    r"|CMAKE_POLICY_VERSION_MINIMUM=[0-9.]+"
    r"|CMAKE_(?:C|CXX)_COMPILER(?::[A-Z]+)?=(?:gcc|cc|clang|g\+\+|c\+\+|clang\+\+)(?:-[0-9]+)?"
    # These are parts of the names of files that are read as code.
    r"|CMAKE_(?:SYSTEM_NAME|SYSTEM_PROCESSOR)(?::[A-Z]+)?=[A-Za-z0-9_-]*"
    r"|CMAKE_(?:C|CXX)_FLAGS(?:_[A-Z]+)?(?::[A-Z]+)?=(?:\s*-(?:W(?!l,|a,|p,)[a-z0-9=-]+|O[0-3sg]?|Ofast|g\d?|std=[a-z0-9+]+|fsanitize=[a-z,]+|fno-omit-frame-pointer|fPIC|march=[a-z0-9-]+|m(?:64|32|avx2?)|D[A-Z0-9_]+(?:=\w*)?|pthread|coverage))*\s*"
    r"|(?!CMAKE_)[A-Za-z][A-Za-z0-9_]*(?::[A-Z]+)?=(?:ON|OFF|on|off|On|Off|TRUE|FALSE|true|false|YES|NO|yes|no|\d+(?:\.\d+)*)?"
)
_TASKS = "another file of tasks, a shell or a variable decides what runs"
# Some give what is assigned to the programs that they start as a variable (rake RUBYOPT=...): names as for make.
_TASK_SETS = rf"(?:{_MAKE_NAMES}|{_MAKE_PLACES})=(?!.*\.\.){_MAKE_HERE}{_PLAIN}\Z|\w+=(?:[0-9]*|yes|no|true|false|on|off)\Z|(?:[A-Z]+_)?ENV=\w*\Z"
_TASK_REFUSES = rf"(?!{_TASK_SETS})[^=]*=|.*[;&|`$<>()\n]"
# What is handed on becomes part of a line for a shell: behind a blank or a quote stands another word of it.
_TASK_WORDS = r".*[\s'\"\\](?:-|[/~]|\.\.)"
# A target of the workspace: //src/..., //src:main, :main.
_LABEL = r"(?!.*/\.\.(?:/|\Z))(?://(?:[\w+=-][\w.+=-]*/)*(?:[\w+=-][\w.+=-]*(?::[\w+=-][\w.+=/-]*)?|\.\.\.|:[\w+=-][\w.+=/-]*)|:[\w+=-][\w.+=/-]*)"

PROGRAMS = (
    Program(
        names="make gmake",
        plain_values=True,
        reason="other makefiles, and variables that name programs or hold code, decide what runs",
        # -j and -l take the next word only if it is a number: as an operand it does no harm.
        options="-b -B -d -h -i -k -L -m -n -p -q -r -R -s -S -v -w -j? -l? -o= -O? -W= --always-make --help --ignore-errors --keep-going --check-symlink-times --just-print --dry-run --recon --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet --no-silent --stop --no-keep-going --version --print-directory --no-print-directory --jobs? --load-average? --max-load? --old-file= --assume-old= --output-sync? --what-if= --new-file= --assume-new= --debug? --trace --warn-undefined-variables --shuffle?",
        writes="-t --touch",
        places="-C= --directory=",
        runs="-f= --file= --makefile= --eval= -E= -I= --include-dir= -e --environment-overrides --jobserver-auth= --jobserver-fds= --jobserver-style= --sync-mutex=",
        operands="text",
        refuses=_MAKE_REFUSES,
    ),
    Program(
        names="cmake",
        # To configure, some options of other modes take no value: `cmake --config -P x` runs x.
        plain_values=True,
        reason="scripts, toolchains and other compilers are programs",
        style="joined",
        options="-h -N -L -LA -LAH -LH -v -V -G= -A= -U= -j? -t= --help --version --target= --config= --clean-first --use-stderr --verbose --parallel? --resolve-package-references= --component= --strip --default-directory-permissions= --fresh --preset= --list-presets? --log-level= --log-context --trace --trace-expand --debug-output --debug-find --warn-uninitialized --warn-unused-vars --no-warn-unused-cli --check-system-vars --compile-no-warning-as-error -Wdev -Wno-dev -Wdeprecated -Wno-deprecated -Werror=dev --help-command= --help-module= --help-variable= --help-property= --help-command-list --help-module-list --help-variable-list",
        checks=(
            ("-D=", _CMAKE_DEFINITION),
            # It passes over a blank before a path, and takes backslashes for slashes on every system.
            ("-S= --build= --install= --test-dir=", r"(?!\s)[^\\]*"),
            # What was configured in a build directory before names the compilers: `CMakeCache.txt`.
            ("-B=", rf"(?!\s|{OUTSIDE})[^\\]*"),
        ),
        # Some definitions name files of code.
        reads="-D=",
        places="-S= --build= --install= --test-dir=",
        changes="-B= --prefix=",
        writes="--graphviz= --trace-redirect= --profiling-output= --system-information",
        runs="-P= -E= -C= --toolchain= --build-and-test --open= --find-package --workflow -T= --debugger --debugger-pipe= --profiling-format= --project-file=",
        operands="own",
        # A project that lies elsewhere; `..` is where one is from its own build directory.
        refuses=r"(?!\.\./?\Z)(?:[/~\s]|.*\\|(?:.*/)?\.\.(?:/|\Z))",
        after=r"-j\d*|-k\d*|-v|-s|VERBOSE=\d|V=\d|\d+|[A-Za-z0-9_.][A-Za-z0-9_.-]*",
        dashes=True,
    ),
    Program(
        names="ctest",
        dashes=False,
        plain_values=True,
        reason="scripts are code; logs are written",
        options="-h -N -V -VV -Q -F -C= -R= -E= -L= -LE= -I= -j? -U -G=  --help --version --verbose --extra-verbose --debug --output-on-failure --stop-on-failure --failover --show-only? --build-config= --tests-regex= --exclude-regex= --label-regex= --label-exclude= --tests-information= --parallel? --repeat= --rerun-failed --schedule-random --timeout= --stop-time= --progress --quiet --print-labels --test-load= --max-width= --no-tests= --preset=",
        places="--test-dir=",
        # A configuration is a part of the paths at which programs are looked for.
        checks=(
            ("--test-dir=", r"(?!\s)[^\\]*"),
            ("-C= --build-config=", r"\w+"),
            ("-I= --tests-information=", r"[\d,]+"),
        ),
        writes="-O= --output-log= --output-junit=",
        runs="-S= -SP= -D= -M= -T= --script= --script-new-process= --dashboard= --build-and-test --build-makeprogram= --test-command --overwrite= --add-notes= --test-action= --test-model= --extra-submit=",
        operands="text",
    ),
    Program(
        names="cpack",
        dashes=False,
        plain_values=True,
        reason="its configuration is a script; packages are written",
        options="-h -V -G= -C= --help --version --verbose --debug --trace --trace-expand --preset= --vendor= -R=",
        places="--config=",
        writes="-B=",
        runs="-D= -P=",
        operands="text",
    ),
    Program(
        names="ninja samu",
        plain_values=True,
        reason="other build files decide what runs",
        options="-d= -j= -k= -l= -n -v -h -w= --help --version --verbose --quiet",
        checks=(
            (
                "-t=",
                "clean|targets|query|graph|commands|deps|list|compdb|inputs|rules|restat|cleandead|missingdeps|recompact",
            ),
        ),
        places="-f= -C=",
        operands="text",
    ),
    Program(
        names="just",
        plain_values=True,
        reason=_TASKS,
        options="-h -l -n -q -v -u -s= -V --help --list --dry-run --quiet --verbose --unsorted --version --yes --summary --show= --evaluate --variables --groups --color= --highlight --no-highlight --timestamp --one --no-deps --explain --unstable",
        places="-f= -d= --justfile= --working-directory=",
        runs="-c= --command= --shell= --shell-arg= --shell-command --set== --clear-shell-args -E= --dotenv-path= --dotenv-filename= -g --global-justfile --choose --chooser= -e --edit --init --dump --fmt",
        operands="text",
        # A recipe of another directory: /tmp/x/build.
        refuses=rf"{_TASK_REFUSES}|{_TASK_WORDS}|[/~]|(?:.*/)?\.\.(?:/|\Z)",
        # What follows a recipe is for the recipe.
        for_scripts=True,
        stops=True,
    ),
    Program(
        names="task",
        plain_values=True,
        reason=_TASKS,
        options="-h -l -a -n -s -v -y -f -p -C= -c -j --help --list --list-all --dry --silent --verbose --version --yes --force --parallel --color --concurrency= --summary --status --json --sort= --exit-code -x -w --watch --interval= -o= --output= --no-status",
        places="-t= --taskfile= -d= --dir=",
        runs="-g --global -i --init --download --experiments --insecure",
        operands="text",
        for_scripts=True,
        # There is another program of this name, a list of what is to be done, with hooks: `task exec rm x`,
        # `task 1 edit`, `task config hooks.location x`.
        refuses=rf"{_TASK_REFUSES}|{_TASK_WORDS}|(?:exe(?:c(?:u(?:te?)?)?)?|ed(?:it?)?|conf(?:ig?)?)\Z|rc[.:]",
    ),
    Program(
        names="rake",
        plain_values=True,
        reason=_TASKS,
        options="-h -n -q -s -v -V -P -A -m -N -t? -T? -D? -W? -j? --help --dry-run --quiet --silent --verbose --version --prereqs --all --multitask --nosearch --trace? --tasks? --describe? --where? --jobs? --rules --comments",
        places="-f= --rakefile=",
        runs="-e= --execute= -E= --execute-continue= -p= --execute-print= -I= --libdir= -R= --rakelibdir= -r= --require= -g --system -G --no-system",
        operands="text",
        refuses=_TASK_REFUSES,
    ),
    Program(
        names="ant",
        plain_values=True,
        reason=_TASKS,
        style="words",
        options="-h -help -p -projecthelp -version -diagnostics -q -quiet -S -silent -v -verbose -d -debug -e -emacs -k -keep-going -noinput -nouserlib -noclasspath -autoproxy",
        places="-f= -file= -buildfile=",
        writes="-l= -logfile=",
        runs="-lib= -logger= -listener= -inputhandler= -propertyfile= -D= -s= -find= -main=",
        operands="text",
        refuses=_TASK_REFUSES,
    ),
    Program(
        names="scons",
        plain_values=True,
        reason=_TASKS,
        options="-h -H -c -k -n -q -Q -s -v -i -j= --help --clean --keep-going --dry-run --question --silent --quiet --version --jobs= --tree= --random --no-exec --just-print --recon",
        # The debugger of Python takes commands from the input.
        checks=(
            (
                "--debug=",
                r"(?:(?:action-timestamps|count|duplicate|explain|findlibs|includes|json|memoizer|memory|objects|prepare|presub|stacktrace|time)(?:,|\Z))+",
            ),
        ),
        places="-f= --file= --sconstruct= -C= --directory=",
        runs="-I= --include-dir= -Y= --repository= --srcdir= --site-dir= -D -u -U --profile= --cache-debug= --interactive",
        operands="text",
        refuses=_TASK_REFUSES,
    ),
    Program(
        names="meson",
        reason="cross files and other compilers are programs",
        options="-h -v --help --version",
        spelled="devenv  dist  rewrite subprojects",
        commands=(
            Program(
                names="setup configure compile test install introspect",
                plain_values=True,
                reason="cross files, wrappers and definitions are programs",
                options="-j= -v -t= -h --buildtype= --libdir= --reconfigure --wipe --clean --verbose --jobs= --load-average= --no-rebuild --suite= --list --quiet --print-errorlogs --num-processes= --timeout-multiplier= --repeat= --benchmark --tags= --dry-run --targets --tests --buildoptions --dependencies --all --default-library= --warnlevel= --werror --optimization= --debug --strip",
                places="-C=",
                # Settings by their custom values; any other text may be a path or a program.
                checks=(
                    (
                        "-D=",
                        r"[a-z][\w.:-]*=(?:true|false|enabled|disabled|auto|[0-3sg]|debug|release|debugoptimized|minsize|plain|shared|static|both|c(?:\+\+|11|17|23|99)?\d*|(?:address|undefined|thread|leak|memory)(?:,undefined)?|none)",
                    ),
                ),
                changes="--prefix= --destdir=",
                runs="--cross-file= --native-file= --wrap= --wrapper= --gdb --ninja-args= --vs-args= --xcode-args= --setup=",
                operands="own",
                # A project that lies elsewhere.
                refuses=r"(?!\.\./?\Z)(?:[/~]|(?:.*/)?\.\.(?:/|\Z))",
            ),
        ),
    ),
    Program(
        names="java",
        plain_values=True,
        reason="agents, error hooks and files of options are code",
        style="joined",
        options="-version -help -showversion -server -client -ea -esa -da -dsa --version --help --show-version --dry-run --list-modules --enable-preview -X --add-modules= --add-opens= --add-exports= --enable-native-access=",
        pattern=r"-X(?:m[nsx]|ss|int|mixed|rs|batch|noclassgc)\w*|-XX:[+-](?:Use[A-Z]\w*|Print[A-Z]\w*|(?:HeapDump|Exit|Crash)OnOutOfMemoryError|UnlockExperimentalVMOptions|AlwaysPreTouch|DisableExplicitGC|TieredCompilation|OmitStackTraceInFastThrow|EnableDynamicAgentLoading|ShowCodeDetailsInExceptionMessages|ParallelRefProcEnabled|ZGenerational|CompactStrings)|-XX:(?:Max|Min|Initial|New|Old|Survivor|Parallel|Conc|G1|ZGC|Shenandoah|Thread|Reserved|Metaspace|Compressed|Tiered|CI|ActiveProcessor)\w*=\d[\w.]*|-XX:(?:NativeMemoryTracking|TieredStopAtLevel)=\w+|-D(?!(?:java|javax|jdk|sun|com\.sun|loader|log4j\w*|logback|logging)\.)[\w.-]+(?:=(?![/~])(?!.*\.\.)(?!.*[:, @]/)[\w.,:/@ -]*)?|-Djava\.(?:awt\.headless|net\.preferIPv[46]\w+|util\.logging\.\w+)=\w*|-verbose(?::\w+)?|-ea:\S+|-enableassertions",
        # Classes from elsewhere are code from elsewhere.
        reads="-cp= -classpath= --class-path= -p= --module-path= -jar=",
        checks=(
            (
                "-cp= -classpath= --class-path= -p= --module-path= -jar=",
                r"(?!.*\.\.)(?![/~])(?!.*[:;][/~])[\w./:;*+-]*",
            ),
            ("--source=", r"\d+"),
            ("-m= --module=", rf"(?!(?:.*/)?(?:{JAVA_TOOLS}))[\w./$]+"),
        ),
        runs="-javaagent: -agentlib: -agentpath: -XX:OnError -XX:OnOutOfMemoryError -XX:Flags -XX:VMOptionsFile -Xbootclasspath --patch-module= --upgrade-module-path= -splash:",
        # A class, or a file of one.
        operands="near maybe",
        texts="-jar -m --module",
        last="-jar -m --module",
        refuses=rf"@|{JAVA_TOOLS}",
        response_files=True,
        stops=True,
    ),
    Program(
        names="javac",
        plain_values=True,
        reason="annotation processors and plugins are code; classes are written",
        style="words",
        options="-g -nowarn -verbose -deprecation -version -help -Werror -parameters -encoding= -source= -target= --release= -proc= --help --version --enable-preview",
        pattern=r"-Xlint(?::[\w,-]+)?|-g:\w+|-proc:(?:none|only)|-implicit:(?:none|class)|-Xdiags:\w+",
        reads="-cp= -classpath= --class-path= --module-path= -p= -sourcepath= --source-path=",
        # Processors of annotations are looked for there.
        checks=(
            (
                "-cp= -classpath= --class-path= --module-path= -p=",
                r"(?!.*\.\.)(?![/~])(?!.*[:;][/~])[\w./:;*+-]*",
            ),
        ),
        writes="-d= -s= -h=",
        # A class is written beside its source, unless -d says where; with a source -version does not keep it from that.
        only_with="-d",
        alone="-version -help --version --help",
        runs="-processor= -processorpath= --processor-path= -Xplugin: -J -Xbootclasspath",
        operands="maybe",
        refuses="@",
        response_files=True,
    ),
    # Without a file it reads code from its input, which is then refused.
    Program(
        names="kotlinc",
        plain_values=True,
        reason="scripts, plugins and what is found by a class path are code; classes are written",
        style="words",
        options="-nowarn -Werror -verbose -version -help -include-runtime",
        checks=(("-jvm-target=", r"[\d.]+"),),
        writes="-d=",
        only_with="-d",
        alone="-version -help --version --help",
        operands="maybe",
        refuses=r"(?![\w./+-]+\.kt\Z)",
        response_files=True,
        dashes=False,
    ),
    Program(
        names="mvn mvnw",
        plain_values=True,
        reason="settings, other projects, properties and plugins decide what runs",
        style="words",
        options="-h -v -V -q -B -U -o -e -X -N -am -amd -fae -ff -fn -nsu -C -c -T= -P= -pl= -rf= --help --version --quiet --batch-mode --update-snapshots --offline --errors --debug --non-recursive --also-make --also-make-dependents --fail-at-end --fail-fast --fail-never --no-transfer-progress -ntp --threads= --activate-profiles= --projects= --resume-from= --show-version --color=",
        pattern=r"-D(?:skipTests|skipITs|maven\.test\.skip|test|it\.test|checkstyle\.skip|spotbugs\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests|maven\.javadoc\.skip|style\.color|revision|spring\.profiles\.active|groups|excludedGroups|includes|excludes|outputType|scope|verbose|expression|forceStdout|artifact|detail|plugin|cmd|ignoreNonCompile|failOnWarning|maven\.test\.failure\.ignore|maven\.compiler\.(?:source|target|release)|spring-boot\.run\.profiles|surefire\.(?:rerunFailingTestsCount|useFile|skipAfterFailureCount)|trimStackTrace|forkCount|reuseForks|parallel|threadCount|failIfNoSpecifiedTests|(?:jacoco|pmd|enforcer|rat|gpg|cpd|license|dependency-check|spotless\.check|spotless\.apply|animal\.sniffer|maven\.source|skip\.\w+)\.skip|skip[A-Z]\w*)(?:=[\w.,:*#+-]*)?|-Dspring-boot\.run\.arguments=--(?:server\.port=\d+|spring\.profiles\.active=\w+)|-T\d\S*|-P[\w.,:!-]+",
        places="-f= --file=",
        writes="-l= --log-file=",
        runs="-s= --settings= -gs= --global-settings= -t= --toolchains= -gt= -D= --define= -ep= -emp= -b= --builder=",
        operands="text",
        # Goals of plugins run what they like: only the phases, and goals that only look.
        refuses=r"(?!(?:pre-|post-)?(?:clean|validate|initialize|generate-sources|process-resources|compile|process-classes|test-compile|test|package|verify|integration-test|install|site)\Z|dependency:(?:tree|resolve|resolve-plugins|list|analyze|go-offline|sources)\Z|versions:display-[a-z-]+\Z|help:(?:effective-pom|effective-settings|active-profiles|all-profiles|evaluate|describe|system)\Z|(?:spotless|fmt|formatter|sortpom|license):(?:check|apply|format|verify|sort|validate)\Z|checkstyle:(?:check|checkstyle)\Z|(?:pmd|spotbugs|jacoco|enforcer):(?:check|report|enforce)\Z|failsafe:(?:integration-test|verify)\Z|surefire:test\Z|spring-boot:run\Z|compiler:(?:compile|testCompile)\Z|clean:clean\Z)",
    ),
    Program(
        names="gradle gradlew",
        plain_values=True,
        # It takes long options with one dash, too: `-project-dir /tmp/x` is no `-p roject-dir`.
        style="joined",
        reason="other projects, scripts and properties decide what runs",
        options="-h -v -q -i -d -s -S -w -m -a -u -t -x= --help --version --quiet --info --debug --warn --stacktrace --full-stacktrace --no-scan --offline --continue --parallel --no-parallel --daemon --no-daemon --stop --status --console= --rerun-tasks --tests= --exclude-task= --warning-mode= --build-cache --no-build-cache --configuration-cache --no-configuration-cache --dry-run --max-workers= --refresh-dependencies --profile --foreground --configure-on-demand --all --configuration= --group= --dependency= --fail-fast --no-watch-fs --watch-fs --continuous --rerun --priority= --write-locks --update-locks=",
        # A property of the project is a text for its scripts; others name the Java and the tools that are run.
        pattern=r"-P(?!org\.|android\.|kotlin\.|ksp\.|kapt\.|com\.|java|jdk|gradle|systemProp)[\w.]+(?:=(?![/~-])(?!.*\.\.)(?!.*[:, @+]/)[\w.,:/@+ -]*)?|-D(?:spring\.profiles\.active|tests?\.[\w.]+(?==[\w.*]*\Z)|org\.gradle\.(?:daemon|parallel|caching|logging\.level|console|warning\.mode|workers\.max))=[\w.,*-]*|-Dorg\.gradle\.jvmargs=(?:(?:-Xm[xs]\d+[kmgKMG]|-XX:MaxMetaspaceSize=\d+[kmgKMG]|-Dfile\.encoding=UTF-8)(?: |\Z))+",
        checks=(
            ("--task=", r"[\w:.-]+"),
            # Words for the project's own program: none is a path.
            ("--args=", r"[\w.,:%+= -]*"),
            # Of Gradle itself, from its own address.
            ("--gradle-version=", r"\d[\d.]*(?:-rc-\d+)?"),
            ("--distribution-type=", "bin|all"),
        ),
        places="-p= --project-dir= -project-dir= -b= --build-file= -build-file= -c= --settings-file= -settings-file=",
        runs="-I= --init-script= -init-script= --scan -scan -D= --system-prop= -system-prop= -g= --gradle-user-home= -gradle-user-home= --include-build= -include-build= --project-cache-dir= -project-cache-dir= -P= --project-prop= -project-prop=",
        operands="text",
        # It publishes; a task can be shortened, part by part (`puTML`, `p-to-m`), and its case does not matter.
        refuses=r"(?:.*:)?(?:(?i:pub|upl).*|(?i:pu?|up?)(?:[A-Z-].*)?)\Z",
    ),
    # These two are not known from the programs themselves: what everyday work needs, and no more.
    Program(
        names="bazel bazelisk",
        plain_values=True,
        reason="other settings name programs to run",
        options="-h --help --version",
        spelled="run mobile-install",
        commands=(
            Program(
                names="build test coverage",
                plain_values=True,
                reason="other settings name programs to run, and code comes from this workspace",
                options="-h -k --help --keep_going --verbose_failures --nocache_test_results",
                checks=(
                    ("-c= --compilation_mode=", "fastbuild|dbg|opt"),
                    ("--config= --test_filter= --test_tag_filters=", r"[\w.,:*+-]+"),
                    ("--test_output= --color=", "[a-z]+"),
                    ("--cache_test_results?", "yes|no|auto"),
                    ("--jobs= --flaky_test_attempts= --runs_per_test= --test_timeout=", r"\d+"),
                ),
                operands="text",
                refuses=rf"(?!{_LABEL}\Z)",
                after=_LABEL,
            ),
            Program(
                names="query cquery",
                plain_values=True,
                reason="other settings name programs to run, and code comes from this workspace",
                options="-h -k --help --keep_going --noimplicit_deps --notool_deps",
                checks=(("--output=", "[a-z_]+"),),
                operands="text",
                refuses=r"(?!(?:[\w.:*+'\"(), ^=-]|(?<![\w./])//|(?<=[\w.])/(?=[\w.]))+\Z)|.*\.\./|.*/\.\.(?!\.)",
                after=r"(?!)",
            ),
            Program(
                names="info version clean shutdown help",
                plain_values=True,
                reason="what else it does is not known",
                options="-h --help --expunge",
                operands="text",
                refuses=r"(?![\w-]+\Z)",
                after=r"(?!)",
            ),
        ),
    ),
    # Its -c sets what names compilers and tools.
    Program(
        names="buck buck2",
        plain_values=True,
        reason="settings name programs to run",
        options="-h -V --help --version",
        commands=(
            Program(
                names="build test targets",
                plain_values=True,
                reason="settings name programs to run, and code comes from this workspace",
                options="-h --help",
                operands="text",
                # A file of further options, or a program that prints them, begins with `@`.
                refuses=rf"(?!{_LABEL}\Z)",
                response_files=True,
                after=r"(?!)",
            ),
        ),
        spelled="run install bxl kill killall init publish starlark lsp subscribe",
    ),
)
