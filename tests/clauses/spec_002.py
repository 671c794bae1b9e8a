"""What specification 002 asks, clause by clause (the preset `execute-command`)."""

CLAUSES: dict[str, tuple[str, str]] = {
    # -- the command line
    "002-command": ("`nacre server shell` starts an MCP server on stdin and stdout.", "002 Usage"),
    "002-help": ("`nacre server shell --help` prints the document's text.", "002 CLI Help"),
    "002-defaults": ("Current directory, 30 seconds and /bin/sh by default.", "002 CLI Help"),
    "002-options": ("Every option has the document's short and long name.", "002 New CLI Subcommand"),
    "002-wrong-options": ("A wrong option ends with a clear error and code 2.", "002 New CLI Subcommand"),
    "002-server": ("`nacre server` lists the servers there are.", "002 New CLI Subcommand"),
    "002-desktop-basic": ("The basic client configuration starts it.", "002 Configuration Example"),
    "002-desktop-sandboxed": (
        "The client configuration with sandboxing starts it, and its rules hold.",
        "002 Configuration Example",
    ),
    # -- the protocol
    "002-one-line": ("Each message is one JSON-RPC 2.0 object on one line.", "002 Transport Layer"),
    "002-stdout-clean": ("Logs go to stderr, never to stdout.", "002 Transport Layer"),
    "002-initialize": (
        "`initialize` is answered with the document's fields and nothing else.",
        "002 Required Methods 1",
    ),
    "002-tools-list": ("`tools/list` is answered word for word.", "002 Required Methods 3"),
    "002-tools-call": (
        "`tools/call` is answered with one text: {command, output, return_code} as pretty JSON.",
        "002 Required Methods 4; Handler Implementations",
    ),
    "002-example-session": ("The example session runs line by line.", "002 Example Session"),
    "002-start-line": ("A line on stderr says that the server has started.", "002 Main Server Loop"),
    "002-empty-lines": ("Empty lines are ignored.", "002 Main Server Loop"),
    "002-in-turn": ("Commands run one after the other, in their order.", "002 Main Server Loop"),
    "002-method-named": (
        "An unknown method is -32601, `Method not found: ` and its name.",
        "002 Request Handler",
    ),
    "002-missing-name": ("A call without a tool's name is a clear error.", "002 handle_tools_call"),
    "002-unknown-tool": ("`Unknown tool: ` and its name.", "002 handle_tools_call"),
    "002-missing-command": (
        "A call without `command`, or with one that is no string, is a clear error.",
        "002 handle_tools_call",
    ),
    # -- running commands
    "002-shell": ("The command runs as `SHELL -c COMMAND`.", "002 Command Execution"),
    "002-output": ("Output is stdout and then stderr.", "002 Command Execution"),
    "002-lossy": ("Output that is not UTF-8 is shown as U+FFFD.", "002 Command Execution"),
    "002-return-code": ("return_code is the exit code.", "002 Command Execution"),
    "002-no-code": ("A command ended by a signal has return_code -1.", "002 Command Execution"),
    "002-failed": (
        "What cannot be started has `Failed to execute: ` with the reason, and -1.",
        "002 Command Execution",
    ),
    "002-timeout": (
        "A runaway command ends at the timeout; what it printed is kept.",
        "002 Command Execution; Security Considerations 5",
    ),
    # -- rules
    "002-denied": (
        "A denied command has `Command denied by security policy` and -1.",
        "002 Command Execution",
    ),
    "002-stricter": (
        "What only a stricter reading than the document's denies is named in the log and in `_meta`.",
        "002 is_command_allowed",
    ),
    "002-deny-first": ("The deny list is checked first.", "002 is_command_allowed"),
    "002-no-allow-list": (
        "Without an allow list all is allowed that is not denied.",
        "002 is_command_allowed",
    ),
    "002-allow-list": ("With an allow list nothing else is allowed.", "002 is_command_allowed"),
    "002-comma-lists": ("Patterns are separated by commas and trimmed.", "002 from_args"),
    "002-wildcards": (
        "`ls*` means every first word that begins so, `ls` only that word.",
        "002 matches_pattern",
    ),
    "002-recommended": ("The recommended deny list does what it says.", "002 Security Considerations 3"),
    "002-audit": (
        "--verbose logs every command and its exit code to stderr.",
        "002 Command Execution; Security Considerations 4",
    ),
}

# The extra tool set `files`: what the document names as next.
_NEXT = "002 Future Extensions"
CLAUSES.update(
    {
        "002-files-tools": ("An optional tool set: read_file, write_file, list_directory.", _NEXT),
        "002-files-read": ("read_file reads file contents.", _NEXT),
        "002-files-write": ("write_file writes a file; its mode says whether one may be there.", _NEXT),
        "002-files-list": ("list_directory lists directory contents, in pages.", _NEXT),
        "002-files-paged": ("Pages have totals, add up to the file, and cost no memory.", _NEXT),
        "002-files-binary": ("Content that is no text travels as base64, and says so.", _NEXT),
        "002-files-atomic": ("A write is whole or did not happen; the mode stays.", _NEXT),
        "002-files-confined": ("No path leads out of the allowed directories.", _NEXT),
        "002-files-policy": ("Rules hold for file tools; nacre's own files are not written.", _NEXT),
        "002-files-audit": ("File work is logged and audited as commands are.", _NEXT),
        "002-files-errors": ("Errors say what is wrong and what to do next.", _NEXT),
    }
)
