"""Consoles of rich: for tables, colours and progress bars."""

from rich.console import Console

# Names are data: brackets and colons in them are neither markup nor emoji.
stdout = Console(markup=False, highlight=False, emoji=False)
stderr = Console(markup=False, highlight=False, emoji=False, stderr=True)
