"""Cache of the presence of users, encoded, for clients that begin or ask for all of it."""
