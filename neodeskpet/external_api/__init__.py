"""The external API: how other programs use the companion, over a local channel, MCP over stdio, and
MCP over HTTP.
"""
