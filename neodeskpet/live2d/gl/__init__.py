"""What the Cubism library does with OpenGL, and what of it is left out."""
