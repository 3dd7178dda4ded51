"""Endpoints of alert words."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.alert_words import state  # noqa: F401 (adds its section to POST /register)
from chatapi.features.alert_words.params import AlertWordsParams
from chatapi.features.alert_words.payloads import AlertWordsPayload
from chatapi.features.alert_words.service import AlertWordService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Alert words", "Words you want to be told about.")


@router.get("/users/me/alert_words")
async def get_alert_words(ctx: LoggedIn) -> AlertWordsPayload:
    """Get the words you watch for."""
    return await AlertWordService(ctx).list_own()


@router.post("/users/me/alert_words")
async def add_alert_words(ctx: LoggedIn, params: AlertWordsParams) -> AlertWordsPayload:
    """Watch for further words.

    Messages that are sent to you from now on have the flag `has_alert_word` where one occurs, as
    a word of its own and in capitals or not.
    """
    return await AlertWordService(ctx).add(params)


@router.delete("/users/me/alert_words")
async def remove_alert_words(ctx: LoggedIn, params: AlertWordsParams) -> AlertWordsPayload:
    """Watch for some words no longer."""
    return await AlertWordService(ctx).remove(params)
