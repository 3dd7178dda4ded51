"""What organizations turn into links, as far as writing and showing messages has to know."""
