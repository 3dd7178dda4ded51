"""`python -m chatapi` is the `chatapi` command."""

from chatapi.cli import main

main()
