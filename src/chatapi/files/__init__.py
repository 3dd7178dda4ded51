"""Where the bytes of uploaded files are: a folder, or any S3-compatible store."""
