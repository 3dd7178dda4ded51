"""`python -m chatapi` is the `chatapi` command."""

import gc

# Importing makes many objects and no garbage: not looking for any saves a tenth of a second.
gc.disable()

from chatapi.cli import main  # noqa: E402 (see above)

gc.freeze()
gc.enable()

main()
