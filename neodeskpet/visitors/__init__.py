"""Other programs that speak, ask and keep things through the companion."""
