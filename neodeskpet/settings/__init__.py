"""What the person chose, and the keys: typed, described once, kept safe."""
