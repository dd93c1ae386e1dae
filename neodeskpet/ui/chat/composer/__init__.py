"""The message composer: the text field, its attachments and the menu of prepared prompts."""
