"""`python -m chatapi` is the `chatapi` command."""

import gc

# Importing makes many objects and no garbage: not looking for any saves some tenths of a second.
# A process that goes on for longer looks for it again from where it begins to serve.
gc.disable()

from chatapi.cli import main  # noqa: E402 (see above)

main()
