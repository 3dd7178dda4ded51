"""Endpoints of alert words."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.personal.alert_words.params import AlertWordsParams
from chatapi.features.personal.alert_words.payloads import AlertWordsPayload
from chatapi.features.personal.alert_words.service import AlertWordService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Alert words", "Words you want to be told about.")


@router.get("/users/me/alert_words")
async def get_alert_words(ctx: LoggedIn) -> AlertWordsPayload:
    """Get your alert words.

    Messages that contain one of them have the flag `has_alert_word` for you.
    """
    return await AlertWordService(ctx).list_own()


@router.post("/users/me/alert_words")
async def add_alert_words(ctx: LoggedIn, params: AlertWordsParams) -> AlertWordsPayload:
    """Add alert words.

    Messages that are sent to you from now on have the flag `has_alert_word` if they contain one of
    them, as a separate word, in any case.
    """
    return await AlertWordService(ctx).add(params)


@router.delete("/users/me/alert_words")
async def remove_alert_words(ctx: LoggedIn, params: AlertWordsParams) -> AlertWordsPayload:
    """Remove alert words.

    Words that are not among yours are ignored; flags of existing messages stay. Your clients
    receive an `alert_words` event.
    """
    return await AlertWordService(ctx).remove(params)
