# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that pack and unpack.

Above: `tables` finds a program's entry by its name. Below: `schema`. `programs` knows tar's old style of
options, and when tar writes.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import Program

TAR = Program(
    names="tar gtar bsdtar",
    reason="filters, checkpoint actions, scripts and lists of options are programs",
    options="-A -c -d -r -t -u -x -n -S -k -U -O -m -p -B -i -a -j -J -z -Z -l -R -v -w -o -? -b= -V= -K= -q -y --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get --check-device --hole-detection= --ignore-failed-read --level= --no-check-device --no-seek --seek --occurrence? --sparse-version= --sparse --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-vcs --exclude-vcs-ignores --no-null --no-recursion --no-unquote --null --recursion --unquote --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-newer-files --keep-old-files --no-overwrite-dir --overwrite --overwrite-dir --skip-old-files --unlink-first --verify --to-stdout --atime-preserve? --clamp-mtime --delay-directory-restore --group= --mode= --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --owner= --preserve-permissions --same-permissions --same-owner --sort= --preserve-order --same-order --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --xattrs-exclude= --xattrs-include= --force-local --blocking-factor= --read-full-records --ignore-zeros --record-size= --format= --old-archive --portability --posix --label= --auto-compress --bzip2 --xz --lzip --lzma --lzop --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --backup? --hard-dereference --starting-file= --one-file-system --suffix= --strip-components= --transform= --xform= --checkpoint? --full-time --check-links --no-quote-chars= --quote-chars= --quoting-style= --block-number --show-defaults --show-omitted-dirs --show-transformed-names --show-stored-names --totals? --utc --verbose --warning= --interactive --confirmation --help --restrict --usage --version",
    # A date can be that of a file.
    reads="-X= --exclude-from= --group-map= --owner-map= --add-file= -N= --mtime= --newer= --newer-mtime= --after-date=",
    enters="-C= --directory=",
    # The archive, unless it is read: `programs` knows.
    changes="-f= --file=",
    # It is seen from the directory of -C.
    fills="--one-top-level?",
    follows="-h -P --dereference --absolute-names",
    checks=(
        # In BSD's tar -H takes no value, and the next word is a file.
        ("-H=", "gnu|oldgnu|pax|posix|ustar|v7"),
        # Other settings give members another name or target.
        ("--pax-option=", r"(?:(?:glob)?exthdr\.name=[\w%/.-]+|delete=[\w.*]+|,)*"),
        # A file in each directory: with a slash it is one elsewhere.
        (
            "--exclude-ignore= --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all= --exclude-tag-under=",
            r"[^/]+",
        ),
    ),
    writes="--index-file= --volno-file= --remove-files --recursive-unlink",
    # In BSD's tar -W is any long option, and -s takes the next word, such as `-Ca-b-`. A list of files may hold options. A link that is kept leads files elsewhere. At the end of a volume `!` on its input starts a shell.
    # What an incremental archive does not list is removed.
    runs="-G --incremental -g= --listed-incremental= --keep-directory-symlink -s= -W= -M -L= --multi-volume --tape-length= -T= --files-from= --verbatim-files-from --no-verbatim-files-from --to-command= --ignore-command-error --no-ignore-command-error -I= --use-compress-program= --checkpoint-action= -F= --info-script= --new-volume-script= --rmt-command= --rsh-command= --show-snapshot-field-ranges",
    operands="maybe",
    suffixes="--suffix",
    # What takes a value in GNU's tar (-H) takes none in BSD's.
    plain_values=True,
)

_SQUEEZE = "-a -b= -c -d -f -h -k -l -L -m -M -n -q -s -t -v -V -z --ascii --to-stdout --stdout --decompress --uncompress --compress --force --help --keep --list --license --no-name --quiet --silent --synchronous --test --verbose --version --fast --best --rsyncable --small"
_STORED_NAME = "with -N a file gets the name that is written in the archive"

_RESTORES = "-d --decompress --uncompress"
_SHOWS = "-c --stdout --to-stdout"
_GZIP = Program(
    names="gzip pigz bzip2 pbzip2",
    plain_values=True,
    reason=_STORED_NAME,
    runs="-N --name",
    options=f"{_SQUEEZE} -H -? -r -S= -Z --recursive --suffix= --lzw",
    # To pbzip2 another word behind them is a file.
    checks=(("-b= -p= --bits= --processes=", r"\d+"),),
    numbers=True,
    operands="squeeze",
    trees="-r --recursive",
    restores=_RESTORES,
    looks=_SHOWS,
    names_files="-S --suffix",
)
_XZ = Program(
    names="xz lzma",
    plain_values=True,
    reason="files that a list names are changed",
    options=f"-C= -e -F= -H -M= -Q -r -S= -T= -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 {_SQUEEZE.replace(' -M ', ' ')} --single-stream --no-sparse --suffix= --format= --check= --ignore-check --block-size= --block-list= --memlimit-compress= --memlimit-decompress= --memlimit-mt-decompress= --memlimit= --memory= --no-adjust --threads= --flush-timeout= --extreme --lzma1? --lzma2? --x86? --arm? --arm64? --delta? --no-warn --robot --info-memory --long-help",
    runs="--files? --files0?",
    operands="squeeze",
    trees="-r --recursive",
    names_files="-S --suffix",
    restores=_RESTORES,
    looks=_SHOWS,
)
# lz4 restores a file by the end of its name alone.
_LZ4 = Program(
    names="unzstd lz4 unlz4",
    plain_values=True,
    reason="files that a list names are changed",
    # A number stands in the same word, or there is none.
    options="-c -C -d -e? -f -h -H -k -l -m -q -r -t -v -V -z -T? -b? -i? -S -n -1 -2 -3 -4 -5 -6 -7 -8 -9 --ultra --long? --fast? --adapt --rm --no-progress --progress --quiet --verbose --version --help --stdout --keep --force --test --list --threads= --no-check --check --content-size --sparse --no-sparse --rsyncable --single-thread --size-hint= --format= --memory= --best --decompress --compress",
    reads="-D= --patch-from=",
    runs="--filelist=",
    changes="-o= --output=",
    # With -r the names are those that are found.
    fills="--output-dir-flat= --output-dir-mirror=",
    numbers=True,
    operands="squeeze",
    trees="-r --recursive",
    looks=_SHOWS,
)

PROGRAMS = (
    TAR,
    _GZIP,
    replace(_GZIP, names="gunzip unpigz bunzip2", restores=""),
    Program(
        names="uncompress",
        plain_values=True,
        reason=_STORED_NAME,
        runs="-N --name",
        options=f"{_SQUEEZE} -r -S=",
        operands="squeeze",
        trees="-r --recursive",
        looks=_SHOWS,
        names_files="-S --suffix",
    ),
    Program(
        names="zcat gzcat",
        plain_values=True,
        options=f"{_SQUEEZE} -N -r -S= --name",
        operands="read",
        trees="-r --recursive",
    ),
    Program(
        names="bzcat",
        options="-c -d -f -h -k -L -q -s -t -v -V --decompress --force --help --keep --license --quiet --small --stdout --test --verbose --version",
        operands="read",
    ),
    # Both are programs that write, with another beginning: with -o they would.
    Program(
        names="zstdcat lz4cat",
        reason="with other options it writes files",
        options="-c -d -f -h -H -k -l -m -q -t -v -V --decompress --force --help --keep --list --no-progress --quiet --stdout --test --verbose --version --no-check",
        reads="-D=",
        plain_values=True,
        operands="read",
    ),
    Program(
        names="zless zmore xzless xzmore",
        reason="commands after `+` do more than show text",
        options="-h -V -N -R -S -F -X -i -n --help --version",
        operands="read",
        refuses=r"\+",
    ),
    Program(
        names="xzcat lzcat",
        options=f"-F= -M= -T= {_SQUEEZE.replace(' -M ', ' ')}",
        operands="read",
    ),
    Program(
        names="zdiff zcmp bzdiff bzcmp xzdiff xzcmp",
        reason="it is a script, to some of which a blank in a name divides it",
        options="-u -c -q -s -i -b -w -r -y -N -a -B",
        operands="read",
        trees="*",
        refuses=r".*\s",
    ),
    _XZ,
    replace(_XZ, names="unxz unlzma", restores=""),
    _LZ4,
    replace(_LZ4, names="zstd zstdmt", restores=_RESTORES),
    Program(
        names="brotli",
        options="-c -d -f -h -j -k -n -t -v -V -Z -q= -w= -S= --stdout --decompress --force --help --rm --squash --keep --no-copy-stat --test --verbose --version --best --quality= --lgwin= --suffix= --large_window=",
        reads="-D= --dictionary=",
        changes="-o= --output=",
        numbers=True,
        operands="squeeze",
        trees="-r --recursive",
        restores=_RESTORES,
        looks=_SHOWS,
        names_files="-S --suffix",
    ),
    Program(
        names="zip",
        plain_values=True,
        # Right behind -x and -i, `--` is one of the names in their list, and ends nothing.
        dashes=False,
        reason="-TT runs a command on the archive; logs are written",
        # No -l and no -T: with a second letter they are -lf (a log) and -TT (a command), also inside a cluster.
        options="-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -r -R -q -u -f -d -j -v -D -X -y -e -g -o -F -A -J -x -i -P= -Z= -h --recurse-paths --quiet --update --freshen --delete --junk-paths --verbose --no-dir-entries --no-extra --symlinks --encrypt --exclude --include --help --version --grow --filesync",
        # -tt is another option, which takes the next word; behind -nw and -db further options may stand: -dbTTcmd.
        checks=(
            ("-t=", r"\d{4}-\d\d-\d\d|\d{8}|\d{6}"),
            ("-n=", r"[.:](?s:.*)"),
            ("-b=", r"[./~](?s:.*)"),
        ),
        changes="-b= --temp-path= -O= --output-file=",
        trees="-r -R --recurse-paths",
        keeps_links="-y --symlinks",
        # The files are removed.
        writes="-m --move",
        runs="-T -TT= -l -lf= --test --unzip-command= --logfile-path= --log-append --log-info -@ --names-stdin -c -z",
        operands="change maybe",
    ),
    Program(
        names="unzip",
        expands=True,
        plain_values=True,
        # To unzip `--` ends nothing: what follows may be an option.
        dashes=False,
        reason="-M runs a pager; -: lets members leave the directory",
        options="-a -b -B -c -C -D -f -h -I= -j -K -l -L -n -o -O= -p -P= -q -s -t -T -u -U -v -V -W -x -X -z -Z -1 -2 -m -S --help --version",
        fills="-d=",
        unpacks=True,
        brings_links=True,
        # Without -Z, some versions unpack with -1.
        looks="-l -p -c -t -v -z -Z -h --help --version",
        runs="-M -: -^",
        operands="read text",
    ),
    Program(
        names="zipinfo",
        expands=True,
        options="-1 -2 -s -m -l -v -C -h -t -T -U -z -x -M --help",
        operands="read text",
        harmless=True,
    ),
    Program(
        names="7z 7za 7zr 7zz",
        reason="lists and modules are read as instructions",
        style="joined",
        options="-y -r -r- -r0 --help",
        pattern=r"-(?:p.*|t[a-z0-9*#]+|m[a-z0-9=,+-]+|ao[asut]|b[bdst][a-z0-9]*|slt|so|si\w*|spe|ssc-?|ssw|stl|snh|snl|scc\S+|scs\S+|v\d+[bkmg]|x!.+|xr!.+|an|ad)",
        operands="maybe",
        persistent=True,
        commands=(
            Program(
                names="l t i h b",
                expands=True,
                style="joined",
                reason="lists are read as instructions",
                operands="read text",
                refuses="@",
            ),
            Program(
                names="x e",
                expands=True,
                style="joined",
                reason="lists are read as instructions",
                fills="-o=",
                unpacks=True,
                brings_links=True,
                operands="read maybe",
                refuses="@",
            ),
            Program(
                names="a u d rn",
                expands=True,
                style="joined",
                reason="lists are read as instructions",
                changes="-o=",
                operands="change maybe",
                trees="*",
                packs_all=True,
                refuses="@",
            ),
        ),
    ),
    Program(
        names="unrar",
        reason="lists are read as instructions",
        options="-y -o+ -o- -p- -inul -r -v -h -V --help --version",
        style="words",
        persistent=True,
        commands=(
            Program(
                names="l lb lt t v vb vt p",
                expands=True,
                style="words",
                reason="lists are read as instructions",
                operands="read text",
                refuses="@",
            ),
            Program(
                names="x e",
                expands=True,
                style="words",
                reason="lists are read as instructions",
                # A directory among the others is where the files go.
                operands="read fill",
                refuses="@",
                unpacks=True,
                brings_links=True,
            ),
        ),
    ),
    Program(
        names="lsar",
        style="words",
        options="-l -L -v -j -t -h --long --verylong --json --test --help --version",
        operands="read text",
    ),
    Program(
        names="unar",
        plain_values=True,
        style="words",
        reason="archives hold files of any name",
        options="-f -r -s -q -t -D -d -k= -p= -e= -h -v -force-overwrite -force-rename -force-skip -force-directory -no-directory -quiet -copy-time --help --version",
        fills="-o= -output-directory=",
        unpacks=True,
        brings_links=True,
        looks="-h -v --help --version",
        operands="read text",
    ),
    Program(
        names="cpio",
        reason="it writes files and reaches other machines",
        options="-0 -a -A -b -B -c -C= -d -f -H= -k -l -m -n -r -R= -s -S -t -u -v -V --list --null --reset-access-time --append --dot --force-local --format= --block-size= --io-size= --link --make-directories --nonmatching --no-absolute-filenames --no-preserve-owner --numeric-uid-gid --owner= --preserve-modification-time --quiet --rename --sparse --unconditional --verbose --version --help --usage",
        reads="-E= --pattern-file=",
        # To BSD's cpio it is the archive in any case, also one that is made.
        writes="-I=",
        # `host:file` is reached through a remote shell.
        checks=(("-I=", r"[^:]+"),),
        # Of -o the input says which files are read.
        follows="-L -o --create --dereference --absolute-filenames",
        # Members of an archive may have absolute names.
        runs="-i -p --extract --pass-through -O= -F= --file= --rsh-command= --rename-batch-file= -M= --message=",
        operands="text",
        unpacks=True,
        looks="-o -t --create --list --version --help --usage",
    ),
)
