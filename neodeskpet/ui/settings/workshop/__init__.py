"""The page of the tools that the person wrote."""
