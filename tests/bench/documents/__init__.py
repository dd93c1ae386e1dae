"""How much of the text of documents is read (`./run bench documents`)."""
