"""`chatapi demo`: fills an organization with sample data."""

from chatapi.cli.demo.command import demo

__all__ = ["demo"]
