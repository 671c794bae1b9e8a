# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that read text and print text.

Above: `tables` finds a program's entry by its name. Below: `schema`. Most of them can do nothing but read and
print, whatever their options: they are `harmless`, and their options are listed for the sake of fences, which
must know which value is a file.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

_COMMON = "--help --version"
_SUMS = "-b -t -w -z --ignore-missing --quiet --status --warn --strict --tag --zero --binary --text -l= --length= -a= --algorithm= --untagged --debug --base64 --raw"
_GREP = "-A= -B= -C= -D= -E -F -G -H -I -J -M -O -P -T -U -V -Z -a -b -c -d= -e= -h -i -L -l -m= -n -o -p -q -r -s -u -v -w -x -y -z --basic-regexp --extended-regexp --fixed-regexp --fixed-strings --perl-regexp --after-context= --before-context= --binary-files= --byte-offset --context= --color? --colour? --count --devices= --directories= --exclude= --exclude-dir= --files-with-matches --files-without-match --group-separator= --help --include= --include-dir= --ignore-case --no-ignore-case --initial-tab --label= --line-buffered --line-number --line-regexp --max-count= --no-filename --no-group-separator --no-messages --null --null-data --only-matching --quiet --recursive --regexp= --invert-match --silent --text --binary --unix-byte-offsets --version --with-filename --word-regexp"

PROGRAMS = (
    Program(
        names="cat gcat",
        options=f"-b -e -l -n -s -t -u -v -A -E -T --number-nonblank --number --squeeze-blank --show-nonprinting --show-ends --show-tabs --show-all {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="tac",
        options=f"-b -r --before --regex {_COMMON}",
        # To toybox each word is a file.
        reads="-s= --separator=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="head ghead",
        options=f"-c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated {_COMMON}",
        operands="read",
        numbers=True,
        harmless=True,
    ),
    Program(
        names="tail gtail",
        options=f"-c= -n= -f -F -r -q -s= -v -z --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --retry --silent --sleep-interval= --verbose --zero-terminated --debug {_COMMON}",
        operands="read",
        numbers=True,
        harmless=True,
    ),
    Program(
        names="wc gwc",
        options=f"-c -l -L -m -w --bytes --chars --lines --words --debug --max-line-length --total= {_COMMON}",
        follows="--files0-from=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="nl",
        options=f"-h= -b= -f= -v= -i= -p -l= -s= -w= -n= -d= --header-numbering= --body-numbering= --footer-numbering= --starting-line-number= --line-increment= --no-renumber --join-blank-lines= --number-separator= --number-width= --number-format= --section-delimiter= {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="cut gcut",
        options=f"-b= -c= -d= -f= -n -s -w -z --bytes= --characters= --fields= --delimiter= --only-delimited --output-delimiter= --complement --zero-terminated {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="paste",
        options=f"-d= -s -z --serial --delimiters= --zero-terminated {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="join",
        options=f"-a= -e= -i -1= -2= -j= -o= -t= -v= -z --ignore-case --check-order --nocheck-order --zero-terminated --header {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="comm",
        options=f"-1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="tr gtr",
        options=f"-A -c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1 {_COMMON}",
        operands="text",
        stops=True,
        harmless=True,
    ),
    Program(
        names="fold",
        options=f"-b -s -w= -c --bytes --characters --spaces --width= {_COMMON}",
        operands="read",
        numbers=True,
        harmless=True,
    ),
    Program(
        names="fmt",
        options=f"-c -s -t -u -w= -g= --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width= --goal= {_COMMON}",
        # To BSD's it takes no value, and the next word is a file.
        reads="-p=",
        operands="read",
        numbers=True,
        harmless=True,
    ),
    Program(
        names="ptx",
        reason="with -G its second operand is written",
        options=f"-A -F= -M= -O -R -S= -T -W= -f -g= -r -t -w= --auto-reference --flag-truncation= --macro-name= --format= --right-side-refs --sentence-regexp= --word-regexp= --ignore-case --gap-size= --references --typeset-mode --width= {_COMMON}",
        reads="-b= -i= -o= --break-file= --ignore-file= --only-file=",
        operands="read",
    ),
    Program(
        names="expand unexpand",
        options=f"-i -a -t= --tabs= --initial --all --first-only {_COMMON}",
        operands="read",
        numbers=True,
        harmless=True,
    ),
    Program(names="rev", options="-0 -V -h --zero --version --help", operands="read", harmless=True),
    Program(
        names="column",
        options="-c= -C= -d -E= -e -H= -h -i= -J -K -l= -L -m -N= -O= -o= -p= -R= -r= -S= -s= -T= -t -V -W= -x --columns= --fillrows --help --json --keep-empty-lines --output-separator= --output-width= --separator= --table --table-columns= --table-columns-limit= --table-hide= --table-name= --table-noextreme= --table-noheadings --table-order= --table-right= --table-truncate= --table-wrap= --table-empty-lines --table-header-repeat --tree= --tree-id= --tree-parent= --version",
        # To older versions it takes no value, and the next word is a file.
        reads="-n=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="od",
        options=f"-A= -a -B -b -c -D -d -e -F -f -H -h -I -i -j= -L -l -N= -O -o -S= -s -t= -v -w? -X -x --skip-bytes= --address-radix= --read-bytes= --format= --output-duplicates --strings? --traditional --width? --endian= {_COMMON}",
        operands="read",
        harmless=True,
    ),
    Program(
        names="hexdump hd",
        options="-b -c -C -d -e= -L? -n= -o -s= -v -x -h -V -X --one-byte-octal --one-byte-char --one-byte-hex --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex --format= --color? --length= --skip= --no-squeezing --help --version",
        reads="-f= --format-file=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="xxd",
        plain_values=True,
        reason="the second operand is written",
        style="words",
        options="-a -autoskip -b -bits -C -capitalize -c= -cols= -d -E -EBCDIC -e -g= -groupsize= -h -help -i -include -l= -len= -n= -name= -o= -p -ps -plain -postscript -r -revert -R= -s= -seek= -u -uppercase -v -version",
        pattern=r"-(?:c|g|l|s|o)\d+",
        operands="read write",
        # What looks like an option behind the file is the other file.
        stops=True,
        dashes=False,
    ),
    Program(
        names="strings gstrings",
        options="-a -d -f -h -H -n= -w -o -t= -e= -T= -s= -U= -V -v --all --bytes= --data --encoding= --help --include-all-whitespace --output-separator= --print-file-name --radix= --target= --unicode= --version",
        operands="read",
        numbers=True,
        reason="a file of options says more",
        refuses="@",
        response_files=True,
    ),
    Program(
        names="base64 base32 basenc gbase64",
        reason="on some systems -o writes a file",
        options=f"-d -D -i -w= -b= --decode --wrap= --break= --ignore-garbage --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --base58 {_COMMON}",
        writes="-o= --output=",
        operands="read",
    ),
    Program(
        names="md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum shasum md5 sum gmd5sum gsha256sum",
        options=f"{_SUMS} -r -s -q -p --sysv {_COMMON}",
        # The list names the files that are read.
        follows="-c --check",
        operands="read",
        harmless=True,
    ),
    Program(
        names="sort gsort",
        reason="-o writes, and a compressor is a program",
        options=f"-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -S= -t= -u -V -z --ignore-leading-blanks --check? --debug --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --key= --merge --month-sort --numeric-sort --human-numeric-sort --version-sort --random-sort --sort= --reverse --stable --batch-size= --buffer-size= --field-separator= --unique --zero-terminated --parallel= {_COMMON}",
        # -T: temporary files have names of sort's own choice and are gone afterwards.
        reads="--random-source= -T= --temporary-directory=",
        follows="--files0-from=",
        # Another word behind -y than a number is read as the option that it is.
        checks=(("-y=", r"\d+"),),
        writes="-o= --output=",
        runs="--compress-program=",
        operands="read",
    ),
    Program(
        names="uniq guniq",
        reason="the second operand is written",
        options=f"-D -c -d -f= -i -s= -u -w= -z --count --repeated --all-repeated? --group? --ignore-case --unique --skip-fields= --skip-chars= --check-chars= --zero-terminated {_COMMON}",
        numbers=True,
        operands="read write",
        # What looks like an option behind the file is the other file, to BSD's.
        stops=True,
    ),
    Program(
        names="shuf gshuf",
        reason="-o writes",
        options=f"-e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated {_COMMON}",
        reads="--random-source=",
        writes="-o= --output=",
        operands="read",
    ),
    Program(names="tsort", options=_COMMON, operands="read", harmless=True),
    Program(
        names="pr",
        options=f"-D= -F -J -N= -S? -T -W= -a -b -c -d -e? -f -h= -i? -l= -m -n? -o= -r -s? -t -v -w= --pages= --columns= --across --show-control-chars --double-space --date-format= --expand-tabs? --form-feed --header= --output-tabs? --join-lines --length= --merge --number-lines? --first-line-number= --indent= --no-file-warnings --separator? --sep-string? --omit-header --omit-pagination --show-nonprinting --width= --page-width= {_COMMON}",
        numbers=True,
        operands="read",
        harmless=True,
    ),
    Program(
        names="diff gdiff",
        reason="-l and --paginate run pr",
        options="-a -b -B -c -C= -d -D= -e -E -f -F= -h -H -i -I= -L= -n -N -p -P -q -r -s -S= -t -T -u -U= -v -w -W= -x= -y -Z --recursive --binary --brief --changed-group-format= --color? --context? --ed --exclude= --expand-tabs --forward-ed --help --horizon-lines= --ifdef= --ignore-all-space --ignore-blank-lines --ignore-case --ignore-file-name-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --inhibit-hunk-merge --initial-tab --label= --left-column --line-format= --minimal --new-file --new-group-format= --new-line-format= --no-dereference --no-ignore-file-name-case --normal --old-group-format= --old-line-format= --palette= --rcs --report-identical-files --sdiff-merge-assist --show-c-function --show-function-line= --side-by-side --speed-large-files --starting-file= --strip-trailing-cr --suppress-blank-empty --suppress-common-lines --tabsize= --text --unchanged-group-format= --unchanged-line-format= --unidirectional-new-file --unified? --version --width=",
        reads="-X= --exclude-from= --from-file= --to-file=",
        runs="-l --paginate",
        trees="*",
        keeps_links="--no-dereference",
        numbers=True,
        operands="read",
    ),
    Program(
        names="cmp",
        options=f"-b -c -i= -l -n= -s -v --print-bytes --print-chars --ignore-initial= --verbose --bytes= --silent --quiet {_COMMON}",
        operands="read read text",
        harmless=True,
    ),
    Program(
        names="diff3",
        reason="--diff-program is a program",
        options=f"-a -e -i -m -v -x -3 -A -E -L= -T -X --easy-only --ed --initial-tab --label= --merge --overlap-only --show-all --show-overlap --strip-trailing-cr --text {_COMMON}",
        runs="--diff-program=",
        operands="read",
    ),
    Program(
        names="sdiff",
        reason="-o writes, and asks an editor; --diff-program is a program",
        options=f"-a -b -B -d -E -H -i -I= -l -s -t -v -w= -W -Z --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --left-column --minimal --speed-large-files --strip-trailing-cr --suppress-common-lines --tabsize= --text --width= {_COMMON}",
        runs="-o= --output= --diff-program=",
        operands="read",
    ),
    Program(
        names="iconv",
        reason="-o writes",
        options="-l --list -c -s --silent --verbose -? --help --usage -V --version",
        # A name with a slash is a file that describes a character set.
        checks=(("-f= --from-code= -t= --to-code=", r"[\w.:()+-]*(?://(?i:(?:translit|ignore|,|//)*))?"),),
        writes="-o= --output=",
        operands="read",
    ),
    Program(
        names="dos2unix unix2dos",
        options="-n -k -q -v -b -e -f -s -ascii -iso -7 -ul -gb -h -V --force --quiet --verbose --keepdate --help --version",
        # To toybox each word is a file.
        checks=(("-c= --convmode=", "(?i)ascii|7bit|iso|mac"),),
        operands="change",
    ),
    Program(
        names="split csplit gsplit",
        plain_values=True,
        reason="a filter is a program; the pieces are written",
        options=f"-C= -a= -d -e -k -l= -n= -q -s -t= -u -x -z --lines= --line-bytes= --number= --elide-empty-files --unbuffered --suffix-length= --additional-suffix= --numeric-suffixes? --hex-suffixes? --verbose --separator= --digits= --quiet --silent --keep-files --suppress-matched {_COMMON}",
        # The end of a name of csplit: with a slash it leads elsewhere.
        checks=(("-b= --bytes= --suffix-format=", r"[^/]*"),),
        # -f of csplit is a beginning of names, as the second operand of split is.
        changes="-f= --prefix=",
        runs="--filter=",
        numbers=True,
        operands="read prefix",
        names_files="-f --prefix",
    ),
    Program(names="echo gecho printf gprintf", operands="text", harmless=True, dashes=False),
    Program(
        names="seq gseq",
        options="-f= -s= -t= -w --format= --separator= --equal-width --help --version",
        operands="text",
        numbers=True,
        harmless=True,
    ),
    Program(
        names="expr yes factor true false sleep gsleep nproc basename dirname gbasename gdirname",
        operands="text",
        harmless=True,
    ),
    Program(
        names="numfmt",
        options=f"-d= -z --from= --from-unit= --to= --to-unit= --round= --padding= --suffix= --grouping --delimiter= --field= --debug --header? --format= --invalid= --zero-terminated {_COMMON}",
        operands="text",
        harmless=True,
    ),
    Program(
        names="bc",
        reason="a program text can write nothing, but files are read",
        options="-c -h -i -l -q -s -w -v --compile --help --interactive --mathlib --quiet --standard --version --warn",
        operands="read",
        harmless=True,
    ),
    Program(
        names="look",
        options="-a -d -f -t= -V -h --alternative --alphanum --ignore-case --terminate= --version --help",
        operands="text read",
        harmless=True,
    ),
    Program(
        names="grep ggrep egrep fgrep",
        options=_GREP,
        reads="-f= --file= --exclude-from=",
        # -S is BSD's.
        follows="-R -S --dereference-recursive",
        numbers=True,
        operands="text read",
        texts="-e --regexp -f --file",
        harmless=True,
    ),
    Program(
        names="zgrep zegrep zfgrep bzgrep xzgrep",
        # A line break in a name was a new command for the sed in them.
        reason="it is a script, which puts its options and names together for other programs",
        refuses=r".*\n",
        options="-a -b -c -E -F -G -H -h -i -L -l -n -o -P -q -s -v -w -x -y --help --version --count --extended-regexp --fixed-strings --perl-regexp --ignore-case --line-number --only-matching --quiet --invert-match --word-regexp --line-regexp --files-with-matches --files-without-match --no-filename --with-filename",
        # Some know no value in a word of its own, and take it for the text to search for, or divide one at its blanks.
        checks=(
            ("-A? -B? -C? -m? --after-context? --before-context? --context? --max-count?", r"\d+"),
            ("--color? --colour?", "always|never|auto"),
            ("-e=", r"[^\s*?\[]+"),
        ),
        numbers=True,
        operands="text read",
        texts="-e",
    ),
    Program(
        names="rg ripgrep",
        reason="a preprocessor runs for each file; a host-name program runs, too",
        options="-A= -B= -C= -E= -F -H -I -K -M= -N -P -S -T= -U -V -a -b -c -d= -e= -g= -h -i -j= -l -m= -n -o -p -q -r= -s -t= -u -v -w -x -z -0 -. --after-context= --auto-hybrid-regex --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --field-context-separator= --field-match-separator= --files --files-with-matches --files-without-match --fixed-strings --generate= --glob= --glob-case-insensitive --heading --help --hidden --hyperlink-format= --iglob= --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --max-filesize= --maxdepth= --mmap --multiline --multiline-dotall --no-auto-hybrid-regex --no-binary --no-block-buffered --no-byte-offset --no-column --no-config --no-context-separator --no-crlf --no-encoding --no-filename --no-fixed-strings --no-glob-case-insensitive --no-heading --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-file-case-insensitive --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-include-zero --no-invert-match --no-json --no-line-buffered --no-line-number --no-max-columns-preview --no-messages --no-mmap --no-multiline --no-multiline-dotall --no-one-file-system --no-pcre2 --no-pcre2-unicode --no-pre --no-require-git --no-search-zip --no-stats --no-text --no-trim --no-unicode --null --null-data --one-file-system --only-matching --passthru --passthrough --pcre2 --pcre2-unicode --pcre2-version --pre-glob= --pretty --quiet --regex-size-limit= --regexp= --replace= --require-git --search-zip --smart-case --sort= --sort-files --sortr= --stats --stop-on-nonmatch --text --threads= --trace --trim --type= --type-add= --type-clear= --type-list --type-not= --unicode --unrestricted --version --vimgrep --with-filename --word-regexp",
        reads="-f= --file= --ignore-file=",
        # Another word behind --engine is read as the option that it is.
        checks=(("--engine=", "default|pcre2|auto"),),
        follows="-L --follow",
        runs="--pre= --hostname-bin=",
        operands="text read",
        texts="-e --regexp -f --file --files --type-list",
    ),
    Program(
        names="ag",
        plain_values=True,
        reason="the pager is a program",
        options="-A= -B= -C= -G= -H -L -Q -S -U -V -W= -a -c -g= -h -i -l -m= -n -o -r -R -s -t -u -v -w -x -z -0 -D --after? --before? --context? --color --nocolor --column --count --filename --nofilename --group --nogroup --heading --noheading --line-numbers --nonumbers --numbers --literal --fixed-strings --smart-case --ignore-case --case-sensitive --file-search-regex= --files-with-matches --files-without-matches --hidden --ignore= --ignore-dir= --max-count= --depth= --only-matching --print-all-files --print-long-lines --invert-match --word-regexp --stats --stats-only --vimgrep --width= --all-types --unrestricted --search-zip --search-binary --skip-vcs-ignores --silent --nobreak --break --ackmate --list-file-types --version --help --python --js --ts --go --rust --java --cpp --cc --html --css --json --yaml --markdown",
        reads="-p= --path-to-ignore=",
        follows="-f --follow",
        runs="--pager=",
        operands="text read",
        texts="-g",
    ),
    Program(
        names="ack",
        plain_values=True,
        reason="pagers and other settings are programs",
        options="-A= -B= -C? -H -L -Q -S -V -c -f -g -h -i -I -l -m= -n -o -r -R -s -v -w -1 --after-context= --before-context= --context? --color --nocolor --column --nocolumn --count --group --nogroup --heading --noheading --literal --smart-case --ignore-case --no-smart-case --files-with-matches --files-without-matches --ignore-dir= --ignore-directory= --max-count= --no-filename --with-filename --no-recurse --recurse --passthru --print0 --invert-match --word-regexp --type= --noenv --help --help-types --version --python --js --perl --ruby --php --java --cc --cpp --html --css --json --yaml --markdown --shell",
        # -x: the files are named on its input.
        follows="--follow -x",
        runs="--pager= --ackrc= --type-add= --type-set= --output=",
        operands="text read",
        texts="-f -g",
    ),
    Program(
        names="bat batcat",
        plain_values=True,
        reason="the pager is a program; settings and caches are kept",
        options="-A -H= -L -P -S -V -d -f -h -l= -m= -n -p -r= -s -u --binary= --chop-long-lines --color= --decorations= --diff --diff-context= --file-name= --force-colorization --help --highlight-line= --ignored-suffix= --italic-text= --language= --line-range= --list-languages --list-themes --map-syntax= --no-lessopen --no-paging --nonprintable-notation= --number --paging= --plain --set-terminal-title --show-all --squeeze-blank --squeeze-limit= --strip-ansi= --style= --tabs= --terminal-width= --theme= --theme-dark= --theme-light= --unbuffered --version --wrap=",
        runs="--pager=",
        operands="read",
    ),
    Program(
        names="most",
        reason="a shell reads the names of packed files; commands after `+` do more than show text",
        options="-1 -4 -a -b -C -d -M -r -s -t -u -v -w -z",
        operands="read",
        refuses=r".*[^\w./~,:@%=-]",
    ),
    Program(
        names="less",
        plain_values=True,
        reason="commands after `+`, log files and key files do more than show text",
        options="-? -a -A -B -c -C -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X -# -~ --help --search-skip-screen --SEARCH-SKIP-SCREEN --auto-buffers --clear-screen --CLEAR-SCREEN --dumb --quit-at-eof --QUIT-AT-EOF --force --quit-if-one-screen --hilite-search --HILITE-SEARCH --ignore-case --IGNORE-CASE --status-column --quit-on-intr --no-lessopen --long-prompt --LONG-PROMPT --line-numbers --LINE-NUMBERS --quiet --silent --QUIET --SILENT --raw-control-chars --RAW-CONTROL-CHARS --squeeze-blank-lines --chop-long-lines --underline-special --UNDERLINE-SPECIAL --version --hilite-unread --HILITE-UNREAD --no-init --tilde --follow-name --mouse --MOUSE --no-keypad --use-color --incsearch --no-histdups --no-number-headers --no-search-headers --save-marks --wordwrap",
        # Behind a number, and behind a `$` in a text, less reads further letters: -b5kfile is -b5 -k file.
        checks=(
            (
                "-b= -h= -j= -x= -y= -z= --buffers= --max-back-scroll= --jump-target= --tabs= --max-forw-scroll= --window= --shift= --header= --line-num-width= --status-col-width= --wheel-lines=",
                r"-?[\d.,]+",
            ),
            # The text to search for is typed: what follows the end of a line is a command.
            ("-p= -P= --pattern= --prompt=", r"[^$\x00-\x1f\x7f]*"),
            # Older versions do not know these: to them the value is a word of its own, and `+` begins a command.
            ("-D= --rscroll=", r"(?!\+)[^$\x00-\x1f\x7f]*"),
        ),
        runs="-k= --lesskey-file= --lesskey-src= --lesskey-content= --cmd= -t= --tag= -T= --tag-file=",
        writes="-o= -O= --log-file= --LOG-FILE=",
        operands="read",
        # To search for a text, to go to a line or the end; a control character would end the search.
        refuses=r"\+(?!(?:/[ -~]+|[0-9]*[gG]?)\Z)",
    ),
    Program(
        names="more pg",
        reason="commands after `+` do more than show text",
        # No -p: where more is less (BSD), its value is a command.
        options="-d -f -l -c -s -u -e -V -h --silent --logical --no-pause --print-over --clean-print --exit-on-eof --squeeze --plain --version --help",
        # There -n takes no value, and the next word may be a command.
        checks=(("-n= --lines=", r"\d+"),),
        numbers=True,
        operands="read",
        refuses=r"\+(?![0-9]+\Z)",
    ),
    Program(
        names="shellcheck",
        options="-C? -e= -f= -i= -o= -S= -s= -V -W= --color? --include= --exclude= --extended-analysis= --format= --list-optional --norc --enable= --severity= --shell= --version --wiki-link-count= --help",
        # A script names the files that it reads, and lines of them are shown.
        follows="-a -x --check-sourced --external-sources",
        reads="-P= --source-path= --rcfile=",
        operands="read",
        harmless=True,
    ),
    Program(
        names="shfmt",
        reason="-w writes",
        style="words",
        options="-d -l -s -i= -ci -bn -sr -kp -fn -mn -p -f -ln= -version -help --list --diff --simplify --minify --language-dialect= --posix --indent= --binary-next-line --case-indent --space-redirects --keep-padding --func-next-line --find --tojson",
        reads="--filename=",
        writes="-w --write",
        operands="read",
    ),
    Program(
        names="yamllint",
        options="-h -f= -s -v --format= --strict --no-warnings --list-files --version --help",
        # Settings can name other files of settings.
        checks=(("-d= --config-data=", r"[^/~]*"),),
        reads="-c= --config-file=",
        operands="read",
    ),
    Program(
        names="tokei",
        plain_values=True,
        options="-C -c= -e= -f -h -l -n= -o= -s= -r= -t= -V -v --columns= --exclude= --files --hidden --languages --no-ignore --num-format= --output= --sort= --rsort= --types= --verbose --compact --help --version",
        reads="-i= --input=",
        operands="read",
    ),
    Program(
        names="tee gtee sponge",
        reason="every operand is written",
        options="-a -i -p --append --ignore-interrupts --output-error? --help --version",
        operands="write",
    ),
    Program(
        names="sed gsed",
        reason="another file is a script; -i edits in place",
        options=f"-b -s -n -r -z -u -E -a -e= --binary --regexp-extended --debug --expression= --null-data --zero-terminated --quiet --posix --silent --sandbox --separate --unbuffered --follow-symlinks {_COMMON}",
        # It takes no value on some systems, where the next word is an option.
        checks=(("-l= --line-length=", r"\d+"),),
        runs="-f= --file=",
        writes="-i? -I? --in-place?",
        operands="text read",
        texts="-e --expression",
    ),
    Program(
        names="awk gawk mawk nawk bawk goawk",
        reason="libraries, other files of code and profiles run or write",
        options="-F= -v= -e= -b -c -C -h -M -n -N -O -P -r -s -S -t -V -k --source= --field-separator= --assign= --posix --traditional --re-interval --non-decimal-data --sandbox --csv --characters-as-bytes --version --help --lint? --optimize --no-optimize --bignum --use-lc-numeric",
        runs="-f= -E= -i= -l= -o? -p? -d? -D? -g -L? -W= --file= --exec= --include= --load= --pretty-print? --profile? --dump-variables? --debug? --gen-pot -I",
        stops=True,
        operands="text read",
        texts="-e --source",
    ),
)
