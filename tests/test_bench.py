"""The benchmark: it runs for real, its arithmetic is right, and the kept page is what the kept run gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from bench import aims, cli, install, page, report, samples, svg, table
from bench.figures import FIGURES
from bench.model import Server
from bench.peers import PEERS, Peer
from bench.workloads import NAMES, WORKLOADS
from bench.workloads.behaviour import ROWS
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
POSITIVE = st.floats(min_value=1e-6, max_value=1e3)
LABELS = st.text(st.characters(exclude_categories=["C"]))
BLOCKS = st.lists(st.lists(POSITIVE, min_size=1, max_size=5), min_size=1, max_size=8)


def bench(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *options], cwd=ROOT, capture_output=True, text=True, check=False
    )


def a_run(**parts: Any) -> report.Report:
    """A small report: nacre twice as slow as the floor in each round, three times as fast as a peer."""
    whole: dict[str, Any] = {
        "format": report.FORMAT,
        "date": "2026-01-01",
        "commit": "abc",
        "quick": False,
        "machine": {"processor": "one"},
        "servers": {
            "spawn": {"kind": "floor", "title": "the floor", "version": "1"},
            "nacre": {"kind": "nacre", "title": "us", "version": "1"},
            "wcgw": {"kind": "peer", "title": "a peer", "version": "1"},
            "mcp-server-commands": {"kind": "peer", "title": "a slower one", "version": "1"},
        },
        "left_out": {"cli-mcp-server": "npm is not there"},
        "figures": {
            "echo": {
                "spawn": [[0.001], [0.010, 0.010], [0.002]],
                "nacre": [[0.002], [0.020, 0.020, 0.020], [0.004]],
                "wcgw": [[0.006], [0.060], [0.012]],
                "mcp-server-commands": [[0.5]],
            }
        },
        "failures": {"wcgw": {"flight": "2 of 500 calls failed"}},
        "behaviours": {"stdin": {"nacre": {"says": "ends", "good": True}}},
    }
    return report.parse({**whole, **parts})


# -- the real thing


@pytest.mark.req("bench-runs")
def test_a_small_run_measures_nacre_beside_a_floor_and_keeps_every_sample(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    names = "start,echo,flight,cancel,output_1"
    done = bench("--only", "nacre,spawn", "--rounds", "1", "--workloads", names, "--json", str(kept))
    assert done.returncode == 0, done.stderr
    run = report.read(kept)
    assert run.failures == {}
    assert set(run.servers) == {"nacre", "spawn"}
    for figure in ("echo", "flight", "output_1"):
        assert samples.pooled(run.rounds(figure, "spawn")), figure
    for figure in ("initialize", "first_result", "rss", "pss", "tools_list", "exit", "echo", "flight"):
        assert samples.pooled(run.rounds(figure, "nacre")), figure
    for figure in ("output_1", "peak_1", "cancel"):
        assert samples.pooled(run.rounds(figure, "nacre")), figure
    assert "`echo hi` / posix_spawn" in done.stdout


@pytest.mark.req("bench-runs")
def test_behaviour_is_described_in_words_and_nacre_leaves_nothing(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    done = bench("--only", "nacre", "--workloads", "behaviour", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    found = report.read(kept).behaviours
    assert set(found) == set(ROWS)
    assert {
        row: outcomes["nacre"].says for row, outcomes in found.items() if not outcomes["nacre"].good
    } == {}


@pytest.mark.req("bench-runs")
def test_a_server_that_fails_is_reported_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Server("sdk-shell", "floor", "ends at once", argv=("/bin/false",), workloads=frozenset({"echo"}))
    floor = next(server for server in cli.servers.floors() if server.name == "spawn")
    monkeypatch.setattr(cli.servers, "floors", lambda: [broken, floor])
    kept = tmp_path / "run.json"
    assert cli.main(["--only", "sdk-shell,spawn", "--workloads", "echo", "--json", str(kept)]) == 0
    run = report.read(kept)
    assert list(run.failures) == ["sdk-shell"]
    assert len(run.rounds("echo", "spawn")) == next(item.rounds for item in WORKLOADS if item.name == "echo")


@pytest.mark.req("bench-runs")
def test_a_peer_that_cannot_be_installed_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "HOME", tmp_path)
    # Without an index pip finds nothing, as on a machine without a network.
    for name, value in {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}.items():
        monkeypatch.setenv(name, value)
    absent = Peer(
        Server("wcgw", "peer", "not to be had", argv=("{peer}/bin/no",)), "pip", ["nacre-no-such==1"]
    )
    monkeypatch.setattr(cli, "PEERS", (absent,))
    chosen, left_out = cli.taking_part(["wcgw"], quick=False)
    assert chosen == []
    assert left_out == {"wcgw": "python ended with 1"}


def test_every_peer_names_its_exact_version_and_no_server() -> None:
    for peer in PEERS:
        assert all("==" in name or "@" in name[1:] for name in peer.packages), peer.server.name
        assert not any("://" in name for name in peer.packages)


# -- arithmetic


@pytest.mark.req("bench-ratios")
def test_a_ratio_is_taken_round_by_round() -> None:
    found = samples.ratio([[2.0], [40.0, 40.0], [6.0]], [[1.0], [10.0], [2.0]])
    assert found == samples.Spread(2.5, 3.0, 3.5)


@pytest.mark.req("bench-ratios")
def test_rounds_that_one_side_lacks_do_not_count() -> None:
    assert samples.ratio([[2.0], [], [9.0]], [[1.0], [1.0]]) == samples.Spread(2.0, 2.0, 2.0)
    assert samples.ratio([[2.0]], []) is None
    assert samples.ratio([[2.0]], [[0.0]]) is None


@pytest.mark.req("bench-ratios")
@given(BLOCKS, st.lists(POSITIVE, min_size=8, max_size=8))
def test_a_slow_phase_of_the_machine_does_not_move_a_ratio(
    theirs: list[list[float]], slower: list[float]
) -> None:
    phased = [[sample * by for sample in block] for block, by in zip(theirs, slower, strict=False)]
    ours = [[sample * 2 for sample in block] for block in phased]
    found = samples.ratio(ours, phased)
    assert found
    assert found == pytest.approx((2.0, 2.0, 2.0))


@given(st.lists(POSITIVE, min_size=1), st.floats(0, 1))
def test_a_quantile_lies_between_the_least_and_the_most(values: list[float], share: float) -> None:
    assert min(values) <= samples.quantile(values, share) <= max(values) * (1 + 1e-9)
    assert samples.quantile(values, 0) == min(values)
    assert samples.quantile(values, 1) == max(values)


@pytest.mark.req("bench-ratios")
def test_aims_are_held_against_the_floor_and_the_best_peer_of_the_same_run() -> None:
    checked = {each.aim.what: each for each in aims.check(a_run())}
    assert set(checked) == {"`echo hi` / posix_spawn", "`echo hi` / best peer"}
    floor, peer = checked["`echo hi` / posix_spawn"], checked["`echo hi` / best peer"]
    assert (floor.found.median, floor.met) == (2.0, False)
    assert (peer.found.median, peer.versus, peer.met) == (pytest.approx(1 / 3), "wcgw", True)


def test_every_aim_and_figure_is_about_something_that_is_measured() -> None:
    known = {*cli.known(), aims.BEST_PEER, ""}
    for aim in aims.AIMS:
        assert aim.figure in FIGURES, aim.what
        assert {aim.server, aim.versus} <= known, aim.what
        assert (aim.versus_figure or aim.figure) in FIGURES, aim.what
    assert {figure.workload for figure in FIGURES.values()} == {workload.name for workload in WORKLOADS}
    assert {figure.floor for figure in FIGURES.values()} <= known


# -- what is shown and kept


@pytest.mark.req("bench-ratios")
def test_a_missed_aim_is_shown_and_sets_the_exit_code(tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    report.write(a_run(), kept)
    assert "MISSED" in table.aims_section(a_run())
    assert cli.main(["--from", str(kept)]) == 0
    assert cli.main(["--from", str(kept), "--check"]) == 1
    report.write(a_run(figures={}), kept)
    assert cli.main(["--from", str(kept), "--check"]) == 0
    report.write(a_run(figures={}, failures={"nacre": {"echo": "no answer"}}), kept)
    assert cli.main(["--from", str(kept), "--check"]) == 1


def test_a_report_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    report.write(a_run(), tmp_path / "run.json")
    assert report.read(tmp_path / "run.json") == a_run()


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ({"format": 0}, "format is 0"),
        ({"figures": {"speed": {}}}, "no figure 'speed'"),
        ({"figures": {"echo": {"nobody": []}}}, "no server 'nobody'"),
        ({"figures": {"echo": {"nacre": [[-1]]}}}, "-1 is no sample"),
        ({"figures": {"echo": {"nacre": [[True]]}}}, "True is no sample"),
        ({"figures": {"echo": {"nacre": [[float("nan")]]}}}, "nan is no sample"),
        ({"figures": {"echo": {"nacre": 3}}}, "is no list"),
        ({"behaviours": {"manners": {}}}, "no behaviour 'manners'"),
        ({"behaviours": {"stdin": {"nacre": {"says": "ends"}}}}, "is no outcome"),
        ({"failures": {"nacre": {"dancing": "no"}}}, "no workload 'dancing'"),
        ({"servers": {"nacre": {"kind": "king", "title": "", "version": ""}}}, "kind, title and version"),
        ({"machine": None}, "machine is no table"),
        ({"date": 3}, "date is no text"),
    ],
)
def test_what_is_no_report_is_refused_with_the_reason(part: dict[str, Any], complaint: str) -> None:
    with pytest.raises(report.BadReport, match=complaint):
        a_run(**part)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--only", "nacre,nobody"], "no such server: nobody"),
        (["--workloads", "dancing"], "no such workload: dancing"),
        (["--rounds", "0"], "1 or more"),
        (["--save", "--quick"], "whole runs only"),
        (["--save", "--only", "nacre"], "whole runs only"),
        (["--from", "/nowhere/run.json"], "/nowhere/run.json"),
    ],
)
def test_bad_options_are_reported(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(options) == 2
    assert complaint in capsys.readouterr().err


def test_help_names_every_server_and_workload(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    words = capsys.readouterr().out.replace(",", " ").replace(".", " ").split()
    assert {*cli.known(), *NAMES} <= set(words)


@pytest.mark.req("bench-page")
def test_the_plot_is_well_formed_and_has_a_bar_for_each_server() -> None:
    picture = ET.fromstring(page.plot(a_run()))  # noqa: S314  # our own text
    bars = picture.findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == len(a_run().servers) + len(svg.LEGEND)


@pytest.mark.req("bench-page")
@given(st.lists(st.tuples(LABELS, st.floats(0, 1e9), st.sampled_from(list(svg.LEGEND))), min_size=1))
def test_any_label_and_value_gives_well_formed_xml(bars: list[tuple[str, float, Any]]) -> None:
    panel = svg.Panel("<&>", [svg.Bar(*bar) for bar in bars])
    ET.fromstring(svg.draw("a & b", [panel]))  # noqa: S314  # our own text


def test_a_bar_that_would_dwarf_the_others_is_cut() -> None:
    bars = [svg.Bar("nacre", 1.0, "nacre"), svg.Bar("slow", 3.0, "peer"), svg.Bar("very", 500.0, "peer")]
    assert svg.limit_of(bars) == 3.0
    assert svg.draw("", [svg.Panel("", bars)]).count('class="cut"') == 1


@pytest.mark.req("bench-page")
def test_the_kept_page_and_plot_are_what_the_kept_run_gives() -> None:
    kept = report.read(page.SAVED)
    again = (
        "not what benchmarks.json gives: run `.venv/bin/python -m bench --from docs/benchmarks.json --save`"
    )
    assert (page.DOCS / "benchmarks.md").read_text() == page.page(kept), again
    assert (page.DOCS / "benchmarks.svg").read_text() == page.plot(kept), again
    assert not kept.quick
    assert set(kept.servers) | set(kept.left_out) == set(cli.known())


def test_the_report_is_json_that_any_tool_reads(tmp_path: Path) -> None:
    report.write(a_run(), tmp_path / "run.json")
    table_of = json.loads((tmp_path / "run.json").read_text())
    assert table_of["figures"]["echo"]["nacre"][1] == [0.02, 0.02, 0.02]
