"""Where commands run: a small boundary around everything that differs from one machine to another.

    place             the interface of a place; nothing above knows more
    connection        the link to a place's keeper: opened once, replaced after a loss
    local             this machine, the only place: its shells, its environment, its output files
    local_files       its answers to the questions of `filesystem`
    file_work         its file tools: read, write and list inside the allowed directories
    confined          its keeper in a sandbox
    exec_supervision  decides the execs of its keeper
    placeholders      stand for protected files that do not exist, as long as a sandbox lasts
    worktrees         linked worktrees of git
    proxy             the way from a sandbox to the allowed hosts
    open_container    its keeper in a container with too many rights

Above: executions and the service. Below: the keeper's link, `filesystem`, the dialects. A place knows no
tools, no rules and no replies.
"""
