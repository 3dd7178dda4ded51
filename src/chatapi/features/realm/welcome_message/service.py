"""Use case: try a welcome message."""

from chatapi.auth.context import Context
from chatapi.auth.notices import DirectNotice
from chatapi.core.errors import BadRequestError
from chatapi.features.realm.welcome_message.params import TryWelcomeMessageParams
from chatapi.features.realm.welcome_message.payloads import SentWelcomeMessagePayload


class WelcomeMessageService:
    """Sends welcome messages to the administrator who writes them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def try_out(self, params: TryWelcomeMessageParams) -> SentWelcomeMessagePayload:
        """POST /realm/test_welcome_bot_custom_message."""
        text = params.welcome_message_custom_text.strip()
        if not text:
            raise BadRequestError("welcome_message_custom_text cannot be empty")
        await self._ctx.lock()
        notice = DirectNotice(self._ctx.user.id, text)
        [message_id] = await self._ctx.runtime.post_notices(self._ctx, [notice])
        return {"message_id": message_id}
