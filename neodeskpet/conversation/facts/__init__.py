"""Facts about the person in conversations: told to the model, learnt after turns, kept by tools."""
