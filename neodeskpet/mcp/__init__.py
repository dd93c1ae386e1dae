"""MCP servers: configuration, start, calls and end."""
