"""What the window of a figure of Live2D has besides when it isn't the first."""
