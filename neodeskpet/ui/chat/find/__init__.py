"""Search in the open conversation and in all conversations."""
