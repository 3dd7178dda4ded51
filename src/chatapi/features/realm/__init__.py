"""Organizations: creating them, their settings and what clients are told of them."""
