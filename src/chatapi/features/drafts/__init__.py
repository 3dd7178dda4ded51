"""Drafts: messages people have begun to write, kept for all their clients."""
