"""The conversations at the left of the chat."""
