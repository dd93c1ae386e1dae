"""The windows beside the chat, and what all windows share: geometry, events and the registry."""
