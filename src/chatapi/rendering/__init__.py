"""Markdown to safe HTML; pure: text in, text out."""

from chatapi.rendering.markdown import render_markdown

__all__ = ["render_markdown"]
