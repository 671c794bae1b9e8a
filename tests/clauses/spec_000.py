"""What specification 000 asks, clause by clause (the preset `commands`)."""

CLAUSES: dict[str, tuple[str, str]] = {}
