"""The page of the tools: which there are, which are on, and what asks."""
