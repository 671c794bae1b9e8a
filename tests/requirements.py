"""What nacre must do: id -> sentence -> source. `test_requirements` holds it both ways.

A source is a clause of one of the five specifications (by number) or `nacre` for what we ask of ourselves.
Tests carry ids with `@pytest.mark.req("id")`. What a preset's own document asks stands in `clauses`.
"""

from __future__ import annotations

from typing import NamedTuple

import clauses


class Requirement(NamedTuple):
    """One thing that must be so."""

    sentence: str
    source: str


REQUIREMENTS: dict[str, Requirement] = {
    # -- specification 004: the tool `shell`
    "004-tool": Requirement("A tool named `shell` executes shell commands.", "004 Tool Definition"),
    "004-parameters": Requirement(
        "Parameters command (min length 1), working_directory, timeout (1-1800, default 300), environment.",
        "004 Parameters",
    ),
    "004-separate-process": Requirement("Each command runs in a separate process.", "004 Command Execution"),
    "004-capture": Requirement("stdout and stderr are both captured.", "004 Command Execution"),
    "004-exit-code": Requirement("The exit code is returned with the output.", "004 Command Execution"),
    "004-directory-and-environment": Requirement(
        "Working directory and environment variables can be set.", "004 Command Execution"
    ),
    "004-default-timeout": Requirement("The default timeout is 300 seconds.", "004 Timeout Management"),
    "004-timeout-limits": Requirement("A timeout is 1 to 1800 seconds.", "004 Timeout Management"),
    "004-timeout-kills-tree": Requirement(
        "A timeout kills the process tree; no orphans are left.", "004 Timeout Management"
    ),
    "004-timeout-partial-output": Requirement(
        "A timeout returns the partial output.", "004 Timeout Management; Timeout Error"
    ),
    "004-log": Requirement("All executed commands are logged.", "004 Security Controls"),
    "004-stream": Requirement(
        "Output of long-running commands is streamed in real time.", "004 Output Handling"
    ),
    "004-truncate": Requirement("Excessive output is truncated.", "004 Output Handling"),
    "004-binary": Requirement("Binary output is handled gracefully.", "004 Output Handling"),
    "004-signal": Requirement("Signal information is preserved.", "004 Output Handling"),
    "004-success": Requirement("A success has the fields of the specification.", "004 Successful Execution"),
    "004-failure": Requirement(
        "A failure is an error result with the fields of the specification.", "004 Command Failure"
    ),
    "004-timeout-reply": Requirement(
        "A timeout is an error result with timeout_seconds, partial_stdout, partial_stderr.",
        "004 Timeout Error",
    ),
    "004-use-cases": Requirement("The document's use cases work.", "004 Use Cases"),
    "004-not-found": Requirement(
        "Command not found: a clear message and similar commands.", "004 Command Not Found"
    ),
    "004-permission": Requirement(
        "A denied permission is reported with its context.", "004 Permission Denied"
    ),
    # -- specification 001: shell, start-up information, options
    "001-shell-option": Requirement("-s/--shell chooses the shell.", "001 Command-line Arguments"),
    "001-shell-default": Requirement("$SHELL by default, else by platform.", "001 Shell Configuration"),
    "001-help-version": Requirement("-h/--help and -V/--version.", "001 Command-line Arguments"),
    "001-start-up-information": Requirement(
        "Shell, platform, hostname and user name are shown at start-up.", "001 Server Information"
    ),
    "001-multi-line": Requirement("Multi-line commands and heredocs work.", "001 Supported Features"),
    # -- specification 002: options and transport
    "002-working-dir": Requirement("-w/--working-dir sets where commands run.", "002 CLI Help"),
    "002-timeout-option": Requirement("-t/--timeout sets the timeout, and it is applied.", "002 CLI Help"),
    "002-no-stderr": Requirement("--no-stderr suppresses stderr.", "002 CLI Help"),
    "002-verbose": Requirement("-v/--verbose logs to stderr, never stdout.", "002 CLI Help; Transport Layer"),
    "002-json-lines": Requirement("Newline-delimited JSON-RPC 2.0 on stdio.", "002 Transport Layer"),
    "002-initialized": Requirement("The notification `initialized` needs no answer.", "002 Required Methods"),
    "002-unknown-method": Requirement("An unknown method is -32601.", "002 Request Handler"),
    # -- specification 000: stdio, logging
    "000-stdio-only": Requirement("Communication is by stdio only; no port is opened.", "000 MCP Interface"),
    "000-fastmcp": Requirement(
        "The SDK's FastMCP (now MCPServer) class serves.", "000 Technical Constraints"
    ),
    "000-persistent-shell": Requirement(
        "The shell process is started once and reused across requests.", "000 Command Execution"
    ),
    "000-state": Requirement(
        "The shell keeps its state (directory, variables) between commands.", "000 Core Architecture"
    ),
    "000-restart": Requirement(
        "A restart ends the shell process and creates a new, clean one.", "000 Process Management"
    ),
    "000-death": Requirement(
        "Process death is handled: the shell is restarted automatically.", "000 Process Management"
    ),
    "000-marker": Requirement(
        "A command's end is reported with a marker `Marker_{uuid4}`, new for each.",
        "000 Technical Constraints",
    ),
    # -- specification 000: the persistent cmd.exe
    "000.cmd.persistent": Requirement(
        "One cmd.exe is started and serves every command of its session.", "000 Core Architecture"
    ),
    "000.cmd.no-window": Requirement(
        "cmd.exe is started with CREATE_NO_WINDOW: no window appears.", "000 Technical Constraints"
    ),
    "000.cmd.line-ends": Requirement(r"Lines for cmd.exe end in \r\n.", "000 Technical Constraints"),
    "000.cmd.marker": Requirement(
        "Only its own fresh marker ends a command in cmd.exe.", "000 Technical Constraints"
    ),
    "000.cmd.errorlevel": Requirement(
        "The exit code of a command in cmd.exe is its own, never a stale one.", "000 Command Execution"
    ),
    "000.cmd.clean": Requirement(
        "Prompt patterns and command echoes of cmd.exe are removed.", "000 Output Handling"
    ),
    "000.cmd.code-page": Requirement(
        "Text goes to and from cmd.exe in its code page; what that lacks is refused.", "000 Command Execution"
    ),
    "000.cmd.restart": Requirement(
        "A restart ends cmd.exe with all it started and creates a clean one.", "000 Process Management"
    ),
    "000.cmd.death": Requirement(
        "The death of a cmd.exe is reported truthfully, and it is replaced.", "000 Process Management"
    ),
    # -- nacre: sessions
    "output-ids": Requirement(
        "Every output, long or short, is known by an opaque id, and read by it in any range.", "nacre"
    ),
    "output-tool": Requirement(
        "A tool reads what any command printed by bytes, by lines, its last lines and from a cursor: after"
        " truncation, after a timeout, for short output, under any rules and allowed directories.",
        "nacre",
    ),
    "cut-picks": Requirement(
        "Where an output is cut, lines with errors, failures and summaries are shown between its"
        " ends, marked and with their numbers; nothing of it is loaded before the first reply,"
        " and a setting turns it off.",
        "nacre",
    ),
    "cut-folds": Requirement(
        "Where an output is cut, the same line many times over and progress that counts on are folded, with"
        " their number.",
        "nacre",
    ),
    "cut-exact": Requirement(
        "What is shown of a cut output stands where it is said to stand, what is not is counted exactly, and"
        " all of it is within the limit, masked, and bounded in memory and time.",
        "nacre",
    ),
    "cut-answers": Requirement(
        "Of real logs of real tools, the line that answers is kept in at least 95 %.", "nacre"
    ),
    "try": Requirement(
        "`nacre try` shows a person what an agent gets, through a real server: one command or many, with the"
        " data, in a session, on a terminal.",
        "nacre",
    ),
    "output-search": Requirement(
        "An output is searched by a regular expression, with context and within a time limit.", "nacre"
    ),
    "job-background": Requirement(
        "A command in the background answers at once, and its end is kept.", "nacre"
    ),
    "job-answer-within": Requirement(
        "A call answers within the given seconds; a command that takes longer goes on as a job.", "nacre"
    ),
    "job-timeout": Requirement(
        "A timeout that was given, by the call or by the person's settings, ends a job, too; a mere default"
        " ends no command in the background.",
        "004 Timeout Management",
    ),
    "job-end": Requirement("Ending a job, or the server, ends all that it has started.", "nacre"),
    "job-left-behind": Requirement(
        "Processes that a command left behind are a job; their exit code or signal is reported.", "nacre"
    ),
    "job-left-in-session": Requirement(
        "What a command of a session left behind is a job as well: its end is reported, with exit code or"
        " signal where the kernel gives them, and ending it spares the session.",
        "nacre",
    ),
    "resources": Requirement(
        "Jobs and outputs are resources in both eras: they are listed and read, and subscribers are notified"
        " of changes.",
        "nacre",
    ),
    "tasks": Requirement(
        "A call that takes long is answered as a task, which the client polls and cancels, if it has"
        " negotiated that.",
        "nacre",
    ),
    "job-password": Requirement(
        "A password that the person types through elicitation reaches the program without the agent seeing"
        " it, and is in no output, spool, log, audit or argument; only a terminal that hides it is given it.",
        "nacre",
    ),
    "terminal-scrollback": Requirement(
        "What has scrolled away above the screen of a terminal can be read.", "nacre"
    ),
    "job-given-up": Requirement(
        "The next reply reports a call that the client gave up on, and its output can be read.", "nacre"
    ),
    "job-input": Requirement("A job in the background reads what it is sent.", "nacre"),
    "job-signal": Requirement("Signals reach a job by name.", "nacre"),
    "job-wait": Requirement(
        "A wait ends with the end, a line that matches, a port that accepts, silence or the time, and says"
        " which; of several jobs with the first; it can be cancelled.",
        "nacre",
    ),
    "job-waits-for-input": Requirement(
        "The kernel says whether a job waits for input, which is reported with the last line; a program that"
        " does not read is never said to wait.",
        "nacre",
    ),
    "no-editor": Requirement(
        "An editor or pager that nobody asked for fails fast; the person's own settings count more.", "nacre"
    ),
    "terminal-programs": Requirement(
        "Editors, pagers, prompts and interpreters are driven on a terminal, by text and keys.", "nacre"
    ),
    "terminal-screen": Requirement(
        "The screen is shown as a person sees it: text, cursor, title, alternate screen; again only what"
        " changed; its size is set and changed.",
        "nacre",
    ),
    "terminal-keys": Requirement(
        "Keys are sent by name; an unknown one is refused with a list of the known ones.", "nacre"
    ),
    "terminal-policy": Requirement(
        "A shell on a terminal under rules is sent whole lines, judged as commands, and no other keys.",
        "nacre",
    ),
    "job-limits": Requirement("Jobs are limited in number, and hold no slot of other commands.", "nacre"),
    "job-policy": Requirement(
        "A job is admitted like any command; what a shell is sent to read is judged.", "nacre"
    ),
    "job-records": Requirement("A job is recorded once, at its end.", "nacre"),
    "job-arguments": Requirement(
        "What cannot be done with a job is refused, with what to do instead.", "nacre"
    ),
    "job-many": Requirement("Many jobs at once lose no line, and leave nothing when they are over.", "nacre"),
    "output-binary": Requirement("Binary output is recognised, described, and read as base64.", "nacre"),
    "output-every-byte-once": Requirement(
        "Successive reads see every byte once, also while the output grows.", "nacre"
    ),
    "output-one-way-out": Requirement(
        "All bytes that leave, in replies, progress and pages, pass one function, also across chunks.",
        "nacre",
    ),
    "session-records": Requirement(
        "A command of a session is recorded with its directory and session, also when it is denied.", "nacre"
    ),
    "session-slots": Requirement(
        "Commands of sessions take slots, and hold none while they wait for their turn.", "nacre"
    ),
    "execution-signal": Requirement("A signal reaches what a command runs, whatever its kind.", "nacre"),
    "places": Requirement("A command names the place it runs in, and no other is taken for it.", "nacre"),
    "session-streams": Requirement("stdout and stderr stay apart; no prompts, no echoes.", "nacre"),
    "session-marker": Requirement("Forged marks are not believed; commands lack the channel.", "nacre"),
    "session-hard": Requirement(
        "Whatever a command does to its shell, the session gives true results.", "nacre"
    ),
    "session-stdin": Requirement("stdin is empty or given, never the next command.", "nacre"),
    "session-background": Requirement("Late output of a job stays with its command.", "nacre"),
    "session-timeout": Requirement("A timeout keeps the shell where it can, and says so.", "nacre"),
    "session-cancel": Requirement("A cancellation keeps the shell where it can.", "nacre"),
    "session-apart": Requirement("Sessions run side by side and never mix.", "nacre"),
    "session-busy": Requirement("A busy session says so, or lets a call wait.", "nacre"),
    "session-limits": Requirement(
        "Number and idle time of sessions are limited, with clear errors.", "nacre"
    ),
    "fault-session-closed-with-queue": Requirement(
        "A session is closed while commands wait for it: they are refused, and no shell is left.", "nacre"
    ),
    "fault-session-exec": Requirement(
        "A session's shell is replaced by another program (exec): it runs until it ends, and its "
        "exit code is reported.",
        "nacre",
    ),
    "fault-session-mute": Requirement(
        "A shell can no longer report how a command ended: it is asked again, or replaced, and the "
        "result says so.",
        "nacre",
    ),
    "fault-session-changed": Requirement(
        "A command redefines words, options, traps, variables or descriptors that its session's "
        "shell relies on: later commands run correctly, in that shell or in a new one, and the "
        "result says which.",
        "nacre",
    ),
    "fault-session-cancel-background": Requirement(
        "A call in a session is cancelled: what it started is killed, what was there before is not.",
        "nacre",
    ),
    "fault-session-idle": Requirement(
        "An idle session is closed: its next command says so and runs in the same directory.", "nacre"
    ),
    "session-tool": Requirement("One tool lists, restarts and closes sessions.", "nacre"),
    "session-unknown-shell": Requirement("An unknown shell is probed, or refused at start.", "nacre"),
    "dialect-one-entry": Requirement(
        "A new shell is one file and one entry: running, sessions, hints, rules, lists and messages follow.",
        "nacre",
    ),
    "session-powershell-text": Requirement("PowerShell's dialect is tested as text.", "nacre"),
    "default-directory": Requirement(
        "--working-dir, the client's root, the current directory, home.", "nacre"
    ),
    "python-api": Requirement("nacre.Session does the same from Python; its example runs.", "nacre"),
    # -- nacre: the keeper
    "keeper-frames": Requirement("A malformed frame is answered with a clear error.", "nacre"),
    "keeper-many": Requirement("Many commands run at once over one link.", "nacre"),
    "keeper-stdin": Requirement("stdin is nothing, bytes or a stream.", "nacre"),
    "keeper-control": Requirement("A command can have a private channel.", "nacre"),
    "keeper-limits": Requirement("A command can have process limits.", "nacre"),
    "keeper-terminal": Requirement("A command can run on a terminal, which can be resized.", "nacre"),
    "keeper-signal": Requirement("Signals reach the group or the whole tree.", "nacre"),
    "keeper-usage": Requirement("CPU time and peak memory are reported.", "nacre"),
    "keeper-left": Requirement("What is still running when the shell has ended is reported.", "nacre"),
    "keeper-late": Requirement("What a process left behind prints later is in its command's spool.", "nacre"),
    "keeper-spool": Requirement("The spool is bounded; beginning and end are kept.", "nacre"),
    "spools-private": Requirement("Only the user can read output files, whatever the umask is.", "nacre"),
    "spools-bounded": Requirement(
        "All spools together are bounded in number and bytes, also of cancelled calls.", "nacre"
    ),
    "keeper-flow": Requirement("A slow reader bounds memory.", "nacre"),
    "keeper-stdlib": Requirement("The keeper imports only the standard library.", "nacre"),
    "keeper-lost": Requirement("A killed keeper is replaced, and what it left is ended.", "nacre"),
    "keeper-descriptors": Requirement("No file descriptor leaks into commands.", "nacre"),
    # -- faults: each sentence is a row "fault: outcome"
    "fault-spool-directory": Requirement(
        "A command deletes or replaces the directory of output files: it is created again, all "
        "commands continue.",
        "nacre",
    ),
    "fault-spool-full": Requirement(
        "The disk for output files is full: commands run, and what could not be kept or run is reported.",
        "nacre",
    ),
    "fault-spool-nowhere": Requirement(
        "No temporary directory can be used: the server runs and says what it cannot do.", "nacre"
    ),
    "fault-spool-left": Requirement(
        "Server and keeper are killed: the next start removes their files and no others.", "nacre"
    ),
    "fault-descriptors": Requirement(
        "File descriptors run out: the command that needs one more is refused, all others continue.", "nacre"
    ),
    "fault-server-descriptors": Requirement(
        "The server itself can open no more files: it continues, and what needs one is refused with"
        " advice; with too few from the start it does not start, and says why.",
        "nacre",
    ),
    "fault-memory": Requirement(
        "Memory runs out: the kernel kills a command, never the server or its keeper.", "nacre"
    ),
    "fault-large-commands": Requirement(
        "Commands or input of many megabytes: the keeper returns their memory to the system.", "nacre"
    ),
    "fault-circles": Requirement(
        "Commands fail, sessions end, calls are cancelled: nothing of them waits for the garbage collector.",
        "nacre",
    ),
    "fault-keeper-stopped": Requirement(
        "The keeper is stopped (SIGSTOP): it is killed and replaced, what it ran is ended, and "
        "waiting calls get an error.",
        "nacre",
    ),
    "fault-keeper-late": Requirement(
        "The keeper is not ready in time: the call fails with a clear error, and later calls work "
        "once it is ready.",
        "nacre",
    ),
    "fault-processes": Requirement(
        "No process can be started: commands are refused with advice, and run again later.", "nacre"
    ),
    "fault-not-startable": Requirement(
        "Arguments too long, directory or shell gone: a clear error, and the next command runs.", "nacre"
    ),
    "fault-keeper-one-command": Requirement(
        "The keeper fails while handling a command: that command ends with an error, all others continue.",
        "nacre",
    ),
    "fault-many-cancels": Requirement(
        "Hundreds of calls are cancelled at once: the work for each does not grow with their "
        "number, and the next command is not delayed.",
        "nacre",
    ),
    # -- nacre: nothing is left behind
    "end-everything": Requirement("Every descendant dies when nacre ends, however it ends.", "nacre"),
    "end-cancel": Requirement("A cancelled call kills the tree and is not answered.", "nacre"),
    "end-eof": Requirement("At EOF every request received is answered, then exit 0.", "nacre"),
    # -- nacre: faults, and what comes of them: nothing is left behind
    "fault-keeper-killed": Requirement(
        "The keeper is killed: running calls get an error, all processes end at once, the next call works.",
        "nacre",
    ),
    "fault-keeper-killed-then-term": Requirement(
        "The server is ended right after its keeper was killed: no process is left.", "nacre"
    ),
    "fault-all-killed": Requirement(
        "Server and keeper are killed together: no process and no spool is left.", "nacre"
    ),
    "fault-guardian-killed": Requirement(
        "The keeper's guardian is killed: commands continue, and the log says so.", "nacre"
    ),
    "fault-keeper-hangs-at-the-end": Requirement(
        "The keeper hangs when the server ends: the server ends in time, and no process is left.", "nacre"
    ),
    "fault-stubborn-at-the-end": Requirement(
        "Hundreds of processes ignore TERM: none survives the server, however it ends.", "nacre"
    ),
    "fault-unkillable-at-the-end": Requirement(
        "A process cannot be killed: the server still ends in time, and the log names the process.", "nacre"
    ),
    "fault-spool-handover": Requirement(
        "Files vanish while a command is handed to its session's shell: it is reported as not run.", "nacre"
    ),
    "fault-chaos": Requirement(
        "Mixed calls while processes are killed, disks fill, files vanish, descriptors and "
        "processes run out: every answer is right or names the fault, each call is answered once, "
        "nothing is left behind, nothing grows.",
        "nacre",
    ),
    "fault-no-trace": Requirement(
        "A process leaves its session, group and environment: it is listed, and ended with its command.",
        "nacre",
    ),
    "fault-exec-window": Requirement(
        "A process is between fork and exec when its command ends: it is listed all the same.", "nacre"
    ),
    "fault-late-keeper": Requirement(
        "The keeper notices a command's end after its deadline: a command that ended in time has "
        "not timed out.",
        "nacre",
    ),
    "fault-unkillable": Requirement("A process survives SIGKILL: the reply says so and names it.", "nacre"),
    "fault-session-ends-whole": Requirement(
        "A session is closed or restarted: everything that its shells started is gone when the reply comes.",
        "nacre",
    ),
    "fault-hard-to-end": Requirement(
        "Stopped, traced, fleeing processes, those of other users or without a first thread: none "
        "survives its command.",
        "nacre",
    ),
    # -- nacre: truth
    "true-background": Requirement("`sleep 100 & echo hi` answers at once and names the process.", "nacre"),
    "true-empty-stdin": Requirement("A command that reads stdin ends at once.", "nacre"),
    "true-odd-output": Requirement("Odd output gives a truthful result and the server lives.", "nacre"),
    "true-fold": Requirement("Progress bars and colours are folded; the spool is raw.", "nacre"),
    "true-memory": Requirement("Endless output costs the server no memory.", "nacre"),
    "true-arguments": Requirement("Bad arguments are refused by name.", "nacre"),
    "true-directory": Requirement("A missing directory is reported before anything runs.", "nacre"),
    "true-text": Requirement("A text that begins like an option of the shell is run as a text.", "nacre"),
    "true-long-command": Requirement("A command of a megabyte runs as typed.", "nacre"),
    "true-schema": Requirement("Structured results validate against the published schema.", "nacre"),
    "start-line": Requirement("The start line names preset, settings file and rules.", "nacre"),
    "start-directory": Requirement("`instructions` name the directory where commands start.", "nacre"),
    "settings-mistakes": Requirement(
        "A mistake in a settings file is reported with the file and the nearest known name.", "nacre"
    ),
    "null-is-absent": Requirement("null for an optional argument means that it is absent.", "nacre"),
    "always-loaded": Requirement("`shell` asks Claude Code to show it without a search.", "nacre"),
    "count-words": Requirement("One byte is 1 byte, two are 2 bytes.", "nacre"),
    "policy-hint-cwd": Requirement(
        "A denial by a rule's directory says where it holds, and does not list it as allowed.", "nacre"
    ),
    "denial-advice": Requirement(
        "A denied permission is reported with the file, its owner, what is missing and what helps; nobody is"
        " advised to open a file of the system.",
        "nacre",
    ),
    "empty-stdin-advice": Requirement(
        "A reply says when a command asked a question and found stdin empty.", "nacre"
    ),
    "spool-readable": Requirement(
        "A reply names the file with a whole output where the rules let it be read, and nowhere else.",
        "nacre",
    ),
    "reply-schema-plain": Requirement("No schema has a list of types, which strict clients reject.", "nacre"),
    "reply-lean": Requirement(
        "The data of a reply is the output, the exit code and what is out of the ordinary.", "nacre"
    ),
    "reply-metadata": Requirement("What only programs need stands in the result's `_meta`.", "nacre"),
    "reply-session-news": Requirement(
        "A reply says when a session is new and when its directory has changed, and not otherwise.", "nacre"
    ),
    "reply-full": Requirement('`structured = "full"`: every field, always, as data.', "nacre"),
    "reply-none": Requirement('`structured = "none"`: no data, and no schema for any.', "nacre"),
    "reply-failures": Requirement(
        "The person decides whether a command that failed is an error (isError).", "nacre"
    ),
    "reply-timeout-advice": Requirement("A timeout says what to do about it.", "nacre"),
    "small-commands-list": Requirement(
        "The tool list of the preset `commands` stays under 5,000 bytes.", "nacre"
    ),
    "small-list": Requirement(
        "The whole tool list stays under 6,000 bytes and has at most six tools, whatever the settings.",
        "nacre",
    ),
    "default-annotations": Requirement(
        "A tool's annotations are true, and those that are the protocol's defaults are left out.", "nacre"
    ),
    "progress": Requirement("Progress carries new output, rate-limited, the last always sent.", "nacre"),
    # -- nacre: the wire
    "wire-errors": Requirement("What is not JSON-RPC is answered -32700 or -32600.", "nacre"),
    "wire-long-line": Requirement("A line beyond the limit is answered and skipped.", "nacre"),
    "wire-kind": Requirement("BOM, CRLF and surrogates are survived.", "nacre"),
    "wire-unknown-tool": Requirement("An unknown tool is -32602.", "nacre"),
    "wire-eras": Requirement("Clients of 2024-11-05 to 2026-07-28 are served.", "nacre"),
    "wire-stderr-full": Requirement("A client that never reads stderr cannot stop the server.", "nacre"),
    "sdk-comparison": Requirement(
        "What is answered without the SDK is what the SDK would answer, byte for byte.", "nacre"
    ),
    "start-light": Requirement("A server that needs neither loads neither the SDK nor TLS.", "nacre"),
    "progress-heartbeat": Requirement(
        "A call that is quiet for 5 seconds gives a sign of life, if the client wants progress.", "nacre"
    ),
    "wire-batches": Requirement(
        "Clients of 2025-03-26 may send batches; the answers to one come back together.",
        "MCP 2025-03-26 basic, Batching",
    ),
    "sdk-on-demand": Requirement(
        "The SDK is loaded for the first message that is not served without it, and takes it over.", "nacre"
    ),
    # -- nacre: faults, each with its outcome
    "fault-any-message": Requirement(
        "A malformed or hostile message: it is answered once, as JSON-RPC requires; later lines are served.",
        "nacre",
    ),
    "fault-id-types": Requirement(
        'Requests 7 and "7" at once, a cancellation of another id: ids are distinguished by type.', "nacre"
    ),
    "fault-unread": Requirement(
        "A client that does not read: memory stays bounded, and it gets everything when it reads again.",
        "nacre",
    ),
    "fault-too-many": Requirement(
        "More requests than there is room for: they wait; cancellations and answers overtake them.", "nacre"
    ),
    "fault-roots": Requirement(
        "A client that does not send its roots, or sends nonsense: nacre waits for them once, for "
        "two seconds.",
        "nacre",
    ),
    "fault-binary-output": Requirement(
        "Binary output: the reply stays within its limit, the output file has every byte.", "nacre"
    ),
    "fault-cut-progress": Requirement(
        "A character or an escape sequence printed in pieces: progress shows it whole.", "nacre"
    ),
    "fault-streams": Requirement(
        "stdin or stdout closed, full, half closed, hung up: every answer that can be delivered is,"
        " and the server ends in order.",
        "nacre",
    ),
    "fault-stderr": Requirement(
        "stderr closed, full, without a reader or not read: every command is answered, lost lines "
        "are counted.",
        "nacre",
    ),
    "fault-audit-room": Requirement(
        "No room for the audit log: commands run; it continues in order and says how many records "
        "are missing.",
        "nacre",
    ),
    "fault-audit-required": Requirement(
        "No room for an audit log that is required: commands are refused until it can be written.", "nacre"
    ),
    "fault-audit-torn": Requirement("A log line written in part: it never runs into the next one.", "nacre"),
    "fault-audit-gone": Requirement("An audit log moved away or deleted: it is created again.", "nacre"),
    "fault-abort-room": Requirement(
        "No room for the abort file: it is written, whole, as soon as there is room.", "nacre"
    ),
    # -- nacre: Windows (shown under wine, see docs/windows.md)
    "windows-server": Requirement("The whole server runs as a Windows program.", "nacre"),
    "windows-job": Requirement("Every command lives, and dies, in a job object.", "nacre"),
    "windows-terminal": Requirement(
        "On Windows a terminal is a pseudoconsole (ConPTY): its program is in the command's job, prints,"
        " reads what is typed and has an exit code; what Windows lacks is reported as such.",
        "nacre",
    ),
    "windows-pipes": Requirement("The keeper's streams work on Windows as elsewhere.", "nacre"),
    "windows-quoting": Requirement("cmd.exe gets a command as it was typed.", "nacre"),
    "windows-text": Requirement("Output is read from the console's code page or UTF-8.", "nacre"),
    # -- nacre: environment
    "env-login": Requirement("A bare environment is completed from the login shell.", "nacre"),
    "env-secrets": Requirement("The log never shows values of an environment.", "nacre"),
    # -- policy
    "policy-every-part": Requirement("Every simple command of a text is judged.", "nacre; 000 Security"),
    "policy-corpus": Requirement("Two sets of labelled cases: no false allow, no false deny.", "nacre"),
    "policy-fuzz": Requirement(
        "Real shells and programs run, write and read nothing that the policy did not see.", "nacre"
    ),
    "policy-hints": Requirement("A hint that is followed leads to an allow.", "nacre"),
    "policy-ordinary": Requirement("What people write every day passes a list of names.", "nacre"),
    "policy-scanner": Requirement("The scanner never raises, and ends in linear time.", "nacre"),
    "policy-bounded": Requirement(
        "A verdict takes bounded time, names the bound, and never blocks the event loop.", "nacre"
    ),
    "policy-repeated": Requirement(
        "A text that comes again is judged by the rules, the directory and the files of now.", "nacre"
    ),
    "policy-first-verdict": Requirement(
        "A verdict loads the tables of the programs it meets, and compiles no expression it does not use.",
        "nacre",
    ),
    "policy-values": Requirement(
        "A value counts as data only where this text itself proves it; all else may be anything.", "nacre"
    ),
    "policy-session-state": Requirement(
        "Functions, traps and attributes that earlier commands of a session have left are refused when they "
        "are made, or count as able to change any value while a later command runs.",
        "nacre",
    ),
    "policy-rules": Requirement(
        "Rules as names, arguments and tables; examples are checked.", "nacre; 003; 004"
    ),
    "policy-tables": Requirement(
        "Only options and sub-commands that a table knows to be harmless pass unspelled.", "nacre"
    ),
    "policy-editors": Requirement(
        "No allowed command starts an editor, which takes commands from its input.", "nacre"
    ),
    "policy-own-files": Requirement("No allowed command writes nacre's own configuration or logs.", "nacre"),
    "policy-include": Requirement("Ready-made sets of rules can be included by name.", "nacre"),
    "policy-deny-lists": Requirement(
        "A deny list sees through disguise in every shell, and asks about what it cannot see.", "nacre"
    ),
    "policy-deny-wins": Requirement("Deny is checked before allow, and wins.", "002 is_command_allowed"),
    "policy-patterns": Requirement("--allow and --deny take comma lists with wildcards.", "002 CLI Help"),
    "policy-denial": Requirement("A denial names rule, part, reason and what would be allowed.", "nacre"),
    "policy-logged": Requirement(
        "Refused commands are logged and audited.", "004 Command Not Found; Permission"
    ),
    "policy-ask": Requirement("Ask goes to the person on both protocol eras.", "nacre"),
    "policy-cannot-ask": Requirement("A client that cannot ask is refused with a hint.", "nacre"),
    "policy-remember": Requirement("A session's approval holds for exactly that command.", "nacre"),
    "policy-environment": Requirement("The environment argument is no way around rules.", "nacre"),
    "policy-variables": Requirement(
        "Under an allowlist, programs see only variables that are known to be harmless, or named.",
        "nacre",
    ),
    "policy-unpacked": Requirement(
        "Archives, patches and whole directories do not land where git or a shell runs what they bring.",
        "nacre",
    ),
    "policy-elsewhere": Requirement("Code and configuration come from below the working directory.", "nacre"),
    "policy-input": Requirement("What a shell is given to read passes the same gate.", "nacre"),
    "policy-directories": Requirement("Commands stay inside allowed directories.", "004 Access Controls"),
    "policy-blocked": Requirement("blocked_commands are denied.", "004 Configuration Options"),
    "policy-cli": Requirement("nacre policy explain, test, list, learn.", "nacre"),
    "policy-allowed-tool": Requirement("A tool shows what is allowed.", "003 shell/allowed; 000 list"),
    "settings-table": Requirement(
        "Flags, file, error messages and documentation come from one table of settings.", "nacre"
    ),
    "settings-file": Requirement(
        "A TOML file configures; unknown settings are refused by name.", "004 Configuration"
    ),
    "audit-chain": Requirement(
        "`nacre audit verify` finds a record of the audit log that was changed, removed or moved.",
        "nacre",
    ),
    "audit-start-and-end": Requirement(
        "The audit log has a record before a command starts and one after it has ended, was refused, "
        "cancelled or lost: who, what, where, verdict with rule, sandbox, end, time, CPU, memory, output.",
        "nacre",
    ),
    "audit-attacked": Requirement(
        "Records that are cut off under a running server, torn, hostile or begun anew are named, other "
        "records are read all the same, and a file that others can change is reported.",
        "nacre",
    ),
    "audit-hash": Requirement(
        "The record of a command's end has the size and the SHA-256 of everything that it printed.", "nacre"
    ),
    "audit-killed": Requirement(
        "A killed server has recorded what it had started; a torn last line is set apart and reported.",
        "nacre",
    ),
    "audit-rotation": Requirement(
        "An audit log that has grown to `audit_rotate` is moved aside; the chain goes on in the next.",
        "nacre",
    ),
    "audit-show": Requirement("`nacre audit show` prints records, all or those that are asked for.", "nacre"),
    "settings-reload": Requirement(
        "A changed settings file of any layer holds for the next command, in every preset; clients are "
        "notified, and the audit log says so. One that cannot be used changes nothing, and what waits for "
        "the next start is named.",
        "nacre",
    ),
    "settings-reload-sandbox": Requirement(
        "In a sandbox, changed rules hold for all that is started from then on, by another keeper where the"
        " one that runs cannot be changed; sessions and servers in which they do not hold are named.",
        "nacre",
    ),
    "telemetry-parent": Requirement(
        "A call whose `_meta` has a `traceparent` is a span of that trace, if that is kept.",
        "nacre",
    ),
    "telemetry": Requirement(
        "Spans of calls and commands go to the OpenTelemetry collector that the person has configured; "
        "otherwise nothing of it is loaded, and nothing is sent.",
        "nacre",
    ),
    "audit-report": Requirement(
        "`nacre audit report` writes one page with timeline, sessions, denials, slowest, failures, search, "
        "which loads nothing and shows hostile texts as text.",
        "nacre",
    ),
    "audit-log": Requirement(
        "Every command is in the audit log with its metadata.", "004 Logging Integration"
    ),
    # -- nacre: the architecture
    "architecture-floors": Requirement("Imports go down the floors that ARCHITECTURE.md draws.", "nacre"),
    "architecture-one-road": Requirement("Only the keeper and its launcher start processes.", "nacre"),
    "architecture-short": Requirement("Functions are short, and broad excepts rare.", "nacre"),
    "tests-requirements": Requirement(
        "Every requirement here has a test that runs, and none is unknown.", "nacre"
    ),
    "tests-no-sleep": Requirement("No test sleeps to wait: pipes and process descriptors say when.", "nacre"),
    "tests-no-skips": Requirement(
        "A test that lacks what `make test` installs fails, it is not skipped.", "nacre"
    ),
    "architecture-checked": Requirement("The checks of the architecture see every form of import.", "nacre"),
    "architecture-places": Requirement(
        "Only places, and modules that work with nacre's own files, ask the operating system about files.",
        "nacre",
    ),
    "architecture-keeper": Requirement("The keeper's package lists all its modules.", "nacre"),
    "cli-encoding": Requirement(
        "What a terminal cannot show is escaped, in the output of every command.", "nacre"
    ),
    "door-terminal": Requirement("On a terminal the server says what it is.", "nacre"),
    "docs-reference": Requirement("The reference pages show what --help and the schemas say.", "nacre"),
    "keeper-small": Requirement("The keeper loads nothing heavy: it starts fast and stays small.", "nacre"),
    # -- nacre: the benchmark
    "bench-runs": Requirement("`make bench` measures from the clone alone; failures are reported.", "nacre"),
    "bench-ratios": Requirement("Ratios are of one run, round by round; a missed aim is shown.", "nacre"),
    "bench-page": Requirement("docs/benchmarks.md and its plot are what the kept run gives.", "nacre"),
    # -- the presets
    "preset-unknown": Requirement("An unknown preset or tool set is refused with what there is.", "nacre"),
    # -- clients of other makers
    "real-clients": Requirement(
        "The Inspector, the TypeScript SDK and SDK 1 for Python work with every preset.", "nacre"
    ),
    "agents-see-output": Requirement(
        "Claude Code, Codex and Gemini CLI show their model what a command printed.", "nacre"
    ),
    "agents-see-failures": Requirement(
        "Their model is shown how a command failed, and the advice, in data and in text.", "nacre"
    ),
    "agents-see-timeouts": Requirement(
        "Their model is shown that the time ran out, and what was printed until then.", "nacre"
    ),
    "agents-give-up": Requirement(
        "A call that one of them gives up on is killed with all it started, and the next one works.", "nacre"
    ),
    "protocol-fall-back": Requirement(
        "A client that asks `server/discover` first and then shakes hands, because the answer took too long,"
        " is served, and without the SDK.",
        "nacre",
    ),
    "conformance-passes": Requirement(
        "The server passes every scenario of the official conformance suite for 2025-11-25 and 2026-07-28"
        " that does not test HTTP itself or an optional extension.",
        "nacre",
    ),
    "conformance-table": Requirement(
        "The official conformance suite runs against the server, and docs/conformance.md has its results.",
        "nacre",
    ),
    # -- the sandbox
    "sandbox-landlock": Requirement("A keeper's Landlock rules hold for all that it starts.", "nacre"),
    "sandbox-seccomp": Requirement("A keeper's filter refuses the system calls that it names.", "nacre"),
    "sandbox-fails-closed": Requirement(
        "If the sandbox is not available, the server does not start.", "nacre"
    ),
    "exec-gate": Requirement("Each exec below a gate is decided by its real path and arguments.", "nacre"),
    "exec-rules": Requirement(
        "In a sandbox, rules hold for every program that a command really starts, in every shell.", "nacre"
    ),
    "exec-children": Requirement(
        "A rule's `children` says what its program may start; deny rules hold there, too.", "nacre"
    ),
    "exec-confirmed": Requirement(
        "What a program may start counts from the moment the kernel has started it: an exec that fails after"
        " it was allowed gives no rights, nor does a script that commands can write to its interpreter.",
        "nacre",
    ),
    "exec-environment": Requirement(
        "A variable that a shell adds to the environment of a program is held against the rules like an"
        " assignment in a text; what an allowed program gives to its own children is not.",
        "nacre",
    ),
    "exec-asked": Requirement(
        "What a rule asks about starts only below a command that a person has allowed.", "nacre"
    ),
    "exec-replay": Requirement(
        "Without the scanner, the kernel alone stops 98 % of the corpus's denied commands that do anything.",
        "nacre",
    ),
    "sandbox-default": Requirement(
        "With allow rules commands are in the sandbox `workspace` unless a level is set; where it cannot be "
        "had, log, instructions and `allowed` say so.",
        "nacre",
    ),
    "exec-unread": Requirement(
        "In a sandbox, rules hold in shells whose language nobody reads; what cannot be held ends the start.",
        "nacre",
    ),
    "exec-executables": Requirement(
        "Under an allowlist only the programs that rules name, and what runs them, can be executed; where it"
        " cannot be listed, the tool `allowed` says why.",
        "nacre",
    ),
    "exec-fails-closed": Requirement("What nobody decides does not start.", "nacre"),
    "exec-while-busy": Requirement(
        "Programs are decided about at once, whatever else the server has to do.", "nacre"
    ),
    "sandbox-workspace": Requirement(
        "`workspace` lets commands write there and in a /tmp of their own.", "nacre"
    ),
    "sandbox-secrets": Requirement("No level lets commands read the person's secrets.", "nacre"),
    "sandbox-protected": Requirement(
        "Files of the workspace that other programs run later cannot be changed, moved or replaced.", "nacre"
    ),
    "sandbox-absent": Requirement(
        "A protected file that is not there cannot be made; what keeps its name free goes with the server.",
        "nacre",
    ),
    "sandbox-ordinary": Requirement(
        "Ordinary commands of developers do in a sandbox what they do without one.", "nacre"
    ),
    "sandbox-escapes": Requirement(
        "What docs/sandbox.md says that a level holds was attacked at that level, and held.", "nacre"
    ),
    "sandbox-leftovers": Requirement(
        "What commands leave behind harms neither the server that reads it nor the next one.", "nacre"
    ),
    "sandbox-sockets": Requirement(
        "Sockets of services are closed, and a setting opens one; the refusal names it.", "nacre"
    ),
    "sandbox-explain": Requirement(
        "`nacre sandbox explain` shows what a command may read and write, `try` starts a shell inside.",
        "nacre",
    ),
    "config-init": Requirement(
        "`nacre config init` asks three questions on a terminal, and a server with the file that it writes"
        " behaves as the answers say: read-only helper, project developer, locked-down operator.",
        "nacre",
    ),
    "completions": Requirement(
        "`nacre completions` writes scripts with which bash, zsh, fish and PowerShell complete every command,"
        " option and known value.",
        "nacre",
    ),
    "doctor-checks": Requirement(
        "`nacre doctor` reports each thing that is broken (settings with their line, shells, the keeper,"
        " PATH, the audit log, clients, limits), with what to do, and exits with 1.",
        "nacre",
    ),
    "doctor-clients": Requirement(
        "`nacre doctor` starts nacre from the settings of every client that has it, and warns of a program"
        " that a desktop application may not find.",
        "nacre",
    ),
    "cli-reader-gone": Requirement(
        "A command whose output nobody reads any more (`nacre doctor | head -1`) ends without a traceback.",
        "command line",
    ),
    "doctor": Requirement(
        "`nacre doctor` finds out what works here, and says what would mend the rest.", "nacre"
    ),
    "sandbox-ask": Requirement(
        "What the sandbox has refused is opened by the person alone, asked through the client: once, or until"
        " the server ends.",
        "nacre",
    ),
    "sandbox-macos": Requirement(
        "A level becomes rules for sandbox-exec, with no path in their text.", "nacre"
    ),
    "sandbox-windows": Requirement(
        "A level becomes limits of a job and a restricted token, and says what they do not hold.", "nacre"
    ),
    "sandbox-start": Requirement("A sandbox loads at the start what a start needs.", "nacre"),
    "sandbox-files": Requirement("File tools are held to the sandbox as commands are.", "nacre"),
    "sandbox-read-only": Requirement("`read-only` lets commands write in a /tmp of their own only.", "nacre"),
    "sandbox-strict": Requirement("`strict` has no network and shows no other processes.", "nacre"),
    "sandbox-outside": Requirement("Processes outside can be neither read nor signalled.", "nacre"),
    "sandbox-session": Requirement("Sessions work in a sandbox.", "nacre"),
    "sandbox-explained": Requirement(
        "A failure that the sandbox caused is explained, whatever program reports it: the path or the kind of"
        " system call, and the setting; a failure with another cause is not.",
        "nacre",
    ),
    "sandbox-logged": Requirement("The log says which level holds, and by what.", "nacre"),
    "sandbox-nothing-left": Requirement("Nothing is left of a sandbox when the server has ended.", "nacre"),
    # -- the environment of commands
    "environment-inherit": Requirement(
        "`environment_inherit`, `_include`, `_exclude` and `_set` say which variables commands have.", "nacre"
    ),
    "environment-secrets": Requirement(
        "In a sandbox, variables that look like secrets reach no command, nor does the keeper hold them.",
        "nacre",
    ),
    "environment-loading": Requirement(
        "In a sandbox and under rules, variables that change every program are not inherited.", "nacre"
    ),
    "environment-call": Requirement(
        "There, a call that sets such a variable is refused, with its name and the setting.", "nacre"
    ),
    # -- the network of a sandbox
    "network-allowlist": Requirement(
        "Commands in a sandbox reach the hosts that `sandbox_network` names, through a proxy, and no others.",
        "nacre",
    ),
    "network-private": Requirement(
        "Private addresses are refused unless they are named, also where DNS leads to one.", "nacre"
    ),
    "network-refusals": Requirement(
        "The result of the command that wanted a refused host names it, with the setting.", "nacre"
    ),
    "network-fails-closed": Requirement(
        "If a list of hosts cannot be enforced, the server does not start.", "nacre"
    ),
    # -- limits
    "limits-contained": Requirement(
        "A fork bomb, a memory hog, a CPU spinner and a disk filler are ended; the server works on.", "nacre"
    ),
    "limits-named": Requirement(
        "A limit that a command has exceeded is named, with the setting that raises it.", "nacre"
    ),
    "limits-session": Requirement(
        "In a session what passes a limit is ended and the shell spared, unless it is the shell itself.",
        "nacre",
    ),
    "limits-groups": Requirement(
        "Where a control group can be made, the kernel holds a command's memory and processes; none is left.",
        "nacre",
    ),
    "limits-fail-closed": Requirement("If a limit cannot be enforced, the server does not start.", "nacre"),
    # -- secrets
    "secrets-given": Requirement(
        "A secret is given to commands whose rules name it, or to all where a setting says so; else to none.",
        "nacre",
    ),
    "secrets-sent": Requirement(
        "A secret that the agent itself sends is repeated in no reply, log, listing or file.", "nacre"
    ),
    "secrets-masked": Requirement(
        "A secret leaves in no encoding that common tools have, wherever output is cut: replies, progress, "
        "output files as read, log, audit.",
        "nacre",
    ),
    "secrets-fail-closed": Requirement(
        "If a secret cannot be read or hidden, the server does not start, and no error shows it.", "nacre"
    ),
    # -- the five documents, clause by clause
    **{name: Requirement(*clause) for name, clause in clauses.ALL.items()},
    # -- nacre install
    "install-clients": Requirement(
        "Twelve clients, each with its own file on each platform and its own format.", "nacre"
    ),
    "install-keeps": Requirement(
        "Installing changes one entry and no other byte of what the person wrote.", "nacre"
    ),
    "install-broken": Requirement(
        "A settings file that is broken, or not safe to change, is left alone and reported with its line.",
        "nacre",
    ),
    "install-options": Requirement(
        "`nacre install` prints, shows a diff, writes with a backup; `nacre uninstall` undoes it.", "nacre"
    ),
    "install-runs": Requirement(
        "After `nacre install`, Claude Code and Codex run a command through nacre in their first turn.",
        "nacre",
    ),
    "install-real-clients": Requirement(
        "Claude Code, Codex and Gemini CLI list what nacre installed.", "nacre"
    ),
    # -- nacre watch
    "watch-protocol": Requirement(
        "A person follows commands, verdicts, sessions, jobs and outputs of running servers, live.", "nacre"
    ),
    "watch-acts": Requirement(
        "Whoever watches can stop a job or type into it; the agent is told, and no typed text is logged.",
        "nacre",
    ),
    "watch-foreground": Requirement(
        "Whoever watches can read and stop a command in the foreground; its result says who stopped it.",
        "nacre",
    ),
    "watch-private": Requirement(
        "Only the same user can watch, and no process that a command has started, in a sandbox or without.",
        "nacre",
    ),
    "watch-off": Requirement("With `watch = false` there is no socket.", "nacre"),
    "watch-leaves-nothing": Requirement(
        "A server's socket is gone after its end; one of a killed server is removed by the next.", "nacre"
    ),
    "windows-doctor": Requirement(
        "`nacre doctor` tells what works on Windows, and what needs Linux.", "nacre"
    ),
    "watch-windows": Requirement(
        "On Windows the same goes over a private named pipe, for the same user and no command.", "nacre"
    ),
    "watch-picture": Requirement(
        "The picture of `nacre watch` in the docs is that of a real run of today.", "nacre"
    ),
    "watch-terminal": Requirement(
        "`nacre watch` shows it on a terminal; jobs are stopped and typed into with keys.", "nacre"
    ),
    # -- layers of settings
    "layers-order": Requirement(
        "Settings come from preset, system, user, project, environment and command line, in that order.",
        "nacre",
    ),
    "layers-project": Requirement(
        "A project's file may only tighten until the person trusts that very content.", "nacre"
    ),
    "layers-errors": Requirement(
        "A mistake in settings is reported with its file and line, or its variable.", "nacre"
    ),
    "config-cli": Requirement(
        "`nacre config` shows what holds and why, prints a schema, and writes a first file.", "nacre"
    ),
    # -- packages and documentation
    "packages-wheel": Requirement(
        "The wheel holds the package alone and works in an empty environment.", "nacre"
    ),
    "packages-sdist": Requirement(
        "The source distribution holds all that the wheel, the tests and the documentation take.", "nacre"
    ),
    "packages-lowest": Requirement("nacre works with the lowest versions that it allows.", "nacre"),
    "packages-metadata": Requirement(
        "The metadata is what package indexes and `uvx` need, and the README renders there.", "nacre"
    ),
    "packages-sbom": Requirement(
        "The bill of materials names everything that is installed, with licences and what needs what.",
        "nacre",
    ),
    "packages-bundle": Requirement(
        "The MCP bundle is accepted by the format's own program, and the server in it works.", "nacre"
    ),
    "packages-registry": Requirement("server.json follows the schema of the MCP registry.", "nacre"),
    "packages-workflows": Requirement(
        "GitHub and zizmor find no fault in the workflows; actions are pinned, no secret is stored.", "nacre"
    ),
    "docs-site": Requirement(
        "The documentation site builds without a warning, and its links and pages are whole.", "nacre"
    ),
    "docs-picture": Requirement("The picture of a run shows what the server really answers.", "nacre"),
    "docs-links": Requirement("Links between the files of the documentation lead somewhere.", "nacre"),
    "docs-examples": Requirement(
        "Settings, commands and data in the documentation are such as nacre accepts.", "nacre"
    ),
    "packages-manual": Requirement(
        "The manual page formats without a warning and names every option.", "nacre"
    ),
    "demo": Requirement("`make demo` runs through, and every step does what it says.", "nacre"),
}
