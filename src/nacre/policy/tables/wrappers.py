# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs whose arguments are another command.

Above: `tables` finds a program's entry by its name. Below: `schema`. The transparent ones add nothing but the
way in which the inner command is started, and need no rule of their own; the others change who runs it, or
where, and need one.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Wrapper

_COMMON = "--help --version"

WRAPPERS = (
    Wrapper(
        names="env genv",
        reason="runs its arguments with changed variables",
        options=f"-i -u= -v -0 --ignore-environment --null --unset= --debug --list-signal-handling --default-signal? --ignore-signal? --block-signal? {_COMMON}",
        # What a program finds in another directory decides what it does: `make -C`.
        places="-C= --chdir=",
        runs="-S= --split-string= -P=",
        assignments=True,
    ),
    Wrapper(names="nohup gnohup", reason="runs its arguments, deaf to hangups", options=_COMMON),
    Wrapper(
        names="nice gnice",
        reason="runs its arguments with another priority",
        options=f"-n= --adjustment= {_COMMON}",
        pattern=r"-[-+]?\d+",
    ),
    Wrapper(
        names="ionice",
        reason="runs its arguments with another I/O priority",
        options="-n= -c= -t --classdata= --class= --ignore -V -h --help --version",
    ),
    Wrapper(
        names="timeout gtimeout",
        reason="runs its arguments for a limited time",
        options=f"-k= -s= -v -f -p --kill-after= --signal= --verbose --foreground --preserve-status {_COMMON}",
        operands=1,
        # To older versions of busybox another word is the command.
        operand=r"(?:\d+(?:\.\d*)?|\.\d+)[smhd]?",
    ),
    Wrapper(
        names="setsid",
        reason="runs its arguments in a new session",
        options="-V -h -c -f -w --ctty --fork --wait --version --help",
    ),
    Wrapper(
        names="stdbuf gstdbuf",
        reason="runs its arguments with other buffering",
        options=f"-i= -o= -e= --input= --output= --error= {_COMMON}",
    ),
    Wrapper(names="unbuffer", reason="runs its arguments on a terminal", options="-p"),
    Wrapper(
        names="time gtime",
        reason="measures its arguments; -o writes",
        options="-f= -a -l -p -v -q -V -h --format= --append --portability --verbose --quiet --version --help",
        writes="-o= --output=",
    ),
    Wrapper(names="command", reason="runs its arguments, functions aside", options="-p"),
    Wrapper(names="builtin", reason="runs a builtin"),
    # -a gives a program another name, and some programs do what their name says. Not every shell has -c and
    # -l: dash starts a program of that name.
    Wrapper(names="exec", reason="replaces the shell with its arguments", runs="-a= -c -l"),
    # The grammar refuses them in zsh; elsewhere they are programs, if there are any.
    Wrapper(names="noglob nocorrect", reason="zsh's prefix for its arguments", transparent=False),
    Wrapper(names="chronic", reason="runs its arguments, quiet on success", options="-v -e"),
    Wrapper(
        names="caffeinate",
        reason="runs its arguments and keeps the machine awake",
        options="-t= -w= -d -i -m -s -u",
    ),
    Wrapper(names="nocache", reason="runs its arguments without the page cache", options="-n="),
    Wrapper(
        names="linux32 linux64 i386 x86_64",
        reason="runs its arguments as another architecture",
        options="-h -V -v -3 -B -F -I -L -R -S -T -X -Z --help --version --verbose --addr-no-randomize --3gb --4gb --32bit --uname-2.6",
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="setarch",
        reason="runs its arguments as another architecture",
        # The architecture may be left out, so what follows the options is not told apart from the command.
        runs="-h -V -v -3 -B -F -I -L -R -S -T -X -Z",
        operands=1,
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="taskset",
        reason="runs its arguments on some processors",
        options="-a -c -h -V --all-tasks --cpu-list --help --version",
        runs="-p --pid",
        operands=1,
        operand=r"(?:0x)?[0-9a-f][0-9a-f,:-]*",
        transparent=False,
    ),
    Wrapper(
        names="chrt",
        reason="runs its arguments with another scheduler",
        options="-a -b -d -D= -f -i -h -m -o -P= -T= -r -R -v -V --all-tasks --batch --deadline --fifo --idle --help --max --other --rr --sched-runtime= --sched-period= --sched-deadline= --reset-on-fork --verbose --version",
        runs="-p --pid",
        operands=1,
        # Some versions need none for -o, -b and -i.
        operand=r"\d+",
        transparent=False,
    ),
    Wrapper(
        names="prlimit",
        reason="runs its arguments with other limits",
        options="-c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? -o= -V -h --output= --as? --core? --cpu? --data? --fsize? --locks? --memlock? --msgqueue? --nice? --nofile? --nproc? --rss? --rtprio? --rttime? --sigpending? --stack? --version --help --noheadings --raw --verbose",
        runs="-p= --pid=",
        transparent=False,
    ),
    Wrapper(
        names="sudo",
        reason="runs its arguments as another user",
        options="-A -B -b -E -H -k -K -l -N -n -P -S -V -v -C= -g= -p= -r= -t= -T= -U= -u= --askpass --bell --background --close-from= --preserve-env? --group= --set-home --help --list --remove-timestamp --reset-timestamp --no-update --non-interactive --preserve-groups --prompt= --role= --stdin --type= --command-timeout= --other-user= --user= --version --validate",
        places="-D= --chdir=",
        # The word behind -h is another machine, if it looks like one.
        runs="-h? --host= -R= --chroot= -e --edit -s --shell -i --login",
        assignments=True,
        transparent=False,
    ),
    Wrapper(
        names="doas",
        reason="runs its arguments as another user",
        options="-a= -n -L -u=",
        runs="-s -C=",
        transparent=False,
    ),
    Wrapper(
        names="pkexec",
        reason="runs its arguments as another user",
        options="--user= --disable-internal-agent --keep-cwd --version --help",
        dashes=False,
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="setpriv",
        reason="runs its arguments with other privileges",
        options="-d -h -V --dump --nnp --no-new-privs --inh-caps= --ambient-caps= --list-caps --ruid= --euid= --rgid= --egid= --reuid= --regid= --clear-groups --keep-groups --init-groups --groups= --bounding-set= --securebits= --pdeathsig= --help --reset-env --version",
        transparent=False,
    ),
    Wrapper(
        names="unshare",
        reason="runs its arguments in new namespaces",
        options="-f -h -V -m -u -i -n -p -C -T -U -r -c -S= -G= --help --version --fork --kill-child? --map-user= --map-users= --map-group= --map-groups= --map-root-user --map-current-user --map-auto --propagation= --setgroups= --keep-caps --setuid= --setgid= --monotonic= --boottime=",
        # Something else is mounted there.
        changes="--mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time? --mount-proc?",
        places="-w= --wd=",
        runs="-R= --root=",
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="nsenter",
        reason="runs its arguments in other namespaces, where a name means another program",
        options="-a -h -V -t= -m? -u? -i? -n? -p? -C? -U? -T? -S= -G= -F -Z --all --help --version --target= --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time? --setuid= --setgid= --no-fork --preserve-credentials --follow-context",
        runs="-r? -w? -W= --root? --wd? --wdns?",
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="strace",
        reason="runs and watches its arguments; -o writes or pipes",
        options="-a= -A -b= -c -C -d -f -ff -F -h -i -I= -k -n -O= -P= -q -qq -r -s= -S= -t -tt -ttt -T -U= -v -V -w -x -xx -X= -y -yy -Y -z -Z --columns= --summary-only --summary --debug --follow-forks --help --instruction-pointer --interruptible= --stack-traces --syscall-number --summary-syscall-overhead= --trace-path= --relative-timestamps? --string-limit= --summary-sort-by= --absolute-timestamps? --timestamps? --syscall-times? --summary-columns= --no-abbrev --version --summary-wall-clock --strings-in-hex? --const-print-style= --pidns-translation --successful-only --failed-only --failing-only --seccomp-bpf --tips? --trace= --abbrev= --verbose= --raw= --signals= --status= --read= --write= --quiet? --silent? --silence? --decode-fds? --decode-pids= --secontext?",
        # Other expressions change what the program does: -e inject=...
        checks=(
            (
                "-e=",
                r"(?:(?:trace|t|signal|signals|s|read|reads|r|write|writes|w|abbrev|a|verbose|v|raw|x|quiet|silent|silence|q|status|decode-fds|decode-fd)=)?!?[\w,%/?^-]*",
            ),
            # A name that begins with `|` or `!` is a command.
            ("-o= --output=", r"[^|!](?s:.*)"),
        ),
        writes="-o= --output=",
        runs="-p= --attach= -u= --user= -E= --env= -D --daemonize? --inject= --fault= --kvm= --detach-on= --output-append-mode --output-separately",
        transparent=False,
    ),
    Wrapper(
        names="ltrace",
        reason="runs and watches its arguments; -o writes",
        options="-a= -A= -b -c -C -D= -e= -f -h -i -l= -L -n= -r -s= -S -t -tt -ttt -T -V -w= -x= --align= --demangle --help --indent= --library= --no-signals --version --where=",
        writes="-o= --output=",
        runs="-F= --config= -p= -u=",
        transparent=False,
    ),
    Wrapper(
        names="valgrind",
        reason="runs and watches its arguments; logs are written, debuggers run",
        style="words",
        options="-q -v -h --quiet --verbose --help --version --leak-check= --track-origins= --show-leak-kinds= --num-callers= --error-exitcode= --trace-children= --show-reachable= --errors-for-leak-kinds= --undef-value-errors= --read-var-info= --track-fds= --time-stamp= --vgdb= --max-stackframe= --child-silent-after-fork= --gen-suppressions=",
        # A name with a slash is a program elsewhere; other tools than these write a file of their own naming.
        checks=(("--tool=", "memcheck|helgrind|drd|none|lackey"),),
        reads="--suppressions=",
        writes="--log-file= --xml-file= --callgrind-out-file= --massif-out-file= --cachegrind-out-file=",
        transparent=False,
    ),
    Wrapper(
        names="fakeroot",
        reason="runs its arguments as if by root; loads a library",
        options="-u -v -h --unknown-is-real --version --help",
        runs="-l= --lib= --faked= -s= -i= -b=",
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="flock",
        reason="runs its arguments while it holds a lock",
        options="-s -x -e -n -o -u -F -w= -E= -h -V --shared --exclusive --unlock --nonblock --nb --timeout= --wait= --close --no-fork --conflict-exit-code= --verbose --fcntl --help --version",
        operands=1,
        makes_file=True,
        shell_text="-c= --command=",
        transparent=False,
    ),
    Wrapper(
        names="watch",
        reason="runs its arguments as a text for a shell, again and again",
        options="-b -c -C -d? -e -f -g -h -n= -p -q= -r -t -v -w --color --no-color --differences? --help --interval= --beep --errexit --chgexit --equexit= --precise --no-title --no-wrap --no-rerun --follow --version",
        pattern="-x|--exec",
        joined=True,
        unless="-x --exec",
        transparent=False,
    ),
    Wrapper(
        names="xvfb-run",
        reason="runs its arguments with a display",
        options="-a -h -l --auto-servernum --help --listen-tcp",
        checks=(
            # It becomes part of a list of commands for xauth.
            ("-n= -w= --server-num= --wait=", r"\d+"),
            (
                "-s= --server-args=",
                r"(?:-screen \d+ \d+x\d+x\d+|-ac|-nolisten \w+|-dpi \d+|\+extension \w+|\+render|-noreset| )*",
            ),
            # It is divided at blanks, and its pieces are options of the server: one names a directory in a text for a shell.
            ("-f= --auth-file=", r"[\w./~+@%][\w./~+@%-]*"),
        ),
        writes="-e= --error-file= -f= --auth-file=",
        transparent=False,
    ),
    Wrapper(
        names="dbus-run-session",
        reason="runs its arguments with a bus",
        options="--help --version",
        runs="--config-file= --dbus-daemon=",
        transparent=False,
    ),
    Wrapper(
        names="systemd-inhibit",
        reason="runs its arguments and keeps the machine awake",
        options="-h --help --version --no-pager --no-legend --what= --who= --why= --mode= --list",
        transparent=False,
    ),
    Wrapper(
        names="gosu su-exec setuidgid",
        reason="runs its arguments as another user",
        operands=1,
        dashes=False,
        transparent=False,
    ),
    Wrapper(names="eatmydata", reason="runs its arguments without syncing", transparent=False),
    Wrapper(
        names="faketime",
        reason="runs its arguments at another time",
        # No -p: to older versions it is the time, and the next word the command.
        options="-m -f --exclude-monotonic --help --version",
        operands=1,
        dashes=False,
        transparent=False,
    ),
    Wrapper(
        names="numactl",
        reason="runs its arguments on some processors",
        options="-a -i= -p= -m= -N= -C= -l -s -H -h --all --interleave= --preferred= --membind= --cpunodebind= --physcpubind= --localalloc --show --hardware",
        transparent=False,
    ),
    Wrapper(names="catchsegv", reason="runs its arguments", dashes=False, transparent=False),
    Wrapper(
        names="torsocks torify proxychains proxychains4",
        reason="runs its arguments through a proxy",
        options="-q",
        runs="-f= -i -a= -p= -u= -P=",
        starts_shell=True,
        transparent=False,
    ),
    Wrapper(
        names="entr",
        reason="runs its arguments whenever a file changes",
        options="-a -c -d -n -p -r -z",
        shell_text="",
        replaces="/_",
        runs="-s",
        transparent=False,
    ),
    Wrapper(
        names="xargs gxargs",
        reason="runs its arguments with words from its input",
        # Those that take a value only when it is attached: -e -i -l --eof --max-lines --replace.
        options=f"-0 -E= -e? -i? -I= -l? -L= -n= -o -p -r -s= -t -x -P= -d= --null --delimiter= --eof? --replace? --max-lines? --max-args= --open-tty --interactive --no-run-if-empty --max-chars= --verbose --show-limits --exit --max-procs= {_COMMON}",
        reads="-a= --arg-file=",
        # BSD's: they take a value, GNU's xargs does not know them. The last one sets any variable, PATH too.
        runs="--process-slot-var= -J= -R= -S=",
    ),
)
