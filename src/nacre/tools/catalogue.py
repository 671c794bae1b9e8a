"""The catalogue: families of tools by name. A preset names those it wants; `--tools` adds to them.

Above it: the server. Below: the families, each loaded only when it is wanted.
"""

# ruff: noqa: PLC0415  # each family is loaded only where it is used
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.errors import RequestError

if TYPE_CHECKING:
    from nacre.service import Service
    from nacre.tools.resources import Resources
    from nacre.tools.surface import Surface
    from nacre.tools.tasks import Tasks
    from nacre.tools.tool import Tool


FAMILIES = (
    "files",
    "shell",
    "session",
    "job",
    "output",
    "allowed",
    "plain_exec",
    "execute_command",
    "commands",
    "container",
)


def register(surface: Surface, service: Service) -> None:
    """Put the families of this server's configuration on the surface."""
    config = service.config
    _add_tools(surface, service)
    if config.reread is not None:
        surface.tools_change = not surface.is_fixed
        surface.background_tasks.append(
            lambda: service.follow_settings(lambda: _show_again(surface, service))
        )
    if config.offers("job") and config.offers("output"):
        surface.resources = lambda: _resources(service)
        service.on_jobs_change = surface.tell_resources_changed
    if config.offers("job"):
        surface.tasks = lambda: _tasks(service)


def _add_tools(surface: Surface, service: Service) -> None:
    config = service.config
    for family in dict.fromkeys((*config.preset.tools, *config.more_tools)):
        _offer(family, surface, service)


async def _show_again(surface: Surface, service: Service) -> None:
    """Show the tools again after a change of the settings."""
    anew = replace(surface, has_data=True, tools={}, prompts={}, background_tasks=[], listeners=[])
    _add_tools(anew, service)
    await surface.offer_tools(list(anew.tools.values()))


def _resources(service: Service) -> Resources:
    from nacre.tools.resources import Resources

    return Resources(service)


def _tasks(service: Service) -> Tasks:
    from nacre.tools.tasks import Tasks

    return Tasks(service)


def _offer(family: str, surface: Surface, service: Service) -> None:
    if (tool := _agent_tool(family, service)) is not None:
        surface.add(tool)
        return
    match family:
        case "allowed":
            from nacre.tools.allowed import allowed_tool

            if service.config.policy is not None:  # without rules there is nothing to show
                surface.add(allowed_tool(service))
        case "plain_exec":
            from nacre.tools.plain_exec import offer_plain_exec

            offer_plain_exec(surface, service)
        case "execute_command":
            from nacre.tools.execute_command import execute_command_tool

            surface.add(execute_command_tool(service))
            surface.is_fixed = True
        case "commands":
            from nacre.tools import commands

            commands.register(surface, service)
        case "files":
            from nacre.tools.files import file_tools

            surface.add(*file_tools(service))
        case "container":
            from nacre.tools.container import register_container

            register_container(surface, service)
        case _:
            raise RequestError(
                f"There is no tool set '{family}' (--tools, or `tools` in the settings).",
                hint=f"There are: {', '.join(FAMILIES)}.",
            )


def _agent_tool(family: str, service: Service) -> Tool | None:
    """A tool of the preset `agent` that is always the same one."""
    match family:
        case "shell":
            from nacre.tools.shell import shell_tool

            return shell_tool(service)
        case "session":
            from nacre.tools.session import session_tool

            return session_tool(service)
        case "job":
            from nacre.tools.job import job_tool

            return job_tool(service)
        case "output":
            from nacre.tools.output import output_tool

            return output_tool(service)
        case _:
            return None
