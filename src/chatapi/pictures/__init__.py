"""Validates and redraws images of clients, in processes of their own with limits."""

from chatapi.pictures.headers import PictureHeader, read_header
from chatapi.pictures.initials import draw_initials
from chatapi.pictures.painter import Painter, UnreadablePictureError
from chatapi.pictures.recipes import DrawnPicture, Fit, LongAnimation, Recipe, Variant

__all__ = [
    "DrawnPicture",
    "Fit",
    "LongAnimation",
    "Painter",
    "PictureHeader",
    "Recipe",
    "UnreadablePictureError",
    "Variant",
    "draw_initials",
    "read_header",
]
