"""Users: reading, creating and changing people's records."""
