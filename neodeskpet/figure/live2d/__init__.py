"""Live2D models: the Cubism library, drawing and movement."""
