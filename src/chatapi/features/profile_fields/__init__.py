"""Custom profile fields, and what users write into them."""
