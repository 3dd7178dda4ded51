"""What is compared: another checkout of the project, or a setting of this one."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

THIS_CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Variant:
    """A checkout of the project, and settings that it runs with."""

    checkout: Path = THIS_CHECKOUT
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def python(self) -> str:
        """The interpreter of the checkout, if it is installed: other versions need other libraries.

        `python3 dev.py install` in the checkout installs it.
        """
        own = self.checkout / ".venv" / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    def environment(self, benchmarks: Path) -> dict[str, str]:
        """The environment with the service of this variant, and the benchmarks of a checkout."""
        path = os.pathsep.join((str(self.checkout / "src"), str(benchmarks)))
        return {"PYTHONPATH": path, **self.settings}
