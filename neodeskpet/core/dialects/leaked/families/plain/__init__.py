"""What any model may write: JSON, ReAct, a name with braces, our own block with slips."""
