"""Marks of tests that kill servers under their clients."""

import pytest

KILLS_SERVERS = [
    pytest.mark.slow,
    # The HTTP client loses a socket when it is cancelled while it connects.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <function _SelectorTransport"),
]
