"""Bot storage: texts that a bot keeps on the server under keys of its own."""
