"""The welcome message: administrators try what new users will read."""
