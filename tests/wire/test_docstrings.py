"""Descriptions of fields are read from the source, which only the documentation needs."""

import subprocess
import sys


def test_source_is_not_read_to_find_out_whether_a_response_has_credentials() -> None:
    code = """
from chatapi.features.event_queues.payloads import register_payload
from chatapi.wire.docstrings import _docstrings_in
from chatapi.wire.secrets import holds_credential

assert not holds_credential(register_payload())
print(_docstrings_in.cache_info().misses)
"""
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout == "0\n"
