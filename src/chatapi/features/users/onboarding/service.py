"""Use case: note that a user has seen an introduction."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.users.onboarding.events import OnboardingStepsChanged
from chatapi.features.users.onboarding.params import MarkStepParams
from chatapi.features.users.onboarding.rules import NEVER_SHOWN, STEPS, remaining_steps
from chatapi.features.users.repository import UserRepository


class OnboardingService:
    """The onboarding steps of a user."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def mark_as_seen(self, params: MarkStepParams) -> None:
        """POST /users/me/onboarding_steps."""
        if params.onboarding_step in NEVER_SHOWN:
            return
        if params.onboarding_step not in STEPS:
            raise BadRequestError(f"Unknown onboarding_step: {params.onboarding_step}")
        await self._ctx.lock()
        user = self._ctx.user
        seen = user.seen_onboarding_steps or []
        if params.onboarding_step in seen:
            return
        seen = [*seen, params.onboarding_step]
        users = UserRepository(self._ctx.db, self._ctx.realm.id)
        await users.change(user.id, seen_onboarding_steps=seen)
        self._ctx.emit_to_caller(
            OnboardingStepsChanged(user_id=user.id, onboarding_steps=remaining_steps(seen))
        )
