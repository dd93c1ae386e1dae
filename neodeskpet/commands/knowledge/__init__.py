"""What is done with the knowledge base from a terminal."""
