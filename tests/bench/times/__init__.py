"""How many phrases about times are understood, and whether any of them is misread."""
