"""Writes the generated files of docs/ and deploy/, and prints the settings for README.md."""

from pathlib import Path

from reference.events import events_page
from reference.permissions import permissions_page
from reference.settings import environment_file, settings_table

PROJECT = Path(__file__).parent.parent
DOCS = PROJECT / "docs"

if __name__ == "__main__":
    (DOCS / "events.md").write_text(events_page())
    (DOCS / "permissions.md").write_text(permissions_page())
    (PROJECT / "deploy" / "chatapi.env.example").write_text(environment_file())
    print(settings_table(), end="")
