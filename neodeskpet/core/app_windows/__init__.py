"""Windows of apps that the model operates: what they are, how they are shown to it and called."""
