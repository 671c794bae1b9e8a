"""What specification 004 asks, clause by clause (the preset `agent`)."""

CLAUSES: dict[str, tuple[str, str]] = {}
