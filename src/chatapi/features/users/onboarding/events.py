"""Events about onboarding steps; delivered only to the clients of their user."""

from collections.abc import Iterable
from typing import Annotated, ClassVar

from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.events.cache_tags import NO_CACHE_TAGS, CacheTag, UserTag
from chatapi.events.event import Event, ServerOnly
from chatapi.features.users.onboarding.payloads import OnboardingStepPayload


class OnboardingStepsChanged(Event):
    """The reader has seen an introduction."""

    type = "onboarding_steps"
    cache_tags: ClassVar = NO_CACHE_TAGS

    user_id: Annotated[UserId, ServerOnly()]
    onboarding_steps: list[OnboardingStepPayload]
    """All that remain."""

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield UserTag(self.user_id)
