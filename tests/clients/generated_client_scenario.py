# mypy: ignore-errors
"""What a program does with a client generated from the OpenAPI document.

Arguments: address, email, password. Run by test_generated_client.py, which type-checks it together
with the generated package `chat_client`, without the first line.
"""

import base64
import io
import sys

from chat_client import AuthenticatedClient, Client
from chat_client.api.accounts import fetch_api_key
from chat_client.api.event_queues import get_events, register_queue
from chat_client.api.files import upload_file
from chat_client.api.history import get_messages, get_messages_by_body
from chat_client.api.messages import send_message
from chat_client.api.subscriptions import subscribe
from chat_client.models import (
    BadEventQueueIdError,
    ChannelToJoin,
    EventsResponse,
    FetchApiKeyParams,
    LoginResponse,
    MessageEvent,
    MessagesResponse,
    ReadMessagesParams,
    RegisterParams,
    RegisterResponse,
    SendMessageParams,
    SendMessageParamsType,
    SentResponse,
    StreamDoesNotExistError,
    SubscribedResponse,
    SubscribeParams,
    TermObject,
    UnauthorizedError,
    UploadedResponse,
    UploadFileParams,
)
from chat_client.types import File


def log_in(url: str, email: str, password: str) -> AuthenticatedClient:
    body = FetchApiKeyParams(username=email, password=password)
    login = fetch_api_key.sync(client=Client(base_url=url), body=body)
    assert isinstance(login, LoginResponse), login
    return with_key(url, email, login.api_key)


def with_key(url: str, email: str, api_key: str) -> AuthenticatedClient:
    token = base64.b64encode(f"{email}:{api_key}".encode()).decode()
    return AuthenticatedClient(base_url=url, token=token, prefix="Basic")


def subscribe_two_channels_with_options(client: AuthenticatedClient) -> None:
    channels = [ChannelToJoin("plans", description="What comes next"), ChannelToJoin("news")]
    done = subscribe.sync(client=client, body=SubscribeParams(channels, invite_only=True))
    assert isinstance(done, SubscribedResponse), done
    assert {name for names in done.subscribed.to_dict().values() for name in names} == {
        "plans",
        "news",
    }


def register(client: AuthenticatedClient) -> RegisterResponse:
    body = RegisterParams(event_types=["message"], apply_markdown=True)
    queue = register_queue.sync(client=client, body=body)
    assert isinstance(queue, RegisterResponse), queue
    return queue


def send(client: AuthenticatedClient, channel: str, topic: str, content: str) -> int:
    body = SendMessageParams(SendMessageParamsType.CHANNEL, channel, content, topic=topic)
    sent = send_message.sync(client=client, body=body, idempotency_key=f"{topic} {content}")
    assert isinstance(sent, SentResponse), sent
    return sent.id


def receive_message(client: AuthenticatedClient, queue: RegisterResponse) -> MessageEvent:
    assert queue.queue_id is not None
    events = get_events.sync(
        client=client, queue_id=queue.queue_id, last_event_id=queue.last_event_id
    )
    assert isinstance(events, EventsResponse), events
    (event,) = events.events
    assert isinstance(event, MessageEvent), event
    return event


def read_with_narrow(client: AuthenticatedClient, channel: str, topic: str) -> list[int]:
    body = ReadMessagesParams(
        narrow=[["channel", channel], TermObject("topic", topic)],
        anchor="newest",
        num_before=10,
        num_after=0,
    )
    page = get_messages_by_body.sync(client=client, body=body)
    assert isinstance(page, MessagesResponse), page
    return [message.id for message in page.messages]


def read_page_by_page(client: AuthenticatedClient) -> list[int]:
    found: list[int] = []
    anchor = "newest"
    while True:
        page = get_messages.sync(
            client=client,
            anchor=anchor,
            include_anchor=not found,
            num_before=2,
            num_after=0,
        )
        assert isinstance(page, MessagesResponse), page
        found = [message.id for message in page.messages] + found
        if page.found_oldest:
            return found
        anchor = str(found[0])


def upload(client: AuthenticatedClient) -> str:
    file = File(io.BytesIO(b"Hello, world"), "hello.txt", "text/plain")
    uploaded = upload_file.sync(client=client, body=UploadFileParams(filename=file))
    assert isinstance(uploaded, UploadedResponse), uploaded
    return uploaded.filename


def decode_errors(client: AuthenticatedClient, url: str, email: str) -> None:
    body = SendMessageParams(SendMessageParamsType.CHANNEL, "nowhere", "Hello", topic="greetings")
    lost = send_message.sync(client=client, body=body)
    assert isinstance(lost, StreamDoesNotExistError), lost
    assert lost.stream == "nowhere"
    unknown = get_events.sync(client=client, queue_id="unknown")
    assert isinstance(unknown, BadEventQueueIdError), unknown
    assert unknown.queue_id == "unknown"
    stranger = with_key(url, email, "not the key")
    refused = get_messages.sync(client=stranger, anchor="newest", num_before=1, num_after=0)
    assert isinstance(refused, UnauthorizedError), refused
    assert refused.code == "UNAUTHORIZED"


def main(url: str, email: str, password: str) -> None:
    client = log_in(url, email, password)
    subscribe_two_channels_with_options(client)
    queue = register(client)
    first = send(client, "plans", "summer", "By **train**")
    event = receive_message(client, queue)
    assert event.message.id == first
    assert "<strong>train</strong>" in event.message.content
    others = [send(client, "news", "summer", f"Day {day}") for day in range(4)]
    assert read_with_narrow(client, "plans", "summer") == [first]
    assert read_page_by_page(client)[-5:] == [first, *others]
    assert upload(client) == "hello.txt"
    decode_errors(client, url, email)


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.write("done")
