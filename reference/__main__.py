"""Writes the generated pages of docs/, and prints the table of settings for README.md."""

from pathlib import Path

from reference.events import events_page
from reference.permissions import permissions_page
from reference.settings import settings_table

DOCS = Path(__file__).parent.parent / "docs"

if __name__ == "__main__":
    (DOCS / "events.md").write_text(events_page())
    (DOCS / "permissions.md").write_text(permissions_page())
    print(settings_table(), end="")
