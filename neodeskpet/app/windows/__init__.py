"""The windows beside the chat, joined with the engine."""
