"""The table that is printed at the end."""

from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


@dataclass
class Report:
    """Rows of the table that is printed at the end."""

    database: str
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, what: str, measured: str, expected: str = "") -> None:
        self.rows.append((what, measured, expected))

    def show(self, console: Console) -> None:
        table = Table("measured on " + self.database, "result", "expected")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)
