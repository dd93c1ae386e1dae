"""When the companion may speak without being spoken to: without a window, a model or a clock."""
