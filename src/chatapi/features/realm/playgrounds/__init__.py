"""Playgrounds: web sites that run code, to which clients send code blocks."""
