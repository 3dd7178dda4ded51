"""Two variants in turns: whole parts of the benchmarks, each in processes of its own."""

import json
import os
import statistics
import subprocess
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.report import Row
from benchmarks.variants import THIS_CHECKOUT, Variant

_TURNS = (0, 1, 1, 0)
"""Forwards and backwards: a machine that becomes slower favours neither."""


def compare_part(
    console: Console, database: str, before: Variant, now: Variant, *, part: str, scale: float
) -> None:
    """Run a part with both variants twice, and print all figures with the ratio of their means.

    Both are measured by the code of this checkout, which fills the database through the tables of
    the variant: versions whose tables are called otherwise cannot be measured.
    """
    found: tuple[list[list[Row]], list[list[Row]]] = ([], [])
    for turn in _TURNS:
        found[turn].append(_measure((before, now)[turn], database, part, scale))
    table = Table("measured on " + database, "before", "now", "ratio", "expected")
    for number, row in enumerate(found[1][0]):
        old, new = ([rows[number] for rows in turns] for turns in found)
        table.add_row(row.what, _texts(old), _texts(new), _ratio(old, new), row.expected)
    console.print(table)


def _measure(variant: Variant, database: str, part: str, scale: float) -> list[Row]:
    measured = subprocess.run(
        [
            *(variant.python, "-m", "benchmarks", "--json", "--database", database),
            *("--only", part, "--scale", str(scale)),
        ],
        env={**os.environ, **variant.environment(THIS_CHECKOUT)},
        cwd=THIS_CHECKOUT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return [Row(**row) for row in json.loads(measured.stdout)[database]]


def _texts(rows: Sequence[Row]) -> str:
    return ", ".join(row.text for row in rows)


def _ratio(before: Sequence[Row], now: Sequence[Row]) -> str:
    mean = statistics.fmean(row.value for row in before)
    return f"{statistics.fmean(row.value for row in now) / mean:.2f}" if mean else ""
