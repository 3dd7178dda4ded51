"""How long the parameters of a request take to read: forms, queries and JSON bodies.

    .venv/bin/python -m benchmarks.parameters --against ../other-checkout

Both versions take turns, in processes of their own, and the best time of each request counts: in
CPU time, so that it says something on a busy machine as well.
"""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import uvloop

from benchmarks.turns import BestTimes, run_script

_TURNS = 5
_ROUNDS = 9
_REPETITIONS = 300

_SEND: Mapping[str, object] = {
    "type": "channel",
    "to": 7,
    "topic": "greetings",
    "content": "Hello world, how are you today?",
    "queue_id": "a7f3c2d1:14",
    "local_id": "1700000000.01",
}
_PAGE: Mapping[str, object] = {
    "anchor": "newest",
    "num_before": 100,
    "num_after": 0,
    "narrow": [{"operator": "channel", "operand": "general"}],
}
_MARK: Mapping[str, object] = {"messages": list(range(1_000)), "op": "add", "flag": "read"}


@dataclass(frozen=True)
class Sample:
    """A request, and the module and name of the parameters it is read as."""

    name: str
    module: str
    model: str
    values: Mapping[str, object]
    encoding: str


SAMPLES = [
    Sample("send, form", "messages.send.params", "SendMessageParams", _SEND, "form"),
    Sample("send, JSON", "messages.send.params", "SendMessageParams", _SEND, "json"),
    Sample("page, query", "messages.fetch.params", "ReadMessagesParams", _PAGE, "query"),
    Sample("1,000 flags, form", "messages.flags.params", "ChangeFlagsParams", _MARK, "form"),
    Sample("1,000 flags, JSON", "messages.flags.params", "ChangeFlagsParams", _MARK, "json"),
]


def encode_form(values: Mapping[str, object]) -> bytes:
    return urlencode(
        {name: each if isinstance(each, str) else json.dumps(each) for name, each in values.items()}
    ).encode()


def scope_and_body(sample: Sample) -> tuple[dict[str, Any], bytes]:
    query = encode_form(sample.values) if sample.encoding == "query" else b""
    body, kind = b"", b""
    if sample.encoding == "form":
        body, kind = encode_form(sample.values), b"application/x-www-form-urlencoded"
    elif sample.encoding == "json":
        body, kind = json.dumps(sample.values).encode(), b"application/json"
    scope = {
        "type": "http",
        "method": "GET" if query else "POST",
        "path": "/",
        "query_string": query,
        "headers": [(b"content-type", kind), (b"content-length", str(len(body)).encode())],
    }
    return scope, body


async def measure_sample(sample: Sample) -> float | None:
    """Microseconds to read a request; None if this version cannot read it."""
    from importlib import import_module  # noqa: PLC0415

    from chatapi.core.errors import BadRequestError  # noqa: PLC0415
    from chatapi.http.forms import read_form  # noqa: PLC0415
    from chatapi.http.request import ApiRequest, BodyLimits  # noqa: PLC0415

    params = getattr(import_module(f"chatapi.features.{sample.module}"), sample.model)
    limits = BodyLimits(2 * 1024 * 1024, 0)
    scope, body = scope_and_body(sample)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    rounds: list[float] = []
    for _ in range(_ROUNDS):
        started = time.thread_time()
        for _ in range(_REPETITIONS):
            request = ApiRequest(scope, receive)
            try:
                form = await read_form(request, limits)
            except BadRequestError:
                return None
            params.read(form.values)
        rounds.append(time.thread_time() - started)
    return min(rounds) / _REPETITIONS * 1e6


def measure() -> list[float | None]:
    """Microseconds for each sample, with the version that is first on the path."""
    return [uvloop.run(measure_sample(sample)) for sample in SAMPLES]


def report(times: BestTimes) -> None:
    for sample, old, new in zip(SAMPLES, times.before, times.now, strict=True):
        if new is None:
            continue
        ratio = f"{new / old:5.2f}" if old else "  new"
        sys.stdout.write(f"{old or 0:7.1f} {new:7.1f} {ratio}  {sample.name}\n")


if __name__ == "__main__":
    run_script(__file__, measure, report, _TURNS)
