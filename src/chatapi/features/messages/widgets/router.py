"""POST /submessage."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.messages.widgets.params import SubmessageParams
from chatapi.features.messages.widgets.service import WidgetService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Widgets", "Polls, todo lists and forms in messages.")


@router.post("/submessage")
async def add_submessage(ctx: LoggedIn, params: SubmessageParams) -> None:
    """Do something with the widget of a message, such as voting.

    All users who can see the message can vote in a poll, and add and strike tasks of a todo list.
    Only its author can change the question and add options of a poll, or change the title of a todo
    list.
    """
    await WidgetService(ctx).add(params)
