"""The windows besides the chat, and what all windows share: geometry, events and the registry."""
