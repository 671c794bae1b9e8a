"""Jobs: commands that outlive the call that started them.

Above it: `service`, which loads this with the first job. Below: the executions.

`registry` knows all jobs and what became of them; `waits` waits for something to happen to one; `control` is
what callers do with them. `screen` is what a person would see on a job's terminal, and `keys` its keyboard.
"""
