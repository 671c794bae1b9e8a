"""Watching running servers (`nacre watch`): what they run, live; stopping it, and typing into its terminals.

`listener`  in a server: what is told and asked
`endpoint`  where: `unix_sockets`, and their `peers`, or `named_pipes`; `paths`: where these are
`client`    in the watcher: the servers of this user, found, followed, asked
`app`       `nacre watch` on a whole terminal; `cli` the command line, and a view of plain lines

It is no network interface and no way to run a command. A server loads `listener` after its first calls are
answered, and not at all where watching is switched off.
"""
