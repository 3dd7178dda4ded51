"""People: reading, creating and changing the accounts of users."""
