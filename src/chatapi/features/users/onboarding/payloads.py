"""Payloads of onboarding steps."""

from typing_extensions import TypedDict


class OnboardingStepPayload(TypedDict):
    """An introduction that the caller has not seen yet."""

    type: str
    name: str
