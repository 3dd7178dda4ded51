"""`chatapi demo`: an organization that looks lived in."""

from chatapi.cli.demo.command import demo

__all__ = ["demo"]
