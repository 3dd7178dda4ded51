"""Parameters of the audit log."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from chatapi.audit.entries import AuditKind, AuditSource
from chatapi.features.realm.audit_log.records import DEFAULT_LIMIT, MAX_LIMIT, AuditLogFilter
from chatapi.wire.params import Params
from chatapi.wire.types import Id

_MAX_SECONDS = 253_402_300_799
"""The last second of the year 9999."""


def _one_of(names: type[StrEnum]) -> AfterValidator:
    def check(text: str) -> str:
        if text not in {*names}:
            raise ValueError(f"must be one of {', '.join(names)}")
        return text

    return AfterValidator(check)


Kind = Annotated[
    str, Field(max_length=40, json_schema_extra={"enum": [*AuditKind]}), _one_of(AuditKind)
]
Source = Annotated[
    str, Field(max_length=40, json_schema_extra={"enum": [*AuditSource]}), _one_of(AuditSource)
]
Moment = Annotated[int, Field(ge=0, le=_MAX_SECONDS)]


class GetAuditLogParams(Params):
    """GET /realm/audit_log: which entries to return; all conditions must hold."""

    acting_user_id: Id | None = None
    """Only what this user did."""
    user_id: Id | None = None
    """Only what concerns this user."""
    stream_id: Id | None = None
    """Only what concerns this channel."""
    group_id: Id | None = None
    """Only what concerns this user group."""
    kind: Kind | None = None
    """Only entries of this kind."""
    source: Source | None = None
    """Only what was done through the API, on the command line of the server, or by the server
    itself."""
    since: Moment | None = None
    """Only entries of this moment or later, in seconds since 1970."""
    until: Moment | None = None
    """Only entries before this moment, in seconds since 1970."""
    after_id: Id | None = None
    """Only entries with a higher id, such as those that are newer than the last one you have."""
    before_id: Id | None = None
    """Only entries with a lower id: pass the lowest one of a page to get the next page."""
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = DEFAULT_LIMIT
    """The number of entries to return at most."""

    def to_filter(self) -> AuditLogFilter:
        return AuditLogFilter(
            acting_user_id=self.acting_user_id,
            user_id=self.user_id,
            channel_id=self.stream_id,
            group_id=self.group_id,
            kind=self.kind,
            source=self.source,
            since=_moment(self.since),
            until=_moment(self.until),
            after_id=self.after_id,
            before_id=self.before_id,
            limit=self.limit,
        )


def _moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
