"""Use cases: read, add and remove alert words."""

from collections.abc import Mapping

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.personal.alert_words.events import AlertWordsChanged
from chatapi.features.personal.alert_words.params import MAX_WORDS, AlertWordsParams
from chatapi.features.personal.alert_words.payloads import AlertWordsPayload
from chatapi.features.personal.alert_words.repository import AlertWordRepository


class AlertWordService:
    """A user's alert words; messages that were sent before a change are not checked again."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = AlertWordRepository(ctx.db, ctx.realm.id)

    async def list_own(self) -> AlertWordsPayload:
        """GET /users/me/alert_words."""
        return _payload(await self._repository.list_of(self._ctx.user.id))

    async def add(self, params: AlertWordsParams) -> AlertWordsPayload:
        """POST /users/me/alert_words: existing words keep their spelling."""
        await self._ctx.lock()
        known = await self._repository.list_of(self._ctx.user.id)
        new = {key: word for key, word in _read(params).items() if key not in known}
        if len(known) + len(new) > MAX_WORDS:
            raise BadRequestError(f"Too many alert words (maximum {MAX_WORDS})")
        if new:
            await self._repository.add(self._ctx.user.id, new)
            self._emit({**known, **new})
        return _payload({**known, **new})

    async def remove(self, params: AlertWordsParams) -> AlertWordsPayload:
        """DELETE /users/me/alert_words: words that are not in the list are no error."""
        await self._ctx.lock()
        known = await self._repository.list_of(self._ctx.user.id)
        gone = known.keys() & _read(params).keys()
        left = {key: word for key, word in known.items() if key not in gone}
        if gone:
            await self._repository.remove(self._ctx.user.id, gone)
            self._emit(left)
        return _payload(left)

    def _emit(self, words: Mapping[str, str]) -> None:
        self._ctx.emit_to_caller(AlertWordsChanged(alert_words=_sorted(words)))


def _read(params: AlertWordsParams) -> dict[str, str]:
    """Words keyed by their normalized form, without surrounding blanks."""
    words = [" ".join(word.split()) for word in params.alert_words]
    return {word.lower(): word for word in reversed(words) if word}


def _sorted(words: Mapping[str, str]) -> list[str]:
    return [word for _key, word in sorted(words.items())]


def _payload(words: Mapping[str, str]) -> AlertWordsPayload:
    return {"alert_words": _sorted(words)}
