"""The keeper: the small program that alone starts, feeds, watches and kills commands in a place.

Two halves that meet at `frames` and `codec`:

    wire            bytes cut into frames
    frames          what each frame says: the records that both sides share
    codec           these records as bytes
    quickjson       JSON without the per-call overhead of the `json` module
    records         dataclasses without the imports of the standard module
    link            nacre's side: run commands through a keeper                    (asyncio)
    running         the commands of a link: what is awaited of them, what they left behind
    launch          start a keeper on this machine
    keeper_process  the process at the other end of a link: its pipes, how it is killed
    error_advice    what can be done about an error of the operating system
    program         the keeper itself: frames in, commands run, frames out         (standard library only)
    outlet          the part of the keeper that commands may use: types only
    commands        one running command: its streams, its end, its kill ladder
    shells          a command that is a persistent shell, and its turns
    turns           one turn: its pipes, its record, its end
    prompts         whether a shell waits for a line
    conversation    turns of a shell that has no private channel
    streams         the output streams of a command or a turn
    watching        reports on a running command: its output so far, whether it waits for input
    capture         head and tail of a stream in memory, the whole of it in a spool file
    spools          all spool files together: how many, how many bytes
    directory       the private directory that they and all other files are in
    timers          what the event loops share
    host            one name for the modules of this operating system
    descriptors     how many the keeper may hold
    heap            memory that is returned to the system when it is freed
    confinement     Landlock and seccomp, set before a sandboxed keeper begins
    left_behind     processes that a command of a session left running, until they end
    limits          what a command and its children use, against its limits
    cgroups         control groups for commands with limits, where they can be created
    inheritance     what commands must not inherit: the keeper's limit of open files and OOM score
    posix/          processes, pipes, terminals and the event loop of Linux and macOS
    process_tree    which process belongs to which command, and how all of them are ended
    processes       the processes below the keeper, from the process table
    guardian        the process above the keeper that ends what a killed keeper leaves
    notices         messages of both on stderr
    windows/        the same for Windows: job objects, a completion port
    win32/          the Windows API calls that it needs

Everything but `link`, `running`, `launch` and `keeper_process` is the program; it imports nothing outside the
standard library and nothing of nacre above this package, so that it can be sent to a machine that has only
Python.
"""
