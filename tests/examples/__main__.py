"""Writes the examples into the package."""

import asyncio
import logging

from tests.examples.files import write_examples
from tests.examples.story import record

if __name__ == "__main__":
    logging.disable()
    write_examples(asyncio.run(record()))
