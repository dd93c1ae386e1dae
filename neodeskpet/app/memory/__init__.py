"""What joins the memory with its windows."""
