"""Uploaded files and access to them."""
