"""The chat: its message view (one scroll area over blocks), its composer, side bar and window."""
