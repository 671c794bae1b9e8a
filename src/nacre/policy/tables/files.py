# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that list, find, make, move and remove files.

Above: `tables` finds a program's entry by its name. Below: `schema`. Where changing files is what a program is
for (`rm`, `mkdir`), a rule for it is the permission to do so; its operands are known for the sake of fences and
of nacre's own files.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

_COMMON = "--help --version"
_BACKUP = "-b -S= --backup? --suffix="
_KEPT = r"\.?(?:bak|backup|old|orig|save)|~"
# Functions of perl that run, load, print or change something, most of them by the name of the file that is renamed.
_PERL_ACTS = "eval|evalbytes|readpipe|require|do|exec|system|qx|fork|kill|syscall|dump|glob|open|opendir|sysopen|unlink|rmdir|mkdir|chroot|chdir|chmod|chown|utime|link|symlink|rename|truncate|chop|chomp|print|printf|say|write"

PROGRAMS = (
    Program(
        names="ls dir vdir gls",
        options=f"-a -b -c -d -e -f -g -h -i -k -l -m -n -o -p -q -r -s -t -u -v -x -A -B -C -D -F -G -N -O -P -Q -R -S -U -W -X -Z -1 -@ -% --all --escape --directory --dired --full-time --group-directories-first --human-readable --inode --kibibytes --numeric-uid-gid --no-group --hide-control-chars --reverse --size --width= --almost-all --ignore-backups --classify? --file-type --si --hide= --ignore= --indicator-style= --literal --quote-name --quoting-style= --recursive --format= --show-control-chars --sort= --tabsize= --time= --time-style= --zero --color? --hyperlink? --block-size= --context --author {_COMMON}",
        # To BSD's they take no value, and the next word is listed.
        reads="-I= -T= -w=",
        follows="-L -H --dereference --dereference-command-line --dereference-command-line-symlink-to-dir",
        operands="read",
        harmless=True,
    ),
    Program(
        names="eza exa",
        options="-1 -a -A -B -D -F -G -H -I= -L= -R -S -T -U -b -d -f -g -h -i -l -m -n -o -r -s= -t= -u -x -@ --all --almost-all --across --binary --blocks --bytes --changed --classify? --created --accessed --git --git-ignore --grid --group --group-directories-first --header --icons? --ignore-glob= --inode --level= --links --list-dirs --long --modified --no-permissions --no-filesize --no-user --no-time --numeric --oneline --only-dirs --only-files --recurse --reverse --sort= --time= --time-style= --total-size --tree --depth= --help --version",
        # Another word behind them is listed.
        checks=(("--color= --colour=", "always|auto|automatic|never"),),
        follows="-X --dereference --follow-symlinks --stdin",
        operands="read",
        harmless=True,
    ),
    Program(
        names="lsd",
        options="-1 -a -A -d -F -g -h -i -I= -l -N -r -R -s -S -t -U -v -V -X -Z --all --almost-all --blocks= --classic --classify --color= --date= --depth= --directory-only --extensionsort --git --gitsort --group-directories-first --group-dirs= --header --human-readable --hyperlink= --icon= --icon-theme= --ignore-glob= --inode --literal --long --no-sort --no-symlink --oneline --permission= --recursive --reverse --size= --sizesort --sort= --timesort --total-size --tree --truncate-owner-after= --versionsort --help --version",
        reads="--config-file=",
        follows="-L --dereference",
        operands="read",
        harmless=True,
    ),
    Program(
        names="tree",
        plain_values=True,
        reason="-o writes; -R runs tree again, by a shell that reads the names of directories",
        options="-a -d -f -i -p -u -g -s -h -D -F -q -N -Q -r -t -c -U -v -n -C -A -S -X -J -x -L= -P= -I= -H= -T= --inodes --device --noreport --nolinks --charset= --filelimit= --du --si --timefmt= --dirsfirst --filesfirst --sort? --prune --matchdirs --ignore-case --metafirst --gitignore --info --fflinks --help --version --compress= --hyperlink --scheme= --authority= --opt-toggle --fromtabfile",
        reads="--gitfile= --infofile= --hintro= --houtro= --fromfile --filesfrom",
        follows="-l",
        writes="-o=",
        runs="-R",
        operands="read",
        pattern=r"-L\d+",
        apart=True,
    ),
    Program(
        names="stat gstat",
        options=f"-c= -f -t -F -l -n -q -r -s -x --file-system --format= --printf= --terse --cached= {_COMMON}",
        follows="-L --dereference",
        operands="read",
        harmless=True,
    ),
    Program(
        names="file",
        reason="-C compiles a file; magic files are read as instructions",
        options="-b -c -d -e= -E -F= -h -i -I -k -l -n -N -P= -r -s -v -z -Z -0 --help --version --uncompress --uncompress-noreport --brief --checking-printout --exclude= --exclude-quiet= --separator= --mime --apple --extension --mime-type --mime-encoding --keep-going --list --no-dereference --no-buffer --no-pad --print0 --parameter= --raw --special-files --debug",
        reads="-m= --magic-file=",
        follows="-L --dereference -f= --files-from=",
        writes="-C --compile",
        runs="-S --no-sandbox",
        operands="read",
    ),
    Program(
        names="du gdu",
        options=f"-0 -a -A -b -d= -c -g -h -I= -k -l -m -n -s -t= -x -B= -P -S --all --apparent-size --block-size= --bytes --count-links --exclude= --human-readable --inodes --si --max-depth= --null --no-dereference --one-file-system --separate-dirs --summarize --total --threshold= --time? --time-style= {_COMMON}",
        reads="-X= --exclude-from=",
        follows="-L -D -H --dereference --dereference-args --files0-from=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="df gdf",
        options=f"-a -b -B= -c -g -i -I -F= -h -H -k -l -m -n -P -T -t= -v -x= -Y -y -, --all --block-size= --inodes --human-readable --si --local --output? --portability --print-type --sync --no-sync --total --type= --exclude-type= {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="realpath grealpath readlink greadlink",
        options=f"-e -E -f -L -m -n -P -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --silent --verbose --quiet --strip --no-symlinks --zero --logical --physical {_COMMON}",
        reads="--relative-to= --relative-base=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="namei pathchk",
        options="-h -V -l -m -n -o -v -x -Z -p -P --help --version --mountpoints --modes --owners --long --nolinks --vertical --context --portability",
        operands="read",
        harmless=True,
    ),
    Program(
        names="locate plocate mlocate",
        reason="older versions make a database with -u, -U and -o",
        options="-A -b -c -e -E -H -i -l= -L -n= -N -p -P -q -r= -s -S -w -0 --all --basename --count --existing --ignore-case --limit= --literal --null --regex --regexp= --statistics --transliterate --wholename --help --version",
        reads="-d= --database=",
        operands="text",
    ),
    Program(
        names="touch gtouch",
        options=f"-A= -a -c -d= -f -h -m -t= --time= --no-create --date= --no-dereference {_COMMON}",
        reads="-r= --reference=",
        operands="touch",
        harmless=True,
    ),
    Program(
        names="mkdir gmkdir rmdir",
        options=f"-p -m= -v -Z --context? --mode= --parents --verbose --ignore-fail-on-non-empty --path {_COMMON}",
        operands="touch",
        harmless=True,
    ),
    Program(
        names="mkfifo",
        options=f"-m= -Z --context? --mode= {_COMMON}",
        operands="change",
    ),
    Program(
        names="mknod",
        reason="a device is another way to a disk or to memory",
        options=f"-m= -Z --context? --mode= {_COMMON}",
        operands="change text",
        refuses=r"[bcu]\Z",
    ),
    Program(
        names="cp gcp",
        reason="to some versions the word behind it is a file",
        suffixes="-S --suffix",
        options=f"-a -c -d -f -i -l -n -p -r -s -u -v -x -P -R -T -X -Z {_BACKUP} --archive --attributes-only --copy-contents --debug --force --interactive --link --no-clobber --no-dereference --no-preserve= --no-target-directory --one-file-system --parents --path --preserve? --recursive --remove-destination --sparse= --reflink? --strip-trailing-slashes --symbolic-link --update? --verbose --context? {_COMMON}",
        changes="-t= --target-directory=",
        follows="-L -H --dereference --keep-directory-symlink",
        # On macOS -S takes no value, and the next word is a file that is copied.
        checks=(("-S=", _KEPT),),
        links="-l -s --link --symbolic-link",
        operands="copy",
        harmless=True,
    ),
    Program(
        names="mv gmv",
        suffixes="-S --suffix",
        options=f"-f -h -i -n -u -v -T -Z {_BACKUP} --context --debug --exchange --force --interactive --no-clobber --no-copy --no-target-directory --strip-trailing-slashes --update? --verbose {_COMMON}",
        changes="-t= --target-directory=",
        operands="change",
        harmless=True,
    ),
    Program(
        names="ln gln",
        suffixes="-S --suffix",
        options=f"-d -f -h -i -n -r -s -v -w -F -P -T {_BACKUP} --directory --no-dereference --no-target-directory --force --interactive --physical --relative --symbolic --verbose {_COMMON}",
        changes="-t= --target-directory=",
        follows="-L --logical",
        symlinks="-s --symbolic",
        # A link is a second name: what it points at counts as changed, too.
        operands="change",
        harmless=True,
    ),
    Program(
        names="link unlink",
        options=_COMMON,
        operands="change",
        harmless=True,
    ),
    Program(
        names="rm grm",
        options=f"-d -f -i -r -v -x -I -P -R -W --force --interactive? --one-file-system --no-preserve-root --preserve-root? --recursive --dir --verbose {_COMMON}",
        operands="touch",
        harmless=True,
    ),
    Program(
        names="install ginstall",
        suffixes="-S --suffix",
        reason="--strip-program is a program",
        options=f"-c -C -D -d -g= -m= -o= -p -T -v -Z {_BACKUP} --compare --context? --debug --directory --group= --mode= --no-target-directory --owner= --preserve-timestamps --preserve-context --verbose {_COMMON}",
        changes="-t= --target-directory=",
        # In BSD's install -S takes no value, and the next word is an option, or a file that is copied.
        checks=(("-S=", _KEPT),),
        runs="-s --strip --strip-program=",
        # All of them are directories that are made.
        links="-d --directory",
        operands="copy",
    ),
    Program(
        names="chmod gchmod",
        # `-x` and the like are modes: they are read as options here, and the mode is then the next operand.
        options=f"-R -c -f -h -v --changes --recursive --no-preserve-root --preserve-root --quiet --silent --verbose --dereference --no-dereference {_COMMON}",
        pattern=r"-[rwxXstugoa,+=0-7-]+",
        reads="--reference=",
        follows="-H -L -P",
        operands="touch",
        harmless=True,
    ),
    Program(
        names="chown chgrp gchown gchgrp",
        options=f"-R -P -c -f -h -n -v -x --recursive --changes --from= --no-dereference --no-preserve-root --preserve-root --quiet --silent --verbose {_COMMON}",
        reads="--reference=",
        follows="-H -L --dereference",
        operands="touch",
        harmless=True,
    ),
    Program(
        names="truncate shred gtruncate",
        options=f"-c -f -n= -o -s= -u -v -x -z --no-create --io-blocks --size= --exact --force --iterations= --remove? --verbose --zero {_COMMON}",
        reads="-r= --reference= --random-source=",
        operands="change",
    ),
    Program(
        names="mktemp gmktemp",
        options=f"-d -q -t -u -V --directory --quiet --dry-run --suffix= {_COMMON}",
        changes="-p= --tmpdir?",
        operands="change",
        harmless=True,
    ),
    Program(
        names="dd gdd",
        reason="of= is written",
        style="words",
        options=_COMMON,
        # Its operands are `name=value`; `programs` reads them.
        operands="text",
        dashes=False,
    ),
    Program(
        names="sync",
        options=f"-d -f --data --file-system {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="patch",
        reason="an ed script is a program, and so is what fetches a file from a version control system",
        suffixes="-z --suffix",
        options="-b -c -C -E -f -F= -l -n -N -p= -R -s -t -T -u -v -V= -x= -z= -Z --backup --context --dry-run --check --remove-empty-files --force --fuzz= --ignore-whitespace --normal --forward --strip= --reverse --quiet --silent --batch --unified --version --verbose --version-control= --suffix= --set-time --set-utc --backup-if-mismatch --no-backup-if-mismatch --posix --quoting-style= --reject-format= --read-only= --merge? --binary --help",
        reads="-i= --input=",
        enters="-d= --directory=",
        changes="-o= --output= -r= --reject-file=",
        # The beginning of a name can be a directory: -B .git/ keeps a copy of `config` there.
        runs="-e --ed -g= --get= -D= --ifdef= -B= -Y= --prefix= --basename-prefix=",
        operands="change read",
        # The file that is named, too, is put where the patch says: `rename to .git/hooks/x`.
        unpacks=True,
        brings_links=True,
        looks="-C -o -v --check --dry-run --output --version --help",
    ),
    Program(
        names="rename prename file-rename",
        reason="its first operand is code in some versions",
        operands="text change",
        options="-v -n -f -h -V --verbose --no-act --nono --force --help --version",
        # `exec reboot` is code without any sign, and so are `readpipe` and `s.a.eval.e`: they run the names of files.
        # What `s.a.b.` makes of a name could be any name, behind a blank or another expression, too: `x.s.a.b.`.
        refuses=rf".*[^A-Za-z0-9_. -]|.*[A-Za-z].* |(?:.*[^A-Za-z0-9_])?(?:s|y|tr)([. -])(?:(?!\1).)*\1(?:(?!\1).)*\1|(?:.*[^A-Za-z0-9_])?(?:{_PERL_ACTS})(?![A-Za-z0-9_])",
    ),
    Program(
        names="fd fdfind",
        plain_values=True,
        reason="it runs a program for each hit",
        options="-H -I -u -s -i -g -F -a -p -0 -q -1 -h -V -t= -e= -E= -d= -S= -c= -j= -o= --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --print0 --type= --extension= --exclude= --max-depth= --min-depth= --exact-depth= --prune --size= --changed-within= --changed-before= --owner= --color= --hyperlink? --threads= --max-results= --quiet --show-errors --path-separator= --strip-cwd-prefix? --one-file-system --and= --format= --max-buffer-time= --help --version --batch-size= --no-require-git --newer= --older=",
        reads="--search-path= --ignore-file=",
        # It has ls show the hits.
        runs="-l --list-details",
        enters="-C= --base-directory=",
        follows="-L --follow",
        operands="text read",
    ),
)

# find: the words of its expressions, and how many values follow them.
FIND_FLAGS = (
    "( ) ! , -a -and -o -or -not -daystart -nowarn -warn -depth -d -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -empty "
    "-executable -readable -writable -false -true -nouser -nogroup -print -print0 -ls -prune -quit -help --help -version --version"
)
FIND_VALUES = (
    "-amin -atime -cmin -ctime -mmin -mtime -context -fstype -gid -group -uid -user -ilname -lname -iname -name -ipath -path -iwholename "
    "-wholename -inum -iregex -regex -regextype -links -maxdepth -mindepth -perm -printf -size -type -xtype -used -newermt -newerat -newerct -newerBt"
)
FIND_READS = "-newer -anewer -cnewer -samefile -newermm -newerma -newermc -neweram -neweraa -newerac -newercm -newerca -newercc -files0-from"
FIND_FOLLOWS = "-follow -L -H"
FIND_WRITES = "-fprint -fprint0 -fls"
FIND_RUNS = "-exec -execdir -ok -okdir"
