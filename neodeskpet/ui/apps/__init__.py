"""The apps that the companion uses, as the person sees them."""
