"""The onboarding steps that existing clients know; pure."""

from collections.abc import Sequence

from chatapi.features.users.onboarding.payloads import OnboardingStepPayload

STEPS = (
    "visibility_policy_banner",
    "intro_inbox_view_modal",
    "intro_recent_view_modal",
    "first_stream_created_banner",
    "jump_to_conversation_banner",
    "non_interleaved_view_messages_fading",
    "interleaved_view_messages_fading",
    "intro_resolve_topic",
)
NEVER_SHOWN = ("navigation_tour_video", "narrow_to_dm_with_welcome_bot_new_user")
"""Steps that this service does not have; clients that mark them as seen are not refused."""


def remaining_steps(seen: Sequence[str]) -> list[OnboardingStepPayload]:
    """The steps that a user has not seen yet."""
    return [{"type": "one_time_notice", "name": name} for name in STEPS if name not in seen]
