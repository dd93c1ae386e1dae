"""The chat: message view (one scroll area over blocks), composer, sidebar and window."""
