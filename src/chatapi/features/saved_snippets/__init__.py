"""Saved snippets: texts people use again and again."""
