"""One package per feature, each with the same file names."""
