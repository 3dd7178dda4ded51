"""The alert words part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.personal.alert_words.payloads import AlertWordsPayload
from chatapi.features.personal.alert_words.service import AlertWordService
from chatapi.features.state import state_section


@state_section("alert_words")
async def load_alert_words(ctx: Context, profile: ClientProfile) -> AlertWordsPayload:
    del profile
    return await AlertWordService(ctx).list_own()
