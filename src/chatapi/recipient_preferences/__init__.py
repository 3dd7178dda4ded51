"""Cache of the recipient preferences that sending a message needs: alert words, muted users."""
