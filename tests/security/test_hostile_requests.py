"""Requests that are large or made up to be slow: none of them holds up the others.

Measured is the CPU time of one step of the event loop: all other requests wait that long.
"""

import gc
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from chatapi.core.errors import BadRequestError
from chatapi.http.route import ChatRoute
from chatapi.wire.params import Params
from tests.factories import Person
from tests.security.loop_watch import assert_short_steps, is_short_step
from tests.support.client import ApiClient, basic_auth, encode_form
from tests.support.routes import ROUTES, example_of, natural_example_of

pytestmark = pytest.mark.slow

ATTEMPTS = 6
"""A busy machine is slow now and then, but not six times in a row."""
MAX_MESSAGE_LENGTH = 300
SIZE = 2 * 1024 * 1024 - 100
URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
WITH_LISTS = [
    route
    for route in ROUTES
    if '"array"' in orjson.dumps(route.operation.params.model_json_schema()).decode()
]
SOMETHING: defaultdict[str, str] = defaultdict(lambda: "1")


def repeated(part: str, size: int = SIZE) -> str:
    return part * (size // len(part))


JSON_SHAPES = {
    "opening brackets": repeated("["),
    "opening braces": repeated('{"a":'),
    "empty lists": f"[{repeated('[],')}[]]",
    "empty objects": f"[{repeated('{},')}{{}}]",
    "as many lists as are read": f"[{'[],' * 59_000}[]]",
    "as many objects as are read": f"[{'{},' * 59_000}{{}}]",
    "as many strings as are read": "[" + '"a",' * 119_000 + '"a"]',
    "as many numbers as are read": f"[{'1,' * 119_000}1]",
    "nulls": f"[{'null,' * 49_999}null]",
    "many keys": "{" + ",".join(f'"a{number}":1' for number in range(170_000)) + "}",
    "as many keys as are read": "{" + ",".join(f'"a{number}":1' for number in range(59_000)) + "}",
    "deep objects": '{"a":' * 90 + "1" + "}" * 90,
    "many deep lists": "[" + ",".join(["[" * 40 + "]" * 40] * 1_400) + "]",
    "escaped NULs": f'"{repeated(chr(92) + "u0000")}"',
    "what looks like escaped NULs": f'"{repeated(chr(92) * 2 + "u0000")}"',
    "escapes": f'"{repeated(chr(92) + "u00e9")}"',
    "backslashes": f'"{repeated(chr(92) * 2)}"',
    "numbers": f"[{repeated('1,')}1]",
    "a huge integer": repeated("9"),
    "a long fraction": f"0.{repeated('1')}",
    "quotation marks": repeated('"'),
    "commas in a string": f'"{repeated(",")}"',
    "blanks": repeated(" "),
    "a long key": '{"' + repeated("a") + '": 1}',
}


class TestBodies:
    """Reading any body takes many short steps."""

    @pytest.fixture(params=["sqlite"])
    def backend(self, request: pytest.FixtureRequest) -> str:
        """These checks do not depend on the kind of database."""
        return str(request.param)

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b"%" * SIZE, id="percent signs"),
            pytest.param(b"%zz" * (SIZE // 3), id="no escapes"),
            pytest.param(b"%41" * (SIZE // 3), id="escapes"),
            pytest.param(b"a=" + b"%41=" * (SIZE // 4), id="escapes and equals signs"),
            pytest.param(b"a=%41" + b"=" * (SIZE - 5), id="equals signs"),
            pytest.param(b"+" * SIZE, id="plus signs"),
            pytest.param(b"&" * SIZE, id="ampersands"),
            pytest.param(b"a=" + b"\xff" * (SIZE - 2), id="invalid UTF-8"),
            pytest.param(b"a=" + b"%ff" * (SIZE // 3), id="escaped invalid UTF-8"),
            pytest.param(b"a=" + "😀".encode() * (SIZE // 4), id="emoji"),
            pytest.param(
                b"&".join(b"a%d=" % number + b"%41" * 690 for number in range(1_000)),
                id="a thousand fields of escapes",
            ),
            pytest.param(
                b"&".join(b"a%d=" % number + b"%" * 2_000 for number in range(1_000)),
                id="a thousand fields of percent signs",
            ),
        ],
    )
    async def test_urlencoded(self, client: ApiClient, member: Person, body: bytes) -> None:
        async def post() -> None:
            answer = await client.call("POST", "/drafts", member, content=body, headers=URLENCODED)
            assert answer.status == 400

        await assert_short_steps(post)

    @pytest.mark.parametrize("path", ["/drafts", "/user_uploads"])
    @pytest.mark.parametrize(
        ("part", "count"),
        [
            pytest.param(b"a", 1_000, id="a thousand parts"),
            pytest.param(b"a" * 2_000, 1_000, id="a thousand large parts"),
            pytest.param(b"a", 20_000, id="too many parts"),
            pytest.param(b"\r" * (SIZE - 200), 1, id="carriage returns"),
            pytest.param(b"\r\n--" * (SIZE // 4 - 50), 1, id="half boundaries"),
            pytest.param(b"\xff" * (SIZE - 200), 1, id="invalid UTF-8"),
        ],
    )
    async def test_multipart(
        self,
        client: ApiClient,
        member: Person,
        path: str,
        part: bytes,
        count: int,
    ) -> None:
        head = b'--b\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n'
        content = b"".join(head % number + part + b"\r\n" for number in range(count)) + b"--b--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=b"}

        async def post() -> None:
            answer = await client.call("POST", path, member, content=content, headers=headers)
            assert answer.status == 400

        await assert_short_steps(post)

    @pytest.mark.parametrize("shape", JSON_SHAPES)
    @pytest.mark.parametrize("name", ["drafts", "unknown"])
    async def test_json(self, client: ApiClient, member: Person, name: str, shape: str) -> None:
        body = f'{{"{name}": {JSON_SHAPES[shape]}}}'.encode()

        async def post() -> None:
            answer = await client.call("POST", "/drafts", member, content=body, headers=JSON)
            assert answer.status == 400
            assert len(answer["msg"]) < MAX_MESSAGE_LENGTH

        await assert_short_steps(post)

    @pytest.mark.parametrize("shape", JSON_SHAPES)
    async def test_json_that_is_no_object(
        self, client: ApiClient, member: Person, shape: str
    ) -> None:
        body = JSON_SHAPES[shape].encode()

        async def post() -> None:
            answer = await client.call("POST", "/drafts", member, content=body, headers=JSON)
            assert answer.status == 400

        await assert_short_steps(post)

    async def test_json_login(self, client: ApiClient, member: Person) -> None:
        async def post() -> None:
            body = JSON_SHAPES["empty lists"].encode()
            answer = await client.call("POST", "/fetch_api_key", content=body, headers=JSON)
            assert answer.status == 413

        await assert_short_steps(post)

    async def test_login(self, client: ApiClient, member: Person) -> None:
        async def post() -> None:
            body = b"%" * SIZE
            answer = await client.call("POST", "/fetch_api_key", content=body, headers=URLENCODED)
            assert answer.status == 413

        await assert_short_steps(post)


def parameters() -> Iterator[Any]:
    """One parameter of each type that some endpoint reads as JSON."""
    known = set()
    for route in ROUTES:
        params = route.operation.params
        for name, decoder in params.decoders.items():
            field = params.model_fields[decoder.name]
            kind = repr((field.annotation, field.metadata))
            if decoder.is_json and kind not in known:
                known.add(kind)
                yield pytest.param(params, name, id=f"{params.__name__} {name}")


@pytest.mark.parametrize(("params", "name"), list(parameters()))
def test_no_json_parameter_takes_long_to_refuse(params: type[Params], name: str) -> None:
    for shape, text in JSON_SHAPES.items():
        message = result_of_short_work(partial(refusal, params, {name: text}), shape)
        assert message is None or len(message) < MAX_MESSAGE_LENGTH, shape


def result_of_short_work(act: Callable[[], str | None], label: str) -> str | None:
    """What came out, after asserting that it takes no longer than a step may take.

    The collection of garbage of other tests does not count.
    """
    for _ in range(ATTEMPTS):
        gc.disable()
        begun = time.thread_time()
        outcome = act()
        seconds = time.thread_time() - begun
        gc.enable()
        if is_short_step(seconds):
            return outcome
    raise AssertionError(f"{label} takes longer than a step may take")


def refusal(params: type[Params], values: dict[str, str]) -> str | None:
    try:
        params.read(values)
    except BadRequestError as error:
        return error.msg
    return None


class TestLargestRequests:
    """The largest accepted requests block the loop as little as refused ones."""

    @pytest.mark.parametrize("count", [10_000, 50_000], ids=["as many as are read", "too many"])
    @pytest.mark.parametrize("kind", ["ids", "emails"])
    async def test_unknown_users(
        self, client: ApiClient, owner: Person, kind: str, count: int
    ) -> None:
        people = [
            number if kind == "ids" else f"{number}@example.com"
            for number in range(1_000, 1_000 + count)
        ]
        values = {"subscriptions": "[]", "principals": orjson.dumps(people).decode()}
        content = urlencode(values).encode()

        async def send() -> None:
            answer = await client.call(
                "DELETE", "/users/me/subscriptions", owner, content=content, headers=URLENCODED
            )
            assert answer.status == 400
            assert str(people[0]) in answer["msg"] or "principals" in answer["msg"]

        await assert_short_steps(send)

    @pytest.mark.parametrize(
        "route",
        [pytest.param(route, id=f"{route.method} {route.path}") for route in WITH_LISTS],
    )
    async def test_every_list_as_long_as_it_may_be(
        self, client: ApiClient, owner: Person, route: ChatRoute
    ) -> None:
        # A server reads no more than 64 KiB of an address.
        most = 5_000 if route.method == "GET" else 50_000
        values = encode_form({**example_of(route), **largest_values(route.operation.params, most)})
        path = route.path_format.format_map(SOMETHING)
        # Encoded here, since the client's work is not what is measured.
        request: dict[str, Any] = {"auth": basic_auth(owner), "headers": URLENCODED}
        if route.method == "GET":
            request["params"] = values
        else:
            request["content"] = urlencode(values).encode()

        async def send() -> None:
            response = await client.http.request(route.method, path, **request)
            assert response.status_code < 500, response.text

        await assert_short_steps(send)

    @pytest.mark.parametrize(
        "route",
        [
            pytest.param(route, id=f"{route.method} {route.path}")
            for route in WITH_LISTS
            if route.method != "GET"
        ],
    )
    async def test_every_list_of_a_json_body_as_long_as_it_may_be(
        self, client: ApiClient, owner: Person, route: ChatRoute
    ) -> None:
        largest = largest_values(route.operation.params, 50_000)
        content = orjson.dumps({**natural_example_of(route), **largest})
        path = route.path_format.format_map(SOMETHING)

        async def send() -> None:
            response = await client.http.request(
                route.method, path, auth=basic_auth(owner), content=content, headers=JSON
            )
            assert response.status_code < 500, response.text

        await assert_short_steps(send)


def largest_values(params: type[Params], most: int) -> dict[str, object]:
    """Every list of a request as long as it may be, others short."""
    schema = params.model_json_schema()
    lists = {
        name: largest(described, schema.get("$defs", {}), most)
        for name, described in schema["properties"].items()
    }
    return {name: value for name, value in lists.items() if isinstance(value, list | dict)}


def largest(described: dict[str, Any], models: dict[str, Any], most: int) -> object:
    if "$ref" in described:
        return largest(models[described["$ref"].rpartition("/")[2]], models, most)
    if "anyOf" in described:
        members = [largest(member, models, most) for member in described["anyOf"]]
        return next((each for each in members if isinstance(each, list | dict)), members[0])
    if described.get("type") == "array":
        count = min(described["maxItems"], most)
        return [numbered(described["items"], models, number) for number in range(1, count + 1)]
    return small(described, models, most)


def numbered(described: dict[str, Any], models: dict[str, Any], number: int) -> object:
    """An item of a list that differs from the others."""
    item = largest(described, models, 1)
    if isinstance(item, int) and not isinstance(item, bool):
        return number
    if isinstance(item, dict) and "name" in item:
        return {**item, "name": str(number)}
    return f"{number}@example.com" if item == "" else item


def small(described: dict[str, Any], models: dict[str, Any], most: int) -> object:
    if "properties" in described:
        members = described["properties"].items()
        return {name: largest(member, models, most) for name, member in members}
    if "enum" in described or "const" in described:
        return described.get("const", described.get("enum", [None])[0])
    kinds: dict[str, object] = {"integer": 1, "string": "", "boolean": False}
    return kinds.get(described.get("type", ""))


class TestDeclaredLimits:
    """Limits are declared with the parameter, so that none is forgotten."""

    @pytest.mark.parametrize(
        "params",
        [
            pytest.param(params, id=params.__name__)
            for params in dict.fromkeys(route.operation.params for route in ROUTES)
        ],
    )
    def test_every_text_list_and_dict_of_a_parameter_has_a_limit(
        self, params: type[Params]
    ) -> None:
        schema = params.model_json_schema()
        assert list(unlimited(schema, schema.get("title", ""))) == []


LIMITS = {
    "array": {"maxItems"},
    "string": {"maxLength", "enum", "const", "format"},
    "object": {"properties", "maxProperties"},
}


def unlimited(described: Any, place: str) -> Iterator[str]:
    """Places of a JSON schema without a limit of length."""
    if isinstance(described, list):
        for member in described:
            yield from unlimited(member, place)
    if not isinstance(described, dict):
        return
    wanted = LIMITS.get(described.get("type", ""))
    if wanted is not None and not wanted & described.keys():
        yield place
    for name in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
        yield from unlimited(described.get(name), place)
    for name in ("properties", "$defs"):
        for key, member in described.get(name, {}).items():
            yield from unlimited(member, f"{place}.{key}")
