"""What specification 000 asks, clause by clause (the preset `commands`).

Ids that stood in `requirements` before this preset did (000-stdio-only, 000-fastmcp, 000-persistent-shell,
000-state, 000-restart, 000-death, 000-marker) are defined there, and so is what only cmd.exe has to do.
"""

_INTERFACE, _CORE, _TECHNICAL = "000 MCP Interface", "000 Core Requirements", "000 Technical Constraints"
_ONE_SHELL = "000 Core Architecture Requirement"

CLAUSES: dict[str, tuple[str, str]] = {
    "000-mcp-server": ("It is an MCP server that gives controlled shell execution.", "000 introduction"),
    "000-protocol": (
        "It implements the MCP protocol and exposes commands as MCP tools.",
        f"{_INTERFACE}; 000 MCP Integration",
    ),
    "000-clients": ("It runs in stdio mode for MCP clients such as Claude Desktop.", _INTERFACE),
    "000-intro": ("An intro prompt describes the available tools, as they are at that moment.", _INTERFACE),
    "000-list-commands": ("A function shows all available commands.", _INTERFACE),
    "000-allowlist": (
        "Only listed commands run: dir echo curl type find findstr cd where set podman, or equivalents.",
        f"{_CORE}: Command Allowlist",
    ),
    "000-one-tool-each": (
        "Each command of the allowlist is a tool of its own in tools/list.",
        f"{_CORE}: Command Allowlist; 000 MCP Integration",
    ),
    "000-source-of-truth": (
        "The list is the single source of truth: a command added to it is a tool without further change.",
        _TECHNICAL,
    ),
    "000-live-list": (
        "The list is followed while the server runs, and clients are notified (tools/list_changed).",
        f"{_TECHNICAL}, in the words of MCP",
    ),
    "000-args": (
        "A client may pass one optional string with the command-line arguments.",
        f"{_CORE}: Command Execution",
    ),
    "000-streams": (
        "stdin, stdout and stderr are handled; output is returned as strings.",
        f"{_CORE}: Command Execution",
    ),
    "000-operators": (
        "The shell operators && || ; | > >> < << & ^ % $ ! call start are refused.",
        f"{_CORE}: Security",
    ),
    "000-operators-hidden": (
        "They are refused where they hide: line breaks, escapes, quotes that close early, substitutions.",
        f"{_CORE}: Security (any attempts)",
    ),
    "000-operators-quoted": (
        "The same characters pass inside quotes where the shell takes them as text.",
        f"{_CORE}: Security (operators are not text)",
    ),
    "000-operators-differential": (
        "What passes runs exactly one program in real shells.",
        f"{_CORE}: Security (any attempts)",
    ),
    "000-no-injection": (
        "Arguments cannot make a listed command run another, nor change which program its name means.",
        f"{_CORE}: Security (disallowed commands)",
    ),
    "000-restart-tool": (
        "A tool `restart` ends the shell process and creates a new, clean one.",
        f"{_CORE}: Process Management",
    ),
    "000-clean-output": (
        "Output has no prompts, no echo of the command and no marker in it.",
        f"{_CORE}: Output Handling",
    ),
    "000-combined-output": (
        "stdout and stderr are combined when stderr has content.",
        f"{_CORE}: Output Handling",
    ),
    "000-logging": ("Executed commands and errors are logged.", f"{_CORE}: Logging and Error Handling"),
    "000-timeout": (
        "A command that runs too long is ended and reported; 30 seconds by default.",
        f"{_CORE}: Logging and Error Handling",
    ),
    "000-replies": (
        "Success and failure have standardised replies.",
        f"{_CORE}: Logging and Error Handling",
    ),
    "000-cmd-exe": ("The shell process is cmd.exe on Windows, and wherever it is asked for.", _TECHNICAL),
    "000-popen": ("subprocess.Popen starts what the shell lives below.", _TECHNICAL),
    "000-one-shell": ("There is exactly one shell process, never more.", _ONE_SHELL),
    "000-started-once": ("The shell is started when the server starts, before the first call.", _ONE_SHELL),
    "000-same-shell": ("The same shell process serves all commands.", _ONE_SHELL),
    "000-restarted-only": (
        "The shell is restarted by the restart tool only, or after its unexpected death.",
        _ONE_SHELL,
    ),
    "000-plain-words": (
        "`call` and `start` are text where no shell acts on them: `podman start NAME`, `echo call me`.",
        "000 Security",
    ),
    "000-cmd-full-path": (
        "A program of the current directory never runs in the place of a listed one.",
        "000 Command Allowlist",
    ),
    "000-long-arguments": ("Arguments that are too long are refused with advice.", "000 Command Execution"),
    "000-cmd-reading-set": ("`set PATH` without a value reads.", "000 Command Allowlist"),
}
