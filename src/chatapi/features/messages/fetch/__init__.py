"""History: messages as they are read again."""
