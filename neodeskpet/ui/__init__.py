"""What the person sees: the pet, the chat, the panels and the settings. Qt, and no decisions."""
