"""`nacre watch` on a whole terminal: servers, sessions, jobs, commands, and what the chosen one prints.

Above it: `cli`. Below: `client`. It alone needs textual, which comes with the extra
`nacre[watch]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.text import Text
from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import DataTable, Footer, Header, Label, Static

from nacre.audit.reading import how_of, what_of
from nacre.errors import NacreError
from nacre.watch.client import Servers

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from nacre.watch.client import WatchedServer

REFRESH_S = 0.5
KEPT = 500  # commands in the list
SHOWN_CHARACTERS = 200  # of a command
LEAVE = "ctrl+right_square_bracket"
COLUMNS = {
    "servers": ("server", "client", "preset", "sandbox", "sessions", "directory"),
    "jobs": ("job", "server", "state", "seconds", "session", "command"),
    "commands": ("time", "server", "how", "verdict", "took", "session", "command"),
}
# What textual calls keys, where nacre calls them otherwise.
KEY_NAMES = {"escape": "esc", "shift+tab": "shift-tab"}

Chosen = tuple["WatchedServer", str, bool]  # an output of a server, and whether it is a terminal's


class Confirm(ModalScreen[bool]):
    """One question, to be answered with y or n."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)", "Yes"),
        ("n,escape", "answer(False)", "No"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The question."""
        yield Label(Text(f"{self._question}\n\ny: yes    n: no"), id="question")

    def action_answer(self, answer: bool) -> None:  # noqa: FBT001  # textual's way to pass it
        """The person has answered."""
        self.dismiss(answer)


class Terminal(Screen[None]):
    """The screen of a job, whose keyboard the person has for now."""

    def __init__(self, server: WatchedServer, job: str) -> None:
        super().__init__()
        self._server, self._job = server, job

    def compose(self) -> ComposeResult:
        """Its screen, and how to leave it."""
        yield Label(Text(f"You type into job {self._job}. Ctrl-] gives it back."), id="taken")
        yield Static("", id="screen")

    def on_mount(self) -> None:
        """Show what happens on it."""
        self.set_interval(REFRESH_S / 5, self._draw)

    async def _draw(self) -> None:
        try:
            view = await self._server.ask("screen", job=self._job)
        except NacreError as error:
            self._leave(str(error))
            return
        self.query_one("#screen", Static).update(_with_cursor(view))
        if not view["runs"]:
            self._leave(f"Job {self._job} has ended.")

    def _leave(self, why: str) -> None:
        if self.is_current:
            self.notify(why)
            self.dismiss(None)

    async def on_key(self, event: events.Key) -> None:
        """Give every key to the job, but for the one that leaves."""
        event.stop()
        event.prevent_default()
        if event.key == LEAVE:
            self.dismiss(None)
            return
        is_plain = event.is_printable and event.character is not None
        sent = {"text": event.character} if is_plain else {"keys": _key_name(event.key)}
        try:
            await self._server.ask("type", job=self._job, **sent)
        except NacreError as error:
            self.notify(str(error), severity="warning")


def _key_name(key: str) -> str:
    return KEY_NAMES.get(key) or key.replace("ctrl+", "ctrl-").replace("alt+", "alt-")


def _with_cursor(view: dict[str, Any]) -> Text:
    """A screen with its cursor where it is."""
    lines = [*view["lines"], *[""] * (view["row"] - len(view["lines"]))]
    row, column = view["row"] - 1, view["column"] - 1
    lines[row] = lines[row].ljust(column + 1)
    text = Text("\n".join(lines))
    at = sum(len(line) + 1 for line in lines[:row]) + column
    text.stylize("reverse", at, at + 1)
    return text


class WatchApp(App[None]):
    """The whole of it."""

    TITLE = "nacre watch"
    CSS = """
    DataTable { border: round $primary; height: 1fr; }
    #servers { height: 8; }
    #jobs { height: 10; }
    #output { border: round $primary; width: 2fr; height: 1fr; }
    #lists { width: 3fr; }
    #question, #taken { background: $primary; padding: 1 2; }
    Confirm { align: center middle; }
    #taken { width: 100%; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q", "quit", "Quit"),
        ("s", "stop", "Stop it"),
        ("t", "take", "Type into its terminal"),
        ("tab", "app.focus_next", "Next list"),
    ]

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._servers = Servers(directory, self._hear)
        self._cursor = ("", "")  # the list that is used, and its row
        self._outputs: dict[str, tuple[WatchedServer, str]] = {}  # of commands, by their rows

    def compose(self) -> ComposeResult:
        """Three lists, and beside them an output."""
        yield Header(icon=" ")
        with Horizontal():
            with Vertical(id="lists"):
                for name in COLUMNS:
                    yield DataTable[str](id=name, cursor_type="row", zebra_stripes=True)
            yield Static("", id="output")
        yield Footer()

    async def on_mount(self) -> None:
        """Begin to watch."""
        for name, columns in COLUMNS.items():
            table = self._table(name)
            table.border_title = name
            for column in columns:
                table.add_column(column, key=column)
        self.query_one("#output").border_title = "output"
        self._table("jobs").focus()
        self.run_worker(self._servers.follow(), exit_on_error=True)
        self.set_interval(REFRESH_S, self._refresh)

    def on_unmount(self) -> None:
        """Let the servers go."""
        self._servers.close()

    def _table(self, name: str) -> DataTable[Any]:
        return cast("DataTable[Any]", self.query_one(f"#{name}", DataTable))

    # -- what the servers tell

    def _hear(self, server: WatchedServer, message: dict[str, Any]) -> None:
        event = message["event"]
        if event == "hello":
            for record in (*message["recent"], *message["running"]):
                self._show_command(server, record)
        elif event in ("started", "ended"):
            self._show_command(server, message)
        elif event == "gone":
            self.notify(f"Server {server.pid} has ended.")
        elif event == "refused":
            self.notify(message["reason"], severity="error")

    def _show_command(self, server: WatchedServer, record: dict[str, Any]) -> None:
        ended = record["event"] == "ended"
        how = how_of(record) if ended else "runs"
        verdict = " ".join(filter(None, (record.get("verdict", ""), record.get("rule", ""))))
        took = f"{record['execution_time_ms']} ms" if "execution_time_ms" in record else ""
        when, session = record["time"][11:19], record.get("session", "")
        row = self._note_output(server, record)
        self._put("commands", row, (when, server.pid, how, verdict, took, session, what_of(record)))
        table = self._table("commands")
        while table.row_count > KEPT:
            oldest = table.coordinate_to_cell_key((0, 0)).row_key  # pyright: ignore[reportArgumentType]  # it takes any pair
            table.remove_row(oldest)
            self._outputs.pop(oldest.value or "", None)
        if not table.has_focus:
            table.move_cursor(row=table.row_count - 1)

    def _note_output(self, server: WatchedServer, record: dict[str, Any]) -> str:
        """The row of a command, whose output is known by now."""
        row = f"{server.pid}:{record['number']}"
        if "output" in record:
            self._outputs[row] = server, record["output"]
        return row

    def _put(self, name: str, row: str, values: tuple[object, ...]) -> None:
        """A row, new or with other values. What it says is no markup."""
        table, cells = (
            self._table(name),
            [Text(str(value).replace("\n", " ⏎ ")[:SHOWN_CHARACTERS]) for value in values],
        )
        if row not in table.rows:
            table.add_row(*cells, key=row)
            return
        for column, cell in zip(COLUMNS[name], cells, strict=True):
            if table.get_cell(row, column) != cell:
                table.update_cell(row, column, cell, update_width=True)

    async def _refresh(self) -> None:
        servers: set[str] = set()
        jobs: set[str] = set()
        for server in self._servers:
            try:
                state = await server.ask("state")
            except NacreError:  # it ends
                continue
            servers.add(str(server.pid))
            self._show_server(server, state)
            jobs |= {self._show_job(server, job) for job in state["jobs"]}
            for record in state["running"]:
                self._note_output(server, record)
        for name, there in (("servers", servers), ("jobs", jobs)):
            table = self._table(name)
            for row in [key for key in table.rows if key.value not in there]:
                table.remove_row(row)
        await self._show_output()

    def _show_server(self, server: WatchedServer, state: dict[str, Any]) -> None:
        hello = server.hello
        sessions = ", ".join(f"{one['name']} ({one['state']})" for one in state["sessions"]) or "none"
        values = (
            hello["pid"],
            state["client"],
            hello["preset"],
            hello["sandbox"],
            sessions,
            hello["directory"],
        )
        self._put("servers", str(server.pid), values)

    def _show_job(self, server: WatchedServer, job: dict[str, Any]) -> str:
        row = f"{server.pid}:{job['job']}:{'terminal' if job['terminal'] else ''}"
        how = " ".join(str(job[key]) for key in ("state", "exit_code", "signal") if key in job)
        values = (job["job"], server.pid, how, job["seconds"], job.get("session", ""), job["command"])
        self._put("jobs", row, values)
        return row

    # -- what is chosen

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """The output pane follows the cursor of the list that is used."""
        table = cast("DataTable[Any]", event.data_table)  # pyright: ignore[reportUnknownMemberType]  # cells of any kind
        if table.has_focus:
            self._cursor = table.id or "", event.row_key.value or ""

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The same for another list."""
        table = event.widget
        if isinstance(table, DataTable) and table.row_count:
            row = table.coordinate_to_cell_key(table.cursor_coordinate).row_key  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  # cells of any kind
            self._cursor = table.id or "", row.value or ""

    @property
    def _chosen(self) -> Chosen | None:
        """What the cursor is on, if that prints anything."""
        name, row = self._cursor
        if name == "commands":
            found = self._outputs.get(row)
            return (*found, False) if found else None
        if name != "jobs":
            return None
        pid, job, terminal = row.split(":")
        server = next((each for each in self._servers if str(each.pid) == pid), None)
        return (server, job, bool(terminal)) if server is not None else None

    async def _show_output(self) -> None:
        pane = self.query_one("#output", Static)
        if (chosen := self._chosen) is None:
            pane.border_title = "output"
            pane.update("")
            return
        server, output, is_terminal = chosen
        pane.border_title = f"output of {output}"
        try:
            if is_terminal:
                pane.update(_with_cursor(await server.ask("screen", job=output)))
            else:
                pane.update(Text(await self._last_lines(server, output, max(1, pane.size.height))))
        except NacreError as error:
            pane.update(Text(str(error)))

    @staticmethod
    async def _last_lines(server: WatchedServer, output: str, lines: int) -> str:
        texts: list[str] = []
        for stream in ("stdout", "stderr"):
            try:
                texts.append((await server.ask("output", job=output, stream=stream, lines=lines))["text"])
            except NacreError as error:  # a stream that has nothing is in no file
                texts.append("" if texts and texts[0] else f"{error}\n")
        shown = [line for text in texts for line in text.splitlines()][-lines:]
        return "\n".join("".join(each if each.isprintable() else " " for each in line) for line in shown)

    # -- what the person does

    def action_stop(self) -> None:
        """Stop the job or command that is chosen, if the person means it."""
        if (chosen := self._chosen) is None:
            self.notify("Choose a job or a command first.", severity="warning")
            return
        server, job, _ = chosen
        what = self._cursor[0].removesuffix("s")

        def answered(answer: bool | None) -> None:  # noqa: FBT001  # textual's way to tell it
            if answer:
                self.run_worker(self._stop(server, job))

        self.push_screen(Confirm(f"Stop {what} {job}? Its agent is told."), answered)

    async def _stop(self, server: WatchedServer, job: str) -> None:
        try:
            await server.ask("stop", job=job)
        except NacreError as error:
            self.notify(str(error), severity="warning")

    def action_take(self) -> None:
        """Type into the terminal of the job that is chosen."""
        chosen = self._chosen if self._cursor[0] == "jobs" else None
        if chosen is None:
            self.notify("Choose a job first.", severity="warning")
        elif not chosen[2]:
            self.notify(f"Job {chosen[1]} has no terminal.", severity="warning")
        else:
            self.push_screen(Terminal(chosen[0], chosen[1]))
