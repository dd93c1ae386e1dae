"""Servers of tools that others wrote (MCP): set up, started, asked, and ended."""
