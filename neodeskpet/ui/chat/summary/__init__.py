"""The summary that stands for a conversation's older messages: its mark, and where it is edited."""
