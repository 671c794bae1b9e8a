"""The keeper: the small program that alone starts, feeds, watches and kills commands in a place.

Two halves that meet at `wire`:

    wire       the frames both sides speak
    link       nacre's side: start a keeper, run commands through it          (asyncio)
    program    the keeper itself: frames in, commands run, frames out         (standard library only)
    commands   one running command: its streams, its end, its kill ladder
    conversation  the end of a command in a shell that has no private channel
    capture    head and tail of a stream in memory, the whole of it in a spool file
    spools     all spool files together: how many, how many bytes
    directory  the private directory that they and all other files are in
    descriptors  how many the keeper may hold
    inheritance  what commands do not have of the keeper: its limit of open files, its OOM score
    troubles   what can be done about an error of the operating system
    posix      processes, pipes, terminals and the event loop of Linux and macOS
    kin        which process belongs to which command, and how all of them are ended
    processes  who runs below the keeper, as the process table tells it
    guardian   the process above the keeper that ends what a killed keeper leaves
    notices    the wording of what both tell on stderr
    windows    all of these for Windows: Job Objects, a completion port
    win32      the few calls of Windows that it makes

Everything but `link` is the program; it imports nothing outside the standard library and nothing of
nacre above this package, so that it can be sent to a machine that has only Python.
"""
