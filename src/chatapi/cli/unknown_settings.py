"""Variables that look like settings and are none: a mistyped name must not be ignored silently."""

import difflib
import os
from collections.abc import Iterable

from chatapi.cli.terminal import note, printable
from chatapi.core.settings import Settings

_PREFIX = "CHATAPI_"
_OF_OTHER_PROGRAMS = ("CHATAPI_DATABASE_PASSWORD", "CHATAPI_VENV")
"""compose.yaml reads the first, dev.py the second."""
_OF_TESTS = "CHATAPI_TEST_"


def warn_of_unknown_settings() -> None:
    """Print one line for each unknown variable.

    A warning only: after a downgrade, settings of the newer version are unknown, and the server
    has to start all the same.
    """
    for name in unknown_settings(os.environ):
        note(f"{printable(name)} is not a setting, and is ignored{_suggest(name)}")


def unknown_settings(names: Iterable[str]) -> list[str]:
    """Return the names with our prefix that nothing reads."""
    known = {*_known_names(), *_OF_OTHER_PROGRAMS}
    return sorted(
        name
        for name in names
        if name.upper().startswith(_PREFIX)
        and name.upper() not in known
        and not name.upper().startswith(_OF_TESTS)
    )


def _known_names() -> list[str]:
    return [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]


def _suggest(name: str) -> str:
    similar = difflib.get_close_matches(name.upper(), _known_names(), n=1, cutoff=0.8)
    return f"; did you mean {similar[0]}?" if similar else "; `chatapi settings` lists all"
