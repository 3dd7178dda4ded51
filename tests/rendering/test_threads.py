"""Texts are rendered by several threads at once, and always alike."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from chatapi.rendering import render_markdown

sys.setswitchinterval(1e-6)
languages = ["c", "python", "ruby", "javascript"]
text = "- *{}* :tada: https://a.b <http://c.d>\\n\\n```{}\\nif (x) f('a') // b\\n```"
texts = [text.format(n, languages[n % 4]) for n in range(8)]
start = threading.Barrier(8)

def render(text):
    start.wait()
    return render_markdown(text)

with ThreadPoolExecutor(8) as threads:
    at_once = list(threads.map(render, texts))
print(at_once == [render_markdown(text) for text in texts])
"""


@pytest.mark.parametrize("_attempt", range(5))
def test_first_texts_of_a_process_rendered_concurrently(_attempt: int) -> None:
    command = [sys.executable, "-c", PROGRAM]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert printed.stdout == "True\n"
