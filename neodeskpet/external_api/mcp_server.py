"""The companion as an MCP server, made with the SDK: over stdio or HTTP, for the protocols of 2025
and 2026.

Loading the SDK takes a second and 70 MB: this module is imported only where it serves.
"""

from __future__ import annotations

import logging
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from neodeskpet import __version__
from neodeskpet.external_api.local_protocol import AppWindowInfo, OfferedTool, ToolAnswer, ToolHost

_log = logging.getLogger(__name__)

_WINDOWS_URI = "neodeskpet://windows/"
_XML = "application/xml"
_PROGRESS_INTERVAL = 10.0
"""Seconds between two progress messages while the user is asked."""

_INSTRUCTIONS = (
    "NeoDeskPet is a companion on the user's desktop. Use `say` for what they should hear now "
    "(a build is finished, you are stuck), `ask` for a short question with buttons, `notify` for a "
    "notice of the desktop, `remind`, `timer_…`, `note_…` and `todo_…` for what is to be kept. "
    "The contents of its apps are the resources; their actions are tools. The user "
    "sees your program's name with each. Be brief and rare."
)


def make_server(host: ToolHost, name: str = "") -> Server[Any]:
    """Make the server; `name` is shown instead of the client's own name."""

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(one) for one in await host.tools()])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        who = name or _client_name(context)
        async with anyio.create_task_group() as group:
            group.start_soon(_send_progress, context)
            answer = await host.call(who, params.name, params.arguments or {})
            group.cancel_scope.cancel()
        return _result(answer)

    async def list_resources(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        listed = [_resource(one) for one in await host.windows()]
        return types.ListResourcesResult(resources=listed)

    async def read_resource(
        context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        answer = await host.window(
            name or _client_name(context), params.uri.removeprefix(_WINDOWS_URI)
        )
        if answer.failed:
            raise MCPError(types.INVALID_PARAMS, answer.text)
        contents = types.TextResourceContents(uri=params.uri, mime_type=_XML, text=answer.text)
        return types.ReadResourceResult(contents=[contents])

    return Server(
        "neodeskpet",
        version=__version__,
        title="NeoDeskPet",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


async def serve_stdio(host: ToolHost, name: str = "") -> None:
    """Serve the parent process until it closes the connection."""
    server = make_server(host, name)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _client_name(context: ServerRequestContext[Any]) -> str:
    """Return the client's own name."""
    params = context.session.client_params
    if params is None:
        return ""
    return params.client_info.title or params.client_info.name


async def _send_progress(context: ServerRequestContext[Any]) -> None:
    """Send progress messages, because clients cancel calls without progress while the user takes
    time to answer.
    """
    count = 0
    while True:
        await anyio.sleep(_PROGRESS_INTERVAL)
        count += 1
        try:
            await context.session.report_progress(count, message="The user is asked.")
        except Exception:  # noqa: BLE001 - the client may have disconnected; the call handles that
            _log.debug("No progress can be told", exc_info=True)
            return


def _tool(offered: OfferedTool) -> types.Tool:
    return types.Tool(
        name=offered.name,
        description=offered.description,
        input_schema=dict(offered.parameters),
        annotations=types.ToolAnnotations(
            read_only_hint=offered.reads_only,
            destructive_hint=offered.may_delete,
            open_world_hint=False,
        ),
    )


def _resource(window: AppWindowInfo) -> types.Resource:
    return types.Resource(
        uri=_WINDOWS_URI + window.name,
        name=window.name,
        title=window.title,
        description=window.description,
        mime_type=_XML,
    )


def _result(answer: ToolAnswer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=dict(answer.data) if answer.data is not None else None,
        is_error=answer.failed,
    )
