"""Navigation views: places in a client that users pin, hide or name."""
