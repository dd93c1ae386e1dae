"""The message view: one scroll area over all items of a conversation."""
