"""Finding what was said in all conversations."""
