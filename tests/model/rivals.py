"""Steps: several processes write in one realm at the same time, and one of them leads."""

import asyncio

from hypothesis import strategies as st
from hypothesis.stateful import rule
from typing_extensions import override

from tests.model.machine import Organization
from tests.model.world import channels, people, topics, words
from tests.support.responses import ApiResponse

numbers = st.integers(0, 3)
_COMPETING = 0.7


class RivalProcesses(Organization):
    """A realm of several processes: each request comes to any of them."""

    @override
    def call(self, method: str, path: str, person: str, **params: object) -> ApiResponse:
        """Often, one of them leads before a message is sent."""
        if path == "/messages" and method == "post" and self.chance.random() < _COMPETING:
            self.do(self.processes.compete(self.realm_id, self.chance.randrange(len(self.clients))))
        return super().call(method, path, person, **params)

    @rule(
        first=numbers,
        number=channels,
        topic=topics,
        senders=st.lists(people, min_size=2, max_size=6),
        text=words,
        is_read=st.booleans(),
    )
    def talk_at_once(
        self, first: int, number: int, topic: str, senders: list[str], text: str, is_read: bool
    ) -> None:
        """Users send at the same time; those whose process does not lead are forwarded."""
        name = self.channel(number)
        message = {**self.address(name, topic), "content": text, "read_by_sender": is_read}
        responses = self.do(self._send_at_once(first, senders, message))
        self.is_compared = False
        in_order = sorted(
            zip(senders, responses, strict=True), key=lambda each: each[1].body.get("id", 0)
        )
        for person, response in in_order:
            self.learn_sent(response, name, topic, person, text, is_read=is_read)

    async def _send_at_once(
        self, first: int, senders: list[str], message: dict[str, object]
    ) -> list[ApiResponse]:
        await self.processes.compete(self.realm_id, first % len(self.processes))
        return await asyncio.gather(
            *(self.client.post("/messages", self.persons[each], **message) for each in senders)
        )

    @rule()
    def lose_leases(self) -> None:
        self.do(self.processes.lose_leases())

    @rule(number=numbers)
    def restart(self, number: int) -> None:
        self.do(self.processes.restart(number % len(self.processes)))
