"""Cache of linkifiers, for sending and rendering messages."""
