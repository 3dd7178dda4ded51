"""What was measured, and the tables that are printed at the end."""

import math
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

_SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True)
class Row:
    """One figure."""

    what: str
    value: float
    unit: str = ""
    expected: str = ""

    @property
    def text(self) -> str:
        return f"{_rounded(self.value)} {self.unit}".rstrip()


@dataclass
class Report:
    """The figures of one database, in the order in which they were measured."""

    database: str
    rows: list[Row] = field(default_factory=list)

    def add(self, what: str, value: float, unit: str = "", *, expected: str = "") -> None:
        self.rows.append(Row(what, value, unit, expected))

    def show(self, console: Console) -> None:
        table = Table("measured on " + self.database, "result", "expected")
        for row in self.rows:
            table.add_row(row.what, row.text, row.expected)
        console.print(table)


def _rounded(value: float) -> str:
    """With three significant digits: more would only repeat noise."""
    before_point = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:,.{max(0, _SIGNIFICANT_DIGITS - before_point)}f}"
