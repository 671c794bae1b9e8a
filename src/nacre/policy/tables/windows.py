# ruff: noqa: E501 - lists of names
"""Commands of cmd.exe and PowerShell.

Above: `check` asks about the names of Windows shells. Below: `model`.
"""

from __future__ import annotations

from nacre.policy.model import names

# Cmdlets that only read, compute and print, whatever their arguments.
HARMLESS_CMDLETS = names(
    "write-output write-host write-error write-warning write-verbose write-debug write-information get-childitem get-content get-item get-itemproperty "
    "get-itempropertyvalue get-location get-process get-service get-date get-help get-command get-member get-alias get-variable get-history get-host "
    "get-unique get-random get-filehash get-acl get-culture get-timezone get-uptime get-psdrive get-module get-eventlog get-computerinfo get-error "
    "get-job get-psbreakpoint select-object select-string where-object foreach-object sort-object measure-object group-object compare-object "
    "format-table format-list format-wide format-custom format-hex out-host out-string out-null out-default test-path resolve-path join-path "
    "split-path convert-path convertfrom-json convertto-json convertfrom-csv convertto-csv convertto-html convertto-xml convertfrom-stringdata "
    "import-csv start-sleep set-location push-location pop-location clear-host test-json measure-command"
)

# On Windows: commands that run text, load code or give names another meaning.
WINDOWS_UNRESOLVABLE: dict[str, str] = dict.fromkeys(
    names(
        "call start doskey forfiles runas wmic mshta rundll32 regsvr32 cscript wscript schtasks at msiexec installutil bitsadmin setx "
        "assoc ftype setlocal invoke-expression invoke-item invoke-command start-process start-job start-threadjob add-type new-object set-alias "
        "new-alias import-alias import-module new-module invoke-wmimethod invoke-cimmethod enter-pssession new-pssession register-scheduledtask "
        "register-objectevent register-engineevent register-wmievent invoke-history set-psbreakpoint install-module install-script update-typedata use-module"
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
}  # fmt: skip
