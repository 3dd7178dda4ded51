"""Payloads of onboarding steps."""

from typing_extensions import TypedDict


class OnboardingStepPayload(TypedDict):
    """An introduction that the caller has not seen yet."""

    type: str
    """How it is shown; `one_time_notice` for all."""
    name: str
    """Which introduction it is."""
