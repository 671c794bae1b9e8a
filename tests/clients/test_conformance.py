"""The page with the results of the official conformance suite is true."""

from __future__ import annotations

import agents
import conformance
import pytest


@pytest.mark.req("conformance-table")
def test_the_table_of_conformance_results_is_what_the_suite_says() -> None:
    agents.require_installed()
    assert conformance.page() == conformance.PAGE.read_text(), "`make conformance` writes it anew"
