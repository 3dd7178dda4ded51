"""What one user keeps for themselves, and messages that are to come."""

from tests.examples.stage import Stage

MORNING = 4_102_473_600
"""8:00 UTC on the first day of the year 2100: not over yet when the example is tried."""


async def tell_of_typing(stage: Stage) -> None:
    call, ada, alan = stage.recorder.call, stage.ada, stage.alan
    place = {"message_id": stage.message_id}
    for op in ("start", "stop"):
        await call(alan, "POST /typing", op=op, type="direct", to=[ada.user_id])
        await call(ada, "POST /messages/{message_id}/typing", place, op=op)


async def tell_of_later(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    scheduled = await call(
        ada,
        "POST /scheduled_messages",
        type="channel",
        to=stage.channel_id,
        topic="greetings",
        content="Good morning",
        scheduled_delivery_timestamp=MORNING,
    )
    await call(ada, "GET /scheduled_messages")
    endpoint = "/scheduled_messages/{scheduled_message_id}"
    await call(ada, f"PATCH {endpoint}", scheduled, content="Good morning, everybody")
    await call(ada, f"DELETE {endpoint}", scheduled)
    reminder = await call(
        ada,
        "POST /reminders",
        message_id=stage.welcome_id,
        scheduled_delivery_timestamp=MORNING,
        note="Answer this",
    )
    await call(ada, "GET /reminders")
    await call(ada, "DELETE /reminders/{reminder_id}", reminder)


async def tell_of_personal(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    draft = {"type": "stream", "to": [stage.channel_id], "topic": "lunch", "content": "Soup?"}
    [draft_id] = (await call(ada, "POST /drafts", drafts=[draft]))["ids"]
    await call(ada, "GET /drafts")
    place = {"draft_id": draft_id}
    await call(ada, "PATCH /drafts/{draft_id}", place, draft={**draft, "content": "Salad?"})
    await call(ada, "DELETE /drafts/{draft_id}", place)
    snippet = await call(
        ada, "POST /saved_snippets", title="Welcome", content="Hello, and **welcome**!"
    )
    await call(ada, "GET /saved_snippets")
    await call(ada, "PATCH /saved_snippets/{saved_snippet_id}", snippet, title="Greeting")
    await call(ada, "DELETE /saved_snippets/{saved_snippet_id}", snippet)
    await call(ada, "POST /users/me/alert_words", alert_words=["lunch", "release"])
    await call(ada, "GET /users/me/alert_words")
    await call(ada, "DELETE /users/me/alert_words", alert_words=["lunch"])
    view = {"fragment": "narrow/is/alerted"}
    await call(ada, "POST /navigation_views", **view, is_pinned=True, name="Alert words")
    await call(ada, "GET /navigation_views")
    await call(ada, "PATCH /navigation_views/{fragment}", view, is_pinned=False)
    await call(ada, "DELETE /navigation_views/{fragment}", view)
    await call(ada, "PATCH /settings", timezone="Europe/London", twenty_four_hour_time=True)
    await call(ada, "PATCH /settings/notifications", enable_sounds=False)
