"""The list of conversations at the left of the chat."""
