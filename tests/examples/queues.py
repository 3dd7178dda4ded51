"""The server, logging in, and event queues."""

from tests.examples.stage import NEWER_FORMS, PASSWORD, Stage


async def tell_of_logging_in(stage: Stage) -> None:
    call = stage.recorder.call
    await call(None, "GET /server_settings")
    await call(None, "GET /health")
    await call(None, "GET /ready")
    await call(None, "POST /fetch_api_key", username="ada@example.com", password=PASSWORD)


async def tell_of_queues(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    queue = await call(
        ada,
        "POST /register",
        event_types=["message", "subscription", "realm_user"],
        apply_markdown=True,
        client_capabilities=NEWER_FORMS,
    )
    place = {"queue_id": queue["queue_id"], "last_event_id": queue["last_event_id"]}
    await call(
        stage.alan,
        "POST /messages",
        type="channel",
        to="general",
        topic="greetings",
        content="Good morning, @**Ada Lovelace**!",
    )
    await call(ada, "GET /events", **place)
    patient = stage.recorder.listeners[0]
    response = await patient.poll()
    stage.recorder.keep_events(response["events"])
    await call(ada, "DELETE /events", queue_id=queue["queue_id"])
