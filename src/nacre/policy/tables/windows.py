# ruff: noqa: E501 - lists of names
"""Commands of cmd.exe and PowerShell.

Above: `check` asks about the names of Windows shells. Below: `model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nacre.policy.model import names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cmdlet:
    """What the policy knows about one cmdlet: the parameters that are known, by what their values are."""

    names: str
    # Parameters that are given by their place, in their order; nothing else is.
    positions: str = ""
    # Values that are printed, compared or counted. The last of `positions` takes all that follows (`rest`).
    texts: str = ""
    rest: bool = False
    switches: str = ""
    # Files and directories that are read, and that are changed, made or removed: what the cmdlet is for.
    reads: str = ""
    changes: str = ""
    # A file that is written, which needs permission; a directory that gets files whose names are not known.
    writes: str = ""
    fills: str = ""
    enters: str = ""
    # Names of properties, or blocks as they are written: a value may be a block from elsewhere, or a method.
    properties: str = ""
    blocks: str = ""
    # Pairs (parameter, regular expression for all of its value).
    checks: tuple[tuple[str, str], ...] = ()
    # Without these it takes the files from what is piped to it.
    given: str = ""
    # It knows files only, on no other drive.
    only_files: bool = False


# A name, no path from which a module would be loaded.
_NAME = r"[\w*?-]+"
_PATHS = "path literalpath"
_WEB = r"(?i)https?://.*"
_WORDS = r"[\w-]+"

_CMDLETS = (
    Cmdlet(names="write-output", positions="inputobject", texts="inputobject", rest=True, switches="noenumerate"),
    Cmdlet(names="write-host", positions="object", texts="object foregroundcolor backgroundcolor separator", rest=True, switches="nonewline"),
    Cmdlet(names="write-error write-warning write-verbose write-debug", positions="message", texts="message"),
    Cmdlet(names="get-childitem", positions="path filter", reads=f"{_PATHS} filter", texts="include exclude depth", switches="recurse force name file directory hidden readonly", given="path"),
    Cmdlet(names="get-content", positions="path", reads=_PATHS, texts="totalcount first head tail last readcount encoding delimiter", switches="raw", given="path"),
    Cmdlet(names="get-item get-itemproperty", positions="path", reads=_PATHS, switches="force", given="path"),
    Cmdlet(names="test-path", positions="path", reads=_PATHS, texts="pathtype", switches="isvalid", given="path"),
    Cmdlet(names="resolve-path convert-path", positions="path", reads=_PATHS, switches="relative", given="path"),
    Cmdlet(names="get-filehash", positions="path algorithm", reads=_PATHS, texts="algorithm", given="path"),
    Cmdlet(names="join-path", positions="path childpath", reads="path childpath"),
    Cmdlet(names="split-path", positions="path", texts="path literalpath", switches="parent leaf leafbase extension isabsolute"),
    Cmdlet(names="set-location push-location", positions="path", enters=_PATHS, given="path"),
    Cmdlet(names="pop-location", enters="path", given="path"),
    Cmdlet(names="get-location clear-host get-host get-culture get-timezone get-uptime get-computerinfo out-null out-default get-history get-alias get-psdrive get-error"),
    Cmdlet(names="get-variable", positions="name", texts="name", switches="valueonly", checks=(("name", _NAME),)),
    Cmdlet(names="get-date", positions="date", texts="date format uformat", switches="asutc"),
    Cmdlet(names="get-random", positions="maximum", texts="maximum minimum count inputobject"),
    Cmdlet(names="get-process", positions="name", texts="name id"),
    Cmdlet(names="get-service", positions="name", texts="name displayname"),
    Cmdlet(names="get-command", positions="name", texts="name commandtype", switches="all syntax", checks=(("name", _NAME),)),
    Cmdlet(names="get-help", positions="name", texts="name parameter", switches="full detailed examples", checks=(("name", _NAME),)),
    Cmdlet(names="get-module", positions="name", texts="name", switches="listavailable", checks=(("name", _NAME),)),
    Cmdlet(names="get-member", positions="name", texts="name membertype"),
    Cmdlet(names="get-unique", switches="asstring"),
    Cmdlet(names="select-object", positions="property", properties="property expandproperty excludeproperty", texts="first last skip skiplast index", switches="unique"),
    Cmdlet(names="select-string", positions="pattern path", texts="pattern include exclude context encoding", reads=_PATHS, switches="simplematch casesensitive quiet list notmatch allmatches raw noemphasis", given="path"),
    Cmdlet(names="where-object", positions="filterscript value", properties="filterscript property", texts="value", switches="eq ne gt ge lt le like notlike match notmatch contains notcontains in notin ceq cne clike cmatch not"),
    Cmdlet(names="foreach-object", positions="process", blocks="begin process end"),
    Cmdlet(names="sort-object", positions="property", properties="property", texts="top bottom", switches="descending unique casesensitive stable"),
    Cmdlet(names="group-object", positions="property", properties="property", switches="noelement ashashtable asstring casesensitive"),
    Cmdlet(names="measure-object", positions="property", properties="property", switches="sum average maximum minimum line word character"),
    Cmdlet(names="compare-object", positions="referenceobject differenceobject", texts="referenceobject differenceobject", properties="property", switches="includeequal excludedifferent passthru casesensitive"),
    Cmdlet(names="format-table format-list format-wide", positions="property", properties="property groupby", texts="column", switches="autosize wrap hidetableheaders"),
    Cmdlet(names="out-string", texts="width", switches="stream nonewline"),
    Cmdlet(names="out-host"),
    Cmdlet(names="convertfrom-json", positions="inputobject", texts="inputobject depth", switches="ashashtable noenumerate"),
    Cmdlet(names="convertto-json", positions="inputobject", texts="inputobject depth", switches="compress asarray"),
    Cmdlet(names="convertto-csv", positions="inputobject delimiter", texts="inputobject delimiter", switches="notypeinformation"),
    Cmdlet(names="convertfrom-csv", positions="inputobject delimiter", texts="inputobject delimiter header"),
    Cmdlet(names="import-csv", positions="path delimiter", reads=_PATHS, texts="delimiter header encoding", given="path"),
    Cmdlet(names="start-sleep", positions="seconds", texts="seconds milliseconds"),
    Cmdlet(names="measure-command", positions="expression", blocks="expression"),
    Cmdlet(names="set-content add-content", positions="path value", changes=_PATHS, texts="value encoding", switches="force nonewline passthru", given="path"),
    Cmdlet(names="clear-content", positions="path", changes=_PATHS, switches="force", given="path"),
    Cmdlet(names="out-file", positions="filepath encoding", changes="filepath literalpath", texts="encoding width inputobject", switches="append force noclobber nonewline", given="filepath", only_files=True),
    Cmdlet(names="tee-object", positions="filepath", changes="filepath literalpath", texts="encoding inputobject", switches="append", given="filepath", only_files=True),
    Cmdlet(names="export-csv", positions="path delimiter", changes=_PATHS, texts="delimiter encoding inputobject", switches="notypeinformation append force noclobber", given="path", only_files=True),
    Cmdlet(names="new-item", positions="path", changes="path name", texts="itemtype type value", switches="force", checks=(("itemtype", "(?i)file|directory"), ("type", "(?i)file|directory")), given="path name"),
    Cmdlet(names="mkdir", positions="path", changes="path p name", switches="force", given="path"),
    Cmdlet(names="copy-item", positions="path destination", changes=f"{_PATHS} destination", texts="include exclude", reads="filter", switches="recurse force passthru", given="path destination"),
    Cmdlet(names="move-item", positions="path destination", changes=f"{_PATHS} destination", switches="force passthru", given="path destination"),
    Cmdlet(names="rename-item", positions="path newname", changes=f"{_PATHS} newname", switches="force passthru", given="path newname"),
    Cmdlet(names="remove-item", positions="path", changes=_PATHS, texts="include exclude", reads="filter", switches="recurse force", given="path"),
    Cmdlet(names="compress-archive", positions="path destinationpath", reads=_PATHS, changes="destinationpath", texts="compressionlevel", switches="update force", given="path destinationpath", only_files=True),
    Cmdlet(names="expand-archive", positions="path destinationpath", reads=_PATHS, fills="destinationpath", switches="force", given="path destinationpath", only_files=True),
    Cmdlet(names="stop-process", positions="id", texts="id name", switches="force"),
    Cmdlet(names="invoke-webrequest invoke-restmethod", positions="uri", texts="uri method body headers contenttype timeoutsec useragent", reads="infile", writes="outfile", switches="usebasicparsing skipcertificatecheck", checks=(("uri", _WEB), ("method", _WORDS)), only_files=True),
)  # fmt: skip
# The cmdlets whose arguments are read, by their full names; others are programs that nobody knows.
CMDLETS = {name: entry for entry in _CMDLETS for name in entry.names.split()}
# Those of them that only read, compute and print.
HARMLESS_CMDLETS = frozenset(
    name for name, entry in CMDLETS.items() if not (entry.changes or entry.writes or entry.fills)
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Command:
    """A command of cmd.exe, or a program of Windows: its switches, and what is done with its other arguments."""

    names: str
    # A regular expression for what may stand behind a slash: `/s`, `/s/b`.
    switches: str = ""
    # Other arguments: files that are read or changed, or texts that may be files.
    access: Literal["read", "change", "maybe"] = "maybe"
    # A regular expression for arguments that are neither: `+r` of attrib.
    texts: str = ""
    # With one of these switches it looks for such files below the directory, too.
    deep: str = ""
    # The second argument, or the current directory, gets files by names of their own.
    fills: Literal["", "always", "of several"] = ""
    # The second argument is a name beside the first (ren).
    beside: bool = False


_COMMANDS = (
    Command(names="dir", switches=r"-?[bcdlnpqrswx4]|[aot]:?[a-z-]*", access="read"),
    Command(names="type", access="read"),
    Command(names="more", switches=r"[ecps]|t[0-9]+", texts=r"\+[0-9]+", access="read"),
    Command(names="md mkdir", access="change"),
    Command(names="rd rmdir", switches="[sq]", access="change"),
    Command(names="del erase", switches="[pfsq]|a:?[a-z-]*", access="change", deep="s"),
    Command(names="copy", switches="-?y|[abvnz]", access="change", fills="of several"),
    Command(names="move", switches="-?y", access="change", fills="of several"),
    Command(names="ren rename", access="change", beside=True),
    Command(names="xcopy", switches="-?y|[seihkqrcvf]", access="change", fills="always"),
    Command(names="robocopy", switches=r"[sel]|mir|purge|x[df]|n(?:jh|js|fl|dl|[psc])|(?:r|w|mt):[0-9]+", access="change", fills="always"),
    Command(names="attrib", switches="[sd]", texts="[+-][rahs]", access="change", deep="s"),
    Command(names="find", switches="[vcni]", access="read"),
    Command(names="findstr", switches=r"[bemlrsivxnop]+|c:.*"),
    Command(names="sort", switches=r"r|\+[0-9]+|unique", access="read"),
    Command(names="tree", switches="[fa]", access="read"),
    Command(names="fc", switches="[abclnuw]", access="read"),
    Command(names="where", switches="[qft]"),
    Command(names="tasklist", switches="v|svc|fi|fo|nh"),
    Command(names="taskkill", switches="f|t|im|pid"),
    Command(names="whoami", switches="all|user|groups|priv|upn|logonid"),
)  # fmt: skip
WINDOWS_COMMANDS = {name: entry for entry in _COMMANDS for name in entry.names.split()}
# What sets the date or the time unless it is told to show it.
SHOWS_WITH_T = names("date time")

# Programs that are no scripts of cmd.exe on Windows, as npm, mvn and az are, and python where several versions are
# installed: what PowerShell hands on to them is not read as a command once more.
NO_BATCH_FILES = names(
    "git rg grep egrep fgrep findstr sed awk gawk jq yq fd find tr cut xargs test expr date stat diff curl wget node "
    "py uv java javac dotnet go cargo rustc gcc g++ clang cmake make ninja docker podman kubectl helm gh "
    "terraform psql mysql sqlite3 ssh scp rsync ffmpeg openssl tar ping"
)

# Programs that are given every letter as it is, in no older encoding.
READS_ALL_LETTERS = names(
    "git rg fd node npm npx yarn pnpm deno bun python python3 py pip pytest ruff black mypy uv dotnet go cargo rustc "
    "docker podman kubectl helm gh terraform"
)

# Programs that divide their command line as Windows says. Those that come with git from elsewhere (sed, grep, tar)
# take single quotes for quotes, too, and `@x` for a file of further arguments.
DIVIDED_AS_ON_WINDOWS = names(
    "git rg jq yq fd node npm npx yarn pnpm deno bun python python3 py pip pytest ruff black mypy uv ruby java javac dotnet go "
    "cargo rustc gcc g++ clang cmake ninja docker podman kubectl helm gh terraform aws sqlite3 findstr where sort more "
    "tree fc xcopy robocopy attrib tasklist whoami hostname ping mvn gradle eslint prettier tsc jest vitest"
)

# On Windows: commands that run text, load code or give names another meaning.
WINDOWS_UNRESOLVABLE: dict[str, str] = dict.fromkeys(
    names(
        "call start doskey forfiles runas wmic mshta rundll32 regsvr32 cscript wscript schtasks at msiexec installutil bitsadmin setx "
        "assoc ftype path setlocal invoke-expression invoke-item invoke-command start-process start-job start-threadjob add-type new-object set-alias "
        "new-alias import-alias import-module new-module invoke-wmimethod invoke-cimmethod enter-pssession new-pssession register-scheduledtask "
        "register-objectevent register-engineevent register-wmievent invoke-history set-psbreakpoint install-module install-script update-typedata use-module "
        "trace-command new-psdrive set-variable new-variable"
    ),
    "runs text or code, or gives a name another meaning",
)

# Other names of the same command.
CMD_SYNONYMS = {"erase": "del", "rd": "rmdir", "md": "mkdir", "rename": "ren", "chdir": "cd"}
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
    "ndr": "new-psdrive", "nv": "new-variable",
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
    "asnp": "add-pssnapin", "clhy": "clear-history", "clp": "clear-itemproperty", "clv": "clear-variable", "cnsn": "connect-pssession",
    "cpp": "copy-itemproperty", "cvpa": "convert-path", "dbp": "disable-psbreakpoint", "dnsn": "disconnect-pssession",
    "ebp": "enable-psbreakpoint", "epsn": "export-pssession", "exsn": "exit-pssession", "fc": "format-custom", "fhx": "format-hex",
    "gcb": "get-clipboard", "gcs": "get-pscallstack", "ghy": "get-history", "gin": "get-computerinfo", "gmo": "get-module",
    "gpv": "get-itempropertyvalue", "gsn": "get-pssession", "gsnp": "get-pssnapin", "gtz": "get-timezone", "gwmi": "get-wmiobject",
    "gcim": "get-ciminstance", "icim": "invoke-cimmethod", "ncim": "new-ciminstance", "rcim": "remove-ciminstance",
    "scim": "set-ciminstance", "ipsn": "import-pssession", "mp": "move-itemproperty", "nmo": "new-module",
    "npssc": "new-pssessionconfigurationfile", "rbp": "remove-psbreakpoint", "rcjb": "receive-job", "rcsn": "receive-pssession",
    "rdr": "remove-psdrive", "rjb": "remove-job", "rmo": "remove-module", "rnp": "rename-itemproperty", "rsn": "remove-pssession",
    "rsnp": "remove-pssnapin", "rujb": "resume-job", "rv": "remove-variable", "rvpa": "resolve-path", "rwmi": "remove-wmiobject",
    "sbp": "set-psbreakpoint", "scb": "set-clipboard", "spjb": "stop-job", "stz": "set-timezone", "sujb": "suspend-job",
    "trcm": "trace-command", "wjb": "wait-job",
}  # fmt: skip
