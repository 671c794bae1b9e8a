# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that query data and services: jq, yq, databases, openssl.

Above: `tables` finds a program's entry by its name. Below: `schema`. The statements of databases are read by `sql`.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

# A database, a role, or a connection by settings that name no file: keys and certificates can be loaded by an engine,
# which is code. No encoding: in some of them a quote is a part of the letter before it. No second `?`: the first may
# belong to a password (`postgres://u:p?host=x@h/db?sslkey=k`).
_PG_SETTING = r"(?:host|hostaddr|port|dbname|user|password|connect_timeout|sslmode|application_name|target_session_attrs|channel_binding|keepalives\w*|tcp_user_timeout|gssencmode)"
_PG_TARGET = rf"[A-Za-z0-9_.-]*|(?:\s*{_PG_SETTING}\s*=\s*(?:'[^'\\]*'|[^\s'\\=]*)(?:\s+|\Z))*|postgres(?:ql)?://[^?\s]*(?:\?(?:{_PG_SETTING}=[^&?\s]*(?:&|\Z))*)?"
_PG_CHECK = ("-d= --dbname=", _PG_TARGET)

_MYSQL = "-C -h= -P= -p? -S= -s -u= -v -V -W --host= --user= --password? --port= --socket= --protocol= --compress --silent --verbose --version --help"
_MYSQL_RUNS = "--defaults-file= --defaults-extra-file= --defaults-group-suffix= --plugin-dir= --default-auth= --init-command= --login-path="
_MONGO_SETTING = r"(?:authSource|replicaSet|retryWrites|retryReads|w|journal|directConnection|tls|ssl|readPreference|appName|maxPoolSize|minPoolSize|loadBalanced|connectTimeoutMS|serverSelectionTimeoutMS|socketTimeoutMS)"

PROGRAMS = (
    Program(
        names="jq gojq",
        options="-c -n -e -s -r -R -C -M -S -j -a -h -V --tab --indent= --arg== --argjson== --args --jsonargs --compact-output --null-input --exit-status --slurp --raw-output --raw-output0 --raw-input --color-output --monochrome-output --sort-keys --join-output --ascii-output --seq --stream --stream-errors --unbuffered --binary -b --help --version --build-configuration --yaml-output",
        reads="-f= --from-file= -L= --slurpfile== --rawfile== --argfile==",
        operands="text read",
        texts="-f --from-file",
        harmless=True,
    ),
    Program(
        names="jaq",
        plain_values=True,
        reason="-i edits files in place",
        options="-c -n -e -s -r -R -C -M -S -j -a -h -V -0 --tab --indent= --arg== --argjson== --args --jsonargs --compact-output --null-input --exit-status --slurp --raw-output --raw-output0 --raw-input --color-output --monochrome-output --sort-keys --join-output --ascii-output --from= --to= --help --version",
        reads="-f= --from-file= -L= --library-path= --slurpfile== --rawfile==",
        writes="-i --in-place",
        operands="text read",
        texts="-f --from-file",
    ),
    Program(
        names="yq",
        plain_values=True,
        reason="-i edits files in place, -s writes files whose names an expression says",
        options="-c -n -e -r -C -M -S -j -P -N -v -V -h -y -Y -w= -o= -p= -I= -0 --yaml-output --yml-output --yaml-roundtrip --width= --indentless-lists --version --help --prettyPrint --null-input --exit-status --no-colors --colors --no-doc --output-format= --input-format= --indent= --unwrapScalar? --raw-output --verbose --tojson --header-preprocess --arg== --argjson== --slurp --compact-output --sort-keys --join-output --nul-output --front-matter= --expression=",
        reads="-f= --from-file=",
        writes="-i --inplace --in-place",
        runs="-s= --split-exp= --split-exp-file= --security-enable-system-operator -L=",
        operands="text read",
    ),
    Program(
        names="pandoc",
        reason="filters, readers and writers in Lua and engines are code; addresses are fetched; -o writes",
        options="-s -N -p -C -v -h --standalone --toc --table-of-contents --toc-depth= --number-sections --number-offset= --top-level-division= --wrap= --columns= --tab-stop= --preserve-tabs --shift-heading-level-by= --strip-comments --no-highlight --ascii --markdown-headings= --reference-links --reference-location= --mathjax --mathml --katex --citeproc --natbib --biblatex --slide-level= --section-divs --id-prefix= --title-prefix= --email-obfuscation= --track-changes= --ipynb-output= --eol= --dpi= --file-scope --quiet --verbose --fail-if-warnings --sandbox --trace --list-input-formats --list-output-formats --list-extensions? --list-highlight-languages --list-highlight-styles --version --help",
        reads="-H= -B= -A= -c= --include-in-header= --include-before-body= --include-after-body= --css= --metadata-file= --bibliography= --csl= --citation-abbreviations= --reference-doc= --template= --epub-cover-image= --epub-metadata=",
        writes="-o= --output= --log=",
        checks=(
            # A file that is an address is fetched.
            (
                "-H= -B= -A= --include-in-header= --include-before-body= --include-after-body= --metadata-file= --bibliography= --csl= --citation-abbreviations= --reference-doc= --template= --epub-cover-image= --epub-metadata=",
                r"[^:]*",
            ),
            # Raw TeX in a value is code of the document.
            (
                "-V= --variable=",
                r"(?!(?:bibliography|csl|citation-abbreviations)\b)[^\\]*",
            ),
            ("-f= -r= -t= -w= --from= --read= --to= --write=", r"[a-z0-9_]+(?:[+-][a-z_]+)*"),
            ("--highlight-style=", r"[a-z]+"),
            ("--pdf-engine=", r"(?:pdf|xe)latex|tectonic|weasyprint|typst"),
            # Others name files and addresses: bibliography, csl, cover-image, css.
            (
                "-M= --metadata=",
                r"(?:title|subtitle|author|date|lang|dir|abstract|keywords|subject|description|pagetitle|toc-title|link-citations|nocite)(?:[=:][^\\]*)?",
            ),
        ),
        runs="-F= -L= -d= --filter= --lua-filter= --pdf-engine-opt= --defaults= --data-dir= --syntax-definition= --extract-media= --request-header= --abbreviations= --self-contained --embed-resources",
        # Whether a document names further files, `programs` asks.
        operands="read",
        # It is fetched.
        refuses=r"\w[\w+.-]*:",
        plain_values=True,
    ),
    Program(
        names="xmllint",
        plain_values=True,
        reason="-o writes; a shell of its own and catalogs follow instructions",
        style="words",
        options="-format --format --noout -noout --xpath= -xpath= --html --recover --nonet --noblanks --nocdata --pretty= --encode= --debug --noenc --huge --nowarning --memory --stream --timing --version --help --dropdtd --nsclean --oldxml10 --xmlout --nodefdtd",
        # A schema or a document can be an address, and `%2F` is a slash.
        checks=(
            (
                "--schema= --relaxng= --dtdvalid= --path= --schematron= --output= -o=",
                r"[^:%]*",
            ),
        ),
        places="--schema= --relaxng= --dtdvalid= --path= --schematron=",
        writes="--output= -o=",
        # A document names further files and addresses, which are put into it.
        runs="--shell --catalogs --load-trace --xinclude --loaddtd --postvalid --noent --valid --c14n",
        operands="read",
        refuses=r"\w+:|.*%",
    ),
    Program(
        names="xsltproc",
        reason="stylesheets write files, and read others by their names",
        options="--help --version --verbose",
        operands="text",
        refuses=r"(?!\Z)",
    ),
    Program(
        names="sqlite3",
        # It looks for -init in a first reading that passes over what it does not know: to older versions
        # `-escape -init x` runs x.
        plain_values=True,
        dashed_values="-separator -nullvalue -newline",
        reason="dot-commands and some functions run programs and write files; extensions are code",
        style="words",
        options="-ascii -bail -batch -box -column -csv -echo -header -noheader -help -html -json -jsonb -line -list -markdown -memtrace -mmap= -newline= -nofollow -nullvalue= -quote -readonly -safe -separator= -stats -table -tabs -version -nonce= -escape=",
        runs="-cmd= -init= -interactive -A -append -deserialize -maxsize= -vfs= -zip -lookaside== -pagecache== -unsafe-testing",
        # The statements are read by `sql`.
        operands="change text",
        dashes=False,
    ),
    Program(
        names="psql",
        reason="files of commands are run; -o and -L write",
        # Not -S: to it the end of a line is the end of a statement.
        options="-a -A -b -c= -e -E -F= -h= -H -l -n -p= -q -R= -s -t -T= -U= -V -w -W -x -X -z -? -0 -1 --echo-all --no-align --command= --echo-queries --echo-errors --echo-hidden --field-separator= --field-separator-zero --host= --html --list --no-readline --single-transaction --port= --quiet --record-separator= --record-separator-zero --single-step --tuples-only --table-attr= --username= --version --no-password --password --expanded --no-psqlrc --help? --csv",
        checks=(
            _PG_CHECK,
            # To psql `|cmd` is a command that gets the output.
            ("-o= --output=", r"(?!\|)[\s\S]*"),
            (
                "-v= --set= --variable=",
                r"(?:ON_ERROR_STOP|ON_ERROR_ROLLBACK|VERBOSITY|QUIET|ECHO|AUTOCOMMIT|FETCH_COUNT|SHOW_CONTEXT)=\w*",
            ),
            (
                "-P= --pset=",
                r"(?:pager=off|pager=0|border=\d|format=\w+|null=.*|footer=\w+|expanded=\w+|fieldsep=.*|linestyle=\w+|tuples_only=?\w*|title=.*|columns=\d+)",
            ),
        ),
        writes="-o= --output= -L= --log-file=",
        runs="-f= --file=",
        operands="text",
        refuses=rf"(?!(?:{_PG_TARGET})\Z)",
    ),
    Program(
        names="pg_dump",
        reason="-f writes",
        options="-a -b -B -c -C -e= -E= -F= -g -h= -j= -l= -n= -N= -O -p= -R -s -S= -t= -T= -U= -v -V -w -W -x -Z= --data-only --clean --create  --encoding= --format= --host= --jobs= --no-owner --port= --schema= --exclude-schema= --schema-only --superuser= --table= --exclude-table= --no-password --password --username= --verbose --no-privileges --no-acl --compress= --help --version --column-inserts --inserts --if-exists --role= --section= --no-comments --exclude-table-data= --rows-per-insert=",
        writes="-f= --file=",
        checks=(_PG_CHECK,),
        refuses=rf"(?!(?:{_PG_TARGET})\Z)",
        operands="text",
    ),
    Program(
        names="pg_dumpall",
        reason="-f writes",
        options="-a -c -E= -g -h= -O -p= -r -s -S= -t -U= -v -V -w -W -x --data-only --clean  --encoding= --globals-only --host= --no-owner --port= --roles-only --schema-only --superuser= --tablespaces-only --username= --verbose --no-password --password --no-privileges --help --version --inserts --if-exists",
        writes="-f= --file=",
        # The database to begin with can be a connection by settings, too.
        checks=(_PG_CHECK, ("-l= --database=", _PG_TARGET)),
        refuses=rf"(?!(?:{_PG_TARGET})\Z)",
        operands="text",
    ),
    Program(
        names="pg_isready createdb dropdb",
        plain_values=True,
        reason="settings of a connection can load code",
        options="-h= -p= -q -t= -U= -V -w -W -e -E= -i -l= -O= -T= -D= -f  --host= --port= --quiet --timeout= --username= --version --help --if-exists --owner= --template= --encoding= --echo --interactive --force --no-password",
        checks=(_PG_CHECK,),
        refuses=rf"(?!(?:{_PG_TARGET})\Z)",
        operands="text",
    ),
    Program(
        names="mysql mariadb",
        plain_values=True,
        reason="pagers, plugins and other files of settings are programs; --tee writes",
        options="-A -b -B -C -D= -e= -E -f -h= -H -i -n -N -o -p? -P= -q -r -s -S= -t -u= -v -V -w -W -X -? --auto-rehash --no-auto-rehash --batch --binary-as-hex --column-names --skip-column-names --compress --connect-timeout= --database= --execute= --force --host= --html --ignore-spaces --local-infile=0 --max-allowed-packet= --no-beep --password? --port= --protocol= --quick --raw --reconnect --safe-updates --silent --socket= --ssl --ssl-mode= --skip-ssl --table --unbuffered --user= --verbose --version --vertical --wait --xml --help --no-defaults --get-server-public-key --skip-line-numbers",
        # In other encodings a quote is a part of the letter before it.
        checks=(("--default-character-set=", r"(?i)utf8(?:mb[34])?|utf-8|latin1|ascii|binary"),),
        writes="--tee=",
        runs="--pager? --init-command= --defaults-file= --defaults-extra-file= --defaults-group-suffix= --plugin-dir= --default-auth= --local-infile --login-path= --ssl-ca= --ssl-cert= --ssl-key= --server-public-key-path= --named-commands -G",
        operands="text",
    ),
    Program(
        names="mysqldump",
        plain_values=True,
        reason="-r and -T write; other files of settings are programs",
        options=f"{_MYSQL} -A -B -c -d -e -E -f -F -i -K -l -n -N -q -Q -R -t -x --all-databases --databases --no-data --no-create-info --routines --triggers --events --single-transaction --quick --skip-lock-tables --lock-tables --add-drop-table --compact --complete-insert --extended-insert --skip-extended-insert --hex-blob --ignore-table= --column-statistics= --set-gtid-purged= --no-tablespaces",
        # Others than these functions may be made to run something.
        checks=(
            (
                "-w= --where=",
                r"(?i)(?!.*\binto\b|.*\b(?!(?:in|and|or|not|now|curdate|date|date_sub|date_add|year|month|day|lower|upper|length)\s*\()\w+\s*\()[^;`\\\n]*",
            ),
        ),
        writes="-r= --result-file= -T= --tab= --log-error=",
        runs=_MYSQL_RUNS,
        operands="text",
    ),
    Program(
        names="mysqladmin",
        plain_values=True,
        reason="other files of settings are programs",
        options=f"{_MYSQL} -b -c= -E -f -i= -l -r -w? --count= --force --no-beep --relative --sleep= --vertical --wait?",
        runs=_MYSQL_RUNS,
        operands="text",
    ),
    Program(
        names="mysqlshow",
        plain_values=True,
        reason="other files of settings are programs",
        options=f"{_MYSQL} -i -k -t --count --keys --show-table-type --status",
        runs=_MYSQL_RUNS,
        operands="text",
    ),
    Program(
        names="redis-cli valkey-cli",
        plain_values=True,
        reason="scripts, modules and settings run code or write files",
        options="-h= -p= -n= -a= -u= -r= -i= -c -x -X= -2 -3 --raw --no-raw --csv --json --quoted-json --scan --pattern= --count= --bigkeys --memkeys --hotkeys --stat --latency --latency-history --user= --pass= --no-auth-warning --tls --help --version --askpass --show-pushes= --verbose -e -d= -t= --insecure",
        reads="--cacert= --cert= --key= --cacertdir=",
        runs="--eval= --ldb --ldb-sync-mode --pipe --rdb= --functions-rdb= --cluster --replica --slave --lru-test= --intrinsic-latency= -s=",
        stops=True,
        spelled="eval evalsha eval_ro evalsha_ro fcall script module debug slaveof replicaof function save bgsave bgrewriteaof shutdown migrate failover psync sync restore monitor",
        commands=tuple(
            Program(names=f"{names} {names.upper()}", operands="text", harmless=True)
            for names in (
                "get mget set setex setnx mset incr incrby decr decrby append strlen getrange getset getdel del unlink exists expire expireat pexpire ttl pttl persist keys scan type rename copy dump object touch",
                "hget hgetall hset hmset hmget hdel hexists hkeys hvals hlen hincrby hscan lrange llen lpush rpush lpop rpop lindex lset lrem ltrim smembers sadd srem scard sismember sscan sinter sunion sdiff",
                "zrange zrevrange zrangebyscore zadd zrem zcard zscore zrank zcount zincrby zscan xrange xrevrange xlen xadd xread xinfo ping echo info dbsize time memory client command publish pubsub flushdb flushall select auth getbit setbit bitcount pfadd pfcount geoadd geopos hello role lastsave slowlog",
            )
        )
        # Settings of the server are read, and not changed.
        + tuple(
            Program(
                names=f"{name} {name.upper()}",
                reason="settings run code or write files",
                commands=(Program(names=f"{looks} {looks.upper()}", operands="text", harmless=True),),
            )
            for name, looks in (
                ("config", "get"),
                ("cluster", "nodes info slots shards keyslot countkeysinslot"),
                ("acl", "list whoami getuser cat users"),
                ("latency", "latest doctor history"),
            )
        ),
    ),
    Program(
        names="mongosh mongo",
        reason="it evaluates code",
        options="-h -u= -p= --help --version --host= --port= --username= --password= --authenticationDatabase= --quiet --norc --json? --tls",
        runs="--eval= --shell --nodb -f= --file= --retryWrites",
        operands="text",
        # Of the settings in an address some start a browser, or name files.
        refuses=rf"(?i).*\.(?:[cm]?js|mongodb|ts)\Z|[^?]*\?(?!(?:{_MONGO_SETTING}=[\w.,-]*(?:&|\Z))*\Z)",
        max_operands=1,
        plain_values=True,
    ),
    Program(
        names="openssl",
        reason="engines, providers and configuration are code; -out writes",
        style="words",
        options="-help -v -a",
        spelled="engine ca srp ts cms smime s_server ocsp rehash storeutl cmp",
        commands=(
            Program(
                names="pkcs12 pkcs8",
                plain_values=True,
                style="words",
                reason="engines, providers and configuration are code; -out writes",
                options="-nodes -noenc -nokeys -nocerts -clcerts -cacerts -info -noout -nomacver -legacy -topk8 -nocrypt -traditional -inform= -outform= -help",
                checks=(("-passin= -passout= -password=", r"(?:pass|env|fd):.*|stdin"),),
                reads="-in=",
                writes="-out= -export",
                addresses=True,
                runs="-engine= -provider= -provider-path= -propquery= -rand= -writerand= -certfile= -CAfile= -CApath= -inkey=",
                operands="text",
                refuses=r"(?!\Z)",
            ),
            Program(
                # -sign and -verify take a value in some of them, which `--` would be.
                dashes=False,
                names="x509 req verify rsa ec dsa pkey pkeyparam asn1parse crl crl2pkcs7 pkcs7 dgst enc base64 rand prime passwd speed ciphers version list genrsa genpkey ecparam dhparam dsaparam s_client s_time sess_id nseq errstr md5 sha1 sha256 sha512 kdf mac info help pkeyutl rsautl",
                plain_values=True,
                style="words",
                reason="engines, providers and configuration are code; -out writes",
                options="-inform= -outform= -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -hash -subject_hash -issuer_hash -pubkey -modulus -email -ocsp_uri -checkend= -checkhost= -checkemail= -checkip= -ext= -nameopt= -certopt= -days= -subj= -nodes -noenc -batch -utf8 -verify -verify_depth= -purpose= -partial_chain -show_chain -no_check_time -crl_check -check -pubin -pubout -k= -K= -iv= -S= -md= -a -A -d -e -p -P -nosalt -salt -pbkdf2 -iter= -base64 -hex -binary -r -c -hmac= -md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -blake2b512 -aes-128-cbc -aes-192-cbc -aes-256-cbc -aes-256-ctr -des3 -num= -bits= -1 -5 -6 -apr1 -stdin -seconds= -evp= -multi= -s -v -V -b -o -f -h -help -all -name= -algorithm= -pkeyopt= -curve= -connect= -servername= -showcerts -tls1_2 -tls1_3 -tls1_1 -tls1 -no_ticket -brief -quiet -starttls= -alpn= -status -state -debug -msg -ign_eof -no_ign_eof -prexit -cipher= -ciphersuites= -sigalgs= -groups= -crlf -noservername -verify_return_error -verify_hostname= -4 -6 -host= -port= -i -offset= -length= -dump -strparse= -genstr= -nbio -keyform= -certform= -traditional -clrext -trustout -req -set_serial= -extensions= -reqexts= -digest= -sigopt= -param_enc= -conv_form= -list_curves -2 -digest-commands -cipher-commands -cipher-algorithms -digest-algorithms -public-key-algorithms -providers -configdir -modulesdir -engines -decrypt -encrypt -sign -verifyrecover",
                # A password in a file is read.
                checks=(
                    ("-passin= -passout= -pass=", r"(?:pass|env|fd):.*|stdin"),
                    # Lines of a configuration, which can name files.
                    ("-addext=", r"(?!.*file:)[A-Za-z][\w.]*[ \t]*=[^\n]*"),
                ),
                reads="-in= -key= -cert= -CAfile= -CApath= -CAkey= -signature= -inkey= -peerkey= -sigfile= -kfile= -extfile= -untrusted= -trusted= -CRL= -certfile= -cert_chain= -pass_file= -signkey= -trusted_first",
                # Without -keyout a new key goes to a file of its own, privkey.pem.
                # Beside the file of -CA the number of the last certificate is kept, and counted up.
                writes="-new -newkey= -x509 -CA= -CAcreateserial -out= -keyout= -CAserial= -sess_out= -keylogfile= -msgfile= -outdir= -writerand=",
                # A file may also be an address: org.openssl.engine:x:y loads x.
                addresses=True,
                runs="-engine= -provider= -provider-path= -propquery= -config= -rand= -engine_impl -keygen_engine= -proxy= -sess_in= -psk= -xkey= -xcert=",
                operands="read",
            ),
        ),
    ),
)
