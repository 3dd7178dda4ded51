"""What a check has found."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import asdict


class Level(StrEnum):
    """How bad a finding is; only errors change the exit status."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Finding(Struct, frozen=True):
    """One line of the report: what was checked, and what to do if it is not well."""

    level: Level
    area: str
    message: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


class Area(Struct, frozen=True):
    """Makes the findings of one area."""

    name: str

    def ok(self, message: str) -> Finding:
        return Finding(Level.OK, self.name, message)

    def warning(self, message: str) -> Finding:
        return Finding(Level.WARNING, self.name, message)

    def error(self, message: str) -> Finding:
        return Finding(Level.ERROR, self.name, message)
