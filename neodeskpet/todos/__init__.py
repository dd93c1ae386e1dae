"""To-dos that the companion and the person both keep."""
