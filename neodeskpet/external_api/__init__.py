"""The external API: what other programs may use of the companion, over a local channel, MCP over
stdio, and MCP over HTTP.
"""
