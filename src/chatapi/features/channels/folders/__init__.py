"""Channel folders: named groups of channels in clients."""
