"""The audit log: who ran what, when, and how it ended, as evidence for the owner of the machine.

`recorder`  told by the service of every command before it starts and when it has ended
`records`   what a record says; `chain` the seals that tie each record to the one before it
`trail`     the file: whole lines, several writers, rotation, a full disk
`reading`   logs as they are read: moments, filters, both records of a command together
`report`    one page about a log
`cli`       `nacre audit show`, `verify` and `report`

Above it: the service. Below: what masks secrets on their way out. A server without an audit log loads the
recorder and the records only.
"""
