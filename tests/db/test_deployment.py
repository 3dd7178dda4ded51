"""The id of a deployment: the same for all its processes, another for every copy."""

from pathlib import Path

from chatapi.db.database import Database
from chatapi.db.deployment import find_deployment
from tests.support.apps import make_settings
from tests.support.databases import SqliteTemplate
from tests.support.servers import TEMPLATE, Servers


async def deployment_of(url: str, folder: Path) -> str:
    database = Database(make_settings(url, folder))
    try:
        return await find_deployment(database)
    finally:
        await database.close()


async def test_processes_on_one_database_are_one_deployment(
    database_url: str, tmp_path: Path
) -> None:
    first = await deployment_of(database_url, tmp_path)
    assert await deployment_of(database_url, tmp_path) == first


async def test_copy_of_a_sqlite_file_is_another_deployment(
    sqlite_template: SqliteTemplate, tmp_path: Path
) -> None:
    deployments = set()
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        deployments.add(await deployment_of(sqlite_template.copy_to(folder), folder))
    assert len(deployments) == 2


async def test_copy_of_a_postgresql_database_is_another_deployment(
    servers: Servers, worker_name: str, tmp_path: Path
) -> None:
    deployments = set()
    for name in (f"one_{worker_name}", f"two_{worker_name}"):
        await servers.postgres.create_database(name, template=TEMPLATE)
        deployments.add(await deployment_of(servers.postgres.url_for(name), tmp_path))
        await servers.postgres.drop_database(name)
    assert len(deployments) == 2
