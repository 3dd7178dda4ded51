"""Read state: which messages users have read, and the events about it."""
