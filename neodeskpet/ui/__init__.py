"""The user interface: companion, chat, panels and settings. Qt only, without application logic."""
