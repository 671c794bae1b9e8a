"""The clauses of the five documents: id -> (sentence, source). One module for each document."""

from clauses import spec_000, spec_001, spec_002, spec_003, spec_004

ALL: dict[str, tuple[str, str]] = {
    **spec_000.CLAUSES,
    **spec_001.CLAUSES,
    **spec_002.CLAUSES,
    **spec_003.CLAUSES,
    **spec_004.CLAUSES,
}
