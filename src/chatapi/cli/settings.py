"""`chatapi settings`: all settings and their values."""

import re

from rich.text import Text

from chatapi.cli.operator import load_settings
from chatapi.cli.terminal import AsJson, exit_with_error, print_result, printable
from chatapi.core.errors import ApiError
from chatapi.core.settings import Settings

_CREDENTIALS = re.compile(r"(?<=://).*@")
_SECRET_PARAMETERS = re.compile(r"((?:password|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)


def show_settings(as_json: AsJson = False) -> None:
    """List all settings: environment variable, value, default and meaning."""
    try:
        rows = describe_settings(load_settings())
    except ApiError as error:
        exit_with_error(error, as_json=as_json)
    print_result({"settings": rows}, _lines(rows), as_json=as_json)


def describe_settings(settings: Settings) -> list[dict[str, str]]:
    return [
        {
            "name": f"CHATAPI_{name.upper()}",
            "value": without_secrets(_spell(getattr(settings, name))),
            "default": _spell(field.default),
            "description": field.description or "",
        }
        for name, field in Settings.model_fields.items()
    ]


def without_secrets(text: str) -> str:
    """Remove user names and passwords from URLs: they must not be shown."""
    return _SECRET_PARAMETERS.sub(r"\1***", _CREDENTIALS.sub("***@", text))


def _spell(value: object) -> str:
    """Format a value as in an environment variable."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lines(rows: list[dict[str, str]]) -> Text:
    """Format as in an environment file, with descriptions below; changed settings in bold."""
    lines = Text()
    for row in rows:
        is_changed = row["value"] != row["default"]
        default = f"; default: {row['default'] or 'empty'}" if is_changed else ""
        lines.append(f"{row['name']}={printable(row['value'])}\n", "bold" if is_changed else "")
        lines.append(f"    {row['description']}{default}\n", "dim")
    lines.rstrip()
    return lines
