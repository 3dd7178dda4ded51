"""The end of a process: asked to go, it answers everybody and is gone."""

import asyncio
from pathlib import Path

import httpx
import pytest

from chatapi.auth.realms import RealmRecord
from chatapi.core.settings import Settings
from tests.factories import Person
from tests.support.client import basic_auth
from tests.support.server_process import server_process
from tests.support.waiting import until

LONGEST_GOODBYE_SECONDS = 5


@pytest.fixture
def server_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


class TestTermination:
    async def test_answers_waiting_polls_and_ends(
        self, settings: Settings, realm: RealmRecord, member: Person, server_folder: Path
    ) -> None:
        with server_process(server_folder, database_url=settings.database_url) as server:
            async with httpx.AsyncClient(
                base_url=f"{server.url}/api/v1", auth=basic_auth(member), timeout=30
            ) as http:
                registered = (await http.post("/register")).json()
                position = {name: registered[name] for name in ("queue_id", "last_event_id")}
                sent: list[str] = []

                async def trace(step: str, _details: object) -> None:
                    sent.extend([step] * (step == "http11.send_request_body.complete"))

                polls = [
                    asyncio.create_task(
                        http.get("/events", params=position, extensions={"trace": trace})
                    )
                    for _ in range(3)
                ]
                await until(lambda: len(sent) == 3)
                # Sent later and answered: by now the server has read the polls, too.
                await http.get("/users/me")
                async with asyncio.timeout(LONGEST_GOODBYE_SECONDS):
                    await asyncio.to_thread(server.terminate)
                    answers = [(await poll).json() for poll in polls]
        assert [answer["events"][0]["type"] for answer in answers] == ["heartbeat"] * 3
