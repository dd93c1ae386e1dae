"""An MCP server of the 2026 protocol (no handshake), made with the SDK: it changes its list, and
asks.
"""

from __future__ import annotations

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError

server = MCPServer("modern")


@server.tool()
async def grow(context: Context) -> str:
    """Have another tool."""
    server.add_tool(lambda: "new here", name="newcomer", description="New.")
    await context.notify_tools_changed()
    return str(context.protocol_version)


@server.tool()
async def wish(context: Context) -> str | types.InputRequiredResult:
    """Ask where to go: by another round of the call."""
    answers = context.input_responses
    if not answers:
        schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        params = types.ElicitRequestFormParams(message="Where to?", requested_schema=schema)
        return types.InputRequiredResult(
            input_requests={"city": types.ElicitRequest(params=params)}
        )
    return str(answers["city"])


@server.tool()
async def visit() -> str:
    """Wants a page visited before it does anything."""
    visits.append(1)
    if len(visits) < 3:  # the user said no to the first
        wanted = types.ElicitRequestURLParams(
            message="Please sign in", url="https://example.com/in"
        )
        raise UrlElicitationRequiredError([wanted])
    return "visited"


visits: list[int] = []

if __name__ == "__main__":
    server.run()
