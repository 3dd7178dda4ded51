"""Sending, reading, editing, marking and deleting messages."""

from tests.examples.stage import Stage


async def tell_of_messages(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    message = {"type": "channel", "to": "general", "topic": "greetings"}
    sent = await call(ada, "POST /messages", **message, content="Hello **world**")
    stage.message_id = sent["id"]
    place = {"message_id": stage.message_id}
    welcome = {"message_id": stage.welcome_id}
    await call(alan, "POST /messages/{message_id}/reactions", welcome, emoji_name="octopus")
    await call(alan, "DELETE /messages/{message_id}/reactions", welcome, emoji_name="octopus")
    await call(alan, "POST /messages/{message_id}/reactions", welcome, emoji_name="octopus")
    await call(
        ada, "PATCH /messages/{message_id}", place, content="Hello **everybody**, and welcome!"
    )
    await call(ada, "GET /messages/{message_id}/history", place)
    await call(ada, "POST /messages/render", content="Hello **world**")
    poll = await call(alan, "POST /messages", **message, content="/poll Lunch?\nSoup\nSalad")
    vote = '{"type": "vote", "key": "canned,0", "vote": 1}'
    await call(ada, "POST /submessage", message_id=poll["id"], msg_type="widget", content=vote)


async def tell_of_reading(stage: Stage) -> None:
    call, alan = stage.recorder.call, stage.alan
    welcome = {"message_id": stage.welcome_id}
    around = {"anchor": "newest", "num_before": 2, "num_after": 0}
    narrow = [{"operator": "channel", "operand": "general"}]
    found = [{"operator": "search", "operand": "welcome"}]
    await call(alan, "GET /messages", **around, narrow=narrow)
    await call(alan, "POST /messages/query", **around, narrow=found)
    asked = {"msg_ids": [stage.welcome_id], "narrow": found}
    await call(alan, "GET /messages/matches_narrow", **asked)
    await call(alan, "POST /messages/matches_narrow/query", **asked)
    await call(alan, "GET /messages/{message_id}", welcome)
    await call(alan, "POST /messages/flags", messages=[stage.welcome_id], op="add", flag="read")
    await call(alan, "POST /messages/flags", messages=[stage.message_id], op="add", flag="read")
    await call(alan, "POST /messages/flags", messages=[stage.message_id], op="remove", flag="read")
    await call(
        alan,
        "POST /messages/flags/narrow",
        anchor="oldest",
        num_before=0,
        num_after=100,
        narrow=narrow,
        op="add",
        flag="read",
    )
    await call(stage.ada, "GET /messages/{message_id}/read_receipts", welcome)
    await call(alan, "GET /users/me/{stream_id}/topics", {"stream_id": stage.channel_id})
    topic = {"stream_id": stage.channel_id, "topic_name": "greetings"}
    await call(alan, "POST /mark_topic_as_read", **topic)
    await call(alan, "POST /mark_stream_as_read", stream_id=stage.channel_id)
    await call(alan, "POST /mark_all_as_read")
    policy = {"stream_id": stage.channel_id, "topic": "greetings"}
    await call(stage.ada, "POST /user_topics", **policy, visibility_policy=3)
    await call(stage.ada, "PATCH /users/me/subscriptions/muted_topics", **policy, op="add")


async def tell_of_removing(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    place = {"message_id": stage.message_id}
    reports = await call(
        ada, "POST /channels/create", name="reports", subscribers=[ada.user_id], invite_only=True
    )
    await call(ada, "PATCH /realm", moderation_request_channel_id=reports["id"])
    await call(
        stage.alan,
        "POST /messages/{message_id}/report",
        place,
        report_type="spam",
        description="The same as yesterday.",
    )
    await call(ada, "DELETE /messages/{message_id}", place)
    await call(
        ada,
        "POST /streams/{stream_id}/delete_topic",
        {"stream_id": stage.channel_id},
        topic_name="greetings",
    )
