"""The knowledge base, joined with its windows."""
