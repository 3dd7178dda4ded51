"""Endpoints of playgrounds."""

from chatapi.auth.guards import Admin
from chatapi.core.ids import PlaygroundId
from chatapi.features.realm.playgrounds.params import AddPlaygroundParams
from chatapi.features.realm.playgrounds.payloads import CreatedPlaygroundPayload
from chatapi.features.realm.playgrounds.service import PlaygroundService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

router = FeatureRouter("Playgrounds", "Where clients run the code of code blocks.")


@router.post("/realm/playgrounds")
async def add_code_playground(ctx: Admin, params: AddPlaygroundParams) -> CreatedPlaygroundPayload:
    """Add a playground: clients offer to open code blocks of its language there."""
    return await PlaygroundService(ctx).add(params)


@router.delete("/realm/playgrounds/{playground_id:int}")
async def remove_code_playground(ctx: Admin, playground_id: Id) -> None:
    """Remove a playground."""
    await PlaygroundService(ctx).remove(PlaygroundId(playground_id))
