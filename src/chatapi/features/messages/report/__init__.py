"""Reports: users tell moderators about a message."""
