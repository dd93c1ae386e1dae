"""What is remembered, before the person: what an answer was told, and the facts about them."""
