"""Fetching stored messages."""
