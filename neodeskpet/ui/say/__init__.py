"""A line beside the companion, to say something without the chat window."""
