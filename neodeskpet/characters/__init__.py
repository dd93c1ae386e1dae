"""Who each figure is: its name, what a model is told of it, what it says when it comes."""
