"""Channel folders for tests, made and read through the API."""

from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success

FOLDERS = "/channel_folders"


async def try_add_folder(client: ApiClient, person: Person | None, **params: object) -> ApiResponse:
    return await client.post(f"{FOLDERS}/create", person, **{"description": "", **params})


async def add_folder(client: ApiClient, person: Person, name: str, description: str = "") -> int:
    """The id of a new folder."""
    response = await try_add_folder(client, person, name=name, description=description)
    folder_id: int = assert_success(response)["channel_folder_id"]
    return folder_id


async def change_folder(
    client: ApiClient, person: Person | None, folder_id: int, **params: object
) -> ApiResponse:
    return await client.patch(f"{FOLDERS}/{folder_id}", person, **params)


async def folders_seen_by(
    client: ApiClient, person: Person, **params: object
) -> list[dict[str, Any]]:
    response = await client.get(FOLDERS, person, **params)
    folders: list[dict[str, Any]] = assert_success(response)["channel_folders"]
    return folders


async def names_of_folders(client: ApiClient, person: Person, **params: object) -> list[str]:
    return [folder["name"] for folder in await folders_seen_by(client, person, **params)]
