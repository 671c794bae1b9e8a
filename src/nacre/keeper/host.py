"""The operating system of this keeper: one name for `posix` or `windows`, with the process tree of each."""

import sys

if sys.platform == "win32":
    from nacre.keeper import windows as host
    from nacre.keeper.windows import ProcessTree, command_line, start_guardian
else:
    from nacre.keeper import posix as host
    from nacre.keeper.guardian import start_guardian
    from nacre.keeper.process_tree import ProcessTree
    from nacre.keeper.processes import command_line

__all__ = ["ProcessTree", "command_line", "host", "start_guardian"]
