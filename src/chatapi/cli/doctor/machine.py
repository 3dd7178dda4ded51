"""Checks of the machine: free space, and how many files a process may open."""

import resource
import shutil
from pathlib import Path

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.core.settings import Settings

_MACHINE = Area("machine")
_ENOUGH_FILES = 4_096
_MIB = 1024 * 1024
_LITTLE_MIB = 1_024
_TOO_LITTLE_MIB = 100


def check_machine(settings: Settings) -> list[Finding]:
    """Returns one finding for each check."""
    return [_check_space(settings.data_dir), _check_open_files()]


def _check_space(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    free = shutil.disk_usage(existing).free // _MIB
    if free < _TOO_LITTLE_MIB:
        return _MACHINE.error(
            f"{free} MiB are free at {existing}: writes will soon fail; make room"
        )
    if free < _LITTLE_MIB:
        return _MACHINE.warning(f"{free} MiB are free at {existing}: make room")
    return _MACHINE.ok(f"{free} MiB are free at {existing}")


def _check_open_files() -> Finding:
    # The server raises its own limit to this one.
    _soft, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit != resource.RLIM_INFINITY and limit < _ENOUGH_FILES:
        return _MACHINE.warning(
            f"a process may open {limit} files, and every waiting client is one: raise the limit, "
            "with LimitNOFILE= of systemd or --ulimit nofile= of Docker"
        )
    return _MACHINE.ok("a process may open enough files for its clients")
