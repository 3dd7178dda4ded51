"""Personal settings: a user's preferences, and changes to their own account."""
