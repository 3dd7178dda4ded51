"""Messages: send, and what a sent message looks like."""
