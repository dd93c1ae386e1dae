"""NeoDeskPet: a Live2D companion on the desktop whose chat never breaks."""

__version__ = "0.1.0"
