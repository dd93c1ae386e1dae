"""The settings of a language model on this computer."""
