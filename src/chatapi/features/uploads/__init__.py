"""Files people upload, and who may open them."""
