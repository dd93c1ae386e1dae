"""An MCP server made with the SDK whose tools send requests of their own to the client: for an
answer of the user, for folders, for a text of the model. Older connections have such requests.
"""

from __future__ import annotations

import warnings

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("older")


class City(BaseModel):
    """The form that the user fills in."""

    city: str


@server.tool()
async def wish(context: Context) -> str:
    """Ask where to go."""
    answer = await context.elicit("Where to?", City)
    return str(getattr(answer, "data", answer))


@server.tool()
async def folders(context: Context) -> str:
    """Which folders there are."""
    found = await context.session.list_roots()
    return " ".join(str(root.uri) for root in found.roots)


@server.tool()
async def poem(context: Context) -> str:
    """Have the client's model write one."""
    said = types.SamplingMessage(
        role="user", content=types.TextContent(type="text", text="A line about tea")
    )
    made = await context.session.create_message(
        [said], max_tokens=50_000, system_prompt="Be brief."
    )
    assert isinstance(made.content, types.TextContent)
    return f"{made.model}: {made.content.text}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the protocol of 2026 deprecates these requests
    server.run()
