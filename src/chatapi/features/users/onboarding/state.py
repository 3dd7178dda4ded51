"""The onboarding part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.onboarding.payloads import OnboardingStepPayload
from chatapi.features.users.onboarding.rules import remaining_steps


class OnboardingState(TypedDict):
    """The introductions that the caller has not seen; there is no video."""

    onboarding_steps: list[OnboardingStepPayload]
    """The introductions that you have not seen yet."""
    navigation_tour_video_url: str | None
    """A video that introduces the client. Always null: there is none."""


@state_section("onboarding_steps")
async def load_onboarding_steps(ctx: Context, profile: ClientProfile) -> OnboardingState:
    del profile
    return {
        "onboarding_steps": remaining_steps(ctx.user.seen_onboarding_steps or []),
        "navigation_tour_video_url": None,
    }
