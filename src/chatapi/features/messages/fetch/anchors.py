"""Anchors: the message id around which messages are fetched."""

from datetime import UTC, datetime

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.fetch.params import ReadMessagesParams
from chatapi.features.messages.repository import HistoryRepository, is_in_unmuted_topic, is_unmuted
from chatapi.narrow import Narrow
from chatapi.permissions.messages import MessageAccess

BEFORE_ALL = 0
AFTER_ALL = 10_000_000_000_000_000
"""Larger than any message id, and still exact in clients that know floating point only."""

FIRST_UNREAD = "first_unread"
_DATE = "date"
_NAMED = {"newest": AFTER_ALL, "oldest": BEFORE_ALL}


class Anchors:
    """Resolves the anchor of a request among the messages of a narrow."""

    def __init__(
        self, repository: HistoryRepository, access: MessageAccess, narrow: Narrow
    ) -> None:
        self._repository = repository
        self._access = access
        self._narrow = narrow

    async def find(self, anchor: str | None, anchor_date: str | None = None) -> int:
        if anchor == FIRST_UNREAD:
            return await self._first_unread()
        if anchor == _DATE:
            return await self._first_since(_read_date(anchor_date))
        return read_anchor(anchor)

    async def _first_unread(self) -> int:
        """The first unread message that is not muted; muted ones are skipped."""
        reader_id = self._access.reader_id
        if reader_id is None:
            return AFTER_ALL
        if self._narrow.is_feed:
            found = await self._repository.find_first_unread_of_feed(reader_id)
        else:
            conditions = [self._narrow.condition]
            if self._narrow.channel is None:
                conditions.append(is_unmuted())
            elif not self._narrow.names_topic:
                conditions.append(is_in_unmuted_topic())
            found = await self._repository.find_first_unread(reader_id, conditions)
        return AFTER_ALL if found is None else found

    async def _first_since(self, moment: datetime) -> int:
        found = await self._repository.find_first_since(self._narrow, moment)
        return AFTER_ALL if found is None else found


def find_fixed_anchor(params: ReadMessagesParams) -> int | None:
    """The anchor of a request if no message has to be searched for it, else None."""
    if named_anchor(params) in {FIRST_UNREAD, _DATE}:
        return None
    return read_anchor(params.anchor)


def named_anchor(params: ReadMessagesParams) -> str | None:
    return FIRST_UNREAD if params.use_first_unread_anchor else params.anchor


def read_anchor(anchor: str | None) -> int:
    """A named anchor or a number, limited to valid message ids."""
    if anchor is None:
        raise BadRequestError("Missing 'anchor' argument")
    if anchor in _NAMED:
        return _NAMED[anchor]
    try:
        number = int(anchor)
    except ValueError:
        raise BadRequestError("Invalid anchor") from None
    return min(max(number, BEFORE_ALL), AFTER_ALL)


def _read_date(text: str | None) -> datetime:
    if text is None:
        raise BadRequestError("Missing 'anchor_date' argument")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequestError("anchor_date is not a valid ISO 8601 date") from None
    # A moment without a time zone is in UTC.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
