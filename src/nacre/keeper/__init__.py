"""The keeper: the small program that alone starts, feeds, watches and kills commands in a place.

Two halves that meet at `frames`:

    wire       bytes cut into frames
    frames     what each frame says: the records that both sides share
    quickjson  JSON without the layers that the `json` module puts up on every call
    records    dataclasses without what the standard module loads
    link       nacre's side: run commands through a keeper                    (asyncio)
    launch     start a keeper on this machine
    keeper_process  the process that a link leads to: its pipes, its kill
    error_advice  what can be done about an error of the operating system
    program    the keeper itself: frames in, commands run, frames out         (standard library only)
    outlet     what the parts of a command may ask of the keeper: types only
    commands   one running command: its streams, its end, its kill ladder
    shells     a command that is a shell and is given turns
    turns      one turn: its pipes, its record, its end
    prompts    whether a shell waits for a line
    conversation  the end of a turn in a shell that has no private channel
    streams    the output streams of a command or a turn
    watching   a command that goes on: what it has printed so far, whether it waits
    capture    head and tail of a stream in memory, the whole of it in a spool file
    spools     all spool files together: how many, how many bytes
    directory  the private directory that they and all other files are in
    timers     what the event loops share
    host       one name for the modules of this operating system
    descriptors  how many the keeper may hold
    heap       memory that goes back to the system when it is freed
    confinement  what a sandboxed keeper can no longer do, set before it begins
    left_behind  what a command of a session has left running, until it has ended
    limits     what a command uses with all it has started, held against its limits
    cgroups    control groups for commands that have limits, where they can be made
    inheritance  what commands do not have of the keeper: its limit of open files, its OOM score
    posix/     processes, pipes, terminals and the event loop of Linux and macOS
    process_tree  which process belongs to which command, and how all of them are ended
    processes  the processes below the keeper, from the process table
    guardian   the process above the keeper that ends what a killed keeper leaves
    notices    the wording of what both tell on stderr
    windows/   all of these for Windows: Job Objects, a completion port
    win32/     the few calls of Windows that it makes

Everything but `link`, `launch` and `keeper_process` is the program; it imports nothing outside the standard
library and nothing of nacre above this package, so that it can be sent to a machine that has only Python.
"""
