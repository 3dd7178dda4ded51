"""Navigation views: places in a client that people pin, hide or name."""
