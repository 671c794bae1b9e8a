"""What specification 002 asks, clause by clause (the preset `execute-command`)."""

CLAUSES: dict[str, tuple[str, str]] = {}
