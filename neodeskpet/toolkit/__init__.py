"""What tools are made of: declaration, validation, execution, large results and undo."""
