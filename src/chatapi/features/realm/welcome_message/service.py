"""Use case: try a welcome message."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.messages import send_direct_notice
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
        return {"message_id": await send_direct_notice(self._ctx, self._ctx.user, text)}
