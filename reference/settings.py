"""The table of settings in README.md."""

from chatapi.cli.settings import describe_settings
from chatapi.core.settings import Settings


def settings_table() -> str:
    rows = [
        f"| `{row['name']}` | {_code(row['default'])} | {row['description']} |"
        for row in describe_settings(Settings.model_construct())
    ]
    return "\n".join(["| Variable | Default | Meaning |", "|---|---|---|", *rows, ""])


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
