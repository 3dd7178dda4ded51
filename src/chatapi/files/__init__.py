"""Storage of uploaded files: a folder, or any S3-compatible store."""
