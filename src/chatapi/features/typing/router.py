"""The endpoint of typing notifications."""

from chatapi.auth.guards import Caller
from chatapi.channels.errors import StreamIdDoesNotExistError
from chatapi.features.typing.params import TypingParams
from chatapi.features.typing.service import TypingService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Typing", "Show others that you are about to say something.")


@router.post("/typing", errors=[StreamIdDoesNotExistError])
async def set_typing_status(ctx: Caller, params: TypingParams) -> None:
    """Tell others that you are typing, or no longer.

    Send `start` again and again while typing, and `stop` when done; `POST /register` tells how
    often. People are told who have a client open at the moment, in channels only up to a hundred
    subscribers and clients with the capability `stream_typing_notifications`.
    """
    await TypingService(ctx).notify(params)
