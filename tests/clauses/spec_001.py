"""What specification 001 asks, clause by clause (the preset `shell-exec`)."""

CLAUSES: dict[str, tuple[str, str]] = {
    "001-tool": (
        "A tool `shell_exec` with the string parameter `command` executes commands in the specified shell.",
        "001 Shell Command Execution",
    ),
    "001-only-tool": ("`shell_exec` is the supported tool, over stdio.", "001 MCP Protocol Interface"),
    "001-configured-shell": ("The command runs in the configured or default shell.", "001 Execution Flow"),
    "001-result": (
        "The execution result is standard output or standard error output.",
        "001 Execution Flow",
    ),
    "001-error-message": (
        "Appropriate error messages are returned if errors occur.",
        "001 Execution Flow; Shell Command Execution Interface",
    ),
    "001-single-line": ("Single-line commands run.", "001 Supported Features"),
    "001-various-shells": (
        "bash, zsh, fish and other shells run what is theirs.",
        "001 Supported Features",
    ),
    "001-cmd": ("cmd.exe is supported, and the default on Windows.", "001 Supported Features"),
    "001-bash-default": (
        "Without -s and $SHELL, a UNIX-like system uses /bin/bash.",
        "001 Shell Configuration",
    ),
    "001-failure": (
        "A command that fails is answered with an error message and details.",
        "001 Error Handling",
    ),
    "001-invalid-parameters": (
        "Invalid parameters are an error that carries the name InvalidParameters.",
        "001 Error Handling",
    ),
    "001-tool-not-found": (
        "A tool that does not exist is an error that carries the name ToolNotFound.",
        "001 Error Handling",
    ),
    "001-example-basic": ("The example `echo Hello, World!` runs.", "001 Basic Command Execution"),
    "001-example-heredoc": ("The heredoc example runs.", "001 Multi-line Command (Heredoc) Execution"),
    "001-example-pull-request": (
        "The pull request example gives `gh` its whole text.",
        "001 GitHub Pull Request Creation",
    ),
    "001-example-words": (
        "A call as the examples write it, with `parameters`, is understood.",
        "001 Usage Examples",
    ),
}
