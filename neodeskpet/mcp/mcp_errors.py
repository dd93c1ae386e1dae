"""The errors of MCP servers; the parameter `name` is the server's name.

::

    McpError                [mcp]
     +-- ConfigUnread       [mcp_config]       the text describes no server
     +-- ProgramMissing     [mcp_program]      its program isn't on this computer
     |    `-- ProgramUnknown [mcp_program_unknown]
     +-- ServerEnded        [mcp_ended]        its process or the connection ended
     +-- ServerNotResponding       [mcp_silent]       it doesn't answer at its start
     +-- ServerFailed       [mcp_failed]       it answers with an error, or can't be reached
     +-- SecretMissing      [mcp_secret]       a key isn't stored any more
     +-- SignInNeeded       [mcp_sign_in]      it requires a sign-in
     `-- HandshakeNeeded    [mcp_handshake]    it needs an older protocol version
"""

from __future__ import annotations

from neodeskpet.core.errors import OTHER_WAY, KnownError, ToolFailed
from neodeskpet.core.i18n import N_, Reason


class McpError(KnownError):
    code = "mcp"


class ConfigUnread(McpError):
    code = "mcp_config"
    what = N_("No MCP server can be read from this.")
    hint = N_(
        "Paste the JSON with “mcpServers” from the server's page, a command such as "
        "“uvx mcp-server-time”, or an address."
    )


class ProgramMissing(McpError):
    code = "mcp_program"
    what = N_("{name} needs the program {program}, which isn't on this computer.")
    hint = N_("It comes with {package}. Install that, then start the server again.")


class ProgramUnknown(ProgramMissing):
    code = "mcp_program_unknown"
    hint = N_("Install it, or correct the command; then start the server again.")


class ServerEnded(McpError):
    code = "mcp_ended"
    what = N_("The MCP server {name} ended by itself.")
    hint = N_("Its last output is in its log: Settings › Tools & permissions › MCP servers.")


class ServerNotResponding(McpError):
    code = "mcp_silent"
    what = N_("The MCP server {name} didn't answer within {seconds} s.")
    hint = N_("Its log may say why: Settings › Tools & permissions › MCP servers.")


class ServerFailed(McpError):
    code = "mcp_failed"
    what = N_("The MCP server {name} can't be used.")
    hint = N_("Its log may say why: Settings › Tools & permissions › MCP servers.")


class SecretMissing(McpError):
    code = "mcp_secret"
    what = N_("A key for the MCP server {name} isn't stored on this computer: {slot}.")
    hint = N_("Enter it again: Settings › Tools & permissions › MCP servers, Edit.")


class SignInNeeded(McpError):
    code = "mcp_sign_in"
    what = N_("The MCP server {name} wants you to sign in.")
    hint = N_("Press “Sign in” in Settings › Tools & permissions › MCP servers.")


class HandshakeNeeded(McpError):
    """A tool sends its own request to the user, for folders or to the model. Connections of
    protocol 2026-07-28 don't support that, so the server is connected again with the older
    handshake.
    """

    code = "mcp_handshake"
    what = N_("The MCP server {name} needs a connection of an older protocol version.")
    hint = N_("The connection is made again.")


NOT_RUNNING_TEXT = N_("The MCP server {name} isn't running.")
SERVER_ENDED_TEXT = ServerEnded.what
REFUSED = N_("The MCP server {name} answers with an error:")
UNREADABLE_TEXT = N_("The answer of the MCP server {name} can't be used:")


def call_failure(text: str, name: str, detail: str = "") -> ToolFailed:
    """Return the error of a call: `text` is one of the texts above, `detail` is the server's
    message.
    """
    return ToolFailed(detail, reasons=[Reason(text, {"name": name})], advice=OTHER_WAY)
