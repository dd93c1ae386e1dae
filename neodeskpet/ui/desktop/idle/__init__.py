"""How long the person has touched neither key nor pointer, anywhere: seconds, and nothing else."""
