"""Which models there are and what they are for: `llm-config.json`."""
