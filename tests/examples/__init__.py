"""Records the examples of the OpenAPI document: `python3 dev.py examples`.

One story calls every endpoint in an organization that is the same each time, by a clock that is
set. Ordinary tests would give as many examples, but about "Person 17" in "channel 4", and other
ones in each run.
"""
