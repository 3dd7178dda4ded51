"""Messages: sending them, and their representation."""
