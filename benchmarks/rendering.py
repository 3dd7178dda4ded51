"""How long messages take to render, compared with another checkout.

    .venv/bin/python -m benchmarks.rendering --against ../other-checkout

Both versions take turns, in processes of their own, and the best time of each message counts: in
CPU time, so that it says something on a busy machine as well.
"""

import sys
import time

from benchmarks.turns import BestTimes, run_script

_TURNS = 3
_ROUNDS = 7
_REPETITIONS = 40

MESSAGES = [
    "Hello world, how are you today?",
    "ok",
    "Thanks @**Iago**, I will look at it tomorrow :tada:",
    "See https://example.com/a/b?c=1 for details.",
    "I think **this** is *really* important: `code` and ~~old~~.",
    "- one\n- two\n- three",
    "1. first\n2. second\n3. third",
    "> quoted text here\n\nMy answer to it is no.",
    "```quote\n@_**Iago** said\n```\nagreed",
    "```python\ndef f(x):\n    return x + 1\n```",
    "#**general>topic** has more about it",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "Deploy is done. Version 1.2.3 is live, logs look fine; please check the dashboard.",
    "Der Zug kommt um fünf nach acht, wir treffen uns am Bahnsteig.",
    "# Title\nSome text under it, with a [link](https://example.com/x).",
    "line one\nline two\nline three\nline four",
    "@**all** meeting at 12:30, room 4.11 (second floor)",
    "我们今天下午三点开会 请准备好",
    "That is a longer message. It has no markup, except for a comma, of course. " * 3,
]


def measure() -> list[float]:
    """Microseconds for each message, with the version that is first on the path."""
    from chatapi.core.ids import ChannelId, UserId  # noqa: PLC0415
    from chatapi.rendering import Directory, NamedChannel, NamedUser, render_message  # noqa: PLC0415

    directory = Directory.of(
        users=[NamedUser(UserId(7), "Iago")], channels=[NamedChannel(ChannelId(9), "general")]
    )
    best: list[float] = []
    for message in MESSAGES:
        render_message(message, directory)
        rounds: list[float] = []
        for _ in range(_ROUNDS):
            started = time.thread_time()
            for _ in range(_REPETITIONS):
                render_message(message, directory)
            rounds.append(time.thread_time() - started)
        best.append(min(rounds) / _REPETITIONS * 1e6)
    return best


def report(times: BestTimes) -> None:
    pairs = [(old or 0.0, new or 0.0) for old, new in zip(times.before, times.now, strict=True)]
    for message, (old, new) in zip(MESSAGES, pairs, strict=True):
        sys.stdout.write(f"{old:6.0f} {new:6.0f} {new / old:5.2f}  {message[:50]!r}\n")
    old, new = (sum(each) for each in zip(*pairs, strict=True))
    sys.stdout.write(f"{old:6.0f} {new:6.0f} {new / old:5.2f}  all\n")


if __name__ == "__main__":
    run_script(__file__, measure, report, _TURNS)
