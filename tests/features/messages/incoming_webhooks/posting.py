"""Posts documents to incoming webhooks, as other programs do."""

from typing import Any

import httpx

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

PATH = "/api/v1/external/"


async def post(
    http: httpx.AsyncClient, integration: str, bot: Person | None, **request: Any
) -> ApiResponse:
    """`params` are those of the query beside the key; `json`, `data` or `content` is the body."""
    params = request.pop("params", {})
    key = {} if bot is None else {"api_key": bot.api_key}
    response = await http.post(PATH + integration, params={**key, **params}, **request)
    return ApiResponse(response.status_code, response.json(), response.headers)


async def posted(client: ApiClient, reader: Person, response: ApiResponse) -> dict[str, Any]:
    """The message of a successful response, as written."""
    message_id = assert_success(response)["id"]
    read = await client.get(f"/messages/{message_id}", reader, apply_markdown=False)
    message: dict[str, Any] = assert_success(read)["message"]
    return message
