"""The number of open files and connections of this process, and its limit."""

import resource
from pathlib import Path

import structlog
from msgspec import Struct

log = structlog.get_logger()

_OWN_FILES = Path("/proc/self/fd")
_NEAR = 0.8
_UNLIMITED = 2**63


class OpenFileUsage(Struct, frozen=True):
    """Client connections, database connections and files all count."""

    open: int
    limit: int

    @property
    def is_near_limit(self) -> bool:
        return self.open > _NEAR * self.limit


def open_file_usage() -> OpenFileUsage:
    """Returns the usage; 0 open files where the system does not report them."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = sum(1 for _ in _OWN_FILES.iterdir()) if _OWN_FILES.is_dir() else 0
    limit = soft if soft != resource.RLIM_INFINITY else _UNLIMITED
    return OpenFileUsage(count, limit)


def raise_open_file_limit() -> None:
    """Raise the limit of open files to what the system allows; call it at the start.

    The soft limit is often 1,024 for historical reasons: fewer than the polls that may wait.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError) as error:
        log.warning("open_file_limit_not_raised", limit=soft, reason=str(error))
