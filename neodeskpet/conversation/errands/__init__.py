"""What a model is asked to do without anybody talking to it."""
