# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Programs that speak with other machines.

Above: `tables` finds a program's entry by its name. Below: `schema`. Connecting is what they are for: a rule for
them is the permission to do it. What they may not do unasked is run local programs, write files, and take
options, proxies or addresses from somewhere else.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.schema import Program

# Addresses: only these schemes, and nothing that curl puts together from braces and brackets before them.
_ODD_ADDRESS = r"(?i)@|(?!(?:https?|ftps?|wss?)://)(?:[^/?#]*://|[a-z0-9+.-]*[{\[]|(?:file|dict|gophers?|ldaps?|scp|sftp|smbs?|telnet|tftp|imaps?|pop3s?|smtps?|rtmp|rtsp|mqtt):)"

_JUMP = r"[\w@.:,%\[\]-]+"
# A name of a host that a shell would read as more than a name.
_ODD_HOST = r"(?![\w@.:/%\[\]+-]+\Z)"
# A host of that kind, or a path on it that a shell would read as more than a path: scp and rsync may give it to one.
_ODD_REMOTE = (
    r"[^/:]*[^\w@.:/%\[\]+*?{},~ -][^/:]*:|(?:[^/:]+:|[a-z]+://)[^;&|`$<>()\\\"'\s]*[;&|`$<>()\\\"'\s]"
)
# Settings of ssh that neither run nor read anything.
SSH_SETTING = (
    r"(?i)(?:connecttimeout|batchmode|serveralive\w+|loglevel|stricthostkeychecking|connectionattempts|requesttty"
    r"|port|user|addressfamily|compression|identitiesonly|passwordauthentication|pubkeyauthentication)[ =]+[\w.+@-]*"
)

# One of this machine: others have an address (rpcap://h/x, TCP@h), or a helper program.
_INTERFACE = r"(?!.*dump)[\w.:-]+"

_SSH = Program(
    names="ssh",
    reason="ProxyCommand and the like run local programs, -F reads more options, -I loads a library",
    options="-4 -6 -A -a -C -f -G -k -N -n -q -s -T -t -V -v -x -y -b= -c= -e= -m= -p= -Q= -W=",
    # The jump host becomes part of a text for a shell; so may the user and the host.
    checks=(
        ("-J=", _JUMP),
        ("-l=", r"[\w.+@-]+"),
        # A path is a socket: one of this machine that the other may use, or a new file.
        ("-D= -L= -R=", r"[^/~]*"),
    ),
    reads="-i=",
    writes="-E=",
    runs="-F= -I= -S= -w= -P= -o=",
    # And -o, of which `programs` knows the settings that are harmless.
    operands="text",
    refuses=_ODD_HOST,
    stops=True,
)

PROGRAMS = (
    Program(
        names="curl",
        reason="it writes files, reads further options, and reaches other services",
        # A value of -d, -F, -H and the like that begins with `@` is a file: `programs` looks for it.
        options="-d= --data= --data-ascii= --data-binary= --data-urlencode= --json= -F= --form= -H= --header= --proxy-header= -b= --cookie= -w= --write-out= --url= --url-query= --variable= --anyauth -a --append --aws-sigv4= --basic --cert-status --ciphers= --compressed --compressed-ssh --connect-timeout= -C= --continue-at= --crlf --curves= --delegation= --digest -q --disable --disable-eprt --disable-epsv --disallow-username-in-url --doh-cert-status --doh-insecure --expect100-timeout= -f --fail --fail-early --fail-with-body --false-start --form-escape --form-string= --data-raw= --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode= --ftp-ssl-control -G --get -g --globoff --happy-eyeballs-timeout-ms= --haproxy-protocol -I --head -h? --help? --hostpubmd5= --hostpubsha256= --http0.9 -0 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --ignore-content-length -i --include --show-headers -k --insecure -4 --ipv4 -6 --ipv6 -j --junk-session-cookies --keepalive-time= --limit-rate= -l --list-only --local-port= -L --location --location-trusted --login-options= --mail-auth= --mail-from= --mail-rcpt= --mail-rcpt-allowfails -M --manual --max-filesize= --max-redirs= -m= --max-time= --negotiate -n --netrc --netrc-optional -: --next --no-alpn -N --no-buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --noproxy= --ntlm --oauth2-bearer= -Z --parallel --parallel-immediate --parallel-max= --pass= --path-as-is --post301 --post302 --post303 -# --progress-bar --proto= -r= --range= --rate= --raw -e= --referer= -R --remote-time -X= --request= --request-target= --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --sasl-authzid= --sasl-ir --service-name= -S --show-error -s --silent -Y= --speed-limit= -y= --speed-time= --ssl --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd --ssl-revoke-best-effort -2 --sslv2 -3 --sslv3 --styled-output --no-styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay -t= --telnet-option= --tftp-blksize= --tftp-no-options --tls-max= --tls13-ciphers= --tlsauthtype= --tlspassword= --tlsuser= -1 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-time --trace-ids -B --use-ascii -u= --user= -A= --user-agent= -v --verbose -V --version --no-fail --no-silent --no-location --no-compressed --no-insecure",
        reads="-T= --upload-file= -E= --cert= --key= --pubkey= --cacert= --capath= --crlfile= --netrc-file= --etag-compare= --random-file= --egd-file= --pinnedpubkey= -z= --time-cond=",
        writes="-o= --output= -O --remote-name --remote-name-all -J --remote-header-name --output-dir= -D= --dump-header= -c= --cookie-jar= --trace= --trace-ascii= --trace-config= --stderr= --libcurl= --etag-save= --create-dirs --create-file-mode= --remove-on-error --xattr",
        # Others than these lead from a server's answer to files of this machine.
        checks=(
            ("--proto-redir=", r"[=+-]?(?:https?|ftps?|,|-all)*"),
            ("--cert-type= --key-type=", r"(?i)PEM|DER|P12"),
        ),
        runs="--hsts= --alt-svc= -K= --config= --engine= --proto-default= --unix-socket= --abstract-unix-socket= -x= --proxy= --proxy1.0= --preproxy= --socks4= --socks4a= --socks5= --socks5-hostname= --connect-to= --resolve= --doh-url= --dns-servers= --dns-interface= --interface= --ntlm-wb --krb= -P= --ftp-port= --expand-output= --expand-config= --expand-url= --expand-write-out= --expand-data= --expand-header=",
        operands="text",
        refuses=_ODD_ADDRESS,
    ),
    Program(
        names="wget",
        # The options of wget2 take some values only behind `=`.
        plain_values=True,
        reason="it runs commands of a wgetrc, and writes logs, documents and lists of directories",
        options="-A= -4 -6 -B= -c -d -D= -E -F -h -H -I= -K -k -L -l= -m -n= -N -p -q -Q= -r -R= -S -T= -t= -U= -v -V -w= -x -X= --accept= --accept-regex= --adjust-extension --auth-no-challenge --backup-converted --base= --bind-address= --body-data= --no-cache --certificate-type= --no-check-certificate --compression= --connect-timeout= --content-disposition --content-on-error --continue --convert-links --no-cookies --cut-dirs= --debug --default-page= --delete-after --no-directories --no-dns-cache --dns-timeout= --domains= --exclude-directories= --exclude-domains= --follow-ftp --follow-tags= --force-directories --force-html --ftp-password= --ftp-user= --no-glob --header= --help --no-host-directories --no-hsts --html-extension --http-passwd= --http-password= --http-user= --https-only --ignore-case --ignore-length --ignore-tags= --include-directories= --inet4-only --inet6-only --keep-session-cookies --level= --limit-rate= --local-encoding= --max-redirect= --method= --mirror --no-netrc --no-clobber --no-config --no-parent --page-requisites --passive-ftp --password= --post-data= --prefer-family= --ciphers= --private-key-type= --progress= --show-progress --no-show-progress --protocol-directories --no-proxy --quiet --quota= --random-wait --read-timeout= --recursive --referer= --regex-type= --reject= --reject-regex= --relative --remote-encoding= --report-speed? --retry-connrefused --retry-on-host-error --retry-on-http-error= --save-headers --secure-protocol= --server-response --span-hosts --spider --start-pos= --strict-comments --timeout= --timestamping --no-if-modified-since --tries= --trust-server-names --no-use-server-timestamps --user= --user-agent= --verbose --no-verbose --version --wait= --waitretry=",
        reads="--body-file= --post-file= --load-cookies= --ca-certificate= --ca-directory= --certificate= --crl-file= --private-key= --pinnedpubkey=",
        writes="-b --background -O= --output-document= -o= --output-file= -a= --append-output= -P= --directory-prefix= --save-cookies=",
        # A dash is the name of a file there.
        checks=(("--save-cookies=", r"(?!-\Z)[\s\S]*"),),
        runs="-e= --execute= --config= --warc-file= --warc-tempdir= --warc-dedup= --rejected-log= --hsts-file= --use-askpass= -i= --input-file= --proxy-user= --proxy-password=",
        operands="text",
        # The list of a directory of FTP is kept in a file, `.listing`, whatever is printed.
        refuses=r"(?i)ftps?:|" + _ODD_ADDRESS.removeprefix("(?i)"),
    ),
    _SSH,
    # Its own -M takes a port: the host is the word behind that.
    replace(
        _SSH,
        names="autossh",
        checks=(*_SSH.checks, ("-M=", r"\d+(?::\d+)?")),
    ),
    Program(
        names="scp",
        reason="ProxyCommand and the like run local programs, -S is one",
        options="-3 -4 -6 -A -B -C -O -p -q -R -r -v -c= -l= -P=",
        checks=(("-J=", _JUMP), ("-o=", SSH_SETTING)),
        reads="-i=",
        # Without -T, names that were not asked for are refused.
        runs="-T -D= -F= -S= -s -X=",
        trees="-r",
        operands="copy",
        # What looks like an option behind the first file is one more file.
        stops=True,
        refuses=f"-|{_ODD_REMOTE}",
    ),
    Program(
        names="sftp",
        reason="a batch file is a list of commands; ProxyCommand and the like run local programs",
        options="-4 -6 -A -a -C -f -N -p -q -r -v -B= -c= -l= -P= -R=",
        checks=(("-J=", _JUMP), ("-o=", SSH_SETTING)),
        reads="-i=",
        runs="-b= -D= -F= -S= -s= -X=",
        # A path behind the host is fetched, to the second operand or under its own name.
        operands="text write",
        stops=True,
        refuses=r"-|.*:",
    ),
    Program(
        names="rsync",
        reason="the remote shell is a program; logs and batches are written",
        options="-v -q -c -a -r -R -b -u -d -l -p -A -X -o -g -t -U -O -J -S -n -W -x -I -m -s -i -h -8 -z -P -y -C -H -E -D -4 -6 -B= -0 --verbose --info= --debug= --stderr= --quiet --no-motd --checksum --archive --recursive --relative --no-implied-dirs --backup --suffix= --update --inplace --append --append-verify --dirs --mkpath --links --munge-links --safe-links --perms --executability --chmod= --acls --xattrs --owner --group --devices --specials --times --atimes --open-noatime --crtimes --omit-dir-times --omit-link-times --fake-super --sparse --preallocate --dry-run --whole-file --checksum-choice= --one-file-system --block-size= --existing --ignore-non-existing --ignore-existing --remove-source-files --del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --ignore-missing-args --delete-missing-args --ignore-errors --force --max-delete= --max-size= --min-size= --max-alloc= --partial --delay-updates --prune-empty-dirs --numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= --ignore-times --size-only --modify-window= --fuzzy --compress --compress-choice= --compress-level= --skip-compress= --cvs-exclude --exclude= --include= --from0 --old-args --secluded-args --protect-args --stats --8-bit-output --human-readable --progress --itemize-changes --out-format= --list-only --bwlimit= --stop-after= --stop-at= --fsync --protocol= --iconv= --checksum-seed= --ipv4 --ipv6 --version --help --hard-links --no-perms --no-owner --no-group --no-times --no-links --port= --outbuf= --no-o --no-g --no-p --no-D --no-t --no-r --no-z --no-W --no-i-r --no-recursive --no-inc-recursive --no-compress --no-whole-file --no-checksum --no-progress --no-partial --no-inplace --no-acls --no-xattrs --no-devices --no-specials --no-hard-links --no-one-file-system --no-sparse --no-itemize-changes --no-human-readable --no-verbose",
        reads="--exclude-from= --include-from= --password-file= --compare-dest= --copy-dest=",
        # What is the same there becomes another name of that very file.
        changes="-T= --temp-dir= --link-dest=",
        fills="--backup-dir= --partial-dir=",
        suffixes="--suffix",
        # What has been copied is removed.
        links="--remove-source-files",
        writes="--log-file=",
        # A list, and what `.rsync-filter` merges, name files behind links and elsewhere.
        follows="-F --files-from= -L -k -K --copy-links --copy-dirlinks --copy-unsafe-links --keep-dirlinks --copy-devices --write-devices",
        checks=(
            # What is no whole path is seen from where the files go to.
            ("--compare-dest= --copy-dest= --link-dest=", r"[/~](?s:.*)"),
            ("-T= --temp-dir= --backup-dir= --partial-dir=", r"[/~](?s:.*)|(?!(?s:.*)\.\.)(?s:.*)"),
            # A rule that merges a file reads it.
            ("-f= --filter=", r"(?!merge|dir-merge|[.:]).*"),
            ("-e= --rsh=", r"ssh(?: -p ?\d+| -[46CTxq]| -i [\w./~-]+)*"),
        ),
        # A batch holds files of any name.
        runs="--read-batch= --write-batch= --only-write-batch= --rsync-path= --daemon --config= -M= --remote-option= --dparam= --early-input= --log-file-format= --address= --sockopts= --blocking-io --super",
        operands="copy",
        # A name of a host that begins with a dash is an option of ssh.
        refuses=rf"(?:[^/:]*@)?-|{_ODD_REMOTE}",
    ),
    Program(
        names="nc netcat nc.openbsd nc.traditional",
        reason="-e and -c run a program for each connection; -o writes",
        options="-4 -6 -b -C -D -d -F -h -k -l -N -n -r -S -t -u -v -z -p= -s= -X=",
        # Some of these take no value in some versions, where further letters follow: -Te/bin/sh.
        checks=(
            ("-I= -i= -M= -m= -O= -q= -V= -w= -W=", r"\d+(?:ms|[smh])?"),
            ("-T=", r"[a-z]{3,}(?:=\w+)?|0x[0-9a-f]+|\d+"),
        ),
        plain_values=True,
        writes="-o= --output= -x= --hex-dump=",
        runs="-U -e= -c= -P= -R= -g= -G= --exec= --sh-exec= --lua-exec= --proxy= --proxy-auth=",
        operands="text",
    ),
    Program(
        names="ncat",
        reason="-e and -c run a program for each connection; -o writes",
        options="-4 -6 -C -h -k -l -n -t -u -v -z -p= -s= --broker --chat --crlf --help --keep-open --listen --no-shutdown --nodns --recv-only --sctp --send-only --source-port= --source= --ssl --ssl-alpn= --ssl-servername= --ssl-verify --telnet --udp --verbose --version",
        checks=(
            ("-d= -i= -m= -w= --delay= --idle-timeout= --max-conns= --wait=", r"\d+(?:\.\d+)?(?:ms|[smh])?"),
        ),
        reads="--ssl-cert= --ssl-key= --ssl-trustfile= --allowfile= --denyfile=",
        plain_values=True,
        writes="-o= --output= -x= --hex-dump=",
        runs="-U -e= -c= -g= -G= --exec= --sh-exec= --lua-exec= --lua-exec-internal= --proxy= --proxy-auth= --unixsock --vsock",
        operands="text",
    ),
    Program(
        names="ping ping6",
        options="-4 -6 -a -A -b -B -c= -C -d -D -e= -f -F= -h -i= -I= -l= -L -m= -M= -n -N= -o -O -p= -q -Q= -r -R -s= -S= -t= -T= -U -v -V -w= -W= --help --version",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="traceroute traceroute6",
        # A method can be a module.
        options="-4 -6 -A -d -D -e -f= -F -g= -i= -I -l= -m= -n -N= -p= -P= -q= -r -s= -t= -T -U -UL -V -w= -z= --back --debug --dont-fragment --first= --gateway= --help --icmp --interface= --max-hops= --mtu --port= --protocol= --queries= --source= --sport= --tcp --tos= --udp --version --wait=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="tracepath",
        options="-4 -6 -b -h -l= -m= -n -p= -V -?",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="mtr",
        options="-4 -6 -a= -b -B= -c= -C -e -f= -G= -h -i= -I= -j -l -L= -m= -M= -n -o= -p -P= -Q= -r -s= -S -t -T -u -U= -v -w -x -y= -z -Z= --address= --aslookup --csv --first-ttl= --help --inet --inet6 --interface= --interval= --ipinfo= --json --max-ttl= --mpls --no-dns --order= --port= --psize= --raw --report --report-cycles= --report-wide --show-ips --split --tcp --timeout= --udp --version --xml",
        # A file of hosts.
        reads="-F= --filename=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="dig",
        reason="certificates and keys are files",
        options="-4 -6 -b= -c= -d -h -i -m -n -p= -q= -r -t= -u -v -x= --help --version",
        reads="-f= -k=",
        operands="text",
        # These names may be shortened.
        refuses=r"\+(?:tls-[ck]|tru)[\w-]*=",
        plain_values=True,
    ),
    Program(
        names="host",
        options="-4 -6 -a -A -c= -C -d -l -m= -N= -p= -r -R= -s -t= -T -U -v -V -w -W=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="nslookup",
        pattern=r"-(?:type|query|class|port|timeout|retry)=[A-Za-z0-9]+|-(?:no)?(?:debug|recurse|search|vc)|-version",
        operands="text",
    ),
    Program(
        names="whois",
        options="-a -b -B -d -F -g= -G -h= -H -i= -I -K -l -L -m -M -p= -q= -r -R -s= -t= -T= -v= -x --help --host= --no-recursion --port= --server= --verbose --version",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="drill",
        reason="packets are written",
        options="-4 -6 -a -b= -C -D -d= -h -I= -o= -p= -S -s -T -t -u -V= -v -x -y= -z",
        reads="-c= -f= -i= -k= -r=",
        writes="-q= -w=",
        operands="text",
    ),
    Program(
        names="resolvectl",
        reason="it changes how names are resolved",
        options="-4 -6 -i= -p= -t= -c= -h --help --version --interface= --protocol= --type= --class= --legend= --cname= --no-pager --json= --search= --cache=",
        persistent=True,
        commands=(
            Program(
                names="query service status statistics show-cache show-server-state tlsa openpgp",
                operands="text",
            ),
        ),
    ),
    Program(
        names="nmap",
        reason="scripts are code; reports are written",
        style="words",
        options="-sS -sT -sU -sV -sn -sP -sL -sC -Pn -PS -PA -PU -n -R -F -r -v -vv -d -A -O -6 -T0 -T1 -T2 -T3 -T4 -T5 -p= -e= -S= -g= --top-ports= --open --reason --packet-trace --iflist --version --help -h --min-rate= --max-rate= --max-retries= --host-timeout= --exclude= --dns-servers= --traceroute",
        pattern=r"-p[0-9,TUS:-]+|-P[SAUY][0-9,-]*",
        reads="-iL= --excludefile=",
        writes="-oN= -oX= -oS= -oG= -oA=",
        # In these names some texts stand for the time; any other sign behind `%` stands for itself.
        checks=(("-oN= -oX= -oS= -oG= -oA=", r"(?:[^%]|%[HMSmdyYTRD])*"),),
        runs="--script= --script-args= --script-args-file= --datadir= --servicedb= --versiondb= --stylesheet= --resume=",
        operands="text",
    ),
    Program(
        names="tcpdump",
        reason="-z runs a program on each finished file; captures are written",
        options="-A -b -B= -c= -d -D -e -f -h -H -I -j= -J -K -l -L -n -N -O -p -q -Q= -s= -S -t -T= -u -U -v -x -X -y= -# --count --list-interfaces --number --print --version --help --direction= --immediate-mode --no-optimize --snapshot-length= --absolute-tcp-sequence-numbers",
        reads="-r=",
        # In the name of a file that is begun anew, texts stand for the time, and for the zone that TZ names.
        checks=(("-i= --interface=", _INTERFACE), ("-w=", r"(?:[^%]|%[YmdHMSsjyFT])*")),
        # A list of files.
        follows="-V=",
        writes="-w= -W= -C= -G=",
        runs="-z= -Z= -F= -E= -M= -m= --relinquish-privileges=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="tshark",
        reason="scripts and settings are code; captures are written",
        # Several of tcpdump's letters are here too, and take no value: -Q, -V.
        options="-B= -c= -D -f= -h -I -l -L -n -N= -p -P -q -Q -s= -S= -t= -T= -v -V -x -y= -Y= -2 -R= -e= -j= -J= -d= --version --help --list-interfaces --color --no-duplicate-keys",
        reads="-r=",
        checks=(("-i=", _INTERFACE),),
        writes="-w= -b= -a= -F= -g -U= --export-objects= --capture-comment=",
        runs="-X= -K= -o= -C= -z= -O= -G? -H= -E= -A= --log-level= --enable-heuristic= --elastic-mapping-filter= --hexdump=",
        operands="text",
        plain_values=True,
    ),
    Program(
        names="dumpcap",
        reason="captures are written",
        options="-D -L -h -v --help --version --list-interfaces",
        operands="text",
        refuses=r"(?!\Z)",
        only_with="-D -L -h -v --help --version --list-interfaces",
    ),
    Program(
        names="httpie",
        reason="plugins are code",
        options="-h --help --version",
        spelled="cli plugins",
        commands=(Program(names="sessions", reason="sessions are written"),),
    ),
    Program(
        names="http https xh xhs",
        reason="downloads are written; plugins and sessions are read as instructions",
        options="-j -f -h -b -v -p= -s= -a= -A= -F -S -I -P= --json --form --multipart --body --headers --verbose --print= --pretty= --style= --auth= --auth-type= --follow --max-redirects= --timeout= --check-status --stream --ignore-stdin --offline --raw= --unsorted --sorted --format-options= --max-headers= --compress -x --quiet -q --all --meta --version --help --debug --chunked --http-version=",
        reads="--cert= --cert-key= --verify=",
        writes="-o= --output= -d --download -c --continue",
        runs="--session= --session-read-only= --proxy=",
        operands="text",
        plain_values=True,
        # `name@file`, `name=@file`, `name:=@file`; after the first separator an @ is part of the value.
        refuses=r"(?i)file:|https?\+|.*\\.*@|[^=:@;]*(?:=|:=|==|:|;)?@",
    ),
)
