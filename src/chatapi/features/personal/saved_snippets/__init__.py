"""Saved snippets: texts that users store to use again."""
