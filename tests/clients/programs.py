"""Runs programs of other languages and tools, which must succeed."""

import asyncio
import os
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
"""The programs that are installed with the packages of this environment."""
_TIMEOUT_SECONDS = 600


async def run(folder: Path, *command: str, **environment: str) -> str:
    """The output of a command that succeeds."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), _TIMEOUT_SECONDS)
    assert process.returncode == 0, output.decode()
    return output.decode()
