"""What the companion does of its own accord, and plays with the person: each a switch."""
