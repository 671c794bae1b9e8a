"""The documentation: it builds without a warning, every link leads somewhere, every example is true."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

import jsonschema
import pytest
from building import ROOT, run

from nacre import presets
from nacre.cli.options import parser as server_parser
from nacre.cli.server_shell import read_arguments
from nacre.settings import layers
from nacre.settings.configuration import configure
from nacre.settings.table import SETTINGS

sys.path.insert(0, str(ROOT / "scripts"))
from command_parsers import command_names, parser_of, server
from command_parsers import commands as all_commands
from generate_reference import tools

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(
        ROOT / name
        for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
    ),
    ROOT / "bench" / "README.md",
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
CALLS = ("docs/how-to/long-jobs.md", "docs/how-to/interactive-programs.md")
SHELL = ("", "sh", "console")


class Block(NamedTuple):
    """A block of code in a page."""

    page: str
    language: str
    text: str


BLOCKS = [
    Block(str(page.relative_to(ROOT)), language, text)
    for page in DOCS
    for language, text in FENCE.findall(page.read_text())
]


def of(*languages: str) -> list[Any]:
    """The blocks in these languages, as cases of a test."""
    return [
        pytest.param(block, id=f"{block.page}-{number}")
        for number, block in enumerate(BLOCKS)
        if block.language in languages
    ]


class Page(HTMLParser):
    """What a page of the site links to, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = {""}
        self.text = ""
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it: a warning fails it."""
    directory = tmp_path_factory.mktemp("site") / "site"
    run(sys.executable, ROOT / "scripts" / "build_docs.py", directory)
    return directory


@pytest.mark.req("docs-site")
def test_every_link_of_the_site_leads_to_a_page_and_a_heading_of_it(site: Path) -> None:
    pages = {"/" + path.relative_to(site).as_posix(): Page(path.read_text()) for path in site.rglob("*.html")}
    assert len(pages) > 25
    broken: list[str] = []
    for name, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(urljoin(name, link))
            if "://" in address or address.startswith(("mailto:", "data:", "javascript:")):
                continue
            path = unquote(address) + ("index.html" if address.endswith("/") else "")
            there = pages.get(path)
            known = anchor in there.ids if there else (site / path.lstrip("/")).is_file()
            broken += [] if known or name == "/404.html" else [f"{name}: {link}"]
    assert broken == []


@pytest.mark.req("docs-site")
def test_no_page_of_the_site_asks_another_host_for_anything(site: Path) -> None:
    asked = re.compile(r"""<(?:script|img|link)[^>]*(?:src|href)=["']?(https?://[^"'> ]+)""")
    for page in site.rglob("*.html"):
        assert asked.findall(page.read_text()) == [], page


@pytest.mark.req("docs-site")
def test_the_site_shows_the_help_of_every_option_and_setting_unchanged(site: Path) -> None:
    shown = {page: Page((site / page / "index.html").read_text()).text for page in ("cli", "configuration")}
    helps = [argument.help for command in (server(), *all_commands()) for argument in command.arguments]
    settings = [setting.help.format(presets=", ".join(presets.names())) for setting in SETTINGS]
    missing = [text for text in helps if text.replace("`", "") not in shown["cli"]]
    missing += [text for text in settings if text.replace("`", "") not in shown["configuration"]]
    assert missing == []


@pytest.mark.req("docs-site")
def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    nav = json.dumps(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"])
    missing = [
        path for path in (ROOT / "docs").rglob("*.md") if f'"{path.relative_to(ROOT / "docs")}"' not in nav
    ]
    assert missing == []


@pytest.mark.req("docs-picture")
def test_the_picture_of_a_run_is_what_the_server_answers_today() -> None:
    run(sys.executable, ROOT / "demo" / "picture.py", "--check")


@pytest.mark.req("docs-links")
@pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_files_leads_to_a_file_and_a_heading_of_it(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in headings(target), f"{page}: {link}"


def headings(page: Path) -> set[str]:
    """What can be linked to in a page, as GitHub names it."""
    found = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


@pytest.mark.req("docs-examples")
@pytest.mark.parametrize("block", of("toml"))
def test_every_settings_file_in_the_documentation_is_one_that_nacre_accepts(
    block: Block, tmp_path: Path
) -> None:
    table = tomllib.loads(block.text)
    if "mcp_servers" in table:  # the settings of a client
        return
    file = tmp_path / "config.toml"
    file.write_text(block.text)
    layered = layers.load(str(file), preset=None, directory=str(tmp_path))
    configure(layered.table, preset=None, allow="", deny="")


def documents(block: Block) -> list[dict[str, Any]]:
    """The JSON texts of a block: one, or one on each line."""
    try:
        return [json.loads(block.text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in block.text.splitlines()]


@pytest.mark.req("docs-examples")
@pytest.mark.parametrize("block", of("json"))
def test_every_json_text_in_the_documentation_can_be_read(block: Block) -> None:
    assert documents(block)


@pytest.fixture(scope="module")
def schemas() -> list[dict[str, Any]]:
    """What the tools of the default preset take."""
    return [tool["inputSchema"] for tool in tools()]


@pytest.mark.req("docs-examples")
@pytest.mark.parametrize("block", [case for case in of("json") if case.values[0].page in CALLS])
def test_every_call_in_a_how_to_is_one_that_a_tool_takes(block: Block, schemas: list[dict[str, Any]]) -> None:
    for call in documents(block):
        assert any(takes(schema, call) for schema in schemas), call


def takes(schema: dict[str, Any], call: dict[str, Any]) -> bool:
    """Whether a tool with this schema takes these arguments."""
    try:
        jsonschema.validate(call, schema)
    except jsonschema.ValidationError:
        return False
    return True


@pytest.mark.req("docs-examples")
@pytest.mark.parametrize("block", of("python"))
def test_every_python_text_in_the_documentation_compiles(block: Block) -> None:
    compile(block.text, block.page, "exec")


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command line of a block that begins with a program's name."""
    for line in text.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue  # no command line
        if words[:2] == ["claude", "mcp"] and "--" in words:
            words = words[words.index("--") + 1 :]
        if words[:1] in (["nacre"], ["make"]):
            yield words


COMMANDS = [
    pytest.param(words, id=f"{block.page}-{shlex.join(words)}")
    for block in BLOCKS
    if block.language in SHELL
    for words in commands(block.text)
]


@pytest.mark.req("docs-examples")
@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_line_in_the_documentation_is_one_that_nacre_or_make_takes(words: list[str]) -> None:
    program, *rest = words
    if program == "make":
        unknown = [word for word in rest if "=" not in word and word not in TARGETS]
        assert unknown == []
    elif rest[:1] == ["server"]:
        read_arguments(rest[1:])
    elif rest and rest[0] in command_names():
        own, _, behind = ("\0".join(rest[1:])).partition("\0--\0")
        if rest[0] == "install":
            server_parser().parse_args(behind.split("\0") if behind else [])
            parser_of("install").parse_args(own.split("\0") if own else [])
        else:
            parser_of(rest[0]).parse_args(rest[1:])
    else:
        server_parser().parse_args(rest)


@pytest.mark.req("docs-links")
def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 150


def test_the_examples_are_found() -> None:
    assert len(COMMANDS) > 40
    assert len(of("toml")) > 8
    assert len(of("json")) > 10
