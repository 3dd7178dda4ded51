"""Where the migration scripts are: in the installed package, or in a checkout of the project."""

from pathlib import Path

import chatapi

_PACKAGE = Path(chatapi.__file__).resolve().parent


def migration_scripts() -> Path:
    """Return the folder with Alembic's `env.py` and `versions`.

    A wheel has it inside the package, since nothing beside the package is installed.
    """
    installed = _PACKAGE / "migrations"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "migrations"
