"""What was said elsewhere, in the database: taken in, known again, and taken back."""
