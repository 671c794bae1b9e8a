"""Settings: all of them, where they come from, and which of them a running server adopts.

Above it: the command line and `service`. What all of it makes is a `nacre.config.Config`.

From the bottom up: `kinds` (of values), `table` (every setting), `configuration` (preset, table and flags
become one Config), `lines` (where a mistake stands), `layers` (the files and variables that settings
come from), `live` (which of them apply without a restart) and `file_changes` (when a file has changed).
"""
