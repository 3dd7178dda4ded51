"""For every endpoint, requests whose parameters are as large and as hostile as its limits allow.

A request begins as one that succeeds: the permission matrix knows one for each endpoint. Then its
parameters are replaced, one at a time and all together, by the largest valid values of a large
organization, and texts by such as are slow to work on. A new endpoint is covered by its row of
the matrix; a parameter that names people, channels or messages is covered if it has a usual name.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import count
from typing import Any

from PIL import Image

from chatapi.http.route import ChatRoute
from tests.contract.permission_world import Prepared, nothing
from tests.contract.test_permission_matrix import PREPARATIONS, endpoint_of
from tests.factories import Person
from tests.security.large_organization import MAX_TEXT_LENGTH, LargeOrganization
from tests.security.requests import Request
from tests.support.client import encode_form
from tests.support.responses import assert_success
from tests.support.routes import example_of

_numbers = count(1)
_muted, _to_mute = count(1), count(1)

Value = Callable[[LargeOrganization], object]


def _text(part: str) -> str:
    return (part * MAX_TEXT_LENGTH)[:MAX_TEXT_LENGTH]


HOSTILE_TEXTS = (
    _text("*a "),
    _text("😀"),
    _text("[a](b) "),
    _text("abx1 "),
    _text("@**all** "),
    _text("#**general** "),
)
"""Emphasis, four bytes each, links, words of linkifiers, mentions, names of channels."""


def _ids(items: list[Any], most: int) -> list[int]:
    return [int(item) for item in items[:most]]


def _unnamed_group(org: LargeOrganization) -> dict[str, object]:
    members = {"direct_members": _ids(org.people, 10_000), "direct_subgroups": org.group_ids}
    return {"new": members}


def _drafts(org: LargeOrganization) -> list[dict[str, object]]:
    return [_draft(org)] * 9


def _draft(org: LargeOrganization) -> dict[str, object]:
    return {
        "type": "private",
        "to": _ids(org.people, 1_000),
        "topic": _text("a"),
        "content": HOSTILE_TEXTS[0],
        "timestamp": 1,
    }


def _profile(org: LargeOrganization) -> list[dict[str, object]]:
    return [{"id": field_id, "value": HOSTILE_TEXTS[0][:500]} for field_id in org.field_ids]


def _new_channels(_: LargeOrganization) -> list[dict[str, object]]:
    return [
        {"name": f"new {next(_numbers)}".ljust(50, "x"), "description": "*a " * 30}
        for _ in range(100)
    ]


def _narrow(org: LargeOrganization) -> list[list[object]]:
    words = " ".join(f"cat{n}" for n in range(8))
    searches: list[list[object]] = [["search", "cat"], ["search", f"-{words}"]]
    return [*searches, ["dm-including", _ids(org.people, 50)], ["sender", org.hoarder.user_id]]


VALUES: Mapping[str, Value] = {
    "principals": lambda org: _ids(org.people, 100),
    "subscriptions": _new_channels,
    "add": lambda org: _ids(org.people, 10_000),
    "delete": lambda org: _ids(org.people, 10_000),
    "members": lambda org: _ids(org.people, 10_000),
    "subgroups": lambda org: org.group_ids,
    "add_subgroups": lambda org: org.group_ids,
    "delete_subgroups": lambda org: org.group_ids,
    "subscribers": lambda org: _ids(org.people, 10_000),
    "user_ids": lambda org: _ids(org.people, 5_000),
    "to": lambda org: _ids(org.people, 999),
    "messages": lambda org: _ids([*org.long_messages, *org.short_messages], 20_000),
    "msg_ids": lambda org: _ids(org.short_messages, 1_000),
    "message_ids": lambda org: _ids(org.short_messages, 1_000),
    "narrow": _narrow,
    "num_before": lambda _: 2_500,
    "num_after": lambda _: 2_500,
    "anchor": lambda org: org.short_messages[0],
    "queue_id": lambda org: org.queue_id,
    "data": _profile,
    "profile_data": _profile,
    "subscription_data": lambda org: [
        {"stream_id": channel_id, "property": "pin_to_top", "value": True}
        for channel_id in org.channel_ids[:1_000]
    ],
    "drafts": _drafts,
    "draft": _draft,
    "alert_words": lambda _: [f"{next(_numbers)}".ljust(100, "w") for _ in range(10)],
    "include_subscribers": lambda _: True,
    "include_custom_profile_fields": lambda _: True,
    "history_limit_days": lambda _: 100_000,
    "last_update_id": lambda _: -1,
}
"""The largest valid value of a parameter, by its name, whatever endpoint it belongs to."""

_PAGE: Mapping[str, dict[str, object]] = {
    "GET /messages": {
        "anchor": "newest",
        "num_before": 5_000,
        "num_after": 0,
        "narrow": [["channel", "general"]],
    },
    "GET /events": {"last_event_id": -1, "dont_block": True},
}
"""Parameters that a read needs beside its examples to return much."""

LARGE_PLACES: Mapping[str, Value] = {
    "stream_id": lambda org: org.channel.id,
    "message_id": lambda org: org.edited_message,
    "user_group_id": lambda org: org.group_ids[0],
    "user_id": lambda org: org.hoarder.user_id,
    "user_id_or_email": lambda org: org.hoarder.user_id,
}
"""The ids for path parameters of reads, by the name of the parameter."""


MakeRequest = Callable[[], Awaitable[Request]]
"""Makes a request with everything it needs; what it makes the second time is new again."""


def hostile_requests(
    org: LargeOrganization, route: ChatRoute, *, is_thorough: bool
) -> list[MakeRequest]:
    """Requests to one endpoint: a plain one that succeeds, and the largest; or all there are."""
    changes = _changes(org, route)
    if not is_thorough:
        changes = changes[:1] + changes[-1:]
    requests: list[MakeRequest] = [partial(_prepared, org, route, change) for change in changes]
    if route.method == "GET":
        readers: list[Person | None] = [org.hoarder]
        if route.operation.guard.credentials == "optional":
            readers.append(None)
        requests += [
            partial(_read, org, route, reader, change) for reader in readers for change in changes
        ]
    return requests


def _changes(org: LargeOrganization, route: ChatRoute) -> list[Callable[[], dict[str, object]]]:
    """Nothing, each parameter by itself, and all together that have a large valid value."""
    fields = route.operation.params.model_json_schema().get("properties", {})
    large = [name for name in fields if name in VALUES]
    texts = [
        {name: text[:longest]}
        for name, described in fields.items()
        if name not in VALUES and (longest := _longest_text(described))
        for text in (HOSTILE_TEXTS if longest >= MAX_TEXT_LENGTH else HOSTILE_TEXTS[:2])
    ]

    def values_of(names: Sequence[str]) -> dict[str, object]:
        return {name: VALUES[name](org) for name in names}

    singles = [[name] for name in large] if len(large) > 1 else []
    return [
        partial(values_of, []),
        *(partial(dict[str, object], text) for text in texts),
        *(partial(values_of, names) for names in (*singles, large)),
    ]


def _longest_text(described: dict[str, Any]) -> int:
    members = [described, *described.get("anyOf", ())]
    longest = [each.get("maxLength", 0) for each in members if each.get("type") == "string"]
    return max(longest, default=0)


async def _prepared(
    org: LargeOrganization, route: ChatRoute, change: Callable[[], dict[str, object]]
) -> Request:
    endpoint = endpoint_of(route)
    caller = await org.world.make_user() if endpoint in ENDS_ACCOUNT else org.hoarder
    if endpoint in _OWN_PREPARATIONS:
        prepared = await _OWN_PREPARATIONS[endpoint](org)
    else:
        prepared = await PREPARATIONS.get(endpoint, nothing)(org.world, caller)
    return Request(
        route.method,
        _path(route, prepared.places),
        caller,
        {**example_of(route), **encode_form(prepared.values), **change()},
        prefix="",
        file=_FILES[endpoint]() if endpoint in _FILES else None,
    )


async def _a_queue(org: LargeOrganization) -> Prepared:
    """Without the state, which a test's client would hold against the document for a minute."""
    wanted: dict[str, object] = {"fetch_event_types": [], "event_types": ["message"]}
    queue = assert_success(await org.world.client.post("/register", org.hoarder, **wanted))
    last = {"queue_id": queue["queue_id"], "last_event_id": -1, "dont_block": True}
    return Prepared(values=last)


async def _somebody_to_mute(org: LargeOrganization) -> Prepared:
    return Prepared(places={"muted_user_id": org.people[-next(_to_mute)]})


async def _a_muted_user(org: LargeOrganization) -> Prepared:
    return Prepared(places={"muted_user_id": org.people[next(_muted)]})


_OWN_PREPARATIONS: Mapping[str, Callable[[LargeOrganization], Awaitable[Prepared]]] = {
    "GET /events": _a_queue,
    "DELETE /events": _a_queue,
    "POST /users/me/muted_users/{muted_user_id}": _somebody_to_mute,
    "DELETE /users/me/muted_users/{muted_user_id}": _a_muted_user,
}
"""Replaces preparations of the matrix that take too long or would act on the hoarder."""


def _picture() -> bytes:
    """As many points as are taken."""
    content = BytesIO()
    Image.effect_noise((1_024, 1_024), 100).save(content, "PNG")
    return content.getvalue()


_FILES: Mapping[str, Callable[[], bytes]] = {
    "POST /user_uploads": lambda: b"\r\n--" * 1_000_000,
    "POST /realm/emoji/{emoji_name}": _picture,
    "POST /realm/icon": _picture,
    "POST /realm/logo": _picture,
    "POST /users/me/avatar": _picture,
}
"""What is uploaded; an endpoint that takes a file needs one here."""

ENDS_ACCOUNT = {
    "DELETE /users/me",
    "POST /users/me/api_key/regenerate",
    "DELETE /users/me/api_keys/{key_id}",
}
"""Called by a user who is not needed afterwards."""


async def _read(
    org: LargeOrganization,
    route: ChatRoute,
    reader: Person | None,
    change: Callable[[], dict[str, object]],
) -> Request:
    places = {name: value(org) for name, value in LARGE_PLACES.items()}
    values = {**example_of(route), **_PAGE.get(endpoint_of(route), {}), **change()}
    return Request(route.method, _path(route, places), reader, values, prefix="")


def _path(route: ChatRoute, places: Mapping[str, object]) -> str:
    return route.path_format.format_map(_Places(places))


class _Places(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "1"
