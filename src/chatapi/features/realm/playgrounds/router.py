"""Endpoints of playgrounds."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin
from chatapi.core.ids import PlaygroundId
from chatapi.features.realm.playgrounds.params import AddPlaygroundParams
from chatapi.features.realm.playgrounds.payloads import CreatedPlaygroundPayload
from chatapi.features.realm.playgrounds.service import PlaygroundService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

PlaygroundInPath = Annotated[
    Id, Field(description="The playground, by its `id` in `realm_playgrounds`.")
]

router = FeatureRouter("Playgrounds", "Where clients run the code of code blocks.")


@router.post("/realm/playgrounds")
async def add_code_playground(ctx: Admin, params: AddPlaygroundParams) -> CreatedPlaygroundPayload:
    """Add a playground.

    For administrators. Clients offer to open code blocks of its language there. An organization can
    have 100. Clients receive a `realm_playgrounds` event.
    """
    return await PlaygroundService(ctx).add(params)


@router.delete("/realm/playgrounds/{playground_id:int}")
async def remove_code_playground(ctx: Admin, playground_id: PlaygroundInPath) -> None:
    """Remove a playground.

    For administrators. Clients receive a `realm_playgrounds` event.
    """
    await PlaygroundService(ctx).remove(PlaygroundId(playground_id))
