"""A process and those that it started."""

import os
import signal
from contextlib import suppress
from pathlib import Path


def children_of(parent: int) -> list[int]:
    """The processes that a process started, as Linux lists them."""
    return [
        int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    ]


def signal_with_children(parent: int, sent: signal.Signals) -> None:
    """Send a signal to a process and its children."""
    children = children_of(parent)
    # The parent first: stopped, it starts no further child.
    os.kill(parent, sent)
    for child in children:
        # It may have ended meanwhile.
        with suppress(ProcessLookupError):
            os.kill(child, sent)
