"""Executions: one piece of work each, of whatever kind, which `service` takes through one sequence.

Above it: `service`. Below: a place, the dialects of its shells, and the link to its keeper.

`execution` is what all kinds share: `once` (a command in a fresh process), `turn` (a command of a session)
and `file_execution` (the work of the file tools). `sessions` finds a session by name; a `session` has one
`shell_process` after another. `validation` refuses what no system can run; `results` makes a result of what
the keeper reports.
"""
