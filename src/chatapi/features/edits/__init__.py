"""Changing what was written, and looking up what was there before."""
