"""Two versions take turns in processes of their own, and the best time of each sample counts.

A script measures its samples with the version that is first on the path, and compares two versions
with `--against`.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).resolve().parents[1]

Times = Sequence[float | None]
"""Microseconds for each sample; None if a version cannot do it."""


@dataclass(frozen=True)
class BestTimes:
    """The best times of the version before, and of this one."""

    before: Times
    now: Times


def run_script(
    file: str, measure: Callable[[], Times], report: Callable[[BestTimes], None], turns: int
) -> None:
    """The main function of a script: measure once, or compare with another checkout."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--against", type=Path, help="a checkout of another version")
    against: Path | None = parser.parse_args().against
    if against is None:
        sys.stdout.write(json.dumps(measure()) + "\n")
        return
    measured = [(_measure(file, against), _measure(file, _HERE)) for _ in range(turns)]
    report(BestTimes(_best([each[0] for each in measured]), _best([each[1] for each in measured])))


def _measure(file: str, checkout: Path) -> Times:
    # The other version is measured with the samples, and by the rules, of this one.
    path = os.pathsep.join((str(checkout / "src"), str(_HERE)))
    result = subprocess.run(
        [sys.executable, file],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    times: Times = json.loads(result.stdout)
    return times


def _best(turns: Sequence[Times]) -> Times:
    by_sample = [[each for each in times if each] for times in zip(*turns, strict=True)]
    return [min(times) if times else None for times in by_sample]
