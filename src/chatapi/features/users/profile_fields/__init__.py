"""Custom profile fields, and users' values in them."""
