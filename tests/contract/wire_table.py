"""Tables of the protocol that existing clients speak, kept in tests/contract/wire.

- `operations.txt`: method, path and parameters of each operation; `?` marks an optional one.
- `register.json`: the keys of the POST /register response and their JSON types. `group` is the
  value of a permission, `<key>` any key of an object, `?` marks a key that may be missing.
- `events.txt`: the kinds of events, `type` or `type/op`, and their keys.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TABLES = Path(__file__).parent / "wire"
_ANY_PART = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class WireOperation:
    """An operation as clients call it."""

    method: str
    path: str
    parameters: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def place(self) -> str:
        """Method and path without the names of its variable parts, which differ."""
        return place_of(self.method, self.path)


def place_of(method: str, path: str) -> str:
    return f"{method.upper()} {_ANY_PART.sub('{}', path)}"


def wire_operations() -> Iterator[WireOperation]:
    for line in (_TABLES / "operations.txt").read_text().splitlines():
        method, path, *names = line.split()
        yield WireOperation(method, path, frozenset(name.rstrip("?") for name in names))


def wire_register_keys() -> dict[str, Any]:
    keys: dict[str, Any] = json.loads((_TABLES / "register.json").read_text())
    return keys


def wire_events() -> dict[str, frozenset[str]]:
    lines = (line.split() for line in (_TABLES / "events.txt").read_text().splitlines())
    return {kind: frozenset(keys) for kind, *keys in lines}
