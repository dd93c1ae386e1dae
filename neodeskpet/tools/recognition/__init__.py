"""Words in pictures, recognised on this computer."""
