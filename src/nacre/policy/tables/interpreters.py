# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Interpreters, debuggers and editors: programs whose arguments, files or input are programs.

Above: `tables` finds a program's entry by its name. Below: `schema`. A rule for an interpreter is a rule for any
script; code in an argument is admitted only where it is proven to compute and print, or where a rule spells the option.
"""

from __future__ import annotations

from nacre.policy.model import names
from nacre.policy.tables.schema import JAVA_TOOLS, Interpreter

# Modules of Python itself, of all versions: some of them are not looked for in the working directory.
PYTHON_MODULES = names(
    "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 "
    "bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop "
    "collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg "
    "crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings "
    "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc "
    "genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib "
    "imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma "
    "mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib "
    "nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools "
    "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr "
    "pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched "
    "secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd "
    "sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess "
    "sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading "
    "time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types "
    "typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref "
    "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo "
)

_NO_TOOL_OF_JAVA = rf"(?!{JAVA_TOOLS})(?s:.*)"

INTERPRETERS = (
    Interpreter(
        names="python python2 python3 pypy pypy3",
        reason="runs the Python text it is given",
        # Not -x: without its first line a text is another one.
        options="-b -B -d -E -I -O -P -q -s -S -t -u -v -R --check-hash-based-pycs=",
        # A category with a dot is imported; -X can name a module or a directory, too.
        checks=(
            ("-W=", r"[a-z]+(?::[^:]*(?::(?:[A-Z]\w*)?(?::[\w.]*(?::\d*)?)?)?)?"),
            (
                "-X=",
                r"dev|utf8(?:=[01])?|importtime(?:=\d)?|faulthandler|tracemalloc(?:=\d+)?|showrefcount|no_debug_ranges|frozen_modules(?:=\w+)?|int_max_str_digits=\d+|warn_default_encoding|gil=[01]|cpu_count=\w+",
            ),
        ),
        inline="-c= -i",
        module="-m=",
        modules="doctest pydoc vulture hatch http.server cProfile profile zipfile tarfile pytest pip json.tool unittest venv virtualenv py_compile compileall tabnanny build ensurepip site sysconfig platform this calendar locale uuid pyclbr tokenize dis ast ruff mypy black isort flake8 pylint coverage tox nox pyright uv poetry pdm pipx autopep8 yapf pycodestyle pyflakes bandit",
        quits="--version -V -VV --help -h -? --help-env --help-xoptions --help-all",
        language="python",
    ),
    Interpreter(
        names="node nodejs",
        reason="runs the JavaScript text it is given",
        options="--trace-warnings --trace-deprecation --no-warnings --no-deprecation --throw-deprecation --pending-deprecation --enable-source-maps --stack-trace-limit? --title= --max-old-space-size? --max-semi-space-size? --unhandled-rejections= --conditions= -C= --test --test-only --test-name-pattern= --test-skip-pattern= --test-concurrency= --test-timeout= --test-force-exit --test-shard= --experimental-test-coverage --experimental-strip-types --experimental-vm-modules --no-experimental-strip-types --preserve-symlinks --trace-uncaught --trace-exit --expose-gc --dns-result-order= --no-network-family-autoselection --use-openssl-ca --use-bundled-ca --use-system-ca --tls-min-v1.2 --tls-min-v1.3 --watch --frozen-intrinsics --disable-proto= --secure-heap= --stack-size? --no-addons --abort-on-uncaught-exception --experimental-transform-types --test-update-snapshots --test-isolation=",
        # The project's own file of variables, well-known packages of it, and reporters of node's own.
        places="--env-file= --env-file-if-exists=",
        checks=(
            (
                "-r= --require= --import= --loader= --experimental-loader=",
                r"ts-node/(?:register(?:/[a-z-]+)?|esm)|tsx(?:/[a-z]+)?|@babel/register|@swc/register|@swc-node/register(?:/esm)?|dotenv/config|source-map-support/register",
            ),
            ("--test-reporter=", "spec|tap|dot|junit|lcov"),
            ("--test-reporter-destination=", "stdout|stderr"),
        ),
        inline="inspect debug -e= --eval= -p= --print= -pe= -ep= -i --interactive --input-type= --run= --experimental-config-file= --experimental-default-config-file --inspect? --inspect-brk? --inspect-wait? --inspect-port= --icu-data-dir= --openssl-config= --openssl-shared-config --snapshot-blob= --build-snapshot --build-snapshot-config= --experimental-sea-config= --diagnostic-dir= --report-dir= --report-directory= --redirect-warnings= --cpu-prof --cpu-prof-dir= --heap-prof --heap-prof-dir= --heapsnapshot-signal= --trace-event-file-pattern= --experimental-policy= --experimental-network-imports --watch-path= --test-global-setup= --localstorage-file=",
        quits="--version -v --help -h --v8-options -c --check --completion-bash",
        finds="--test",
        language="javascript",
        style="words",
    ),
    Interpreter(
        names="bun deno",
        permutes=True,
        fetches=True,
        # Files of code, and names that no program of the system has: bun runs `python3.11`, too.
        scripts=r".*\.(?:[cm]?[jt]sx?|html)|[a-z][\w-]*(?::[\w.-]+)+|build|dev|develop|serve|start|preview|watch|lint|format|fmt|typecheck|type-check|check|check-types|test|unit|e2e|coverage|clean|generate|codegen|storybook|release|migrate|seed|prepare|postinstall",
        hands_on="run",
        installs="add a install i link update up upgrade",
        reason="runs the JavaScript text it is given",
        options="-D --dev --exact --optional --peer --ignore-scripts --force --lockfile-only --save-text-lockfile --latest --pass-with-no-tests --randomize --only-failures --max-concurrency= --watch --hot --smol --bail? --timeout= --coverage --rerun-each= --todo --only -t= --test-name-pattern= --production --frozen-lockfile --silent --verbose --no-save --dry-run --quiet -q --check --no-check --locked --frozen --fail-fast --parallel --filter= --unstable --cached-only --no-remote --no-npm --target= --format= --minify --minify-syntax --minify-whitespace --minify-identifiers --sourcemap? --splitting --external=",
        checks=(("--omit=", "dev|optional|peer"), ("--coverage-reporter=", "text|lcov")),
        # Of `bun build`, which bundles the project's files.
        writes="--outdir= --outfile=",
        inline="-e= --eval= -p= --print= -r= --preload= --cwd= --config= -c= --env-file= --shell= --import-map= --import= --inspect? eval repl exec x create c upgrade init compile bundle vendor discord getcompletes approve-scripts jupyter serve lsp publish deploy sandbox desktop completions feedback set delete -A --allow-all --allow-run? --allow-ffi? --allow-write? --allow-env? --allow-net? --allow-read? --allow-sys? -R -W -N",
        quits="--version -v -V --help -h --revision",
    ),
    Interpreter(
        names="perl perl5",
        reason="runs the Perl text it is given",
        # -c only looks for mistakes in the file, which could be run as well.
        options="-w -W -X -t -T -u -U -c",
        inline="-e= -E= -n -p -i? -M= -m= -I= -d? -D= -x? -F= -C? -s -S -a -l? -0? -f -g",
        quits="--version -v -V -h --help",
    ),
    Interpreter(
        names="ruby irb jruby",
        reason="runs the Ruby text it is given",
        # -c only looks for mistakes in the file, which could be run as well.
        options="-w -W? -y -c",
        # Where the project's own files are looked for.
        places="-I=",
        checks=(("-I=", r"(?!.*:[/~])(?!.*:(?:.*/)?\.\.(?:[/:]|\Z))[\w./:-]+"),),
        inline="-e= -r= -n -p -i? -C= -x? -a -l -F= -S -X= -s -0? -d -h -E= -K= -T? --require= --disable= --enable= --encoding= --yjit --jit --dump= --debug",
        quits="--version -v --help --copyright",
        language="ruby",
    ),
    Interpreter(
        names="php",
        dashes=False,
        reason="runs the PHP text it is given",
        options="-n -q -l --ri= --re= --rf= --rc=",
        # Settings that load nothing; a server for the project's own files.
        checks=(
            (
                "-d= --define=",
                r"(?:memory_limit|max_execution_time|error_reporting|display_errors|display_startup_errors|log_errors|html_errors|zend\.assertions|assert\.exception|opcache\.enable(?:_cli)?|pcov\.enabled|date\.timezone|upload_max_filesize|post_max_size|short_open_tag)(?:=[\w./+-]*)?|xdebug\.mode=(?:off|coverage|develop)(?:,(?:coverage|develop))*",
            ),
            ("-S= --server=", r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):[0-9]+"),
        ),
        places="-t= --docroot=",
        finds="-S --server",
        inline="-r= -B= -R= -E= -F= -a -c= -z= -f= --run= --php-ini= --zend-extension= --process-code= --process-begin=",
        quits="-v --version -m --modules -i --info -h --help --ini --ri --re --rf --rc",
        language="php",
    ),
    Interpreter(
        names="Rscript",
        reason="runs the text it is given",
        options="--vanilla --no-save --no-restore --no-echo --quiet --slave",
        inline="-e=",
        quits="--version --help",
        language="r",
    ),
    Interpreter(
        names="julia",
        reason="runs the text it is given",
        options="-q --quiet",
        checks=(("--project?", r"@?\."), ("--startup-file=", "no"), ("--color=", "yes|no")),
        inline="-e= --eval=",
        quits="--version --help -v -h",
        language="julia",
    ),
    Interpreter(
        names="lua lua5.1 lua5.2 lua5.3 lua5.4 luajit",
        reason="runs the Lua text it is given",
        options="-E -W",
        inline="-e= -l= -i -j= -b= -O=",
        quits="-v",
    ),
    Interpreter(
        names="expect osascript groovy elixir iex escript ghci runghc runhaskell guile sbcl clojure clj racket ocaml octave ipython raku rakudo janet fennel swipl jrunscript hy",
        reason="runs the text it is given",
        options="",
        inline="",
        quits="--version --help",
    ),
    # To these every option is one for the program, which they read from their input then.
    Interpreter(names="tclsh wish", reason="runs the text it is given", inline="", quits=""),
    Interpreter(names="erl", reason="runs the text it is given", inline="", quits="", permutes=True),
    # A text in parentheses is code, not a file.
    Interpreter(
        names="bb",
        reason="runs the text it is given",
        inline="repl nrepl-server socket-repl uberscript uberjar",
        quits="--version --help tasks",
        files=r"[\w./:-]+",
    ),
    Interpreter(
        names="R",
        reason="runs the text it is given, and any program behind CMD",
        options="",
        inline="CMD",
        quits="--version --help",
    ),
    # What they run can be a class: those of Java's own tools take code, and write.
    Interpreter(
        names="kotlin",
        reason="runs the text it is given",
        inline="",
        quits="--version --help",
        files=_NO_TOOL_OF_JAVA,
    ),
    Interpreter(
        names="scala",
        reason="runs the text it is given",
        inline="",
        quits="--version --help",
        permutes=True,
        files=_NO_TOOL_OF_JAVA,
    ),
    # Their options are read behind an operand, too.
    Interpreter(
        names="jshell gnuplot gforth",
        reason="runs the text it is given",
        options="",
        inline="",
        quits="--version --help",
        permutes=True,
    ),
    Interpreter(
        names="pwsh powershell",
        reason="runs the PowerShell text it is given",
        options="",
        inline="-c -command -Command -e -ec -enc -EncodedCommand -encodedcommand -f -file -File",
        quits="-Version -version --version -Help -help -h",
        files=r"(?i)[^;&|\s]+\.ps1",
    ),
    Interpreter(
        names="cmd", reason="runs the text it is given", inline="/c /k /C /K /r /R", quits="", files=r"(?!)"
    ),
    Interpreter(
        names="gdb gdb-multiarch lldb",
        reason="runs the commands it is given, `shell` among them",
        options="-q -quiet --quiet -nx -n -nh --nx --nh -silent --silent -nw -arch=",
        inline="-x -ex -ix -iex -command -eval-command --command --eval-command --init-command --init-eval-command -o -O -s -S --one-line --source --args -args --batch -batch -p -pid -c -core -d -cd -tui -b -Q -P --python -l -w --attach-name --attach-pid -k --one-line-on-crash",
        quits="--version -v --help -h",
        permutes=True,
        style="words",
    ),
    Interpreter(
        names="vim vi nvim view vimdiff gvim rvim rview vim.tiny vim.basic vim.nox vim.gtk3",
        reason="runs the editor commands it is given, `:!` among them",
        options="-R -b -n -N -p? -o? -O? -M -Z -d -f -h -m -v -X -y -T= --noplugin --not-a-term --clean --nofork",
        inline="-c= --cmd= -S= -s= -u= -U= -w= -W= -E -e -es -l -i= -q= -t= -r? -L? -x -V? -g --headless --embed --listen= --remote --remote-silent --remote-wait --remote-expr= --remote-send= --remote-tab --server= --servername= --startuptime= --api-info -A -C -D -F -H --literal --log=",
        quits="--version --help -h",
        permutes=True,
        edits=True,
    ),
    Interpreter(
        names="emacs emacsclient",
        reason="runs the Lisp text it is given",
        options="-nw -q -Q --no-init-file --quick --no-window-system --no-splash -t -n -c --tty --no-wait --create-frame",
        inline="--eval -eval -e -f --funcall -l --load --batch -batch --script --insert -L --directory --daemon --execute -a --alternate-editor -s --socket-name --server-file -u --user --init-directory --chdir -x",
        quits="--version --help -V",
        permutes=True,
        edits=True,
        style="words",
    ),
    Interpreter(
        names="ed red ex",
        reason="its input is a list of commands, `!` among them",
        options="-s -v -E -r",
        inline="-p= -G -l -c=",
        quits="--version -V --help -h",
        permutes=True,
        edits=True,
    ),
    Interpreter(
        names="dc",
        reason="its text is a program, and `!` runs a command",
        inline="-e= -f= --expression= --file= -i -x",
        quits="--version -V --help -h",
    ),
)
