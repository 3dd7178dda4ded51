"""Failed logins of existing accounts, counted in memory until they are written to the audit log.

A request that fails writes nothing itself: it would take longer for accounts that exist, and a
flood of attempts would fill the log. A job writes one entry for the attempts on an account.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from chatapi.core.ids import RealmId, UserId

log = structlog.get_logger()

SUMMARY_INTERVAL = timedelta(hours=1)
"""After an entry about an account, the next one comes this much later at the earliest."""
MAX_ACCOUNTS = 10_000
"""Accounts whose attempts are counted at the same time, by one process."""
MAX_ADDRESSES = 5
"""Addresses that one entry names."""


@dataclass
class FailedAttempts:
    """The attempts on one account since its last entry."""

    count: int = 0
    first_at: datetime | None = None
    addresses: dict[str, None] = field(default_factory=dict)
    """The first few, in the order in which they came."""
    client: str = ""
    """The client of the last attempt."""
    written_at: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        return self.count > 0 and self.is_over(now)

    def is_over(self, now: datetime) -> bool:
        """Whether the interval after the last entry has ended."""
        return self.written_at is None or now - self.written_at >= SUMMARY_INTERVAL


class FailedLogins:
    """Counts failed logins of accounts that exist."""

    def __init__(self) -> None:
        self._accounts: dict[tuple[RealmId, UserId], FailedAttempts] = {}
        self._uncounted = 0

    def count(
        self, realm_id: RealmId, user_id: UserId, address: str, client: str, now: datetime
    ) -> None:
        """Count an attempt; it costs the same for every account."""
        attempts = self._accounts.get((realm_id, user_id))
        if attempts is None:
            if len(self._accounts) >= MAX_ACCOUNTS:
                self._uncounted += 1
                return
            attempts = self._accounts[realm_id, user_id] = FailedAttempts()
        attempts.count += 1
        attempts.first_at = attempts.first_at or now
        attempts.client = client
        if len(attempts.addresses) < MAX_ADDRESSES:
            attempts.addresses[address] = None

    def take_due(
        self, now: datetime, *, includes_all: bool = False
    ) -> dict[RealmId, dict[UserId, FailedAttempts]]:
        """Take the attempts to write now, by realm; `includes_all` is for the end of the process.

        The next attempts on these accounts are counted anew.
        """
        due: dict[RealmId, dict[UserId, FailedAttempts]] = {}
        for (realm_id, user_id), attempts in self._accounts.items():
            if attempts.is_due(now) or (includes_all and attempts.count):
                due.setdefault(realm_id, {})[user_id] = attempts
                self._accounts[realm_id, user_id] = FailedAttempts(written_at=now)
        return due

    def put_back(self, realm_id: RealmId, due: Mapping[UserId, FailedAttempts]) -> None:
        """Count attempts again that could not be written."""
        for user_id, attempts in due.items():
            later = self._accounts.get((realm_id, user_id), FailedAttempts())
            self._accounts[realm_id, user_id] = FailedAttempts(
                attempts.count + later.count,
                attempts.first_at,
                {**attempts.addresses, **later.addresses},
                later.client or attempts.client,
                attempts.written_at,
            )

    def forget_old(self, now: datetime) -> None:
        """Forget accounts without attempts in the last interval."""
        self._accounts = {
            account: attempts
            for account, attempts in self._accounts.items()
            if attempts.count or not attempts.is_over(now)
        }
        if self._uncounted:
            log.warning("failed_logins_not_recorded", attempts=self._uncounted)
            self._uncounted = 0
