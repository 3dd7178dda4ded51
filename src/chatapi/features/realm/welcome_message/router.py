"""Endpoint of the welcome message."""

from chatapi.auth.guards import Admin
from chatapi.features.realm.welcome_message.params import TryWelcomeMessageParams
from chatapi.features.realm.welcome_message.payloads import SentWelcomeMessagePayload
from chatapi.features.realm.welcome_message.service import WelcomeMessageService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Welcome message", "What the organization tells new users.")


@router.post("/realm/test_welcome_bot_custom_message")
async def test_welcome_bot_custom_message(
    ctx: Admin, params: TryWelcomeMessageParams
) -> SentWelcomeMessagePayload:
    """Send a welcome message to yourself.

    For administrators who want to see how a text looks before they make it the
    `welcome_message_custom_text` of the organization. The text is not stored.
    """
    return await WelcomeMessageService(ctx).try_out(params)
