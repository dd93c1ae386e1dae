"""The message composer: text field, attachments and the menu of prepared prompts."""
