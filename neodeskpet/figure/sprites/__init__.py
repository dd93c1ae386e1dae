"""Bodies made of pictures: pets of Codex, Shimeji, plain pictures, and Neo without the Core."""
