# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that pack and unpack.

Above: `tables` finds a program's entry by its name. Below: `schema`. `programs` knows tar's old style of
options, and when tar writes.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

TAR = Program(
    names="tar gtar bsdtar",
    reason="filters, checkpoint actions, scripts and lists of options are programs",
    options="-A -c -d -r -t -u -x -G -n -S -k -U -O -m -p -s -B -i -a -j -J -z -Z -l -R -v -w -o -? -b= -H= -V= -K= -N= -q -y --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get --check-device --incremental --hole-detection= --ignore-failed-read --level= --no-check-device --no-seek --seek --occurrence? --sparse-version= --sparse --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore= --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores --no-null --no-recursion --no-unquote --null --recursion --unquote --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files --no-overwrite-dir --overwrite --overwrite-dir --skip-old-files --unlink-first --verify --to-stdout --atime-preserve? --clamp-mtime --delay-directory-restore --group= --mode= --mtime= --touch --no-delay-directory-restore --no-same-owner --no-same-permissions --numeric-owner --owner= --preserve-permissions --same-permissions --same-owner --sort= --preserve-order --same-order --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --xattrs-exclude= --xattrs-include= --force-local --blocking-factor= --read-full-records --ignore-zeros --record-size= --format= --old-archive --portability --pax-option= --posix --label= --auto-compress --bzip2 --xz --lzip --lzma --lzop --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --backup? --hard-dereference --starting-file= --newer-mtime= --newer= --after-date= --one-file-system --suffix= --strip-components= --transform= --xform= --checkpoint? --full-time --check-links --no-quote-chars= --quote-chars= --quoting-style= --block-number --show-defaults --show-omitted-dirs --show-transformed-names --show-stored-names --totals? --utc --verbose --warning= --interactive --confirmation --help --restrict --usage --version",
    reads="-X= --exclude-from= --group-map= --owner-map= --add-file=",
    enters="-C= --directory=",
    # The archive, unless it is read: `programs` knows.
    changes="-f= --file= --one-top-level?",
    follows="-h -P --dereference --absolute-names",
    writes="-g= --listed-incremental= --index-file= --volno-file= --remove-files --recursive-unlink",
    # In BSD's tar -W is any long option. A list of files may hold options. At the end of a volume `!` on its input starts a shell.
    runs="-W= -M -L= --multi-volume --tape-length= -T= --files-from= --verbatim-files-from --no-verbatim-files-from --to-command= --ignore-command-error --no-ignore-command-error -I= --use-compress-program= --checkpoint-action= -F= --info-script= --new-volume-script= --rmt-command= --rsh-command= --show-snapshot-field-ranges",
    operands="maybe",
    suffixes="--suffix",
    # What takes a value in GNU's tar (-H) takes none in BSD's.
    plain_values=True,
)

_SQUEEZE = "-a -b= -c -d -f -h -k -l -L -m -M -n -q -s -t -v -V -z --ascii --to-stdout --stdout --decompress --uncompress --compress --force --help --keep --list --license --no-name --quiet --silent --synchronous --test --verbose --version --fast --best --rsyncable --small"
_STORED_NAME = "with -N a file gets the name that is written in the archive"

PROGRAMS = (
    TAR,
    Program(
        names="gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2",
        plain_values=True,
        reason=_STORED_NAME,
        runs="-N --name",
        options=f"{_SQUEEZE} -H -? -r -S= -Z -p= --recursive --suffix= --lzw --bits= --processes=",
        numbers=True,
        operands="squeeze",
        names_files="-S --suffix",
    ),
    Program(
        names="uncompress",
        plain_values=True,
        reason=_STORED_NAME,
        runs="-N --name",
        options=f"{_SQUEEZE} -r -S=",
        operands="squeeze",
        names_files="-S --suffix",
    ),
    Program(
        names="zcat gzcat bzcat zstdcat lz4cat",
        options=f"{_SQUEEZE} -N -r -S= --name",
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
        options="-u -c -q -s -i -b -w -r -y -N -a -B",
        operands="read",
    ),
    Program(
        names="xz unxz lzma unlzma",
        options=f"-C= -e -F= -H -M= -Q -r -S= -T= -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 {_SQUEEZE.replace(' -M ', ' ')} --single-stream --no-sparse --suffix= --format= --check= --ignore-check --block-size= --block-list= --memlimit-compress= --memlimit-decompress= --memlimit-mt-decompress= --memlimit= --memory= --no-adjust --threads= --flush-timeout= --extreme --lzma1? --lzma2? --x86? --arm? --arm64? --delta? --no-warn --robot --info-memory --long-help",
        follows="--files? --files0?",
        operands="squeeze",
        names_files="-S --suffix",
    ),
    Program(
        names="zstd unzstd zstdmt lz4 unlz4",
        # A number stands in the same word, or there is none.
        options="-c -C -d -e? -f -h -H -k -l -m -q -r -t -v -V -z -T? -b? -i? -S -n -1 -2 -3 -4 -5 -6 -7 -8 -9 --ultra --long? --fast? --adapt --rm --no-progress --progress --quiet --verbose --version --help --stdout --keep --force --test --list --threads= --no-check --check --content-size --sparse --no-sparse --rsyncable --single-thread --size-hint= --format= --memory= --best --decompress --compress",
        reads="-D= --patch-from= --filelist=",
        changes="-o= --output= --output-dir-flat= --output-dir-mirror=",
        numbers=True,
        operands="squeeze",
    ),
    Program(
        names="brotli",
        options="-c -d -f -h -j -k -n -t -v -V -Z -q= -w= -S= --stdout --decompress --force --help --rm --squash --keep --no-copy-stat --test --verbose --version --best --quality= --lgwin= --suffix= --large_window=",
        reads="-D= --dictionary=",
        changes="-o= --output=",
        numbers=True,
        operands="squeeze",
        names_files="-S --suffix",
    ),
    Program(
        names="zip",
        reason="-TT runs a command on the archive; logs are written",
        # No -l and no -T: with a second letter they are -lf (a log) and -TT (a command), also inside a cluster.
        options="-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -r -q -u -f -d -m -j -v -D -X -y -e -n= -g -o -F -A -J -x -i -t= -P= -Z= -h -R --recurse-paths --quiet --update --freshen --delete --move --junk-paths --verbose --no-dir-entries --no-extra --symlinks --encrypt --exclude --include --help --version --grow --filesync",
        changes="-b= --temp-path= -O= --output-file=",
        runs="-T -TT= -l -lf= --test --unzip-command= --logfile-path= --log-append --log-info -@ --names-stdin -c -z",
        operands="change maybe",
    ),
    Program(
        names="unzip",
        reason="-M runs a pager; -: lets members leave the directory",
        options="-a -b -B -c -C -D -f -h -I= -j -K -l -L -n -o -O= -p -P= -q -s -t -T -u -U -v -V -W -x -X -z -Z -1 -2 -m -S --help --version",
        fills="-d=",
        unpacks=True,
        looks="-l -p -c -t -v -z -Z -1 -2 -h --help --version",
        runs="-M -: -^",
        operands="read text",
    ),
    Program(
        names="zipinfo",
        options="-1 -2 -s -m -l -v -C -h -t -T -U -z -x -M --help",
        operands="read text",
        harmless=True,
    ),
    Program(
        names="7z 7za 7zr 7zz",
        reason="lists and modules are read as instructions",
        style="joined",
        options="-y -r -r- -r0 --help",
        pattern=r"-(?:p.*|t[a-z0-9*#]+|m[a-z0-9=,+-]+|ao[asut]|b[bdst][a-z0-9]*|slt|so|si\w*|spe|ssc-?|ssw|stl|snh|snl|scc\S+|scs\S+|v\d+[bkmg]|sdel|x!.+|xr!.+|ir?!(?!/|~|.*\.\.).+|an|ad)",
        operands="maybe",
        persistent=True,
        commands=(
            Program(
                names="l t i h b",
                style="joined",
                reason="lists are read as instructions",
                operands="read text",
                refuses="@",
            ),
            Program(
                names="x e",
                style="joined",
                reason="lists are read as instructions",
                fills="-o=",
                unpacks=True,
                operands="read maybe",
                refuses="@",
            ),
            Program(
                names="a u d rn",
                style="joined",
                reason="lists are read as instructions",
                changes="-o=",
                operands="change maybe",
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
                style="words",
                reason="lists are read as instructions",
                operands="read text",
                refuses="@",
            ),
            Program(
                names="x e",
                style="words",
                reason="lists are read as instructions",
                operands="read maybe",
                refuses="@",
                unpacks=True,
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
        style="words",
        reason="archives hold files of any name",
        options="-f -r -s -q -t -D -d -k= -p= -e= -h -v -force-overwrite -force-rename -force-skip -force-directory -no-directory -quiet -test --help --version",
        fills="-o= -output-directory=",
        unpacks=True,
        looks="-t -test -h -v --help --version",
        operands="read text",
    ),
    Program(
        names="cpio",
        reason="it writes files and reaches other machines",
        options="-0 -a -A -b -B -c -C= -d -f -H= -k -l -m -n -o -r -R= -s -S -t -u -v -V --create --list --null --reset-access-time --append --dot --force-local --format= --block-size= --io-size= --link --make-directories --nonmatching --no-absolute-filenames --no-preserve-owner --numeric-uid-gid --owner= --preserve-modification-time --quiet --rename --sparse --unconditional --verbose --version --help --usage",
        reads="-E= --pattern-file=",
        # `host:file` is reached through a remote shell.
        checks=(("-I=", r"[^:]+"),),
        follows="-L --dereference --absolute-filenames",
        # Members of an archive may have absolute names.
        runs="-i -p --extract --pass-through -O= -F= --file= --rsh-command= --rename-batch-file= -M= --message=",
        operands="text",
        unpacks=True,
        looks="-o -t --create --list --version --help --usage",
    ),
)
