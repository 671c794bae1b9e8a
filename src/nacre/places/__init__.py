"""Where commands run: a small boundary around everything that differs from one machine to another.

    place         what may be asked of a place; nothing above knows more
    connection    the link to a place's keeper: opened once, restarted after a loss
    local         this machine, the one place there is: its shells, its environment, its output files
    local_files   its answers to the questions of `filesystem`
    file_work     its file tools: read, write and list inside the allowed directories

Above: executions and the service. Below: the keeper's link, `filesystem`, the dialects. A place knows no
tools, no rules and no replies.
"""
