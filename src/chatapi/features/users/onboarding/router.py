"""Endpoint of onboarding steps."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.users.onboarding.params import MarkStepParams
from chatapi.features.users.onboarding.service import OnboardingService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Onboarding", "Introductions that clients show once.")


@router.post("/users/me/onboarding_steps")
async def mark_onboarding_step_as_read(ctx: LoggedIn, params: MarkStepParams) -> None:
    """Mark an introduction as seen.

    No client of yours shows it again. Your clients receive an `onboarding_steps` event with those
    that remain.
    """
    await OnboardingService(ctx).mark_as_seen(params)
