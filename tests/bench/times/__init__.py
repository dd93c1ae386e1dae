"""How much of what people say about times is understood, and whether any of it is misread."""
