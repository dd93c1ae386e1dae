"""The commands there are, the list that finds them by their names, the page of their keys."""
