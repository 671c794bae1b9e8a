# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""The tools of Go and Rust: compilers, packages, tests and linters behind one program each.

Above: `tables` finds a program's entry by its name. Below: `schema`. As with the builders (`build`), a rule for one of
them is a rule for what the project's files say.
"""

from __future__ import annotations

from nacre.policy.model import UNKNOWN
from nacre.policy.tables.schema import OUTSIDE, REVISION, Program

_CARGO = (
    "-v -q -h -V --verbose --quiet --help --version --list --color= --frozen --locked --offline --explain="
)
_CARGO_BUILD = "-p= -r -j= -F= --package= --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets --features= --all-features --no-default-features --release --profile= --jobs= --keep-going --message-format= --ignore-rust-version --timings? --no-run --no-fail-fast --doc --future-incompat-report --no-deps --document-private-items --default-run=  --allow-dirty --allow-staged --allow-no-vcs"
_CARGO_TESTS = f"{_CARGO_BUILD} --edition --broken-code -E= --no-capture --nocapture --show-output --retries= --status-level= --final-status-level= --success-output= --failure-output= --run-ignored= --partition= --test-threads= --html --lcov --text --summary-only --ignore-filename-regex= --no-clean --branch --no-report --skip-clean --ignore-tests --engine= --accept --unreferenced="
_CARGO_WRITES = "--target-dir= --artifact-dir= --out-dir= --output-path= --output-dir="
_RUST_TARGET = r"(?!.*\.json\Z)[\w.-]+"
# What was built before is run from there: `cargo run --target-dir /tmp/x`. `cargo clean` removes it.
_CARGO_TARGET = (("--target=", _RUST_TARGET), ("--target-dir=", rf"(?!{OUTSIDE}).*"))
_CARGO_TEST_CHECKS = (*_CARGO_TARGET, ("--test-runner=", "auto|cargo-test|nextest"))
_CARGO_ELSEWHERE = "--config= -Z= --unit-graph --build-plan --open --lockfile-path= --index= --registry="
# What is meant for the tests: words, and options of Rust's own harness and of criterion that write no file but
# below the directory of what is built: `--save-baseline /tmp/x` is a directory, too.
_RUST_TESTS = r"(?!/)(?!(?:.*[=/])?\.\./)(?!--[\w-]+=/)(?:[^-].*|--|-[hqDWAF]|-Z|--(?:nocapture|no-capture|show-output|test-threads|ignored|include-ignored|exact|skip|list|quiet|color|format|report-time|ensure-time|shuffle|shuffle-seed|test|bench|force-run-in-process|exclude-should-panic|fail-fast|logs|help|verbose|noplot|save-baseline|baseline|baseline-lenient|load-baseline|sample-size|measurement-time|warm-up-time|nresamples|noise-threshold|confidence-level|significance-level|profile-time|quick|discard-baseline|output-format|plotting-backend)(?:=.*)?)"
_GO_BUILD = "-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -buildmode= -buildvcs? -tags= -trimpath -mod= -modcacherw -json -h -help"
_GO_TEST = "-run= -bench= -benchmem -benchtime= -count= -cpu= -failfast -fuzz= -fuzztime= -fuzzminimizetime= -list= -parallel= -short -shuffle= -skip= -timeout= -vet= -fullpath -test.v -test.run= -test.bench= -test.count= -test.short -test.timeout="
_GO_CHECKS = (
    (
        # Blanks end a value, unless it stands in quotes: what follows is another option of the linker. What is
        # filled in holds no blank.
        "-ldflags=",
        rf"(?:\s*(?:-s|-w|-v|-X[ =][\w./-]+=[\w.:/+@{UNKNOWN}-]*|-X[ =]?'[\w./-]+=[\w.:/+@ -]*'|'-X[ =][\w./-]+=[\w.:/+@ -]*'|-buildid=\w*)(?=\s|\Z))*\s*",
    ),
    ("-gcflags=", r"(?:[\w./]+=)?(?:\s*-(?:N|l|m|e|S|B|m=\d|d=checkptr))*\s*"),
)
_GO_DASHED = "-ldflags -gcflags"
# Of `go test`, which hands them on as `-test.run=x`.
_GO_TAKEN = "-run -skip -bench -benchtime -count -timeout"
_GO_RUNS = "-exec= -toolexec= -overlay= -modfile= -pkgdir= -vettool= -gccgoflags= -compiler= -asmflags= -fuzzcachedir= -pgo="
_GO_ELSEWHERE = rf".*@|{OUTSIDE}"

PROGRAMS = (
    Program(
        names="go",
        plain_values=True,
        reason="test runners, tool wrappers, linkers and overlays are programs; profiles are written",
        style="words",
        options="-h -help",
        places="-C=",
        spelled="generate telemetry bug",
        commands=(
            Program(
                names="tool",
                style="words",
                reason="tools run what they are told",
                commands=(
                    Program(
                        names="cover",
                        plain_values=True,
                        style="words",
                        # -html shows its page in a browser.
                        reason="a browser is a program",
                        reads="-func=",
                        runs="-html=",
                        # It writes the page instead.
                        writes="-o=",
                        tamed="-html -o",
                        operands="text",
                        refuses=r"(?!\Z)",
                    ),
                ),
            ),
            *(
                Program(
                    names=names,
                    plain_values=True,
                    reason="tool wrappers, linkers and overlays are programs, and so is a package from elsewhere; -o writes",
                    style="words",
                    options=f"{_GO_BUILD} -f= -m -e -deps -find -export -compiled -test -u -versions -retracted -d -t -cache -testcache -modcache -fuzzcache -i -r -c=",
                    checks=_GO_CHECKS,
                    dashed_values=_GO_DASHED,
                    places="-C=",
                    operands="own",
                    writes="-o= -fix",
                    runs=_GO_RUNS,
                    # Programs are put where they are found by their names.
                    refuses=refuses,
                )
                # `go get toolchain@x` chooses the program that go is from then on.
                for names, refuses in (
                    ("build list vet clean", ""),
                    ("get", rf"toolchain@|{OUTSIDE}"),
                    ("install", _GO_ELSEWHERE),
                )
            ),
            Program(
                names="run",
                plain_values=True,
                reason="tool wrappers, linkers and overlays are programs, and so is a package from elsewhere",
                style="words",
                options=_GO_BUILD,
                checks=_GO_CHECKS,
                dashed_values=_GO_DASHED,
                places="-C=",
                runs=_GO_RUNS,
                operands="own",
                refuses=_GO_ELSEWHERE,
                stops=True,
            ),
            Program(
                names="test",
                plain_values=True,
                reason="test runners, tool wrappers, linkers and overlays are programs; profiles are written",
                style="words",
                options=f"{_GO_BUILD} {_GO_TEST}",
                checks=_GO_CHECKS,
                dashed_values=_GO_DASHED,
                taken_values=_GO_TAKEN,
                places="-C=",
                writes="-o= -c -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -coverprofile= -outputdir= -test.cpuprofile= -test.memprofile= -test.blockprofile= -test.mutexprofile= -test.trace= -test.coverprofile= -test.outputdir= -test.testlogfile= -test.gocoverdir= ",
                operands="own",
                refuses=_GO_ELSEWHERE,
                runs=_GO_RUNS,
                # To versions before 1.15 `--` does not end the options.
                after=r"[^-].*",
            ),
            Program(
                names="mod",
                style="words",
                commands=(
                    Program(
                        names="edit",
                        plain_values=True,
                        reason="a module from elsewhere takes the place of another one",
                        style="words",
                        options="-json -print -fmt -go= -require= -droprequire= -exclude= -dropexclude= -retract= -dropretract= -dropreplace= -droptool= -module= -h",
                        runs="-replace= -tool= -toolchain= -godebug= -dropgodebug= -ignore= -dropignore= -modfile= -overlay=",
                        operands="near",
                    ),
                    Program(
                        names="tidy download verify graph why init vendor",
                        plain_values=True,
                        reason="other files of modules decide what is built",
                        style="words",
                        options="-v -x -e -m -json -go= -compat= -diff -vendor -h",
                        writes="-o=",
                        # `go mod vendor` empties it before.
                        gathers="-o",
                        runs="-modfile= -overlay= -reuse=",
                    ),
                ),
            ),
            Program(
                names="work",
                style="words",
                spelled="edit",
                commands=(
                    Program(
                        names="init use sync vendor",
                        style="words",
                        options="-r -v -h",
                        reason="a module from elsewhere takes the place of another one",
                        operands="near",
                    ),
                ),
            ),
            Program(
                names="env",
                reason="-w changes which programs go runs",
                style="words",
                options="-json -changed -h",
                runs="-w -u",
                operands="text",
            ),
            Program(
                names="version doc fmt help",
                plain_values=True,
                reason="another directory has settings of its own",
                style="words",
                options="-v -m -json -n -x -mod= -all -c -cmd -short -src -u -h",
                places="-C=",
                operands="maybe",
            ),
            Program(names="fix", plain_values=True, style="words", options="-diff -h", operands="maybe"),
        ),
    ),
    Program(
        names="gofmt goimports",
        plain_values=True,
        reason="-w writes",
        style="words",
        options="-d -e -l -r= -s -v -local= -format-only",
        writes="-w -cpuprofile=",
        operands="maybe",
    ),
    Program(
        names="golangci-lint",
        reason="configuration names plugins; fixes and reports are written",
        options="-h -v --help --verbose --version --short --color=",
        persistent=True,
        plain_values=True,
        spelled="custom completion migrate",
        commands=(
            Program(
                names="run fmt linters formatters",
                reason="configuration names plugins; fixes and reports are written",
                options="-j= -E= -D= -e= -p= -d --timeout= --concurrency= --enable= --disable= --enable-only= --enable-all --disable-all --presets= --fast --exclude= --exclude-use-default --new -n --new-from-rev= --max-issues-per-linter= --max-same-issues= --tests --no-config --print-issued-lines --print-linter-name --uniq-by-line --sort-results --skip-dirs= --skip-files= --exclude-dirs= --exclude-files= --build-tags= --modules-download-mode= --issues-exit-code= --show-stats --allow-parallel-runners --allow-serial-runners --diff --diff-colored --fast-only --new-from-merge-base= --whole-files --default= --go= --path-prefix=",
                checks=(
                    ("--out-format=", r"[a-z-]+(?::std(?:out|err))?(?:,[a-z-]+(?::std(?:out|err))?)*"),
                    ("--output.text.path= --output.tab.path= --output.json.path=", "std(?:out|err)"),
                    ("--new-from-rev= --new-from-merge-base=", REVISION),
                ),
                places="-c= --config=",
                writes="--fix --cpu-profile-path= --mem-profile-path= --trace-path= --output.json.path=",
                operands="own",
                # The configuration is looked for beside what is named.
                refuses=OUTSIDE,
                plain_values=True,
            ),
            Program(names="version help", options="--format= --debug", plain_values=True, operands="text"),
            Program(
                names="cache config",
                reason="what else it does is not known",
                commands=(Program(names="status clean path verify", operands="text"),),
            ),
        ),
    ),
    Program(
        names="staticcheck",
        style="words",
        reason="profiles and reports are written",
        options="-h -help -version -tests -checks= -fail= -explain= -go= -tags= -show-ignored -list-checks",
        checks=(("-f=", "text|stylish|json|sarif|null"),),
        operands="own",
        refuses=OUTSIDE,
        plain_values=True,
    ),
    Program(
        names="cargo",
        reason="configuration can name other compilers, linkers and runners",
        options=f"{_CARGO} +stable +beta +nightly",
        places="-C= --manifest-path=",
        runs=_CARGO_ELSEWHERE,
        persistent=True,
        plain_values=True,
        spelled="install uninstall publish yank login logout owner vendor watch rustc rustdoc help package xtask make binstall credential",
        commands=(
            *(
                Program(
                    names=names,
                    reason="configuration can name other compilers, linkers and runners; other directories are written",
                    options=_CARGO_TESTS,
                    checks=_CARGO_TEST_CHECKS,
                    writes=_CARGO_WRITES,
                    plain_values=True,
                    after=_RUST_TESTS,
                    # Further words are sub-commands; `cargo nextest self update` replaces the program.
                    commands=(
                        Program(
                            names=deeper,
                            reason="configuration can name other compilers, linkers and runners; other directories are written",
                            options=_CARGO_TESTS,
                            checks=_CARGO_TEST_CHECKS,
                            writes=_CARGO_WRITES,
                            plain_values=True,
                            after=_RUST_TESTS,
                        ),
                    )
                    if deeper
                    else (),
                )
                for names, deeper in (
                    ("build b check c test t bench doc d fix criterion", ""),
                    ("nextest", "run r list show-config"),
                    ("llvm-cov", "test t nextest run r report clean show-env"),
                    ("miri", "test t run r nextest setup clean"),
                    ("insta", "test accept reject review show pending-snapshots"),
                )
            ),
            # Its -r is no `--release`, but the root of a project.
            Program(
                names="tarpaulin",
                reason="configuration can name other compilers, linkers and runners; reports are written",
                options="-p= -e= -j= -t= -i -l -b --packages= --package= --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets --doc --features= --all-features --no-default-features --release --profile= --jobs= --no-fail-fast --no-run --timeout= --ignore-tests --ignore-panics --include-tests --ignored --line --branch --count --skip-clean --force-clean --fail-under= --follow-exec --no-dead-code",
                checks=(*_CARGO_TARGET, ("--engine=", "auto|ptrace|llvm")),
                places="-r= --root=",
                writes="-o= --out= --output-dir= --target-dir=",
                plain_values=True,
                after=_RUST_TESTS,
            ),
            Program(
                names="run r",
                reason="configuration can name other compilers, linkers and runners; other directories are written",
                options=_CARGO_BUILD,
                checks=_CARGO_TARGET,
                writes="--target-dir= --artifact-dir=",
                plain_values=True,
                # What follows the first word is for the program.
                stops=True,
            ),
            Program(
                names="clippy",
                reason="configuration can name other compilers, linkers and runners; fixes are written",
                options=f"{_CARGO_BUILD} --broken-code",
                checks=_CARGO_TARGET,
                writes="--target-dir= --fix --artifact-dir=",
                plain_values=True,
                after=r"-[DWAF]|--(?:deny|warn|allow|forbid)|(?:-[DWAF])?[a-z][a-z0-9_:-]*",
            ),
            Program(
                names="fmt",
                options="-p= --all --check --package= --message-format=",
                plain_values=True,
                after=r"--check|-l|--files-with-diff|-v|-q|--quiet|--verbose|--edition=\d+|--color=\w+",
            ),
            Program(
                reason="packages from an address are code from elsewhere; other directories are written",
                names="tree metadata update fetch clean add remove rm generate-lockfile pkgid version search locate-project verify-project outdated machete udeps report info",
                checks=_CARGO_TARGET,
                options=f"{_CARGO_BUILD} -R -f= --edition= -e= -i= -d -w --depth= --edges= --invert= --duplicates --prefix= --prune= --no-dedupe --charset= --format= --format-version= --precise= --dry-run --recursive --aggressive --breaking --name= --vcs= --dev --build --optional --no-optional --rename= --branch= --tag= --rev= --limit= --json --root --filter-platform=",
                writes="--target-dir=",
                gathers="--target-dir",
                runs="--git=",
                places="--path=",
                plain_values=True,
                operands="maybe",
                # To older versions of `add`, a directory or an address.
                refuses=r".*[/\\]",
            ),
            Program(
                names="expand",
                reason="configuration can name other compilers, linkers and runners; other directories are written",
                options=f"{_CARGO_BUILD} --ugly --themes --theme=",
                checks=_CARGO_TARGET,
                writes="--target-dir=",
                plain_values=True,
                operands="text",
                refuses=r"(?![A-Za-z_][\w:]*\Z)",
                after=r"(?!)",
            ),
            # `audit fix` and `deny init` write.
            Program(
                names="audit",
                reason="its sub-commands write",
                options="-D= -n --deny= --json --ignore= --no-fetch --stale --target-arch= --target-os=",
                reads="-f= --file=",
                plain_values=True,
                operands="text",
                refuses=r"(?s:.)",
            ),
            Program(
                names="deny",
                reason="its sub-commands write",
                options="--workspace --all-features --no-default-features --features= --exclude=",
                plain_values=True,
                commands=(
                    Program(
                        names="check list fetch",
                        options="-A= -D= -W= -f= -d --allow= --deny= --warn= --format= --hide-inclusion-graph --disable-fetch --show-stats",
                        operands="text",
                        plain_values=True,
                    ),
                ),
            ),
            Program(
                names="new init",
                reason="it makes a directory",
                options="--bin --lib --name= --edition=",
                # Others are programs that it runs: `hg init`.
                checks=(("--vcs=", "git|none"),),
                plain_values=True,
                operands="change",
            ),
        ),
    ),
    Program(
        names="rustup",
        reason="it changes or chooses the programs that run",
        options="-h -v -q -V --help --verbose --quiet --version",
        spelled="run default override set install update uninstall self doc man",
        commands=(
            Program(names="show check which", plain_values=True, options="--toolchain= -v", operands="text"),
            # Parts of the toolchain that is there, which its makers have built for it.
            Program(
                names="target component",
                reason="it changes the programs that run",
                spelled="remove",
                commands=(
                    Program(
                        names="list add",
                        reason="another toolchain is other programs",
                        options="-v --installed --quiet",
                        checks=(("--toolchain=", r"(?:stable|beta|nightly|\d+\.\d+(?:\.\d+)?)(?:-[\w-]+)?"),),
                        operands="text",
                    ),
                ),
            ),
            Program(
                names="toolchain",
                reason="it changes the programs that run",
                spelled="add remove install uninstall link",
                commands=(
                    Program(
                        names="list",
                        plain_values=True,
                        options="-v --installed --toolchain= --quiet",
                        operands="text",
                    ),
                ),
            ),
        ),
    ),
)
