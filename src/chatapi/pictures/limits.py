"""The limits of drawing: an image beyond them is refused before, or while, it is decoded."""

FORMATS = ("PNG", "GIF", "JPEG", "WEBP")
"""Each decoder is code that hostile files reach."""
MAX_DECODED_PIXELS = 4096 * 4096
"""Of an image as it is decoded, or of all frames of an animation together."""
MAX_DECLARED_PIXELS = 4 * MAX_DECODED_PIXELS
"""Of a photo that is decoded at a fraction of its size, as JPEG can be."""
MAX_FRAMES = 200
MAX_MEMORY = 170 * 1024 * 1024
"""Data of the process, in bytes; with the program itself it stays below 200 MB."""
MAX_CPU_SECONDS = 10
MAX_SECONDS = 30
"""Of waiting for the process, which gets little time on a busy machine."""
