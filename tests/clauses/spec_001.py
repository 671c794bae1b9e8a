"""What specification 001 asks, clause by clause (the preset `shell-exec`)."""

CLAUSES: dict[str, tuple[str, str]] = {}
