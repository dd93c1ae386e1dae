"""The tools that ship with the app, one module for each family."""
