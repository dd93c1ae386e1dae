"""Notes that the companion keeps for the person: its tools, windows and the person share them."""
