"""Parameters of onboarding steps."""

from typing import Annotated

from pydantic import Field

from chatapi.wire.params import Params


class MarkStepParams(Params):
    """POST /users/me/onboarding_steps."""

    onboarding_step: Annotated[str, Field(max_length=100)]
    """The introduction that was seen, by its `name` in `onboarding_steps`."""
