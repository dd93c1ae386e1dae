"""The person's knowledge: their files, folders and pages, in passages that are found again."""
