"""The server itself: its settings for clients that are not logged in, and its health."""
