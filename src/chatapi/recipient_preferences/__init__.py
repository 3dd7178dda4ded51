"""What people want to notice and what not, as far as sending a message has to know."""
