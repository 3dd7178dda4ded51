"""Linkifiers: what an organization turns into links wherever it is written."""
