"""Character cards as files (Character Card V1 to V3), and the world books in them."""
