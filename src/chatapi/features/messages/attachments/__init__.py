"""Deletes uploaded files, also from the messages that are waiting for a thumbnail of them."""
