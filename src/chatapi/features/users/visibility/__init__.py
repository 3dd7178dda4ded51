"""Which users become visible or invisible to guests who see only some users."""
