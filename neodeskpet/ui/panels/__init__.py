"""What the windows share that show something which may change elsewhere."""
