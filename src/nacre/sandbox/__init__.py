"""What confines a keeper and with it every command: pure builders, from settings to a plan and an argv.

`profile`     what a level means here: which paths are writable, which are hidden, what else is closed
`bubblewrap`  a profile as the command line of bwrap, which starts the keeper in its own view of the files
`seatbelt`    a profile as rules for sandbox-exec (macOS), `job_object` as a job and a token (Windows)
`plan`        a profile as what the keeper does to itself at its start: Landlock rules, a seccomp filter
`exec_gate`   decides about every exec by its real path and arguments, with `exec_rules`
`exec_words`  what a process is about to execute, from its memory
`processes`   identity and ancestors of a process, for both of them
`executables` an allowlist as the files that can be executed at all
`hosts`       which hosts commands may reach
`refusals`    what a command was refused, from its messages
`grants`      what a person may open while a sandbox lasts
`explain`     what a sandbox would let a command do

Above it: `places`, which starts keepers. Below: `keeper.confinement`, which applies a plan.
"""
