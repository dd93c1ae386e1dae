"""Live2d."""
