"""What specification 003 asks, clause by clause (the preset `container`)."""

CLAUSES: dict[str, tuple[str, str]] = {}
