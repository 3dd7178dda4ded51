"""Users: reading, creating and changing accounts."""
