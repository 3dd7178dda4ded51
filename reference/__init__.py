"""Writes the pages of docs/ that describe code: `python3 dev.py reference`."""
