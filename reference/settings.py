"""The table of settings in README.md, and the environment file in deploy/."""

from chatapi.cli.settings import describe_settings
from chatapi.core.settings import Settings


def settings_table() -> str:
    rows = [
        f"| `{row['name']}` | {_code(row['default'])} | {row['description']} |"
        for row in describe_settings(Settings.model_construct())
    ]
    return "\n".join(["| Variable | Default | Meaning |", "|---|---|---|", *rows, ""])


def environment_file() -> str:
    """Every setting with its default, as a comment: to be copied and filled in."""
    lines = [
        "# All settings of chatapi with their defaults; remove the # of those you change.",
        "# Read by systemd, `docker run --env-file` and compose.yaml. Write values without quotes.",
    ]
    for row in describe_settings(Settings.model_construct()):
        lines += ["", f"# {row['description']}", f"#{row['name']}={row['default']}"]
    return "\n".join([*lines, ""])


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
