"""What a speech bubble says, and for how long: without a window, a font or a clock."""
