# ruff: noqa: E501 - one program, one row: wrapped rows are harder to compare
"""What the policy knows about programs: data only, one entry per program, each with its reason.

Above: `programs` reads these tables when it looks through a command. Below: `model`.
A Python table, not a TOML file: it is compiled once and loads in under a millisecond. Options are written as a person
types them, separated by spaces. An option missing from `runs` and `writes` is taken to be harmless, so a missing
entry here is a hole: when in doubt, add it.

`runs`    options that make the program run another program, load code, or read further options or configuration
`writes`  options that make it write a file (the option's value, where it has one)
`values`  options that take the next word as their value (so that the value is not taken for an option or operand)
`places`  options that choose the directory or file whose instructions are followed: only plain relative ones pass
`operands` a regular expression for operands (not options) that run or write
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nacre.policy.model import names

Style = Literal["gnu", "words"]


@dataclass(frozen=True, slots=True)
class Program:
    """Options of one program that matter to the policy."""

    names: str
    reason: str
    runs: str = ""
    writes: str = ""
    values: str = ""
    places: str = ""
    operands: str = ""
    style: Style = "gnu"
    # GNU programs and git take any unique beginning of a long option for the option.
    abbreviates: bool = True
    # Options end at the first operand; what follows belongs to a sub-command or another program.
    stops: bool = False
    # Sub-commands that run programs of their own choice, and tables for single sub-commands (`git grep`).
    running: str = ""
    subcommands: tuple[Program, ...] = ()


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program whose arguments are another command."""

    names: str
    reason: str
    values: str = ""
    flags: str = ""
    operands: int = 0
    transparent: bool = True
    assignments: bool = False
    runs: str = ""
    writes: str = ""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program that runs code given in an option, in a file or on its input."""

    names: str
    inline: str
    reason: str
    values: str = ""
    harmless: str = "--version -V --help -h -v"
    modules: str = ""
    # Options are read after the first operand too (editors, debuggers), and `+text` is a command.
    permutes: bool = False
    # A line of code that only computes and prints can be told from one that does more.
    computes: bool = False


# Looked through without a rule of their own: they add nothing but the way in which the inner command is started.
# With `transparent=False` the wrapper needs a rule too: it changes who runs the command, or where.
WRAPPERS: tuple[Wrapper, ...] = (
    Wrapper("env genv", "runs its arguments with changed variables", "-u --unset -C --chdir", "-i --ignore-environment - -0 --null -v --debug", assignments=True, runs="-S --split-string"),
    Wrapper("nohup", "runs its arguments, deaf to hangups"),
    Wrapper("nice", "runs its arguments with another priority", "-n --adjustment", "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -15 -19 -20"),
    Wrapper("ionice", "runs its arguments with another I/O priority", "-c --class -n --classdata", "-t --ignore"),
    Wrapper("timeout gtimeout", "runs its arguments for a limited time", "-s --signal -k --kill-after", "--foreground --preserve-status -v --verbose -p -f", operands=1),
    Wrapper("setsid", "runs its arguments in a new session", "", "-c --ctty -f --fork -w --wait"),
    Wrapper("stdbuf gstdbuf", "runs its arguments with other buffering", "-i --input -o --output -e --error"),
    Wrapper("unbuffer", "runs its arguments on a terminal", "", "-p"),
    Wrapper("time gtime", "measures its arguments", "-f --format", "-p --portability -v --verbose -a --append -q --quiet", writes="-o --output"),
    Wrapper("command", "runs its arguments, functions aside", "", "-p"),
    Wrapper("builtin", "runs a builtin"),
    Wrapper("exec", "replaces the shell with its arguments", "-a", "-c -l -cl -lc"),
    Wrapper("noglob nocorrect", "zsh's prefix for its arguments"),
    Wrapper("chronic", "runs its arguments, quiet on success", "", "-v -e"),
    Wrapper("caffeinate", "runs its arguments and keeps the machine awake", "-t -w", "-d -i -m -s -u"),
    Wrapper("nocache", "runs its arguments without the page cache", "-n", ""),
    Wrapper("linux32 linux64 setarch arch", "runs its arguments as another architecture", "", "-R -3 -B --3gb", transparent=False),
    Wrapper("taskset", "runs its arguments on some processors", "-c --cpu-list", "", transparent=False),
    Wrapper("chrt", "runs its arguments with another scheduler", "-T -P -D", "-b -f -i -o -r -a -v", operands=1, transparent=False),
    Wrapper("prlimit", "runs its arguments with other limits", "", "--nofile --as --core", transparent=False),
    Wrapper("sudo", "runs its arguments as another user", "-u --user -g --group -C --close-from -h --host -p --prompt -r --role -t --type -U --other-user -T --command-timeout -D --chdir -R --chroot", "-n --non-interactive -E --preserve-env -H --set-home -k --reset-timestamp -S --stdin -b --background -P --preserve-groups -A --askpass", transparent=False, assignments=True, runs="-e --edit -s --shell -i --login"),
    Wrapper("doas", "runs its arguments as another user", "-u -C -a", "-n -L", transparent=False, runs="-s"),
    Wrapper("pkexec", "runs its arguments as another user", "--user", "--disable-internal-agent --keep-cwd", transparent=False),
    Wrapper("runuser", "runs its arguments as another user", "-u --user -g --group -G", "", transparent=False, runs="-c --command -s --shell -l --login -"),
    Wrapper("setpriv", "runs its arguments with other privileges", "--reuid --regid --groups --inh-caps --bounding-set --ambient-caps --securebits --pdeathsig", "--no-new-privs --clear-groups --keep-groups --init-groups --reset-env", transparent=False),
    Wrapper("chroot", "runs its arguments in another root", "", "--skip-chdir", operands=1, transparent=False),
    Wrapper("unshare", "runs its arguments in new namespaces", "-R --root -w --wd -S --setuid -G --setgid", "-m --mount -u --uts -i --ipc -n --net -p --pid -U --user -C --cgroup -f --fork -r --map-root-user --mount-proc", transparent=False),
    Wrapper("nsenter", "runs its arguments in other namespaces", "-t --target -S --setuid -G --setgid", "-a --all -m --mount -u --uts -i --ipc -n --net -p --pid -U --user", transparent=False),
    Wrapper("strace ltrace", "runs and watches its arguments", "-e -s -p -P -u -E -a -I -O -S -X -b --trace --signal", "-f -ff -c -C -t -tt -ttt -T -v -y -yy -q -qq -i -r -x -k -n -z -Z -d", transparent=False, writes="-o --output"),
    Wrapper("valgrind", "runs and watches its arguments", "", "-q -v --leak-check=full --track-origins=yes", transparent=False),
    Wrapper("fakeroot", "runs its arguments as if by root", "-l --lib -s -i -b", "-u --unknown-is-real --", transparent=False),
    Wrapper("flock", "runs its arguments while it holds a lock", "-w --wait --timeout -E --conflict-exit-code", "-s --shared -x -e --exclusive -n --nb --nonblock -o --close -u --unlock -F --no-fork --verbose", operands=1, transparent=False, runs="-c --command"),
    Wrapper("xvfb-run dbus-run-session", "runs its arguments with a display or bus", "-s -n -e -f -w", "-a --auto-servernum", transparent=False),
    Wrapper("systemd-run systemd-inhibit", "asks the system to run its arguments", "-p --property -u --unit -M --machine -E --setenv", "--user --scope -t --pty -P --pipe -q --quiet --wait", transparent=False),
    Wrapper("firejail bwrap proot", "runs its arguments confined", "", "", transparent=False),
    Wrapper("rlwrap", "runs its arguments with line editing", "", "", transparent=False),
    Wrapper("gosu su-exec setuidgid", "runs its arguments as another user", operands=1, transparent=False),
    Wrapper("tini dumb-init catatonit ssh-agent eatmydata faketime", "runs its arguments", "", "-s -g -v -p -w", transparent=False),
    Wrapper("numactl cgexec chpst softlimit runcon", "runs its arguments with other resources", "-N -m -C -g -u", "-l -i -a", transparent=False),
    Wrapper("catchsegv", "runs its arguments", transparent=False),
    Wrapper("torsocks torify proxychains proxychains4", "runs its arguments through a proxy", "-f", "-q", transparent=False),
)  # fmt: skip

# The first argument names the program to run.
MULTICALL = names("busybox toybox coreutils sbase ubase")

SHELLS = names(
    "sh bash dash zsh ksh ksh93 mksh lksh ash fish csh tcsh yash rbash rzsh rksh elvish xonsh nu osh hush posh"
)
# Those whose `-c` text the scanner can read.
SCANNED_SHELLS = {"sh": "sh", "bash": "bash", "dash": "sh", "zsh": "zsh", "ksh": "ksh", "ksh93": "ksh", "mksh": "ksh", "ash": "sh", "rbash": "bash"}  # fmt: skip

# Builtins (and programs that act like them) whose effect is text that is evaluated later or elsewhere.
UNRESOLVABLE: dict[str, str] = {
    "eval": "runs text that is put together when it runs",
    "source": "runs the commands of a file",
    ".": "runs the commands of a file",
    "alias": "gives a name another meaning",
    "fc": "runs commands from the history",
    "bind": "can bind keys to commands",
    "coproc": "runs a command beside the shell",
    "autoload": "loads functions from files",
    "zmodload": "loads code into the shell",
    "zcompile": "compiles files that are run later",
    "emulate": "changes how the shell reads what follows",
    "sched": "runs text later",
    "zpty": "runs text on a terminal",
    "ztcp": "opens network connections",
    "unfunction": "takes a function away, so that its name means another program",
    "disable": "takes builtins away, so that their names mean other programs",
    "setopt": "changes how the shell reads what follows",
    "unsetopt": "changes how the shell reads what follows",
    "parallel": "runs commands that it puts together",
    "entr": "runs a command for each change",
}

# Programs that run what they are told in ways of their own; a rule must spell their first argument.
RUNNERS: dict[str, str] = {
    "at": "runs text later",
    "batch": "runs text later",
    "crontab": "runs text later",
    "expect": "runs a script that drives other programs",
    "tmux": "runs commands in other terminals",
    "screen": "runs commands in other terminals",
    "socat": "can run programs and write files by its addresses",
    "m4": "can run commands from its input",
    "watch": "runs its arguments as a shell text, again and again",
    "script": "runs a shell and writes all it prints",
    "su": "runs a shell as another user",
    "xdg-open": "opens a file with the program that belongs to it",
    "open": "opens a file with the program that belongs to it",
    "hyperfine": "runs its arguments as shell texts",
    "direnv": "runs what a directory's file says",
    "mise": "runs tools of a directory's choice",
    "asdf": "runs tools of a directory's choice",
    "wsl": "runs its arguments in another system",
    "ansible": "runs commands on other machines",
}

# Options that make a harmless builtin dangerous.
BUILTIN_FLAGS: dict[str, tuple[str, str]] = {
    "hash": ("p", "gives a name another program"),
    "enable": ("fdn", "loads or removes builtins"),
    "mapfile": ("C", "evaluates a callback"),
    "readarray": ("C", "evaluates a callback"),
    "complete": ("CF", "registers commands"),
    "compgen": ("CFW", "runs or expands text"),
    "unset": ("fn", "takes a function away, so that its name means another program"),
    "declare": ("nfF", "makes a reference to another variable"),
    "typeset": ("nfF", "makes a reference to another variable"),
    "local": ("n", "makes a reference to another variable"),
    "export": ("fnT", "hands functions to other shells, or ties variables together"),
    "history": ("anrwsp", "reads, writes or puts text into the history"),
    "jobs": ("x", "runs a command"),
    "set": ("k", "reads assignments among the arguments"),
}
# Builtins that assign to the variables they name.
ASSIGNING = names(
    "export declare typeset local readonly read mapfile readarray printf getopts unset integer float let wait"
)
SHELL_OPTIONS = names(
    "errexit nounset pipefail xtrace noglob verbose noclobber inherit_errexit nullglob globstar dotglob failglob lastpipe"
)

INTERPRETERS: tuple[Interpreter, ...] = (
    Interpreter("python python2 python3 pypy pypy3 ipython", "-c -i", "runs the Python text it is given", "-W -X -Q --check-hash-based-pycs", "--version -V -VV --help -h -?", "-m", computes=True),
    Interpreter("node nodejs", "-e --eval -p --print -pe -ep -r --require --import --loader --experimental-loader --env-file --env-file-if-exists -i --interactive --input-type --run --experimental-config-file", "runs the JavaScript text it is given", "--conditions -C --stack-trace-limit --title", "--version -v --help -h --v8-options -c --check", computes=True),
    Interpreter("bun", "-e --eval -p --print -r --preload --cwd --config -c --env-file --shell", "runs the JavaScript text it is given"),
    Interpreter("deno", "eval repl -c --config --import-map --preload", "runs the JavaScript text it is given"),
    Interpreter("perl perl5", "-e -E -n -p -i -M -m -I -d -D -x -F -C -s -S -a -l -0", "runs the Perl text it is given"),
    Interpreter("ruby irb jruby", "-e -r -n -p -i -I -C -x -a -l -F -S -X --require --disable --enable", "runs the Ruby text it is given"),
    Interpreter("php", "-r -B -R -E -F -d -a -S -c -z -f", "runs the PHP text it is given"),
    Interpreter("lua lua5.1 lua5.2 lua5.3 lua5.4 luajit", "-e -l -i", "runs the Lua text it is given"),
    Interpreter("Rscript R", "-e -f --file --args", "runs the R text it is given"),
    Interpreter("julia", "-e --eval -E --print -L --load -i", "runs the Julia text it is given"),
    Interpreter("tclsh wish expect", "-c -f", "runs the Tcl text it is given"),
    Interpreter("osascript", "-e -l", "runs the AppleScript text it is given"),
    Interpreter("groovy scala kotlin swift elixir iex erl escript ghci runghc runhaskell guile sbcl clojure clj bb racket ocaml octave jshell", "-e -E -c -eval --eval -noshell -run -s --script -l --load -i -r --require", "runs the text it is given"),
    Interpreter("pwsh powershell", "-c -command -Command -e -ec -enc -EncodedCommand -encodedcommand -f -file -File -", "runs the PowerShell text it is given"),
    Interpreter("cmd", "/c /k /C /K /r /R", "runs the text it is given"),
    Interpreter("gdb lldb", "-x -ex -ix -iex -command -eval-command --command --eval-command --init-command --init-eval-command -o -O -s -S --one-line --source --args --batch -p", "runs the commands it is given, `shell` among them", permutes=True),
    Interpreter("vim vi nvim ex view vimdiff gvim rvim", "-c --cmd -S -s -u -U -w -W -E -e -es -l --headless -i --remote --remote-expr --remote-send --startuptime", "runs the editor commands it is given, `:!` among them", permutes=True),
    Interpreter("emacs emacsclient", "--eval -eval -e -f --funcall -l --load --batch -batch --script --insert", "runs the Lisp text it is given", permutes=True),
)  # fmt: skip

_GIT_DIFF = Program("diff log show stash whatchanged diff-tree diff-index diff-files range-diff format-patch reflog shortlog blame", "an external diff is a program; --output writes", runs="--ext-diff", writes="--output -o --output-directory", values="-S -G -O -n -L -U --format --author --grep --since --until --after --before --skip --max-count --max-depth")  # fmt: skip
_GIT_REMOTE = Program("fetch pull ls-remote push fetch-pack send-pack clone remote submodule", "the other side's program is an option", runs="--upload-pack --receive-pack --exec --upload-archive", values="-o -b --branch --depth -j --jobs --refmap --shallow-since --shallow-exclude --format --prefix")  # fmt: skip

PROGRAMS: tuple[Program, ...] = (
    Program("sort gsort", "writes with -o; runs the compressor", "--compress-program", "-o --output", "-k --key -t --field-separator -S --buffer-size -T --temporary-directory --parallel --batch-size --sort --files0-from --random-source"),
    Program("shuf", "writes with -o", "", "-o --output", "-n --head-count -i --input-range --random-source"),
    Program("split csplit", "pipes the pieces into a program", "--filter", "", "-b -l -n -a -C"),
    Program("iconv", "writes with -o", "", "-o --output", "-f --from-code -t --to-code"),
    Program("rg ripgrep", "runs a preprocessor for each file", "--pre --hostname-bin", "", "-e --regexp -f --file -g --glob --iglob -t --type -T --type-not -A -B -C -m --max-count -M --max-columns -j --threads -E --encoding -r --replace -d --max-depth --color --colors --sort --sortr --type-add --engine --context --after-context --before-context --pre-glob --max-filesize", abbreviates=False),
    Program("ag ack", "runs the pager", "--pager --ackrc", "", "-A -B -C -m -G -g"),
    Program("man", "runs the pager, browser or preprocessors", "-P --pager -H --html -C --config-file -p --preprocessor -X --gxditview -T --troff-device", "", "-M --manpath -S -s --sections -L --locale -m --systems -e --extension -R --recode -r --prompt -E --encoding"),
    Program("info", "restores a session of commands", "--restore --init-file", "-o --output --dribble", "-f --file -n --node -d --directory"),
    Program("less more most", "runs commands given with + and writes logs", "-k --lesskey-file --lesskey-src --lesskey-content", "-o -O --log-file --LOG-FILE", "-p --pattern -b -h -j -P -t -T -x -y -z", operands=r"\+"),
    Program("ssh autossh", "runs ProxyCommand and friends; -F reads more options; -I loads a library", "-F -I -S -w", "-E", "-b -c -D -e -i -J -l -L -m -o -p -Q -R -W -B"),
    Program("scp sftp", "runs the program of -S, ProxyCommand and friends", "-S -F -D -o -b -s", "", "-c -i -J -l -P -R -B -X"),
    Program("rsync", "runs the remote shell; logs and batches are written", "-e --rsh --rsync-path --daemon --config -M --remote-option --dparam --early-input", "--log-file --write-batch --only-write-batch", "-f --filter --exclude --include --exclude-from --include-from --files-from -T --temp-dir --bwlimit --timeout --port --max-size --min-size --chmod --password-file"),
    Program("curl", "writes with -o and its kin; -K reads more options; file:// reads any file; a socket reaches other services", "-K --config --engine --proto-default --unix-socket --abstract-unix-socket --expand-output --expand-config --expand-url --expand-write-out", "-o --output -O --remote-name --remote-name-all -J --remote-header-name -D --dump-header -c --cookie-jar --output-dir --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --create-dirs", "-A --user-agent -b --cookie -C --continue-at -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -e --referer -E --cert --key --cacert --capath -F --form --form-string -H --header -m --max-time -P --ftp-port -Q --quote -r --range -t --telnet-option -T --upload-file -u --user -U --proxy-user -w --write-out -x --proxy -X --request -y --speed-time -Y --speed-limit -z --time-cond --connect-timeout --retry --retry-delay --retry-max-time --limit-rate --max-redirs --resolve --interface --proto --ciphers --tls-max --etag-compare --oauth2-bearer --connect-to --dns-servers --max-filesize --noproxy --local-port --url-query --aws-sigv4", operands=r"(?i)(.*[{\[,])?file[,}\]]*:|[^/]*\{[^/]*://"),
    Program("wget", "runs wgetrc commands; writes logs and documents", "-e --execute --config --use-askpass -i --input-file --post-file --body-file", "-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file --rejected-log --hsts-file", "-t --tries -T --timeout -w --wait -U --user-agent --header --post-data --method --user --password -Q --quota -l --level -A -R -D -I -X --limit-rate --max-redirect --referer", operands=r"(?i)file:"),
    Program("npm", "the directory, shell and configuration decide what runs", "--prefix -C --script-shell --node-options --userconfig --globalconfig --init-module --shell --editor --viewer --browser --git --call -c --scripts-prepend-node-path --local-prefix --package", "", "-w --workspace --registry --loglevel --tag --omit --include --otp --access", running="exec x explore init create edit config set innit"),
    Program("pnpm", "the directory, shell and configuration decide what runs", "-C --dir --prefix --script-shell --shell-mode -c --config --use-node-version --global-dir", "", "--filter -F --reporter --loglevel", running="exec dlx create config env patch"),
    Program("yarn yarnpkg", "the directory and configuration decide what runs", "--cwd --use-yarnrc --script-shell --modules-folder --global-folder", "", "", running="exec dlx create config node plugin"),
    Program("npx pnpx bunx", "runs a shell text with -c; fetches packages with -p", "-c --call --shell --shell-auto-fallback --node-options -n --node-arg --prefix --script-shell --userconfig", "", "-p --package -w --workspace", stops=True),
    Program("make gmake", "other makefiles, SHELL and other tools given as variables decide what runs", "-f --file --makefile --eval -E -I --include-dir --environment-overrides -e", "", "-j --jobs -l --load-average -o --old-file -W --what-if --output-sync", "-C --directory", operands=r"(?i)\.?(SHELL|SHELLFLAGS|[A-Z]*MAKEFLAGS|MAKEFILES|MFLAGS|MAKE|CC|CXX|LD|AR|AS|CPP|FC|RM|LEX|YACC|PYTHON|PYTHON3|NODE|NPM|GO|CARGO|RUSTC|JAVA|PATH|BASH_ENV|ENV|LD_[A-Z_]*)[:+?!]*=|[A-Za-z_.]+[:+?!]*=.*[;&|`$<>()\n]"),
    Program("ninja just task rake gradle gradlew mvn mvnw ant meson bazel buck scons tox nox invoke fab", "other build files decide what runs", "--shell --shell-arg --set -R --rakelibdir -r --require -e --execute -E --execute-print -I --init-script -s --settings -gs --global-settings --run_under --workspace_status_command --override_repository --tool_tag --bazelrc", "", "-j --jobs -D -P", "-C -d --working-directory -f --file --justfile --rakefile -p --project-dir -b --build-file -t --taskfile --noxfile -c --collection"),
    Program("go", "a test runner, tool wrapper or other linker is a program; profiles are written", "-exec -toolexec -overlay -modfile -vettool -gccgoflags -compiler -buildvcs-tool -fuzzcachedir", "-o -cpuprofile -memprofile -blockprofile -mutexprofile -trace -coverprofile -outputdir -test.cpuprofile -test.memprofile -test.outputdir -test.trace -test.coverprofile", "-run -bench -count -timeout -tags -p -parallel -cpu -benchtime -covermode -coverpkg -mod -ldflags -gcflags -asmflags -skip -f", "-C", style="words", running="generate tool"),
    Program("cargo", "configuration can name other compilers, linkers and runners", "--config -Z --unit-graph", "--target-dir --out-dir --artifact-dir", "-p --package -j --jobs --bin --example --test --bench --features -F --target --profile --message-format --color --exclude", "--manifest-path -C", abbreviates=False),
    Program("rustc gcc g++ cc c++ clang clang++ ld javac tsc", "plugins, wrappers and specs are programs; -o writes", "-wrapper -fplugin -specs -B -fuse-ld --config -Xclang -load -C -Z -processor -processorpath --plugins", "-o -d --outDir --out --outFile --outdir -MF -save-temps --out-dir --emit", "-I -L -l -D -U -x -std -isystem -include --edition --crate-type", "-p --project", style="words"),
    Program("java", "agents and error hooks are code", "-javaagent -agentlib -agentpath -XX:OnError -XX:OnOutOfMemoryError -XX:Flags -XX:VMOptionsFile", "", "-cp -classpath --class-path -p --module-path", style="words"),
    Program("pytest py.test", "other configuration and plugins decide what runs; reports are written", "--pdbcls -o --override-ini", "--junitxml --junit-xml --basetemp --log-file --report-log --html --json-report-file --debug", "-k -m -n -r -W --tb --durations --maxfail --deselect --ignore --cov --timeout --color -p --count --log-level --log-cli-level", "-c --config-file --rootdir --confcutdir", abbreviates=False),
    Program("pip pip3 uv pipx poetry pdm conda mamba hatch", "other interpreters and build options are code", "--python --global-option --build-option --config-settings --config-file --directory --project --with --with-editable -C", "--log --target -t --root --prefix --report -o --output-file", "-r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links", running="run tool exec shell config debug"),
    Program("uvx", "fetches and runs packages", "--from --with --with-editable --python -p", stops=True),
    Program("eslint jest mocha vitest prettier webpack rollup vite babel stylelint karma ava tap nyc c8", "configuration, plugins and setup files are code; fixes and reports are written", "--resolve-plugins-relative-to --plugin -r --require --import --loader --setupFiles --setupFilesAfterEnv --globalSetup --testRunner --runner --transform --testEnvironment --reporters --parser --formatter -f --use --presets --plugins --globalTeardown --config-loader --custom-formatter --custom-syntax --file --ui", "--fix --write -w -o --output-file --output -d --outDir --out-file --outputFile --out-dir --coverageDirectory --cacheDirectory --updateSnapshot -u", "-t --testNamePattern --ext --ignore-pattern --max-warnings --grep -g --testPathPattern", "-c --config --rulesdir --rootDir --root", abbreviates=False),
    Program("terraform tofu helm", "post-renderers and other directories are code; -out writes", "--post-renderer -post-renderer --kubeconfig -plugin-dir --registry-config", "-out -state -state-out -backup --output-dir", "-var -var-file -target -f --values --set", "-chdir", style="words", running="console plugin"),
    Program("kubectl oc", "another kubeconfig can run credential programs", "--kubeconfig --cache-dir --profile --profile-output", "", "-n --namespace -l --selector -o --output --context --cluster -c --container -f --filename --field-selector --tail --since", running="exec run debug edit attach cp plugin proxy config krew", abbreviates=False),
    Program("docker podman nerdctl", "another daemon or configuration is another machine", "-H --host --config -c --context --url --connection --storage-opt --hooks-dir --runtime --module", "", "--format -f --filter -n --tail --since --until -l --log-level", stops=True, running="run exec create plugin unshare machine", abbreviates=False),
    Program("gh glab", "aliases, extensions and editors are programs", "--editor --browser --web -w", "-O --output -D --dir", "-R --repo -L --limit --json -q --jq -t --template --search --state --label --author --assignee -B --base -H --head", running="alias extension ext browse config codespace cs ssh-key gpg-key secret", abbreviates=False),
    Program("aws gcloud az", "other configuration and endpoints", "--endpoint-url --cli-connect --ca-bundle --configuration --flags-file --impersonate-service-account", "", "--region --profile --output --query", running="configure config ssh ssm alias"),
    Program("zip", "runs the test command; writes logs", "-T --test -TT --unzip-command -lf --logfile-path", "", "-n --suffixes -x -i"),
    Program("cpio", "writes files and reaches other machines", "--rsh-command", "-O -F --file -i --extract -p --pass-through", "-H --format -I"),
    Program("tcpdump tshark dumpcap", "runs a program on each finished file; writes captures", "-z -Z -X -F", "-w -W -C -G", "-i -c -s -r -n -f -Y -T -e"),
    Program("openssl", "engines, providers and configuration are code; -out writes", "-engine -provider -provider-path -config -rand -writerand -loadable", "-out -keyout -CAserial -CAcreateserial -sess_out -keylogfile -msgfile -outdir", "-in -inform -outform -connect -servername -days -subj -key -cert -CAfile -passin -passout -pass", style="words", running="engine"),
    Program("nc ncat netcat", "runs a program for each connection", "-e -c --exec --sh-exec --lua-exec --proxy-auth", "-o --output -x --hex-dump", "-p -s -w -q -i"),
    Program("nmap", "scripts are code; reports are written", "--script --datadir --servicedb --versiondb --stylesheet", "-oN -oX -oS -oG -oA", "-p -e -S", style="words"),
    Program("sqlite3", "dot-commands run programs and write files; extensions are code", "-cmd -init -interactive", "-A", "-separator -nullvalue -newline", operands=r"(?is)\s*\.|.*\n\s*\.|.*\b(load_extension|writefile|edit|fts3_tokenizer)\s*\(|.*\b(attach|vacuum\s+into)\b", style="words"),
    Program("psql", "meta-commands and COPY ... PROGRAM run programs", "-f --file -v --set --variable --pset -P", "-o --output -L --log-file", "-d --dbname -h --host -p --port -U --username -F -R -T", operands=r"(?is).*\\(!|copy|o|w|i|ir|g|gexec|gx|e|s)|.*\bprogram\b|.*\bto\s+'"),
    Program("mysql mariadb", "the client has a `system` command", "--pager --init-command --defaults-file --defaults-extra-file --plugin-dir --defaults-group-suffix", "--tee", "-h --host -P --port -u --user -D --database -S --socket", operands=r"(?is).*(\\[!.TPe]|\bsystem\b|\bsource\b|\btee\b|\bpager\b|\binto\s+(out|dump)file\b)"),
    Program("redis-cli mongo mongosh", "evaluates scripts", "--eval --shell --nodb -f --file --rdb --functions-rdb --pipe", "", "-h -p -n -a -u --host --port", operands=r"(?i)(eval|evalsha|config|script|module|debug|slaveof|replicaof|function|save|bgsave|shutdown)\Z"),
    Program("dc", "the `!` command runs programs", "-f --file", "", "", operands=r".*!"),
    Program("patch", "an ed script runs ed; -o writes", "-e --ed", "-o --output -r --reject-file", "-p -d -i"),
    Program("ed red", "the `!` command runs programs", "", "", "-p"),
    Program("date", "sets the clock", "-s --set", "", "-d --date -f --file -r --reference"),
    Program("file", "compiles magic files", "", "-C --compile", "-m --magic-file -F -f -P -e"),
    Program("xmllint xsltproc", "writes with -o; other documents are loaded", "--load-trace --catalogs", "-o --output", "--xpath --schema --encode --path --param --stringparam"),
    Program("yq", "edits in place", "--from-file", "-i --inplace --in-place -s --split-exp", "-p -o -I --indent"),
    Program("ip", "a batch file is a list of commands", "-b -batch --batch -force", "", "-n -netns -f -family", style="words", running="netns vrf"),
    Program("journalctl systemctl loginctl", "another root or machine; --cursor-file writes", "--root --image --cursor-file --vacuum-size --vacuum-time -H --host -M --machine --rotate", "", "-u --unit -n --lines -S --since -U --until -p --priority -o --output -t -g --grep -b", running="edit set-environment import-environment link enable daemon-reexec"),
    Program("ffmpeg", "filters and outputs write files", "", "-y -report", style="words"),
    Program("uniq", "the second operand is written", "", "", "-f --skip-fields -s --skip-chars -w --check-chars"),
    Program("xxd", "the second operand is written", "", "", "-c -cols -g -l -len -n -o -s -seek"),
    Program("tee sponge", "every operand is written", "", "", ""),
    Program("dd", "of= is written", "", "", "", style="words"),
    Program("perf", "records and runs", "record stat trace script", "-o --output"),
    Program("cmake", "runs scripts and other compilers", "-P -E -C --toolchain -D --build-and-test", "", "-S -B -G -j --parallel --target --config", abbreviates=False),
    Program("bundle bundler", "runs programs of the bundle", "--gemfile --path", "", "", running="exec config console open plugin"),
    Program("gem", "installs code and runs commands", "--config-file --plugin", "", "", running="exec open server"),
    Program("composer", "runs scripts and plugins", "-d --working-dir", "", "", running="exec run-script run config global"),
    Program("dotnet", "runs assemblies", "--runtimeconfig --additionalprobingpath --additional-deps", "-o --output", "", running="exec run tool script msbuild fsi"),
    Program("git", "a repository, its configuration and its options can run programs",
        runs="-c --config-env --exec-path --git-dir --work-tree --attr-source --super-prefix -p --paginate", values="-C --namespace", operands=r"(ext|fd|[a-z0-9+.-]+)::",
        running="filter-branch difftool mergetool instaweb web--browse send-email daemon shell remote-ext remote-fd upload-pack receive-pack upload-archive cvsserver p4 svn hook maintenance gui citool gitk cat-file-x credential",
        subcommands=(
            _GIT_DIFF,
            _GIT_REMOTE,
            Program("grep", "opens the hits in a program", "-O --open-files-in-pager --ext-grep", "", "-e -f -A -B -C -m --max-depth --max-count --threads"),
            Program("clone", "configuration, templates and the other side's program are code", "-u --upload-pack -c --config --template", "", "-b --branch -o --origin --depth -j --jobs --reference --separate-git-dir --filter"),
            Program("init", "templates hold hooks", "--template --separate-git-dir", "", "-b --initial-branch"),
            Program("archive", "writes with -o; the other side's program is an option", "--remote --exec", "-o --output", "--format --prefix --add-file"),
            Program("rebase", "runs commands between the steps", "-x --exec -i --interactive --edit-todo --strategy -s -X", "", "--onto"),
            Program("merge pull cherry-pick revert", "a strategy is a program", "-s --strategy --upload-pack", "", "-m -X --strategy-option -S --gpg-sign -F"),
            Program("submodule", "runs commands in each submodule", "", "", "", operands=r"foreach\Z"),
            Program("apply am", "writes by nature", "", "--directory-x", "-p -C"),
            Program("cat-file", "runs filters", "--filters --textconv", "", ""),
            Program("help", "runs a viewer", "-w --web -m --man -i --info", "", ""),
            Program("commit tag", "signs with a program", "-S --gpg-sign -u --local-user", "", "-m --message -F --file --author --date -C -c --reuse-message --fixup --squash --trailer -t --template --cleanup --pathspec-from-file"),
            Program("config", "sets what later runs programs", "-e --edit -f --file --blob --includes", "", "--type --default --get --get-all --get-regexp --unset"),
            Program("bisect", "runs a program at every step", "", "", "", operands=r"run\Z"),
            Program("bundle", "writes a file", "", "", "", operands=r"create\Z"),
            Program("worktree", "a branch name is a value", "", "", "-b -B"),
        )),
)  # fmt: skip

TAR = Program(
    "tar gtar bsdtar",
    "filters, checkpoint actions, scripts and lists of options are programs",
    "--to-command -I --use-compress-program --checkpoint-action -F --info-script --new-volume-script --rmt-command --rsh-command -T --files-from",
    "--volno-file --index-file --remove-files -g --listed-incremental --unlink-first --recursive-unlink",
    "-f --file -C --directory -b --blocking-factor -H --format -K --starting-file -L --tape-length -N --newer -V --label -X --exclude-from --exclude --strip-components --transform --xform --owner --group --mode --mtime",
)

# Variables that change what runs, which code is loaded, or which configuration is read.
DANGEROUS_VARIABLE = (
    r"(?:PATH|CDPATH|IFS|HOME|ENV|BASH_ENV|BASH_FUNC_.*|BASHOPTS|BASH_CMDS|BASH_ALIASES|BASH_LOADABLES_PATH|BASH_XTRACEFD|SHELLOPTS|SHELL|PS[0-4]|PROMPT_COMMAND"
    r"|ZDOTDIR|FPATH|NULLCMD|READNULLCMD|HISTFILE|EXECIGNORE|GLOBIGNORE|POSIXLY_CORRECT|XDG_.*|FIGNORE"
    r"|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|MALLOC_.*|GLIBC_TUNABLES|RESOLV_.*"
    r"|GIT_.*|SSH_.*|SVN_.*|HG.*|CVS_.*|SUDO_.*|GNUPGHOME|GPG_.*|PINENTRY_.*"
    r"|.*PAGER|.*EDITOR|VISUAL|.*BROWSER|.*_ASKPASS|ASKPASS|LESS|LESSOPEN|LESSCLOSE|LESSEDIT|LESSKEY.*|LESSSECURE.*|MORE|MANPATH|MANPAGER|MANOPT|MANROFFOPT|MANSECT|GROFF.*|TERMINFO.*|TERMCAP|VIMINIT|EXINIT|GVIMINIT|VIM|VIMRUNTIME|MYVIMRC|NVIM_.*|INPUTRC"
    r"|PYTHON(?!UNBUFFERED\b|DONTWRITEBYTECODE\b|HASHSEED\b|UTF8\b|IOENCODING\b|FAULTHANDLER\b|DEVMODE\b|OPTIMIZE\b).*|PIP_(?!DISABLE_PIP_VERSION_CHECK\b|NO_CACHE_DIR\b|NO_INPUT\b).*|UV_.*|POETRY_.*|VIRTUAL_ENV|CONDA_.*|PYTEST_.*"
    r"|NODE_(?!ENV\b).*|(?i:npm_.*)|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|COREPACK_.*|ELECTRON_.*"
    r"|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|RAKE.*|LUA_.*|PHP.*|PHPRC|COMPOSER_.*|TCL.*|R_.*|JULIA_.*|ERL_.*|ELIXIR_.*|MIX_(?!ENV\b).*"
    r"|JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|MAVEN_.*|MVN_.*|GRADLE_.*|ANT_.*|SBT_.*|DOTNET_(?!CLI_TELEMETRY_OPTOUT\b|NOLOGO\b|ENVIRONMENT\b).*|COR_.*|CORECLR_.*|MSBUILD.*|NUGET_.*"
    r"|GO(?:PATH|ROOT|FLAGS|BIN|TOOLCHAIN|TOOLDIR|ENV|PROXY|PRIVATE|NOPROXY|NOSUMDB|SUMDB|INSECURE|CACHE|MODCACHE|TMPDIR|WORK|DEBUG|AUTH|GCCFLAGS|VCS|EXE|111MODULE)|CGO_(?!ENABLED\b).*|CARGO(?!_TERM_COLOR\b|_TERM_PROGRESS.*\b|_INCREMENTAL\b).*|RUSTC.*|RUSTUP.*|RUSTFLAGS|RUSTDOC.*"
    r"|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|COMPILER_PATH|GCC_.*|LIBRARY_PATH|C_INCLUDE_PATH|CPATH|CCACHE_.*|DISTCC_.*|MAKE|MAKEFLAGS|MAKEFILES|MAKESHELL|MAKELEVEL|MFLAGS|GNUMAKEFLAGS|CMAKE_.*|NINJA_.*|PKG_CONFIG.*|CONFIG_SITE|CONFIG_SHELL"
    r"|DOCKER_(?!BUILDKIT\b).*|CONTAINER_.*|PODMAN_.*|KUBECONFIG|KUBE_.*|KUBECTL_.*|HELM_.*|TF_(?!LOG\b|IN_AUTOMATION\b|INPUT\b|VAR_.*).*|AWS_(?!REGION\b|DEFAULT_REGION\b|PROFILE\b).*|ANSIBLE_.*|VAGRANT_.*"
    r"|RSYNC_.*|RIPGREP_CONFIG_PATH|FZF_.*|FD_.*|BAT_.*|GREP_OPTIONS|TAR_.*|GZIP|XZ_.*|BZIP.*|ZIP|ZIPOPT|ZIPINFO.*|UNZIP.*|CURL_.*|WGETRC|SYSTEM_WGETRC|HTTPS?_PROXY|ALL_PROXY|https?_proxy|all_proxy|OPENSSL_.*|SSL_.*|SSLKEYLOGFILE|REQUESTS_CA_BUNDLE|PSQLRC|PG(?!PASSWORD\b|USER\b|HOST\b|PORT\b|DATABASE\b).*|MYSQL_.*|SQLITE_.*"
    r"|AWKPATH|AWKLIBPATH|ACKRC|JQ_.*|SCREENRC|TMUX.*|QT_.*|GTK_.*|GIO_.*|GST_.*|DBUS_.*|DISPLAY|XAUTHORITY|WAYLAND_.*|OPENER|MAILCAPS|MAIL|MAILPATH|LS_OPTIONS|SYSTEMD_.*|COMSPEC|PATHEXT|NODEFAULTCURRENTDIRECTORYINEXEPATH|PSModulePath)"
)  # fmt: skip

# Arrays that zsh ties to variables of the same name in capitals.
ZSH_TIED = names(
    "path fpath cdpath manpath module_path mailpath psvar prompt PROMPT PROMPT2 PROMPT3 PROMPT4 RPROMPT"
)

# Programs that take commands from their input, some of which run programs.
READS_COMMANDS = names(
    "sqlite3 psql mysql mariadb ed red dc redis-cli mongosh ssh sftp ftp lftp telnet gdb lldb nc ncat"
)

# Programs whose operands are files; for `allowed_directories`. True: the first operand is not a file.
FILE_PROGRAMS: dict[str, bool] = dict.fromkeys(
    names(
        "cat tac head tail less more wc nl od xxd hexdump strings file stat ls dir vdir tree du cp mv rm rmdir mkdir touch ln "
        "chmod chown chgrp install tee sort uniq cut paste join comm diff cmp diff3 sdiff patch split csplit truncate shred "
        "dd readlink realpath basename md5sum sha1sum sha256sum sha512sum b2sum cksum sum base64 base32 gzip gunzip zcat bzip2 "
        "bunzip2 bzcat xz unxz xzcat zstd zip unzip tar cpio ar vim vi nvim nano emacs ed find fd rsync scp cd pushd source . "
        "df mkfifo mknod mktemp type copy del erase move ren md rd xcopy robocopy python python3 node perl ruby bash sh"
    ),
    False,
) | dict.fromkeys(names("grep egrep fgrep rg ag sed awk gawk mawk jq yq chmod chown chgrp"), True)

# On Windows: commands that run text, load code or give names another meaning.
WINDOWS_UNRESOLVABLE: dict[str, str] = dict.fromkeys(
    names(
        "call start doskey forfiles runas wmic mshta rundll32 regsvr32 cscript wscript schtasks at msiexec installutil bitsadmin setx "
        "assoc ftype setlocal invoke-expression invoke-item invoke-command start-process start-job start-threadjob add-type new-object set-alias "
        "new-alias import-alias import-module new-module invoke-wmimethod invoke-cimmethod enter-pssession new-pssession register-scheduledtask "
        "register-objectevent register-engineevent register-wmievent invoke-history set-psbreakpoint install-module install-script update-typedata use-module"
    ),
    "runs text or code, or gives a name another meaning",
)

# cmd.exe and PowerShell: other names of the same command.
POWERSHELL_ALIASES: dict[str, str] = {
    "ac": "add-content", "cat": "get-content", "cd": "set-location", "chdir": "set-location", "clc": "clear-content",
    "clear": "clear-host", "cls": "clear-host", "cli": "clear-item", "compare": "compare-object", "copy": "copy-item",
    "cp": "copy-item", "cpi": "copy-item", "curl": "invoke-webrequest", "del": "remove-item", "diff": "compare-object",
    "dir": "get-childitem", "echo": "write-output", "epal": "export-alias", "epcsv": "export-csv", "erase": "remove-item",
    "fl": "format-list", "foreach": "foreach-object", "%": "foreach-object", "ft": "format-table", "fw": "format-wide",
    "gal": "get-alias", "gc": "get-content", "gci": "get-childitem", "gcm": "get-command", "gi": "get-item",
    "gl": "get-location", "gm": "get-member", "gp": "get-itemproperty", "gps": "get-process", "group": "group-object",
    "gsv": "get-service", "gu": "get-unique", "gv": "get-variable", "h": "get-history", "history": "get-history",
    "iex": "invoke-expression", "ihy": "invoke-history", "ii": "invoke-item", "ipmo": "import-module",
    "irm": "invoke-restmethod", "iwr": "invoke-webrequest", "kill": "stop-process", "ls": "get-childitem",
    "man": "help", "md": "mkdir", "measure": "measure-object", "mi": "move-item", "mount": "new-psdrive",
    "move": "move-item", "mv": "move-item", "ni": "new-item", "nal": "new-alias", "ps": "get-process",
    "popd": "pop-location", "pushd": "push-location", "pwd": "get-location", "r": "invoke-history", "rd": "remove-item",
    "ren": "rename-item", "ri": "remove-item", "rm": "remove-item", "rmdir": "remove-item", "rni": "rename-item",
    "rp": "remove-itemproperty", "sajb": "start-job", "sal": "set-alias", "saps": "start-process", "sasv": "start-service",
    "sc": "set-content", "select": "select-object", "set": "set-variable", "shcm": "show-command", "si": "set-item",
    "sl": "set-location", "sleep": "start-sleep", "sls": "select-string", "sort": "sort-object", "sp": "set-itemproperty",
    "spps": "stop-process", "spsv": "stop-service", "start": "start-process", "sv": "set-variable", "tee": "tee-object",
    "type": "get-content", "wget": "invoke-webrequest", "where": "where-object", "?": "where-object", "write": "write-output",
    "icm": "invoke-command", "etsn": "enter-pssession", "nsn": "new-pssession", "swmi": "set-wmiinstance",
    "iwmi": "invoke-wmimethod", "ipal": "import-alias", "ipcsv": "import-csv", "oh": "out-host", "ogv": "out-gridview",
    "lp": "out-printer", "gerr": "get-error", "gjb": "get-job", "gbp": "get-psbreakpoint", "gdr": "get-psdrive",
}  # fmt: skip
