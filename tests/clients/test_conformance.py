"""nacre passes the official conformance suite, and the page with its results is true."""

from __future__ import annotations

import agents
import conformance
import pytest


@pytest.fixture(scope="module")
def results() -> list[conformance.Results]:
    """What the suite says of each protocol version."""
    agents.require_installed()
    return [conformance.Results(version) for version in conformance.VERSIONS]


@pytest.mark.req("conformance-passes")
def test_every_scenario_of_both_protocols_passes_that_is_not_about_http(
    results: list[conformance.Results],
) -> None:
    for version, found in zip(conformance.VERSIONS, results, strict=True):
        assert len(found.missing) > 25, f"{version}: the suite has run few scenarios: {found.missing}"
        assert {name: text for name, text in found.missing.items() if text} == {}


@pytest.mark.req("conformance-table")
def test_the_table_of_conformance_results_is_what_the_suite_says(results: list[conformance.Results]) -> None:
    written = conformance.PAGE.read_text()
    assert conformance.page(results) == written, "`make conformance` writes it anew"
