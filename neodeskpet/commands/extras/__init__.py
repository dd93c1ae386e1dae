"""`neodeskpet extras`: what can be added to a bundle."""
