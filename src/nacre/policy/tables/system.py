# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that tell about the machine, its processes and services, and a few that change them.

Above: `tables` finds a program's entry by its name. Below: `schema`.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

_COMMON = "--help --version"
_SIGNAL = r"-(?:SIG)?[A-Z]+\d*|-\d+"

PROGRAMS = (
    Program(
        names="ps pidof pstree free vmstat uptime w whoami id groups logname tty uname netstat getconf locale printenv sw_vers",
        operands="text",
        harmless=True,
    ),
    # What another system tells, or a file instead of a device.
    Program(
        names="lscpu",
        options="-a -B -b -c -C? -e? -h -J -p? -x -y -V",
        reads="-s= --sysroot=",
        operands="text",
        harmless=True,
    ),
    Program(
        names="lsmem",
        options="-a -b -h -J -n -o= -P -r -S= -V",
        reads="-s= --sysroot=",
        operands="text",
        harmless=True,
    ),
    Program(names="lsblk", reads="--sysroot=", operands="text", harmless=True),
    Program(names="lsusb", options="-v -s= -d= -t -V -h", reads="-D=", operands="text", harmless=True),
    Program(names="pgrep", reads="-F= --pidfile=", operands="text", harmless=True),
    Program(
        names="getent",
        reason="-s names a library that is loaded",
        options="-A -i -? --no-addrconfig --no-idn --help --usage --version -V",
        runs="-s= --service=",
        operands="text",
    ),
    # Another file of logins can be named.
    Program(names="who users last", reads="-f= --file=", operands="read", harmless=True),
    Program(
        names="lastlog",
        reason="-C and -S change the records",
        options="-b= -t= -u= -h --before= --time= --user= --help",
        operands="text",
    ),
    Program(
        names="lspci",
        reason="-q asks a server, and other options name files",
        options="-m -mm -t -v -vv -vvv -k -x -xxx -xxxx -b -D -P -PP -n -nn -s= -d= --version",
        operands="text",
    ),
    Program(
        names="finger",
        reason="a name with `@` is asked for on another machine",
        options="-l -m -p -s",
        operands="text",
        refuses=".*@",
    ),
    Program(
        names="arch",
        reason="on macOS it runs its arguments",
        options=_COMMON,
        operands="text",
        refuses=r"(?!\Z)",
    ),
    Program(
        names="which whence",
        operands="text",
        harmless=True,
    ),
    # Directories can be named in which it looks.
    Program(names="whereis", operands="maybe", harmless=True),
    Program(
        names="pwd tput clear reset cal ncal",
        operands="text",
        harmless=True,
    ),
    Program(
        names="kill",
        options="-l? -L -s= -q= -h -V --list? --table --signal= --queue= --help --version",
        pattern=_SIGNAL,
        operands="text",
        harmless=True,
    ),
    Program(
        names="pkill",
        options="-A -c -e -f -g= -G= -i -I -l -L -n -o -O= -P= -q= -r= -s= -t= -u= -U= -v -V -x --count --echo --euid= --exact --full --group= --help --ignore-case --list-name --newest --older= --oldest --parent= --pgroup= --session= --signal= --terminal= --uid= --version",
        reads="-F= --pidfile=",
        pattern=_SIGNAL,
        operands="text",
        harmless=True,
    ),
    Program(
        names="killall",
        options="-e -g -i -I -l -n= -o= -q -r -s= -u= -v -V -w -y= -Z= --exact --ignore-case --interactive --list --older-than= --process-group --quiet --regexp --signal= --user= --verbose --version --wait --younger-than= --help",
        pattern=_SIGNAL,
        operands="text",
        harmless=True,
    ),
    Program(
        names="skill",
        options="-c= -d -f -h -i -l -L -n -p= -t= -u= -v -V -w --command= --fast --help --interactive --list --no-action --pid= --table --tty= --user= --verbose --version --warnings",
        pattern=_SIGNAL,
        operands="text",
        harmless=True,
    ),
    Program(
        names="hostname",
        reason="-F and -b set the name",
        options="-a -A -d -f -i -I -s -y -h -V --domain --fqdn --all-fqdns --long --short --alias --ip-address --all-ip-addresses --nis --yp --help --version",
        runs="-F= --file= -b --boot",
        operands="text",
        # A name is set.
        refuses=r"(?!\Z)",
    ),
    Program(
        names="date gdate",
        reason="-s sets the clock",
        options=f"-d= -I? -j -n -R -u -v= --date= --debug --iso-8601? --resolution --rfc-email --rfc-822 --rfc-2822 --rfc-3339= --uct --utc --universal {_COMMON}",
        reads="-f= --file= -r= --reference=",
        runs="-s= --set=",
        operands="text",
        # An operand without `+` sets the clock, too.
        refuses=r"(?!\+)",
    ),
    Program(
        names="top",
        options="-b -c -d= -E= -e= -H -h -i -n= -O -o= -p= -S -s -U= -u= -V -w? -1 -t -l= --batch-mode --cmdline-toggle --delay= --scale-summary-mem= --scale-task-mem= --threads-show --help --idle-toggle --iterations= --list-fields --sort-override= --pid= --accum-time-toggle --secure-mode --filter-any-user= --filter-only-euser= --version --width? --single-cpu-toggle",
        operands="text",
    ),
    Program(
        names="htop",
        options="-C -h -M -t -U -V -d= -F= -H? -p= -s= -u? --no-color --delay= --filter= --help --highlight-changes? --no-mouse --pid= --readonly --sort-key= --tree --user? --no-unicode --version",
        operands="text",
    ),
    Program(
        names="lsof",
        plain_values=True,
        reason="-D writes its cache, +D reads all that is below a directory",
        # None that gives back what is no value for it, to be read as more options: -oDb is -o -D b.
        options="-? -a -b -h -l -n -N -O -P -R -t -U -v -V -w -i -c= -d= -p= -u= +c= +L1",
        checks=(("-F?", r"\w+"),),
        # No letters before them that take the rest of the word: -D and -A write and read files.
        pattern=r"-[abhlnNOPRtUvVw]*(?:i[46]?(?:TCP|UDP|tcp|udp)?(?:@?[\w.:,][\w.:,-]*)?|s(?:TCP|UDP):[\w,^]+)",
        reads="-k= -m= +d= +D=",
        runs="-D? -A=",
        operands="read",
        # Glued to its value, +D is not read as an option here.
        refuses=r"\+[dDm]",
    ),
    Program(
        names="fuser",
        options="-4 -6 -a -c -i -k -l -m -M -n= -s -u -v -V -w --all --interactive --kill --list-signals --mount --namespace= --silent --user --verbose --version",
        pattern=r"-(?:SIG)?[A-Z]+|-\d+",
        operands="text",
    ),
    Program(
        names="ss",
        reason="-K closes sockets, -D and -F name files",
        options="-0 -4 -6 -a -A= -b -c -d -e -E -f= -g -h -H -i -l -m -M -n -N= -o -O -p -r -R -s -S -t -T -u -v -V -w -W -x -z -Z --numeric --resolve --options --extended --memory --info --processes --threads --bpf --events --tcp --sctp --udp --raw --unix --all --listening --ipv4 --ipv6 --packet --family= --socket= --query= --summary --context --contexts --tos --cgroup --no-header --xdp --mptcp --oneline --inet-sockopt --route --interfaces --statistics --programs --timers --groups --wide --help --version",
        reads="-F= --filter=",
        writes="-D= --diag=",
        runs="-K --kill",
        operands="text",
    ),
    Program(
        names="ip",
        reason="a batch is a list of commands, `netns exec` and `vrf exec` run programs, the rest changes the network",
        style="words",
        options="-V -Version -h -human -human-readable -s -stats -statistics -d -details -f= -family= -4 -6 -B -0 -o -oneline -r -resolve -t -timestamp -ts -a -all -c? -color? -br -brief -j -json -p -pretty -N -Numeric -iec",
        runs="-b= -batch= -force -n= -netns= -rc= -rcvbuf= -l=",
        operands="text",
        spelled="netns vrf xfrm l2tp macsec mptcp monitor tunnel tuntap token",
        commands=(
            # Actions are spelled in full here: of `ip link s` only ip knows whether it sets or shows.
            Program(
                names="a addr address l link r route n neigh neighbor neighbour ru rule maddr maddress mroute",
                style="words",
                reason="everything but looking changes the network",
                commands=(Program(names="show list ls get", style="words", operands="text", harmless=True),),
            ),
        ),
    ),
    Program(
        names="ifconfig",
        reason="operands change the network",
        options="-a -s -v -h --help --version",
        operands="text",
        refuses=r"(?![a-z]+[0-9]*\Z)",
        max_operands=1,
    ),
    Program(
        names="systemctl",
        reason="it starts, stops and changes services; another root or machine is another system",
        options="-h -t= -p= -P= -a -l -q -f -n= -o= -i -T -r --help --version --type= --property= --all --reverse --after --before --show-types --failed --full --value --user --system --wait --no-block --legend= --no-legend --no-pager --no-wall --dry-run --quiet --lines= --output= --plain --state= --recursive --with-dependencies --timestamp= --no-ask-password --now --force --runtime --signal= -s= --kill-whom= --job-mode= --ignore-inhibitors --no-reload --marked --show-transaction --what=",
        runs="--root= --image= -H= --host= -M= --machine= --preset-mode= --firmware-setup --boot-loader-menu= --boot-loader-entry= --global --mkdir --read-only --message= --reboot-argument=",
        persistent=True,
        spelled="edit help set-environment unset-environment import-environment link enable disable reenable preset preset-all mask unmask add-wants add-requires set-property set-default bind mount-image switch-root daemon-reexec reboot poweroff halt kexec suspend hibernate rescue emergency default isolate exit service-log-level service-log-target log-level log-target freeze thaw revert clean",
        commands=(
            Program(
                names="status show cat list-units list-sockets list-timers list-jobs list-unit-files list-dependencies list-machines list-automounts list-paths is-active is-failed is-enabled is-system-running get-default show-environment whoami",
                operands="text",
            ),
            Program(
                names="start stop restart reload try-restart reload-or-restart try-reload-or-restart condrestart kill reset-failed daemon-reload cancel",
                operands="text",
                reason="some units are a shell for everybody, or the end of the system",
                refuses=r".*(?:\.target\Z|[*?\[])|debug-shell|emergency|rescue|console-shell|(?:\w+-)?getty@|autovt@|systemd-(?!journald|logind|networkd|resolved|timesyncd|udevd)",
            ),
        ),
    ),
    Program(
        names="journalctl",
        reason="other roots, machines and directories; --cursor-file writes, --vacuum and --rotate change the journal",
        # `-b -1`: the boot before this one.
        numbers=True,
        options="-h -e -f -o= -a -l -n? -q -m -b? -k -p= -g= -c= -S= -U= -t= -T= -u= -N -F= -x -r --help --version --no-pager --pager-end --follow --output= --all --full --no-full --lines? --no-tail --quiet --merge --this-boot --boot? --list-boots --list-invocations --invocation= --dmesg --system --user --header --identifier= --exclude-identifier= --priority= --facility= --grep= --case-sensitive? --verify --disk-usage --cursor= --after-cursor= --show-cursor --since= --until= --unit= --user-unit= --field= --fields --catalog --list-catalog --dump-catalog --reverse --utc --no-hostname --output-fields= --namespace= --truncate-newline",
        reads="-D= --directory= --file= -i=",
        writes="--cursor-file=",
        runs="--root= --image= -M= --machine= --rotate --vacuum-size= --vacuum-files= --vacuum-time= --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog --verify-key= --interval= --new-id128 --force",
        operands="text",
    ),
    Program(
        names="loginctl hostnamectl timedatectl localectl networkctl systemd-analyze",
        plain_values=True,
        reason="it changes the system; other machines and debuggers",
        persistent=True,
        commands=(
            Program(
                names="status show list session-status user-status seat-status timesync-status list-sessions list-users list-seats list-inhibitors list-timezones list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts list-x11-keymap-variants list-x11-keymap-options show-session show-user show-seat show-timesync lldp info blame time critical-chain calendar timespan timestamp unit-paths",
                operands="text",
                plain_values=True,
            ),
        ),
        options="-h -p= -P= -a -l -n= -o= -q -r -1 --help --version --property= --all --value --full --no-pager --no-legend --lines= --output= --json= --since= --until= --user --system --static --transient --pretty",
        runs="-H= --host= -M= --machine= --root= --image= --debugger= --debugger-arguments= -D= --directory= --file=",
        operands="text",
    ),
    Program(
        names="systemd-cgls",
        plain_values=True,
        reason="other machines",
        options="-h -p= -P= -a -l -n= -o= -q -r -1 --help --version --property= --all --value --full --no-pager --no-legend --lines= --output= --json= --since= --until= --user --system --static --transient --pretty",
        runs="-H= --host= -M= --machine= --root= --image= --debugger= --debugger-arguments= -D= --directory= --file=",
        operands="text",
        refuses=r"(?![\w@.:-]+\.(?:service|target|timer|socket)\Z|\d+\Z)",
    ),
    Program(
        names="coredumpctl",
        plain_values=True,
        reason="debuggers are programs; a dump is written",
        options="-h -n= -q -r -1 -F= -S= -U= --help --version --no-pager --no-legend --json= --since= --until= --reverse --quiet --field= --all",
        # Older versions empty the file whatever they are asked for.
        writes="-o= --output=",
        runs="--debugger= --debugger-arguments= -A= -D= --directory= --file= --root= --image=",
        persistent=True,
        commands=(Program(names="list info", operands="text", plain_values=True),),
    ),
    Program(
        names="dmesg",
        reason="-C clears the messages, -n and the like set the console",
        options="-d -e -f= -H -h -J -k -L? -l= -P -p -r -S -s= -T -t -u -V -W -w -x -A --buffer-size= --color? --decode --facility= --follow --follow-new --human --help --json --kernel --level= --since= --syslog --raw --reltime --show-delta --ctime --noescape --notime --nopager --until= --userspace --version --time-format= --force-prefix",
        reads="-F= --file= -K= --kmsg-file=",
        runs="-C -c -D -E -n= -i --clear --read-clear --console-off --console-on --console-level=",
        operands="text",
    ),
    Program(
        names="findmnt",
        reason="another table of file systems",
        options="-A -b -C -c -D -e -f -h -i -J -k -l -m -n -P -R -r -s -U -u -V -v -y -t= -o= -O= -S= -M= -N= -d= --all --ascii --canonicalize --direction= --evaluate --fstab --first-only --invert --json --kernel --list --df --mtab --mountpoint= --noheadings --nofsroot --notruncate --options= --output= --output-all --pairs --raw --real --pseudo --source= --submounts --task= --tree --types= --uniq --verbose --verify --bytes --help --version",
        reads="-T= --target= -F= --tab-file=",
        operands="text",
    ),
    Program(
        names="mount umount",
        reason="it mounts file systems, some of which are programs",
        options="-h -l -V -v --help --version --verbose",
        runs="-T= --fstab= -o= -t= --options= --types= --bind --move --all",
        operands="text",
        refuses=r"(?!\Z)",
    ),
    Program(
        names="sysctl",
        reason="-w and -p change the kernel's settings",
        options="-a -A -b -e -h -n -N -q -r= -V --all --names --values --ignore --binary --quiet --pattern= --help --version --deprecated",
        runs="-w --write -p? --load? --system -f?",
        operands="text",
        refuses=r".*=",
    ),
    Program(
        names="man",
        plain_values=True,
        reason="the pager, browsers and preprocessors are programs",
        options="-7 -a -d -D -f -i -I -k -K -u -V -w -W -? --all --apropos --whatis --global-apropos --where --path --location --where-cat --location-cat --ignore-case --match-case --regex --wildcard --names-only --no-subpages --ascii --no-hyphenation --nh --no-justification --nj --help --usage --version --debug --default",
        # Parts of the names of pages and directories.
        checks=(("-s= -S= -e= -L= -R= -E= --sections= --extension= --locale= --encoding=", r"[\w:,.+@-]*"),),
        # Pages are formatted by groff, which reads them as programs.
        runs="-P= --pager= -r= --prompt= -H? --html? -C= --config-file= -p= --preprocessor= -X? --gxditview? -T? --troff-device? -l --local-file -M= --manpath= -m= --systems= -t --troff -Z --ditroff -c --catman --warnings?",
        operands="text",
        refuses=r".*/",
    ),
    Program(
        names="apropos whatis tldr",
        options="-d -v -e -w -r -a -l -s= -L= -h -V --debug --verbose --exact --wildcard --regex --and --long --sections= --section= --locale= --help --version --list --platform= --language=",
        operands="text",
    ),
    Program(
        names="info",
        plain_values=True,
        reason="a session of commands is restored; logs are written; a shell reads the names of packed files",
        options="-a -h -k= -w -O --all --help --index-search= --where --location --apropos= --subnodes --usage --version",
        reads="-f= --file= -d= --directory=",
        checks=(
            ("-f= --file= -d= --directory=", r"[\w./~+,:@%-]*"),
            ("-n= --node=", r"[\w ,.()+:-]*"),
        ),
        writes="-o= --output= --dribble=",
        runs="--restore= --init-file= -v= --variable=",
        operands="maybe",
        refuses=r".*[^\w./~+,:@%() -]|(?=[^/]*/)[^ ]* ",
    ),
    Program(
        names="hyperfine",
        reason="runs texts for a shell, again and again, with parameters in them; reports are written",
        options="-w= -m= -M= -r= -i -u= -n= -N -h -V --warmup= --min-runs= --max-runs= --runs= --style= --ignore-failure --time-unit= --command-name= --show-output --help --version",
        checks=(("-S= --shell=", "default|none"), ("--output=", "null|pipe|inherit")),
        writes="--export-asciidoc= --export-csv= --export-json= --export-markdown= --export-orgmode=",
        # The first six are texts for a shell.
        runs="-s= --setup= -p= --prepare= -c= --cleanup= -P= --parameter-scan= -D= --parameter-step-size= -L= --parameter-list= --input= --reference= --conclude= -C=",
        operands="text",
    ),
    Program(
        names="crontab",
        reason="it changes what runs later",
        options="-l",
        runs="-e -r -i -s -u=",
        operands="write",
    ),
    Program(
        names="ssh-keygen",
        reason="it writes keys and loads libraries",
        options="-l -v -q -B -E= -y -L -t= -b= -C= -N= -F= -h",
        writes="-f= -H -R= -c -p -A -G= -M= -K -s= -k",
        runs="-D= -w= -Y= -O=",
        operands="text",
        # Else a key is made, in a file that its input names.
        only_with="-l -B -y -L -F -f -H -R -c -p -A -G -M -K -s -k",
    ),
    Program(
        names="ssh-add",
        plain_values=True,
        reason="a library is loaded; constraints name other hosts, and files of them",
        options="-l -L -D -d -q -v -T -c -k -t=",
        runs="-s= -e= -S= -h= -H=",
        operands="maybe",
    ),
    Program(
        names="ssh-keyscan",
        plain_values=True,
        reason="a file of hosts",
        options="-4 -6 -c -D -H -v -p= -t= -T=",
        reads="-f=",
        operands="text",
    ),
    Program(
        names="gpg gpg2",
        plain_values=True,
        reason="programs, photo viewers and key servers are options; output is written",
        options="-k -K -v -q -h -a -d --list-keys --list-secret-keys --list-sigs --fingerprint --list-packets --verify --version --help --verbose --quiet --armor --batch --no-tty --with-colons --keyid-format= --with-fingerprint --print-md= --decrypt --export",
        writes="-o= --output=",
        runs="--homedir= --options= --agent-program= --dirmngr-program= --pinentry-mode= --photo-viewer= --exec-path= --keyserver= --status-file= --logger-file= --gpgconf-program= --passphrase-fd= --passphrase-file= --passphrase=",
        operands="read",
        # Without a command it decrypts into a file of the message's own naming.
        unpacks=True,
        looks="-k -K -d -h --list-keys --list-secret-keys --list-sigs --fingerprint --list-packets --verify --version --help --print-md --decrypt --export -o --output",
        only_with="-k -K -d -h --list-keys --list-secret-keys --list-sigs --fingerprint --list-packets --verify --version --help --print-md --decrypt --export -o --output",
    ),
    Program(
        names="nano pico micro",
        plain_values=True,
        reason="spell checkers, formatters and other settings are programs",
        options="-h -V -v -l -E -i -w -m -t -c -I -R -x -Z -T= -r= -Y= --help --version --view --linenumbers --tabstospaces --autoindent --nowrap --mouse --constantshow --ignorercfiles --restricted --tabsize= --fill= --syntax=",
        runs="-s= --speller= -f= --rcfile= -o= --operatingdir= -C= --backupdir= -X= -Q= -B --backup -G --locking",
        numbers=True,
        operands="change",
        refuses=r"\+(?![0-9,]+\Z)",
    ),
)
