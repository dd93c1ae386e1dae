"""Pages and files of the web, which nobody here trusts."""
