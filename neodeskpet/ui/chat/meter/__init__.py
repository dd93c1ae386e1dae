"""How full the context is, what was left out of it, and what the conversation cost."""
